# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# What pointers do not do.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = p + 1.5
    y = p * 2
    if p == 0:
        tl.store(p, 1.0)

# CHECK: pointer_arithmetic.py:11:13: error: a pointer moves by integers, found an offset of type float32
# CHECK: pointer_arithmetic.py:12:11: error: cannot apply '*' to pointer<float32> and constexpr int
# CHECK: pointer_arithmetic.py:13:8: error: pointers cannot be compared; cast them to int64 first
# CHECK-NOT: error:
