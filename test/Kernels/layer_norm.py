# Layer norm: forward in two walks over the row, backward for the input with a share of the weights' gradients
# from each program, and the sum over these shares.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: layer_norm_forward
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=3 N=781 | M=5 N=2048
# BENCH: M=8192 N=4096 T=bf16
# ARG: x randn(0.5,2):T[M,N]
# ARG: out empty:T[M,N]
# ARG: gain randn(1,0.2):T[N]
# ARG: bias randn:T[N]
# ARG: means empty:fp32[M]
# ARG: scales empty:fp32[M]
# ARG: stride N
# ARG: N N
# ARG: eps 1e-5
# CONST: BLOCK min(1024, next_power_of_2(N))
# GRID: M
# WARPS: 4
# TOLERANCE: means 1e-5 1e-5
# TOLERANCE: scales 1e-4 1e-5
#
# KERNEL: layer_norm_backward
# TYPES: fp32 bf16
# SIZES: M=1 N=1 G=1 | M=7 N=781 G=1 | M=12 N=512 G=4
# BENCH: M=4096 N=4096 G=256 T=bf16
# ARG: upstream randn:T[M,N]
# ARG: x randn:T[M,N]
# ARG: gain randn(1,0.2):T[N]
# ARG: means randn(0,0.1):fp32[M]
# ARG: scales rand(0.5,2):fp32[M]
# ARG: dx empty:T[M,N]
# ARG: gain_shares empty:fp32[G,N]
# ARG: bias_shares empty:fp32[G,N]
# ARG: M M
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# GRID: G
# WARPS: 8
# TOLERANCE: gain_shares 1e-5 1e-5
# TOLERANCE: bias_shares 1e-5 1e-5
#
# KERNEL: sum_shares
# SIZES: M=1 N=1 | M=60 N=781 | M=256 N=1024
# BENCH: M=1024 N=8192
# ARG: gain_shares randn:fp32[M,N]
# ARG: bias_shares randn:fp32[M,N]
# ARG: dgain empty:fp32[N]
# ARG: dbias empty:fp32[N]
# ARG: M M
# ARG: N N
# CONST: BM 32
# CONST: BN 128
# GRID: cdiv(N, BN)
# TOLERANCE: dgain 1e-5 1e-5
# TOLERANCE: dbias 1e-5 1e-5
import triton
import triton.language as tl


@triton.jit
def layer_norm_forward(x, out, gain, bias, means, scales, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    out += row * stride
    lane = tl.arange(0, BLOCK)
    # Distances from an element of the row are as small as its spread, however far from zero the row is.
    origin = tl.load(x).to(tl.float32)
    first = tl.zeros([BLOCK], dtype=tl.float32)
    second = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        col = start + lane
        d = tl.load(x + col, mask=col < N, other=0.).to(tl.float32) - origin
        d = tl.where(col < N, d, 0.)
        first += d
        second += d * d
    shift = tl.sum(first, axis=0) / N
    variance = tl.sum(second, axis=0) / N - shift * shift
    mean = origin + shift
    scale = 1 / tl.sqrt(tl.maximum(variance, 0.) + eps)
    for start in range(0, N, BLOCK):
        col = start + lane
        v = tl.load(x + col, mask=col < N, eviction_policy="evict_first").to(tl.float32)
        g = tl.load(gain + col, mask=col < N)
        b = tl.load(bias + col, mask=col < N)
        tl.store(out + col, (v - mean) * scale * g + b, mask=col < N)
    tl.store(means + row, mean)
    tl.store(scales + row, scale)


@triton.jit
def layer_norm_backward(upstream, x, gain, means, scales, dx, gain_shares, bias_shares, M, N, BLOCK: tl.constexpr):
    """A program takes M / G rows that follow each other."""
    share, shares = tl.program_id(0), tl.num_programs(0)
    each = tl.cdiv(M, shares)
    col = tl.arange(0, BLOCK)
    inside = col < N
    g = tl.load(gain + col, inside, 0.0).to(tl.float32)
    for_gain = tl.zeros((BLOCK,), tl.float32)
    for_bias = tl.zeros((BLOCK,), tl.float32)
    for row in range(share * each, min(M, (share + 1) * each)):
        d = tl.load(upstream + row * N + col, inside, 0.0).to(tl.float32)
        unit = (tl.load(x + row * N + col, inside, 0.0).to(tl.float32) - tl.load(means + row)) * tl.load(scales + row)
        unit = tl.where(inside, unit, 0.0)
        for_gain += d * unit
        for_bias += d
        d *= g
        level, along = tl.sum(d, 0) / N, tl.sum(d * unit, 0) / N
        tl.store(dx + row * N + col, (d - level - along * unit) * tl.load(scales + row), inside)
    tl.store(gain_shares + share * N + col, for_gain, inside)
    tl.store(bias_shares + share * N + col, for_bias, inside)


@triton.jit
def sum_of_rows(x, M, N, col, BM: tl.constexpr, BN: tl.constexpr):
    acc = tl.zeros([BM, BN], tl.float32)
    for start in range(0, M, BM):
        row = start + tl.arange(0, BM)
        acc += tl.load(x + row[:, None] * N + col[None, :], (row < M)[:, None] & (col < N)[None, :], other=0.0)
    return tl.sum(acc, axis=0)


@triton.jit
def sum_shares(gain_shares, bias_shares, dgain, dbias, M, N, BM: tl.constexpr, BN: tl.constexpr):
    col = tl.program_id(0) * BN + tl.arange(0, BN)
    tl.store(dgain + col, sum_of_rows(gain_shares, M, N, col, BM, BN), col < N)
    tl.store(dbias + col, sum_of_rows(bias_shares, M, N, col, BM, BN), col < N)


def layer_norm_forward_reference(x, gain, bias, eps):
    mean = x.mean(1)
    scale = 1 / np.sqrt(x.var(1) + eps)
    return dict(out=(x - mean[:, None]) * scale[:, None] * gain + bias, means=mean, scales=scale)


def layer_norm_backward_reference(upstream, x, gain, means, scales, M, G):
    unit = (x - means[:, None]) * scales[:, None]
    d = upstream * gain
    dx = (d - d.mean(1, keepdims=True) - unit * (d * unit).mean(1, keepdims=True)) * scales[:, None]
    each = -(-M // G)
    shares = [slice(g * each, (g + 1) * each) for g in range(G)]
    return dict(dx=dx, gain_shares=np.stack([(upstream * unit)[s].sum(0) for s in shares]),
                bias_shares=np.stack([upstream[s].sum(0) for s in shares]))


def sum_shares_reference(gain_shares, bias_shares):
    return dict(dgain=gain_shares.sum(0), dbias=bias_shares.sum(0))
