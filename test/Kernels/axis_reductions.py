# Reductions over an axis in the middle, over everything in two launches, and with what goes along: an index, a
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
# count, a mean and a variance merged from pieces, norms of any order, truth.
#
# KERNEL: amax_middle
# TYPES: fp32 fp16 i32
# SIZES: M=1 N=1 K=1 | M=3 N=50 K=33 | M=2 N=9 K=130
# BENCH: M=64 N=1024 K=1024 T=fp16
# ARG: inp randint(-99,99):T[M,N,K]
# ARG: out empty:T[M,K]
# ARG: out_index empty:i64[M,K]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: TILE_K 64
# CONST: TILE_N 16
# CONST: ONE_TILE_PER_CTA N <= TILE_N
# GRID: M, cdiv(K, TILE_K)
#
# KERNEL: var_mean_partial
# TYPES: fp32
# SIZES: M=1 N=2 S=1 | M=3 N=1000 S=3
# BENCH: M=512 N=65536 S=8 T=fp32
# ARG: x randn(3,2):T[M,N]
# ARG: acc empty:fp32[M,S]
# ARG: average empty:fp32[M,S]
# ARG: count empty:fp32[M,S]
# ARG: M M
# ARG: N N
# ARG: per_block cdiv(N, S)
# CONST: BLOCK_N 256
# GRID: M, S
# TOLERANCE: acc 1e-4 1e-4
# TOLERANCE: average 1e-5 1e-5
#
# KERNEL: var_mean_merge
# SIZES: M=3 S=1 | M=5 S=37
# BENCH: M=65536 S=64
# ARG: acc rand(1,2):fp32[M,S]
# ARG: average randn:fp32[M,S]
# ARG: count randint(1,9):fp32[M,S]
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
# ARG: X randint(-3,4):T[M,N]
# ARG: Out empty:fp32[M]
# ARG: M M
# ARG: N N
# ARG: ord P + 0.0
# CONST: KIND P
# CONST: BLOCK_M 4
# CONST: BLOCK_N 256
# GRID: cdiv(M, BLOCK_M)
# TOLERANCE: Out 1e-4 1e-4
#
# KERNEL: all_first
# TYPES: fp32 i8
# SIZES: n=1 | n=100 | n=5000
# BENCH: n=16777216 T=fp32
# ARG: inp randint(0,40):T[n]
# ARG: mid empty:i1[cdiv(n, 512)]
# ARG: any_zero empty:i1[cdiv(n, 512)]
# ARG: n_elements n
# CONST: BLOCK_SIZE 512
# GRID: cdiv(n, BLOCK_SIZE)
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
        value: tl.constexpr = float("-inf")
    elif dtype.is_int_signed():
        value: tl.constexpr = -(2 ** (dtype.primitive_bitwidth - 1))
    else:
        value: tl.constexpr = 0
    return tl.cast(value, dtype)


@triton.jit
def amax_middle(inp, out, out_index, M, N, K, TILE_N: tl.constexpr, TILE_K: tl.constexpr,
                ONE_TILE_PER_CTA: tl.constexpr):
    pid_k = tl.program_id(1)
    pid_m = tl.program_id(0)
    k_offsets = pid_k * TILE_K + tl.arange(0, TILE_K)[None, :]
    if ONE_TILE_PER_CTA:
        n_offsets = tl.arange(0, TILE_N)[:, None]
        offset = pid_m * N * K + n_offsets * K + k_offsets
        mask = (n_offsets < N) & (k_offsets < K)
        value = tl.load(inp + offset, mask=mask, other=lowest(inp.dtype.element_ty))
        best, where = tl.max(value, 0, return_indices=True, keep_dims=True)
    else:
        best = tl.full((1, TILE_K), lowest(inp.dtype.element_ty), inp.dtype.element_ty)
        where = tl.zeros((1, TILE_K), dtype=tl.int32)
        for start_n in range(0, N, TILE_N):
            n_offsets = start_n + tl.arange(0, TILE_N)[:, None]
            offset = pid_m * N * K + n_offsets * K + k_offsets
            mask = (n_offsets < N) & (k_offsets < K)
            value = tl.load(inp + offset, mask=mask, other=lowest(inp.dtype.element_ty))
            local, at = tl.max(value, 0, return_indices=True, keep_dims=True)
            update = local > best
            best = tl.where(update, local, best)
            where = tl.where(update, at + start_n, where)
    out_offset = pid_m * K + k_offsets
    tl.store(out + out_offset, best, mask=k_offsets < K)
    tl.store(out_index + out_offset, where.to(tl.int64), mask=k_offsets < K)


@triton.jit
def merge(mean_x, count_x, m_x, mean_y, count_y, m_y):
    count = count_x + count_y
    safe = tl.maximum(count, 1)
    mean = (mean_x * count_x + mean_y * count_y) / safe
    m = m_x + count_x * mean_x * (mean_x - mean) + m_y + count_y * mean_y * (mean_y - mean)
    return mean, count, m


@triton.jit(do_not_specialize=["per_block"])
def var_mean_partial(x, acc, average, count, M, N, per_block, BLOCK_N: tl.constexpr):
    row, part = tl.program_id(0), tl.program_id(1)
    start = part * per_block
    end = min(start + per_block, N)
    m2 = tl.zeros((BLOCK_N,), tl.float32)
    mean = tl.zeros((BLOCK_N,), tl.float32)
    number = tl.zeros((BLOCK_N,), tl.float32)
    for off in range(start, end, BLOCK_N):
        cols = off + tl.arange(0, BLOCK_N)
        mask = cols < end
        value = tl.load(x + row * N + cols, mask, other=0.0).to(tl.float32)
        number += mask.to(tl.float32)
        delta = tl.where(mask, value - mean, 0.0)
        mean += delta / tl.maximum(number, 1.0)
        m2 += delta * tl.where(mask, value - mean, 0.0)
    # Sums of squares around the means of the lanes.
    whole = tl.sum(number, 0)
    centre = tl.sum(mean * number, 0) / tl.maximum(whole, 1.0)
    spread = tl.sum(m2 + number * (mean - centre) * (mean - centre), 0)
    at = row * tl.num_programs(1) + part
    tl.store(acc + at, spread)
    tl.store(average + at, centre)
    tl.store(count + at, whole)


@triton.jit
def var_mean_merge(acc, average, count, var, mean, correction, S, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < S
    a = tl.load(acc + row * S + at, mask, other=0.0)
    b = tl.load(average + row * S + at, mask, other=0.0)
    c = tl.load(count + row * S + at, mask, other=0.0)
    m, n, v = tl.reduce((b, c, a), axis=0, combine_fn=merge)
    tl.store(mean + row, m)
    tl.store(var + row, v / (n - correction))


@triton.jit
def norm_rows(X, Out, M, N, ord, KIND: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    X = X + pid * N
    Out = Out + pid
    row_mask = pid < M
    if KIND == -1:
        acc = tl.full([BLOCK_M, BLOCK_N], float("inf"), tl.float32)
    else:
        acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for off in range(0, N, BLOCK_N):
        cols = off + tl.arange(0, BLOCK_N)[None, :]
        mask = row_mask and cols < N
        a = tl.load(X + cols, mask, other=0.0 if KIND != -1 else float("inf")).to(tl.float32)
        if KIND == 2:
            acc += a * a
        elif KIND == 0:
            acc += tl.where(a != 0, 1, 0)
        elif KIND == -1:
            acc = tl.minimum(tl.abs(a), acc)
        else:
            # Zero has no logarithm.
            size = tl.abs(a)
            acc += tl.where(size > 0, tl.exp2(ord * tl.log2(tl.where(size > 0, size, 1.0))), 0.0)
    if KIND == -1:
        out = tl.min(acc, axis=1)[:, None]
    elif KIND == 0:
        out = tl.sum(acc, axis=1)[:, None]
    elif KIND == 2:
        out = tl.sqrt(tl.sum(acc, axis=1))[:, None]
    else:
        total = tl.sum(acc, axis=1)
        out = tl.where(total > 0, tl.exp2(tl.log2(tl.where(total > 0, total, 1.0)) / ord), 0.0)[:, None]
    tl.store(Out, out, row_mask)


@triton.jit
def reduce_all(a, b):
    return a and b


@triton.jit
def reduce_any(a, b):
    return a or b


@triton.jit
def all_first(inp, mid, any_zero, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    offset = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offset < n_elements
    value = tl.load(inp + offset, mask=mask, other=1.0)
    tl.store(mid + pid, tl.reduce(value != 0, axis=0, combine_fn=reduce_all))
    tl.store(any_zero + pid, tl.reduce((value == 0) & mask, axis=0, combine_fn=reduce_any))


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


def amax_middle_reference(inp):
    return {"out": inp.max(1), "out_index": inp.argmax(1)}


def var_mean_partial_reference(x, S, per_block):
    parts = [x[:, s * per_block:(s + 1) * per_block] for s in range(S)]
    return {"acc": np.stack([p.var(1) * p.shape[1] for p in parts], 1),
            "average": np.stack([p.mean(1) for p in parts], 1),
            "count": np.stack([np.full(len(p), p.shape[1]) for p in parts], 1)}


def var_mean_merge_reference(acc, average, count, correction):
    mean = (average * count).sum(1) / count.sum(1)
    var = acc.sum(1) + (count * (average - mean[:, None]) ** 2).sum(1)
    return {"mean": mean, "var": var / (count.sum(1) - correction)}


def norm_rows_reference(X, KIND):
    if KIND == -1:
        return abs(X).min(1)
    return (X != 0).sum(1) if KIND == 0 else (abs(X) ** KIND).sum(1) ** (1 / KIND)


def all_first_reference(inp):
    parts = [inp[i:i + 512] != 0 for i in range(0, len(inp), 512)]
    found = np.array([p.all() for p in parts])
    return {"mid": found, "any_zero": ~found}


def nanmean_atomic_reference(x):
    return {"total": np.where(x == 2, 0, x).sum(0), "number": (x != 2).sum(0)}
