# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Too few, too many, twice.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    a = tl.arange(0)
    b = tl.arange(0, 4, 8)
    c = tl.arange(0, 4, end=8)
    d = tl.program_id(axis=3)

# CHECK: wrong_arguments.py:11:9: error: missing argument 'end' of tl.arange
# CHECK: wrong_arguments.py:12:25: error: too many arguments for tl.arange: expected at most 2, found 3
# CHECK: wrong_arguments.py:13:25: error: argument 'end' of tl.arange is given twice
# CHECK: wrong_arguments.py:14:28: error: the axis of a grid is 0, 1 or 2, found 3
# CHECK-NOT: error:
