# RUN: not tilec %s --kernel=k --sig="p=*fp32" --emit=tile -o - 2>&1 | FileCheck %s

# A parameter without a type.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    tl.store(p, n)

# CHECK: untyped_parameter.py:10:10: error: parameter 'n' has no type: it is not in the signature and has neither annotation nor default; n=TYPE in --sig gives it one, -Dn=VALUE makes it a constant
# CHECK-NOT: error:
