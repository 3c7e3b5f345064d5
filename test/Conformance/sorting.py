# sort and topk of values whose order is a matter of definition.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


# Every NaN has a place, so no number is lost beside it; zeros go by their sign.
#: x = fp32[3, nan, -inf, 0, -0.0, inf, -5, 1]
#: out -> fp32[-inf, -5, -0.0, 0, 1, 3, inf, nan, nan, inf, 3, 1, 0, -0.0, -5, -inf, nan, inf, 3, 1, 0, 0, 0, 0]
@triton.jit
def special_values(x, out):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    tl.store(out + i, tl.sort(v))
    tl.store(out + 8 + i, tl.sort(v.to(tl.bfloat16), descending=True).to(tl.float32))
    tl.store(out + 16 + i, tl.where(i < 4, 1.0, 0.0) * 0.0)
    tl.store(out + 16 + tl.arange(0, 4), tl.topk(v.to(tl.float16), 4))


#: x = i8[1, 0, 1, 0, 0, 1, 1, 0]
#: out -> i32[0, 0, 0, 0, 1, 1, 1, 1]
@triton.jit
def booleans(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.sort(tl.load(x + i) > 0).to(tl.int32))
