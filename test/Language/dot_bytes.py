# RUN: tilec %s --kernel=k --sig="p=*fp8e4nv,q=*fp8e5,out=*fp32" --arch=sm_90a --emit=tile -o - | FileCheck %s --check-prefixes=CHECK,GROUPS
# RUN: tilec %s --kernel=k --sig="p=*fp8e4nv,q=*fp8e5,out=*fp32" --arch=sm_89 --emit=tile -o - | FileCheck %s --check-prefixes=CHECK,THREADS
# RUN: tilec %s --kernel=k --sig="p=*fp8e5,q=*fp8e5,out=*fp32" --arch=sm_80 --emit=tile -o - | FileCheck %s --check-prefix=HALF
# RUN: tilec %s --kernel=k --sig="p=*fp8e5,q=*fp8e5,out=*fp32" --emit=tile -o - | FileCheck %s --check-prefix=HALF

# 8-bit floats are multiplied as they are where there are instructions for it, and in float16 where there are none, or where
# these would not be precise enough.

import triton
import triton.language as tl


@triton.jit
def k(p, q, out):
    i, j = tl.arange(0, 32), tl.arange(0, 32)
    # Other elements that the type holds exactly are constants.
    # CHECK-NOT: inline_asm
    # CHECK: %[[A:.*]] = tile.load %{{.*}} mask %{{.*}} other %{{.*}} : tensor<32x32x!tile.ptr<i8>>
    # CHECK: %[[B:.*]] = tile.load
    a = tl.load(p + i[:, None] * 32 + j[None, :], mask=i[:, None] < 20, other=0.0)
    b = tl.load(q + i[:, None] * 32 + j[None, :])
    # CHECK: tile.dot %[[A]], %[[B]], %{{.*}} as f8E{{.*}}, f8E5M2 : tensor<32x32xi8>, tensor<32x32xi8> -> tensor<32x32xf32>
    # HALF: tile.dot {{.*}} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    c = tl.dot(a, b)
    # Sums of pieces are those of instructions that add a piece from zero; shorter ones than an instruction's there are not.
    # GROUPS: tile.dot {{.*}} as f8E4M3FN, f8E5M2 {piece = 1 : i32} :
    # THREADS: tile.dot {{.*}} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    c = tl.dot(a, b, c, max_num_imprecise_acc=0)
    # GROUPS: tile.dot {{.*}} as f8E4M3FN, f8E5M2 {piece = 32 : i32} :
    # THREADS: tile.dot {{.*}} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    c = tl.dot(a, b, c, max_num_imprecise_acc=32)
    tl.store(out + i[:, None] * 32 + j[None, :], c)
