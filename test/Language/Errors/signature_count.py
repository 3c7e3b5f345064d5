# RUN: not tilec %s --kernel=k --sig="*fp32,i32,i32" --emit=tile -o - 2>&1 | FileCheck %s

# A positional signature of the wrong length.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    tl.store(p, n)

# CHECK: --sig:1:11: error: the signature has 3 items, but kernel 'k' has 2 parameters
# CHECK: signature_count.py:10:5: note: the kernel is defined here
# CHECK-NOT: error:
