# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A header without its colon.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    if n > 0
        tl.store(p, 1.0)

# CHECK: missing_colon.py:11:13: error: expected ':' after the condition of 'if'
# CHECK-NOT: error:
