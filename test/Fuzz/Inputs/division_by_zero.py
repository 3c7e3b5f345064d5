import triton
import triton.language as tl

@triton.jit
def k(p: '*i32'):
    a, b = tl.swizzle2d(1, 2, 0, 0, 0)
    tl.store(p, a)
    tl.store(p, 5 // 0)
    tl.store(p, 5 % 0)
