// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @ranges
func.func @ranges() {
  // CHECK: tile.make_range 0 to 128 : tensor<128xi32>
  %0 = tile.make_range 0 to 128 : tensor<128xi32>
  // CHECK: tile.make_range 7 to 9 : tensor<2xi32>
  %1 = tile.make_range 7 to 9 : tensor<2xi32>
  // The last value of a range is 2^32 - 1.
  // CHECK: tile.make_range 4294967292 to 4294967296 : tensor<4xi32>
  %2 = tile.make_range 4294967292 to 4294967296 : tensor<4xi32>
  return
}

// Scalars of every element type become tiles.
// CHECK-LABEL: func.func @splats
func.func @splats(%a: i1, %b: i8, %c: i16, %d: i32, %e: i64, %f: f16, %g: bf16, %h: f32, %i: f64,
                  %p: !tile.ptr<i8>) {
  // CHECK: tile.splat %{{.*}} : i1 -> tensor<1xi1>
  %0 = tile.splat %a : i1 -> tensor<1xi1>
  // CHECK: tile.splat %{{.*}} : i8 -> tensor<2xi8>
  %1 = tile.splat %b : i8 -> tensor<2xi8>
  // CHECK: tile.splat %{{.*}} : i16 -> tensor<2x2xi16>
  %2 = tile.splat %c : i16 -> tensor<2x2xi16>
  // CHECK: tile.splat %{{.*}} : i32 -> tensor<1x1xi32>
  %3 = tile.splat %d : i32 -> tensor<1x1xi32>
  // CHECK: tile.splat %{{.*}} : i64 -> tensor<4x2x8xi64>
  %4 = tile.splat %e : i64 -> tensor<4x2x8xi64>
  // CHECK: tile.splat %{{.*}} : f16 -> tensor<8xf16>
  %5 = tile.splat %f : f16 -> tensor<8xf16>
  // CHECK: tile.splat %{{.*}} : bf16 -> tensor<8xbf16>
  %6 = tile.splat %g : bf16 -> tensor<8xbf16>
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<8xf32>
  %7 = tile.splat %h : f32 -> tensor<8xf32>
  // CHECK: tile.splat %{{.*}} : f64 -> tensor<8xf64>
  %8 = tile.splat %i : f64 -> tensor<8xf64>
  // CHECK: tile.splat %{{.*}} : !tile.ptr<i8> -> tensor<1048576x!tile.ptr<i8>>
  %9 = tile.splat %p : !tile.ptr<i8> -> tensor<1048576x!tile.ptr<i8>>
  return
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%row: tensor<1x16xf32>, %ptrs: tensor<4x1x!tile.ptr<f32>>, %line: tensor<8xi1>) {
  // CHECK: tile.broadcast %{{.*}} : tensor<1x16xf32> -> tensor<8x16xf32>
  %0 = tile.broadcast %row : tensor<1x16xf32> -> tensor<8x16xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<4x1x!tile.ptr<f32>> -> tensor<4x2x!tile.ptr<f32>>
  %1 = tile.broadcast %ptrs : tensor<4x1x!tile.ptr<f32>> -> tensor<4x2x!tile.ptr<f32>>
  // CHECK: tile.expand_dims %{{.*}} axis 0 : tensor<8xi1> -> tensor<1x8xi1>
  %2 = tile.expand_dims %line axis 0 : tensor<8xi1> -> tensor<1x8xi1>
  // CHECK: tile.expand_dims %{{.*}} axis 1 : tensor<8xi1> -> tensor<8x1xi1>
  %3 = tile.expand_dims %line axis 1 : tensor<8xi1> -> tensor<8x1xi1>
  // CHECK: tile.expand_dims %{{.*}} axis 2 : tensor<4x1x!tile.ptr<f32>> -> tensor<4x1x1x!tile.ptr<f32>>
  %4 = tile.expand_dims %ptrs axis 2 : tensor<4x1x!tile.ptr<f32>> -> tensor<4x1x1x!tile.ptr<f32>>
  // CHECK: tile.reshape %{{.*}} : tensor<1x16xf32> -> tensor<2x2x4xf32>
  %5 = tile.reshape %row : tensor<1x16xf32> -> tensor<2x2x4xf32>
  return
}

#ahead = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>
#back = #tile.layout<register = [], lane = [[16], [8], [4], [2], [1]], warp = [], block = []>

// CHECK-LABEL: func.func @conversions
func.func @conversions(%plain: tensor<32xf32>, %tile: tensor<32xf32, #ahead>,
                       %ptrs: tensor<32x!tile.ptr<i8>, #back>) {
  // CHECK: tile.convert_layout %{{.*}} : tensor<32xf32> -> tensor<32xf32>
  %0 = tile.convert_layout %plain : tensor<32xf32> -> tensor<32xf32>
  // CHECK: tile.convert_layout %{{.*}} : tensor<32xf32, #{{.*}}> -> tensor<32xf32, #{{.*}}>
  %1 = tile.convert_layout %tile : tensor<32xf32, #ahead> -> tensor<32xf32, #back>
  // CHECK: tile.convert_layout %{{.*}} : tensor<32x!tile.ptr<i8>, #{{.*}}> -> tensor<32x!tile.ptr<i8>, #{{.*}}>
  %2 = tile.convert_layout %ptrs : tensor<32x!tile.ptr<i8>, #back> -> tensor<32x!tile.ptr<i8>, #ahead>
  return
}
