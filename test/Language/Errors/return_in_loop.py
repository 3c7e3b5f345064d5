# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A return inside a run-time loop.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    for i in range(n):
        if i > 3:
            return
        tl.store(p + i, 1.0)

# CHECK: return_in_loop.py:13:13: error: 'return' is not supported inside a run-time loop
# CHECK-NOT: error:
