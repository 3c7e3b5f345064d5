// RUN: tile-opt %s -split-input-file -tile-attach-target=arch=sm_80 -tile-assign-layouts -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers -convert-tile-to-gpu -cse | FileCheck %s
// RUN: tile-opt %s -split-input-file -tile-attach-target=arch=sm_75 -tile-assign-layouts -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers -convert-tile-to-gpu -cse | FileCheck %s --check-prefix=OLD

// Two instructions along the rows, two along the depth; the second adds to the first.
// CHECK-LABEL: func.func @half
// CHECK: %[[FIRST:.*]] = nvvm.mma.sync A[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] B[%[[B0:.*]], %[[B1:.*]]] C[{{.*}}] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, shape = #nvvm.shape<m = 16, n = 8, k = 16>}
// CHECK: %[[C0:.*]] = llvm.extractvalue %[[FIRST]][0]
// CHECK: nvvm.mma.sync {{.*}} B[%[[B0]], %[[B1]]]
// CHECK: nvvm.mma.sync {{.*}} C[%[[C0]],
// CHECK: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// OLD-LABEL: func.func @half
// OLD-NOT: nvvm.mma.sync
// OLD-COUNT-256: math.fma
func.func @half(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %left = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %right = tile.splat %p : !tile.ptr<f16> -> tensor<32x8x!tile.ptr<f16>>
  %out = tile.splat %q : !tile.ptr<f32> -> tensor<32x8x!tile.ptr<f32>>
  %a = tile.load %left volatile : tensor<32x32x!tile.ptr<f16>>
  %b = tile.load %right volatile : tensor<32x8x!tile.ptr<f16>>
  %c = tile.load %out volatile : tensor<32x8x!tile.ptr<f32>>
  %r = tile.dot %a, %b, %c : tensor<32x32xf16>, tensor<32x8xf16> -> tensor<32x8xf32>
  tile.store %out, %r : tensor<32x8x!tile.ptr<f32>>
  return
}

// -----

// Sums of bytes wrap around.
// CHECK-LABEL: func.func @bytes
// CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, {{.*}}multiplicandAPtxType = #nvvm.mma_type<s8>{{.*}} k = 32>}
func.func @bytes(%p: !tile.ptr<i8>, %q: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %left = tile.splat %p : !tile.ptr<i8> -> tensor<16x32x!tile.ptr<i8>>
  %right = tile.splat %p : !tile.ptr<i8> -> tensor<32x8x!tile.ptr<i8>>
  %out = tile.splat %q : !tile.ptr<i32> -> tensor<16x8x!tile.ptr<i32>>
  %a = tile.load %left volatile : tensor<16x32x!tile.ptr<i8>>
  %b = tile.load %right volatile : tensor<32x8x!tile.ptr<i8>>
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %r = tile.dot %a, %b, %zero : tensor<16x32xi8>, tensor<32x8xi8> -> tensor<16x8xi32>
  tile.store %out, %r : tensor<16x8x!tile.ptr<i32>>
  return
}

// -----

// A single row: the instruction works on copies, of which one is stored. Precise f32 takes no instruction.
// CHECK-LABEL: func.func @row
// CHECK-COUNT-2: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK-COUNT-16: math.fma
func.func @row(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %left = tile.splat %p : !tile.ptr<f32> -> tensor<1x16x!tile.ptr<f32>>
  %right = tile.splat %p : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>>
  %out = tile.splat %p : !tile.ptr<f32> -> tensor<1x8x!tile.ptr<f32>>
  %a = tile.load %left volatile : tensor<1x16x!tile.ptr<f32>>
  %b = tile.load %right volatile : tensor<16x8x!tile.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<1x8xf32>
  %r = tile.dot %a, %b, %zero precision tf32 : tensor<1x16xf32>, tensor<16x8xf32> -> tensor<1x8xf32>
  %s = tile.dot %a, %b, %r : tensor<1x16xf32>, tensor<16x8xf32> -> tensor<1x8xf32>
  tile.store %out, %s : tensor<1x8x!tile.ptr<f32>>
  return
}
