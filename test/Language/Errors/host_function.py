# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A call of a function that is not @triton.jit.

import triton
import triton.language as tl


def helper(a):
    return a + 1


@triton.jit
def k(p, n):
    x = helper(n)

# CHECK: host_function.py:15:9: error: cannot call the host function 'helper' in a kernel; only @triton.jit functions can be called
# CHECK: host_function.py:9:5: note: defined here
# CHECK-NOT: error:
