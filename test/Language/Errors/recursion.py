# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Helpers that call each other with the same types, so that nothing ends it.

import triton
import triton.language as tl


@triton.jit
def even(a):
    return odd(a)


@triton.jit
def odd(a):
    return even(a)


@triton.jit
def k(p, n):
    x = even(n)

# CHECK: recursion.py:16:12: error: 'even' calls itself without end: with arguments of the same types and the same compile-time values
# CHECK: recursion.py:11:12: note: in call to 'odd' from here
# CHECK: recursion.py:21:9: note: in call to 'even' from here
# CHECK-NOT: error:
