// RUN: tile-opt %s -tile-uniform-loads -canonicalize | FileCheck %s

// 128 columns that begin at a multiple of 128 are of one block.
// CHECK-LABEL: func.func @scales
// CHECK-SAME: %[[P:[^:]*]]: !tile.ptr<f32>
// CHECK: %[[N:.*]] = tile.program_id x
// CHECK: %[[START:.*]] = arith.muli %[[N]], %c128_i32 : i32
// CHECK: %[[BLOCK:.*]] = arith.divsi %[[START]], %c128_i32 : i32
// CHECK: %[[PTR:.*]] = tile.addptr %[[P]], %[[BLOCK]] : !tile.ptr<f32>, i32
// CHECK: %[[SCALE:.*]] = tile.load %[[PTR]] : !tile.ptr<f32>
// CHECK: tile.splat %[[SCALE]] : f32 -> tensor<128xf32>
func.func @scales(%p: !tile.ptr<f32>) -> tensor<128xf32> {
  %n = tile.program_id x
  %c128 = arith.constant 128 : i32
  %start = arith.muli %n, %c128 : i32
  %starts = tile.splat %start : i32 -> tensor<128xi32>
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %columns = arith.addi %starts, %range : tensor<128xi32>
  %size = arith.constant dense<128> : tensor<128xi32>
  %block = arith.divsi %columns, %size : tensor<128xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %block : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %ptrs : tensor<128x!tile.ptr<f32>>
  return %x : tensor<128xf32>
}

// With a mask and a replacement that all share, in a matrix.
// CHECK-LABEL: func.func @masked
// CHECK-SAME: %[[P:[^:]*]]: !tile.ptr<f16>, %[[M:[^:]*]]: i1
// CHECK: %[[X:.*]] = tile.load %[[P]] mask %[[M]] other %cst : !tile.ptr<f16>
// CHECK: tile.splat %[[X]] : f16 -> tensor<4x8xf16>
func.func @masked(%p: !tile.ptr<f16>, %m: i1) -> tensor<4x8xf16> {
  %column = tile.splat %p : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>>
  %wide = tile.expand_dims %column axis 1 : tensor<4x!tile.ptr<f16>> -> tensor<4x1x!tile.ptr<f16>>
  %ptrs = tile.broadcast %wide : tensor<4x1x!tile.ptr<f16>> -> tensor<4x8x!tile.ptr<f16>>
  %mask = tile.splat %m : i1 -> tensor<4x8xi1>
  %zero = arith.constant dense<0.0> : tensor<4x8xf16>
  %x = tile.load %ptrs mask %mask other %zero : tensor<4x8x!tile.ptr<f16>>
  return %x : tensor<4x8xf16>
}

// Two blocks; a mask that differs; each access of its own; pointers that come from elsewhere.
// CHECK-LABEL: func.func @different
// CHECK-COUNT-4: tile.load %{{.*}} : tensor<
// CHECK-NOT: tile.load
func.func @different(%p: !tile.ptr<f32>, %known: tensor<64x!tile.ptr<f32>>) -> (tensor<128xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %size = arith.constant dense<64> : tensor<128xi32>
  %block = arith.divsi %range, %size : tensor<128xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %block : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %two = tile.load %ptrs : tensor<128x!tile.ptr<f32>>
  %places = tile.make_range 0 to 64 : tensor<64xi32>
  %limit = arith.constant dense<3> : tensor<64xi32>
  %mask = arith.cmpi slt, %places, %limit : tensor<64xi32>
  %same = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %some = tile.load %same mask %mask : tensor<64x!tile.ptr<f32>>
  %each = tile.load %same volatile : tensor<64x!tile.ptr<f32>>
  %promised = tile.promise %known divisibility [1] contiguity [1] constancy [64] : tensor<64x!tile.ptr<f32>>
  %others = tile.load %promised : tensor<64x!tile.ptr<f32>>
  return %two, %some, %each, %others : tensor<128xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
