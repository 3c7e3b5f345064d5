// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-assign-layouts -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers -convert-tile-to-gpu -cse | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_89 -tile-assign-layouts -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers -convert-tile-to-gpu -cse | FileCheck %s --check-prefix=ONE

// Tensor cores of 9.0 take fp8 from memory alone: both halves of the depth are multiplied as f16, the second on top of the
// first. Each factor has its own type.
// CHECK-LABEL: func.func @mixed
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"(%{{.*}}) : (i16) -> vector<2xf16>
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.nvvm.e5m2x2.to.f16x2.rn"(%{{.*}}) : (i16) -> vector<2xf16>
// CHECK: %[[FIRST:.*]] = nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {{{.*}}k = 16>}
// CHECK: %[[SUM:.*]] = llvm.extractvalue %[[FIRST]][0]
// CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[%[[SUM]], {{.*}}k = 16>}
// CHECK-NOT: nvvm.mma.sync
// ONE-LABEL: func.func @mixed
// ONE: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"
// ONE-NOT: mma
func.func @mixed(%p: !tile.ptr<i8>, %q: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %left = tile.splat %p : !tile.ptr<i8> -> tensor<16x32x!tile.ptr<i8>>
  %right = tile.splat %p : !tile.ptr<i8> -> tensor<32x8x!tile.ptr<i8>>
  %out = tile.splat %q : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>>
  %a = tile.load %left volatile : tensor<16x32x!tile.ptr<i8>>
  %b = tile.load %right volatile : tensor<32x8x!tile.ptr<i8>>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %r = tile.dot %a, %b, %zero as f8E4M3FN, f8E5M2 : tensor<16x32xi8>, tensor<32x8xi8> -> tensor<16x8xf32>
  tile.store %out, %r : tensor<16x8x!tile.ptr<f32>>
  return
}
