import triton
import triton.language as tl


@triton.jit
def first(x):
    tl.store(x, 1)


@triton.jit
def second(x):
    tl.store(x, 2)


@triton.jit
def third(x):
    tl.store(x, 3)
