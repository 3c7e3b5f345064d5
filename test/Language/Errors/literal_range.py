# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Literals that do not fit the other operand.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    a = n.to(tl.int8) + 200
    b = n.to(tl.uint32) - (-1)

# CHECK: literal_range.py:11:23: error: the literal 200 is out of range for int8
# CHECK: literal_range.py:12:25: error: the negative literal -1 cannot become uint32
# CHECK-NOT: error:
