# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A misspelt variable.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    offset = tl.arange(0, 8)
    tl.store(p + ofset, 1.0)

# CHECK: unknown_name.py:12:18: error: 'ofset' is not defined; did you mean 'offset'?
# CHECK-NOT: error:
