# RUN: not tilec %s --kernel=k --sig="p=*kfp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A store through a pointer to const.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    tl.store(p, 1.0)

# CHECK: store_const.py:11:14: error: cannot store through a pointer to const
# CHECK-NOT: error:
