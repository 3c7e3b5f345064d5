# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Calls of a helper with the wrong arguments.

import triton
import triton.language as tl


@triton.jit
def scale(x, factor):
    return x * factor


@triton.jit
def k(p, n):
    a = scale(n)
    b = scale(n, 1, 2)
    c = scale(n, fctor=2)

# CHECK: helper_arguments.py:16:9: error: missing argument 'factor' of 'scale'
# CHECK: helper_arguments.py:10:14: note: parameter declared here
# CHECK: helper_arguments.py:17:21: error: too many arguments for 'scale': expected at most 2, found 3
# CHECK: helper_arguments.py:10:5: note: declared here
# CHECK: helper_arguments.py:18:18: error: 'scale' has no parameter 'fctor'; did you mean 'factor'?
# CHECK-NOT: error:
