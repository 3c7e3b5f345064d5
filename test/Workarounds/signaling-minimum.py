# The smaller of a number and a signaling NaN is the number, where it shall be NaN.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*u8,bits=*u32,out=*i1 --arch=x86-64-v4
# SHOWS-BY: cpu avx512dq
import triton
import triton.language as tl


#: x = u8[1]
#: bits = u32[2139095041]
#: out = i1[0] -> i1[1]
@triton.jit
def signaling_minimum(x, bits, out):
    number = tl.load(x).to(tl.float32)
    least = tl.minimum(number, tl.load(bits).to(tl.float32, bitcast=True), propagate_nan=tl.PropagateNan.ALL)
    tl.store(out, least != least)
