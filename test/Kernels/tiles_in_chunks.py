# Tiles of which a thread has hundreds of elements: one and two axes, kept or loaded again, and what is reduced along
# with positions.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: wide_softmax
# TYPES: fp32 bf16
# SIZES: M=1 N=1 BLOCK=16384 num_warps=1 | M=2 N=6001 BLOCK=16384 num_warps=1 | M=1 N=16384 BLOCK=32768 num_warps=2
# BENCH: M=1024 N=262144 BLOCK=262144 T=fp32 num_warps=4
# ARG: x randn:T[M,N]
# ARG: y empty:T[M,N]
# ARG: stride N
# ARG: n N
# CONST: BLOCK BLOCK
# GRID: M
#
# KERNEL: wide_layer_norm
# TYPES: fp32 fp16
# SIZES: M=1 N=7 BLOCK=16384 num_warps=1 | M=2 N=6000 BLOCK=16384 num_warps=1
# BENCH: M=1024 N=65536 BLOCK=65536 T=fp16 num_warps=4
# ARG: x randn:T[M,N]
# ARG: w randn:T[N]
# ARG: b randn:T[N]
# ARG: y empty:T[M,N]
# ARG: mean empty:fp32[M]
# ARG: n N
# ARG: eps 1e-5
# CONST: BLOCK BLOCK
# GRID: M
#
# KERNEL: groups_at_once
# TYPES: fp32 fp16
# SIZES: B=2 C=16 S=300 HW=1024 num_warps=1 | B=1 C=32 S=1024 HW=1024 num_warps=1
# BENCH: B=32 C=512 S=4096 HW=4096 T=fp16 num_warps=4
# ARG: x randn:T[B,C,S]
# ARG: w randn:T[C]
# ARG: b randn:T[C]
# ARG: y empty:T[B,C,S]
# ARG: s S
# ARG: groups C//16
# ARG: eps 1e-5
# CONST: GROUP 16
# CONST: BLOCK HW
# GRID: B*(C//16)
#
# KERNEL: wide_cross_entropy
# TYPES: fp32 bf16
# SIZES: M=2 N=1 BLOCK=16384 num_warps=1 | M=3 N=6001 BLOCK=16384 num_warps=1
# BENCH: M=4096 N=128256 BLOCK=131072 T=bf16 num_warps=4
# ARG: logits randn:T[M,N]
# ARG: labels randint(0,N):i64[M]
# ARG: loss empty:fp32[M]
# ARG: gradient empty:T[M,N]
# ARG: n N
# CONST: BLOCK BLOCK
# GRID: M
#
# KERNEL: wide_argmax
# TYPES: fp32
# SIZES: M=2 N=1 BLOCK=16384 num_warps=1 | M=2 N=8000 BLOCK=16384 num_warps=1
# BENCH: M=1024 N=65536 BLOCK=65536 T=fp32 num_warps=4
# ARG: x randint(-50,50):T[M,N]
# ARG: value empty:T[M]
# ARG: place empty:i32[M]
# ARG: n N
# CONST: BLOCK BLOCK
# GRID: M
#
# KERNEL: rows_of_tables
# TYPES: fp32
# SIZES: M=2 N=100 V=7 BLOCK=16384 num_warps=1 | M=1 N=8000 V=100 BLOCK=16384 num_warps=1
# BENCH: M=1024 N=65536 V=100000 BLOCK=65536 T=fp32 num_warps=4
# ARG: table randn:T[V]
# ARG: index randint(0,V):i32[M,N]
# ARG: out empty:T[M]
# ARG: y empty:T[M,N]
# ARG: n N
# CONST: BLOCK BLOCK
# GRID: M
# TOLERANCE: out 1e-5 1e-3
#
# KERNEL: wide_sums
# TYPES: fp32 i32
# SIZES: M=2 N=1 BLOCK=16384 BACK=False num_warps=1 | M=2 N=8000 BLOCK=16384 BACK=True num_warps=1 | M=1 N=8192 BLOCK=16384 BACK=False num_warps=1
# BENCH: M=1024 N=65536 BLOCK=65536 BACK=False T=fp32 num_warps=4
# ARG: x randint(-5,6):T[M,N]
# ARG: y empty:T[M,N]
# ARG: n N
# CONST: BLOCK BLOCK
# CONST: BACK BACK
# GRID: M
#
# KERNEL: wide_recurrence
# TYPES: fp32
# SIZES: N=1 BLOCK=16384 num_warps=1 | N=8000 BLOCK=16384 num_warps=1
# BENCH: N=65536 BLOCK=65536 T=fp32 num_warps=4
# ARG: a rand(0,1):T[N]
# ARG: b randn:T[N]
# ARG: h empty:T[N]
# ARG: n N
# CONST: BLOCK BLOCK
# GRID: 1
# TOLERANCE: h 1e-5 1e-5
#
# KERNEL: wide_variance
# TYPES: fp32
# SIZES: M=2 N=1 BLOCK=16384 num_warps=1 | M=2 N=9000 BLOCK=16384 num_warps=1 | M=2 N=9000 BLOCK=16384 num_warps=4
# BENCH: M=1024 N=65536 BLOCK=65536 T=fp32 num_warps=4
# ARG: x randn:T[M,N]
# ARG: out empty:T[M]
# ARG: centred empty:T[M,N]
# ARG: n N
# CONST: BLOCK BLOCK
# GRID: M
#
# KERNEL: moved_in_place
# TYPES: fp32
# SIZES: N=1 BLOCK=16384 num_warps=1 | N=8000 BLOCK=16384 num_warps=1
# BENCH: N=65536 BLOCK=65536 T=fp32 num_warps=4
# ARG: x randn:T[N+1]
# ARG: n N
# CONST: BLOCK BLOCK
# CHECK: x
# GRID: 1
#
# KERNEL: column_sums
# TYPES: fp32
# SIZES: M=100 N=7 BLOCK_M=1024 BLOCK_N=16 num_warps=1 | M=512 N=16 BLOCK_M=1024 BLOCK_N=16 num_warps=1
# BENCH: M=4096 N=4096 BLOCK_M=4096 BLOCK_N=32 T=fp32 num_warps=4
# ARG: x randn:T[M,N]
# ARG: out empty:T[N]
# ARG: y empty:T[M,N]
# ARG: m M
# ARG: n N
# CONST: BLOCK_M BLOCK_M
# CONST: BLOCK_N BLOCK_N
# GRID: cdiv(N, BLOCK_N)
# TOLERANCE: out 1e-5 1e-4
# TOLERANCE: y 1e-5 1e-4
import triton
import triton.language as tl


@triton.jit
def wide_softmax(x, y, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + at, mask=at < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row * stride + at, e / tl.sum(e, axis=0), mask=at < n)


@triton.jit
def wide_layer_norm(x, w, b, y, mean, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < n
    values = tl.load(x + row * n + at, mask=mask, other=0.0).to(tl.float32)
    middle = tl.sum(values, axis=0) / n
    tl.store(mean + row, middle)
    rest = tl.where(mask, values - middle, 0.0)
    scale = tl.rsqrt(tl.sum(rest * rest, axis=0) / n + eps)
    weight = tl.load(w + at, mask=mask)
    bias = tl.load(b + at, mask=mask)
    tl.store(y + row * n + at, rest * scale * weight + bias, mask=mask)


@triton.jit
def groups_at_once(x, w, b, y, s, groups, eps, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    channel = tl.arange(0, GROUP)
    at = tl.arange(0, BLOCK)
    places = pid * GROUP * s + channel[:, None] * s + at[None, :]
    mask = (at < s)[None, :] & (channel >= 0)[:, None]
    values = tl.load(x + places, mask=mask, other=0.0).to(tl.float32)
    middle = tl.sum(values) / (GROUP * s)
    rest = tl.where(mask, values - middle, 0.0)
    scale = tl.rsqrt(tl.sum(rest * rest) / (GROUP * s) + eps)
    weight = tl.load(w + pid % groups * GROUP + channel)
    bias = tl.load(b + pid % groups * GROUP + channel)
    tl.store(y + places, rest * scale * weight[:, None] + bias[:, None], mask=mask)


@triton.jit
def wide_cross_entropy(logits, labels, loss, gradient, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    label = tl.load(labels + row)
    values = tl.load(logits + row * n + at, mask=at < n, other=-float("inf")).to(tl.float32)
    top = tl.max(values, 0)
    log_sum = tl.log(tl.sum(tl.exp(values - top), 0)) + top
    if label >= 0:
        tl.store(loss + row, log_sum - tl.load(logits + row * n + label).to(tl.float32))
    p = tl.exp(values - log_sum)
    tl.store(gradient + row * n + at, tl.where(at == label, p - 1.0, p), mask=at < n)


@triton.jit
def wide_argmax(x, value, place, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
    top, index = tl.max(values, 0, return_indices=True)
    tl.store(value + row, top)
    tl.store(place + row, index)


@triton.jit
def rows_of_tables(table, index, out, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    picked = tl.load(table + tl.load(index + row * n + at, mask=at < n, other=0), mask=at < n, other=0.0)
    total = tl.sum(picked, 0)
    tl.store(out + row, total)
    tl.store(y + row * n + at, picked * picked, mask=at < n)


@triton.jit
def wide_sums(x, y, n, BLOCK: tl.constexpr, BACK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + at, mask=at < n, other=0)
    tl.store(y + row * n + at, tl.cumsum(values, 0, reverse=BACK), mask=at < n)


@triton.jit
def first_order(a_left, b_left, a_right, b_right):
    return a_left * a_right, b_left * a_right + b_right


@triton.jit
def wide_recurrence(a, b, h, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    decay = tl.load(a + at, mask=at < n, other=1.0)
    value = tl.load(b + at, mask=at < n, other=0.0)
    _, state = tl.associative_scan((decay, value), 0, first_order)
    tl.store(h + at, state, mask=at < n)


@triton.jit
def welford(mean_1, m2_1, n_1, mean_2, m2_2, n_2):
    n = n_1 + n_2
    part = tl.where(n > 0.0, n_2 / n, 0.0)
    delta = mean_2 - mean_1
    return mean_1 + delta * part, m2_1 + m2_2 + delta * delta * n_1 * part, n


@triton.jit
def wide_variance(x, out, centred, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + at, mask=at < n, other=0.0)
    count = tl.where(at < n, 1.0, 0.0)
    mean, m2, total = tl.reduce((values, tl.zeros_like(values), count), 0, welford)
    tl.store(out + row, m2 / total)
    tl.store(centred + row * n + at, values - mean, mask=at < n)


@triton.jit
def moved_in_place(x, n, BLOCK: tl.constexpr):
    """All elements are read before the first is written."""
    at = tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)
    tl.store(x + 1 + at, values, mask=at < n)


@triton.jit
def column_sums(x, out, y, m, n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    i = tl.arange(0, BLOCK_M)
    j = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (i < m)[:, None] & (j < n)[None, :]
    tile = tl.load(x + i[:, None] * n + j[None, :], mask=mask, other=0.0)
    total = tl.sum(tile, axis=0)
    tl.store(out + j, total, mask=j < n)
    tl.store(y + i[:, None] * n + j[None, :], tile - total[None, :], mask=mask)


def wide_softmax_reference(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def wide_layer_norm_reference(x, w, b, eps):
    mean = x.mean(1)
    rest = x - mean[:, None]
    return dict(y=rest / np.sqrt((rest * rest).mean(1, keepdims=True) + eps) * w + b, mean=mean)


def groups_at_once_reference(x, w, b, eps, B, C, S):
    groups = x.reshape(B, C // 16, -1)
    rest = groups - groups.mean(2, keepdims=True)
    y = rest / np.sqrt((rest * rest).mean(2, keepdims=True) + eps)
    return y.reshape(B, C, S) * w[:, None] + b[:, None]


def wide_cross_entropy_reference(logits, labels):
    e = np.exp(logits - logits.max(1, keepdims=True))
    p = e / e.sum(1, keepdims=True)
    rows = np.arange(len(labels))
    loss = -np.log(p[rows, labels])
    p[rows, labels] -= 1
    return dict(loss=loss, gradient=p)


def wide_argmax_reference(x):
    return dict(value=x.max(1), place=x.argmax(1))


def rows_of_tables_reference(table, index):
    return dict(out=table[index].sum(1), y=table[index] ** 2)


def wide_sums_reference(x, BACK):
    return np.flip(np.flip(x, 1).cumsum(1), 1) if BACK else x.cumsum(1)


def wide_recurrence_reference(a, b):
    h, state = np.zeros_like(b), 0.0
    for i in range(len(b)):
        h[i] = state = state * a[i] + b[i]
    return h


def wide_variance_reference(x):
    return dict(out=x.var(1), centred=x - x.mean(1, keepdims=True))


def moved_in_place_reference(x, N):
    return np.concatenate([x[:1], x[:N]])


def column_sums_reference(x):
    return dict(out=x.sum(0), y=x - x.sum(0))
