# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A string without an end.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    tl.static_assert(True, "yes)

# CHECK: unterminated_string.py:11:28: error: unterminated string
# CHECK-NOT: error:
