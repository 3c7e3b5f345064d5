# RUN: not tilec %s --kernel=k --sig="p=*fp23,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A misspelt type in the signature.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    tl.store(p, n)

# CHECK: --sig:1:3: error: unknown type '*fp23' in the signature; did you mean '*fp32'?
# CHECK-NOT: error:
