# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Expressions that kernels do not have.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    a = lambda v: v
    b = {1: 2}
    c = (d := 3)
    e = 0 <= n < 4
    f = n in (1, 2)
    g = a = 1

# CHECK: unsupported_expressions.py:11:9: error: a lambda is not supported in a kernel
# CHECK: unsupported_expressions.py:12:9: error: a dictionary is not supported in a kernel
# CHECK: unsupported_expressions.py:13:10: error: an assignment expression is not supported in a kernel
# CHECK: unsupported_expressions.py:14:9: error: a chained comparison is not supported; write (a < b) & (b < c)
# CHECK: unsupported_expressions.py:15:9: error: 'in' is not supported in a kernel
# CHECK: unsupported_expressions.py:16:9: error: several targets in one assignment are not supported
# CHECK-NOT: error:
