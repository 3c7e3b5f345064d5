# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A line that returns to no outer level.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    if n > 0:
            tl.store(p, 1.0)
       tl.store(p, 2.0)

# CHECK: unindent_mismatch.py:13:8: error: unindent does not match any outer indentation level
# CHECK-NOT: error:
