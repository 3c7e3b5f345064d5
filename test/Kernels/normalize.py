# Other norms: rows of length one in tiles, groups of channels in flat blocks, statistics of a channel over a
# batch, and a variance whose lanes meet in a reduction of three values.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: unit_rows
# TYPES: fp32 bf16
# SIZES: rows=1 D=1 | rows=37 D=80 | rows=64 D=128
# BENCH: rows=262144 D=128 T=bf16
# ARG: x randn:T[rows,D]
# ARG: out empty:T[rows,D]
# ARG: rows rows
# ARG: least 1e-3
# CONST: D D
# CONST: ROWS 16
# GRID: cdiv(rows, ROWS)
#
# KERNEL: group_norm
# TYPES: fp32 fp16
# SIZES: N=1 C=4 A=1 G=2 | N=2 C=6 A=49 G=3 | N=2 C=8 A=256 G=4
# BENCH: N=32 C=320 A=1024 G=32 T=fp16
# ARG: x randn:T[N,C,A]
# ARG: gain randn:T[C]
# ARG: bias randn:T[C]
# ARG: out empty:T[N,C,A]
# ARG: moments empty:fp32[N,G,2]
# ARG: channels C//G
# ARG: area A
# ARG: eps 1e-5
# CONST: BLOCK 1024
# GRID: G, N
# TOLERANCE: out 2e-3 1e-3
# TOLERANCE: moments 1e-4 1e-4
#
# KERNEL: channel_statistics
# TYPES: fp32
# SIZES: B=1 C=1 S=1 | B=5 C=3 S=49 | B=7 C=4 S=64
# BENCH: B=64 C=256 S=784 T=fp32
# ARG: x randn(1,2):T[B,C,S]
# ARG: means empty:fp32[C]
# ARG: scales empty:fp32[C]
# ARG: running zeros:fp32[C]
# ARG: images B
# ARG: channels C
# ARG: places S
# ARG: rate 0.1
# ARG: eps 1e-5
# CONST: BB 4
# CONST: BS 64
# GRID: C
# CHECK: means scales running
# TOLERANCE: means 1e-5 1e-5
# TOLERANCE: scales 1e-4 1e-5
#
# KERNEL: welford_variance
# TYPES: fp32
# SIZES: M=1 N=1 | M=5 N=781 | M=3 N=2048
# BENCH: M=8192 N=8192 T=fp32
# ARG: X randn(3,1):T[M,N]
# ARG: Var empty:T[M]
# ARG: N N
# CONST: BLOCK_N 256
# GRID: M
# TOLERANCE: Var 1e-5 1e-6
import triton
import triton.language as tl


@triton.jit
def unit_rows(x, out, rows, least, D: tl.constexpr, ROWS: tl.constexpr):
    """Rows over their length, which counts as no less than the least."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, triton.next_power_of_2(D))
    at = r.to(tl.int64)[:, None] * D + c
    inside = (r < rows)[:, None] & (c < D)
    v = tl.load(x + at, inside, 0.0).to(tl.float32)
    length = tl.sqrt(tl.sum(v * v, axis=1, keep_dims=True))
    tl.store(out + at, (v / tl.maximum(length, least)).to(out.dtype.element_ty), inside)


@triton.jit
def group_norm(x, gain, bias, out, moments, channels, area, eps, BLOCK: tl.constexpr):
    """The channels of a group lie next to each other: a flat walk over all of them, and another to scale."""
    group = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    size = channels * area
    x += group * size
    out += group * size
    # Both moments in one array that is summed once.
    moment = tl.arange(0, 2)[:, None]
    acc = tl.zeros([2, BLOCK], tl.float32)
    for start in range(0, size, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < size, other=0.0).to(tl.float32)[None, :]
        acc += tl.where(moment == 0, v, v * v)
    sums = tl.sum(acc, axis=1) / size
    mean = tl.sum(tl.where(tl.arange(0, 2) == 0, sums, 0.0), axis=0)
    variance = tl.sum(sums, axis=0) - mean - mean * mean
    scale = tl.rsqrt(variance + eps)
    for start in range(0, size, BLOCK):
        i = start + tl.arange(0, BLOCK)
        inside = i < size
        channel = tl.program_id(0) * channels + i // area
        v = (tl.load(x + i, mask=inside).to(tl.float32) - mean) * scale
        v = v * tl.load(gain + channel, mask=inside) + tl.load(bias + channel, mask=inside)
        tl.store(out + i, v, mask=inside)
    tl.store(moments + 2 * group, mean)
    tl.store(moments + 2 * group + 1, scale)


@triton.jit
def channel_statistics(x, means, scales, running, images, channels, places, rate, eps, BB: tl.constexpr,
                       BS: tl.constexpr):
    """Sums of distances from the channel's first value, and of their squares, in every element of a tile."""
    channel = tl.program_id(axis=0)
    x += channel * places
    origin = tl.load(x)
    first = tl.zeros((BB, BS), dtype=tl.float32)
    second = tl.zeros((BB, BS), dtype=tl.float32)
    for begin in range(0, images, BB):
        image = begin + tl.arange(0, BB)[:, None]
        for start in range(0, places, BS):
            place = start + tl.arange(0, BS)[None, :]
            inside = (image < images) & (place < places)
            d = tl.load(x + image * channels * places + place, inside, other=origin) - origin
            first += d
            second = tl.fma(d, d, second)
    count = images * places
    shift = tl.sum(first) / count
    tl.store(means + channel, origin + shift)
    tl.store(scales + channel, tl.rsqrt(tl.sum(second) / count - shift * shift + eps))
    before = tl.load(running + channel)
    tl.store(running + channel, before + rate * (origin + shift - before))


@triton.jit
def welford_combine(mean_1, m2_1, n_1, mean_2, m2_2, n_2):
    n = n_1 + n_2
    part = tl.where(n > 0.0, n_2 / n, 0.0)
    apart = mean_2 - mean_1
    return mean_1 + part * apart, m2_1 + m2_2 + part * n_1 * apart * apart, n


@triton.jit
def welford_variance(X, Var, N, BLOCK_N: tl.constexpr):
    """Lane i follows the elements i, i + BLOCK_N, ..; a lane past the end of the row keeps what it has."""
    row = tl.program_id(0)
    mean = tl.zeros([BLOCK_N], tl.float32)
    m2 = tl.zeros([BLOCK_N], tl.float32)
    n = tl.zeros([BLOCK_N], tl.float32)
    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        before = tl.load(X + row * N + col, mask=col < N, other=mean) - mean
        n += tl.where(col < N, 1.0, 0.0)
        mean += before / tl.maximum(n, 1.0)
        m2 += tl.where(col < N, before * before * ((n - 1.0) / tl.maximum(n, 1.0)), 0.0)
    _, total, count = tl.reduce((mean, m2, n), 0, welford_combine)
    tl.store(Var + row, total / count)


def unit_rows_reference(x, least):
    return x / np.maximum(np.sqrt((x * x).sum(1, keepdims=True)), least)


def group_norm_reference(x, gain, bias, G, eps):
    groups = x.reshape(len(x), G, -1)
    moments = np.stack([groups.mean(2), 1 / np.sqrt(groups.var(2) + eps)], 2)
    unit = (groups - moments[..., :1]) * moments[..., 1:]
    return dict(out=unit.reshape(x.shape) * gain[:, None] + bias[:, None], moments=moments)


def channel_statistics_reference(x, rate, eps):
    mean = x.mean((0, 2))
    return dict(means=mean, scales=1 / np.sqrt(x.var((0, 2)) + eps), running=rate * mean)


def welford_variance_reference(X):
    return X.var(1)
