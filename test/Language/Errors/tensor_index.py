# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Indices other than : and None.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.arange(0, 8)
    a = x[0]
    b = x[0:4]
    c = x[:, :]

# CHECK: tensor_index.py:12:11: error: a block can be indexed by ':' and None only, found constexpr int
# CHECK: tensor_index.py:13:11: error: a block can be indexed by ':' and None only; a slice with bounds is not supported
# CHECK: tensor_index.py:14:14: error: too many ':' for int32[8]
# CHECK-NOT: error:
