# Running sums: of rows in one block, of long rows with a carry, per chunk as linear attention takes them, and a
# recurrence by an associative scan.
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
# KERNEL: chunk_local_cumsum
# TYPES: fp32
# SIZES: B=1 S=64 H=2 REV=False | B=2 S=128 H=3 REV=True
# BENCH: B=8 S=8192 H=32 REV=False T=fp32
# ARG: s randn:T[B,S,H]
# ARG: o empty:fp32[B,S,H]
# ARG: S S
# CONST: H H
# CONST: BT 64
# CONST: REVERSE REV
# GRID: S//64, B*H
# TOLERANCE: o 1e-5 1e-5
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
def chunk_local_cumsum(s, o, S, H: tl.constexpr, BT: tl.constexpr, REVERSE: tl.constexpr):
    i_t, i_bh = tl.program_id(0), tl.program_id(1)
    i_b, i_h = i_bh // H, i_bh % H
    at = i_b * S * H + (i_t * BT + tl.arange(0, BT)) * H + i_h
    b_s = tl.load(s + at).to(tl.float32)
    b_o = tl.cumsum(b_s, axis=0)
    if REVERSE:
        b_z = tl.sum(b_s, axis=0)
        b_o = -b_o + b_z[None] + b_s
    tl.store(o + at, b_o.to(o.dtype.element_ty))


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


def cumsum_rows_reference(inp):
    return inp.cumsum(1)


def cumsum_carry_reference(inp):
    return inp.cumsum(1)


def chunk_local_cumsum_reference(s, B, H, REV):
    chunks = s.reshape(B, -1, 64, H)
    return (chunks[:, :, ::-1].cumsum(2)[:, :, ::-1] if REV else chunks.cumsum(2)).reshape(s.shape)


def linear_recurrence_reference(a, b):
    h = np.zeros_like(b)
    state = np.zeros(len(b))
    for t in range(b.shape[1]):
        state = state * a[:, t] + b[:, t]
        h[:, t] = state
    return h
