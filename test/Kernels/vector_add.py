# Sum of two vectors, with the host code that calls it.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: vector_add
# TYPES: fp32 fp16 bf16 i32
# SIZES: n=1 | n=1000 | n=8192
# BENCH: n=16777216 T=fp32
# ARG: a randint(-9,9):T[n]
# ARG: b randint(-9,9):T[n]
# ARG: c empty:T[n]
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
import torch
import triton
import triton.language as tl


@triton.jit
def vector_add(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)


def added(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    assert a.shape == b.shape
    c = torch.empty_like(a)
    vector_add[lambda meta: (triton.cdiv(a.numel(), meta["BLOCK"]),)](a, b, c, a.numel(), BLOCK=1024)
    return c


def vector_add_reference(a, b):
    return a + b
