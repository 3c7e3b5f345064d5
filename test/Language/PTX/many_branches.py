# What many branches in a row leave in use of shared memory is what is there, not every way through them.
#
# RUN: tilec %s --sig='x=*fp32:16,out=*fp32:16,n=i32' --num-warps=4 --arch=sm_90 -o - | grep -c bar.sync | FileCheck %s
# CHECK: {{^[0-9]+$}}
import triton
import triton.language as tl


@triton.jit
def branches(x, out, n):
    v = tl.load(x + tl.arange(0, 512))
    total = 0.0
    for k in tl.static_range(48):
        if n > k:
            total += tl.sum(v + total)
    tl.store(out, total)
