# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# An indented line where no block starts.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = n + 1
        y = x

# CHECK: unexpected_indent.py:12:9: error: unexpected indent
# CHECK-NOT: error:
