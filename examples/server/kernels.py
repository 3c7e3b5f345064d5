"""What the server computes: functions of one vector."""

import triton
import triton.language as tl


@triton.heuristics({"BLOCK": lambda args: 128 if args["n"] <= 128 else 1024 if args["n"] <= 1024 else 8192})
@triton.jit
def softmax(out, x, n, BLOCK: tl.constexpr):
    """One program holds the whole vector, so there are three sizes of BLOCK; n is at most 8192."""
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=float("-inf"))
    weight = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + i, weight / tl.sum(weight, axis=0), mask=i < n)


@triton.jit
def gelu(out, x, n, BLOCK: tl.constexpr):
    """x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), which is x / (1 + exp(-2u))."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    bounded = tl.minimum(tl.maximum(value, -16.0), 16.0)
    u = 0.7978845608028654 * bounded * (1 + 0.044715 * bounded * bounded)
    tl.store(out + i, value / (1 + tl.exp(-2 * u)), mask=i < n)
