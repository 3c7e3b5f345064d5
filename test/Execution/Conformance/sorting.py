# sort, topk and bitonic_merge: rows of several lengths, both directions, widening.
#
# RUN: tilec-run %s --kernel=sorts --grid=1 --arg x='values(5,3,9,1,7,-7,2,8):fp32[2,4]' --arg out=empty:fp32[20] -D M=2 -D N=4 -D K=3 \
# RUN:   --expect out='values(1,3,5,9,-7,2,7,8,9,5,3,1,8,7,2,-7,9,5,8,7):fp32[20]'
# RUN: tilec-run %s --kernel=reversed --grid=1 --arg x='arange(2047,-1):i32[2048]' --arg out=empty:i32[2048] -D N=2048 --num-warps=4 \
# RUN:   --expect out='arange:i32[2048]'
# RUN: tilec-run %s --kernel=reversed --grid=1 --arg x='arange(63,-1):u8[64]' --arg out=empty:u8[64] -D N=64 --num-warps=8 \
# RUN:   --expect out='arange:u8[64]'
# RUN: tilec-run %s --kernel=widens --grid=1 --arg x='arange:fp16[64]' --arg out=empty:fp32[8] --expect out='arange(63,-1):fp32[8]'
# RUN: tilec-run %s --kernel=merges --grid=1 --arg x='values(1,4,6,9,8,7,3,0):i32[8]' --arg out=empty:i32[16] \
# RUN:   --expect out='values(0,1,3,4,6,7,8,9,9,8,7,6,4,3,1,0):i32[16]'
import triton
import triton.language as tl


@triton.jit
def sorts(x, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    tl.store(out + at, tl.sort(v))
    tl.store(out + M * N + at, tl.sort(v, dim=1, descending=True))
    t = tl.topk(v, K)
    tl.static_assert(t.shape[1] == 2)
    tl.store(out + 2 * M * N + tl.arange(0, M)[:, None] * 2 + tl.arange(0, 2)[None, :], t)


@triton.jit
def reversed(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@triton.jit
def widens(x, out):
    v = tl.load(x + (tl.arange(0, 64) * 37) % 64)
    tl.static_assert(tl.sort(v).dtype == tl.float16)
    t = tl.topk(v, 8)
    tl.static_assert(t.dtype == tl.float32)
    tl.store(out + tl.arange(0, 8), t)


@triton.jit
def merges(x, out):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    tl.store(out + i, tl.bitonic_merge(v))
    tl.store(out + 8 + i, tl.bitonic_merge(v, descending=True))
