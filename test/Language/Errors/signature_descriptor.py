# RUN: not tilec %s --kernel=k --sig="d=tensordesc<fp32[64, 32]>,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A tensor descriptor as an argument.

import triton
import triton.language as tl


@triton.jit
def k(d, n):
    d.store([n, 0], d.load([0, 0]))

# CHECK: --sig:1:3: error: tensor descriptors as arguments are not supported yet; pass pointer, sizes and strides
# CHECK-NOT: error:
