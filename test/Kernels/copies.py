# Moving data: transposed copies (through pointers and tl.trans), copies of strided views, masked fill, flips,
# repeated elements, triangles.
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
# KERNEL: masked_fill
# TYPES: fp32 fp16
# SIZES: n=1 | n=1000
# BENCH: n=16777216 T=fp16
# ARG: inp randn:T[n]
# ARG: mask_ptr randint(0,2):i1[n]
# ARG: out empty:T[n]
# ARG: value -10000.0
# ARG: N n
# CONST: BLOCK_SIZE 1024
# GRID: cdiv(n, BLOCK_SIZE)
#
# KERNEL: tril_kernel
# TYPES: fp32
# SIZES: M=1 N=1 | M=37 N=50 | M=64 N=64
# BENCH: M=8192 N=8192 T=fp32
# ARG: X randn:T[M,N]
# ARG: Y empty:T[M,N]
# ARG: M M
# ARG: N N
# ARG: diagonal 2
# CONST: M_BLOCK_SIZE 8
# CONST: N_BLOCK_SIZE 512
# GRID: cdiv(M, M_BLOCK_SIZE)
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
def masked_fill(inp, mask_ptr, out, value, N, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < N
    fill = tl.load(mask_ptr + offsets, mask=mask, other=0).to(tl.int1)
    cur_inp = tl.load(inp + offsets, mask=(not fill) and mask, other=0)
    tl.store(out + offsets, cur_inp, (not fill) and mask)
    tl.store(out + offsets, value, fill and mask)


@triton.jit
def tril_kernel(X, Y, M, N, diagonal, M_BLOCK_SIZE: tl.constexpr, N_BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    row = pid * M_BLOCK_SIZE + tl.arange(0, M_BLOCK_SIZE)[:, None]
    m_mask = row < M
    X += row * N
    Y += row * N
    for n_offset in range(0, N, N_BLOCK_SIZE):
        cols = n_offset + tl.arange(0, N_BLOCK_SIZE)[None, :]
        mask = m_mask and cols < N
        x = tl.load(X + cols, mask, other=0.0)
        y = tl.where(row + diagonal >= cols, x, 0.0)
        tl.store(Y + cols, y, mask=mask)


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


def masked_fill_reference(inp, mask_ptr, value):
    return np.where(mask_ptr, value, inp)


def tril_kernel_reference(X, diagonal):
    return np.tril(X, diagonal)


def repeat_interleave_reference(x, R):
    return np.repeat(x, R)


def flip_rows_reference(x):
    return x[:, ::-1]
