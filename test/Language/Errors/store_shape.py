# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A store of a block through one pointer.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    tl.store(p, tl.zeros([8], tl.float32))

# CHECK: store_shape.py:11:17: error: a scalar pointer takes a scalar value, found float32[8]
# CHECK-NOT: error:
