# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Wrong arguments of tl.load.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    a = tl.load(n)
    b = tl.load(p, other=0.0)
    c = tl.load(p + tl.arange(0, 8), mask=1)
    d = tl.load(p, cache_modifier=".xx")

# CHECK: load_arguments.py:11:17: error: argument 'pointer' of tl.load must be a pointer or a block of pointers, found int32
# CHECK: load_arguments.py:12:26: error: 'other' needs a mask
# CHECK: load_arguments.py:13:43: error: argument 'mask' of tl.load must be a tensor of int1, found constexpr int
# CHECK: load_arguments.py:14:35: error: unknown cache modifier '.xx'; expected one of '', '.ca', '.cg', '.cv'
# CHECK-NOT: error:
