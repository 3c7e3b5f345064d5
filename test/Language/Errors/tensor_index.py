# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Indices other than : and None.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.arange(0, 8)
    a = x[0]
    b = x[0:4]
    c = x[:, :, None]
    d = x[:, None, :, None]
    e = n[0]
    f = n[:, None, None]
    g = n[:, 0]
    h = x[:, ...]

# CHECK: tensor_index.py:12:11: error: a block can be indexed by ':' and None only, found constexpr int
# CHECK: tensor_index.py:13:11: error: a block can be indexed by ':' and None only; a slice with bounds is not supported
# CHECK: tensor_index.py:14:17: error: None at index 2 is beyond the axes of int32[8]
# CHECK: tensor_index.py:15:23: error: None at index 3 is beyond the axes of int32[8, 1]
# CHECK: tensor_index.py:16:11: error: a block can be indexed by ':' and None only, found constexpr int
# CHECK: tensor_index.py:17:20: error: None at index 2 is beyond the axes of int32[1]
# CHECK: tensor_index.py:18:14: error: a block can be indexed by ':' and None only, found constexpr int
# CHECK: tensor_index.py:19:14: error: '...' is not supported in a kernel
# CHECK-NOT: error:
