# A float that is -1 or 0 is converted to an unsigned integer, which has no -1.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*i32,out=*u32 --arch=sm_90
import triton
import triton.language as tl


#: x = i32[5, -5]
#: out -> u32[0, 0]
@triton.jit
def truth_as_unsigned(x, out):
    i = tl.arange(0, 2)
    truth = -(tl.load(x + i) > 0).to(tl.float32)
    tl.store(out + i, truth.to(tl.uint32))
