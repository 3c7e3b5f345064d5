// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts | FileCheck %s

// What follows from a tile and from its reduction at some length is computed where the tile is, by however long a way the reduction comes:
// the factor is exchanged in the end, since the product's threads have copies of each element.
// CHECK-LABEL: func.func @scaled
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[TOP:.*]] = tile.reduce
// CHECK-NOT: tile.convert_layout %[[X]]
// CHECK: arith.divf {{.*}} : tensor<64x2x16xf32
// CHECK: math.floor
// CHECK: %[[LEFT:.*]] = tile.convert_layout %{{.*}} : tensor<64x2x16xf32
// CHECK-NEXT: %[[FACTOR:.*]] = tile.reshape %[[LEFT]]
// CHECK-NEXT: tile.dot %[[FACTOR]]
func.func @scaled(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %half = arith.constant dense<0.5> : tensor<64x2x16xf32>
  %six = arith.constant dense<6.0> : tensor<64x2xf32>
  %right = arith.constant dense<1.0> : tensor<32x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.make_range 0 to 2048 : tensor<2048xi32>
  %offsets = tile.reshape %r : tensor<2048xi32> -> tensor<64x32xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %offsets : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  %x = tile.load %pp : tensor<64x32x!tile.ptr<f32>>
  %groups = tile.reshape %x : tensor<64x32xf32> -> tensor<64x2x16xf32>
  %top = tile.reduce(%groups) axis 2 : (tensor<64x2x16xf32>) -> tensor<64x2xf32> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    tile.yield %m : f32
  }
  %scale = arith.divf %top, %six : tensor<64x2xf32>
  %thin = tile.expand_dims %scale axis 2 : tensor<64x2xf32> -> tensor<64x2x1xf32>
  %scales = tile.broadcast %thin : tensor<64x2x1xf32> -> tensor<64x2x16xf32>
  %0 = arith.divf %groups, %scales : tensor<64x2x16xf32>
  %1 = arith.addf %0, %half : tensor<64x2x16xf32>
  %2 = math.floor %1 : tensor<64x2x16xf32>
  %3 = arith.subf %2, %half : tensor<64x2x16xf32>
  %4 = arith.mulf %3, %3 : tensor<64x2x16xf32>
  %5 = arith.addf %4, %half : tensor<64x2x16xf32>
  %6 = arith.mulf %5, %scales : tensor<64x2x16xf32>
  %7 = arith.mulf %6, %half : tensor<64x2x16xf32>
  %left = tile.reshape %7 : tensor<64x2x16xf32> -> tensor<64x32xf32>
  %sum = tile.dot %left, %right, %zeros : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  %s = tile.make_range 0 to 4096 : tensor<4096xi32>
  %places = tile.reshape %s : tensor<4096xi32> -> tensor<64x64xi32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %qp = tile.addptr %qs, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %qp, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// A factor that follows from numbers alone at length is computed once, too, where two warps need each element.
// CHECK-LABEL: func.func @generated
// CHECK: %[[LAST:.*]] = arith.truncf
// CHECK: tile.convert_layout %[[LAST]]
// CHECK: tile.dot
func.func @generated(%q: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %k = arith.constant dense<1.5> : tensor<128x16xf32>
  %left = arith.constant dense<1.0> : tensor<16x128xbf16>
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tile.make_range 0 to 2048 : tensor<2048xi32>
  %numbers = tile.reshape %r : tensor<2048xi32> -> tensor<128x16xi32>
  %0 = arith.sitofp %numbers : tensor<128x16xi32> to tensor<128x16xf32>
  %1 = arith.mulf %0, %k : tensor<128x16xf32>
  %2 = math.cos %1 : tensor<128x16xf32>
  %3 = arith.addf %2, %k : tensor<128x16xf32>
  %4 = math.sin %3 : tensor<128x16xf32>
  %5 = arith.mulf %4, %3 : tensor<128x16xf32>
  %6 = arith.addf %5, %2 : tensor<128x16xf32>
  %7 = math.sqrt %6 : tensor<128x16xf32>
  %8 = arith.mulf %7, %5 : tensor<128x16xf32>
  %9 = arith.addf %8, %4 : tensor<128x16xf32>
  %10 = math.log %9 : tensor<128x16xf32>
  %11 = arith.mulf %10, %k : tensor<128x16xf32>
  %12 = arith.addf %11, %6 : tensor<128x16xf32>
  %13 = arith.mulf %12, %7 : tensor<128x16xf32>
  %14 = arith.addf %13, %k : tensor<128x16xf32>
  %15 = arith.mulf %14, %9 : tensor<128x16xf32>
  %right = arith.truncf %15 : tensor<128x16xf32> to tensor<128x16xbf16>
  %sum = tile.dot %left, %right, %zeros : tensor<16x128xbf16>, tensor<128x16xbf16> -> tensor<16x16xf32>
  %s = tile.make_range 0 to 256 : tensor<256xi32>
  %places = tile.reshape %s : tensor<256xi32> -> tensor<16x16xi32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %qp = tile.addptr %qs, %places : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  tile.store %qp, %sum : tensor<16x16x!tile.ptr<f32>>
  return
}
