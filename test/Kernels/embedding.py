# Rows of a table by token, and the way back: rows that several tokens share are added up by atomics, and the
# padding token learns nothing.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: embed
# TYPES: fp32 bf16
# SIZES: n=1 V=3 D=8 | n=37 V=11 D=80 | n=64 V=100 D=256
# BENCH: n=16384 V=32000 D=1024 T=bf16
# ARG: table randn:T[V,D]
# ARG: tokens randint(0,V):i64[n]
# ARG: out empty:T[n,D]
# ARG: n n
# CONST: D D
# CONST: TOKENS 8
# CONST: BLOCK min(256, next_power_of_2(D))
# GRID: cdiv(n, TOKENS)
#
# KERNEL: embed_backward
# TYPES: fp32
# SIZES: n=1 V=3 D=8 | n=37 V=11 D=80 | n=64 V=100 D=256
# BENCH: n=16384 V=32000 D=1024 T=fp32
# ARG: upstream randn:T[n,D]
# ARG: tokens randint(0,V):i64[n]
# ARG: gradient zeros:T[V,D]
# ARG: D D
# CONST: PADDING 1
# CONST: BLOCK next_power_of_2(D)
# GRID: n
# CHECK: gradient
# TOLERANCE: gradient 1e-5 1e-5
import triton
import triton.language as tl


@triton.jit
def embed(table, tokens, out, n, D: tl.constexpr, TOKENS: tl.constexpr, BLOCK: tl.constexpr):
    """A few tokens at once, through the columns in static steps."""
    place = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)
    token = tl.load(tokens + place, mask=place < n, other=0)
    for start in tl.static_range(0, D, BLOCK):
        col = start + tl.arange(0, BLOCK)
        inside = (place < n)[:, None] & (col < D)[None, :]
        row = tl.load(table + (token * D)[:, None] + col, mask=inside)
        tl.store(out + (place * D)[:, None] + col, row, mask=inside)


@triton.jit
def embed_backward(upstream, tokens, gradient, D, PADDING: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0)
    token = tl.load(tokens + place)
    col = tl.arange(0, BLOCK)
    if token != PADDING:
        share = tl.load(upstream + place * D + col, mask=col < D)
        tl.atomic_add(gradient + token * D + col, share, mask=col < D, sem="relaxed")


def embed_reference(table, tokens):
    return table[tokens]


def embed_backward_reference(upstream, tokens, gradient):
    np.add.at(gradient, tokens, upstream * (tokens != 1)[:, None])
    return gradient
