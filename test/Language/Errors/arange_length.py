# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A range whose length is no power of two.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.arange(0, 48)

# CHECK: arange_length.py:11:9: error: the length of tl.arange must be a power of two, found 48
# CHECK-NOT: error:
