# RUN: not tilec %s --kernel=k --sig="p=*fp16,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A transcendental function of a 16-bit float.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    x = tl.exp(tl.load(p))

# CHECK: half_exp.py:11:16: error: tl.exp takes float32 or float64, found float16; cast with .to(tl.float32)
# CHECK-NOT: error:
