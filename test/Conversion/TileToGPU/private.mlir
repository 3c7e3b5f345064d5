// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -convert-tile-to-gpu -canonicalize | FileCheck %s

#spread = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>

// The memory is made where the kernel begins, also for a loop; the slot of four elements is a vector in it.
// CHECK-LABEL: func.func @keep
// CHECK: %[[MEMORY:.*]] = llvm.alloca %c8_i32 x f32 {alignment = 16 : i64} : (i32) -> !llvm.ptr
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[FIRST:.*]] = arith.muli %[[I]], %c4_i32
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[MEMORY]][%[[FIRST]]]
// CHECK: llvm.store %{{.*}}, %[[PLACE]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
func.func @keep(%p: tensor<128x!tile.ptr<f32>, #spread>, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tile.load %p : tensor<128x!tile.ptr<f32>, #spread>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %memory = tile.alloc_private : !tile.private<8 x f32>
    tile.private_store %x into %memory[%i] : tensor<128xf32, #spread>, !tile.private<8 x f32>
    %y = tile.private_load %memory[%i] : !tile.private<8 x f32> -> tensor<128xf32, #spread>
    tile.store %p, %y : tensor<128x!tile.ptr<f32>, #spread>
  }
  return
}

// Truth values take a byte each.
// CHECK-LABEL: func.func @bits
// CHECK: llvm.alloca %c8_i32 x i8
// CHECK: arith.extui %{{.*}} : vector<4xi1> to vector<4xi8>
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<4xi8>, !llvm.ptr
// CHECK: arith.trunci %{{.*}} : vector<4xi8> to vector<4xi1>
func.func @bits(%p: tensor<128x!tile.ptr<f32>, #spread>, %x: tensor<128xf32, #spread>, %slot: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %memory = tile.alloc_private : !tile.private<8 x i1>
  %mask = arith.cmpf ogt, %x, %x : tensor<128xf32, #spread>
  tile.private_store %mask into %memory[%slot] : tensor<128xi1, #spread>, !tile.private<8 x i1>
  %again = tile.private_load %memory[%slot] : !tile.private<8 x i1> -> tensor<128xi1, #spread>
  tile.store %p, %x mask %again : tensor<128x!tile.ptr<f32>, #spread>
  return
}
