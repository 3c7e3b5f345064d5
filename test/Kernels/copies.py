# Moving data: transposed copies (through pointers and tl.trans), copies of strided views, places that are filled,
# flips, repeated elements, triangles.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: transpose_copy
# TYPES: fp32 fp16 i8
# SIZES: M=1 N=1 | M=33 N=70 | M=64 N=128
# BENCH: M=8192 N=8192 T=fp16
# ARG: x randint(-9,9):T[M,N]
# ARG: y empty:T[N,M]
# ARG: stride_xm N
# ARG: stride_xn 1
# ARG: stride_yn M
# ARG: stride_ym 1
# ARG: M M
# ARG: N N
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
#
# KERNEL: transpose_tile
# TYPES: fp32
# SIZES: M=1 N=1 | M=33 N=70 | M=64 N=128
# BENCH: M=8192 N=8192 T=fp32
# ARG: x randint(-9,9):T[M,N]
# ARG: y empty:T[N,M]
# ARG: M M
# ARG: N N
# CONST: BLOCK 32
# GRID: cdiv(M, BLOCK), cdiv(N, BLOCK)
#
# KERNEL: strided_copy
# TYPES: fp32 bf16
# SIZES: A=1 B=1 C=1 | A=3 B=5 C=7 | A=4 B=8 C=64
# BENCH: A=128 B=256 C=512 T=bf16
# ARG: x randint(-9,9):T[A,C,B]
# ARG: y empty:T[A,B,C]
# ARG: shape_b B
# ARG: shape_c C
# ARG: xs_a B*C
# ARG: xs_b 1
# ARG: xs_c B
# ARG: n A*B*C
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
#
# KERNEL: fill_where
# TYPES: fp32 fp16
# SIZES: n=1 | n=1000
# BENCH: n=16777216 T=fp16
# ARG: x randn:T[n]
# ARG: flags randint(0,2):i1[n]
# ARG: out empty:T[n]
# ARG: value -10000.0
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
#
# KERNEL: lower_triangle
# TYPES: fp32
# SIZES: M=1 N=1 | M=37 N=50 | M=64 N=64
# BENCH: M=8192 N=8192 T=fp32
# ARG: x randn:T[M,N]
# ARG: out empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: above 2
# CONST: BM 8
# CONST: BN 512
# GRID: cdiv(M, BM), cdiv(N, BN)
#
# KERNEL: repeat_interleave
# TYPES: i64
# SIZES: n=1 R=1 | n=100 R=3
# BENCH: n=4194304 R=4 T=i64
# ARG: x randint(-99,99):T[n]
# ARG: out empty:T[n*R]
# ARG: n n*R
# CONST: REPEATS R
# CONST: BLOCK 512
# GRID: cdiv(n, BLOCK)
#
# KERNEL: flip_rows
# TYPES: fp32
# SIZES: M=1 N=1 | M=3 N=100
# BENCH: M=8192 N=4096 T=fp32
# ARG: x randn:T[M,N]
# ARG: y empty:T[M,N]
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# GRID: M
import triton
import triton.language as tl


@triton.jit
def transpose_copy(x, y, stride_xm, stride_xn, stride_yn, stride_ym, M, N, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr):
    offs_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (offs_m < M)[:, None] & (offs_n < N)[None, :]
    tile = tl.load(x + offs_m[:, None] * stride_xm + offs_n[None, :] * stride_xn, mask=mask)
    tl.store(y + offs_n[None, :] * stride_yn + offs_m[:, None] * stride_ym, tile, mask=mask)


@triton.jit
def transpose_tile(x, y, M, N, BLOCK: tl.constexpr):
    offs_m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    offs_n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tile = tl.load(x + offs_m[:, None] * N + offs_n[None, :], mask=(offs_m < M)[:, None] & (offs_n < N)[None, :])
    tile = tl.trans(tile)
    tl.store(y + offs_n[:, None] * M + offs_m[None, :], tile, mask=(offs_n < N)[:, None] & (offs_m < M)[None, :])


@triton.jit
def strided_copy(x, y, shape_b, shape_c, xs_a, xs_b, xs_c, n, BLOCK: tl.constexpr):
    flat = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = flat % shape_c
    b = (flat // shape_c) % shape_b
    a = flat // (shape_c * shape_b)
    value = tl.load(x + a * xs_a + b * xs_b + c * xs_c, mask=flat < n)
    tl.store(y + flat, value, mask=flat < n)


@triton.jit
def fill_where(x, flags, out, value, n, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    flag = tl.load(flags + i, mask=inside, other=1).to(tl.int1)
    # What is filled need not be read.
    kept = tl.load(x + i, mask=inside and not flag, other=value)
    tl.store(out + i, kept, mask=inside)


@triton.jit
def lower_triangle(x, out, M, N, above, BM: tl.constexpr, BN: tl.constexpr):
    """Tiles that lie over the diagonal are zeros, and nothing of them is read."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    col = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    inside = (row < M) & (col < N)
    if tl.program_id(1) * BN > tl.program_id(0) * BM + (BM - 1) + above:
        tl.store(out + row * N + col, 0.0, mask=inside)
    else:
        v = tl.load(x + row * N + col, mask=inside & (col - row <= above), other=0.0)
        tl.store(out + row * N + col, v, mask=inside)


@triton.jit
def repeat_interleave(x, out, n, REPEATS: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs // REPEATS, mask=offs < n), mask=offs < n)


@triton.jit
def flip_rows(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    value = tl.load(x + row * N + (N - 1 - cols), mask=mask)
    tl.store(y + row * N + cols, value, mask=mask)


def transpose_copy_reference(x):
    return x.T


def transpose_tile_reference(x):
    return x.T


def strided_copy_reference(x):
    return x.transpose(0, 2, 1)


def fill_where_reference(x, flags, value):
    return np.where(flags, value, x)


def lower_triangle_reference(x, above):
    return np.tril(x, above)


def repeat_interleave_reference(x, R):
    return np.repeat(x, R)


def flip_rows_reference(x):
    return x[:, ::-1]
