// RUN: tile-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @permute
// CHECK-SAME: %[[X:.*]]: tensor<2x4x8xf32>
func.func @permute(%x: tensor<2x4x8xf32>, %s: f32)
    -> (tensor<2x4x8xf32>, tensor<4x2x8xf32>, tensor<8x4x2xf32>, tensor<4x2xi32>) {
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<3> : tensor<4x2xi32>
  // CHECK-DAG: %[[SPLAT:.*]] = tile.splat %{{.*}} : f32 -> tensor<4x2x8xf32>
  // CHECK-DAG: %[[BOTH:.*]] = tile.permute %[[X]] order [2, 1, 0]
  // CHECK: return %[[X]], %[[SPLAT]], %[[BOTH]], %[[C]]
  %0 = tile.permute %x order [0, 1, 2] : tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  %1 = tile.splat %s : f32 -> tensor<2x4x8xf32>
  %2 = tile.permute %1 order [1, 0, 2] : tensor<2x4x8xf32> -> tensor<4x2x8xf32>
  %3 = tile.permute %x order [1, 2, 0] : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %4 = tile.permute %3 order [1, 0, 2] : tensor<4x8x2xf32> -> tensor<8x4x2xf32>
  %5 = arith.constant dense<3> : tensor<2x4xi32>
  %6 = tile.permute %5 order [1, 0] : tensor<2x4xi32> -> tensor<4x2xi32>
  return %0, %2, %4, %6 : tensor<2x4x8xf32>, tensor<4x2x8xf32>, tensor<8x4x2xf32>, tensor<4x2xi32>
}

// CHECK-LABEL: func.func @take
func.func @take(%s: f32) -> (tensor<4xf32>, tensor<2xi32>) {
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<3> : tensor<2xi32>
  // CHECK-DAG: %[[SPLAT:.*]] = tile.splat %{{.*}} : f32 -> tensor<4xf32>
  // CHECK: return %[[SPLAT]], %[[C]]
  %0 = tile.splat %s : f32 -> tensor<2x4xf32>
  %1 = tile.take %0 axis 0 index 1 : tensor<2x4xf32> -> tensor<4xf32>
  %2 = arith.constant dense<3> : tensor<2x4xi32>
  %3 = tile.take %2 axis 1 index 0 : tensor<2x4xi32> -> tensor<2xi32>
  return %1, %3 : tensor<4xf32>, tensor<2xi32>
}

// CHECK-LABEL: func.func @flip
// CHECK-SAME: %[[X:.*]]: tensor<4x1xf32>
func.func @flip(%x: tensor<4x1xf32>, %s: f32) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4xf32>) {
  // CHECK: %[[SPLAT:.*]] = tile.splat
  // CHECK-NOT: tile.flip
  // CHECK: return %[[X]], %[[X]], %[[SPLAT]]
  %0 = tile.flip %x axis 1 : tensor<4x1xf32>
  %1 = tile.flip %x axis 0 : tensor<4x1xf32>
  %2 = tile.flip %1 axis 0 : tensor<4x1xf32>
  %3 = tile.splat %s : f32 -> tensor<4xf32>
  %4 = tile.flip %3 axis 0 : tensor<4xf32>
  return %0, %2, %4 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4xf32>
}
