// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-assign-layouts -cse -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers | FileCheck %s

// Both factors come from elsewhere in registers. They lie side by side until the product reads them, behind one barrier; if the left
// one were read first, the right one would go to the same place, and the left one had to be in registers as a whole.
// CHECK-LABEL: func.func @both_factors
// CHECK: %[[LEFT:.*]] = tile.alloc_buffer at 0 : <64x64xf16
// CHECK-NEXT: tile.buffer_store %{{.*}}, %[[LEFT]]
// CHECK-NOT: tile.buffer_load
// CHECK: %[[RIGHT:.*]] = tile.alloc_buffer at 8192 : <64x64xf16
// CHECK-NEXT: tile.buffer_store %{{.*}}, %[[RIGHT]]
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_load %[[LEFT]]
// CHECK-NEXT: tile.buffer_load %[[RIGHT]]
// CHECK-NEXT: tile.dot
func.func @both_factors(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %lines = arith.muli %column, %pitch : tensor<64x1xi32>
  %x = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %y = tile.broadcast %lines : tensor<64x1xi32> -> tensor<64x64xi32>
  %places = arith.addi %x, %y : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %left = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %right = tile.load %bp : tensor<64x64x!tile.ptr<f16>>
  %sum = tile.dot %left, %right, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}
