# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Independent errors are all reported, consequences are not.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = first
    y = x + 1
    z = second + y
    tl.store(p, z)

# CHECK: several_errors.py:11:9: error: 'first' is not defined
# CHECK: several_errors.py:13:9: error: 'second' is not defined
# CHECK-NOT: error:
