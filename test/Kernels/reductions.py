# Reductions: along each axis of tiles, masked means, products by tl.reduce, any and all, counts, norms, moving averages
# and histograms.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: sum_axis
# TYPES: fp32
# SIZES: M=1 N=1 AXIS=0 | M=37 N=50 AXIS=0 | M=37 N=50 AXIS=1
# BENCH: M=8192 N=4096 AXIS=0 T=fp32
# ARG: inp randn:T[M,N]
# ARG: out empty:T[N if AXIS == 0 else M]
# ARG: M M
# ARG: N N
# CONST: AXIS AXIS
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# GRID: cdiv(N, BLOCK_N) if AXIS == 0 else cdiv(M, BLOCK_M)
# TOLERANCE: out 1e-5 1e-4
#
# KERNEL: masked_mean
# TYPES: bf16
# SIZES: B=1 S=1 D=8 | B=3 S=37 D=100
# BENCH: B=64 S=512 D=1024 T=bf16
# ARG: x randn:T[B,S,D]
# ARG: keep randint(0,2):i32[B,S]
# ARG: out empty:fp32[B,D]
# ARG: S S
# ARG: D D
# CONST: BLOCK_S 16
# CONST: BLOCK_D 64
# GRID: B, cdiv(D, BLOCK_D)
# TOLERANCE: out 1e-5 1e-5
#
# KERNEL: prod_any_all
# TYPES: fp32
# SIZES: M=1 N=1 | M=7 N=50
# BENCH: M=16384 N=1024 T=fp32
# ARG: inp randint(0,3):T[M,N]
# ARG: prod empty:T[M]
# ARG: any_out empty:i1[M]
# ARG: all_out empty:i1[M]
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# GRID: M
# WARPS: 4
# TOLERANCE: prod 1e-6 0
#
# KERNEL: count_true
# TYPES: fp32 i64
# SIZES: n=1 | n=5000
# BENCH: n=16777216 T=fp32
# ARG: x randint(0,3):T[n]
# ARG: count zeros:i32[1]
# ARG: n n
# CONST: BLOCK 1024
# CONST: STEPS 4
# GRID: cdiv(n, BLOCK * STEPS)
# CHECK: count
#
# KERNEL: histogram_atomic
# TYPES: i32
# SIZES: n=1 bins=8 | n=5000 bins=50
# BENCH: n=16777216 bins=4096 T=i32
# ARG: x randint(0,bins):T[n]
# ARG: out zeros:i32[bins]
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
# CHECK: out
#
# KERNEL: histogram_tile
# TYPES: i32
# SIZES: n=1 | n=5000
# BENCH: n=16777216 T=i32
# ARG: x randint(0,128):T[n]
# ARG: out zeros:i32[128]
# ARG: n n
# CONST: BINS 128
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
# CHECK: out
#
# KERNEL: moving_average
# TYPES: fp32
# SIZES: n=1 | n=1000
# BENCH: n=16777216 T=fp32
# ARG: x randn:T[n]
# ARG: out empty:T[n]
# ARG: n n
# CONST: WINDOW 8
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
# TOLERANCE: out 1e-5 1e-6
#
# KERNEL: vector_norm
# TYPES: fp32
# SIZES: n=1 | n=5000
# BENCH: n=33554432 T=fp32
# ARG: x randn:T[n]
# ARG: partial empty:fp32[cdiv(n,8192)]
# ARG: n n
# CONST: BLOCK 1024
# CONST: STEPS 8
# GRID: cdiv(n, BLOCK*STEPS)
# TOLERANCE: partial 1e-5 1e-5
import triton
import triton.language as tl


@triton.jit
def sum_axis(inp, out, M, N, AXIS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0)
    if AXIS == 0:
        n = pid * BLOCK_N + tl.arange(0, BLOCK_N)
        acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
        for start in range(0, M, BLOCK_M):
            m = start + tl.arange(0, BLOCK_M)
            acc += tl.load(inp + m[:, None] * N + n[None, :], mask=(m < M)[:, None] & (n < N)[None, :], other=0.0)
        tl.store(out + n, tl.sum(acc, axis=0), mask=n < N)
    else:
        m = pid * BLOCK_M + tl.arange(0, BLOCK_M)
        total = tl.zeros([BLOCK_M], tl.float32)
        for start in range(0, N, BLOCK_N):
            n = start + tl.arange(0, BLOCK_N)
            x = tl.load(inp + m[:, None] * N + n[None, :], mask=(m < M)[:, None] & (n < N)[None, :], other=0.0)
            total += tl.sum(x, axis=1)
        tl.store(out + m, total, mask=m < M)


@triton.jit
def masked_mean(x, keep, out, S, D, BLOCK_S: tl.constexpr, BLOCK_D: tl.constexpr):
    batch = tl.program_id(0)
    d = tl.program_id(1) * BLOCK_D + tl.arange(0, BLOCK_D)
    acc = tl.zeros([BLOCK_D], tl.float32)
    count = 0
    for start in range(0, S, BLOCK_S):
        s = start + tl.arange(0, BLOCK_S)
        flag = tl.load(keep + batch * S + s, mask=s < S, other=0)
        wanted = (flag[:, None] != 0) & (d < D)[None, :]
        value = tl.load(x + (batch * S + s[:, None]) * D + d[None, :], mask=wanted, other=0.0)
        acc += tl.sum(value.to(tl.float32), axis=0)
        count += tl.sum(flag, axis=0)
    tl.store(out + batch * D + d, acc / tl.maximum(count, 1), mask=d < D)


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def both(a, b):
    return a and b


@triton.jit
def prod_any_all(inp, prod, any_out, all_out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(inp + row * N + cols, mask=cols < N, other=1.0)
    tl.store(prod + row, tl.reduce(x, 0, multiply))
    nonzero = x != 0
    tl.store(any_out + row, tl.max((nonzero & (cols < N)).to(tl.int32), 0) > 0)
    tl.store(all_out + row, tl.reduce(nonzero, axis=0, combine_fn=both))


@triton.jit
def count_true(x, count, n, BLOCK: tl.constexpr, STEPS: tl.constexpr):
    found = tl.zeros([BLOCK], tl.int32)
    for step in tl.static_range(STEPS):
        i = (tl.program_id(0) * STEPS + step) * BLOCK + tl.arange(0, BLOCK)
        found += tl.load(x + i, mask=i < n, other=0) != 0
    tl.atomic_add(count, tl.sum(found))


@triton.jit
def histogram_atomic(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bin_index = tl.load(x + offs, mask=offs < n, other=0)
    tl.atomic_add(out + bin_index, 1, mask=offs < n, sem="relaxed")


@triton.jit
def histogram_tile(x, out, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    counts = tl.histogram(tl.load(x + offs, mask=mask, other=0), BINS, mask=mask)
    tl.atomic_add(out + tl.arange(0, BINS), counts)


@triton.jit
def moving_average(x, out, n, WINDOW: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for back in tl.static_range(WINDOW):
        at = offs - back
        acc += tl.load(x + at, mask=(at >= 0) & (offs < n), other=0.0)
    tl.store(out + offs, acc / tl.minimum(offs + 1, WINDOW), mask=offs < n)


@triton.jit
def vector_norm(x, partial, n, BLOCK: tl.constexpr, STEPS: tl.constexpr):
    start = tl.program_id(0) * BLOCK * STEPS
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for step in tl.static_range(0, STEPS):
        offs = start + step * BLOCK + tl.arange(0, BLOCK)
        value = tl.load(x + offs, mask=offs < n, other=0.0, eviction_policy="evict_first")
        acc += value * value
    tl.store(partial + tl.program_id(0), tl.sqrt(tl.sum(acc)))


def sum_axis_reference(inp, AXIS):
    return inp.sum(AXIS)


def masked_mean_reference(x, keep):
    return (x * keep[..., None]).sum(1) / np.maximum(keep.sum(1), 1)[:, None]


def prod_any_all_reference(inp):
    return dict(prod=inp.prod(1), any_out=(inp != 0).any(1), all_out=(inp != 0).all(1))


def count_true_reference(x):
    return np.array([np.count_nonzero(x)])


def histogram_atomic_reference(x, bins):
    return np.bincount(x, minlength=bins)


def histogram_tile_reference(x):
    return np.bincount(x, minlength=128)


def moving_average_reference(x):
    return np.array([x[max(0, i - 7):i + 1].mean() for i in range(len(x))])


def vector_norm_reference(x):
    return np.array([math.sqrt((x[i:i + 8192]**2).sum()) for i in range(0, len(x), 8192)])
