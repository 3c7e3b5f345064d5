# Running sums: of rows in one block, of long rows with a carry, within chunks of time from either end, and a
# recurrence by an associative scan; maxima so far with their places.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: cumsum_rows
# TYPES: fp32 bf16 i32
# SIZES: M=1 N=1 | M=5 N=781 | M=3 N=1024
# BENCH: M=8192 N=4096 T=fp32
# ARG: inp randint(-5,6):T[M,N]
# ARG: out empty:T[M,N]
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# GRID: M
#
# KERNEL: cumsum_carry
# TYPES: fp32
# SIZES: M=1 N=1 | M=2 N=5000
# BENCH: M=1024 N=65536 T=fp32
# ARG: inp randint(-5,6):T[M,N]
# ARG: out empty:T[M,N]
# ARG: N N
# CONST: BLOCK 1024
# GRID: M
#
# KERNEL: sums_within_chunks
# TYPES: fp32
# SIZES: B=1 L=64 H=2 BACK=False | B=2 L=100 H=3 BACK=True
# BENCH: B=8 L=8192 H=32 BACK=False T=fp32
# ARG: x randn:T[B,L,H]
# ARG: out empty:fp32[B,L,H]
# ARG: L L
# CONST: H H
# CONST: CHUNK 64
# CONST: BACK BACK
# GRID: cdiv(L, CHUNK), B
# TOLERANCE: out 1e-5 1e-5
#
# KERNEL: linear_recurrence
# TYPES: fp32
# SIZES: M=1 N=1 | M=3 N=200
# BENCH: M=16384 N=1024 T=fp32
# ARG: a rand(0,1):T[M,N]
# ARG: b randn:T[M,N]
# ARG: h empty:T[M,N]
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# GRID: M
# TOLERANCE: h 1e-5 1e-5
#
# KERNEL: running_maxima
# TYPES: fp32 i32
# SIZES: N=1 | N=777 | N=4096
# BENCH: N=33554432 T=fp32
# ARG: x randint(-50,51):T[N]
# ARG: values empty:T[N]
# ARG: places empty:i64[N]
# ARG: N N
# CONST: BLOCK 1024
# GRID: cdiv(N, BLOCK)
import triton
import triton.language as tl


@triton.jit
def cumsum_rows(inp, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(inp + row * N + cols, mask=cols < N, other=0)
    tl.store(out + row * N + cols, tl.cumsum(x, axis=0), mask=cols < N)


@triton.jit
def cumsum_carry(inp, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    carry = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(inp + row * N + cols, mask=cols < N, other=0.0)
        tl.store(out + row * N + cols, tl.cumsum(x, 0) + carry, mask=cols < N)
        carry += tl.sum(x, 0)


@triton.jit
def sums_within_chunks(x, out, L, H: tl.constexpr, CHUNK: tl.constexpr, BACK: tl.constexpr):
    """All heads of a chunk at once: time is the first axis."""
    t = tl.program_id(0) * CHUNK + tl.arange(0, CHUNK)
    h = tl.arange(0, triton.next_power_of_2(H))
    at = (tl.program_id(1) * L + t)[:, None] * H + h[None, :]
    inside = (t < L)[:, None] & (h < H)[None, :]
    tl.store(out + at, tl.load(x + at, inside, other=0.0).cumsum(0, reverse=BACK), inside)


@triton.jit
def first_order(a_left, b_left, a_right, b_right):
    return a_left * a_right, b_left * a_right + b_right


@triton.jit
def linear_recurrence(a, b, h, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    decay = tl.load(a + row * N + cols, mask=mask, other=1.0)
    value = tl.load(b + row * N + cols, mask=mask, other=0.0)
    _, state = tl.associative_scan((decay, value), 0, first_order)
    tl.store(h + row * N + cols, state, mask=mask)


@triton.jit
def later_maximum(a, i, b, j):
    """The larger value, and of equal ones the later place."""
    first = (a > b) | ((a == b) & (i > j))
    return tl.where(first, a, b), tl.where(first, i, j)


@triton.jit
def running_maxima(x, values, places, N, BLOCK: tl.constexpr):
    """Within each block; the mask keeps loads narrow where N is no multiple of their width."""
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < N
    value = tl.load(x + offsets, mask=mask, other=-1000)
    largest, place = tl.associative_scan((value, offsets), 0, later_maximum)
    tl.store(values + offsets, largest, mask=mask)
    tl.store(places + offsets, place, mask=mask)


def cumsum_rows_reference(inp):
    return inp.cumsum(1)


def cumsum_carry_reference(inp):
    return inp.cumsum(1)


def sums_within_chunks_reference(x, L, BACK):
    chunks = [x[:, t:t + 64] for t in range(0, L, 64)]
    return np.concatenate([np.flip(np.flip(c, 1).cumsum(1), 1) if BACK else c.cumsum(1) for c in chunks], 1)


def linear_recurrence_reference(a, b):
    h = np.zeros_like(b)
    state = np.zeros(len(b))
    for t in range(b.shape[1]):
        state = state * a[:, t] + b[:, t]
        h[:, t] = state
    return h


def running_maxima_reference(x):
    values, places = np.empty_like(x), np.empty(len(x), np.int64)
    for t in range(len(x)):
        begins = t % 1024 == 0 or x[t] >= values[t - 1]
        values[t], places[t] = (x[t], t) if begins else (values[t - 1], places[t - 1])
    return dict(values=values, places=places)
