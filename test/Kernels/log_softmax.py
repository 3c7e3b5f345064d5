# The logarithm of a softmax, a few rows at a time, and of sums of exponentials over parts of a row.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: log_softmax
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=5 N=781 | M=9 N=2048
# BENCH: M=8192 N=2048 T=bf16
# ARG: x randn:T[M,N]
# ARG: out empty:T[M,N]
# ARG: M M
# ARG: N N
# CONST: ROWS 4
# CONST: COLS min(512, next_power_of_2(N))
# GRID: cdiv(M, ROWS)
# TOLERANCE: out 8e-3 1e-5
#
# KERNEL: logsumexp_parts
# TYPES: fp32
# SIZES: N=1 D=1 | N=4 D=781 | N=3 D=4096
# BENCH: N=8192 D=16384 T=fp32
# ARG: x randn(0,3):T[N,D]
# ARG: out empty:fp32[N,cdiv(D,4096)]
# ARG: D D
# ARG: temperature 2.0
# CONST: BLOCK 4096
# GRID: cdiv(D, BLOCK), N
import triton
import triton.language as tl


@triton.jit
def log_softmax(x, out, M, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    """A first walk for the norm of each row, a second one that subtracts it."""
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    lane = tl.arange(0, COLS)[None, :]
    top = tl.full((ROWS, 1), float("-inf"), tl.float32)
    total = tl.zeros((ROWS, 1), tl.float32)
    for start in range(0, N, COLS):
        inside = row < M and start + lane < N
        v = tl.load(x + row * N + start + lane, mask=inside, other=0.0).to(tl.float32)
        higher = tl.maximum(top, tl.max(tl.where(inside, v, -1e30), axis=1, keep_dims=True))
        terms = tl.where(inside, tl.exp(v - higher), 0.0)
        total = total * tl.exp(top - higher) + tl.sum(terms, axis=1, keep_dims=True)
        top = higher
    norm = top + tl.log(total)
    for start in range(0, N, COLS):
        inside = row < M and start + lane < N
        v = tl.load(x + row * N + start + lane, mask=inside).to(tl.float32)
        tl.store(out + row * N + start + lane, v - norm, mask=inside)


@triton.jit
def logsumexp_parts(x, out, D, temperature, BLOCK: tl.constexpr):
    part, row = tl.program_id(0), tl.program_id(1)
    i = part * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + row.to(tl.int64) * D + i, mask=i < D, other=float("-inf")) / temperature
    top = tl.max(v)
    tl.store(out + row * tl.num_programs(0) + part, top + tl.log(tl.sum(tl.exp(v - top))))


def log_softmax_reference(x):
    return x - np.log(np.exp(x).sum(1, keepdims=True))


def logsumexp_parts_reference(x, D, temperature):
    parts = [x[:, d:d + 4096] / temperature for d in range(0, D, 4096)]
    return np.stack([np.log(np.exp(p).sum(1)) for p in parts], 1)
