# Rows of different lengths: a sparse matrix by a vector, attention weights over the edges of a graph; and
# images: bilinear samples, a butterfly of a Fourier transform.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: csr_matvec
# SIZES: N=3 L=2 | N=50 L=40
# BENCH: N=131072 L=64
# ARG: starts arange:i32[N + 1]
# ARG: columns randint(0,N):i32[N * L]
# ARG: values randn:fp32[N * L]
# ARG: x randn:fp32[N]
# ARG: y empty:fp32[N]
# ARG: n N
# ARG: stretch L
# CONST: ROWS 4
# CONST: BLOCK 32
# GRID: cdiv(N, ROWS)
# TOLERANCE: y 1e-4 1e-4
#
# KERNEL: edge_softmax
# SIZES: N=3 L=2 H=1 | N=20 L=150 H=5
# BENCH: N=16384 L=64 H=8
# ARG: starts arange:i32[N + 1]
# ARG: scores randn(0,3):fp32[N * L,H]
# ARG: out zeros:fp32[N * L,H]
# ARG: heads H
# ARG: stretch L
# CONST: BLOCK 64
# CONST: BLOCK_H next_power_of_2(H)
# GRID: N
# CHECK: out
# TOLERANCE: out 1e-4 1e-6
#
# KERNEL: bilinear_samples
# SIZES: N=1 C=1 H=4 W=5 P=7 | N=2 C=3 H=9 W=8 P=200
# BENCH: N=16 C=64 H=128 W=128 P=16384
# ARG: image randn:fp32[N,C,H,W]
# ARG: points rand(-1.2,1.2):fp32[N,P,2]
# ARG: out empty:fp32[N,C,P]
# ARG: C C
# ARG: H H
# ARG: W W
# ARG: P P
# CONST: BORDER P % 2 == 0
# CONST: BLOCK 128
# GRID: cdiv(P, BLOCK), N
# TOLERANCE: out 1e-4 1e-4
#
# KERNEL: butterfly
# SIZES: n=8 half=1 | n=512 half=64
# BENCH: n=16777216 half=4096
# ARG: re randn:fp32[n]
# ARG: im randn:fp32[n]
# ARG: n n
# ARG: half half
# CONST: INVERSE False
# CONST: BLOCK 256
# GRID: cdiv(n // 2, BLOCK)
# CHECK: re im
# TOLERANCE: re 1e-4 1e-5
# TOLERANCE: im 1e-4 1e-5
import math

import torch
import triton
import triton.language as tl

PI = tl.constexpr(math.pi)


@triton.jit
def bounds(starts, row, stretch):
    """Where a row begins and ends; every other row is a little shorter."""
    return tl.load(starts + row) * stretch, tl.load(starts + row + 1) * stretch - row % 2


@triton.jit
def csr_matvec(starts, columns, values, x, y, n, stretch, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    begin = tl.load(starts + rows, rows < n, 0) * stretch
    end = tl.where(rows < n, begin + stretch - rows % 2, begin)
    longest = tl.max(end - begin)
    total = tl.zeros((ROWS, BLOCK), tl.float32)
    for k in range(0, longest, BLOCK):
        at = begin[:, None] + k + tl.arange(0, BLOCK)[None, :]
        inside = at < end[:, None]
        column = tl.load(columns + at, inside, 0)
        total += tl.load(values + at, inside, 0.0) * tl.load(x + column, inside, 0.0)
    tl.store(y + rows, tl.sum(total, 1), rows < n)


@triton.jit
def leaky(x):
    return tl.where(x > 0, x, 0.2 * x)


@triton.jit
def edge_softmax(starts, scores, out, heads, stretch, BLOCK: tl.constexpr, BLOCK_H: tl.constexpr):
    begin, end = bounds(starts, tl.program_id(0), stretch)
    head = tl.arange(0, BLOCK_H)
    largest = tl.full((BLOCK_H,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_H,), tl.float32)
    for k in range(begin, end, BLOCK):
        edges = k + tl.arange(0, BLOCK)
        mask = (edges < end)[:, None] & (head < heads)[None, :]
        score = leaky(tl.load(scores + edges[:, None] * heads + head[None, :], mask, float("-inf")))
        new = tl.maximum(largest, tl.max(score, 0))
        safe = tl.where(new == float("-inf"), 0.0, new)
        total = total * tl.exp(largest - safe) + tl.sum(tl.exp(score - safe[None, :]), 0)
        largest = new
    for k in range(begin, end, BLOCK):
        edges = k + tl.arange(0, BLOCK)
        mask = (edges < end)[:, None] & (head < heads)[None, :]
        score = leaky(tl.load(scores + edges[:, None] * heads + head[None, :], mask, float("-inf")))
        tl.store(out + edges[:, None] * heads + head[None, :], tl.exp(score - largest[None, :]) / total[None, :], mask)


@triton.jit
def bilinear_samples(image, points, out, C, H, W, P, BORDER: tl.constexpr, BLOCK: tl.constexpr):
    n = tl.program_id(1)
    p = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = p < P
    gx = tl.load(points + (n * P + p) * 2, mask, 0.0)
    gy = tl.load(points + (n * P + p) * 2 + 1, mask, 0.0)
    fx, fy = ((gx + 1) * W - 1) * 0.5, ((gy + 1) * H - 1) * 0.5
    if BORDER:
        fx = tl.minimum(tl.maximum(fx, 0.0), W - 1.0)
        fy = tl.minimum(tl.maximum(fy, 0.0), H - 1.0)
    x0, y0 = tl.floor(fx).to(tl.int32), tl.floor(fy).to(tl.int32)
    ax, ay = fx - x0, fy - y0
    for c in range(C):
        plane = image + (n * C + c) * H * W
        total = tl.zeros([BLOCK], tl.float32)
        for dy in tl.static_range(2):
            for dx in tl.static_range(2):
                x, y = x0 + dx, y0 + dy
                inside = mask & (x >= 0) & (x < W) & (y >= 0) & (y < H)
                weight = (ax if dx == 1 else 1 - ax) * (ay if dy == 1 else 1 - ay)
                total += tl.load(plane + y * W + x, inside, 0.0) * weight
        tl.store(out + (n * C + c) * P + p, total, mask)


@triton.jit
def butterfly(re, im, n, half, INVERSE: tl.constexpr, BLOCK: tl.constexpr):
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = t < n // 2
    i = t // half * half * 2 + t % half
    j = i + half
    angle = (PI if INVERSE else -PI) * (t % half).to(tl.float32) / half
    c, s = tl.cos(angle), tl.sin(angle)
    a_re, a_im = tl.load(re + i, mask), tl.load(im + i, mask)
    b_re, b_im = tl.load(re + j, mask), tl.load(im + j, mask)
    t_re, t_im = b_re * c - b_im * s, b_re * s + b_im * c
    tl.store(re + i, a_re + t_re, mask); tl.store(im + i, a_im + t_im, mask)
    tl.store(re + j, a_re - t_re, mask); tl.store(im + j, a_im - t_im, mask)


def fft(x: torch.Tensor) -> torch.Tensor:
    n = x.shape[0]
    re, im = x.real.contiguous(), x.imag.contiguous()
    half = 1
    while half < n:
        butterfly[lambda meta: (triton.cdiv(n // 2, meta["BLOCK"]),)](re, im, n, half, INVERSE=False, BLOCK=256)
        half *= 2
    return torch.complex(re, im)


def segments(n, stretch):
    return [(row * stretch, (row + 1) * stretch - row % 2) for row in range(n)]


def csr_matvec_reference(columns, values, x, n, stretch):
    return np.array([(values[b:e] * x[columns[b:e].astype(int)]).sum() for b, e in segments(n, stretch)])


def edge_softmax_reference(starts, scores, stretch):
    result = np.zeros_like(scores)
    for b, e in segments(len(starts) - 1, stretch):
        value = np.where(scores[b:e] > 0, scores[b:e], 0.2 * scores[b:e])
        value = np.exp(value - value.max(0, keepdims=True)) if e > b else value
        result[b:e] = value / value.sum(0)
    return result


def bilinear_samples_reference(image, points, H, W, P, BORDER):
    fx, fy = ((points[..., 0] + 1) * W - 1) / 2, ((points[..., 1] + 1) * H - 1) / 2
    if BORDER:
        fx, fy = np.clip(fx, 0, W - 1), np.clip(fy, 0, H - 1)
    x0, y0 = np.floor(fx).astype(int), np.floor(fy).astype(int)
    total = np.zeros((len(image), image.shape[1], P))
    for dy in range(2):
        for dx in range(2):
            x, y = x0 + dx, y0 + dy
            inside = (x >= 0) & (x < W) & (y >= 0) & (y < H)
            weight = np.where(inside, (1 - abs(fx - x)) * (1 - abs(fy - y)), 0)
            for n in range(len(image)):
                total[n] += image[n][:, np.clip(y[n], 0, H - 1), np.clip(x[n], 0, W - 1)] * weight[n]
    return total


def butterfly_reference(re, im, n, half):
    x = (re + 1j * im).reshape(-1, 2, half)
    turned = x[:, 1] * np.exp(-1j * np.pi * np.arange(half) / half)
    x = np.stack([x[:, 0] + turned, x[:, 0] - turned], 1).reshape(-1)
    return {"re": x.real, "im": x.imag}
