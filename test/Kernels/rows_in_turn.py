# Loops that take one row or column of a tile after the other by tl.gather, as chunks of linear attention do it whose
# gates differ from column to column: no product of matrices serves. Sums over pairs of tokens with their decay,
# chunk by chunk; their gradients, where rows and columns of the same tile are taken; and a triangular system whose
# right-hand side changes from row to row.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: decayed_pairs
# TYPES: fp32 bf16
# SIZES: B=1 TIME=1 D=16 BT=16 | B=2 TIME=50 D=32 BT=16 | B=1 TIME=33 D=64 BT=32
# BENCH: B=64 TIME=2048 D=64 BT=16 T=bf16
# ARG: k randn:T[B,TIME,D]
# ARG: g rand(-0.5,0):fp32[B,TIME,D]
# ARG: w randn:fp32[B,TIME,BT]
# ARG: out empty:T[B,TIME,D]
# ARG: T_len TIME
# CONST: D D
# CONST: BT BT
# CONST: CHUNKS 2
# GRID: cdiv(TIME, BT * CHUNKS), B
# TOLERANCE: out 2e-2 1e-2
#
# KERNEL: decayed_pairs_backward
# TYPES: fp32
# SIZES: B=1 TIME=1 D=16 BT=16 | B=2 TIME=50 D=32 BT=16
# BENCH: B=64 TIME=2048 D=64 BT=16 T=fp32
# ARG: q randn:T[B,TIME,D]
# ARG: k randn:T[B,TIME,D]
# ARG: g rand(-0.5,0):fp32[B,TIME,D]
# ARG: dw randn:fp32[B,TIME,BT]
# ARG: dq empty:T[B,TIME,D]
# ARG: dk empty:T[B,TIME,D]
# ARG: T_len TIME
# CONST: D D
# CONST: BT BT
# GRID: cdiv(TIME, BT), B
# TOLERANCE: dq 1e-3 1e-3
# TOLERANCE: dk 1e-3 1e-3
#
# KERNEL: lower_system
# TYPES: fp32
# SIZES: B=1 N=16 D=16 | B=3 N=32 D=8
# BENCH: B=4096 N=32 D=64 T=fp32
# ARG: a rand(-0.3,0.3):T[B,N,N]
# ARG: x randn:T[B,N,D]
# ARG: out empty:T[B,N,D]
# CONST: N N
# CONST: D D
# GRID: B
# TOLERANCE: out 1e-3 1e-3
import triton
import triton.language as tl


@triton.jit
def row_of(tile, j, WIDTH: tl.constexpr):
    return tl.gather(tile, tl.full([1, WIDTH], j, tl.int16), axis=0)


@triton.jit
def column_of(tile, j, HEIGHT: tl.constexpr):
    return tl.gather(tile, tl.full([HEIGHT, 1], j, tl.int16), axis=1)


@triton.jit
def decayed_pairs(k, g, w, out, T_len, D: tl.constexpr, BT: tl.constexpr, CHUNKS: tl.constexpr):
    base = tl.program_id(1).to(tl.int64) * T_len
    i = tl.arange(0, BT)
    d = tl.arange(0, D)
    for chunk in range(tl.program_id(0) * CHUNKS, tl.program_id(0) * CHUNKS + CHUNKS):
        t = chunk * BT + i
        m = (t < T_len)[:, None]
        at = (base + t)[:, None] * D + d[None, :]
        b_k = tl.load(k + at, mask=m, other=0.0)
        b_g = tl.load(g + at, mask=m, other=0.0)
        b_w = tl.load(w + (base + t)[:, None] * BT + i[None, :], mask=m, other=0.0)
        acc = tl.zeros([BT, D], tl.float32)
        for j in range(min(BT, T_len - chunk * BT)):
            decay = tl.exp(b_g - row_of(b_g, j, D))
            pairs = column_of(b_w, j, BT) * row_of(b_k, j, D).to(tl.float32) * decay
            acc += tl.where(i[:, None] >= j, pairs, 0.0)
        tl.store(out + at, acc.to(out.dtype.element_ty), mask=m)


@triton.jit
def decayed_pairs_backward(q, k, g, dw, dq, dk, T_len, D: tl.constexpr, BT: tl.constexpr):
    base = tl.program_id(1).to(tl.int64) * T_len
    i = tl.arange(0, BT)
    t = tl.program_id(0) * BT + i
    m = (t < T_len)[:, None]
    at = (base + t)[:, None] * D + tl.arange(0, D)[None, :]
    b_q = tl.load(q + at, mask=m, other=0.0)
    b_k = tl.load(k + at, mask=m, other=0.0)
    b_g = tl.load(g + at, mask=m, other=0.0)
    b_dw = tl.load(dw + (base + t)[:, None] * BT + i[None, :], mask=m, other=0.0)
    b_dq = tl.zeros([BT, D], tl.float32)
    b_dk = tl.zeros([BT, D], tl.float32)
    for j in range(min(BT, T_len - tl.program_id(0) * BT)):
        g_j = row_of(b_g, j, D)
        if j + 1 < BT:
            b_dq += tl.where(i[:, None] >= j, column_of(b_dw, j, BT) * row_of(b_k, j, D) * tl.exp(b_g - g_j), 0.0)
        else:
            b_dq += tl.where(i[:, None] == j, column_of(b_dw, j, BT) * row_of(b_k, j, D), 0.0)
        dw_j = tl.sum(tl.gather(b_dw, tl.full([1, BT], j, tl.int16), axis=0), 0)[:, None]
        b_dk += tl.where(i[:, None] <= j, dw_j * row_of(b_q, j, D) * tl.exp(g_j - b_g), 0.0)
    tl.store(dq + at, b_dq, mask=m)
    tl.store(dk + at, b_dk, mask=m)


@triton.jit
def lower_system(a, x, out, N: tl.constexpr, D: tl.constexpr):
    i = tl.arange(0, N)
    at = (tl.program_id(0).to(tl.int64) * N + i)[:, None] * D + tl.arange(0, D)[None, :]
    b_a = tl.load(a + (tl.program_id(0).to(tl.int64) * N + i)[:, None] * N + i[None, :])
    b_x = tl.load(x + at)
    for j in range(N - 1):
        b_x -= tl.where(i[:, None] > j, column_of(b_a, j, N) * row_of(b_x, j, D), 0.0)
    tl.store(out + at, b_x)


def chunks_of(time, size):
    return [slice(first, min(first + size, time)) for first in range(0, time, size)]


def decays_of(g):
    """[i, j, d]: exp(g[i, d] - g[j, d]) where i is not before j, else 0."""
    mask = np.tril(np.ones((len(g), len(g)), bool))[:, :, None]
    return mask * np.exp(np.where(mask, g[:, None] - g[None], 0.0))


def decayed_pairs_reference(k, g, w, B, TIME, BT):
    out = np.empty_like(k)
    for batch in range(B):
        for at in chunks_of(TIME, BT):
            terms = w[batch, at, :at.stop - at.start, None] * decays_of(g[batch, at])
            out[batch, at] = (terms * k[batch, at][None]).sum(1)
    return out


def decayed_pairs_backward_reference(q, k, g, dw, B, TIME, BT):
    dq, dk = np.empty_like(q), np.empty_like(k)
    for batch in range(B):
        for at in chunks_of(TIME, BT):
            terms = dw[batch, at, :at.stop - at.start, None] * decays_of(g[batch, at])
            dq[batch, at] = (terms * k[batch, at][None]).sum(1)
            dk[batch, at] = (terms * q[batch, at][:, None]).sum(0)
    return {"dq": dq, "dk": dk}


def lower_system_reference(a, x, B, N):
    return np.stack([np.linalg.solve(np.eye(N) + np.tril(a[batch], -1), x[batch]) for batch in range(B)])
