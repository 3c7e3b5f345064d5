# RUN: not tilec %s --kernel=größe --sig="p=*fp32" --emit=tile -o - 2>&1 | FileCheck %s
# RUN: not tilec %s --kernel=_ --sig="p=*fp32" --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=BLANK

# Names of Python that PTX does not take. Helpers may have any.

import triton
import triton.language as tl


@triton.jit
def länge(p):
    tl.store(p, 1.0)


@triton.jit
def größe(p):
    länge(p)


@triton.jit
def _(p):
    länge(p)

# CHECK: kernel_name.py:16:5: error: 'größe' cannot be the name of a kernel: PTX takes ASCII letters, digits and '_', and neither '_' alone nor 'WARP_SZ'
# CHECK-NEXT: def größe(p):
# BLANK: kernel_name.py:21:5: error: '_' cannot be the name of a kernel
