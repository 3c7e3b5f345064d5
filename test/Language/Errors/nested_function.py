# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A function inside a kernel.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    def inner(v):
        return v
    tl.store(p, inner(n))

# CHECK: nested_function.py:11:9: error: a nested function is not supported in a kernel
# CHECK-NOT: error:
