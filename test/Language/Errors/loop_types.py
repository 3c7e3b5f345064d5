# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A loop-carried variable that changes its type.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    acc = 0.0
    for i in range(n):
        acc += tl.load(p + tl.arange(0, 64))

# CHECK: loop_types.py:12:14: error: the loop-carried variable 'acc' is of type float32 before the loop but becomes float32[64] in it
# CHECK-NOT: error:
