# map_elementwise: loops and branches for each element, several results, packs.
#
# RUN: tilec-run %s --kernel=steps --grid=1 --arg x='values(1,2,3,6,7,9,27,97):i32[8]' --arg out=empty:i32[8] \
# RUN:   --expect out='values(0,1,7,8,16,19,111,118):i32[8]'
# RUN: tilec-run %s --kernel=packs --grid=1 --arg x='arange:i32[256]' --arg out=empty:i32[3,4] \
# RUN:   --expect out='values(1,0,3,2,10,11,12,13,-10,-9,-8,-7):i32[3,4]'
import triton
import triton.language as tl


@triton.jit
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@triton.jit
def steps(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.map_elementwise(collatz, tl.load(x + i)))


@triton.jit
def swap(a, b, c, d):
    return b, a, a + c, b + d, a - c, b - d


@triton.jit
def packs(x, out):
    v = tl.load(x + tl.arange(0, 256))
    s, t, u = tl.map_elementwise(swap, v, tl.full([1], 10, tl.int32), pack=2)
    tl.static_assert(s.shape[0] == 256)
    i = tl.arange(0, 256)
    tl.store(out + i, s, mask=i < 4)
    tl.store(out + 4 + i, t, mask=i < 4)
    tl.store(out + 8 + i, u, mask=i < 4)
