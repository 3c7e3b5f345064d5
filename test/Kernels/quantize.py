# Integers of eight bits with scales: of rows, of groups, and back from square blocks; and with powers of two for groups of 32.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: quantize_row
# TYPES: fp16 fp32
# SIZES: M=1 N=1 | M=3 N=781 | M=4 N=2048
# BENCH: M=8192 N=4096 T=fp16
# ARG: x randn:T[M,N]
# ARG: q empty:i8[M,N]
# ARG: largest empty:fp32[M]
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# GRID: M
# TOLERANCE: q 0 1
#
# KERNEL: dequantize_squares
# TYPES: bf16 fp32
# SIZES: M=3 N=40 | M=64 N=256 | M=130 N=300
# BENCH: M=4096 N=4096 T=bf16
# ARG: q randint(-128,128):i8[M,N]
# ARG: scales rand(0.001,0.1):fp32[cdiv(M,32),cdiv(N,32)]
# ARG: out empty:T[M,N]
# ARG: M M
# ARG: N N
# CONST: SIDE 32
# CONST: SQUARES 4
# GRID: cdiv(N, SIDE * SQUARES), cdiv(M, SIDE)
#
# KERNEL: quantize_groups
# TYPES: bf16
# SIZES: n=128 | n=1280
# BENCH: n=16777216 T=bf16
# ARG: x randn:T[n]
# ARG: q empty:i8[n]
# ARG: scales empty:fp32[n//128]
# ARG: groups n//128
# ARG: least 1e-10
# CONST: SIZE 128
# CONST: GROUPS 8
# GRID: cdiv(n//128, GROUPS)
# TOLERANCE: q 0 1
#
# KERNEL: packed_groups
# TYPES: fp32 bf16
# SIZES: G=64 SHARE=64 PAD=0 | G=160 SHARE=96 PAD=16 | G=7 SHARE=3 PAD=0
# BENCH: G=2097152 SHARE=64 PAD=0 T=fp32
# ARG: x randn:T[32*G]
# ARG: q empty:i8[32*G]
# ARG: exponents empty:i8[G]
# ARG: groups G
# ARG: share SHARE
# ARG: row 16
# ARG: padding PAD
# CONST: GROUPS 64
# GRID: cdiv(G, SHARE)
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def quantize_row(x, q, largest, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    v = tl.load(x + row * N + col, mask=col < N, other=0).to(tl.float32)
    most = tl.max(tl.abs(v), axis=0)
    tl.store(q + row * N + col, libdevice.llrint(v / most * 127), mask=col < N)
    tl.store(largest + row, most)


@triton.jit
def dequantize_squares(q, scales, out, M, N, SIDE: tl.constexpr, SQUARES: tl.constexpr):
    """Squares beside each other: the second of three axes counts them."""
    m = tl.program_id(1) * SIDE + tl.arange(0, SIDE)[:, None, None]
    square = tl.program_id(0) * SQUARES + tl.arange(0, SQUARES)[None, :, None]
    n = square * SIDE + tl.arange(0, SIDE)[None, None, :]
    across = tl.cdiv(N, SIDE)
    scale = tl.load(scales + tl.program_id(1) * across + square, mask=square < across)
    inside = (m < M) & (n < N)
    tl.store(out + m * N + n, tl.load(q + m * N + n, mask=inside).to(tl.float32) * scale, mask=inside)


@triton.jit
def quantize_groups(x, q, scales, groups, least, SIZE: tl.constexpr, GROUPS: tl.constexpr):
    """What lies between two integers goes towards zero."""
    group = tl.program_id(0) * GROUPS + tl.arange(0, GROUPS)
    at = group[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    v = tl.load(x + at, mask=(group < groups)[:, None], other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(v), axis=1), least) / 127.0
    tl.store(scales + group, scale, mask=group < groups)
    tl.store(q + at, tl.clamp(v / scale[:, None], -128.0, 127.0).to(tl.int8), mask=(group < groups)[:, None])


@triton.jit
def packed_groups(x, q, exponents, groups, share, row, padding, GROUPS: tl.constexpr):
    """Groups of 32 with a power of two each; a program has a share of them. The last elements of each row of groups are
    padding, and zero."""
    first = tl.program_id(0) * share
    for step in range(tl.cdiv(share, GROUPS)):
        offsets = first * 32 + step * GROUPS * 32 + tl.arange(0, GROUPS * 32)
        inside = (offsets < groups * 32) & (offsets < (first + share) * 32)
        whole = offsets % (row * 32) < row * 32 - padding
        value = tl.load(x + offsets, mask=inside & whole, other=0.0).to(tl.float32)
        value = tl.reshape(value, (GROUPS, 32))
        largest = tl.max(tl.abs(value), axis=1)
        exponent = (largest.to(tl.int32, bitcast=True) >> 23) - 127
        scale = ((127 - exponent + 5) << 23).to(tl.float32, bitcast=True)
        coded = tl.reshape((value * scale[:, None]).to(tl.int8), (GROUPS * 32,))
        tl.store(q + offsets, coded, mask=inside)
        group = first + step * GROUPS + tl.arange(0, GROUPS)
        tl.store(exponents + group, exponent.to(tl.int8), mask=(group < groups) & (group < first + share))


def quantize_row_reference(x):
    largest = np.abs(x).max(1)
    return dict(q=np.rint(127 * x / largest[:, None]), largest=largest)


def dequantize_squares_reference(q, scales, M, N):
    return q * np.kron(scales, np.ones((32, 32)))[:M, :N]


def quantize_groups_reference(x, least):
    groups = x.reshape(-1, 128)
    scales = np.maximum(np.abs(groups).max(1), least) / 127
    return dict(q=np.trunc(groups / scales[:, None]).reshape(-1), scales=scales)


def packed_groups_reference(x, G, PAD):
    x = x.astype(np.float32).copy()
    x[np.arange(len(x)) % (16 * 32) >= 16 * 32 - PAD] = 0
    rows = x.reshape(G, 32)
    exponents = np.frexp(np.abs(rows).max(1))[1] - 1
    return dict(q=np.trunc(rows * np.exp2(5.0 - exponents)[:, None]).ravel(), exponents=exponents)
