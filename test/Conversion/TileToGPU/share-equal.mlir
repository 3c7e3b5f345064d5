// RUN: tile-opt %s -convert-tile-to-gpu | FileCheck %s

#row = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
#far = #tile.layout<register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>

// Four neighbours are in one row of a width that 16 divides: their row is that of the first.
// CHECK-LABEL: func.func @rows
// CHECK: %[[Q:.*]] = arith.divsi %{{.*}} : vector<4xi32>
// CHECK: %[[ROW:.*]] = vector.shuffle %[[Q]], %[[Q]] [0, 0, 0, 0]
// CHECK: vector.shuffle %[[ROW]], %[[ROW]] [0] :
func.func @rows(%width: i32 {tile.divisibility = 16 : i32}, %p: tensor<128x!tile.ptr<i32>, #row>)
    attributes {tile.num_warps = 1 : i32} {
  %i = tile.make_range 0 to 128 : tensor<128xi32, #row>
  %w = tile.splat %width : i32 -> tensor<128xi32, #row>
  %q = arith.divsi %i, %w : tensor<128xi32, #row>
  tile.store %p, %q : tensor<128x!tile.ptr<i32>, #row>
  return
}

// Pairs are what a shift by one leaves.
// CHECK-LABEL: func.func @pairs
// CHECK: %[[Q:.*]] = arith.shrsi %{{.*}} : vector<4xi32>
// CHECK: vector.shuffle %[[Q]], %[[Q]] [0, 0, 2, 2]
func.func @pairs(%p: tensor<128x!tile.ptr<i32>, #row>) attributes {tile.num_warps = 1 : i32} {
  %i = tile.make_range 0 to 128 : tensor<128xi32, #row>
  %one = arith.constant dense<1> : tensor<128xi32, #row>
  %q = arith.shrsi %i, %one : tensor<128xi32, #row>
  tile.store %p, %q : tensor<128x!tile.ptr<i32>, #row>
  return
}

// A bound that 16 divides leaves out whole groups of four, or none of their elements.
// CHECK-LABEL: func.func @bounds
// CHECK: %[[M:.*]] = arith.cmpi slt, %{{.*}} : vector<4xi32>
// CHECK: vector.shuffle %[[M]], %[[M]] [0, 0, 0, 0]
func.func @bounds(%n: i32 {tile.divisibility = 16 : i32}, %p: tensor<128x!tile.ptr<i32>, #row>)
    attributes {tile.num_warps = 1 : i32} {
  %i = tile.make_range 0 to 128 : tensor<128xi32, #row>
  %ns = tile.splat %n : i32 -> tensor<128xi32, #row>
  %m = arith.cmpi slt, %i, %ns : tensor<128xi32, #row>
  %q = arith.select %m, %i, %ns : tensor<128xi1, #row>, tensor<128xi32, #row>
  tile.store %p, %q : tensor<128x!tile.ptr<i32>, #row>
  return
}

// Nothing is known of another width, and a thread's elements that are far apart have rows of their own.
// CHECK-LABEL: func.func @anyWidth
// CHECK-NOT: vector.shuffle {{.*}} [0, 0
// CHECK-LABEL: func.func @farApart
// CHECK-NOT: vector.shuffle {{.*}} [0, 0
func.func @anyWidth(%width: i32, %p: tensor<128x!tile.ptr<i32>, #row>) attributes {tile.num_warps = 1 : i32} {
  %i = tile.make_range 0 to 128 : tensor<128xi32, #row>
  %w = tile.splat %width : i32 -> tensor<128xi32, #row>
  %q = arith.divsi %i, %w : tensor<128xi32, #row>
  tile.store %p, %q : tensor<128x!tile.ptr<i32>, #row>
  return
}

func.func @farApart(%width: i32 {tile.divisibility = 16 : i32}, %p: tensor<128x!tile.ptr<i32>, #far>)
    attributes {tile.num_warps = 1 : i32} {
  %i = tile.make_range 0 to 128 : tensor<128xi32, #far>
  %w = tile.splat %width : i32 -> tensor<128xi32, #far>
  %q = arith.divsi %i, %w : tensor<128xi32, #far>
  tile.store %p, %q : tensor<128x!tile.ptr<i32>, #far>
  return
}
