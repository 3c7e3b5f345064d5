# ptxas finds that a mask is false everywhere, so it knows the fp8 bytes that are converted.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*u8,out=*fp32 --arch=sm_90
import triton
import triton.language as tl


#: x = u8*512
#: out -> fp32[0]
@triton.jit
def known_fp8(x, out):
    i = tl.arange(0, 512)
    behind = tl.load(x.to(tl.pointer_type(tl.float8e4nv)) + i, mask=i >= 724)
    tl.store(out, tl.sum(behind.to(tl.float32)))
