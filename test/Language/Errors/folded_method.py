# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32:1" --emit=tile -o - 2>&1 | FileCheck %s

# A method of a parameter that the signature folds to 1.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    o = n.to(tl.int64)

# CHECK: folded_method.py:11:11: error: constexpr int has no attribute 'to'; a compile-time number has no methods of tensors, use tl.cast
# CHECK-NOT: error:
