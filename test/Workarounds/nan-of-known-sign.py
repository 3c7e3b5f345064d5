# NaN is not above a negative number, nor is its absolute value.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*fp32,out=*i32 --arch=sm_90
import triton
import triton.language as tl


#: x = fp32[nan, -2.0]
#: out -> i32[0, 1]
@triton.jit
def nan_of_known_sign(x, out):
    i = tl.arange(0, 2)
    tl.store(out + i, (tl.abs(tl.load(x + i)) > -1.0).to(tl.int32))
