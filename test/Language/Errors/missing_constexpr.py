# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A tl.constexpr parameter without a value.

import triton
import triton.language as tl


@triton.jit
def k(p, n, BLOCK: tl.constexpr):
    x = tl.arange(0, BLOCK)

# CHECK: missing_constexpr.py:10:13: error: the tl.constexpr parameter 'BLOCK' has no value; -DBLOCK=VALUE gives it one
# CHECK-NOT: error:
