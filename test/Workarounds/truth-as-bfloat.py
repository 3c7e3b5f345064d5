# A signed truth value, -1 where it is set, is converted to bfloat.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*i32,y=*fp32,out=*bf16 --arch=sm_90
# SHOWS-BY: ptx selp\.b32\s+%r\d+, 1, 0, %p\d+;\s+cvt\.rn\.bf16\.s32
import triton
import triton.language as tl


#: x = i32[5, 5]
#: y = fp32[1, -1]
#: out -> bf16[-1, 0]
@triton.jit
def truth_as_bfloat(x, y, out):
    i = tl.arange(0, 2)
    truth = (tl.load(x + i) > 0) & (tl.load(y + i) > 0.0)
    tl.store(out + i, tl.where(truth, -1, 0).to(tl.int16).to(tl.bfloat16))
