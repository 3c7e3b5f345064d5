// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s

// A number in memory says where the right factor is. It is loaded for the iteration behind the two whose copies are under
// way, if there is one, and carried.
// CHECK-LABEL: func.func @pages
// CHECK: tile.alloc_buffer : <64x64xf16
// CHECK: tile.alloc_buffer : <64x64xf16
// CHECK: scf.if
// CHECK: tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: tile.buffer_copy
// CHECK: scf.if
// CHECK: tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: tile.buffer_copy
// CHECK: %[[FIRST:.*]] = tile.load %{{.*}} mask %{{.*}} : !tile.ptr<i32>
// CHECK: scf.for {{.*}} %[[PAGE:[^ ]*]] = %[[FIRST]], %{{[^ ]*}} = %{{[^ ]*}}) ->
// CHECK: scf.if
// CHECK: %[[OFFSET:.*]] = arith.muli %[[PAGE]],
// CHECK: tile.addptr %{{.*}}, %[[OFFSET]]
// CHECK: }
// CHECK: %[[BEHIND:.*]] = arith.cmpi ugt,
// CHECK: %[[EXISTS:.*]] = arith.andi %{{.*}}, %[[BEHIND]]
// CHECK: %[[NEXT:.*]] = tile.load %{{.*}} mask %[[EXISTS]] : !tile.ptr<i32>
// CHECK-NOT: tile.load
// CHECK: tile.dot
// CHECK: scf.yield %{{.*}}, %[[NEXT]], %{{.*}}
func.func @pages(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pages: !tile.ptr<i32>,
                 %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 4096 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %elements = tile.make_range 0 to 4096 : tensor<4096xi32>
  %offsets = tile.reshape %elements : tensor<4096xi32> -> tensor<64x64xi32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %further = arith.muli %i, %size : i32
    %at = tile.addptr %a, %further : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %left = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %atPage = tile.addptr %pages, %i : !tile.ptr<i32>, i32
    %page = tile.load %atPage : !tile.ptr<i32>
    %start = arith.muli %page, %size : i32
    %atB = tile.addptr %b, %start : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %right = tile.load %ptrsB : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}
