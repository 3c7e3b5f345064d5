// RUN: tile-opt %s -tile-hoist-loads | FileCheck %s

#a = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>
#b = #tile.layout<register = [], lane = [[2], [4], [8], [16], [32]], warp = [[1]], block = []>
#wide = #tile.layout<register = [[64], [128], [256], [512]], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>
#left = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]], block = []>
#right = #tile.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0]], block = []>
#sums = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]], block = []>

// Both loads, and the second one's address, come before the threads wait.
// CHECK-LABEL: func.func @exchange
// CHECK-SAME: tile.loads_ahead
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load
// CHECK-NEXT: %[[ALL:.*]] = tile.splat
// CHECK-NEXT: %[[PTRS:.*]] = tile.addptr %{{.*}}, %[[ALL]]
// CHECK-NEXT: tile.load %[[PTRS]]
// CHECK-NEXT: tile.convert_layout %[[X]]
func.func @exchange(%p: tensor<64x!tile.ptr<f32>, #a>, %q: tensor<64x!tile.ptr<f32>, #b>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.load %p : tensor<64x!tile.ptr<f32>, #a>
    %y = tile.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
    %all = tile.splat %i : i32 -> tensor<64xi32, #b>
    %ptrs = tile.addptr %q, %all : tensor<64x!tile.ptr<f32>, #b>, tensor<64xi32, #b>
    %z = tile.load %ptrs : tensor<64x!tile.ptr<f32>, #b>
    %s = arith.addf %y, %z : tensor<64xf32, #b>
    tile.store %q, %s : tensor<64x!tile.ptr<f32>, #b>
  }
  return
}

// Not only where threads exchange data: the first use of what was loaded waits, too. A load whose address
// was loaded goes no further than that.
// CHECK-LABEL: func.func @uses
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load
// CHECK-NEXT: %[[Y:.*]] = tile.load
// CHECK-NEXT: arith.addi %[[X]], %[[X]]
// CHECK: tile.addptr
// CHECK: tile.load
func.func @uses(%p: tensor<64x!tile.ptr<i32>, #a>, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.load %p : tensor<64x!tile.ptr<i32>, #a>
    %double = arith.addi %x, %x : tensor<64xi32, #a>
    %y = tile.load %p : tensor<64x!tile.ptr<i32>, #a>
    %ptrs = tile.addptr %p, %double : tensor<64x!tile.ptr<i32>, #a>, tensor<64xi32, #a>
    %z = tile.load %ptrs : tensor<64x!tile.ptr<i32>, #a>
    %s = arith.addi %y, %z : tensor<64xi32, #a>
    tile.store %p, %s : tensor<64x!tile.ptr<i32>, #a>
  }
  return
}

// Nothing crosses a store or moves when it is volatile or large, and outside loops nothing moves at all.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: tile.loads_ahead
// CHECK: tile.load
// CHECK-NEXT: tile.convert_layout
// CHECK-NEXT: tile.load
// CHECK: scf.for
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.convert_layout
// CHECK-NEXT: tile.load {{.*}} volatile
// CHECK-NEXT: tile.load {{.*}} tensor<1024x
// CHECK-NEXT: tile.load {{.*}} tensor<1024x
func.func @stay(%p: tensor<64x!tile.ptr<f32>, #a>, %q: tensor<64x!tile.ptr<f32>, #b>,
                %w: tensor<1024x!tile.ptr<f64>, #wide>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = tile.load %p : tensor<64x!tile.ptr<f32>, #a>
  %1 = tile.convert_layout %0 : tensor<64xf32, #a> -> tensor<64xf32, #b>
  %2 = tile.load %q : tensor<64x!tile.ptr<f32>, #b>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.load %p : tensor<64x!tile.ptr<f32>, #a>
    tile.store %p, %x : tensor<64x!tile.ptr<f32>, #a>
    %y = tile.load %p : tensor<64x!tile.ptr<f32>, #a>
    %z = tile.convert_layout %y : tensor<64xf32, #a> -> tensor<64xf32, #b>
    %v = tile.load %q volatile : tensor<64x!tile.ptr<f32>, #b>
    %l = tile.load %w : tensor<1024x!tile.ptr<f64>, #wide>
    %m = tile.load %w : tensor<1024x!tile.ptr<f64>, #wide>
    %s = arith.addf %v, %z : tensor<64xf32, #b>
    %t = arith.addf %l, %m : tensor<1024xf64, #wide>
    tile.store %q, %s : tensor<64x!tile.ptr<f32>, #b>
    tile.store %w, %t : tensor<1024x!tile.ptr<f64>, #wide>
  }
  return
}

// In a kernel with products larger loads move.
// CHECK-LABEL: func.func @multiplies
// CHECK: scf.for
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.load {{.*}} tensor<1024x
// CHECK-NEXT: tile.convert_layout
func.func @multiplies(%p: tensor<64x!tile.ptr<f32>, #a>, %q: tensor<64x!tile.ptr<f32>, #b>, %w: tensor<1024x!tile.ptr<f64>, #wide>,
                      %x: tensor<16x16xf16, #left>, %y: tensor<16x8xf16, #right>, %n: i32) -> tensor<16x8xf32, #sums>
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<16x8xf32, #sums>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %0 = tile.load %p : tensor<64x!tile.ptr<f32>, #a>
    %1 = tile.convert_layout %0 : tensor<64xf32, #a> -> tensor<64xf32, #b>
    %2 = tile.load %w : tensor<1024x!tile.ptr<f64>, #wide>
    tile.store %q, %1 : tensor<64x!tile.ptr<f32>, #b>
    tile.store %w, %2 : tensor<1024x!tile.ptr<f64>, #wide>
  }
  %sum = tile.dot %x, %y, %zeros : tensor<16x16xf16, #left>, tensor<16x8xf16, #right> -> tensor<16x8xf32, #sums>
  return %sum : tensor<16x8xf32, #sums>
}
