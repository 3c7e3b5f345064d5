# Products with factors of few bits, as inference libraries write them: int8 with scales of rows and columns or of
# blocks, four bits packed along either axis with groups, zero points and reordered rows, bytes that become bfloat16,
# ternary weights, 8-bit floats with scales of rows or of blocks of 128 by 128, activations quantised on the way.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: int8_scaled
# SIZES: M=65 N=40 K=100 BIAS=1 | M=17 N=129 K=64 BIAS=0 | M=1 N=16 K=32 BIAS=1
# BENCH: M=4096 N=4096 K=4096 BIAS=1 BLOCK_M=128 BLOCK_N=128 BLOCK_K=128 num_warps=8 num_stages=3
# ARG: a_ptr randint(-128,128):i8[M,K]
# ARG: b_ptr randint(-128,128):i8[K,N]
# ARG: scale_a_ptr rand(0.001,0.01):fp32[M]
# ARG: scale_b_ptr rand(0.001,0.01):fp32[N]
# ARG: bias_ptr randn:bf16[N]
# ARG: c_ptr empty:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 64
# CONST: HAS_BIAS BIAS
# CONST: ACC_TYPE "tl.int32"
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 2e-3 1e-3
#
# KERNEL: int8_blocks
# SIZES: M=65 N=48 K=160
# BENCH: M=4096 N=4096 K=4096 BLOCK_M=128 BLOCK_N=128 BLOCK_K=128 num_warps=8 num_stages=3
# ARG: a_ptr randint(-128,128):i8[M,K]
# ARG: b_ptr randint(-128,128):i8[N,K]
# ARG: as_ptr rand(0.001,0.01):fp32[M,cdiv(K,BLOCK_K)]
# ARG: bs_ptr rand(0.001,0.01):fp32[cdiv(N,BLOCK_N),cdiv(K,BLOCK_K)]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-5 1e-4*max(1,K/1024)
#
# KERNEL: four_bits_rows
# TYPES: fp16 bf16
# SIZES: M=65 N=64 K=128 G=32 ACT=0 | M=3 N=40 K=64 G=64 ACT=1
# BENCH: M=1024 N=4096 K=4096 G=128 ACT=0 T=fp16 BLOCK_M=128 BLOCK_N=128 BLOCK_K=32 num_warps=8 num_stages=4
# ARG: a_ptr randint(-3,4):T[M,K]
# ARG: qweight_ptr randint(-2**31,2**31):i32[K//8,N]
# ARG: scales_ptr randint(1,3):T[K//G,N]
# ARG: qzeros_ptr randint(-2**31,2**31):i32[K//G,cdiv(N,8)]
# ARG: g_idx_ptr randint(0,K//G):i32[K]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_zeros cdiv(N,8)
# CONST: GROUP_SIZE G
# CONST: HAS_G_IDX ACT
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: four_bits_columns
# SIZES: M=33 N=64 K=128 G=64 SPLIT=1 | M=17 N=128 K=96 G=32 SPLIT=3
# BENCH: M=64 N=8192 K=8192 G=128 SPLIT=4 BLOCK_SIZE_M=64 BLOCK_SIZE_K=64 num_warps=4 num_stages=3
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: qweight_ptr randint(-2**31,2**31):i32[K,N//8]
# ARG: scales_ptr randint(1,3):fp16[K//G,N]
# ARG: zeros_ptr randint(-2**31,2**31):i32[K//G,N//8]
# ARG: c_ptr empty:fp32[SPLIT,M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: GROUP_SIZE G
# CONST: BLOCK_SIZE_M 32
# CONST: BLOCK_SIZE_N 64
# CONST: BLOCK_SIZE_K 32
# CONST: SPLIT_K SPLIT
# GRID: cdiv(M, BLOCK_SIZE_M) * cdiv(N, BLOCK_SIZE_N), SPLIT
# TOLERANCE: c_ptr 0 0
#
# KERNEL: nibbles
# SIZES: M=65 N=48 K=128 | M=2 N=16 K=64
# BENCH: M=1024 N=4096 K=4096 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):bf16[M,K]
# ARG: w_ptr randint(0,256):u8[K//2,N]
# ARG: scale_ptr randint(1,3):fp32[N]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 64
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: bytes_to_bfloat
# SIZES: M=65 N=40 K=100 Z=1 | M=1 N=129 K=64 Z=0
# BENCH: M=4096 N=4096 K=2048 Z=1 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):bf16[M,K]
# ARG: w_ptr randint(-100,101):i8[K,N]
# ARG: scale_ptr randn:bf16[N]
# ARG: zero_ptr randint(-9,10):bf16[N]
# ARG: c_ptr empty:bf16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: HAS_ZERO Z
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 64
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 8e-3 1e-2
#
# KERNEL: weights_cast
# SIZES: M=65 N=48 K=128 T=1 | M=3 N=16 K=64 T=0
# BENCH: M=4096 N=4096 K=2048 T=1 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):bf16[M,K]
# ARG: w_ptr randint(-100,101):i8[K*N]
# ARG: scale_ptr randint(1,3):fp32[N]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: TRANSPOSED T
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 64
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 0 0
#
# KERNEL: ternary
# SIZES: M=17 N=64 K=256
# BENCH: M=2048 N=4096 K=4096 BLOCK_M=128 BLOCK_N=128 BLOCK_K=256 num_warps=8 num_stages=3
# ARG: a_ptr randint(-128,128):i8[M,K]
# ARG: w_ptr randint(0,256):u8[N,K//4]
# ARG: scale_ptr rand(0.001,0.01):fp32[M]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 128
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-6 1e-6
#
# KERNEL: fp8_blocks
# SIZES: M=65 N=130 K=256 | M=5 N=64 K=200
# BENCH: M=4096 N=4096 K=4096 BLOCK_SIZE_M=128 BLOCK_SIZE_N=128 num_warps=8 num_stages=3
# ARG: A randn:fp8e4nv[M,K]
# ARG: B randn:fp8e4nv[N,K]
# ARG: C empty:bf16[M,N]
# ARG: As rand(0.5,1.5):fp32[M,cdiv(K,128)]
# ARG: Bs rand(0.5,1.5):fp32[cdiv(N,128),cdiv(K,128)]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: stride_As_m cdiv(K,128)
# ARG: stride_Bs_n cdiv(K,128)
# CONST: group_n 128
# CONST: group_k 128
# CONST: BLOCK_SIZE_M 64
# CONST: BLOCK_SIZE_N 64
# CONST: BLOCK_SIZE_K 128
# CONST: GROUP_SIZE_M 32
# GRID: cdiv(M, BLOCK_SIZE_M) * cdiv(N, BLOCK_SIZE_N)
# TOLERANCE: C 8e-3 1e-2*max(1,K/256)
#
# KERNEL: fp8_rows
# SIZES: M=65 N=40 K=96
# BENCH: M=4096 N=4096 K=4096 BLOCK_M=128 BLOCK_N=128 BLOCK_K=128 num_warps=8 num_stages=3
# ARG: a_ptr randn:fp8e5[M,K]
# ARG: b_ptr randn:fp8e5[N,K]
# ARG: a_scale_ptr rand(0.5,1.5):fp32[M]
# ARG: b_scale_ptr rand(0.5,1.5):fp32[N]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# CONST: FAST_ACC 0
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-3 1e-3*max(1,K/128)**1.5
#
# KERNEL: quantise_and_multiply
# SIZES: M=65 N=33 K=128
# BENCH: M=4096 N=4096 K=2048 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randn:fp32[M,K]
# ARG: w_ptr randint(-127,128):i8[N,K]
# ARG: w_scale_ptr rand(0.001,0.01):fp32[N]
# ARG: y_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 64
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: y_ptr 1e-3 2e-2
#
# KERNEL: weights_by_table
# SIZES: M=20 N=48 K=128
# BENCH: M=1024 N=4096 K=4096 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randint(-3,4):fp16[M,K]
# ARG: w_ptr randint(0,256):u8[N,K//2]
# ARG: table_ptr randint(-9,10):fp16[16]
# ARG: absmax_ptr randint(1,3):fp16[N,K//BLOCK_K]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 64
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 0 0
import numpy as np
import triton
import triton.language as tl


@triton.jit
def int8_scaled(a_ptr, b_ptr, scale_a_ptr, scale_b_ptr, bias_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr,
                BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, HAS_BIAS: tl.constexpr, ACC_TYPE: tl.constexpr):
    offs_am = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    offs_bn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)
    masks_am = offs_am < M
    masks_bn = offs_bn < N
    offs_k = tl.arange(0, BLOCK_K).to(tl.int64)
    a_ptrs = a_ptr + offs_am[:, None] * K + offs_k[None, :]
    b_ptrs = b_ptr + offs_k[:, None] * N + offs_bn[None, :]
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC_TYPE)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        masks_k = offs_k < K
        a = tl.load(a_ptrs, mask=masks_am[:, None] & masks_k[None, :])
        b = tl.load(b_ptrs, mask=masks_k[:, None] & masks_bn[None, :])
        accumulator = tl.dot(a, b, accumulator, out_dtype=ACC_TYPE)
        offs_k += BLOCK_K
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * N
    scale_a = tl.load(scale_a_ptr + offs_am[:, None], masks_am[:, None])
    accumulator = scale_a.broadcast_to((BLOCK_M, 1)) * accumulator.to(tl.float32)
    scale_b = tl.load(scale_b_ptr + offs_bn[:, None], masks_bn[:, None])
    accumulator = scale_b.broadcast_to((BLOCK_N, 1)).T * accumulator
    c = accumulator.to(c_ptr.type.element_ty)
    if HAS_BIAS:
        bias = tl.load(bias_ptr + offs_bn, masks_bn)
        c += bias.to(c.dtype)[None, :]
    tl.store(c_ptr + N * offs_am[:, None] + offs_bn[None, :], c, mask=masks_am[:, None] & masks_bn[None, :])


def int8_scaled_reference(a_ptr, b_ptr, scale_a_ptr, scale_b_ptr, bias_ptr, BIAS):
    c = (a_ptr.astype(float) @ b_ptr.astype(float)) * scale_a_ptr[:, None] * scale_b_ptr
    return c + bias_ptr if BIAS else c


@triton.jit
def int8_blocks(a_ptr, b_ptr, as_ptr, bs_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                BLOCK_K: tl.constexpr):
    """Each step's sum of integers has scales of its own, so that floats are what the loop carries."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    pid_n = tl.program_id(1)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    groups = tl.cdiv(K, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for g in range(0, groups):
        rk = g * BLOCK_K + tl.arange(0, BLOCK_K)
        a = tl.load(a_ptr + (rm % M)[:, None] * K + rk[None, :], mask=rk[None, :] < K, other=0)
        b = tl.load(b_ptr + (rn % N)[None, :] * K + rk[:, None], mask=rk[:, None] < K, other=0)
        a_s = tl.load(as_ptr + (rm % M) * groups + g)
        b_s = tl.load(bs_ptr + pid_n * groups + g)
        acc += tl.dot(a, b).to(tl.float32) * a_s[:, None] * b_s
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def int8_blocks_reference(a_ptr, b_ptr, as_ptr, bs_ptr, N, K, BLOCK_N, BLOCK_K):
    a = a_ptr * np.repeat(as_ptr, BLOCK_K, axis=1)[:, :K]
    b = b_ptr * np.repeat(np.repeat(bs_ptr, BLOCK_N, axis=0)[:N], BLOCK_K, axis=1)[:, :K]
    return a @ b.T


@triton.jit
def four_bits_rows(a_ptr, qweight_ptr, scales_ptr, qzeros_ptr, g_idx_ptr, c_ptr, M, N, K, stride_zeros,
                   GROUP_SIZE: tl.constexpr, HAS_G_IDX: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   BLOCK_K: tl.constexpr):
    """Eight rows of the weight in an integer; the zero points are packed along the columns and off by one."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    offs_am = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_bn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    mask_n = offs_bn < N
    a_ptrs = a_ptr + offs_am[:, None] * K + offs_k[None, :]
    b_ptrs = qweight_ptr + (offs_k[:, None] // 8) * N + offs_bn[None, :]
    shifter = (offs_k % 8) * 4
    zeros_shifter = (offs_bn % 8) * 4
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        if HAS_G_IDX:
            g = tl.load(g_idx_ptr + k * BLOCK_K + offs_k)
        else:
            g = (k * BLOCK_K + offs_k) // GROUP_SIZE
        scales = tl.load(scales_ptr + g[:, None] * N + offs_bn[None, :], mask=mask_n[None, :], other=0.0)
        zeros = tl.load(qzeros_ptr + g[:, None] * stride_zeros + offs_bn[None, :] // 8, mask=mask_n[None, :], other=0)
        zeros = ((zeros >> zeros_shifter[None, :]) & 0xF) + 1
        a = tl.load(a_ptrs, mask=offs_am[:, None] < M, other=0.0)
        b = tl.load(b_ptrs, mask=mask_n[None, :], other=0)
        b = (b >> shifter[:, None]) & 0xF
        b = (b - zeros).to(a.dtype) * scales
        accumulator += tl.dot(a, b.to(a.dtype))
        a_ptrs += BLOCK_K
        b_ptrs += (BLOCK_K // 8) * N
    tl.store(c_ptr + offs_am[:, None] * N + offs_bn[None, :], accumulator,
             mask=(offs_am[:, None] < M) & mask_n[None, :])


def four_bits_rows_reference(a_ptr, qweight_ptr, scales_ptr, qzeros_ptr, g_idx_ptr, N, K, G, ACT):
    k, n = np.arange(K), np.arange(N)
    q = (qweight_ptr[k // 8] >> (k % 8 * 4)[:, None]) & 15
    z = ((qzeros_ptr[:, n // 8] >> (n % 8 * 4)) & 15) + 1
    g = g_idx_ptr.astype(int) if ACT else k // G
    return a_ptr @ ((q - z[g]) * scales_ptr[g])


@triton.jit
def four_bits_columns(a_ptr, qweight_ptr, scales_ptr, zeros_ptr, c_ptr, M, N, K, GROUP_SIZE: tl.constexpr,
                      BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
                      SPLIT_K: tl.constexpr):
    """Eight columns in an integer, in the order 0 4 1 5 2 6 3 7."""
    pid = tl.program_id(axis=0)
    pid_z = tl.program_id(1)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    pid_m = pid // num_pid_n
    pid_n = pid % num_pid_n
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    reverse_order = ((tl.arange(0, 2) * 4)[None, :] + tl.arange(0, 4)[:, None]).reshape(8)
    shifts = reverse_order * 4
    shifts = tl.broadcast_to(shifts[None, :], (BLOCK_SIZE_K * (BLOCK_SIZE_N // 8), 8))
    shifts = tl.reshape(shifts, (BLOCK_SIZE_K, BLOCK_SIZE_N))
    offs_am = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    masks_am = offs_am < M
    offs_bn = pid_n * (BLOCK_SIZE_N // 8) + tl.arange(0, BLOCK_SIZE_N // 8)
    masks_bn = offs_bn < N // 8
    offs_sn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    masks_sn = offs_sn < N
    offs_k = pid_z * BLOCK_SIZE_K + tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = a_ptr + (K * offs_am[:, None] + offs_k[None, :])
    b_ptrs = qweight_ptr + ((N // 8) * offs_k[:, None] + offs_bn[None, :])
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K * SPLIT_K)):
        masks_k = offs_k < K
        a = tl.load(a_ptrs, mask=masks_am[:, None] & masks_k[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=masks_k[:, None] & masks_bn[None, :], other=0)
        b = tl.interleave(b, b)
        b = tl.interleave(b, b)
        b = tl.interleave(b, b)
        offs_szk = (BLOCK_SIZE_K * SPLIT_K * k + pid_z * BLOCK_SIZE_K) // GROUP_SIZE + tl.arange(0, 1)
        masks_zk = offs_szk < K // GROUP_SIZE
        zeros_ptrs = zeros_ptr + (N // 8) * offs_szk[:, None] + offs_bn[None, :]
        zeros = tl.load(zeros_ptrs, mask=masks_zk[:, None] & masks_bn[None, :], other=0)
        zeros = tl.interleave(zeros, zeros)
        zeros = tl.interleave(zeros, zeros)
        zeros = tl.interleave(zeros, zeros)
        zeros = tl.broadcast_to(zeros, (BLOCK_SIZE_K, BLOCK_SIZE_N))
        scales_ptrs = scales_ptr + N * offs_szk[:, None] + offs_sn[None, :]
        scales = tl.load(scales_ptrs, mask=masks_zk[:, None] & masks_sn[None, :], other=0.0)
        scales = tl.broadcast_to(scales, (BLOCK_SIZE_K, BLOCK_SIZE_N))
        b = (b >> shifts) & 0xF
        zeros = (zeros >> shifts) & 0xF
        b = (b - zeros) * scales
        b = b.to(tl.float16)
        accumulator = tl.dot(a, b, accumulator, out_dtype=tl.float32)
        offs_k += BLOCK_SIZE_K * SPLIT_K
        a_ptrs += BLOCK_SIZE_K * SPLIT_K
        b_ptrs += BLOCK_SIZE_K * SPLIT_K * (N // 8)
    c_ptrs = c_ptr + pid_z * N * M + N * offs_am[:, None] + offs_sn[None, :]
    tl.store(c_ptrs, accumulator, mask=masks_am[:, None] & masks_sn[None, :])


def four_bits_columns_reference(a_ptr, qweight_ptr, scales_ptr, zeros_ptr, N, K, G, SPLIT, BLOCK_SIZE_K):
    n = np.arange(N)
    place = np.array([0, 4, 1, 5, 2, 6, 3, 7])[n % 8] * 4
    q = (qweight_ptr[:, n // 8] >> place) & 15
    z = (zeros_ptr[:, n // 8] >> place) & 15
    g = np.arange(K) // G
    w = (q - z[g]) * scales_ptr[g]
    turn = np.arange(K) // BLOCK_SIZE_K % SPLIT
    return np.stack([a_ptr[:, turn == i] @ w[turn == i] for i in range(SPLIT)])


@triton.jit
def nibbles(a_ptr, w_ptr, scale_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr):
    """Two rows in a byte with a sign each, pulled apart by shifts and interleaved along the first axis."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    half = tl.arange(0, BLOCK_K // 2)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + rm[:, None] * K + (k + rk)[None, :], mask=rm[:, None] < M, other=0.0)
        packed = tl.load(w_ptr + (k // 2 + half)[:, None] * N + rn[None, :], mask=rn[None, :] < N, other=0)
        packed = packed.to(tl.int8, bitcast=True)
        low = (packed << 4).to(tl.int8) >> 4
        high = packed >> 4
        w = tl.join(low, high).permute(0, 2, 1).reshape(BLOCK_K, BLOCK_N)
        acc = tl.dot(a, w.to(tl.bfloat16), acc)
    scale = tl.load(scale_ptr + rn, mask=rn < N, other=0.0)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc * scale[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N))


def nibbles_reference(a_ptr, w_ptr, scale_ptr, N, K):
    w = w_ptr.astype(int)
    both = np.stack([w & 15, w >> 4], axis=1).reshape(K, N)
    return a_ptr @ np.where(both > 7, both - 16, both) * scale_ptr


@triton.jit
def bytes_to_bfloat(a_ptr, w_ptr, scale_ptr, zero_ptr, c_ptr, M, N, K, HAS_ZERO: tl.constexpr, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (rm % M)[:, None] * K + rk[None, :]
    w_ptrs = w_ptr + rk[:, None] * N + (rn % N)[None, :]
    if HAS_ZERO:
        zero = tl.load(zero_ptr + rn % N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=rk[None, :] < K - k * BLOCK_K, other=0.0)
        w = tl.load(w_ptrs, mask=rk[:, None] < K - k * BLOCK_K, other=0).to(tl.bfloat16)
        if HAS_ZERO:
            w = w - zero[None, :]
        acc = tl.dot(a, w, acc)
        a_ptrs += BLOCK_K
        w_ptrs += BLOCK_K * N
    acc *= tl.load(scale_ptr + rn % N)[None, :].to(tl.float32)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.bfloat16), mask=(rm[:, None] < M) & (rn[None, :] < N))


def bytes_to_bfloat_reference(a_ptr, w_ptr, scale_ptr, zero_ptr, Z):
    return a_ptr @ (w_ptr - zero_ptr * Z) * scale_ptr


@triton.jit
def weights_cast(a_ptr, w_ptr, scale_ptr, c_ptr, M, N, K, TRANSPOSED: tl.constexpr, BLOCK_M: tl.constexpr,
                 BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Nothing happens to the weights but the cast; scales come last."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + rm[:, None] * K + (k + rk)[None, :], mask=rm[:, None] < M, other=0.0)
        if TRANSPOSED:
            w = tl.load(w_ptr + rn[:, None] * K + (k + rk)[None, :], mask=rn[:, None] < N, other=0).T
        else:
            w = tl.load(w_ptr + (k + rk)[:, None] * N + rn[None, :], mask=rn[None, :] < N, other=0)
        acc += tl.dot(a, w.to(a.dtype))
    scale = tl.load(scale_ptr + rn, mask=rn < N, other=0.0)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc * scale[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N))


def weights_cast_reference(a_ptr, w_ptr, scale_ptr, N, K, T):
    return a_ptr @ (w_ptr.reshape(N, K).T if T else w_ptr.reshape(K, N)) * scale_ptr


@triton.jit
def ternary(a_ptr, w_ptr, scale_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr):
    """Four weights of -1, 0, 1 or 2 in a byte, a quarter of the reduction apart."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    QUARTER: tl.constexpr = BLOCK_K // 4
    rq = tl.arange(0, QUARTER)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for k in range(0, K // 4, QUARTER):
        w = tl.load(w_ptr + rn[None, :] * (K // 4) + (k + rq)[:, None], mask=rn[None, :] < N, other=0)
        for part in tl.static_range(4):
            a = tl.load(a_ptr + rm[:, None] * K + (part * (K // 4) + k + rq)[None, :], mask=rm[:, None] < M, other=0)
            trit = ((w >> (2 * part)) & 3).to(tl.int8) - 1
            acc += tl.dot(a, trit, out_dtype=tl.int32)
    scale = tl.load(scale_ptr + rm, mask=rm < M, other=0.0)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc * scale[:, None], mask=(rm[:, None] < M) & (rn[None, :] < N))


def ternary_reference(a_ptr, w_ptr, scale_ptr):
    w = np.concatenate([((w_ptr.astype(int) >> (2 * i)) & 3) - 1 for i in range(4)], axis=1)
    return (a_ptr.astype(int) @ w.T) * scale_ptr[:, None]


@triton.jit
def fp8_blocks(A, B, C, As, Bs, M, N, K, stride_As_m, stride_Bs_n, group_n: tl.constexpr, group_k: tl.constexpr,
               BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
               GROUP_SIZE_M: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + (pid % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    offs_am = (pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)) % M
    offs_bn = (pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)) % N
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = A + (offs_am[:, None] * K + offs_k[None, :])
    b_ptrs = B + (offs_k[:, None] + offs_bn[None, :] * K)
    As_ptrs = As + offs_am * stride_As_m
    offs_bsn = offs_bn // group_n
    Bs_ptrs = Bs + offs_bsn * stride_Bs_n
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_SIZE_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_SIZE_K, other=0.0)
        k_start = k * BLOCK_SIZE_K
        offs_ks = k_start // group_k
        a_s = tl.load(As_ptrs + offs_ks)
        b_s = tl.load(Bs_ptrs + offs_ks)
        accumulator += tl.dot(a, b) * a_s[:, None] * b_s[None, :]
        a_ptrs += BLOCK_SIZE_K
        b_ptrs += BLOCK_SIZE_K
    if C.dtype.element_ty == tl.bfloat16:
        c = accumulator.to(tl.bfloat16)
    elif C.dtype.element_ty == tl.float16:
        c = accumulator.to(tl.float16)
    else:
        c = accumulator.to(tl.float32)
    offs_cm = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    tl.store(C + N * offs_cm[:, None] + offs_cn[None, :], c, mask=(offs_cm[:, None] < M) & (offs_cn[None, :] < N))


def fp8_blocks_reference(A, B, As, Bs, N, K):
    a = A * np.repeat(As, 128, axis=1)[:, :K]
    b = B * np.repeat(np.repeat(Bs, 128, axis=0)[:N], 128, axis=1)[:, :K]
    return a @ b.T


@triton.jit
def fp8_rows(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
             BLOCK_K: tl.constexpr, FAST_ACC: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, 1), 1)
    rbn = tl.max_contiguous(tl.multiple_of(rn % N, 1), 1)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - k * BLOCK_K
        a = tl.load(a_ptr + ram[:, None] * K + (k * BLOCK_K + rk)[None, :], mask=rk[None, :] < left, other=0.0)
        b = tl.load(b_ptr + rbn[None, :] * K + (k * BLOCK_K + rk)[:, None], mask=rk[:, None] < left, other=0.0)
        if FAST_ACC:
            acc = tl.dot(a, b, acc, max_num_imprecise_acc=BLOCK_K, allow_tf32=True)
        else:
            acc += tl.dot(a, b, out_dtype=tl.float32, allow_tf32=True)
    a_scale = tl.load(a_scale_ptr + rm, mask=rm < M)
    b_scale = tl.load(b_scale_ptr + rn, mask=rn < N)
    acc *= a_scale[:, None] * b_scale[None, :]
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def fp8_rows_reference(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr):
    return (a_ptr @ b_ptr.T) * a_scale_ptr[:, None] * b_scale_ptr


@triton.jit
def quantise_and_multiply(x_ptr, w_ptr, w_scale_ptr, y_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                          BLOCK_K: tl.constexpr):
    """Rows become bytes by their largest magnitude of each step before they meet the weight."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(x_ptr + rm[:, None] * K + (k + rk)[None, :], mask=rm[:, None] < M, other=0.0)
        w = tl.load(w_ptr + rn[None, :] * K + (k + rk)[:, None], mask=rn[None, :] < N, other=0)
        scale = tl.maximum(tl.max(tl.abs(x), axis=1), 1e-10) / 127.0
        scaled = x / scale[:, None]
        q = (scaled + tl.where(scaled >= 0, 0.5, -0.5)).to(tl.int8)
        acc += tl.dot(q, w).to(tl.float32) * scale[:, None]
    acc *= tl.load(w_scale_ptr + rn, mask=rn < N, other=0.0)[None, :]
    tl.store(y_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def quantise_and_multiply_reference(x_ptr, w_ptr, w_scale_ptr, K):
    y = 0
    for k in range(0, K, 64):
        x = x_ptr[:, k:k + 64]
        scale = np.abs(x).max(axis=1, keepdims=True) / 127
        y = y + np.floor(np.abs(x / scale) + 0.5) * np.sign(x) * scale @ w_ptr[:, k:k + 64].T
    return y * w_scale_ptr


@triton.jit
def weights_by_table(a_ptr, w_ptr, table_ptr, absmax_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Codes of four bits, high half first, look their values up in memory."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        at = k * BLOCK_K + rk
        a = tl.load(a_ptr + rm[:, None] * K + at[None, :], mask=rm[:, None] < M, other=0.0)
        codes = tl.load(w_ptr + rn[:, None] * (K // 2) + (at // 2)[None, :], mask=rn[:, None] < N, other=0)
        codes = (codes >> ((1 - at % 2) * 4).to(tl.uint8)[None, :]) & 0xF
        absmax = tl.load(absmax_ptr + rn * (K // BLOCK_K) + k, mask=rn < N, other=0.0)
        w = tl.load(table_ptr + codes) * absmax[:, None]
        acc = tl.dot(a, tl.trans(w), acc)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def weights_by_table_reference(a_ptr, w_ptr, table_ptr, absmax_ptr, N, K):
    w = w_ptr.astype(int)
    codes = np.stack([w >> 4, w & 15], axis=-1).reshape(N, K)
    return a_ptr @ (table_ptr[codes] * np.repeat(absmax_ptr, 64, axis=1)).T
