# The low bits of a float that an instruction computed are stored.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*fp32,out=*u16 --arch=sm_90 --num-warps=1
import triton
import triton.language as tl


#: x = fp32[1.1, -2.3]
#: out -> u16[52429, 13107, 52429, 13107, 52429, 13107, 52429, 13107, 52429, 13107, 52429, 13107, 52429, 13107, 52429, 13107, 52429, 13107, 52429, 13107, 52429, 13107, 52429, 13107, 52429, 13107, 52429, 13107, 52429, 13107, 52429, 13107]
#: options = --num-warps=1
@triton.jit
def low_bits_of_float(x, out):
    i = tl.arange(0, 32)
    number = tl.maximum(tl.load(x + i % 2), -3.0)
    tl.store(out + i, number.to(tl.uint32, bitcast=True).to(tl.uint16))
