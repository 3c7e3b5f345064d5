import triton
import triton.language as tl

@triton.jit
def k(p: '*i32'):
    x: tl.constexpr = 3 ** 300000
    y: tl.constexpr = x * x * x * x
    z: tl.constexpr = y * y * y * y * y
    tl.store(p, z % 7)
