// RUN: tile-opt %s -pass-pipeline='builtin.module(convert-tile-to-cpu{check-memory=true})' | FileCheck %s
// RUN: tile-opt %s -convert-tile-to-cpu | FileCheck %s --check-prefix=NONE
// NONE-NOT: tilec_check

// An access asks with its place in the source, its address and number, and happens only if that is allowed. Accesses behind a
// barrier stay there.
// CHECK-DAG: llvm.mlir.global internal constant @tile_site_{{[0-9]+}}() {{.*}}: !llvm.struct<(ptr, ptr, i32, i32, i32, i32, i32, ptr)> {
// CHECK-DAG: llvm.func @tilec_check_access(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i32, i32, i32) -> i32
// CHECK-DAG: llvm.mlir.global internal constant @tile_text_{{[0-9]+}}("8, 4\00")
// CHECK-LABEL: func.func @tile
// CHECK-SAME: %[[X:[^:]*]]: i32, %[[Y:[^:]*]]: i32, %[[Z:[^:]*]]: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: i32, %{{[^:]*}}: memref<{{.*}}> {{.*}}, %[[RECORD:[^:]*]]: !llvm.ptr
// CHECK: linalg.generic
// CHECK: %[[ALLOWED:.*]] = scf.if
// CHECK: %[[ANSWER:.*]] = llvm.call @tilec_check_access(%[[RECORD]], %{{.*}}, %[[POINTER:.*]], %{{.*}}, %{{.*}}, %[[X]], %[[Y]], %[[Z]])
// CHECK: arith.cmpi ne, %[[ANSWER]]
// CHECK: scf.if %[[ALLOWED]]
// CHECK-NEXT: llvm.load %[[POINTER]]
// CHECK: llvm.call @tilec_check_barrier(%[[RECORD]])
// CHECK: linalg.generic
// CHECK: llvm.call @tilec_check_access(
// CHECK: llvm.store
func.func @tile(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %rr = tile.reshape %r : tensor<32xi32> -> tensor<8x4xi32>
  %limit = tile.splat %n : i32 -> tensor<8x4xi32>
  %mask = arith.cmpi slt, %rr, %limit : tensor<8x4xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<8x4x!tile.ptr<f32>>
  %ptrs = tile.addptr %ps, %rr : tensor<8x4x!tile.ptr<f32>>, tensor<8x4xi32>
  %v = tile.load %ptrs mask %mask : tensor<8x4x!tile.ptr<f32>>
  tile.barrier
  tile.store %ptrs, %v mask %mask : tensor<8x4x!tile.ptr<f32>>
  return
}

// Atomic operations that compare have a mask then, and scalars the number -1.
// CHECK-LABEL: func.func @scalar
// CHECK: %[[NUMBER:.*]] = arith.constant -1 : i64
// CHECK: llvm.call @tilec_check_access(%{{.*}}, %{{.*}}, %{{.*}}, %[[NUMBER]],
// CHECK: scf.if
// CHECK: llvm.cmpxchg
func.func @scalar(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %old = tile.atomic_cas %p, %n, %n sem = acq_rel scope = gpu : !tile.ptr<i32>
  return
}
