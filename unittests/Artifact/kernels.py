# Kernels for the tests of compiled objects: small, and each with something of its own.

from typing import NamedTuple

import triton
import triton.language as tl


@triton.jit
def scale(out, x, factor, n, BLOCK: tl.constexpr):
    """Multiplies x by a factor.

    out and x have n elements."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=inside) * factor, mask=inside)


# Reads and writes with strides, so that each assumption about them changes the code.
@triton.jit
def transpose(out, x, rows, cols, stride_or, stride_oc, stride_xr, stride_xc, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < cols
    value = tl.load(x + row * stride_xr + offsets * stride_xc, mask=inside)
    tl.store(out + row * stride_or + offsets * stride_oc, value + row, mask=inside)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 128}, num_warps=4),
        triton.Config({"BLOCK": 32}, num_warps=1),
    ],
    key=["n"],
)
@triton.heuristics({
    "EVEN": lambda args: args["n"] % args["BLOCK"] == 0,
    "MODE": lambda args: "small" if args["n"] < 64 else "large",
})
@triton.jit
def tuned(out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, MODE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    result = BLOCK * 10 + (1 if EVEN else 0) + (2 if MODE == "small" else 4)
    if EVEN:
        tl.store(out + offsets, result)
    else:
        tl.store(out + offsets, result, mask=offsets < n)


@triton.jit
def types(out, flag: tl.int1, a: tl.int8, b: tl.uint8, c: tl.int16, d: tl.uint16, e: tl.int32,
          f: tl.uint32, g: tl.int64, h: tl.uint64, i: tl.float16, j: tl.bfloat16, k: tl.float32,
          l: tl.float64):
    tl.store(out + 0, flag.to(tl.float64))
    tl.store(out + 1, a.to(tl.float64))
    tl.store(out + 2, b.to(tl.float64))
    tl.store(out + 3, c.to(tl.float64))
    tl.store(out + 4, d.to(tl.float64))
    tl.store(out + 5, e.to(tl.float64))
    tl.store(out + 6, f.to(tl.float64))
    tl.store(out + 7, g.to(tl.float64))
    tl.store(out + 8, h.to(tl.float64))
    tl.store(out + 9, i.to(tl.float64))
    tl.store(out + 10, j.to(tl.float64))
    tl.store(out + 11, k.to(tl.float64))
    tl.store(out + 12, l)


@triton.jit
def checked(x, limit):
    tl.device_assert(tl.program_id(0) < limit, "too many programs")
    tl.store(x + tl.program_id(0), 1)


# Names that mean something in C++.
@triton.jit
def names(new, this, stream: tl.constexpr, template: tl.constexpr):
    tl.store(new, this + stream + (1 if template == "a" else 2))


class Matrix(NamedTuple):
    data: tl.tensor
    size: tl.tensor


# Each element of a tuple is a parameter in C++.
@triton.jit
def tuples(out, shape, shape_0, m, new):
    i = tl.program_id(0) * shape[0] + tl.program_id(1)
    tl.store(out + i, tl.load(m.data + i) * shape[1][1] * shape[2] + shape_0 + new[0])
