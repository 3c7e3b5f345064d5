# Rows of different lengths given by offsets: to a dense tile and back, sums over bags and segments found by bisection,
# softmax over the blocks of a sparse layout, a sparse matrix by a dense one, buckets, runs of equal values.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: jagged_to_dense
# TYPES: fp32 bf16
# SIZES: B=1 L=3 D=1 | B=5 L=20 D=33
# BENCH: B=1024 L=512 D=128 T=bf16
# ARG: values randn:T[B*L,D]
# ARG: offsets arange:i64[B+1]
# ARG: dense empty:T[B,L,D]
# ARG: stretch L
# ARG: padding -1.0
# ARG: D D
# CONST: L L
# CONST: BLOCK_L 16
# CONST: BLOCK_D next_power_of_2(D)
# GRID: B, cdiv(L, BLOCK_L)
#
# KERNEL: dense_to_jagged
# TYPES: fp32 i32
# SIZES: B=1 L=3 D=1 | B=5 L=20 D=33
# BENCH: B=1024 L=512 D=128 T=fp32
# ARG: dense randint(-9,9):T[B,L,D]
# ARG: offsets arange:i64[B+1]
# ARG: values full(7):T[B*L,D]
# ARG: stretch L
# ARG: B B
# ARG: L L
# ARG: D D
# ARG: total B*L
# CONST: STEPS 16
# CONST: BLOCK_M 16
# CONST: BLOCK_D next_power_of_2(D)
# GRID: cdiv(B*L, BLOCK_M)
# CHECK: values
#
# KERNEL: embedding_bag
# TYPES: fp32 fp16
# SIZES: B=1 L=1 V=3 D=1 MODE=0 | B=7 L=9 V=20 D=70 MODE=1 | B=7 L=9 V=20 D=70 MODE=2
# BENCH: B=16384 L=32 V=65536 D=128 MODE=1 T=fp16
# ARG: indices randint(0,V):i64[B*L]
# ARG: offsets arange:i64[B]
# ARG: weight randn:T[V,D]
# ARG: per_sample rand:T[B*L]
# ARG: out empty:T[B,D]
# ARG: stretch L
# ARG: B B
# ARG: D D
# ARG: n_indices B*L
# CONST: MODE MODE
# CONST: BLOCK_D next_power_of_2(D)
# GRID: B
# TOLERANCE: out 4e-3 4e-3
#
# KERNEL: blocksparse_softmax
# TYPES: fp32 bf16
# SIZES: Z=1 R=1 NNZ=1 BS=16 | Z=2 R=3 NNZ=4 BS=32
# BENCH: Z=64 R=64 NNZ=16 BS=64 T=bf16
# ARG: x randn(0,2):T[Z,R*NNZ,BS,BS]
# ARG: out empty:T[Z,R*NNZ,BS,BS]
# ARG: rows arange:i32[R]
# ARG: scale 0.5
# ARG: stride_z R*NNZ*BS*BS
# CONST: BLOCKS NNZ
# CONST: SIZE BS
# GRID: R*BS, Z
# TOLERANCE: out 9e-3 1e-4
#
# KERNEL: csr_by_dense
# TYPES: fp32
# SIZES: M=1 K=3 N=1 L=2 | M=17 K=30 N=70 L=5
# BENCH: M=65536 K=65536 N=128 L=16 T=fp32
# ARG: starts arange:i32[M+1]
# ARG: columns randint(0,K):i32[M*L]
# ARG: values randn:T[M*L]
# ARG: dense randn:T[K,N]
# ARG: out empty:T[M,N]
# ARG: stretch L
# ARG: N N
# CONST: BLOCK_N min(128, next_power_of_2(N))
# CONST: UNROLL 4
# GRID: M, cdiv(N, BLOCK_N)
# TOLERANCE: out 1e-4 1e-4
#
# KERNEL: bucketize
# TYPES: fp32 i64
# SIZES: n=1 B=1 RIGHT=False | n=1000 B=37 RIGHT=True | n=1000 B=37 RIGHT=False
# BENCH: n=16777216 B=1000 RIGHT=True T=fp32
# ARG: x randint(-5,100):T[n]
# ARG: boundaries arange:T[B]
# ARG: out empty:i64[n]
# ARG: n n
# ARG: n_boundaries B
# CONST: RIGHT RIGHT
# CONST: BLOCK 512
# GRID: cdiv(n, BLOCK)
#
# KERNEL: runs_of_equals
# TYPES: i64 fp32
# SIZES: n=1 | n=700
# BENCH: n=8192 T=i64
# ARG: x randint(0,3):T[n]
# ARG: values full(-5):T[n]
# ARG: inverse empty:i64[n]
# ARG: counts zeros:i32[n]
# ARG: total empty:i32[1]
# ARG: n n
# CONST: BLOCK next_power_of_2(n)
# GRID: 1
# CHECK: values inverse counts total
import triton
import triton.language as tl


@triton.jit
def bounds(offsets, row, stretch):
    """Where a row is; every other one is a little shorter."""
    return tl.load(offsets + row) * stretch, tl.load(offsets + row + 1) * stretch - row % 2


@triton.jit
def jagged_to_dense(values, offsets, dense, stretch, padding, D, L: tl.constexpr, BLOCK_L: tl.constexpr,
                    BLOCK_D: tl.constexpr):
    row = tl.program_id(0)
    begin, end = bounds(offsets, row, stretch)
    at = tl.program_id(1) * BLOCK_L + tl.arange(0, BLOCK_L)
    d = tl.arange(0, BLOCK_D)
    there = at < end - begin
    kept = there[:, None] & (d < D)[None, :]
    value = tl.load(values + (begin + at)[:, None] * D + d[None, :], mask=kept, other=padding)
    tl.store(dense + (row * L + at)[:, None] * D + d[None, :], value, mask=(at < L)[:, None] & (d < D)[None, :])


@triton.jit
def row_of(offsets, at, stretch, rows, STEPS: tl.constexpr):
    """The last row that begins at or before each place."""
    low = tl.zeros(at.shape, tl.int32)
    high = tl.zeros(at.shape, tl.int32) + rows
    for _ in tl.static_range(STEPS):
        middle = (low + high) // 2
        is_before = tl.load(offsets + middle, mask=middle < high, other=0) * stretch <= at
        is_before = is_before & (middle < high)
        low = tl.where(is_before, middle, low)
        high = tl.where(is_before, high, middle)
        low = tl.where(is_before & (middle + 1 < high), middle, low)
    return low


@triton.jit
def dense_to_jagged(dense, offsets, values, stretch, B, L, D, total, STEPS: tl.constexpr, BLOCK_M: tl.constexpr,
                    BLOCK_D: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, BLOCK_D)
    row = row_of(offsets, m, stretch, B, STEPS)
    at = m - tl.load(offsets + row) * stretch
    there = (m < total) & (at < stretch - row % 2)
    mask = there[:, None] & (d < D)[None, :]
    value = tl.load(dense + (row * L + at)[:, None] * D + d[None, :], mask=mask)
    tl.store(values + m[:, None] * D + d[None, :], value, mask=mask)


@triton.jit
def embedding_bag(indices, offsets, weight, per_sample, out, stretch, B, D, n_indices, MODE: tl.constexpr,
                  BLOCK_D: tl.constexpr):
    bag = tl.program_id(0)
    begin = tl.load(offsets + bag) * stretch
    if bag + 1 < B:
        end = tl.load(offsets + bag + 1) * stretch
    else:
        end = tl.cast(n_indices, tl.int64)
    d = tl.arange(0, BLOCK_D)
    total = tl.full([BLOCK_D], float("-inf") if MODE == 2 else 0.0, tl.float32)
    for i in range(begin, end):
        index = tl.load(indices + i)
        v = tl.load(weight + index * D + d, mask=d < D, other=0.0).to(tl.float32)
        if MODE == 0:
            total += v * tl.load(per_sample + i).to(tl.float32)
        elif MODE == 1:
            total += v
        else:
            total = tl.maximum(total, v)
    if MODE == 1:
        total = total / (end - begin).to(tl.float32)
    tl.store(out + bag * D + d, total, mask=d < D)


@triton.jit
def blocksparse_softmax(x, out, rows, scale, stride_z, BLOCKS: tl.constexpr, SIZE: tl.constexpr):
    """A softmax along a line through the blocks that one row of blocks has, in fp32."""
    line, z = tl.program_id(0), tl.program_id(1)
    block = tl.load(rows + line // SIZE) * BLOCKS + tl.arange(0, BLOCKS)
    at = z * stride_z + (block[:, None] * SIZE + line % SIZE) * SIZE + tl.arange(0, SIZE)[None, :]
    v = tl.load(x + at).to(tl.float32) * scale
    e = tl.exp(v - tl.max(v))
    tl.store(out + at, e / tl.sum(e))


@triton.jit
def csr_by_dense(starts, columns, values, dense, out, stretch, N, BLOCK_N: tl.constexpr, UNROLL: tl.constexpr):
    row = tl.program_id(0)
    begin, end = bounds(starts, row, stretch)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros([BLOCK_N], tl.float32)
    for k in range(begin, end, UNROLL):
        for u in tl.static_range(UNROLL):
            if k + u < end:
                column = tl.load(columns + k + u)
                total += tl.load(values + k + u) * tl.load(dense + column * N + n, mask=n < N, other=0.0)
    tl.store(out + row * N + n, total, mask=n < N)


@triton.jit
def bucketize(x, boundaries, out, n, n_boundaries, RIGHT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0)
    low = tl.zeros([BLOCK], tl.int32)
    high = tl.full([BLOCK], n_boundaries, tl.int32)
    size = n_boundaries
    while size > 0:
        middle = (low + high) // 2
        bound = tl.load(boundaries + middle, mask=low < high, other=0)
        above = (value >= bound) if RIGHT else (value > bound)
        open = low < high
        low = tl.where(above & open, middle + 1, low)
        high = tl.where(above | ~open, high, middle)
        size = size // 2
    tl.store(out + i, low.to(tl.int64), mask=i < n)


@triton.jit
def runs_of_equals(x, values, inverse, counts, total, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x + i, mask=mask)
    before = tl.load(x + i - 1, mask=mask & (i > 0))
    starts = ((i == 0) | (v != before)) & mask
    run = tl.cumsum(starts.to(tl.int32), axis=0) - 1
    tl.store(values + run, v, mask=starts)
    tl.store(inverse + i, run, mask=mask)
    tl.atomic_add(counts + run, 1, mask=mask, sem="relaxed")
    tl.store(total, tl.max(tl.where(mask, run, 0), 0) + 1)


def jagged_to_dense_reference(values, B, L, D, padding):
    dense = np.full((B, L, D), padding)
    for b in range(B):
        dense[b, :L - b % 2] = values[b * L:(b + 1) * L - b % 2]
    return dense


def dense_to_jagged_reference(dense, values, B, L):
    for b in range(B):
        values[b * L:(b + 1) * L - b % 2] = dense[b, :L - b % 2]
    return values


def embedding_bag_reference(indices, weight, per_sample, B, L, MODE):
    rows = weight[indices.astype(int)]
    if MODE == 0:
        rows = rows * per_sample[:, None]
    rows = rows.reshape(B, L, -1)
    return [rows.sum(1), rows.mean(1), rows.max(1)][MODE]


def blocksparse_softmax_reference(x, Z, R, NNZ, BS, scale):
    lines = x.reshape(Z, R, NNZ, BS, BS).transpose(0, 1, 3, 2, 4).reshape(Z, R, BS, NNZ * BS) * scale
    e = np.exp(lines - lines.max(3, keepdims=True))
    e /= e.sum(3, keepdims=True)
    return e.reshape(Z, R, BS, NNZ, BS).transpose(0, 1, 3, 2, 4).reshape(x.shape)


def csr_by_dense_reference(columns, values, dense, M, L):
    rows = [slice(m * L, (m + 1) * L - m % 2) for m in range(M)]
    return np.stack([values[r] @ dense[columns[r].astype(int)] for r in rows])


def bucketize_reference(x, boundaries, RIGHT):
    return np.searchsorted(boundaries, x, side="right" if RIGHT else "left")


def runs_of_equals_reference(x, values, counts):
    starts = np.concatenate([[True], x[1:] != x[:-1]])
    run = np.cumsum(starts) - 1
    values[:starts.sum()] = x[starts]
    return {"values": values, "inverse": run, "counts": np.bincount(run, minlength=len(x)),
            "total": np.array([starts.sum()])}
