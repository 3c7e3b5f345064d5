# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A constexpr that is assigned twice.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    N: tl.constexpr = 1
    N: tl.constexpr = 2

# CHECK: constexpr_reassigned.py:12:5: error: 'N' is already defined; a constexpr cannot be reassigned
# CHECK-NOT: error:
