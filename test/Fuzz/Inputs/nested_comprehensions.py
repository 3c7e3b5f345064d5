import triton
import triton.language as tl

@triton.jit
def k(p: '*i32'):
    x = [[[(a, b) for b in (1,) * 1000] for a in (1,) * 1000] for c in (1,) * 1000]
    tl.store(p, 1)
