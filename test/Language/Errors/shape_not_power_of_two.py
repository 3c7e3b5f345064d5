# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A block with an odd dimension.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.zeros([4, 6], tl.float32)

# CHECK: shape_not_power_of_two.py:11:9: error: dimension 1 of the shape must be a power of two, found 6
# CHECK-NOT: error:
