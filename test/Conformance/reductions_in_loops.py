# Sums and maxima that a loop only adds up: no iterations, several, masks; -0.0, NaN and infinities.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


#: x = fp32[1, -2, 4, 0.5, -0.25]
#: n = 5
#: out -> fp32[3.25, 4, 3]
@triton.jit
def several(x, n, out):
    total = 0.0
    most = -float("inf")
    positive = 0
    for start in range(0, n, 2):
        at = start + tl.arange(0, 64)
        inside = (at < n) & (at < start + 2)
        v = tl.load(x + at, mask=inside, other=-1.0)
        total += tl.sum(tl.where(inside, v, 0.0))
        most = tl.maximum(most, tl.max(v))
        positive += tl.sum((v > 0).to(tl.int32))
    tl.store(out, total)
    tl.store(out + 1, most)
    tl.store(out + 2, positive.to(tl.float32))


#: x = fp32[-0.0]
#: n = 0
#: out -> fp32[-inf, -inf, 7]
@triton.jit
def none(x, n, out):
    total = tl.load(x)
    most = -float("inf")
    count = 7
    for start in range(0, n, 32):
        v = tl.load(x + start + tl.arange(0, 32))
        total += tl.sum(v)
        most = tl.maximum(most, tl.max(v))
        count += tl.sum(v.to(tl.int32))
    tl.store(out, 1.0 / total)  # The sign of zero.
    tl.store(out + 1, most)
    tl.store(out + 2, count.to(tl.float32))


#: x = fp32[1, nan, inf, -inf]
#: out -> fp32[nan, inf, -inf]
@triton.jit
def special(x, out):
    total = 0.0
    most = -float("inf")
    least = float("inf")
    for start in range(4):
        v = tl.load(x + start + tl.zeros([64], tl.int32))
        total += tl.sum(v)
        most = tl.maximum(most, tl.max(v))
        least = tl.minimum(least, tl.min(v))
    tl.store(out, total)
    tl.store(out + 1, most)
    tl.store(out + 2, least)


#: x = i32[1, 2, 3, 4, 5, 6, 7, 8]
#: out -> i32[30, 78]
@triton.jit
def rows_in_nested_loops(x, out):
    rows = tl.arange(0, 2)
    total = tl.zeros([2, 1], tl.int32)
    for _ in range(3):
        for half in range(2):
            at = half * 2 + tl.arange(0, 32)
            v = tl.load(x + rows[:, None] * 4 + at[None, :], mask=(at < half * 2 + 2)[None, :], other=0)
            total += tl.sum(v, axis=1, keep_dims=True)
    tl.store(out + rows[:, None], total)
