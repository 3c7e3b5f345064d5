# Products with weights of few bits in unusual packings, as libraries write them: bytes times halves of bytes, halves of
# K in one byte, rows of a codebook, 4-bit floats with 8-bit float scales of sixteen, three bits that cross words, words
# along N in an interleaved order.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: bytes_times_nibbles
# SIZES: M=65 N=48 K=128 G=64 | M=3 N=32 K=64 G=64
# BENCH: M=1024 N=4096 K=4096 G=128 BLOCK_M=128 BLOCK_N=128 BLOCK_K=128 num_warps=8 num_stages=3
# ARG: a_ptr randint(-128,128):i8[M,K]
# ARG: b_ptr randint(-128,128):i8[N,K//2]
# ARG: as_ptr rand(0.001,0.01):fp32[M]
# ARG: bs_ptr rand(0.01,0.1):fp16[K//G,N]
# ARG: c_ptr empty:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 64
# CONST: GROUP_SIZE G
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 2e-3 1e-3
#
# KERNEL: halves_of_rows
# TYPES: fp16 bf16
# SIZES: M=65 N=48 K=128 G=64 | M=1 N=33 K=64 G=32
# BENCH: M=512 N=4096 K=4096 G=64 T=bf16 BLOCK_M=64 BLOCK_N=128 BLOCK_K=32 num_warps=4 num_stages=4
# ARG: x_ptr randn:T[M,K]
# ARG: w_ptr randint(0,256):u8[K//2,N]
# ARG: scale_ptr rand(0.1,0.2):T[K//G,N]
# ARG: zero_ptr rand(7,8):T[K//G,N]
# ARG: y_ptr empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: GROUP_SIZE G
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: y_ptr 2e-2 2e-1
#
# KERNEL: rows_of_a_codebook
# SIZES: M=40 N=48 K=64 C=2 | M=1 N=16 K=128 C=1
# BENCH: M=256 N=4096 K=4096 C=2 BLOCK_M=64 BLOCK_N=64 BLOCK_K=64 num_warps=4 num_stages=3
# ARG: x_ptr randn:fp16[M,K]
# ARG: codes_ptr randint(0,256):i16[N,K//8,C]
# ARG: codebooks_ptr randn:fp16[C,256,8]
# ARG: scales_ptr rand:fp16[N]
# ARG: out_ptr empty:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: NUM_CODEBOOKS C
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: out_ptr 1e-2 5e-2
#
# KERNEL: sixteenths
# SIZES: M=40 N=48 K=128 | M=1 N=16 K=64
# BENCH: M=1024 N=4096 K=4096 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randn:bf16[M,K]
# ARG: b_ptr randint(0,256):u8[N,K//2]
# ARG: scale_ptr rand(0.5,2):fp8e4nv[N,K//16]
# ARG: alpha 0.75
# ARG: c_ptr empty:bf16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 64
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-2 2e-1
#
# KERNEL: three_bits
# SIZES: M=17 N=48 K=128 | M=1 N=32 K=64
# BENCH: M=64 N=8192 K=8192 BLOCK_M=64 BLOCK_N=64 BLOCK_K=64 num_warps=4 num_stages=3
# ARG: a_ptr randn:fp16[M,K]
# ARG: q_ptr randint(-2**31,2**31):i32[K//32*3,N]
# ARG: scale_ptr rand:fp16[N]
# ARG: c_ptr empty:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 16
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-2 2e-1
#
# KERNEL: words_in_odd_order
# SIZES: M=17 N=64 K=128 G=64 S=2 | M=1 N=128 K=64 G=32 S=1
# BENCH: M=32 N=8192 K=8192 G=128 S=4 BLOCK_M=32 BLOCK_N=64 BLOCK_K=128 num_warps=4 num_stages=3
# ARG: a_ptr randn:fp16[M,K]
# ARG: b_ptr randint(-2**31,2**31):i32[K,N//8]
# ARG: zeros_ptr randint(-2**31,2**31):i32[K//G,N//8]
# ARG: scales_ptr rand(0.1,0.2):fp16[K//G,N]
# ARG: c_ptr zeros:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: GROUP_SIZE G
# CONST: SPLIT_K S
# CONST: BLOCK_M 16
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N), SPLIT_K
# CHECK: c_ptr
# TOLERANCE: c_ptr 1e-2 2e-1
import numpy as np
import triton
import triton.language as tl


@triton.jit
def bytes_times_nibbles(a_ptr, b_ptr, as_ptr, bs_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                        BLOCK_K: tl.constexpr, GROUP_SIZE: tl.constexpr):
    """Even and odd activations meet low and high halves; each group's sums are scaled before they are added."""
    tl.static_assert(GROUP_SIZE % BLOCK_K == 0)
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_h = tl.arange(0, BLOCK_K // 2)
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + offs_m[:, None] * K + offs_k[None, :]
    b_ptrs = b_ptr + offs_n[:, None] * (K // 2) + offs_h[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=offs_m[:, None] < M, other=0)
        packed = tl.load(b_ptrs, mask=offs_n[:, None] < N, other=0)
        low = (packed << 4).to(tl.int8, bitcast=True) >> 4
        high = packed >> 4
        b = tl.interleave(low, high)
        group = k * BLOCK_K // GROUP_SIZE
        scale = tl.load(bs_ptr + group * N + offs_n, mask=offs_n < N, other=0.0)
        part = tl.dot(a, tl.trans(b), out_dtype=tl.int32)
        acc += part.to(tl.float32) * scale[None, :].to(tl.float32)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K // 2
    a_scale = tl.load(as_ptr + offs_m, mask=offs_m < M, other=0.0)
    acc *= a_scale[:, None]
    tl.store(c_ptr + offs_m[:, None] * N + offs_n[None, :], acc.to(c_ptr.dtype.element_ty),
             mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))


def bytes_times_nibbles_reference(a_ptr, b_ptr, as_ptr, bs_ptr, G):
    b = b_ptr.astype(np.int64)
    low = ((b & 15) ^ 8) - 8
    b = np.stack([low, b >> 4], axis=-1).reshape(len(b), -1) * np.repeat(bs_ptr, G, axis=0).T
    return a_ptr @ b.T * as_ptr[:, None]


@triton.jit
def halves_of_rows(x_ptr, w_ptr, scale_ptr, zero_ptr, y_ptr, M, N, K, GROUP_SIZE: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """A byte holds a weight of the first half of K and one of the second half, which are two products."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    half = K // 2
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    m_mask = offs_m[:, None] < M
    n_mask = offs_n[None, :] < N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, half, BLOCK_K):
        rows = k + offs_k
        x1 = tl.load(x_ptr + offs_m[:, None] * K + rows[None, :], mask=m_mask, other=0.0, eviction_policy="evict_last")
        x2 = tl.load(x_ptr + offs_m[:, None] * K + (rows + half)[None, :], mask=m_mask, other=0.0,
                     eviction_policy="evict_last")
        w = tl.load(w_ptr + rows[:, None] * N + offs_n[None, :], mask=n_mask, other=0, eviction_policy="evict_first")
        g1 = k // GROUP_SIZE
        g2 = (k + half) // GROUP_SIZE
        s1 = tl.load(scale_ptr + g1 * N + offs_n[None, :], mask=n_mask, other=0.0)
        z1 = tl.load(zero_ptr + g1 * N + offs_n[None, :], mask=n_mask, other=0.0)
        s2 = tl.load(scale_ptr + g2 * N + offs_n[None, :], mask=n_mask, other=0.0)
        z2 = tl.load(zero_ptr + g2 * N + offs_n[None, :], mask=n_mask, other=0.0)
        w1 = ((w >> 4).to(tl.float32) - z1) * s1
        w2 = ((w & 0xF).to(tl.float32) - z2) * s2
        acc = tl.dot(x1, w1.to(x1.dtype), acc=acc)
        acc = tl.dot(x2, w2.to(x2.dtype), acc=acc)
    tl.store(y_ptr + offs_m[:, None] * N + offs_n[None, :], acc.to(y_ptr.dtype.element_ty), mask=m_mask & n_mask)


def halves_of_rows_reference(x_ptr, w_ptr, scale_ptr, zero_ptr, G):
    w = w_ptr.astype(np.int64)
    w = np.concatenate([w >> 4, w & 15])
    return x_ptr @ ((w - np.repeat(zero_ptr, G, axis=0)) * np.repeat(scale_ptr, G, axis=0))


@triton.jit
def rows_of_a_codebook(x_ptr, codes_ptr, codebooks_ptr, scales_ptr, out_ptr, M, N, K, NUM_CODEBOOKS: tl.constexpr,
                       BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Eight weights are a row of a table, or the sum of rows of several."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_g = tl.arange(0, BLOCK_K // 8)
    offs_8 = tl.arange(0, 8)
    offs_k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(x_ptr + offs_m[:, None] * K + k + offs_k[None, :], mask=offs_m[:, None] < M, other=0.0)
        w = tl.zeros((BLOCK_N, BLOCK_K // 8, 8), dtype=tl.float16)
        for c in tl.static_range(NUM_CODEBOOKS):
            code = tl.load(codes_ptr + (offs_n[:, None] * (K // 8) + k // 8 + offs_g[None, :]) * NUM_CODEBOOKS + c,
                           mask=offs_n[:, None] < N, other=0).to(tl.int32)
            w += tl.load(codebooks_ptr + c * 2048 + code[:, :, None] * 8 + offs_8[None, None, :])
        w = tl.reshape(w, (BLOCK_N, BLOCK_K))
        acc = tl.dot(x, tl.trans(w), acc)
    scale = tl.load(scales_ptr + offs_n, mask=offs_n < N, other=0.0)
    acc *= scale[None, :]
    tl.store(out_ptr + offs_m[:, None] * N + offs_n[None, :], acc.to(tl.float16),
             mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))


def rows_of_a_codebook_reference(x_ptr, codes_ptr, codebooks_ptr, scales_ptr, N, K, C):
    w = sum(codebooks_ptr[c][codes_ptr[:, :, c].astype(int)] for c in range(C)).reshape(N, K)
    return x_ptr @ w.T * scales_ptr


@triton.jit
def four_bit_float(x):
    """The value of a sign, two bits of exponent and a bit of mantissa."""
    exponent = (x >> 1) & 3
    mantissa = (x & 1).to(tl.float32)
    normal = (1.0 + 0.5 * mantissa) * (1 << exponent).to(tl.float32) * 0.5
    magnitude = tl.where(exponent == 0, 0.5 * mantissa, normal)
    return tl.where((x & 8) != 0, -magnitude, magnitude)


@triton.jit
def sixteenths(a_ptr, b_ptr, scale_ptr, alpha, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
               BLOCK_K: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    offs_h = tl.arange(0, BLOCK_K // 2)
    offs_s = tl.arange(0, BLOCK_K // 16)
    m_mask = offs_m[:, None] < M
    n_mask = offs_n[:, None] < N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + offs_m[:, None] * K + k + offs_k[None, :], mask=m_mask, other=0.0)
        packed = tl.load(b_ptr + offs_n[:, None] * (K // 2) + k // 2 + offs_h[None, :], mask=n_mask, other=0)
        packed = packed.to(tl.int32)
        scale = tl.load(scale_ptr + offs_n[:, None] * (K // 16) + k // 16 + offs_s[None, :], mask=n_mask)
        b = tl.join(four_bit_float(packed & 15), four_bit_float(packed >> 4))
        b = b.reshape(BLOCK_N, BLOCK_K // 16, 16) * scale.to(tl.float32)[:, :, None]
        b = b.reshape(BLOCK_N, BLOCK_K).to(tl.bfloat16)
        acc = tl.dot(a, b.T, acc)
    acc *= alpha
    tl.store(c_ptr + offs_m[:, None] * N + offs_n[None, :], acc.to(tl.bfloat16), mask=m_mask & (offs_n[None, :] < N))


def sixteenths_reference(a_ptr, b_ptr, scale_ptr, alpha):
    values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6])
    b = b_ptr.astype(int)
    b = np.stack([values[b & 15], values[b >> 4]], axis=-1).reshape(len(b), -1)
    return a_ptr @ (b * np.repeat(scale_ptr, 16, axis=1)).T * alpha


@triton.jit
def three_bits(a_ptr, q_ptr, scale_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
               BLOCK_K: tl.constexpr):
    """Thirty-two weights are three words; some lie in two of them."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    bit = offs_k * 3
    word = bit // 32
    shift = bit % 32
    m_mask = offs_m[:, None] < M
    n_mask = offs_n[None, :] < N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    last = K // 32 * 3 - 1
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_ptr + offs_m[:, None] * K + k + offs_k[None, :], mask=m_mask, other=0.0)
        first = k // 32 * 3 + word
        lo = tl.load(q_ptr + first[:, None] * N + offs_n[None, :], mask=n_mask, other=0).to(tl.uint32, bitcast=True)
        second = tl.minimum(first + 1, last)
        hi = tl.load(q_ptr + second[:, None] * N + offs_n[None, :], mask=n_mask & (shift > 29)[:, None], other=0)
        hi = hi.to(tl.uint32, bitcast=True)
        both = (hi.to(tl.uint64) << 32) | lo.to(tl.uint64)
        q = (both >> shift[:, None].to(tl.uint64)) & 7
        b = (q.to(tl.int32) - 4).to(tl.float16)
        acc += tl.dot(a, b)
    scale = tl.load(scale_ptr + offs_n, mask=offs_n < N, other=0.0)
    tl.store(c_ptr + offs_m[:, None] * N + offs_n[None, :], (acc * scale[None, :]).to(tl.float16), mask=m_mask & n_mask)


def three_bits_reference(a_ptr, q_ptr, scale_ptr, K, N):
    words = (q_ptr.astype(np.int64) & 0xFFFFFFFF).reshape(-1, 3, N)
    bits = ((words[:, :, None] >> np.arange(32)[:, None]) & 1).reshape(-1, 32, 3, N)
    q = (bits * np.array([1, 2, 4])[:, None]).sum(2).reshape(K, N) - 4
    return a_ptr @ q * scale_ptr


@triton.jit
def words_in_odd_order(a_ptr, b_ptr, zeros_ptr, scales_ptr, c_ptr, M, N, K, GROUP_SIZE: tl.constexpr,
                       SPLIT_K: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """A word holds eight columns, of which even ones come first; it is repeated and each copy shifted."""
    pid = tl.program_id(0)
    pid_z = tl.program_id(1)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    pid_m = pid // num_pid_n
    pid_n = pid % num_pid_n
    order = ((tl.arange(0, 2) * 4)[None, :] + tl.arange(0, 4)[:, None]).reshape(8)
    shifts = tl.broadcast_to(order[None, :] * 4, (BLOCK_K * (BLOCK_N // 8), 8)).reshape(BLOCK_K, BLOCK_N)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_w = pid_n * (BLOCK_N // 8) + tl.arange(0, BLOCK_N // 8)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = pid_z * BLOCK_K + tl.arange(0, BLOCK_K)
    m_mask = offs_m < M
    w_mask = offs_w < N // 8
    n_mask = offs_n < N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    a_ptrs = a_ptr + offs_m[:, None] * K + offs_k[None, :]
    b_ptrs = b_ptr + offs_k[:, None] * (N // 8) + offs_w[None, :]
    for k in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        k_mask = offs_k < K
        a = tl.load(a_ptrs, mask=m_mask[:, None] & k_mask[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=k_mask[:, None] & w_mask[None, :], other=0)
        b = tl.interleave(b, b)
        b = tl.interleave(b, b)
        b = tl.interleave(b, b)
        group = (BLOCK_K * SPLIT_K * k + pid_z * BLOCK_K) // GROUP_SIZE + tl.arange(0, 1)
        inside = group < K // GROUP_SIZE
        zeros = tl.load(zeros_ptr + group[:, None] * (N // 8) + offs_w[None, :], mask=inside[:, None] & w_mask[None, :],
                        other=0)
        zeros = tl.interleave(zeros, zeros)
        zeros = tl.interleave(zeros, zeros)
        zeros = tl.interleave(zeros, zeros)
        zeros = tl.broadcast_to(zeros, (BLOCK_K, BLOCK_N))
        scales = tl.load(scales_ptr + group[:, None] * N + offs_n[None, :], mask=inside[:, None] & n_mask[None, :],
                         other=0.0)
        scales = tl.broadcast_to(scales, (BLOCK_K, BLOCK_N))
        b = (b >> shifts) & 0xF
        zeros = (zeros >> shifts) & 0xF
        b = ((b - zeros) * scales).to(c_ptr.type.element_ty)
        acc = tl.dot(a, b.to(a.dtype), acc, out_dtype=tl.float32)
        offs_k += BLOCK_K * SPLIT_K
        a_ptrs += BLOCK_K * SPLIT_K
        b_ptrs += BLOCK_K * SPLIT_K * (N // 8)
    tl.atomic_add(c_ptr + offs_m[:, None] * N + offs_n[None, :], acc, mask=m_mask[:, None] & n_mask[None, :])


def words_in_odd_order_reference(a_ptr, b_ptr, zeros_ptr, scales_ptr, G, K, N):
    def unpacked(x):
        x = x.astype(np.int64)
        return np.stack([x >> (4 * s) & 15 for s in (0, 4, 1, 5, 2, 6, 3, 7)], axis=-1).reshape(len(x), -1)

    w = (unpacked(b_ptr) - np.repeat(unpacked(zeros_ptr), G, axis=0)) * np.repeat(scales_ptr, G, axis=0)
    return a_ptr @ w
