# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Returns of two types.

import triton
import triton.language as tl


@triton.jit
def pick(a):
    if a > 0:
        return a
    return 1.5


@triton.jit
def k(p, n):
    tl.store(p, pick(n))

# CHECK: return_types.py:13:5: error: inconsistent return types: float32 here, int32 before
# CHECK: return_types.py:12:9: note: the other return is here
# CHECK: return_types.py:18:17: note: in call to 'pick' from here
# CHECK-NOT: error:
