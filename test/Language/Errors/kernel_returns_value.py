# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A kernel that returns data.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    return n

# CHECK: kernel_returns_value.py:11:12: error: a kernel cannot return a value; store it to memory
# CHECK-NOT: error:
