# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# An error inside a helper names the calls that lead there.

import triton
import triton.language as tl


@triton.jit
def inner(a):
    return a + missing


@triton.jit
def outer(a):
    return inner(a) * 2


@triton.jit
def k(p, n):
    tl.store(p, outer(n))

# CHECK: error_in_helper.py:11:16: error: 'missing' is not defined
# CHECK: error_in_helper.py:16:12: note: in call to 'inner' from here
# CHECK: error_in_helper.py:21:17: note: in call to 'outer' from here
# CHECK-NOT: error:
