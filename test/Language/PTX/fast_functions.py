# Functions named fast_ are single instructions of the hardware; those of the language are not.
#
# RUN: tilec %s --kernel=fast --sig='x=*fp32:16,out=*fp32:16' --num-warps=1 --arch=sm_90 -o - | FileCheck %s
# RUN: tilec %s --kernel=accurate --sig='x=*fp32:16,out=*fp32:16' --num-warps=1 --arch=sm_90 -o - | FileCheck %s --check-prefix=ACCURATE
import triton
import triton.language as tl
from triton.language.extra import libdevice


# CHECK-LABEL: .entry fast(
# CHECK: sin.approx.ftz.f32
# CHECK: cos.approx.ftz.f32
# CHECK-COUNT-2: lg2.approx.ftz.f32
# CHECK-NOT: fma.rn.f32
@triton.jit
def fast(x, out):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.fast_sinf(v))
    tl.store(out + 32 + i, libdevice.fast_cosf(v))
    tl.store(out + 64 + i, libdevice.fast_logf(v))
    tl.store(out + 96 + i, libdevice.fast_powf(v + 1, v))


# ACCURATE-LABEL: .entry accurate(
# ACCURATE-NOT: lg2.approx
@triton.jit
def accurate(x, out):
    i = tl.arange(0, 32)
    tl.store(out + i, tl.log2(tl.load(x + i)))
