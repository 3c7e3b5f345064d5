# Matrix products as libraries divide them among programs: the reduction in parts that are added by atomic operations or
# by a second kernel, work in equal pieces whatever the tiles are, programs that stay for many tiles, groups of products
# with sizes and addresses in memory, batches by strides, factors transposed by strides or by tl.trans, block pointers.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: split_k_atomic
# TYPES: fp16 bf16
# SIZES: M=65 N=40 K=128 SPLIT=2 | M=17 N=129 K=100 SPLIT=3 | M=1 N=1 K=1 SPLIT=1
# BENCH: M=512 N=4096 K=8192 SPLIT=4 T=bf16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=4 num_stages=3
# ARG: A randint(-3,4):T[M,K]
# ARG: B randint(-3,4):T[K,N]
# ARG: C zeros:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_am K
# ARG: stride_ak 1
# ARG: stride_bk N
# ARG: stride_bn 1
# ARG: stride_cm N
# ARG: stride_cn 1
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 8
# CONST: SPLIT_K SPLIT
# CONST: EVEN_K K % (BLOCK_K * SPLIT) == 0
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N), SPLIT
# CHECK: C
# TOLERANCE: C 0 0
#
# KERNEL: split_k_partials
# SIZES: M=33 N=70 K=200 SPLIT=3
# BENCH: M=512 N=4096 K=8192 SPLIT=4 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=4 num_stages=3
# ARG: a_ptr randint(-3,4):bf16[M,K]
# ARG: b_ptr randint(-3,4):bf16[N,K]
# ARG: partial_ptr empty:fp32[SPLIT,M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: chunk cdiv(K, SPLIT)
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N), SPLIT
# TOLERANCE: partial_ptr 0 0
#
# KERNEL: add_partials
# SIZES: M=33 N=70 SPLIT=3 | M=1 N=1 SPLIT=1
# BENCH: M=4096 N=4096 SPLIT=4 BLOCK_M=32 BLOCK_N=128
# ARG: partial_ptr randint(-9,10):fp32[SPLIT,M,N]
# ARG: bias_ptr randint(-9,10):bf16[N]
# ARG: c_ptr empty:bf16[M,N]
# ARG: M M
# ARG: N N
# ARG: SPLIT_K SPLIT
# CONST: HAS_BIAS True
# CONST: BLOCK_M 16
# CONST: BLOCK_N 64
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: stream_k
# SIZES: M=130 N=65 K=100 P=4 | M=64 N=64 K=32 P=3
# BENCH: M=4096 N=4096 K=2048 P=132 GROUP_M=8 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: A randint(-3,4):fp16[M,K]
# ARG: B randint(-3,4):fp16[K,N]
# ARG: C zeros:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_am K
# ARG: stride_ak 1
# ARG: stride_bk N
# ARG: stride_bn 1
# ARG: stride_cm N
# ARG: stride_cn 1
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# CONST: GROUP_M 2
# GRID: P
# CHECK: C
# TOLERANCE: C 0 0
#
# KERNEL: persistent
# SIZES: M=200 N=129 K=70 P=3 | M=264 N=136 K=200 P=2 BLOCK_SIZE_M=128 BLOCK_SIZE_N=128 BLOCK_SIZE_K=64
# BENCH: M=4096 N=4096 K=4096 P=132 BLOCK_SIZE_M=128 BLOCK_SIZE_N=256 BLOCK_SIZE_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):bf16[M,K]
# ARG: b_ptr randint(-3,4):bf16[K,N]
# ARG: c_ptr empty:bf16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_am K
# ARG: stride_ak 1
# ARG: stride_bk N
# ARG: stride_bn 1
# ARG: stride_cm N
# ARG: stride_cn 1
# CONST: BLOCK_SIZE_M 64
# CONST: BLOCK_SIZE_N 64
# CONST: BLOCK_SIZE_K 32
# CONST: GROUP_SIZE_M 8
# CONST: NUM_SMS P
# GRID: P
# TOLERANCE: c_ptr 0 0
# REFERENCE: persistent_reference
#
# KERNEL: persistent_one_loop
# SIZES: M=130 N=129 K=64 P=2 | M=70 N=20 K=33 P=3
# BENCH: M=4096 N=4096 K=2048 P=132 GROUP_SIZE_M=8 BLOCK_SIZE_M=128 BLOCK_SIZE_N=128 BLOCK_SIZE_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[N,K]
# ARG: c_ptr empty:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_SIZE_M 64
# CONST: BLOCK_SIZE_N 64
# CONST: BLOCK_SIZE_K 32
# CONST: GROUP_SIZE_M 2
# CONST: NUM_SMS P
# GRID: P
# TOLERANCE: c_ptr 0 0
#
# KERNEL: grouped
# SIZES: G=3 S=100 N=48 K=64 P=2
# BENCH: G=16 S=1024 N=2048 K=2048 P=132 BLOCK_SIZE_M=128 BLOCK_SIZE_N=128 BLOCK_SIZE_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):fp16[G*S,K]
# ARG: b_ptr randint(-3,4):fp16[G*K,N]
# ARG: c_ptr zeros:fp16[G*S,N]
# ARG: rows_ptr randint(0,S+1):i32[G]
# ARG: group_size G
# ARG: N N
# ARG: K K
# ARG: stretch S
# CONST: NUM_SM P
# CONST: BLOCK_SIZE_M 64
# CONST: BLOCK_SIZE_N 32
# CONST: BLOCK_SIZE_K 32
# GRID: P
# CHECK: c_ptr
# TOLERANCE: c_ptr 0 0
#
# KERNEL: batched
# SIZES: B=3 M=65 N=17 K=40 SHARED=0 | B=2 M=64 N=64 K=64 SHARED=1
# BENCH: B=16 M=1024 N=1024 K=1024 SHARED=0 GROUP_M=8 TILE_M=128 TILE_N=128 TILE_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):bf16[B,M,K]
# ARG: b_ptr randint(-3,4):bf16[B,K,N]
# ARG: o_ptr empty:fp32[B,M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_ab M*K
# ARG: stride_am K
# ARG: stride_ak 1
# ARG: stride_bb 0 if SHARED else K*N
# ARG: stride_bk N
# ARG: stride_bn 1
# CONST: TILE_M 64
# CONST: TILE_N 32
# CONST: TILE_K 32
# CONST: GROUP_M 2
# CONST: DIVISIBLE_M M % TILE_M == 0
# CONST: DIVISIBLE_N N % TILE_N == 0
# CONST: DIVISIBLE_K K % TILE_K == 0
# GRID: cdiv(M, TILE_M), cdiv(N, TILE_N), B
# TOLERANCE: o_ptr 0 0
#
# KERNEL: four_forms
# TYPES: fp16 bf16
# SIZES: M=65 N=48 K=96 TA=0 TB=0 | M=65 N=48 K=96 TA=0 TB=1 | M=65 N=48 K=96 TA=1 TB=0 | M=65 N=48 K=96 TA=1 TB=1
# BENCH: M=4096 N=4096 K=2048 TA=1 TB=1 T=bf16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):T[M*K]
# ARG: b_ptr randint(-3,4):T[K*N]
# ARG: c_ptr empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: TRANS_A TA
# CONST: TRANS_B TB
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: block_pointers
# SIZES: M=65 N=127 K=70 | M=64 N=64 K=64 | M=1 N=17 K=129
# BENCH: M=4096 N=4096 K=4096 GROUP_M=8 BLOCK_M=128 BLOCK_N=256 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[K,N]
# ARG: c_ptr empty:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_am K
# ARG: stride_ak 1
# ARG: stride_bk N
# ARG: stride_bn 1
# ARG: stride_cm N
# ARG: stride_cn 1
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# CONST: GROUP_M 4
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: few_rows
# TYPES: fp16 fp32
# SIZES: M=1 N=70 K=129 | M=5 N=64 K=512
# BENCH: M=8 N=16384 K=8192 T=fp16 BLOCK_N=32 BLOCK_K=256 num_warps=4 num_stages=4
# ARG: x_ptr randint(-3,4):T[M,K]
# ARG: w_ptr randint(-3,4):T[N,K]
# ARG: y_ptr empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 16
# CONST: BLOCK_N 32
# CONST: BLOCK_K 128
# CONST: ALLOW_TF32 False
# GRID: cdiv(N, BLOCK_N)
# TOLERANCE: y_ptr 0 0
import numpy as np
import triton
import triton.language as tl


def configs():
    return [
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32, "SPLIT_K": 1}, num_stages=3, num_warps=8),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 64, "SPLIT_K": 4}, num_stages=4, num_warps=4),
    ]


@triton.autotune(configs=configs(), key=["M", "N", "K"], reset_to_zero=["C"])
@triton.heuristics({
    "EVEN_K": lambda args: args["K"] % (args["BLOCK_K"] * args["SPLIT_K"]) == 0,
})
@triton.jit
def split_k_atomic(A, B, C, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
                   SPLIT_K: tl.constexpr, EVEN_K: tl.constexpr):
    pid = tl.program_id(0)
    pid_z = tl.program_id(1)
    grid_m = tl.cdiv(M, BLOCK_M)
    grid_n = tl.cdiv(N, BLOCK_N)
    width = GROUP_M * grid_n
    group_id = pid // width
    group_size = min(grid_m - group_id * GROUP_M, GROUP_M)
    pid_m = group_id * GROUP_M + (pid % group_size)
    pid_n = (pid % width) // (group_size)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ram = rm % M
    rbn = rn % N
    rk = pid_z * BLOCK_K + tl.arange(0, BLOCK_K)
    A = A + (ram[:, None] * stride_am + rk[None, :] * stride_ak)
    B = B + (rk[:, None] * stride_bk + rbn[None, :] * stride_bn)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        if EVEN_K:
            a = tl.load(A)
            b = tl.load(B)
        else:
            k_remaining = K - k * (BLOCK_K * SPLIT_K)
            zero = tl.zeros((1, 1), dtype=C.dtype.element_ty)
            a = tl.load(A, mask=rk[None, :] < k_remaining, other=zero)
            b = tl.load(B, mask=rk[:, None] < k_remaining, other=zero)
        acc += tl.dot(a, b, out_dtype=tl.float32)
        A += BLOCK_K * SPLIT_K * stride_ak
        B += BLOCK_K * SPLIT_K * stride_bk
    acc = acc.to(C.dtype.element_ty)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    C = C + (rm[:, None] * stride_cm + rn[None, :] * stride_cn)
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    if SPLIT_K == 1:
        tl.store(C, acc, mask=mask)
    else:
        tl.atomic_add(C, acc, mask=mask)


def split_k_atomic_reference(A, B):
    return A @ B


@triton.jit
def split_k_partials(a_ptr, b_ptr, partial_ptr, M, N, K, chunk, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     BLOCK_K: tl.constexpr):
    """Each program along the third axis owns a piece of the reduction that need not end at a block."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    first = tl.program_id(2) * chunk
    last = tl.minimum(first + chunk, K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(first, last, BLOCK_K):
        rk = k + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < last), other=0.0)
        b = tl.load(b_ptr + rn[None, :] * K + rk[:, None], mask=(rn[None, :] < N) & (rk[:, None] < last), other=0.0)
        acc = tl.dot(a, b, acc)
    out = partial_ptr + tl.program_id(2).to(tl.int64) * M * N
    tl.store(out + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def split_k_partials_reference(a_ptr, b_ptr, K, SPLIT):
    chunk = -(-K // SPLIT)
    return np.stack([a_ptr[:, i * chunk:(i + 1) * chunk] @ b_ptr[:, i * chunk:(i + 1) * chunk].T for i in range(SPLIT)])


@triton.jit
def add_partials(partial_ptr, bias_ptr, c_ptr, M, N, SPLIT_K, HAS_BIAS: tl.constexpr, BLOCK_M: tl.constexpr,
                 BLOCK_N: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    at = rm[:, None] * N + rn[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for s in range(SPLIT_K):
        acc += tl.load(partial_ptr + s * M * N + at, mask=mask, other=0.0)
    if HAS_BIAS:
        acc += tl.load(bias_ptr + rn, mask=rn < N, other=0.0).to(tl.float32)[None, :]
    tl.store(c_ptr + at, acc.to(c_ptr.dtype.element_ty), mask=mask)


def add_partials_reference(partial_ptr, bias_ptr):
    return partial_ptr.sum(axis=0) + bias_ptr


@triton.jit
def swizzle_tile(tile_id, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    grid_m = tl.cdiv(M, BLOCK_M)
    grid_n = tl.cdiv(N, BLOCK_N)
    width = GROUP_M * grid_n
    group_id = tile_id // width
    group_size = tl.minimum(grid_m - group_id * GROUP_M, GROUP_M)
    pid_m = group_id * GROUP_M + (tile_id % group_size)
    pid_n = (tile_id % width) // group_size
    return pid_m, pid_n


@triton.jit
def mac_loop(A, B, C, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn, iters_per_tile,
             start_iter, end_iter, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
             GROUP_M: tl.constexpr):
    tile_id = start_iter // iters_per_tile
    pid_m, pid_n = swizzle_tile(tile_id, M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = (start_iter % iters_per_tile) * BLOCK_K + tl.arange(0, BLOCK_K)
    a_ptrs = A + (rm % M)[:, None] * stride_am + rk[None, :] * stride_ak
    b_ptrs = B + rk[:, None] * stride_bk + (rn % N)[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for current in range(start_iter, end_iter):
        left = K - (current % iters_per_tile) * BLOCK_K
        a = tl.load(a_ptrs, mask=tl.arange(0, BLOCK_K)[None, :] < left, other=0.0)
        b = tl.load(b_ptrs, mask=tl.arange(0, BLOCK_K)[:, None] < left, other=0.0)
        acc += tl.dot(a, b)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    c_ptrs = C + rm[:, None] * stride_cm + rn[None, :] * stride_cn
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    if (start_iter % iters_per_tile == 0) & (end_iter % iters_per_tile == 0):
        tl.store(c_ptrs, acc, mask=mask)
    else:
        tl.atomic_add(c_ptrs, acc, mask=mask, sem="relaxed")


@triton.jit
def stream_k(A, B, C, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
             BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    """Every program makes as many steps as any other, wherever tiles begin and end."""
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    iters_per_tile = tl.cdiv(K, BLOCK_K)
    total = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N) * iters_per_tile
    full = total // programs
    rest = total % programs
    start_iter = pid * full + tl.minimum(pid, rest)
    last_iter = (pid + 1) * full + tl.minimum(pid + 1, rest)
    while start_iter < last_iter:
        end_iter = tl.minimum(start_iter + (iters_per_tile - start_iter % iters_per_tile), last_iter)
        mac_loop(A, B, C, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn, iters_per_tile,
                 start_iter, end_iter, BLOCK_M, BLOCK_N, BLOCK_K, GROUP_M)
        start_iter = end_iter


def stream_k_reference(A, B):
    return A @ B


@triton.jit
def tile_of(tile_id, num_pid_in_group, num_pid_m, GROUP_SIZE_M: tl.constexpr):
    group_id = tile_id // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + (tile_id % group_size_m)
    pid_n = (tile_id % num_pid_in_group) // group_size_m
    return pid_m, pid_n


@triton.jit
def persistent(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
               BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
               GROUP_SIZE_M: tl.constexpr, NUM_SMS: tl.constexpr):
    start_pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    k_tiles = tl.cdiv(K, BLOCK_SIZE_K)
    num_tiles = num_pid_m * num_pid_n
    tile_id_c = start_pid - NUM_SMS
    offs_k_for_mask = tl.arange(0, BLOCK_SIZE_K)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    for tile_id in tl.range(start_pid, num_tiles, NUM_SMS, flatten=True):
        pid_m, pid_n = tile_of(tile_id, num_pid_in_group, num_pid_m, GROUP_SIZE_M)
        start_m = pid_m * BLOCK_SIZE_M
        start_n = pid_n * BLOCK_SIZE_N
        offs_am = start_m + tl.arange(0, BLOCK_SIZE_M)
        offs_bn = start_n + tl.arange(0, BLOCK_SIZE_N)
        offs_am = tl.where(offs_am < M, offs_am, 0)
        offs_bn = tl.where(offs_bn < N, offs_bn, 0)
        offs_am = tl.max_contiguous(tl.multiple_of(offs_am, 1), 1)
        offs_bn = tl.max_contiguous(tl.multiple_of(offs_bn, 1), 1)
        accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
        for ki in range(k_tiles):
            offs_k = ki * BLOCK_SIZE_K + tl.arange(0, BLOCK_SIZE_K)
            a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
            b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
            a = tl.load(a_ptrs, mask=offs_k_for_mask[None, :] < K - ki * BLOCK_SIZE_K, other=0.0)
            b = tl.load(b_ptrs, mask=offs_k_for_mask[:, None] < K - ki * BLOCK_SIZE_K, other=0.0)
            accumulator = tl.dot(a, b, accumulator)
        tile_id_c += NUM_SMS
        pid_m, pid_n = tile_of(tile_id_c, num_pid_in_group, num_pid_m, GROUP_SIZE_M)
        offs_cm = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
        offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
        c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
        c_mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
        tl.store(c_ptrs, accumulator.to(c_ptr.dtype.element_ty), mask=c_mask)


def to_bf16(x):
    bits = np.asarray(x, np.float64).astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32).astype(np.float64)


def persistent_reference(a_ptr, b_ptr):
    return to_bf16(a_ptr @ b_ptr)


@triton.jit
def persistent_one_loop(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
                        BLOCK_SIZE_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr, NUM_SMS: tl.constexpr):
    """Tiles and steps in one loop: a tile starts where the counter of steps wraps, and is stored where it ends."""
    start_pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    k_tiles = tl.cdiv(K, BLOCK_SIZE_K)
    num_tiles = num_pid_m * num_pid_n
    tiles_per_SM = num_tiles // NUM_SMS
    if start_pid < num_tiles % NUM_SMS:
        tiles_per_SM += 1
    tile_id = start_pid - NUM_SMS
    ki = -1
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    pid_m = 0
    pid_n = 0
    offs_am = tl.arange(0, BLOCK_SIZE_M)
    offs_bn = tl.arange(0, BLOCK_SIZE_N)
    offs_mask = tl.arange(0, BLOCK_SIZE_K)
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for _ in range(0, k_tiles * tiles_per_SM):
        ki = tl.where(ki == k_tiles - 1, 0, ki + 1)
        if ki == 0:
            tile_id += NUM_SMS
            pid_m, pid_n = tile_of(tile_id, num_pid_in_group, num_pid_m, GROUP_SIZE_M)
            offs_am = (pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)) % M
            offs_bn = (pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)) % N
        offs_k = ki * BLOCK_SIZE_K + tl.arange(0, BLOCK_SIZE_K)
        a = tl.load(a_ptr + offs_am[:, None] * K + offs_k[None, :], mask=offs_mask[None, :] < K - ki * BLOCK_SIZE_K,
                    other=0.0)
        b = tl.load(b_ptr + offs_bn[None, :] * K + offs_k[:, None], mask=offs_mask[:, None] < K - ki * BLOCK_SIZE_K,
                    other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        if ki == k_tiles - 1:
            offs_cm = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
            offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
            c_mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
            tl.store(c_ptr + offs_cm[:, None] * N + offs_cn[None, :], accumulator.to(tl.float16), mask=c_mask)
            accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)


def persistent_one_loop_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr.T


@triton.jit
def grouped(a_ptr, b_ptr, c_ptr, rows_ptr, group_size, N, K, stretch, NUM_SM: tl.constexpr,
            BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr):
    """Products of different heights one after another; their addresses are numbers that become pointers."""
    tile_idx = tl.program_id(0)
    last_problem_end = 0
    for g in range(group_size):
        gm = tl.load(rows_ptr + g)
        num_m_tiles = tl.cdiv(gm, BLOCK_SIZE_M)
        num_n_tiles = tl.cdiv(N, BLOCK_SIZE_N)
        num_tiles = num_m_tiles * num_n_tiles
        while (tile_idx >= last_problem_end) & (tile_idx < last_problem_end + num_tiles):
            a_address = a_ptr.to(tl.int64) + g.to(tl.int64) * stretch * K * 2
            b_address = b_ptr.to(tl.int64) + g.to(tl.int64) * K * N * 2
            c_address = c_ptr.to(tl.int64) + g.to(tl.int64) * stretch * N * 2
            a_group = a_address.to(tl.pointer_type(tl.float16))
            b_group = b_address.to(tl.pointer_type(tl.float16))
            c_group = c_address.to(tl.pointer_type(tl.float16))
            tile_idx_in_gemm = tile_idx - last_problem_end
            tile_m_idx = tile_idx_in_gemm // num_n_tiles
            tile_n_idx = tile_idx_in_gemm % num_n_tiles
            offs_am = tile_m_idx * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
            offs_bn = tile_n_idx * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
            offs_k = tl.arange(0, BLOCK_SIZE_K)
            a_ptrs = a_group + (offs_am % gm)[:, None] * K + offs_k[None, :]
            b_ptrs = b_group + offs_k[:, None] * N + (offs_bn % N)[None, :]
            accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
            for kk in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
                # Hints about pointers: their rows start at multiples of sixteen.
                tl.multiple_of(a_ptrs, [16, 16])
                tl.multiple_of(b_ptrs, [16, 16])
                a = tl.load(a_ptrs)
                b = tl.load(b_ptrs)
                accumulator += tl.dot(a, b)
                a_ptrs += BLOCK_SIZE_K
                b_ptrs += BLOCK_SIZE_K * N
            c = accumulator.to(tl.float16)
            mask = (offs_am < gm)[:, None] & (offs_bn < N)[None, :]
            tl.store(c_group + offs_am[:, None] * N + offs_bn[None, :], c, mask=mask)
            tile_idx += NUM_SM
        last_problem_end = last_problem_end + num_tiles


def grouped_reference(a_ptr, b_ptr, c_ptr, rows_ptr, G, S, K):
    out = np.copy(c_ptr)
    for g in range(G):
        rows = slice(g * S, g * S + int(rows_ptr[g]))
        out[rows] = a_ptr[rows] @ b_ptr[g * K:(g + 1) * K]
    return out


@triton.jit
def batched(a_ptr, b_ptr, o_ptr, M, N, K, stride_ab, stride_am, stride_ak, stride_bb, stride_bk, stride_bn,
            TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP_M: tl.constexpr,
            DIVISIBLE_M: tl.constexpr, DIVISIBLE_N: tl.constexpr, DIVISIBLE_K: tl.constexpr):
    pid_b = tl.program_id(2)
    a_ptr += pid_b * stride_ab
    b_ptr += pid_b * stride_bb
    o_ptr += pid_b * M * N
    pid_m, pid_n = tl.swizzle2d(tl.program_id(0), tl.program_id(1), tl.num_programs(0), tl.num_programs(1), GROUP_M)
    offs_m = pid_m * TILE_M + tl.arange(0, TILE_M)
    offs_n = pid_n * TILE_N + tl.arange(0, TILE_N)
    offs_k = tl.arange(0, TILE_K)
    if not DIVISIBLE_M:
        mask_m = offs_m < M
    if not DIVISIBLE_N:
        mask_n = offs_n < N
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn
    o_ptrs = o_ptr + offs_m[:, None] * N + offs_n[None, :]
    num_iters = tl.cdiv(K, TILE_K)
    o = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for _ in range(num_iters):
        if DIVISIBLE_K:
            if DIVISIBLE_M:
                mask_a = None
            else:
                mask_a = mask_m[:, None]
            if DIVISIBLE_N:
                mask_b = None
            else:
                mask_b = mask_n[None, :]
        else:
            mask_k = offs_k < K
            if DIVISIBLE_M:
                mask_a = mask_k[None, :]
            else:
                mask_a = mask_m[:, None] & mask_k[None, :]
            if DIVISIBLE_N:
                mask_b = mask_k[:, None]
            else:
                mask_b = mask_k[:, None] & mask_n[None, :]
        a = tl.load(a_ptrs, mask_a)
        b = tl.load(b_ptrs, mask_b)
        offs_k += TILE_K
        a_ptrs += TILE_K * stride_ak
        b_ptrs += TILE_K * stride_bk
        o += tl.dot(a, b, allow_tf32=False)
    if DIVISIBLE_M and DIVISIBLE_N:
        mask_c = None
    elif DIVISIBLE_M and not DIVISIBLE_N:
        mask_c = mask_n[None, :]
    elif not DIVISIBLE_M and DIVISIBLE_N:
        mask_c = mask_m[:, None]
    else:
        mask_c = mask_m[:, None] & mask_n[None, :]
    tl.store(o_ptrs, o, mask_c)


def batched_reference(a_ptr, b_ptr, SHARED):
    return a_ptr @ (b_ptr[:1] if SHARED else b_ptr)


@triton.jit
def four_forms(a_ptr, b_ptr, c_ptr, M, N, K, TRANS_A: tl.constexpr, TRANS_B: tl.constexpr, BLOCK_M: tl.constexpr,
               BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """A factor that is stored transposed is read in rows as they lie, and turned around as a tile."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        rk = k + tl.arange(0, BLOCK_K)
        if TRANS_A:
            a = tl.load(a_ptr + rk[:, None] * M + rm[None, :], mask=(rk[:, None] < K) & (rm[None, :] < M), other=0.0)
            a = tl.trans(a)
        else:
            a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        if TRANS_B:
            b = tl.load(b_ptr + rn[:, None] * K + rk[None, :], mask=(rn[:, None] < N) & (rk[None, :] < K), other=0.0)
            b = tl.trans(b)
        else:
            b = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc.to(c_ptr.dtype.element_ty),
             mask=(rm[:, None] < M) & (rn[None, :] < N))


def four_forms_reference(a_ptr, b_ptr, M, N, K, TA, TB, T):
    a = a_ptr.reshape(K, M).T if TA else a_ptr.reshape(M, K)
    b = b_ptr.reshape(N, K).T if TB else b_ptr.reshape(K, N)
    return to_bf16(a @ b) if T == "bf16" else a @ b


@triton.jit
def block_pointers(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    pid_m, pid_n = swizzle_tile(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    a_block_ptr = tl.make_block_ptr(base=a_ptr, shape=(M, K), strides=(stride_am, stride_ak),
                                    offsets=(pid_m * BLOCK_M, 0), block_shape=(BLOCK_M, BLOCK_K), order=(1, 0))
    b_block_ptr = tl.make_block_ptr(base=b_ptr, shape=(K, N), strides=(stride_bk, stride_bn),
                                    offsets=(0, pid_n * BLOCK_N), block_shape=(BLOCK_K, BLOCK_N), order=(1, 0))
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_block_ptr, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block_ptr, boundary_check=(0, 1), padding_option="zero")
        accumulator += tl.dot(a, b)
        a_block_ptr = tl.advance(a_block_ptr, (0, BLOCK_K))
        b_block_ptr = tl.advance(b_block_ptr, (BLOCK_K, 0))
    c_block_ptr = tl.make_block_ptr(base=c_ptr, shape=(M, N), strides=(stride_cm, stride_cn),
                                    offsets=(pid_m * BLOCK_M, pid_n * BLOCK_N), block_shape=(BLOCK_M, BLOCK_N),
                                    order=(1, 0))
    tl.store(c_block_ptr, accumulator.to(tl.float16), boundary_check=(0, 1))


def block_pointers_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr


@triton.jit
def few_rows(x_ptr, w_ptr, y_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
             ALLOW_TF32: tl.constexpr):
    """A layer on a handful of tokens: one tile of rows, most of which are padding."""
    rm = tl.arange(0, BLOCK_M)
    rn = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    rn_wrapped = tl.max_contiguous(tl.multiple_of(rn % N, 1), 1)
    rk = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + rm[:, None] * K + rk[None, :]
    w_ptrs = w_ptr + rn_wrapped[None, :] * K + rk[:, None]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(K, 0, -BLOCK_K):
        x = tl.load(x_ptrs, mask=(rm[:, None] < M) & (rk[None, :] < k), other=0.0)
        w = tl.load(w_ptrs, mask=rk[:, None] < k, other=0.0)
        acc += tl.dot(x, w, allow_tf32=ALLOW_TF32)
        x_ptrs += BLOCK_K
        w_ptrs += BLOCK_K
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc.to(y_ptr.dtype.element_ty),
             mask=(rm[:, None] < M) & (rn[None, :] < N))


def few_rows_reference(x_ptr, w_ptr):
    return x_ptr @ w_ptr.T
