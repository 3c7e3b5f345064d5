# RUN: not tilec %s --kernel=k --sig="*fp32:8,i32" --emit=tile -o - 2>&1 | FileCheck %s

# A divisibility other than 16.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    tl.store(p, n)

# CHECK: --sig:1:7: error: the hint after ':' must be 16 or 1, found '8'
# CHECK-NOT: error:
