# Products by tensor descriptors as libraries write them: grouped order, persistent with the result in halves, batches
# of rank three, both factors transposed, gathered and scattered rows, attention, convolution over shifted boxes, gates
# in one box, split reductions by atomic additions, and factors of mxfp4 and mxfp8.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: matmul
# TYPES: fp16 bf16
# SIZES: M=65 N=40 K=104 TRANS_B=0 | M=127 N=64 K=64 TRANS_B=1
# BENCH: M=4096 N=4096 K=4096 TRANS_B=1 T=fp16 BLOCK_SIZE_M=128 BLOCK_SIZE_N=256 BLOCK_SIZE_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):T[M,K]
# ARG: b_ptr randint(-3,4):T[N*K]
# ARG: c_ptr empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_SIZE_M 64
# CONST: BLOCK_SIZE_N 32
# CONST: BLOCK_SIZE_K 32
# CONST: GROUP_SIZE_M 8
# CONST: TRANS_B TRANS_B
# GRID: cdiv(M, BLOCK_SIZE_M) * cdiv(N, BLOCK_SIZE_N)
# TOLERANCE: c_ptr 1e-2 0
#
# KERNEL: persistent_halves
# SIZES: M=130 N=136 K=72 P=2 SUBTILE=1 | M=64 N=64 K=64 P=3 SUBTILE=0
# BENCH: M=4096 N=4096 K=4096 P=132 SUBTILE=1 GROUP_SIZE_M=8 BLOCK_SIZE_M=128 BLOCK_SIZE_N=256 BLOCK_SIZE_K=64 num_warps=8 num_stages=3
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
# CONST: EPILOGUE_SUBTILE SUBTILE
# CONST: NUM_SMS P
# CONST: WARP_SPECIALIZE False
# GRID: P
# TOLERANCE: c_ptr 0 0
#
# KERNEL: batches
# SIZES: B=3 M=20 N=24 K=40
# BENCH: B=64 M=512 N=512 K=512 BLOCK_M=64 BLOCK_N=64 BLOCK_K=32 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):bf16[B,M,K]
# ARG: b_ptr randint(-3,4):bf16[B,K,N]
# ARG: c_ptr empty:fp32[B,M,N]
# ARG: B B
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_B 2
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 16
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N), cdiv(B, BLOCK_B)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: both_transposed
# SIZES: M=72 N=48 K=40
# BENCH: M=4096 N=4096 K=2048 BLOCK=128 BLOCK_K=64 num_warps=8
# ARG: a_ptr randint(-3,4):bf16[K,M]
# ARG: b_ptr randint(-3,4):bf16[N,K]
# ARG: bias_ptr randint(-3,4):fp32[N]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK), cdiv(N, BLOCK)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: gathered_rows
# SIZES: R=50 COUNT=37 N=40 K=64
# BENCH: R=16384 COUNT=8192 N=2048 K=2048 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randint(-3,4):bf16[R,K]
# ARG: w_ptr randint(-3,4):bf16[K,N]
# ARG: index_ptr permutation:i32[R]
# ARG: y_ptr zeros:fp32[R,N]
# ARG: R R
# ARG: count COUNT
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(COUNT, BLOCK_M), cdiv(N, BLOCK_N)
# CHECK: y_ptr
# TOLERANCE: y_ptr 0 0
#
# KERNEL: attention
# TYPES: fp16 bf16
# SIZES: Z=1 H=2 L=128 D=64 S=3 | Z=2 H=1 L=64 D=32 S=1
# BENCH: Z=2 H=16 L=4096 D=128 S=3 T=fp16 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=3
# ARG: q_ptr randn:T[Z*H*L,D]
# ARG: k_ptr randn:T[Z*H*L,D]
# ARG: v_ptr randn:T[Z*H*L,D]
# ARG: o_ptr empty:T[Z*H*L,D]
# ARG: sm_scale 0.2
# ARG: Z Z
# ARG: H H
# ARG: N_CTX L
# CONST: HEAD_DIM D
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: STAGE S
# CONST: warp_specialize False
# GRID: cdiv(L, BLOCK_M), Z * H
# TOLERANCE: o_ptr 1e-2 1e-2
#
# KERNEL: shifted_boxes
# SIZES: H=9 W=10 C=32 K=40
# BENCH: H=256 W=256 C=128 K=128 BH=8 BW=16 BLOCK_C=64 BLOCK_K=128 num_warps=8 num_stages=3
# ARG: x_ptr randint(-3,4):fp16[H,W,C]
# ARG: w_ptr randint(-3,4):fp16[3,3,C,K]
# ARG: y_ptr empty:fp16[H,W,K]
# ARG: H H
# ARG: W W
# ARG: C C
# ARG: K K
# CONST: BH 4
# CONST: BW 16
# CONST: BLOCK_C 16
# CONST: BLOCK_K 32
# GRID: cdiv(H, BH), cdiv(W, BW), cdiv(K, BLOCK_K)
# TOLERANCE: y_ptr 0 0
#
# KERNEL: gates
# SIZES: M=70 N=40 K=64
# BENCH: M=4096 N=4096 K=2048 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randn(0,0.5):fp16[M,K]
# ARG: w_ptr randn(0,0.5):fp16[2,N,K]
# ARG: y_ptr empty:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: y_ptr 5e-3 5e-3
#
# KERNEL: parts_added
# SIZES: M=40 N=36 K=160 SPLIT=3
# BENCH: M=512 N=4092 K=8192 SPLIT=4 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: b_ptr randint(-3,4):fp16[K,N+4]
# ARG: c_ptr zeros:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_b N+4
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N), SPLIT
# CHECK: c_ptr
# TOLERANCE: c_ptr 0 0
#
# KERNEL: block_scaled
# SIZES: M=64 N=48 K=256 KIND=0 | M=40 N=64 K=128 KIND=1 | M=64 N=32 K=128 KIND=2
# BENCH: M=2048 N=2048 K=2048 KIND=1 BLOCK_M=128 BLOCK_N=128 num_warps=8
# ARG: a_ptr randint(0,256):u8[M,K//2]
# ARG: a8_ptr randn:fp8e4nv[M,K]
# ARG: a_scale_ptr randint(122,131):u8[M,K//32]
# ARG: b_ptr randint(0,256):u8[N,K//2]
# ARG: b8_ptr randn:fp8e4nv[N,K]
# ARG: b_scale_ptr randint(122,131):u8[N,K//32]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 128
# CONST: ELEM_A "'e4m3'" if KIND > 0 else "'e2m1'"
# CONST: ELEM_B "'e4m3'" if KIND == 1 else "'e2m1'"
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-5 1e-3*max(1,K/256)
import numpy as np
import triton
import triton.language as tl


