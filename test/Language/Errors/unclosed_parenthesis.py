# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A bracket that is never closed.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.load(p + (n * 2)
    tl.store(p, x)

# CHECK: unclosed_parenthesis.py:11:28: error: expected ')' before the end of the statement
# CHECK: unclosed_parenthesis.py:11:16: note: to match this '('
# CHECK-NOT: error:
