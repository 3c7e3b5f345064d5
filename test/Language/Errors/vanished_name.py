# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A name that one branch alone defines.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    if n > 0:
        y = 1
    tl.store(p, y)

# CHECK: vanished_name.py:13:17: error: 'y' is not defined here
# CHECK: vanished_name.py:11:8: note: this 'if' assigns it in one branch only
# CHECK-NOT: error:
