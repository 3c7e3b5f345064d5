# Products and sums of a kernel become one operation, those of libdevice's rounding functions do not.
#
# RUN: tilec %s --kernel=operators --sig='x=*fp64:16,f=*fp32:16' --arch=sm_90 -o - | FileCheck %s --check-prefix=FUSED
# RUN: tilec %s --kernel=operators --sig='x=*fp64:16,f=*fp32:16' --arch=sm_90 --enable-fp-fusion=false -o - | FileCheck %s --check-prefix=APART
# RUN: tilec %s --kernel=rounded --sig='x=*fp64:16,f=*fp32:16' --arch=sm_90 -o - | FileCheck %s --check-prefix=APART
# RUN: tilec %s --kernel=mixed --sig='x=*fp64:16,f=*fp32:16' --arch=sm_90 -o - | FileCheck %s --check-prefix=MIXED
import triton
import triton.language as tl
from triton.language.extra import libdevice


# FUSED-NOT: {{mul|add}}.{{(rn\.)?}}f{{32|64}}
# FUSED-DAG: fma.rn.f64
# FUSED-DAG: fma.rn.f32

# APART-NOT: fma.rn
# APART-DAG: mul.rn.f64
# APART-DAG: add.rn.f64
# APART-DAG: mul.rn.f32
# APART-DAG: add.rn.f32
# APART-NOT: fma.rn
@triton.jit
def operators(x, f):
    i = tl.arange(0, 128)
    a, b = tl.load(x + i), tl.load(f + i)
    tl.store(x + i, a * a + a)
    tl.store(f + i, b * b + b)


@triton.jit
def rounded(x, f):
    i = tl.arange(0, 128)
    a, b = tl.load(x + i), tl.load(f + i)
    tl.store(x + i, libdevice.add_rn(libdevice.mul_rn(a, a), a))
    tl.store(f + i, libdevice.add_rn(libdevice.mul_rn(b, b), b))


# MIXED-NOT: fma.rn
# MIXED: mul.rn.f32
# MIXED-NOT: fma.rn
@triton.jit
def mixed(x, f):
    i = tl.arange(0, 128)
    b = tl.load(f + i)
    tl.store(f + i, libdevice.mul_rn(b, b) + libdevice.add_rn(b * b, b))
