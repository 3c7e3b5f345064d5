# The absolute value of the least integer overflows, and its result is widened.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*i16,out=*i32 --arch=sm_90
import triton
import triton.language as tl


#: x = i16[-32768, -7]
#: out -> i32[-32768, 7]
@triton.jit
def absolute_overflow(x, out):
    i = tl.arange(0, 2)
    tl.store(out + i, tl.abs(tl.load(x + i)).to(tl.int32))
