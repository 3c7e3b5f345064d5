# RUN: not tilec %s --kernel=kk --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A kernel that the file does not have.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    tl.store(p, n)

# CHECK: error: no @triton.jit function is called 'kk'; the file has 'k'
# CHECK-NOT: error:
