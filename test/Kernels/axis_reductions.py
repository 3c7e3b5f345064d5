# Reductions over an axis in the middle, over everything in two launches, and with what goes along: an index, a
# count, a mean and a variance merged from pieces, norms of any order, truth.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: amax_middle
# TYPES: fp32 fp16 i32
# SIZES: M=1 N=1 K=1 | M=3 N=50 K=33 | M=2 N=9 K=130
# BENCH: M=64 N=1024 K=1024 T=fp16
# ARG: x randint(-99,99):T[M,N,K]
# ARG: most empty:T[M,K]
# ARG: index empty:i64[M,K]
# ARG: N N
# ARG: K K
# CONST: BLOCK_N 16
# CONST: BLOCK_K 64
# GRID: M, cdiv(K, BLOCK_K)
#
# KERNEL: var_mean_partial
# TYPES: fp32
# SIZES: M=1 N=2 S=1 | M=3 N=1000 S=3
# BENCH: M=512 N=65536 S=8 T=fp32
# ARG: x randn(3,2):T[M,N]
# ARG: counts empty:fp32[M,S]
# ARG: means empty:fp32[M,S]
# ARG: squares empty:fp32[M,S]
# ARG: N N
# ARG: part cdiv(N, S)
# CONST: BLOCK 256
# GRID: M, S
# TOLERANCE: squares 1e-4 1e-4
# TOLERANCE: means 1e-5 1e-5
#
# KERNEL: var_mean_merge
# SIZES: M=3 S=1 | M=5 S=37
# BENCH: M=65536 S=64
# ARG: counts randint(1,9):fp32[M,S]
# ARG: means randn:fp32[M,S]
# ARG: squares rand(1,2):fp32[M,S]
# ARG: var empty:fp32[M]
# ARG: mean empty:fp32[M]
# ARG: correction 0.5
# ARG: S S
# CONST: BLOCK next_power_of_2(S)
# GRID: M
# TOLERANCE: var 1e-4 1e-5
# TOLERANCE: mean 1e-4 1e-5
#
# KERNEL: norm_rows
# TYPES: fp32 bf16
# SIZES: M=1 N=1 P=3 | M=5 N=700 P=3 | M=5 N=700 P=2 | M=5 N=700 P=0 | M=5 N=700 P=-1
# BENCH: M=4096 N=8192 P=3 T=bf16
# ARG: x randint(-3,4):T[M,N]
# ARG: out empty:fp32[M]
# ARG: M M
# ARG: N N
# ARG: order P + 0.0
# CONST: P P
# CONST: BLOCK_M 4
# CONST: BLOCK_N 256
# GRID: cdiv(M, BLOCK_M)
# TOLERANCE: out 1e-4 1e-4
#
# KERNEL: truth_of_blocks
# TYPES: fp32 i8
# SIZES: n=1 | n=100 | n=5000
# BENCH: n=16777216 T=fp32
# ARG: x randint(0,40):T[n]
# ARG: every empty:i1[cdiv(n, 512)]
# ARG: no empty:i1[cdiv(n, 512)]
# ARG: n n
# CONST: BLOCK 512
# GRID: cdiv(n, BLOCK)
#
# KERNEL: nanmean_atomic
# TYPES: fp32
# SIZES: M=1 N=1 | M=33 N=77
# BENCH: M=8192 N=4096 T=fp32
# ARG: x randint(-2,3):T[M,N]
# ARG: total zeros:fp32[N]
# ARG: number zeros:i32[N]
# ARG: stride_m N
# ARG: stride_n 1
# ARG: M M
# ARG: N N
# CONST: BLOCK_M 32
# CONST: BLOCK_N 64
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# CHECK: total number
import triton
import triton.language as tl


@triton.jit
def lowest(dtype: tl.constexpr):
    if dtype.is_floating():
        return tl.full([], float("-inf"), dtype)
    else:
        return tl.full([], -(2 ** (dtype.primitive_bitwidth - 1)), dtype)


@triton.jit
def larger_or_earlier(a, i, b, j):
    """Of two values with their places the larger one, or the one that comes first."""
    takes_b = (b > a) | ((b == a) & (j < i))
    return tl.where(takes_b, b, a), tl.where(takes_b, j, i)


@triton.jit
def amax_middle(x, most, index, N, K, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0)
    k = tl.program_id(1) * BLOCK_K + tl.arange(0, BLOCK_K)
    least = lowest(x.dtype.element_ty)
    best = tl.broadcast_to(least, BLOCK_N, BLOCK_K)
    place = tl.zeros((BLOCK_N, BLOCK_K), tl.int32)
    for start in range(0, N, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        mask = (n < N)[:, None] & (k < K)[None, :]
        v = tl.load(x + (m * N + n)[:, None] * K + k[None, :], mask=mask, other=least)
        best, place = larger_or_earlier(best, place, v, tl.broadcast_to(n[:, None], BLOCK_N, BLOCK_K))
    best, place = tl.reduce((best, place), 0, larger_or_earlier)
    tl.store(most + m * K + k, best, mask=k < K)
    tl.store(index + m * K + k, place.to(tl.int64), mask=k < K)


@triton.jit
def pooled(n_a, mean_a, squares_a, n_b, mean_b, squares_b):
    """Count, mean and sum of squared distances to it, of two samples together."""
    n = n_a + n_b
    share = n_b / tl.maximum(n, 1.0)
    distance = mean_b - mean_a
    return n, mean_a + distance * share, squares_a + squares_b + distance * distance * n_a * share


@triton.jit(do_not_specialize=["part"])
def var_mean_partial(x, counts, means, squares, N, part, BLOCK: tl.constexpr):
    """A sample in each lane, which grows by one value an iteration; then all lanes together."""
    row, split = tl.program_id(0), tl.program_id(1)
    end = min((split + 1) * part, N)
    n = tl.zeros([BLOCK], tl.float32)
    mean = tl.zeros([BLOCK], tl.float32)
    square = tl.zeros([BLOCK], tl.float32)
    for start in range(split * part, end, BLOCK):
        col = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * N + col, col < end, other=0.0).to(tl.float32)
        n, mean, square = pooled(n, mean, square, (col < end).to(tl.float32), v, 0.0)
    n, mean, square = tl.reduce((n, mean, square), 0, pooled)
    at = row * tl.num_programs(1) + split
    tl.store(counts + at, n)
    tl.store(means + at, mean)
    tl.store(squares + at, square)


@triton.jit
def var_mean_merge(counts, means, squares, var, mean, correction, S, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    split = tl.arange(0, BLOCK)
    at, mask = row * S + split, split < S
    parts = (tl.load(counts + at, mask, 0.0), tl.load(means + at, mask, 0.0), tl.load(squares + at, mask, 0.0))
    n, m, square = tl.reduce(parts, axis=0, combine_fn=pooled)
    tl.store(mean + row, m)
    tl.store(var + row, square / (n - correction))


@triton.jit
def power(x, exponent):
    """Of a value that is not negative; zero has no logarithm."""
    return tl.where(x > 0, tl.exp2(exponent * tl.log2(tl.where(x > 0, x, 1.0))), 0.0)


@triton.jit
def term(size, order, P: tl.constexpr):
    """What an element adds to the norm of its row."""
    if P == 0:
        return (size > 0).to(tl.float32)
    elif P == 2:
        return size * size
    else:
        return power(size, order)


@triton.jit
def norm_rows(x, out, M, N, order, P: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """The norm of that order; -1 stands for the least size of an element, as an order of minus infinity has it."""
    row = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    neutral: tl.constexpr = float("inf") if P == -1 else 0.0
    acc = tl.full([BLOCK_M, BLOCK_N], neutral, tl.float32)
    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        mask = (row < M)[:, None] & (col < N)[None, :]
        v = tl.load(x + row[:, None] * N + col[None, :], mask=mask, other=neutral)
        size = tl.abs(v.to(tl.float32))
        acc = tl.minimum(acc, size) if P == -1 else acc + term(size, order, P)
    if P == -1:
        norm = tl.min(acc, axis=1)
    elif P == 0:
        norm = tl.sum(acc, axis=1)
    elif P == 2:
        norm = tl.sqrt(tl.sum(acc, axis=1))
    else:
        norm = power(tl.sum(acc, axis=1), 1 / order)
    tl.store(out + row, norm, mask=row < M)


@triton.jit
def both(a, b):
    return a and b


@triton.jit
def either(a, b):
    return a or b


@triton.jit
def truth_of_blocks(x, every, no, n, BLOCK: tl.constexpr):
    """Whether all elements of a block are true, and whether none is."""
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(every + pid, tl.reduce((v != 0) | (i >= n), 0, both))
    tl.store(no + pid, not tl.reduce(v != 0, 0, either))


@triton.jit
def nanmean_atomic(x, total, number, stride_m, stride_n, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    value = tl.load(x + rm[:, None] * stride_m + rn[None, :] * stride_n, mask=mask, other=float("nan"))
    value = tl.where(value == 2, float("nan"), value)
    there = value == value
    tl.atomic_add(total + rn, tl.sum(tl.where(there, value, 0.0), axis=0), mask=rn < N, sem="relaxed")
    tl.atomic_add(number + rn, tl.sum(there.to(tl.int32), axis=0), mask=rn < N, sem="relaxed")


def amax_middle_reference(x):
    return {"most": x.max(1), "index": x.argmax(1)}


def var_mean_partial_reference(x, S, part):
    parts = [x[:, s * part:(s + 1) * part] for s in range(S)]
    return {"squares": np.stack([p.var(1) * p.shape[1] for p in parts], 1),
            "means": np.stack([p.mean(1) for p in parts], 1),
            "counts": np.stack([np.full(len(p), p.shape[1]) for p in parts], 1)}


def var_mean_merge_reference(counts, means, squares, correction):
    mean = (means * counts).sum(1) / counts.sum(1)
    square = squares.sum(1) + (counts * (means - mean[:, None]) ** 2).sum(1)
    return {"mean": mean, "var": square / (counts.sum(1) - correction)}


def norm_rows_reference(x, P):
    if P == -1:
        return abs(x).min(1)
    return (x != 0).sum(1) if P == 0 else (abs(x) ** P).sum(1) ** (1 / P)


def truth_of_blocks_reference(x):
    parts = [x[i:i + 512] != 0 for i in range(0, len(x), 512)]
    return {"every": np.array([p.all() for p in parts]), "no": np.array([not p.any() for p in parts])}


def nanmean_atomic_reference(x):
    return {"total": np.where(x == 2, 0, x).sum(0), "number": (x != 2).sum(0)}
