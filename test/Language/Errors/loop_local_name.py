# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A name that a loop body defines.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    for i in range(n):
        y = i
    tl.store(p, y)

# CHECK: loop_local_name.py:13:17: error: 'y' is not defined here
# CHECK: loop_local_name.py:11:14: note: names assigned in a loop are not visible after it
# CHECK-NOT: error:
