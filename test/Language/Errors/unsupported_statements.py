# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Statements that kernels do not have.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    for i in range(n):
        if i > 3:
            break
    try:
        x = 1
    except ValueError:
        x = 2
    while n > 0:
        continue

# CHECK: unsupported_statements.py:13:13: error: 'break' is not supported in a kernel
# CHECK: unsupported_statements.py:14:5: error: 'try' is not supported in a kernel
# CHECK: unsupported_statements.py:19:9: error: 'continue' is not supported in a kernel
# CHECK-NOT: error:
