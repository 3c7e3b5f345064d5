# A negation of 16 bits, or of 8, overflows, and its result is widened.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*i16,y=*i8,out=*i64 --arch=sm_90
import triton
import triton.language as tl


#: x = i16[-32768, 7]
#: y = i8[-128, 7]
#: out -> i64[-32768, -7, -128, -7]
@triton.jit
def negation_overflow(x, y, out):
    i = tl.arange(0, 2)
    tl.store(out + i, (-tl.load(x + i)).to(tl.int64))
    tl.store(out + 2 + i, (-tl.load(y + i)).to(tl.int64))
