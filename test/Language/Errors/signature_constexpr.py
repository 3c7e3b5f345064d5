# RUN: not tilec %s --kernel=k --sig="*fp32,i32,i32" --emit=tile -o - 2>&1 | FileCheck %s

# A type for a tl.constexpr parameter.

import triton
import triton.language as tl


@triton.jit
def k(p, n, B: tl.constexpr):
    tl.store(p, n)

# CHECK: --sig:1:11: error: parameter 'B' is tl.constexpr: expected a value, found the type 'i32'
# CHECK: signature_constexpr.py:10:13: note: the parameter is declared here
# CHECK-NOT: error:
