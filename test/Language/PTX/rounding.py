# A GPU has an instruction for each rounding direction.
#
# RUN: tilec %s --sig='x=*fp32,d=*fp64,n=i32,m=i64' -DBLOCK=32 --num-warps=1 --arch=sm_90 -o - | FileCheck %s
import triton
import triton.language as tl
from triton.language.extra import libdevice


# CHECK-DAG: add.rm.f32
# CHECK-DAG: add.rp.f64
# CHECK-DAG: mul.rz.f32
# CHECK-DAG: div.rp.f32
# CHECK-DAG: fma.rm.f64
# CHECK-DAG: rcp.rz.f32
# CHECK-DAG: sqrt.rp.f64
# CHECK-DAG: cvt.rp.f32.f64
# CHECK-DAG: cvt.rm.f32.s32
# CHECK-DAG: cvt.rz.f32.u32
# CHECK-DAG: cvt.rp.f64.s64
# CHECK-DAG: cvt.rm.f32.u64
@triton.jit
def kernel(x, d, n, m, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    w = tl.load(d + i)
    v = libdevice.div_ru(libdevice.mul_rz(libdevice.add_rd(v, 3.0), v), v)
    w = libdevice.sqrt_ru(libdevice.fma_rd(libdevice.sub_ru(w, w * w), w, w))
    v += libdevice.rcp_rz(v) + libdevice.double2float_ru(w)
    v += libdevice.int2float_rd(n) + libdevice.uint2float_rz(n.to(tl.uint32)) + libdevice.ull2float_rd(m.to(tl.uint64))
    tl.store(x + i, v)
    tl.store(d + i, w + libdevice.ll2double_ru(m))
