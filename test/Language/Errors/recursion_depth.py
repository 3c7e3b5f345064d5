# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s --implicit-check-not=error:

# A helper whose constants never end it: one error, and the ends of the chain of calls.

import triton
import triton.language as tl


@triton.jit
def deeper(x, depth: tl.constexpr):
    return deeper(x, depth + 1) + deeper(x, depth + 2)


@triton.jit
def k(p, n):
    x = deeper(n, 0)
    tl.store(p, x)

# CHECK: recursion_depth.py:11:12: error: more than 100 nested calls
# CHECK-COUNT-5: recursion_depth.py:11:12: note: in call to 'deeper' from here{{$}}
# CHECK: recursion_depth.py:11:12: note: in call to 'deeper' from here, and in {{[0-9]+}} calls more
# CHECK-COUNT-3: recursion_depth.py:11:12: note: in call to 'deeper' from here{{$}}
# CHECK: recursion_depth.py:16:9: note: in call to 'deeper' from here
