// RUN: tile-opt %s -tile-form-dots | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=disable-heuristics=form-dots -tile-form-dots | FileCheck %s --check-prefix=OFF

// OFF-NOT: tile.dot

// Two matrices of f32: three products of parts that tf32 has bits for.
// CHECK-LABEL: func.func @singles
// CHECK-SAME: %[[A:[^:]*]]: tensor<32x64xf32>, %[[B:[^:]*]]: tensor<64x16xf32>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<32x16xf32>
// CHECK-DAG: %[[LHS:.*]] = tile.reshape %{{.*}} : tensor<32x64x1xf32> -> tensor<32x64xf32>
// CHECK-DAG: %[[RHS:.*]] = tile.reshape %{{.*}} : tensor<1x64x16xf32> -> tensor<64x16xf32>
// CHECK: %[[SUM:.*]] = tile.dot %[[LHS]], %[[RHS]], %[[ZERO]] precision tf32x3
// CHECK-NOT: tile.reduce
// CHECK: return %[[SUM]]
func.func @singles(%a: tensor<32x64xf32>, %b: tensor<64x16xf32>) -> tensor<32x16xf32> {
  %ea = tile.expand_dims %a axis 2 : tensor<32x64xf32> -> tensor<32x64x1xf32>
  %eb = tile.expand_dims %b axis 0 : tensor<64x16xf32> -> tensor<1x64x16xf32>
  %rows = tile.broadcast %ea : tensor<32x64x1xf32> -> tensor<32x64x16xf32>
  %columns = tile.broadcast %eb : tensor<1x64x16xf32> -> tensor<32x64x16xf32>
  %products = arith.mulf %columns, %rows : tensor<32x64x16xf32>
  %sum = tile.reduce(%products) axis 1 : (tensor<32x64x16xf32>) -> tensor<32x16xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  return %sum : tensor<32x16xf32>
}

// Narrower factors are multiplied as they were. The depth is the last axis of both: the right one is turned.
// CHECK-LABEL: func.func @halves
// CHECK-SAME: %[[A:[^:]*]]: tensor<32x64xbf16>, %[[B:[^:]*]]: tensor<16x64xbf16>
// CHECK: %[[T:.*]] = tile.permute %[[B]] order [1, 0] : tensor<16x64xbf16> -> tensor<64x16xbf16>
// CHECK: tile.dot %[[A]], %[[T]], %{{.*}} : tensor<32x64xbf16>, tensor<64x16xbf16> -> tensor<32x16xf32>
func.func @halves(%a: tensor<32x64xbf16>, %b: tensor<16x64xbf16>) -> tensor<32x16xf32> {
  %wa = arith.extf %a : tensor<32x64xbf16> to tensor<32x64xf32>
  %wb = arith.extf %b : tensor<16x64xbf16> to tensor<16x64xf32>
  %ea = tile.expand_dims %wa axis 1 : tensor<32x64xf32> -> tensor<32x1x64xf32>
  %eb = tile.expand_dims %wb axis 0 : tensor<16x64xf32> -> tensor<1x16x64xf32>
  %rows = tile.broadcast %ea : tensor<32x1x64xf32> -> tensor<32x16x64xf32>
  %columns = tile.broadcast %eb : tensor<1x16x64xf32> -> tensor<32x16x64xf32>
  %products = arith.mulf %rows, %columns : tensor<32x16x64xf32>
  %sum = tile.reduce(%products) axis 2 : (tensor<32x16x64xf32>) -> tensor<32x16xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  return %sum : tensor<32x16xf32>
}

// The depth is the first axis of both: the left one is turned.
// CHECK-LABEL: func.func @outer
// CHECK-SAME: %[[A:[^:]*]]: tensor<64x32xf16>, %[[B:[^:]*]]: tensor<64x16xf16>
// CHECK: %[[T:.*]] = tile.permute %[[A]] order [1, 0]
// CHECK: tile.dot %[[T]], %[[B]], %{{.*}} : tensor<32x64xf16>, tensor<64x16xf16> -> tensor<32x16xf32>
func.func @outer(%a: tensor<64x32xf16>, %b: tensor<64x16xf16>) -> tensor<32x16xf32> {
  %wa = arith.extf %a : tensor<64x32xf16> to tensor<64x32xf32>
  %wb = arith.extf %b : tensor<64x16xf16> to tensor<64x16xf32>
  %ea = tile.expand_dims %wa axis 2 : tensor<64x32xf32> -> tensor<64x32x1xf32>
  %eb = tile.expand_dims %wb axis 1 : tensor<64x16xf32> -> tensor<64x1x16xf32>
  %rows = tile.broadcast %ea : tensor<64x32x1xf32> -> tensor<64x32x16xf32>
  %columns = tile.broadcast %eb : tensor<64x1x16xf32> -> tensor<64x32x16xf32>
  %products = arith.mulf %rows, %columns : tensor<64x32x16xf32>
  %sum = tile.reduce(%products) axis 0 : (tensor<64x32x16xf32>) -> tensor<32x16xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  return %sum : tensor<32x16xf32>
}

// Not a product of matrices: too few columns; a maximum; a factor that has all axes.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tile.dot
func.func @others(%a: tensor<32x64xf32>, %b: tensor<64x8xf32>, %c: tensor<64x16xf32>, %box: tensor<32x64x16xf32>)
    -> (tensor<32x8xf32>, tensor<32x16xf32>, tensor<32x16xf32>) {
  %ea = tile.expand_dims %a axis 2 : tensor<32x64xf32> -> tensor<32x64x1xf32>
  %eb = tile.expand_dims %b axis 0 : tensor<64x8xf32> -> tensor<1x64x8xf32>
  %ec = tile.expand_dims %c axis 0 : tensor<64x16xf32> -> tensor<1x64x16xf32>
  %few = tile.broadcast %ea : tensor<32x64x1xf32> -> tensor<32x64x8xf32>
  %rows = tile.broadcast %ea : tensor<32x64x1xf32> -> tensor<32x64x16xf32>
  %columns = tile.broadcast %eb : tensor<1x64x8xf32> -> tensor<32x64x8xf32>
  %more = tile.broadcast %ec : tensor<1x64x16xf32> -> tensor<32x64x16xf32>
  %narrow = arith.mulf %few, %columns : tensor<32x64x8xf32>
  %wide = arith.mulf %rows, %more : tensor<32x64x16xf32>
  %own = arith.mulf %rows, %box : tensor<32x64x16xf32>
  %0 = tile.reduce(%narrow) axis 1 : (tensor<32x64x8xf32>) -> tensor<32x8xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  %1 = tile.reduce(%wide) axis 1 : (tensor<32x64x16xf32>) -> tensor<32x16xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.maximumf %x, %y : f32
    tile.yield %z : f32
  }
  %2 = tile.reduce(%own) axis 1 : (tensor<32x64x16xf32>) -> tensor<32x16xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  return %0, %1, %2 : tensor<32x8xf32>, tensor<32x16xf32>, tensor<32x16xf32>
}
