import triton
import triton.language as tl


@triton.jit
def größe(p):
    tl.store(p, 1.0)
