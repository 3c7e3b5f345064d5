# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A variable with another type in a branch.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    acc = 0
    if n > 0:
        acc = 1.5
    tl.store(p, acc)

# CHECK: branch_types.py:12:8: error: the initial value of 'acc' is of type int32, but the then block redefines it as float32
# CHECK-NOT: error:
