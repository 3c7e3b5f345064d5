# Programs that wait for each other: a prefix sum with look-back through flags, the last program to arrive finishing the
# sum, partial results under a lock, tickets that hand out work, the least of packed values by compare and swap.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: scan_by_lookback
# TYPES: fp32 i32
# SIZES: n=1 | n=5000
# BENCH: n=16777216 T=i32
# ARG: x randint(0,3):T[n]
# ARG: out empty:T[n]
# ARG: state zeros:i64[cdiv(n, 1024)]
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
# CHECK: out state
#
# KERNEL: scan_by_flags
# TYPES: fp32
# SIZES: n=1 | n=5000
# BENCH: n=4194304 T=fp32
# ARG: x randint(0,3):T[n]
# ARG: out empty:T[n]
# ARG: flags zeros:i32[cdiv(n, 1024)]
# ARG: sums zeros:fp32[2, cdiv(n, 1024)]
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
# CHECK: out flags
#
# KERNEL: last_block_sum
# TYPES: fp32 bf16
# SIZES: M=1 N=1 S=1 | M=3 N=5000 S=7
# BENCH: M=16 N=4194304 S=64 T=bf16
# ARG: x randint(-3,4):T[M,N]
# ARG: partial zeros:fp32[M,S]
# ARG: arrived zeros:i32[M]
# ARG: out empty:fp32[M]
# ARG: N N
# ARG: part cdiv(N, S)
# CONST: SPLITS S
# CONST: PADDED next_power_of_2(S)
# CONST: BLOCK 512
# GRID: S, M
# CHECK: out arrived
#
# KERNEL: grouped_column_sums
# TYPES: fp32 fp16
# SIZES: M=1 N=1 G=1 | M=37 N=70 G=4
# BENCH: M=16384 N=4096 G=64 T=fp16
# ARG: x randint(-3,4):T[M,N]
# ARG: partial zeros:fp32[G,N]
# ARG: locks zeros:i32[2,G]
# ARG: N N
# CONST: GROUPS G
# CONST: BLOCK next_power_of_2(N)
# GRID: M
# CHECK: partial
#
# KERNEL: tickets
# SIZES: n=5 P=2 | n=300 P=7
# BENCH: n=16384 P=264
# ARG: lengths randint(1,500):i32[n]
# ARG: counter zeros:i32[2]
# ARG: out empty:i32[n]
# ARG: n n
# CONST: BLOCK 128
# GRID: P
# CHECK: out counter
#
# KERNEL: nearest_packed
# SIZES: M=3 K=2 n=1 | M=50 K=5 n=700
# BENCH: M=4096 K=64 n=1048576
# ARG: distance rand(0,1.9):fp32[n]
# ARG: cell randint(0,M):i32[n]
# ARG: best full(2**62):i64[M]
# ARG: n n
# CONST: BLOCK 256
# GRID: cdiv(n, BLOCK)
# CHECK: best
import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def word_of(value, kind: tl.constexpr):
    """The bits of a value above what they are: 1 for the sum of a block, 2 for that of all blocks up to it."""
    return (value.to(tl.uint32, bitcast=True).to(tl.uint64) << 32) | kind


@triton.jit
def scan_by_lookback(x, out, state, n, BLOCK: tl.constexpr):
    """Each word of the state can be read whole, so that no order of memory is needed."""
    state = state.to(tl.pointer_type(tl.uint64), bitcast=True)
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0)
    own = tl.reduce(value, 0, add)
    tl.atomic_xchg(state + pid, word_of(own, 1), sem="relaxed")
    before = tl.full([], 0, own.dtype)
    look = pid - 1
    while look >= 0:
        word = tl.atomic_or(state + look, 0, sem="relaxed")
        kind = (word & 3).to(tl.int32)
        found = (word >> 32).to(tl.uint32).to(own.dtype, bitcast=True)
        # A word that is still zero is read again.
        before += tl.where(kind > 0, found, 0)
        look = tl.where(kind == 2, -1, look - kind)
    tl.atomic_xchg(state + pid, word_of(before + own, 2), sem="relaxed")
    tl.store(out + i, tl.associative_scan(value, 0, add) + before, mask=i < n)


@triton.jit
def scan_by_flags(x, out, flags, sums, n, BLOCK: tl.constexpr):
    pid, programs = tl.program_id(0), tl.num_programs(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offs, mask=offs < n, other=0.0)
    own = tl.sum(value, 0)
    tl.store(sums + pid, own)
    tl.debug_barrier()
    tl.atomic_xchg(flags + pid, 1, sem="release")
    before = 0.0
    look = pid - 1
    while look >= 0:
        flag = tl.atomic_add(flags + look, 0, sem="acquire")
        if flag == 2:
            before += tl.load(sums + programs + look, volatile=True)
            look = -1
        elif flag == 1:
            before += tl.load(sums + look, volatile=True)
            look -= 1
    tl.store(sums + programs + pid, before + own)
    tl.debug_barrier()
    tl.atomic_xchg(flags + pid, 2, sem="release")
    tl.store(out + offs, tl.cumsum(value, 0) + before, mask=offs < n)


@triton.jit(do_not_specialize=["part"])
def last_block_sum(x, partial, arrived, out, N, part, SPLITS: tl.constexpr, PADDED: tl.constexpr,
                   BLOCK: tl.constexpr):
    split, row = tl.program_id(0), tl.program_id(1)
    start = split * part
    end = tl.minimum(start + part, N)
    total = tl.zeros([BLOCK], tl.float32)
    for off in range(start, end, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        total += tl.load(x + row.to(tl.int64) * N + cols, mask=cols < end, other=0.0).to(tl.float32)
    tl.store(partial + row * SPLITS + split, tl.sum(total))
    tl.debug_barrier()
    # Whoever is last sees what all others have written.
    if tl.atomic_add(arrived + row, 1, sem="acq_rel") == SPLITS - 1:
        at = tl.arange(0, PADDED)
        parts = tl.load(partial + row * SPLITS + at, mask=at < SPLITS, other=0.0, cache_modifier=".cg")
        tl.store(out + row, tl.sum(parts))
        tl.atomic_xchg(arrived + row, 0)


@triton.jit
def grouped_column_sums(x, partial, locks, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    group = row % GROUPS
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    value = tl.load(x + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    lock = locks + group
    count = lock + GROUPS
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    # The first one stores, later ones add.
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        value += tl.load(partial + group * N + cols, mask=mask, other=0.0)
    tl.store(partial + group * N + cols, value, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def tickets(lengths, counter, out, n, BLOCK: tl.constexpr):
    ticket = tl.atomic_add(counter, 1)
    while ticket < n:
        length = tl.load(lengths + ticket)
        total = tl.zeros([BLOCK], tl.int32)
        for start in range(0, length, BLOCK):
            i = start + tl.arange(0, BLOCK)
            total += tl.where(i < length, i, 0)
        tl.store(out + ticket, tl.sum(total, 0))
        ticket = tl.atomic_add(counter, 1)
    # The last program to end leaves the counters as they were.
    if tl.atomic_add(counter + 1, 1) == tl.num_programs(0) - 1:
        tl.atomic_xchg(counter, 0)
        tl.atomic_xchg(counter + 1, 0)


@triton.jit
def nearest_packed(distance, cell, best, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    d = tl.load(distance + i, mask=mask, other=float("inf"))
    c = tl.load(cell + i, mask=mask, other=0)
    # Bits of floats that are not negative are in order; the index breaks ties.
    key = (d.to(tl.int32, bitcast=True).to(tl.int64) << 32) | i.to(tl.int64)
    tl.atomic_min(best + c, key, mask=mask)


def scan_by_lookback_reference(x, T):
    sums = np.cumsum(np.pad(x, (0, -len(x) % 1024)))[1023::1024]
    bits = sums.astype(np.float32).view(np.int32) if T == "fp32" else sums.astype(np.int32)
    return {"out": np.cumsum(x), "state": (bits.astype(np.int64) << 32) | 2}


def scan_by_flags_reference(x):
    return {"out": np.cumsum(x), "flags": np.full(-(-len(x) // 1024), 2)}


def last_block_sum_reference(x):
    return {"out": x.sum(1), "arrived": np.zeros(len(x))}


def grouped_column_sums_reference(x, G):
    return np.stack([x[g::G].sum(0) for g in range(G)])


def tickets_reference(lengths):
    return {"out": lengths * (lengths - 1) // 2, "counter": np.zeros(2)}


def nearest_packed_reference(distance, cell, best):
    keys = (distance.astype(np.float32).view(np.int32).astype(np.int64) << 32) | np.arange(len(distance))
    best = best.astype(np.int64)
    np.minimum.at(best, cell.astype(int), keys)
    return best
