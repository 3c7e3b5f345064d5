# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A function of the language that is not compiled yet.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    a = tl.zeros([16, 16], tl.float16)
    b = tl.dot(a, a)

# CHECK: not_supported_yet.py:12:9: error: tl.dot is not supported yet
# CHECK-NOT: error:
