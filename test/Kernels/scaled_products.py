# Products of narrow factors with scales: every pair of formats, matrix products of mxfp4 and mxfp8 as people write
# them, weights alone in mxfp4, scales of 8-bit floats, factors packed along other axes.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: pairs
# SIZES: SCALED=0 | SCALED=1 | SCALED=2
# ARG: a2 randint(0,256):u8[16,32]
# ARG: a4 randn:fp8e4nv[16,64]
# ARG: a5 randn:fp8e5[16,64]
# ARG: ab randn:bf16[16,64]
# ARG: ah randn:fp16[16,64]
# ARG: b2 randint(0,256):u8[32,32]
# ARG: b4 randn:fp8e4nv[64,32]
# ARG: b5 randn:fp8e5[64,32]
# ARG: bb randn:bf16[64,32]
# ARG: bh randn:fp16[64,32]
# ARG: a_scale_ptr randint(124,131):u8[16,2]
# ARG: b_scale_ptr randint(124,131):u8[32,2]
# ARG: out_ptr empty:fp32[5,5,16,32]
# CONST: SCALED SCALED
# GRID: 1
# TOLERANCE: out_ptr 1e-5 1e-3
#
# KERNEL: mxfp4_matmul
# SIZES: M=64 N=32 K=128 | M=20 N=40 K=192
# BENCH: M=2048 N=2048 K=4096 BLOCK_M=128 BLOCK_N=128 BLOCK_K=128 num_warps=8 num_stages=3
# ARG: a_ptr randint(0,256):u8[M,K//2]
# ARG: b_ptr randint(0,256):u8[N,K//2]
# ARG: a_scale_ptr randint(120,133):u8[M,K//32]
# ARG: b_scale_ptr randint(120,133):u8[N,K//32]
# ARG: c_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 16
# CONST: BLOCK_K 64
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-5 1e-2*max(1,K/192)**1.5
#
# KERNEL: mxfp8_matmul
# SIZES: M=32 N=32 K=64
# ARG: a_ptr randn:fp8e4nv[M,K]
# ARG: b_ptr randn:fp8e5[N,K]
# ARG: a_scale_ptr randint(120,133):u8[M,K//32]
# ARG: b_scale_ptr randint(120,133):u8[N,K//32]
# ARG: c_ptr empty:fp32[M,N]
# CONST: M M
# CONST: N N
# CONST: K K
# GRID: 1
# TOLERANCE: c_ptr 1e-5 1e-3
#
# KERNEL: weights_in_mxfp4
# SIZES: M=16 N=32 K=64
# ARG: a_ptr randn:bf16[M,K]
# ARG: b_ptr randint(0,256):u8[K,N//2]
# ARG: b_scale_ptr randint(120,133):u8[N,K//32]
# ARG: bias_ptr randn:fp32[M,N]
# ARG: c_ptr empty:fp32[M,N]
# CONST: M M
# CONST: N N
# CONST: K K
# GRID: 1
# TOLERANCE: c_ptr 1e-5 1e-3
#
# KERNEL: scales_of_floats
# SIZES: M=16 N=16 K=64
# ARG: a_ptr randint(0,256):u8[M//2,K]
# ARG: b_ptr randint(0,256):u8[K//2,N]
# ARG: a_scale_ptr rand(0.5,4):fp8e4nv[M,K//16]
# ARG: b_scale_ptr rand(0.5,4):fp8e4nv[N,K//16]
# ARG: c_ptr empty:fp32[M,N]
# CONST: M M
# CONST: N N
# CONST: K K
# GRID: 1
# TOLERANCE: c_ptr 1e-5 1e-3
import numpy as np
import triton
import triton.language as tl


@triton.jit
def block(pointer, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    return tl.load(pointer + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])


@triton.jit
def put(pointer, value):
    ROWS: tl.constexpr = value.shape[0]
    COLUMNS: tl.constexpr = value.shape[1]
    tl.store(pointer + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :], value)


@triton.jit
def pairs(a2, a4, a5, ab, ah, b2, b4, b5, bb, bh, a_scale_ptr, b_scale_ptr, out_ptr, SCALED: tl.constexpr):
    lefts = (block(a2, 16, 32), block(a4, 16, 64), block(a5, 16, 64), block(ab, 16, 64), block(ah, 16, 64))
    rights = (block(b2, 32, 32), block(b4, 64, 32), block(b5, 64, 32), block(bb, 64, 32), block(bh, 64, 32))
    names: tl.constexpr = ("e2m1", "e4m3", "e5m2", "bf16", "fp16")
    a_scale = block(a_scale_ptr, 16, 2) if SCALED > 0 else None
    b_scale = block(b_scale_ptr, 32, 2) if SCALED > 1 else None
    for i in tl.static_range(5):
        for j in tl.static_range(5):
            c = tl.dot_scaled(lefts[i], a_scale, names[i], rights[j], b_scale, names[j])
            put(out_ptr + (i * 5 + j) * 512, c)


def unpacked(packed, axis):
    values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
    packed = np.moveaxis(packed.astype(int), axis, -1)
    both = np.stack([values[packed & 15], values[packed >> 4]], axis=-1)
    return np.moveaxis(both.reshape(packed.shape[:-1] + (-1,)), -1, axis)


def spread(scale, group=32):
    return np.repeat(2.0**(scale.astype(int) - 127), group, axis=1)


def pairs_reference(a2, a4, a5, ab, ah, b2, b4, b5, bb, bh, a_scale_ptr, b_scale_ptr, SCALED):
    lefts = [unpacked(a2, 1), a4, a5, ab, ah]
    rights = [unpacked(b2, 0), b4, b5, bb, bh]
    if SCALED > 0:
        lefts = [a * spread(a_scale_ptr) for a in lefts]
    if SCALED > 1:
        rights = [b * spread(b_scale_ptr).T for b in rights]
    return np.stack([np.stack([a @ b for b in rights]) for a in lefts])


@triton.jit
def mxfp4_matmul(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                 BLOCK_K: tl.constexpr):
    rows = (tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    columns = (tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K // 2)
    groups = tl.arange(0, BLOCK_K // 32)
    a_ptrs = a_ptr + rows[:, None] * (K // 2) + k[None, :]
    b_ptrs = b_ptr + columns[None, :] * (K // 2) + k[:, None]
    a_scale_ptrs = a_scale_ptr + rows[:, None] * (K // 32) + groups[None, :]
    b_scale_ptrs = b_scale_ptr + columns[:, None] * (K // 32) + groups[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        total = tl.dot_scaled(tl.load(a_ptrs), tl.load(a_scale_ptrs), "e2m1", tl.load(b_ptrs), tl.load(b_scale_ptrs),
                              "e2m1", total)
        a_ptrs += BLOCK_K // 2
        b_ptrs += BLOCK_K // 2
        a_scale_ptrs += BLOCK_K // 32
        b_scale_ptrs += BLOCK_K // 32
    at = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    to = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    tl.store(c_ptr + at * N + to, total, mask=(at < M) & (to < N))


def mxfp4_matmul_reference(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr):
    return (unpacked(a_ptr, 1) * spread(a_scale_ptr)) @ (unpacked(b_ptr, 1) * spread(b_scale_ptr)).T


@triton.jit
def mxfp8_matmul(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = block(a_ptr, M, K)
    b = block(b_ptr, N, K)
    a_scale = block(a_scale_ptr, M, K // 32)
    b_scale = block(b_scale_ptr, N, K // 32)
    # Bytes are as good as the floats that they hold.
    c = tl.dot_scaled(a.to(tl.uint8, bitcast=True), a_scale, "e4m3", b.T, b_scale, "e5m2", fast_math=True)
    put(c_ptr, c)


def mxfp8_matmul_reference(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr):
    return (a_ptr * spread(a_scale_ptr)) @ (b_ptr * spread(b_scale_ptr)).T


@triton.jit
def weights_in_mxfp4(a_ptr, b_ptr, b_scale_ptr, bias_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = block(a_ptr, M, K)
    b = block(b_ptr, K, N // 2)
    b_scale = block(b_scale_ptr, N, K // 32)
    c = tl.dot_scaled(a, None, "bf16", b, b_scale, "e2m1", acc=block(bias_ptr, M, N), rhs_k_pack=False)
    put(c_ptr, c)


def weights_in_mxfp4_reference(a_ptr, b_ptr, b_scale_ptr, bias_ptr):
    return a_ptr @ (unpacked(b_ptr, 1) * spread(b_scale_ptr).T) + bias_ptr


@triton.jit
def scales_of_floats(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    a = block(a_ptr, M // 2, K)
    b = block(b_ptr, K // 2, N)
    a_scale = block(a_scale_ptr, M, K // 16)
    b_scale = block(b_scale_ptr, N, K // 16)
    put(c_ptr, tl.dot_scaled(a, a_scale, "e2m1", b, b_scale, "e2m1", lhs_k_pack=False, out_dtype=tl.float32))


def scales_of_floats_reference(a_ptr, b_ptr, a_scale_ptr, b_scale_ptr):
    a = unpacked(a_ptr, 0) * np.repeat(a_scale_ptr, 16, axis=1)
    return a @ (unpacked(b_ptr, 0) * np.repeat(b_scale_ptr, 16, axis=1).T)
