# A difference of bfloats beyond the range of half is rounded to half.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*bf16,y=*bf16,out=*fp16 --arch=sm_90
# SHOWS-BY: ptx sub\.f16
import triton
import triton.language as tl


#: x = bf16[131072, 3]
#: y = bf16[131072, 1]
#: out -> fp16[0, 2]
@triton.jit
def bfloat_as_half(x, y, out):
    i = tl.arange(0, 2)
    difference = tl.load(x + i).to(tl.float32) - tl.load(y + i).to(tl.float32)
    tl.store(out + i, difference.to(tl.float16))
