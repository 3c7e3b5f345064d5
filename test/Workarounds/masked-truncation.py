# One element of bfloat16, in a vector of its own, is stored with 32 bits: the next one becomes 0 as well.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*fp32,out=*bf16 --arch=x86-64-v4
# SHOWS-BY: cpu avx512bw
import triton
import triton.language as tl


#: x = fp32*32
#: out = bf16[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] -> bf16[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
@triton.jit
def masked_truncation(x, out):
    i = tl.arange(0, 32)
    tl.store(out + i, tl.load(x + i).to(tl.bfloat16), mask=i < 17)
