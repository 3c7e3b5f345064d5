# Products as parts of layers, as libraries write them: a gated layer's gradient in one loop, residuals and sums of
# squares behind a product, groups of rows with sizes in memory, float32 by bfloat16 parts, parts of K that are added in
# order, 8-bit floats with scales of rows and sums in pieces, symmetric products for an optimizer.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: gated_backward
# SIZES: M=70 K=48 I=100 | M=1 K=64 I=32
# BENCH: M=4096 K=2048 I=5632 BLOCK_M=128 BLOCK_N=128 BLOCK_K=32 num_warps=8 num_stages=3
# ARG: dh_ptr randn:bf16[M,I]
# ARG: gate_ptr randn:bf16[M,I]
# ARG: up_ptr randn:bf16[M,I]
# ARG: wg_ptr randn:bf16[I,K]
# ARG: wu_ptr randn:bf16[I,K]
# ARG: dx_ptr empty:bf16[M,K]
# ARG: dgate_ptr empty:bf16[M,I]
# ARG: dup_ptr empty:bf16[M,I]
# ARG: M M
# ARG: K K
# ARG: I I
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 4
# GRID: cdiv(M, BLOCK_M) * cdiv(K, BLOCK_N)
# TOLERANCE: dx_ptr 3e-2 0.03*sqrt(I)
# TOLERANCE: dgate_ptr 2e-2 1e-2
# TOLERANCE: dup_ptr 2e-2 1e-2
#
# KERNEL: residual_and_squares
# TYPES: fp16 bf16
# SIZES: M=100 N=72 K=40 | M=17 N=130 K=129
# BENCH: M=4096 N=4096 K=4096 T=bf16 BLOCK_M=128 BLOCK_N=256 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randn:T[M,K]
# ARG: b_ptr randn:T[N,K]
# ARG: r_ptr randn:T[M,N]
# ARG: c_ptr empty:T[M,N]
# ARG: squares_ptr zeros:fp32[M]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_am K
# ARG: stride_bn K
# ARG: stride_cm N
# CONST: BLOCK_M 32
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# CONST: GROUP_M 8
# CONST: EVEN_K K % BLOCK_K == 0
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)
# CHECK: c_ptr squares_ptr
# TOLERANCE: c_ptr 1e-2 5e-2
# TOLERANCE: squares_ptr 1e-2 1e-1
#
# KERNEL: grouped_rows
# SIZES: G=4 S=50 N=96 K=64 | G=1 S=1 N=16 K=32
# BENCH: G=16 S=512 N=2048 K=2048 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 NUM_SMS=132 num_warps=8 num_stages=3
# ARG: a_ptr randn:bf16[G*S,K]
# ARG: b_ptr randn:bf16[G*N,K]
# ARG: c_ptr zeros:bf16[G*S,N]
# ARG: m_sizes_ptr randint(S//2,S+1):i32[G]
# ARG: G G
# ARG: M_TOTAL G*S
# CONST: N N
# CONST: K K
# CONST: NUM_SMS 3
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: NUM_SMS
# CHECK: c_ptr
# TOLERANCE: c_ptr 1e-2 5e-2
#
# KERNEL: float_by_parts
# SIZES: M=65 N=40 K=100 P=3 | M=32 N=32 K=33 P=6 | M=16 N=33 K=64 P=0 | M=40 N=16 K=32 P=1
# BENCH: M=2048 N=2048 K=2048 P=3 BLOCK_M=128 BLOCK_N=128 BLOCK_K=32 num_warps=8 num_stages=3
# ARG: A randn:fp32[M,K]
# ARG: B randn:fp32[K,N]
# ARG: C empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: PRODUCTS P
# CONST: PRECISION "'tf32x3'" if P == 0 else "'ieee'"
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: C 1e-4 2e-3
#
# KERNEL: parts_in_order
# SIZES: M=65 N=72 K=300 S=3 | M=16 N=16 K=16 S=1
# BENCH: M=512 N=2048 K=16384 S=4 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=4
# ARG: a_ptr randn:fp16[M,K]
# ARG: b_ptr randn:fp16[K,N]
# ARG: bias_ptr randn:fp16[N]
# ARG: c_ptr empty:fp16[M,N]
# ARG: partial_ptr zeros:fp32[S,cdiv(M,BLOCK_M)*BLOCK_M,cdiv(N,BLOCK_N)*BLOCK_N]
# ARG: counter_ptr zeros:i32[cdiv(M,BLOCK_M)*cdiv(N,BLOCK_N)]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: SPLIT_K S
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N), SPLIT_K
# TOLERANCE: c_ptr 1e-2 5e-2
#
# KERNEL: float8_rows
# SIZES: M=100 N=80 K=96 | M=33 N=48 K=64
# BENCH: M=4096 N=4096 K=4096 BLOCK_M=128 BLOCK_N=128 BLOCK_K=128 NUM_SMS=132 WS=True num_warps=8 num_stages=3
# ARG: a_ptr randn:fp8e4nv[M,K]
# ARG: b_ptr randn:fp8e4nv[N,K]
# ARG: scale_a_ptr rand:fp32[M]
# ARG: scale_b_ptr rand:fp32[N]
# ARG: c_ptr empty:bf16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 8
# CONST: NUM_SMS 2
# CONST: FAST True
# CONST: WS False
# GRID: NUM_SMS
# TOLERANCE: c_ptr 2e-2 1e-1
#
# KERNEL: float8_in_pieces
# SIZES: M=40 N=48 K=128 | M=16 N=16 K=64 | M=200 N=150 K=512 BLOCK_M=64 BLOCK_N=64 BLOCK_K=128 PIECE=40 | M=130 N=64 K=256 BLOCK_M=128 BLOCK_K=128 PIECE=128 num_warps=8
# BENCH: M=4096 N=4096 K=4096 BLOCK_M=128 BLOCK_N=128 BLOCK_K=128 num_warps=8 num_stages=3
# ARG: a_ptr randn:fp8e4nv[M,K]
# ARG: b_ptr randn:fp8e4nv[N,K]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 64
# CONST: PIECE 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-3 5e-2
#
# KERNEL: symmetric_step
# SIZES: B=2 M=100 K=72 | B=1 M=33 K=16
# BENCH: B=8 M=1024 K=4096 BLOCK_M=128 BLOCK_K=64 num_warps=8 num_stages=4
# ARG: x_ptr randn(0,0.1):bf16[B,M,K]
# ARG: c_ptr empty:bf16[B,M,M]
# ARG: M M
# ARG: K K
# ARG: stride_xb M*K
# ARG: stride_xm K
# ARG: stride_cb M*M
# CONST: BLOCK_M 32
# CONST: BLOCK_K 32
# CONST: GROUP_M 4
# GRID: cdiv(M, BLOCK_M) * cdiv(M, BLOCK_M), B
# TOLERANCE: c_ptr 1e-2 1e-2
#
# KERNEL: polynomial_of_squares
# SIZES: B=2 M=80 | B=1 M=40
# BENCH: B=8 M=1024 BLOCK_M=128 BLOCK_K=64 num_warps=8 num_stages=4
# ARG: a_desc desc(randn(0,0.1):bf16[B*M,M], [BLOCK_M, BLOCK_K])
# ARG: at_desc desc(randn(0,0.1):bf16[B*M,M], [BLOCK_M, BLOCK_M])
# ARG: c_ptr empty:bf16[B*M,M]
# ARG: M M
# ARG: alpha 2.0
# ARG: beta -4.775
# CONST: BLOCK_M 32
# CONST: BLOCK_K 16
# GRID: cdiv(M, BLOCK_M), cdiv(M, BLOCK_M), B
# TOLERANCE: c_ptr 1e-2 1e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def tile_of(pid, num_pid_m, num_pid_n, GROUP_M: tl.constexpr):
    width = GROUP_M * num_pid_n
    first = pid // width * GROUP_M
    size = min(num_pid_m - first, GROUP_M)
    return first + pid % width % size, pid % width // size


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32, "GROUP_M": 8}, num_stages=3, num_warps=8),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8}, num_stages=3, num_warps=4),
    ],
    key=["M", "K", "I"],
)
@triton.jit
def gated_backward(dh_ptr, gate_ptr, up_ptr, wg_ptr, wu_ptr, dx_ptr, dgate_ptr, dup_ptr, M, K, I,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    """The factors of two products are computed from three inputs while they are loaded; one column of programs keeps
    them for the gradient of the weights."""
    pid_m, pid_n = tile_of(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(K, BLOCK_N), GROUP_M)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    rows = offs_m[:, None].to(tl.int64) * I
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, I, BLOCK_K):
        at = start + offs_k
        inside = (offs_m[:, None] < M) & (at[None, :] < I)
        dh = tl.load(dh_ptr + rows + at[None, :], mask=inside, other=0.0).to(tl.float32)
        gate = tl.load(gate_ptr + rows + at[None, :], mask=inside, other=0.0).to(tl.float32)
        up = tl.load(up_ptr + rows + at[None, :], mask=inside, other=0.0).to(tl.float32)
        s = tl.sigmoid(gate)
        dgate = (dh * up * s * (1 + gate * (1 - s))).to(wg_ptr.dtype.element_ty)
        dup = (dh * gate * s).to(wu_ptr.dtype.element_ty)
        places = at[:, None] * K + offs_n[None, :]
        ok = (at[:, None] < I) & (offs_n[None, :] < K)
        acc = tl.dot(dgate, tl.load(wg_ptr + places, mask=ok, other=0.0), acc)
        acc = tl.dot(dup, tl.load(wu_ptr + places, mask=ok, other=0.0), acc)
        if pid_n == 0:
            tl.store(dgate_ptr + rows + at[None, :], dgate, mask=inside)
            tl.store(dup_ptr + rows + at[None, :], dup, mask=inside)
    tl.store(dx_ptr + offs_m[:, None].to(tl.int64) * K + offs_n[None, :], acc.to(dx_ptr.dtype.element_ty),
             mask=(offs_m[:, None] < M) & (offs_n[None, :] < K))


def gated_backward_reference(dh_ptr, gate_ptr, up_ptr, wg_ptr, wu_ptr):
    s = 1 / (1 + np.exp(-gate_ptr))
    dgate = dh_ptr * up_ptr * s * (1 + gate_ptr * (1 - s))
    dup = dh_ptr * gate_ptr * s
    return {"dx_ptr": dgate @ wg_ptr + dup @ wu_ptr, "dgate_ptr": dgate, "dup_ptr": dup}


@triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0})
@triton.jit
def residual_and_squares(a_ptr, b_ptr, r_ptr, c_ptr, squares_ptr, M, N, K, stride_am, stride_bn, stride_cm,
                         BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
                         EVEN_K: tl.constexpr):
    """A projection that is added to the residual stream; the next norm finds the sums of squares of its rows."""
    pid_m, pid_n = tile_of(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_M)
    tl.assume(pid_m >= 0)
    tl.assume(pid_n >= 0)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    rbn = tl.max_contiguous(tl.multiple_of(rn % N, BLOCK_N), BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + ram[:, None] * stride_am + rk[None, :]
    b_ptrs = b_ptr + rbn[None, :] * stride_bn + rk[:, None]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        if EVEN_K:
            a = tl.load(a_ptrs)
            b = tl.load(b_ptrs, eviction_policy="evict_last")
        else:
            a = tl.load(a_ptrs, mask=rk[None, :] < K - k * BLOCK_K, other=0.0)
            b = tl.load(b_ptrs, mask=rk[:, None] < K - k * BLOCK_K, other=0.0, eviction_policy="evict_last")
        acc += tl.dot(a, b)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    at = rm[:, None] * stride_cm + rn[None, :]
    acc += tl.load(r_ptr + at, mask=mask, other=0.0, eviction_policy="evict_first")
    acc = tl.where(mask, acc, 0.0)
    tl.store(c_ptr + at, acc.to(c_ptr.dtype.element_ty), mask=mask)
    tl.atomic_add(squares_ptr + rm, tl.sum(acc * acc, axis=1), mask=rm < M, sem="relaxed")


def residual_and_squares_reference(a_ptr, b_ptr, r_ptr):
    c = a_ptr @ b_ptr.T + r_ptr
    return {"c_ptr": c, "squares_ptr": (c * c).sum(1)}


@triton.jit
def grouped_rows(a_ptr, b_ptr, c_ptr, m_sizes_ptr, G, M_TOTAL, N: tl.constexpr, K: tl.constexpr,
                 NUM_SMS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Groups lie one behind the other; a persistent program takes its tiles from each in turn."""
    tile = tl.program_id(0)
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M_TOTAL, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[G * N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    num_n_tiles = tl.cdiv(N, BLOCK_N)
    end_row = 0
    iterated = 0
    for g in tl.range(G):
        start_row = end_row
        m_size = tl.load(m_sizes_ptr + g)
        end_row = start_row + m_size
        if m_size > 0:
            num_m_tiles = tl.cdiv(m_size, BLOCK_M)
            num_tiles = num_m_tiles * num_n_tiles
            while tile >= iterated and tile < iterated + num_tiles:
                index = tile - iterated
                m = start_row + index % num_m_tiles * BLOCK_M
                n = index // num_m_tiles * BLOCK_N
                acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
                for k in range(0, K, BLOCK_K):
                    a = a_desc.load([m, k])
                    b = b_desc.load([g * N + n, k])
                    acc += tl.dot(a, b.T)
                offs_m = m + tl.arange(0, BLOCK_M)
                offs_n = n + tl.arange(0, BLOCK_N)
                tl.store(c_ptr + offs_m[:, None] * N + offs_n[None, :], acc.to(c_ptr.dtype.element_ty),
                         mask=(offs_m[:, None] < end_row) & (offs_n[None, :] < N))
                tile += NUM_SMS
            iterated += num_tiles


def grouped_rows_reference(a_ptr, b_ptr, m_sizes_ptr, G, N):
    c, row = np.zeros((len(a_ptr), N)), 0
    for g in range(G):
        end = row + int(m_sizes_ptr[g])
        c[row:end] = a_ptr[row:end] @ b_ptr[g * N:g * N + N].T
        row = end
    return c


@triton.jit
def parts(x):
    hi = x.to(tl.bfloat16)
    rest = x - hi.to(tl.float32)
    mid = rest.to(tl.bfloat16)
    lo = (rest - mid.to(tl.float32)).to(tl.bfloat16)
    return hi, mid, lo


@triton.jit
def float_by_parts(A, B, C, M, N, K, PRODUCTS: tl.constexpr, PRECISION: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Three or six products of bfloat16 parts, the smallest ones first, or what the language has."""
    m = tl.program_id(0) * BLOCK_M
    n = tl.program_id(1) * BLOCK_N
    a_block = tl.make_block_ptr(A, (M, K), (K, 1), (m, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b_block = tl.make_block_ptr(B, (K, N), (N, 1), (0, n), (BLOCK_K, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, K, BLOCK_K):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        if PRODUCTS < 3:
            acc = tl.dot(a, b, acc, input_precision=PRECISION)
        else:
            a_hi, a_mid, a_lo = parts(a)
            b_hi, b_mid, b_lo = parts(b)
            if PRODUCTS == 6:
                acc = tl.dot(a_lo, b_hi, acc)
                acc = tl.dot(a_hi, b_lo, acc)
                acc = tl.dot(a_mid, b_mid, acc)
            acc = tl.dot(a_mid, b_hi, acc)
            acc = tl.dot(a_hi, b_mid, acc)
            acc = tl.dot(a_hi, b_hi, acc)
        a_block = tl.advance(a_block, (0, BLOCK_K))
        b_block = tl.advance(b_block, (BLOCK_K, 0))
    c_block = tl.make_block_ptr(C, (M, N), (N, 1), (m, n), (BLOCK_M, BLOCK_N), (1, 0))
    tl.store(c_block, acc, boundary_check=(0, 1))


def float_by_parts_reference(A, B):
    return A @ B


@triton.jit
def parts_in_order(a_ptr, b_ptr, bias_ptr, c_ptr, partial_ptr, counter_ptr, M, N, K, SPLIT_K: tl.constexpr,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Each program keeps its part; the one that finds all others done adds them in order, and makes the counter ready
    for the next launch."""
    pid_m, pid_n, pid_k = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = pid_k * BLOCK_K + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_m % M)[:, None] * K + offs_k[None, :]
    b_ptrs = b_ptr + offs_k[:, None] * N + (offs_n % N)[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        left = K - k * (BLOCK_K * SPLIT_K)
        a = tl.load(a_ptrs, mask=offs_k[None, :] < left, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < left, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K * SPLIT_K
        b_ptrs += BLOCK_K * SPLIT_K * N
    width = tl.num_programs(1) * BLOCK_N
    layer = tl.num_programs(0) * BLOCK_M * width
    part_ptrs = partial_ptr + offs_m[:, None] * width + offs_n[None, :]
    tl.store(part_ptrs + pid_k * layer, acc, cache_modifier=".cg")
    tl.debug_barrier()
    done = tl.atomic_add(counter_ptr + pid_m * tl.num_programs(1) + pid_n, 1, sem="acq_rel")
    if done == SPLIT_K - 1:
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for part in tl.static_range(SPLIT_K):
            total += tl.load(part_ptrs + part * layer, cache_modifier=".cg")
        total += tl.load(bias_ptr + offs_n, mask=offs_n < N, other=0.0)[None, :]
        tl.store(c_ptr + offs_m[:, None] * N + offs_n[None, :], total.to(c_ptr.dtype.element_ty),
                 mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))
        tl.store(counter_ptr + pid_m * tl.num_programs(1) + pid_n, 0)


def parts_in_order_reference(a_ptr, b_ptr, bias_ptr):
    return a_ptr @ b_ptr + bias_ptr


@triton.jit
def float8_rows(a_ptr, b_ptr, scale_a_ptr, scale_b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, NUM_SMS: tl.constexpr, FAST: tl.constexpr,
                WS: tl.constexpr):
    """Persistent, with descriptors of 8-bit floats; scales of rows and columns come behind the loop."""
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    for tile in tl.range(tl.program_id(0), num_pid_m * num_pid_n, NUM_SMS, flatten=True, warp_specialize=WS):
        pid_m, pid_n = tile_of(tile, num_pid_m, num_pid_n, GROUP_M)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(tl.cdiv(K, BLOCK_K)):
            a = a_desc.load([pid_m * BLOCK_M, k * BLOCK_K])
            b = b_desc.load([pid_n * BLOCK_N, k * BLOCK_K])
            if FAST:
                acc = tl.dot(a, b.T, acc, out_dtype=tl.float32)
            else:
                acc += tl.dot(a, b.T, out_dtype=tl.float32)
        offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
        offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
        scale_a = tl.load(scale_a_ptr + offs_m, mask=offs_m < M)
        scale_b = tl.load(scale_b_ptr + offs_n, mask=offs_n < N)
        acc *= scale_a[:, None] * scale_b[None, :]
        c_desc.store([pid_m * BLOCK_M, pid_n * BLOCK_N], acc.to(c_ptr.dtype.element_ty))


def float8_rows_reference(a_ptr, b_ptr, scale_a_ptr, scale_b_ptr):
    return a_ptr @ b_ptr.T * scale_a_ptr[:, None] * scale_b_ptr


@triton.jit
def float8_in_pieces(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     BLOCK_K: tl.constexpr, PIECE: tl.constexpr):
    """Sums of the tensor cores are moved to full precision after every piece."""
    offs_m = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_n = (tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + offs_m[:, None] * K + offs_k[None, :]
    b_ptrs = b_ptr + offs_n[None, :] * K + offs_k[:, None]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs)
        b = tl.load(b_ptrs)
        acc = tl.dot(a, b, acc, max_num_imprecise_acc=PIECE)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def float8_in_pieces_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr.T


@triton.jit
def symmetric_step(x_ptr, c_ptr, M, K, stride_xb, stride_xm, stride_cb, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr,
                   GROUP_M: tl.constexpr):
    """X X^T: tiles above the diagonal are left to those below, which are stored twice."""
    batch = tl.program_id(1)
    tiles = tl.cdiv(M, BLOCK_M)
    pid_m, pid_n = tile_of(tl.program_id(0), tiles, tiles, GROUP_M)
    if pid_m < pid_n:
        return
    x_ptr += batch * stride_xb
    c_ptr += batch * stride_cb
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = x_ptr + (offs_m % M)[:, None] * stride_xm + offs_k[None, :]
    b_ptrs = x_ptr + (offs_n % M)[None, :] * stride_xm + offs_k[:, None]
    acc = tl.zeros((BLOCK_M, BLOCK_M), dtype=tl.float32)
    for k in tl.range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K
    out = acc.to(c_ptr.dtype.element_ty)
    mask = (offs_m[:, None] < M) & (offs_n[None, :] < M)
    tl.store(c_ptr + offs_m[:, None] * M + offs_n[None, :], out, mask=mask)
    if pid_m != pid_n:
        tl.store(c_ptr + offs_n[:, None] * M + offs_m[None, :], tl.trans(out), mask=tl.trans(mask))


def symmetric_step_reference(x_ptr):
    return x_ptr @ x_ptr.transpose(0, 2, 1)


@triton.jit
def polynomial_of_squares(a_desc, at_desc, c_ptr, M, alpha, beta, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr):
    """alpha A A^T + beta B, below the diagonal; the other half is mirrored as it is stored."""
    pid_m, pid_n, batch = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    if pid_n > pid_m:
        return
    row = batch * M
    acc = tl.zeros((BLOCK_M, BLOCK_M), dtype=tl.float32)
    for k in range(0, M, BLOCK_K):
        a = a_desc.load([row + pid_m * BLOCK_M, k])
        b = a_desc.load([row + pid_n * BLOCK_M, k])
        acc = tl.dot(a, b.T, acc)
    acc = alpha * acc + beta * at_desc.load([row + pid_m * BLOCK_M, pid_n * BLOCK_M]).to(tl.float32)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_M + tl.arange(0, BLOCK_M)
    out = acc.to(c_ptr.dtype.element_ty)
    c_ptr += batch * M * M
    tl.store(c_ptr + offs_m[:, None] * M + offs_n[None, :], out, mask=(offs_m[:, None] < M) & (offs_n[None, :] < M))
    if pid_m > pid_n:
        tl.store(c_ptr + offs_n[:, None] * M + offs_m[None, :], out.T,
                 mask=(offs_m[None, :] < M) & (offs_n[:, None] < M))


def polynomial_of_squares_reference(a_desc, at_desc, alpha, beta, B, M):
    a, b = a_desc.reshape(B, M, M), at_desc.reshape(B, M, M)
    full = alpha * a @ a.transpose(0, 2, 1) + beta * b
    lower = full.copy()
    tiles = np.arange(M) // 32
    upper = tiles[:, None] < tiles
    return np.where(upper, lower.transpose(0, 2, 1), full).reshape(-1, M)