@triton.jit
def place(pid, M, N, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, GROUP_SIZE_M: tl.constexpr):
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    return first_pid_m + (pid % num_pid_in_group) % group_size_m, (pid % num_pid_in_group) // group_size_m


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
           BLOCK_SIZE_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr, TRANS_B: tl.constexpr):
    pid_m, pid_n = place(tl.program_id(0), M, N, BLOCK_SIZE_M, BLOCK_SIZE_N, GROUP_SIZE_M)
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_SIZE_M, BLOCK_SIZE_K])
    if TRANS_B:
        b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1],
                                           block_shape=[BLOCK_SIZE_N, BLOCK_SIZE_K])
    else:
        b_desc = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1],
                                           block_shape=[BLOCK_SIZE_K, BLOCK_SIZE_N])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_SIZE_M, BLOCK_SIZE_N])
    offs_am = pid_m * BLOCK_SIZE_M
    offs_bn = pid_n * BLOCK_SIZE_N
    offs_k = 0
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        a = a_desc.load([offs_am, offs_k])
        if TRANS_B:
            b = b_desc.load([offs_bn, offs_k])
            accumulator = tl.dot(a, b.T, accumulator)
        else:
            b = b_desc.load([offs_k, offs_bn])
            accumulator = tl.dot(a, b, accumulator)
        offs_k += BLOCK_SIZE_K
    c_desc.store([offs_am, offs_bn], accumulator.to(c_ptr.dtype.element_ty))


def matmul_reference(a_ptr, b_ptr, N, K, TRANS_B):
    return a_ptr @ (b_ptr.reshape(N, K).T if TRANS_B else b_ptr.reshape(K, N))


@triton.jit
def persistent_halves(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
                      BLOCK_SIZE_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr, EPILOGUE_SUBTILE: tl.constexpr,
                      NUM_SMS: tl.constexpr, WARP_SPECIALIZE: tl.constexpr):
    dtype = tl.float16
    start_pid = tl.program_id(axis=0)
    k_tiles = tl.cdiv(K, BLOCK_SIZE_K)
    num_tiles = tl.cdiv(M, BLOCK_SIZE_M) * tl.cdiv(N, BLOCK_SIZE_N)
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_SIZE_M, BLOCK_SIZE_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_SIZE_N, BLOCK_SIZE_K])
    c_desc = tl.make_tensor_descriptor(
        c_ptr, shape=[M, N], strides=[N, 1],
        block_shape=[BLOCK_SIZE_M, BLOCK_SIZE_N if not EPILOGUE_SUBTILE else BLOCK_SIZE_N // 2])
    tile_id_c = start_pid - NUM_SMS
    for tile_id in tl.range(start_pid, num_tiles, NUM_SMS, flatten=True, warp_specialize=WARP_SPECIALIZE):
        pid_m, pid_n = place(tile_id, M, N, BLOCK_SIZE_M, BLOCK_SIZE_N, GROUP_SIZE_M)
        offs_am = pid_m * BLOCK_SIZE_M
        offs_bn = pid_n * BLOCK_SIZE_N
        accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
        for ki in range(k_tiles):
            offs_k = ki * BLOCK_SIZE_K
            a = a_desc.load([offs_am, offs_k])
            b = b_desc.load([offs_bn, offs_k])
            accumulator = tl.dot(a, b.T, accumulator)
        tile_id_c += NUM_SMS
        pid_m, pid_n = place(tile_id_c, M, N, BLOCK_SIZE_M, BLOCK_SIZE_N, GROUP_SIZE_M)
        offs_cm = pid_m * BLOCK_SIZE_M
        offs_cn = pid_n * BLOCK_SIZE_N
        if EPILOGUE_SUBTILE:
            acc = tl.reshape(accumulator, (BLOCK_SIZE_M, 2, BLOCK_SIZE_N // 2))
            acc = tl.permute(acc, (0, 2, 1))
            acc0, acc1 = tl.split(acc)
            c0 = acc0.to(dtype)
            c_desc.store([offs_cm, offs_cn], c0)
            c1 = acc1.to(dtype)
            c_desc.store([offs_cm, offs_cn + BLOCK_SIZE_N // 2], c1)
        else:
            accumulator = accumulator.to(dtype)
            c_desc.store([offs_cm, offs_cn], accumulator)


def persistent_halves_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr.T


@triton.jit
def batches(a_ptr, b_ptr, c_ptr, B, M, N, K, BLOCK_B: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, [B, M, K], [M * K, K, 1], [BLOCK_B, BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [B, K, N], [K * N, N, 1], [BLOCK_B, BLOCK_K, BLOCK_N])
    c_desc = tl.make_tensor_descriptor(c_ptr, [B, M, N], [M * N, N, 1], [BLOCK_B, BLOCK_M, BLOCK_N])
    m, n, b = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N, tl.program_id(2) * BLOCK_B
    acc = tl.zeros((BLOCK_B, BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        acc = tl.dot(a_desc.load([b, m, k]), b_desc.load([b, k, n]), acc)
    c_desc.store([b, m, n], acc)


def batches_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr


@triton.jit
def both_transposed(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    """The sums start out as the bias."""
    a_desc = tl.make_tensor_descriptor(a_ptr, [K, M], [M, 1], [BLOCK_K, BLOCK])
    b_desc = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK, BLOCK_K])
    bias_desc = tl.make_tensor_descriptor(bias_ptr, [N], [1], [BLOCK])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK, BLOCK])
    row, column = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    acc = tl.broadcast_to(bias_desc.load([column])[None, :], (BLOCK, BLOCK))
    for k in tl.range(0, K, BLOCK_K, num_stages=2):
        acc = tl.dot(tl.trans(a_desc.load([k, row])), b_desc.load([column, k]).T, acc)
    c_desc.store([row, column], acc)


def both_transposed_reference(a_ptr, b_ptr, bias_ptr):
    return a_ptr.T @ b_ptr.T + bias_ptr


@triton.jit
def gathered_rows(x_ptr, w_ptr, index_ptr, y_ptr, R, count, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  BLOCK_K: tl.constexpr):
    """Rows come from where an index says, and go back there."""
    x_desc = tl.make_tensor_descriptor(x_ptr, [R, K], [K, 1], [1, BLOCK_K])
    w_desc = tl.make_tensor_descriptor(w_ptr, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    y_desc = tl.make_tensor_descriptor(y_ptr, [R, N], [N, 1], [1, BLOCK_N])
    at = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rows = tl.load(index_ptr + at, mask=at < count, other=-1)
    n = tl.program_id(1) * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        acc = tl.dot(x_desc.gather(rows, k), w_desc.load([k, n]), acc)
    y_desc.scatter(acc, rows, n)


def gathered_rows_reference(x_ptr, w_ptr, index_ptr, R, COUNT, N):
    y = np.zeros((R, N))
    rows = index_ptr[:COUNT].astype(int)
    y[rows] = x_ptr[rows] @ w_ptr
    return y


@triton.jit
def inner(acc, l_i, m_i, q, k_desc, v_desc, offset_y, dtype: tl.constexpr, start_m, qk_scale, BLOCK_M: tl.constexpr,
          HEAD_DIM: tl.constexpr, BLOCK_N: tl.constexpr, STAGE: tl.constexpr, offs_m, offs_n, N_CTX,
          warp_specialize: tl.constexpr):
    if STAGE == 1:
        lo, hi = 0, start_m * BLOCK_M
    elif STAGE == 2:
        lo, hi = start_m * BLOCK_M, (start_m + 1) * BLOCK_M
        lo = tl.multiple_of(lo, BLOCK_M)
    else:
        lo, hi = 0, N_CTX
    offsetk_y = offset_y + lo
    offsetv_y = offset_y + lo
    for start_n in tl.range(lo, hi, BLOCK_N, warp_specialize=warp_specialize):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        k = k_desc.load([offsetk_y, 0]).T
        qk = tl.dot(q, k)
        if STAGE == 2:
            mask = offs_m[:, None] >= (start_n + offs_n[None, :])
            qk = qk * qk_scale + tl.where(mask, 0, -1.0e6)
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk -= m_ij[:, None]
        else:
            m_ij = tl.maximum(m_i, tl.max(qk, 1) * qk_scale)
            qk = qk * qk_scale - m_ij[:, None]
        p = tl.math.exp2(qk)
        alpha = tl.math.exp2(m_i - m_ij)
        l_ij = tl.sum(p, 1)
        # The sum in halves, as it is updated where a whole one does not fit.
        BM: tl.constexpr = acc.shape[0]
        BN: tl.constexpr = acc.shape[1]
        acc0, acc1 = acc.reshape([BM, 2, BN // 2]).permute(0, 2, 1).split()
        acc0 = acc0 * alpha[:, None]
        acc1 = acc1 * alpha[:, None]
        acc = tl.join(acc0, acc1).permute(0, 2, 1).reshape([BM, BN])
        v = v_desc.load([offsetv_y, 0])
        p = p.to(dtype)
        acc = tl.dot(p, v, acc)
        l_i = l_i * alpha + l_ij
        m_i = m_ij
        offsetk_y += BLOCK_N
        offsetv_y += BLOCK_N
    return acc, l_i, m_i


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, sm_scale, Z, H, N_CTX, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr,
              BLOCK_N: tl.constexpr, STAGE: tl.constexpr, warp_specialize: tl.constexpr):
    start_m = tl.program_id(0)
    off_hz = tl.program_id(1)
    y_dim = Z * H * N_CTX
    desc_q = tl.make_tensor_descriptor(q_ptr, shape=[y_dim, HEAD_DIM], strides=[HEAD_DIM, 1],
                                       block_shape=[BLOCK_M, HEAD_DIM])
    desc_k = tl.make_tensor_descriptor(k_ptr, shape=[y_dim, HEAD_DIM], strides=[HEAD_DIM, 1],
                                       block_shape=[BLOCK_N, HEAD_DIM])
    desc_v = tl.make_tensor_descriptor(v_ptr, shape=[y_dim, HEAD_DIM], strides=[HEAD_DIM, 1],
                                       block_shape=[BLOCK_N, HEAD_DIM])
    desc_o = tl.make_tensor_descriptor(o_ptr, shape=[y_dim, HEAD_DIM], strides=[HEAD_DIM, 1],
                                       block_shape=[BLOCK_M, HEAD_DIM])
    offset_y = off_hz * N_CTX
    qo_offset_y = offset_y + start_m * BLOCK_M
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    qk_scale = sm_scale
    qk_scale *= 1.44269504
    q = desc_q.load([qo_offset_y, 0])
    dtype = q_ptr.dtype.element_ty
    if STAGE & 1:
        acc, l_i, m_i = inner(acc, l_i, m_i, q, desc_k, desc_v, offset_y, dtype, start_m, qk_scale, BLOCK_M, HEAD_DIM,
                              BLOCK_N, 4 - STAGE, offs_m, offs_n, N_CTX, warp_specialize)
    if STAGE & 2:
        acc, l_i, m_i = inner(acc, l_i, m_i, q, desc_k, desc_v, offset_y, dtype, start_m, qk_scale, BLOCK_M, HEAD_DIM,
                              BLOCK_N, 2, offs_m, offs_n, N_CTX, warp_specialize)
    acc = acc / l_i[:, None]
    desc_o.store([qo_offset_y, 0], acc.to(dtype))


def attention_reference(q_ptr, k_ptr, v_ptr, sm_scale, L, D, S):
    q, k, v = (x.reshape(-1, L, D) for x in (q_ptr, k_ptr, v_ptr))
    score = np.einsum("hid,hjd->hij", q, k) * sm_scale
    if S == 3:
        score = np.where(np.tril(np.ones((L, L))) > 0, score, -np.inf)
    power = np.exp(score - score.max(axis=2, keepdims=True))
    return (power / power.sum(axis=2, keepdims=True) @ v).reshape(-1, D)


@triton.jit
def shifted_boxes(x_ptr, w_ptr, y_ptr, H, W, C, K, BH: tl.constexpr, BW: tl.constexpr, BLOCK_C: tl.constexpr,
                  BLOCK_K: tl.constexpr):
    """A tap is a box moved by a pixel; what lies outside of the picture reads as zero, also before its start."""
    x_desc = tl.make_tensor_descriptor(x_ptr, [H, W, C], [W * C, C, 1], [BH, BW, BLOCK_C])
    w_desc = tl.make_tensor_descriptor(w_ptr, [9, C, K], [C * K, K, 1], [1, BLOCK_C, BLOCK_K])
    y_desc = tl.make_tensor_descriptor(y_ptr, [H, W, K], [W * K, K, 1], [BH, BW, BLOCK_K])
    row, column, k = tl.program_id(0) * BH, tl.program_id(1) * BW, tl.program_id(2) * BLOCK_K
    acc = tl.zeros((BH * BW, BLOCK_K), dtype=tl.float32)
    for tap in range(9):
        for c in range(0, C, BLOCK_C):
            x = x_desc.load([row + tap // 3 - 1, column + tap % 3 - 1, c]).reshape(BH * BW, BLOCK_C)
            w = w_desc.load([tap, c, k]).reshape(BLOCK_C, BLOCK_K)
            acc = tl.dot(x, w, acc)
    y_desc.store([row, column, k], acc.to(tl.float16).reshape(BH, BW, BLOCK_K))


def shifted_boxes_reference(x_ptr, w_ptr, H, W):
    x = np.pad(x_ptr, ((1, 1), (1, 1), (0, 0)))
    return sum(x[r:r + H, s:s + W] @ w_ptr[r, s] for r in range(3) for s in range(3))


@triton.jit
def gates(x_ptr, w_ptr, y_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """One box holds columns of the gate and of the input; their sums are split after the loop."""
    x_desc = tl.make_tensor_descriptor(x_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    w_desc = tl.make_tensor_descriptor(w_ptr, [2, N, K], [N * K, K, 1], [2, BLOCK_N, BLOCK_K])
    y_desc = tl.make_tensor_descriptor(y_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    acc = tl.zeros((BLOCK_M, 2 * BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x = x_desc.load([row, k])
        w = w_desc.load([0, column, k]).reshape(2 * BLOCK_N, BLOCK_K)
        acc = tl.dot(x, w.T, acc)
    gate, up = acc.reshape(BLOCK_M, 2, BLOCK_N).permute(0, 2, 1).split()
    y_desc.store([row, column], (gate * tl.sigmoid(gate) * up).to(tl.float16))


def gates_reference(x_ptr, w_ptr):
    gate, up = x_ptr @ w_ptr[0].T, x_ptr @ w_ptr[1].T
    return gate / (1 + np.exp(-gate)) * up


@triton.jit
def parts_added(a_ptr, b_ptr, c_ptr, M, N, K, stride_b, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                BLOCK_K: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, [K, N], [stride_b, 1], [BLOCK_K, BLOCK_N])
    c_desc = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(tl.program_id(2) * BLOCK_K, K, tl.num_programs(2) * BLOCK_K):
        acc += tl.dot(a_desc.load([row, k]), b_desc.load([k, column]))
    c_desc.atomic_add([row, column], acc)


def parts_added_reference(a_ptr, b_ptr, N):
    return a_ptr @ b_ptr[:, :N]


@triton.jit
def block_scaled(a_ptr, a8_ptr, a_scale_ptr, b_ptr, b8_ptr, b_scale_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr,
                 BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, ELEM_A: tl.constexpr, ELEM_B: tl.constexpr):
    PACK_A: tl.constexpr = 2 if ELEM_A == "e2m1" else 1
    PACK_B: tl.constexpr = 2 if ELEM_B == "e2m1" else 1
    if ELEM_A == "e2m1":
        a_desc = tl.make_tensor_descriptor(a_ptr, [M, K // 2], [K // 2, 1], [BLOCK_M, BLOCK_K // 2])
    else:
        a_desc = tl.make_tensor_descriptor(a8_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    if ELEM_B == "e2m1":
        b_desc = tl.make_tensor_descriptor(b_ptr, [N, K // 2], [K // 2, 1], [BLOCK_N, BLOCK_K // 2])
    else:
        b_desc = tl.make_tensor_descriptor(b8_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    row, column = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    m = (row + tl.arange(0, BLOCK_M)) % M
    n = (column + tl.arange(0, BLOCK_N)) % N
    group = tl.arange(0, BLOCK_K // 32)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in tl.range(0, tl.cdiv(K, BLOCK_K), num_stages=2):
        a = a_desc.load([row, k * (BLOCK_K // PACK_A)])
        b = b_desc.load([column, k * (BLOCK_K // PACK_B)])
        a_scale = tl.load(a_scale_ptr + m[:, None] * (K // 32) + k * (BLOCK_K // 32) + group[None, :])
        b_scale = tl.load(b_scale_ptr + n[:, None] * (K // 32) + k * (BLOCK_K // 32) + group[None, :])
        acc = tl.dot_scaled(a, a_scale, ELEM_A, b.T, b_scale, ELEM_B, acc)
    rm = row + tl.arange(0, BLOCK_M)
    rn = column + tl.arange(0, BLOCK_N)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def unpacked(packed):
    values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
    packed = packed.astype(int)
    return np.stack([values[packed & 15], values[packed >> 4]], axis=-1).reshape(len(packed), -1)


def block_scaled_reference(a_ptr, a8_ptr, a_scale_ptr, b_ptr, b8_ptr, b_scale_ptr, KIND):
    a = (a8_ptr if KIND > 0 else unpacked(a_ptr)) * np.repeat(2.0**(a_scale_ptr.astype(int) - 127), 32, axis=1)
    b = (b8_ptr if KIND == 1 else unpacked(b_ptr)) * np.repeat(2.0**(b_scale_ptr.astype(int) - 127), 32, axis=1)
    return a @ b.T
