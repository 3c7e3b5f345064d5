# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Division of different signedness.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    u = n.to(tl.uint32)
    x = u // n

# CHECK: mixed_signedness.py:12:11: error: cannot divide uint32 by int32 because they differ in signedness; cast one of them
# CHECK-NOT: error:
