# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Sides of a run-time conditional of two types.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    a = 1.0 if n > 0 else 0
    tl.store(p, a)

# CHECK: conditional_types.py:11:9: error: both sides of a run-time conditional must have one type, found float32 and int32
# CHECK-NOT: error:
