# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A reshape that loses elements.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.arange(0, 8).reshape(2, 2)

# CHECK: reshape_count.py:11:9: error: cannot reshape int32[8] to [2, 2]: 8 elements became 4
# CHECK-NOT: error:
