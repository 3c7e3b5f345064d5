# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Shapes that do not broadcast.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.arange(0, 8) + tl.arange(0, 16)
    y = tl.load(p + tl.arange(0, 8), mask=tl.arange(0, 4) < n)

# CHECK: broadcast_mismatch.py:11:25: error: cannot broadcast the shapes [8] and [16]: dimension 0 is 8 and 16
# CHECK: broadcast_mismatch.py:12:9: error: cannot broadcast the shapes [8] and [4]: dimension 0 is 8 and 4
# CHECK-NOT: error:
