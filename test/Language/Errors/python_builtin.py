# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Functions of Python that kernels do not have.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = abs(n)
    y = sum(n)

# CHECK: python_builtin.py:11:9: error: 'abs' is not defined
# CHECK: python_builtin.py:12:9: error: 'sum' is not defined
# CHECK-NOT: error:
