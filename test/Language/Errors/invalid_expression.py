# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# An operator without its right side.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = n +
    tl.store(p, x)

# CHECK: invalid_expression.py:11:12: error: expected an expression, found end of line
# CHECK-NOT: error:
