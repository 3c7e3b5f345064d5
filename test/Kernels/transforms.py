# Butterflies in registers, by reshape, split and join, or by gathers at known distances: a Hadamard and a Fourier transform, a wavelet transform, and a
# sorting network that carries indices along.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: hadamard_rows
# TYPES: fp32 bf16
# SIZES: M=1 N=2 | M=5 N=128
# BENCH: M=131072 N=256 T=bf16
# ARG: x randn:T[M,N]
# ARG: y empty:T[M,N]
# ARG: scale 0.5
# ARG: M M
# CONST: N N
# CONST: BLOCK_M 4
# GRID: cdiv(M, BLOCK_M)
# TOLERANCE: y 8e-3 1e-3
#
# KERNEL: hadamard_by_gathers
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=1 N=2 | M=5 N=128
# BENCH: M=131072 N=256 T=bf16
# ARG: x randn:T[M,N]
# ARG: y empty:T[M,N]
# ARG: M M
# CONST: N N
# CONST: BLOCK_M 4
# GRID: cdiv(M, BLOCK_M)
# TOLERANCE: y 8e-3 1e-3
#
# KERNEL: fft_rows
# SIZES: M=3 N=8 LOG=3 | M=5 N=64 LOG=6
# BENCH: M=65536 N=256 LOG=8
# ARG: xr randn:fp32[M,N]
# ARG: xi randn:fp32[M,N]
# ARG: yr empty:fp32[M,N]
# ARG: yi empty:fp32[M,N]
# ARG: M M
# CONST: N N
# CONST: LOG LOG
# CONST: BLOCK_M 4
# GRID: cdiv(M, BLOCK_M)
# TOLERANCE: yr 1e-3 1e-3
# TOLERANCE: yi 1e-3 1e-3
#
# KERNEL: haar_rows
# TYPES: fp32 fp16
# SIZES: M=1 N=4 | M=5 N=64
# BENCH: M=65536 N=512 T=fp32
# ARG: x randn:T[M,N]
# ARG: y empty:T[M,N]
# CONST: N N
# GRID: M
# TOLERANCE: y 4e-3 1e-3
#
# KERNEL: argsort_rows
# TYPES: fp32 i32
# SIZES: M=1 N=2 DESC=False | M=5 N=50 DESC=True
# BENCH: M=8192 N=256 DESC=True T=fp32
# ARG: x permutation:T[M,N]
# ARG: values empty:T[M,N]
# ARG: indices empty:i64[M,N]
# ARG: n_cols N
# CONST: BLOCK next_power_of_2(N)
# CONST: DESCENDING DESC
# GRID: M
import math

import triton
import triton.language as tl
from triton.language.standard import _log2


@triton.jit
def hadamard_rows(x, y, scale, M, N: tl.constexpr, BLOCK_M: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    at = rows[:, None] * N + tl.arange(0, N)[None, :]
    mask = (rows < M)[:, None]
    v = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
    for level in tl.static_range(16):
        if 2**level < N:
            pairs = tl.reshape(v, (BLOCK_M, N // 2 // 2**level, 2, 2**level))
            a, b = tl.split(tl.permute(pairs, (0, 1, 3, 2)))
            v = tl.reshape(tl.permute(tl.join(a + b, a - b), (0, 1, 3, 2)), (BLOCK_M, N))
    tl.store(y + at, v * scale, mask=mask)


@triton.jit
def hadamard_by_gathers(x, y, M, N: tl.constexpr, BLOCK_M: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    at = rows[:, None] * N + tl.arange(0, N)[None, :]
    mask = (rows < M)[:, None]
    places = tl.broadcast_to(tl.arange(0, N)[None, :], (BLOCK_M, N))
    v = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
    for level in tl.static_range(16):
        if 2**level < N:
            other = tl.gather(v, places ^ 2**level, axis=1)
            v = tl.where((places & 2**level) != 0, other - v, v + other)
    tl.store(y + at, tl.gather(v, N - 1 - places, axis=1), mask=mask)


@triton.jit
def combine_halves(re, im, BLOCK_M: tl.constexpr, N: tl.constexpr, STRIDE: tl.constexpr):
    """One step of Stockham's transform: halves that are N/2 apart combine and end up beside each other."""
    HALF: tl.constexpr = N // 2
    k = tl.arange(0, HALF) // STRIDE
    angle = k.to(tl.float32) * (-2.0 * math.pi * STRIDE / N)
    c, s = tl.cos(angle)[None, :], tl.sin(angle)[None, :]
    a_re, b_re = tl.split(tl.trans(tl.reshape(re, (BLOCK_M, 2, HALF)), (0, 2, 1)))
    a_im, b_im = tl.split(tl.trans(tl.reshape(im, (BLOCK_M, 2, HALF)), (0, 2, 1)))
    d_re, d_im = a_re - b_re, a_im - b_im
    t_re, t_im = d_re * c - d_im * s, d_re * s + d_im * c
    re = tl.reshape(tl.join(a_re + b_re, t_re), (BLOCK_M, HALF // STRIDE, STRIDE, 2))
    im = tl.reshape(tl.join(a_im + b_im, t_im), (BLOCK_M, HALF // STRIDE, STRIDE, 2))
    return (tl.reshape(tl.permute(re, (0, 1, 3, 2)), (BLOCK_M, N)),
            tl.reshape(tl.permute(im, (0, 1, 3, 2)), (BLOCK_M, N)))


@triton.jit
def fft_rows(xr, xi, yr, yi, M, N: tl.constexpr, LOG: tl.constexpr, BLOCK_M: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    at = rows[:, None] * N + tl.arange(0, N)[None, :]
    mask = (rows < M)[:, None]
    re, im = tl.load(xr + at, mask=mask, other=0.0), tl.load(xi + at, mask=mask, other=0.0)
    for level in tl.static_range(LOG):
        re, im = combine_halves(re, im, BLOCK_M, N, 2**level)
    tl.store(yr + at, re, mask=mask)
    tl.store(yi + at, im, mask=mask)


@triton.jit
def haar_rows(x, y, N: tl.constexpr):
    """Means first, differences behind them, level by level."""
    row = tl.program_id(0)
    v = tl.load(x + row * N + tl.arange(0, N)).to(tl.float32)
    for level in tl.static_range(_log2(N)):
        a, b = tl.split(tl.reshape(v, (N // 2 ** (level + 1), 2)))
        at = N // 2 ** (level + 1) + tl.arange(0, N // 2 ** (level + 1))
        tl.store(y + row * N + at, (a - b) * 0.7071067811865476)
        v = (a + b) * 0.7071067811865476
    tl.store(y + row * N + tl.arange(0, 1), v)


@triton.jit
def at_side(v, side, which: tl.constexpr):
    """The element at one side of each pair, for both of its sides."""
    return tl.broadcast_to(tl.sum(tl.where(side == which, v, 0), axis=1, keep_dims=True), v.shape)


@triton.jit
def exchange(keys, ids, falls, SIZE: tl.constexpr, DISTANCE: tl.constexpr):
    """Puts elements that are DISTANCE apart in order: the lesser first, or last where `falls`."""
    shape: tl.constexpr = [SIZE // DISTANCE // 2, 2, DISTANCE]
    side = tl.arange(0, 2)[None, :, None]
    k, i = tl.reshape(keys, shape), tl.reshape(ids, shape)
    k0, k1 = at_side(k, side, 0), at_side(k, side, 1)
    swaps = (k0 > k1) ^ tl.reshape(falls, shape)
    takes_first = (side == 0) ^ swaps
    k = tl.where(takes_first, k0, k1)
    i = tl.where(takes_first, at_side(i, side, 0), at_side(i, side, 1))
    return tl.reshape(k, [SIZE]), tl.reshape(i, [SIZE])


@triton.jit
def argsort_rows(x, values, indices, n_cols, BLOCK: tl.constexpr, DESCENDING: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    keys = tl.load(x + row * n_cols + cols, mask=mask, other=-(2**30) if DESCENDING else 2**30)
    ids = cols
    LEVELS: tl.constexpr = tl.standard._log2(BLOCK)
    for level in tl.static_range(1, LEVELS + 1):
        # Runs of 2**level elements rise and fall in turns; the last is the whole row.
        falls = ((cols >> level) & 1 != 0) ^ DESCENDING
        for step in tl.static_range(level):
            keys, ids = exchange(keys, ids, falls, BLOCK, 2 ** (level - 1 - step))
    tl.store(values + row * n_cols + cols, keys, mask=mask)
    tl.store(indices + row * n_cols + cols, ids.to(tl.int64), mask=mask)


def hadamard_rows_reference(x, N, scale):
    matrix = np.ones((1, 1))
    while len(matrix) < N:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return x @ matrix * scale


def hadamard_by_gathers_reference(x, N):
    return hadamard_rows_reference(x, N, 1.0)[:, ::-1]


def fft_rows_reference(xr, xi):
    y = np.fft.fft(xr + 1j * xi, axis=1)
    return {"yr": y.real, "yi": y.imag}


def haar_rows_reference(x, N):
    y, v = np.empty_like(x), x
    while v.shape[1] > 1:
        half = v.shape[1] // 2
        y[:, half:2 * half] = (v[:, 0::2] - v[:, 1::2]) / np.sqrt(2)
        v = (v[:, 0::2] + v[:, 1::2]) / np.sqrt(2)
    y[:, :1] = v
    return y


def argsort_rows_reference(x, DESC):
    order = np.argsort(-x if DESC else x, axis=1)
    return {"values": np.take_along_axis(x, order, 1), "indices": order}
