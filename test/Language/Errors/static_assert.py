# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" -DBLOCK=32 --emit=tile -o - 2>&1 | FileCheck %s

# A static assertion that fails, and one that is no bool.

import triton
import triton.language as tl


@triton.jit
def k(p, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK >= 64, "block too small")
    tl.static_assert(BLOCK)

# CHECK: static_assert.py:11:5: error: static assertion failed: block too small
# CHECK: static_assert.py:12:22: error: argument 'cond' of tl.static_assert must be a constexpr bool, found constexpr int
# CHECK-NOT: error:
