# RUN: not tilec %s --kernel=k --sig="p=*fp32,m=i32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A parameter in the signature that the kernel does not have.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    tl.store(p, n)

# CHECK: --sig:1:9: error: kernel 'k' has no parameter 'm', which the signature names
# CHECK: signature_name.py:10:5: note: the kernel is defined here
# CHECK-NOT: error:
