import triton
import triton.language as tl

@triton.jit
def k(p: '*fp32', q: '*fp32', n: 'i32'):
    acc = tl.zeros([1024], tl.float32)
    for i in range(n):
        a = i + tl.arange(0, 1024)
        for _ in tl.static_range(28):
            a = a + (a ^ 5)
        acc += tl.load(p + a, mask=a < n)
    tl.store(q + tl.arange(0, 1024), acc)
