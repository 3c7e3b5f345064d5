# Kernels under @triton.autotune and @triton.heuristics, and code that is written with tuples, functions as
# arguments, static loops and list comprehensions.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: autotuned_scale
# TYPES: fp32
# SIZES: n=1 | n=1000
# BENCH: n=16777216 T=fp32
# ARG: x randn:T[n]
# ARG: out empty:T[n]
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
#
# KERNEL: heuristic_sum
# TYPES: fp32
# SIZES: M=1 N=1 | M=5 N=100
# BENCH: M=8192 N=2048 T=fp32
# ARG: x randn:T[M,N]
# ARG: out empty:T[M]
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# CONST: EVEN N == next_power_of_2(N)
# GRID: M
# TOLERANCE: out 1e-5 1e-5
#
# KERNEL: tuple_style
# TYPES: fp32
# SIZES: n=1 | n=1000
# BENCH: n=4194304 T=fp32
# ARG: a randn:T[n]
# ARG: b randn:T[n]
# ARG: c randn:T[n]
# ARG: out empty:T[n]
# ARG: n n
# CONST: ORDER 3
# CONST: BLOCK 512
# GRID: cdiv(n, BLOCK)
# TOLERANCE: out 1e-5 1e-5
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 512}, num_warps=2),
        triton.Config({"BLOCK": 1024}, num_warps=4),
        triton.Config({"BLOCK": 2048}, num_warps=8),
    ],
    key=["n"],
)
@triton.jit
def autotuned_scale(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, 2.5 * tl.load(x + offs, mask=offs < n), mask=offs < n)


@triton.heuristics({
    "BLOCK": lambda args: triton.next_power_of_2(args["N"]),
    "EVEN": lambda args: args["N"] == triton.next_power_of_2(args["N"]),
})
@triton.jit
def heuristic_sum(x, out, N, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    if EVEN:
        value = tl.load(x + row * N + cols)
    else:
        value = tl.load(x + row * N + cols, mask=cols < N, other=0.0)
    tl.store(out + row, tl.sum(value, axis=0))


@triton.jit
def square(x):
    return x * x


@triton.jit
def cube(x):
    return x * x * x


@triton.jit
def sum_and_difference(x, y):
    return x + y, x - y


@triton.jit
def load_all(pointers, offs, mask):
    return [tl.load(p + offs, mask=mask, other=0.0) for p in pointers]


@triton.jit
def apply_and_scale(x, fn: tl.constexpr, factor=0.5):
    return fn(x) * factor


@triton.jit
def tuple_style(a, b, c, out, n, ORDER: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    values = load_all((a, b, c), offs, mask)
    plus, minus = sum_and_difference(values[0], values[1])
    acc = apply_and_scale(plus, square) + apply_and_scale(minus, fn=cube, factor=0.25)
    powers = (values[2], square(values[2]), cube(values[2]))
    for i in tl.static_range(ORDER):
        acc += powers[i] * (i + 1)
    tl.store(out + offs, acc, mask=mask)


def autotuned_scale_reference(x):
    return 2.5 * x


def heuristic_sum_reference(x):
    return x.sum(1)


def tuple_style_reference(a, b, c):
    return 0.5 * (a + b)**2 + 0.25 * (a - b)**3 + c + 2 * c**2 + 3 * c**3
