# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s
# RUN: env TRITON_ALLOW_NON_CONSTEXPR_GLOBALS=1 tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - | FileCheck %s --check-prefix=ALLOWED

# A module-level number that is not a tl.constexpr.

import triton
import triton.language as tl


BLOCK = 64


@triton.jit
def k(p, n):
    x = tl.arange(0, BLOCK)

# CHECK: plain_global.py:15:22: error: cannot read the global 'BLOCK' in a kernel: it is not a tl.constexpr
# CHECK: plain_global.py:10:1: note: defined here; write 'BLOCK = tl.constexpr(...)' to make it a compile-time value
# CHECK-NOT: error:

# Triton's environment variable lifts the check.
# ALLOWED: func.func @k
