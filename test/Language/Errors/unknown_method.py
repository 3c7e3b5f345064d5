# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A misspelt method.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.arange(0, 8)
    y = x.summ(0)

# CHECK: unknown_method.py:12:11: error: int32[8] has no attribute 'summ'; did you mean 'sum'?
# CHECK-NOT: error:
