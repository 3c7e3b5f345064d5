# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A block with too many elements.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.zeros([2048, 1024], tl.float32)

# CHECK: block_too_large.py:11:9: error: a block holds at most 1048576 elements, the shape has more
# CHECK-NOT: error:
