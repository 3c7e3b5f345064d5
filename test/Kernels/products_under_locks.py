# Products whose programs wait for each other: tiles that several programs make in turn under a lock, streams of steps
# whose rests others leave, a log-sum-exp that all tiles of columns fold into.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: split_under_lock
# TYPES: fp16
# SIZES: M=40 N=48 K=200 S=3 | M=16 N=33 K=128 S=2
# BENCH: M=512 N=512 K=8192 S=8 T=fp16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=32 num_warps=4 num_stages=4
# ARG: A randn:T[M,K]
# ARG: B randn:T[K,N]
# ARG: C empty:T[M,N]
# ARG: bias randn:T[N]
# ARG: partial zeros:fp32[M,N]
# ARG: locks zeros:i32[cdiv(M,BLOCK_M)*cdiv(N,BLOCK_N)]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_am K
# ARG: stride_ak 1
# ARG: stride_bk N
# ARG: stride_bn 1
# ARG: stride_cm N
# ARG: stride_cn 1
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: SPLIT_K S
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N), SPLIT_K
# CHECK: C locks
# TOLERANCE: C 1e-2 2e-1
#
# KERNEL: stream_under_locks
# TYPES: fp16
# SIZES: M=70 N=48 K=160 W=5 | M=33 N=40 K=100 W=3
# BENCH: M=1536 N=1536 K=4096 W=108 T=fp16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: A randn:T[M,K]
# ARG: B randn:T[K,N]
# ARG: C empty:T[M,N]
# ARG: P empty:fp32[W,BLOCK_M*BLOCK_N]
# ARG: locks zeros:i32[W]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: WORKERS W
# GRID: W
# CHECK: C locks
# TOLERANCE: C 1e-2 2e-1
#
# KERNEL: folded_log_sum
# TYPES: fp16 bf16
# SIZES: B=33 V=70 D=40 | B=16 V=100 D=64
# BENCH: B=2048 V=8192 D=1024 T=bf16 BLOCK_B=128 BLOCK_V=128 BLOCK_D=32 num_warps=4 num_stages=4
# ARG: E randn:T[B,D]
# ARG: C randn:T[V,D]
# ARG: LSE full(-1000):fp32[B]
# ARG: locks zeros:i32[cdiv(B,BLOCK_B)]
# ARG: Targets randint(0,V):i64[B]
# ARG: NegDot empty:fp32[B]
# ARG: B B
# ARG: V V
# ARG: D D
# ARG: softcap 20.0
# CONST: BLOCK_B 16
# CONST: BLOCK_V 32
# CONST: BLOCK_D 32
# CONST: GROUP_B 4
# GRID: cdiv(B, BLOCK_B) * cdiv(V, BLOCK_V)
# CHECK: LSE NegDot locks
# TOLERANCE: LSE 2e-3 1e-2
# TOLERANCE: NegDot 1e-2 1e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def split_under_lock(A, B, C, bias, partial, locks, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
                     stride_cn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                     SPLIT_K: tl.constexpr):
    """The first part stores, the others add in turn, the last puts the result out with a bias and resets the lock."""
    pid = tl.program_id(0)
    pid_k = tl.program_id(1)
    grid_n = tl.cdiv(N, BLOCK_N)
    pid_m = pid // grid_n
    pid_n = pid % grid_n
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    rbn = tl.max_contiguous(tl.multiple_of(rn % N, BLOCK_N), BLOCK_N)
    rk = pid_k * BLOCK_K + tl.arange(0, BLOCK_K)
    a_ptrs = A + ram[:, None] * stride_am + rk[None, :] * stride_ak
    b_ptrs = B + rk[:, None] * stride_bk + rbn[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        k_remaining = K - k * (BLOCK_K * SPLIT_K)
        a = tl.load(a_ptrs, mask=rk[None, :] < k_remaining, other=0.0)
        b = tl.load(b_ptrs, mask=rk[:, None] < k_remaining, other=0.0)
        acc = tl.dot(a, b, acc, out_dtype=tl.float32)
        a_ptrs += BLOCK_K * SPLIT_K * stride_ak
        b_ptrs += BLOCK_K * SPLIT_K * stride_bk
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    p_ptrs = partial + rm[:, None] * N + rn[None, :]
    while tl.atomic_cas(locks + pid, pid_k, pid_k) != pid_k:
        pass
    if pid_k > 0:
        acc += tl.load(p_ptrs, mask=mask, other=0.0, cache_modifier=".cg")
    if pid_k == SPLIT_K - 1:
        acc += tl.load(bias + rn, mask=rn < N, other=0.0).to(tl.float32)[None, :]
        tl.store(C + rm[:, None] * stride_cm + rn[None, :] * stride_cn, acc.to(C.dtype.element_ty), mask=mask)
    else:
        tl.store(p_ptrs, acc, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(locks + pid, (pid_k + 1) % SPLIT_K)


def split_under_lock_reference(A, B, bias, locks):
    return {"C": A @ B + bias, "locks": np.zeros(locks.shape)}


@triton.jit
def stream_under_locks(A, B, C, P, locks, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                       BLOCK_K: tl.constexpr, WORKERS: tl.constexpr):
    """Each program has a run of steps over all tiles; who begins a tile adds what those behind it left."""
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(N, BLOCK_N)
    iters = tl.cdiv(K, BLOCK_K)
    total = tl.cdiv(M, BLOCK_M) * tiles_n * iters
    full = total // WORKERS
    rest = total % WORKERS
    start_iter = pid * full + tl.minimum(pid, rest)
    last_iter = (pid + 1) * full + tl.minimum(pid + 1, rest)
    while start_iter < last_iter:
        remainder = start_iter % iters
        end_iter = tl.minimum(start_iter + (iters - remainder), last_iter)
        tile_id = start_iter // iters
        pid_m = tile_id // tiles_n
        pid_n = tile_id % tiles_n
        rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
        rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
        rk = tl.arange(0, BLOCK_K)
        a_ptrs = A + (rm % M)[:, None] * K + rk[None, :] + BLOCK_K * remainder
        b_ptrs = B + (rk[:, None] + BLOCK_K * remainder) * N + (rn % N)[None, :]
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for it in range(start_iter, end_iter):
            k_left = K - (it % iters) * BLOCK_K
            a = tl.load(a_ptrs, mask=rk[None, :] < k_left, other=0.0)
            b = tl.load(b_ptrs, mask=rk[:, None] < k_left, other=0.0)
            acc = tl.dot(a, b, acc)
            a_ptrs += BLOCK_K
            b_ptrs += BLOCK_K * N
        r1 = tl.arange(0, BLOCK_M)
        r2 = tl.arange(0, BLOCK_N)
        flat = r1[:, None] * BLOCK_N + r2[None, :]
        if remainder != 0:
            tl.store(P + pid * BLOCK_M * BLOCK_N + flat, acc, cache_modifier=".wt")
            tl.debug_barrier()
            tl.atomic_xchg(locks + pid, 1)
        else:
            next_pid = pid + 1
            end = end_iter
            tile_end = (tile_id + 1) * iters
            while (end < tile_end) & (next_pid < WORKERS):
                while tl.atomic_cas(locks + next_pid, 1, 0) != 1:
                    pass
                acc += tl.load(P + next_pid * BLOCK_M * BLOCK_N + flat, cache_modifier=".cv")
                end += full + (next_pid < rest).to(tl.int32)
                next_pid += 1
            mask = (rm < M)[:, None] & (rn < N)[None, :]
            tl.store(C + rm[:, None] * N + rn[None, :], acc.to(C.dtype.element_ty), mask=mask)
        start_iter = end_iter


def stream_under_locks_reference(A, B, locks):
    return {"C": A @ B, "locks": np.zeros(locks.shape)}


@triton.jit
def folded_log_sum(E, C, LSE, locks, Targets, NegDot, B, V, D, softcap, BLOCK_B: tl.constexpr, BLOCK_V: tl.constexpr,
                   BLOCK_D: tl.constexpr, GROUP_B: tl.constexpr):
    """Logits are never stored; each tile folds its log-sum-exp into that of its rows while it holds their lock."""
    pid = tl.program_id(0)
    num_b = tl.cdiv(B, BLOCK_B)
    num_v = tl.cdiv(V, BLOCK_V)
    in_group = GROUP_B * num_v
    first = pid // in_group * GROUP_B
    size = min(num_b - first, GROUP_B)
    pid_b = first + (pid % in_group) % size
    pid_v = (pid % in_group) // size
    offs_b = (pid_b * BLOCK_B + tl.arange(0, BLOCK_B)) % B
    offs_v = (pid_v * BLOCK_V + tl.arange(0, BLOCK_V)) % V
    offs_d = tl.arange(0, BLOCK_D)
    e_ptrs = E + offs_b[:, None] * D + offs_d[None, :]
    c_ptrs = C + offs_v[None, :] * D + offs_d[:, None]
    accum = tl.zeros((BLOCK_B, BLOCK_V), dtype=tl.float32)
    for d in range(0, tl.cdiv(D, BLOCK_D)):
        e = tl.load(e_ptrs, mask=offs_d[None, :] < D - d * BLOCK_D, other=0.0)
        c = tl.load(c_ptrs, mask=offs_d[:, None] < D - d * BLOCK_D, other=0.0)
        accum = tl.dot(e, c, accum)
        e_ptrs += BLOCK_D
        c_ptrs += BLOCK_D
    columns = pid_v * BLOCK_V + tl.arange(0, BLOCK_V)
    logits = softcap * (2 * tl.sigmoid(2 * accum / softcap) - 1)
    logits = tl.where(columns[None, :] < V, logits, -float("inf"))
    rows = pid_b * BLOCK_B + tl.arange(0, BLOCK_B)
    row_mask = rows < B
    target = tl.load(Targets + rows, mask=row_mask, other=-1)
    hit = columns[None, :] == target[:, None]
    tl.store(NegDot + rows[:, None] + tl.zeros((BLOCK_B, BLOCK_V), tl.int32), -logits, mask=hit & row_mask[:, None])
    this_mx = tl.max(logits, axis=1)
    this_lse = this_mx + tl.log(tl.sum(tl.exp(logits - this_mx[:, None]), axis=1))
    lock = locks + pid_b
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    lse = tl.load(LSE + rows, mask=row_mask, other=0.0, eviction_policy="evict_last")
    hi = tl.maximum(lse, this_lse)
    lo = tl.minimum(lse, this_lse)
    lse = hi + tl.log(1 + tl.exp(lo - hi))
    tl.store(LSE + rows, lse, mask=row_mask, eviction_policy="evict_last")
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


def folded_log_sum_reference(E, C, Targets, locks, B):
    logits = 20 * np.tanh(E @ C.T / 20)
    top = logits.max(1)
    return {"LSE": top + np.log(np.exp(logits - top[:, None]).sum(1)),
            "NegDot": -logits[np.arange(B), Targets.astype(int)], "locks": np.zeros(locks.shape)}
