# RUN: not tilec %s --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s
# RUN: not tilec-run %s --grid=1 --arg p=zeros:fp32[4] --arg n=3 2>&1 | FileCheck %s

# A header that cannot be read: nothing is said of a file without kernels.

import triton
import triton.language as tl


@triton.jit
def k(p n):
    tl.store(p, 1.0)

# CHECK: broken_header.py:11:9: error: expected ',' or ')', found 'n'
# CHECK: broken_header.py:11:6: note: to match this '('
# CHECK-NOT: error:
