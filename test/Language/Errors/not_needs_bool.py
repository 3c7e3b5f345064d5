# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# not, and, or need booleans.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    if not n:
        tl.store(p, 1.0)
    if n and n > 3:
        tl.store(p, 2.0)

# CHECK: not_needs_bool.py:11:8: error: 'not' needs an int1, found int32; compare with 0 instead
# CHECK: not_needs_bool.py:13:8: error: 'and' needs int1 operands, found int32; compare with 0 instead
# CHECK-NOT: error:
