# Points where the language differs from Python or from what one expects, with their results. The points that
# are errors are in test/Language/Errors/subtle_points.py.
#
# RUN: tilec-run %s --kernel=types --grid=1 --arg out=empty:i32[1] --expect out='values(1):i32[1]'
# RUN: tilec-run %s --kernel=numbers --grid=1 --arg out=empty:i32[40] --arg n=-7 \
# RUN:   --expect out='values(-3,-1,-4,1,1,0,0,0,1,1,0,-1073741824,1073741824,0,5,2,-2,1,1,2,3,7,2,0,1,10,4,11,9,7,6,3,2,1,0,45,0,7,3,1):i32[40]'
# RUN: tilec-run %s --kernel=memory --grid=1 --arg p='arange:i32[64]' --arg b=zeros:i1[4] --arg out=empty:i32[44] \
# RUN:   --expect out='values(2,-2,1,1,1,1,0,8,0,0,0,0,1,2,0,0,2,3,0,0,3,4,0,0,4,5,0,0,5,6,0,0,6,7,0,0,7,8,0,0,77,78,79,80):i32[44]'
# RUN: tilec-run %s --kernel=folded --grid=1 --arg out=empty:i64[3] --arg stride=1 --arg n=1 --arg none=None \
# RUN:   --expect out='values(1,1099511627776,3):i64[3]'
import triton
import triton.language as tl


@triton.jit
def make(v):
    return tl.zeros([v], tl.int32)


@triton.jit
def nothing(x):
    return


@triton.jit
def types(out):
    i = tl.arange(0, 16)
    half = i.to(tl.float16)
    brain = i.to(tl.bfloat16)
    single = i.to(tl.float32)
    unsigned = i.to(tl.uint32)
    byte = i.to(tl.int8)
    wide = i.to(tl.int64)
    s = 0.5
    tl.static_assert((half * s).dtype == tl.float32)
    tl.static_assert((half * 0.5).dtype == tl.float16)
    tl.static_assert(tl.maximum(half, 0.0).dtype == tl.float32)
    tl.static_assert(tl.where(i > 3, half, 0.0).dtype == tl.float16)
    tl.static_assert(tl.maximum(brain, brain).dtype == tl.float32)
    tl.static_assert((brain + brain).dtype == tl.bfloat16)
    tl.static_assert((i * brain).dtype == tl.float32)
    tl.static_assert((i * half).dtype == tl.float16)
    tl.static_assert((half + brain).dtype == tl.float16)
    tl.static_assert((half / half).dtype == tl.float32)
    tl.static_assert((half % 2).dtype == tl.float32)
    tl.static_assert((wide / wide).dtype == tl.float32)
    tl.static_assert((unsigned + i).dtype == tl.uint32)
    tl.static_assert((unsigned == -1).dtype == tl.int1)
    k = 3000000000
    tl.static_assert(k.dtype == tl.uint32)
    e = 1e-40
    tl.static_assert((single + e).dtype == tl.float64)
    tl.static_assert((single + 1e-40).dtype == tl.float32)
    y = None
    if tl.program_id(0) > 0:
        y = 1
    tl.static_assert(y is None)
    tl.static_assert(make(32).shape[0] == 32)
    tl.static_assert(tl.sum(byte, 0).dtype == tl.int32)
    tl.static_assert(tl.sum(i > 3, 0).dtype == tl.uint32)
    tl.static_assert(tl.sum(brain, 0).dtype == tl.bfloat16)
    tl.static_assert(tl.cumsum(brain, 0).dtype == tl.float32)
    tl.static_assert(tl.max(i.to(tl.uint8), 0).dtype == tl.int32)
    v, at = tl.max(i.to(tl.uint8), 0, return_indices=True)
    tl.static_assert(v.dtype == tl.uint8)
    tl.static_assert(at.dtype == tl.int32)
    tl.static_assert(((i > 3) + (i > 4)).dtype == tl.int1)
    nb = tl.cdiv(100, 16)
    tl.static_assert(nb.dtype == tl.int32)
    tl.static_assert(tl.arange(0, i.shape[0]).shape[0] == 16)
    tl.static_assert(nothing(3) is None)
    tl.static_assert(tl.topk(half, 8).dtype == tl.float32)
    tl.static_assert(tl.sort(half).dtype == tl.float16)
    N: tl.constexpr = 4
    tl.static_assert(not isinstance(N, tl.constexpr))
    tl.static_assert(isinstance(N, int))
    tl.static_assert(isinstance(i, tl.tensor))
    tl.store(out, 1)


@triton.jit
def numbers(out, n):
    i = tl.arange(0, 4)
    nan = float("nan")
    C: tl.constexpr = -7 // 2
    tl.store(out, n // 2)
    tl.store(out + 1, n % 2)
    tl.store(out + 2, C)
    tl.store(out + 3, (n.to(tl.uint32) == -7).to(tl.int32))
    tl.store(out + 4, (n.to(tl.int8) < 200).to(tl.int32))
    tl.store(out + 5, (n < 3000000000).to(tl.int32))
    z = tl.full([4], -0.0, tl.float32)
    w = -tl.zeros([4], tl.float32)
    tl.store(out + 6, tl.sum(z.to(tl.int32, bitcast=True), 0))
    tl.store(out + 7, tl.sum(w.to(tl.int32, bitcast=True), 0))
    if n:
        tl.store(out + 8, 1)
    x = tl.where(i == 0, nan, 1.0)
    tl.store(out + 9, tl.max(x, 0).to(tl.int32))
    both = tl.maximum(x, 1.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(out + 10, tl.sum((both == both).to(tl.int32), 0) - 3)
    top = i * 0 + -2147483648
    tl.store(out + 11, tl.max(top >> 1, 0))
    tl.store(out + 12, tl.max((top.to(tl.uint32) >> 1).to(tl.int32), 0))
    tl.store(out + 13, n * 65536 * 65536)
    q = out + tl.full([1], 4294967295, tl.uint32)
    tl.store(out + 14, ((tl.max(q.to(tl.int64), 0) - out.to(tl.int64)) >> 32).to(tl.int32) + 2)
    tl.store(out + 15, (2.9 + tl.program_id(0)).to(tl.int32))
    tl.store(out + 16, (-2.9 - tl.program_id(0)).to(tl.int32))
    tl.store(out + 17, tl.sum((x != x).to(tl.int32), 0))
    tl.store(out + 18, tl.argmax(tl.where((i == 1) | (i == 2), 7, i), 0))
    m = i < 2
    tl.store(out + 19, tl.sum((m + m == 0).to(tl.int32), 0) - 2)
    tl.store(out + 20, tl.sum((i < 3).to(tl.int32), 0))
    v = True and -n
    tl.store(out + 21, v)
    a, b = (2, 0, 3)
    tl.store(out + 22, a)
    tl.store(out + 23, b)
    tl.store(out + 24, 1 if C < 0 else 0.5)
    total = 0
    for k in range(4, -1, -1):
        total += k
    tl.store(out + 25, total)
    count = 0
    for k in range(0, 10, 3):
        count += 1
    tl.store(out + 26, count)
    step = 0
    while tl.condition(step < 11):
        step += 1
    tl.store(out + 27, step)
    r = tl.rand(42, tl.full([1], 7, tl.int32)) == tl.rand(42, tl.full([1], 7, tl.int64))
    tl.store(out + 28, tl.sum(r.to(tl.int32), 0) + 8)
    ok = (n < 0) and (n > -8)
    tl.store(out + 29, ok.to(tl.int32) + 6)
    for k in tl.static_range(7):
        last = k
    tl.store(out + 30, last)
    tl.store(out + 31, tl.argmax(i, 0, tie_break_left=False))
    tl.store(out + 32, tl.where(n < 0, 2, 3))
    tl.store(out + 33, (not (n > 0)).to(tl.int32))
    assert n > 0, "removed in builds without checks"
    tl.store(out + 34, 0)
    tl.store(out + 35, tl.sum(tl.arange(0, 16), 0) - 75)
    tl.store(out + 36, tl.swizzle2d(1, 0, 4, 4, 2)[0] * 16 + tl.cdiv(-n, 3) * 0)
    tl.store(out + 37, tl.umulhi(n.to(tl.uint32), 1) + 7)
    tl.store(out + 38, min(3, n + 10))
    tl.store(out + 39, max(-1, 1))


@triton.jit
def memory(p, b, out):
    i = tl.arange(0, 4)
    tl.store(out, 2.9)
    tl.store(out + 1, -2.9)
    tl.store(b + i, 2)
    tl.store(out + 2 + i, tl.load(b + i))
    tl.store(b + i, 0.5)
    tl.store(out + 6, tl.max(tl.load(b + i).to(tl.int32), 0))
    wide = tl.load(p + tl.arange(0, 8)[:, None] + i[None, :], mask=i[None, :] < 2, other=0)
    tl.static_assert(wide.shape[1] == 4)
    tl.store(out + 7, wide.shape[0])
    tl.store(out + 8 + tl.arange(0, 8)[:, None] * 4 + i[None, :], wide)
    tl.store(out + 8 + i, i * 0)
    tl.store(p, 76)
    tl.atomic_add(p, 1)
    low = tl.load(p, mask=True)
    tl.store(out + 40 + i, low + i)


@triton.jit
def folded(out, stride, n: tl.int64, none):
    tl.store(out, tl.cast(stride, tl.int64))
    tl.static_assert(n.dtype == tl.int64)
    tl.store(out + 1, n << 40)
    if none is None:
        tl.store(out + 2, 3)
    else:
        tl.store(none, 4)
