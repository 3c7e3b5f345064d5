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

// Positions with other bits are flips of parts of the axis: bits 3 and 2 of 5 are one part here.
// CHECK-LABEL: func.func @gather_other_bits
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x32xf32>
func.func @gather_other_bits(%x: tensor<2x32xf32>) -> tensor<2x32xf32> {
  // CHECK: %[[PARTS:.*]] = tile.reshape %[[X]] : tensor<2x32xf32> -> tensor<2x2x4x4xf32>
  // CHECK-NEXT: %[[FLIPPED:.*]] = tile.flip %[[PARTS]] axis 2
  // CHECK-NEXT: %[[RESULT:.*]] = tile.reshape %[[FLIPPED]] : tensor<2x2x4x4xf32> -> tensor<2x32xf32>
  // CHECK-NEXT: return %[[RESULT]]
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %places = tile.broadcast %row : tensor<1x32xi32> -> tensor<2x32xi32>
  %c12 = arith.constant dense<12> : tensor<2x32xi32>
  %others = arith.xori %places, %c12 : tensor<2x32xi32>
  %0 = tile.gather %x[%others] axis 1 : tensor<2x32xf32>, tensor<2x32xi32> -> tensor<2x32xf32>
  return %0 : tensor<2x32xf32>
}

// From the other end, all bits but the last two.
// CHECK-LABEL: func.func @gather_from_end
// CHECK-SAME: %[[X:[^:]*]]: tensor<32xf32>
func.func @gather_from_end(%x: tensor<32xf32>) -> tensor<32xf32> {
  // CHECK: %[[PARTS:.*]] = tile.reshape %[[X]] : tensor<32xf32> -> tensor<8x4xf32>
  // CHECK-NEXT: %[[FLIPPED:.*]] = tile.flip %[[PARTS]] axis 0
  // CHECK-NEXT: tile.reshape %[[FLIPPED]] : tensor<8x4xf32> -> tensor<32xf32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %wide = arith.extsi %range : tensor<32xi32> to tensor<32xi64>
  %c3 = arith.constant dense<3> : tensor<32xi64>
  %c31 = arith.constant dense<31> : tensor<32xi64>
  %low = arith.xori %wide, %c3 : tensor<32xi64>
  %places = arith.subi %c31, %low : tensor<32xi64>
  %0 = tile.gather %x[%places] axis 0 : tensor<32xf32>, tensor<32xi64> -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// CHECK-LABEL: func.func @gather_itself
// CHECK-SAME: %[[X:[^:]*]]: tensor<32xf32>
// CHECK-NEXT: return %[[X]]
func.func @gather_itself(%x: tensor<32xf32>) -> tensor<32xf32> {
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %0 = tile.gather %x[%range] axis 0 : tensor<32xf32>, tensor<32xi32> -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// A difference with borrows, a number that is no place, positions along the other axis, and
// integers that do not have all positions stay indices.
// CHECK-LABEL: func.func @gather_others
// CHECK-COUNT-4: tile.gather
func.func @gather_others(%x: tensor<32xf32>, %y: tensor<32x32xf32>, %z: tensor<256xf32>) ->
    (tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<256xf32>) {
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %c30 = arith.constant dense<30> : tensor<32xi32>
  %c33 = arith.constant dense<33> : tensor<32xi32>
  %borrows = arith.subi %c30, %range : tensor<32xi32>
  %0 = tile.gather %x[%borrows] axis 0 : tensor<32xf32>, tensor<32xi32> -> tensor<32xf32>
  %outside = arith.xori %range, %c33 : tensor<32xi32>
  %1 = tile.gather %x[%outside] axis 0 : tensor<32xf32>, tensor<32xi32> -> tensor<32xf32>
  %column = tile.expand_dims %range axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %places = tile.broadcast %column : tensor<32x1xi32> -> tensor<32x32xi32>
  %2 = tile.gather %y[%places] axis 1 : tensor<32x32xf32>, tensor<32x32xi32> -> tensor<32x32xf32>
  %many = tile.make_range 0 to 256 : tensor<256xi32>
  %narrow = arith.trunci %many : tensor<256xi32> to tensor<256xi8>
  %wide = arith.extsi %narrow : tensor<256xi8> to tensor<256xi32>
  %3 = tile.gather %z[%wide] axis 0 : tensor<256xf32>, tensor<256xi32> -> tensor<256xf32>
  return %0, %1, %2, %3 : tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<256xf32>
}
