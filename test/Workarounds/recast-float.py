# The bits of a half, taken as a bfloat, are compared with zero.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*fp16,out=*i8 --arch=sm_90
# SHOWS-BY: failure
import triton
import triton.language as tl


#: x = fp16[1, 0, -0.0, 5]
#: out -> i8[1, 0, 0, 1]
@triton.jit
def recast_float(x, out):
    i = tl.arange(0, 4)
    half = tl.load(x + i) + 0.0
    tl.store(out + i, half.to(tl.bfloat16, bitcast=True).to(tl.int1).to(tl.int8))
