# The code of a sort grows by the logarithm of its length: the steps of all stages are the same loop. In
# 2048 elements of one warp, 5 of 11 steps go through shuffles, each for the 64 elements of a thread.
#
# RUN: tilec %s --sig='x=*fp32:16,out=*fp32:16' -DBLOCK=2048 --num-warps=1 --arch=sm_90 -o - > %t.ptx
# RUN: grep -c 'shfl.sync' %t.ptx | FileCheck %s
# CHECK: {{^}}320{{$}}
import triton
import triton.language as tl


@triton.jit
def sorted_row(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i)))
