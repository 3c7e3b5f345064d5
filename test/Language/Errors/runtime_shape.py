# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A run-time value where a constexpr is needed.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.arange(0, n)
    for i in tl.static_range(n):
        tl.store(p, 1.0)

# CHECK: runtime_shape.py:11:22: error: argument 'end' of tl.arange must be a constexpr integer, found int32
# CHECK: runtime_shape.py:12:30: error: argument 'arg1' of tl.static_range must be a constexpr integer, found int32
# CHECK-NOT: error:
