# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A misspelt keyword.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.load(p, maks=n > 0)

# CHECK: unknown_keyword.py:11:20: error: tl.load has no parameter 'maks'; did you mean 'mask'?
# CHECK-NOT: error:
