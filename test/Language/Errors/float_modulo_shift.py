# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Operators on the wrong types.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.load(p)
    y = x << 1
    z = x // 2
    w = ~x

# CHECK: float_modulo_shift.py:12:11: error: cannot apply '<<' to float32 and constexpr int
# CHECK: float_modulo_shift.py:13:11: error: cannot apply '//' to float32 and constexpr int; '//' divides integers only
# CHECK: float_modulo_shift.py:14:9: error: cannot apply unary '~' to float32
# CHECK-NOT: error:
