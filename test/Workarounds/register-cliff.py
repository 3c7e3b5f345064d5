# A thread needs more registers than it can have: the rest is spilled, and ptxas spills most of them where it need not.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=x=*fp32:16,out=*fp32:16 --arch=sm_90 --num-warps=4
# SHOWS-BY: spills
import triton
import triton.language as tl


#: x = fp32*65536
#: out = fp32*65536
#: options = --num-warps=4
@triton.jit
def register_cliff(x, out):
    i = tl.arange(0, 32768)
    first, second = tl.load(x + i), tl.load(x + 32768 + i)
    product = tl.sum(first * second, axis=0)
    tl.store(out + i, first * product)
    tl.store(out + 32768 + i, second * product)
