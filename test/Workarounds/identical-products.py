# Both halves of the rows have the same constant factor, so their instructions are the same.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*i32,out=*i32 --arch=sm_90a --num-warps=4
import triton
import triton.language as tl


#: x = i32[3]
#: out -> i32[0]
#: options = --num-warps=4
@triton.jit
def identical_products(x, out):
    i = tl.arange(0, 16)
    right = (tl.load(x) + i[:, None] + i[None, :]).to(tl.float16)
    sums = tl.dot(tl.full((128, 16), 1, tl.float16), right)
    wrong = sums != tl.sum(right.to(tl.float32), axis=0)[None, :]
    tl.store(out, tl.sum(tl.sum(wrong.to(tl.int32), axis=1), axis=0))
