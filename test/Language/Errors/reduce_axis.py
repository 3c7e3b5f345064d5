# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# An axis that the block does not have.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.sum(tl.arange(0, 8), axis=1)
    y = tl.max(n, axis=0)

# CHECK: reduce_axis.py:11:38: error: axis 1 is out of range for a block of rank 1
# CHECK: reduce_axis.py:12:16: error: tl.max takes a block, found int32
# CHECK-NOT: error:
