# An integer of one bit, which half makes infinite, is converted on to a wider float.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*i64,out=*fp32 --arch=sm_90
# SHOWS-BY: cpu
# SHOWS-BY: ptx cvt\.rn\.f32\.[su]64
import triton
import triton.language as tl


#: x = i64[4294967296, 5]
#: out -> fp32[inf, 0]
@triton.jit
def integer_as_half(x, out):
    i = tl.arange(0, 2)
    tl.store(out + i, (tl.load(x + i) & 4294967296).to(tl.float16).to(tl.float32))
