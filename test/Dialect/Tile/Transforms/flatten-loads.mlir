// RUN: tile-opt %s -tile-flatten-loads | FileCheck %s

// The load brings the shape behind the last reshape; mask and replacement follow, a transposition stays behind it.
// CHECK-LABEL: func.func @box
// CHECK-SAME: %[[P:[^:]*]]: tensor<2x32x16x!tile.ptr<f16>>, %[[M:[^:]*]]: tensor<2x32x16xi1>, %[[O:[^:]*]]: tensor<2x32x16xf16>
// CHECK: %[[FLAT:.*]] = tile.reshape %[[P]] : tensor<2x32x16x!tile.ptr<f16>> -> tensor<64x16x!tile.ptr<f16>>
// CHECK: %[[MASK:.*]] = tile.reshape %[[M]] : tensor<2x32x16xi1> -> tensor<64x16xi1>
// CHECK: %[[OTHER:.*]] = tile.reshape %[[O]] : tensor<2x32x16xf16> -> tensor<64x16xf16>
// CHECK: %[[X:.*]] = tile.load %[[FLAT]] mask %[[MASK]] other %[[OTHER]] : tensor<64x16x!tile.ptr<f16>>
// CHECK: %[[T:.*]] = tile.permute %[[X]] order [1, 0]
// CHECK: tile.dot %{{.*}}, %[[T]]
func.func @box(%p: tensor<2x32x16x!tile.ptr<f16>>, %m: tensor<2x32x16xi1>, %o: tensor<2x32x16xf16>,
               %a: tensor<16x16xf16>, %acc: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %box = tile.load %p mask %m other %o : tensor<2x32x16x!tile.ptr<f16>>
  %flat = tile.reshape %box : tensor<2x32x16xf16> -> tensor<64x16xf16>
  %b = tile.permute %flat order [1, 0] : tensor<64x16xf16> -> tensor<16x64xf16>
  %r = tile.dot %a, %b, %acc precision ieee : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// A constant replacement stays one.
// CHECK-LABEL: func.func @zeros
// CHECK: %[[MASK:.*]] = tile.reshape {{.*}} : tensor<1x64x16xi1>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x16xf16>
// CHECK: tile.load %{{.*}} mask %[[MASK]] other %[[ZERO]]
func.func @zeros(%p: tensor<1x64x16x!tile.ptr<f16>>, %m: tensor<1x64x16xi1>, %b: tensor<16x16xf16>, %acc: tensor<64x16xf32>)
    -> tensor<64x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x64x16xf16>
  %box = tile.load %p mask %m other %zero : tensor<1x64x16x!tile.ptr<f16>>
  %a = tile.reshape %box : tensor<1x64x16xf16> -> tensor<64x16xf16>
  %r = tile.dot %a, %b, %acc precision ieee : tensor<64x16xf16>, tensor<16x16xf16> -> tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}

// A permutation before the reshape moves along with it.
// CHECK-LABEL: func.func @permuted
// CHECK: %[[PERMUTED:.*]] = tile.permute %{{.*}} order [1, 0, 2] : tensor<16x4x8x!tile.ptr<f16>>
// CHECK: %[[FLAT:.*]] = tile.reshape %[[PERMUTED]]
// CHECK: %[[X:.*]] = tile.load %[[FLAT]] : tensor<64x8x!tile.ptr<f16>>
// CHECK: tile.permute %[[X]] order [1, 0]
func.func @permuted(%p: tensor<16x4x8x!tile.ptr<f16>>, %a: tensor<16x8xf16>, %acc: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %box = tile.load %p : tensor<16x4x8x!tile.ptr<f16>>
  %turned = tile.permute %box order [1, 0, 2] : tensor<16x4x8xf16> -> tensor<4x16x8xf16>
  %flat = tile.reshape %turned : tensor<4x16x8xf16> -> tensor<64x8xf16>
  %b = tile.permute %flat order [1, 0] : tensor<64x8xf16> -> tensor<8x64xf16>
  %r = tile.dot %a, %b, %acc precision ieee : tensor<16x8xf16>, tensor<8x64xf16> -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// What somebody else needs as a box, and a matrix that was one before, are loaded as they were.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT: tile.load %{{.*}} : tensor<1x64x16x!tile.ptr<f16>>
// CHECK-NEXT: tile.reshape
// CHECK-NEXT: tile.load %{{.*}} : tensor<16x16x!tile.ptr<f16>>
// CHECK-NEXT: tile.permute
func.func @kept(%p: tensor<1x64x16x!tile.ptr<f16>>, %q: tensor<16x16x!tile.ptr<f16>>, %acc: tensor<64x16xf32>)
    -> (tensor<64x16xf32>, tensor<1x64x16xf16>) {
  %box = tile.load %p : tensor<1x64x16x!tile.ptr<f16>>
  %a = tile.reshape %box : tensor<1x64x16xf16> -> tensor<64x16xf16>
  %b = tile.load %q : tensor<16x16x!tile.ptr<f16>>
  %t = tile.permute %b order [1, 0] : tensor<16x16xf16> -> tensor<16x16xf16>
  %r = tile.dot %a, %t, %acc precision ieee : tensor<64x16xf16>, tensor<16x16xf16> -> tensor<64x16xf32>
  return %r, %box : tensor<64x16xf32>, tensor<1x64x16xf16>
}

// A block that is only reshaped has the same elements in the same order.
// CHECK-LABEL: func.func @reshapedBlock
// CHECK-SAME: %[[B:[^:]*]]: !tile.block<1x64x16xf16>
// CHECK: tile.load %{{.*}} mask %{{.*}} block %[[B]] : !tile.block<1x64x16xf16> : tensor<64x16x!tile.ptr<f16>>
func.func @reshapedBlock(%block: !tile.block<1x64x16xf16>, %p: tensor<1x64x16x!tile.ptr<f16>>, %m: tensor<1x64x16xi1>, %b: tensor<16x16xf16>,
                         %acc: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %box = tile.load %p mask %m block %block : !tile.block<1x64x16xf16> : tensor<1x64x16x!tile.ptr<f16>>
  %a = tile.reshape %box : tensor<1x64x16xf16> -> tensor<64x16xf16>
  %r = tile.dot %a, %b, %acc precision ieee : tensor<64x16xf16>, tensor<16x16xf16> -> tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}

// One that is transposed before has not.
// CHECK-LABEL: func.func @permutedBlock
// CHECK: tile.load %{{[^ ]*}} : tensor<64x8x!tile.ptr<f16>>
func.func @permutedBlock(%block: !tile.block<16x4x8xf16>, %p: tensor<16x4x8x!tile.ptr<f16>>, %a: tensor<16x8xf16>, %acc: tensor<16x64xf32>)
    -> tensor<16x64xf32> {
  %box = tile.load %p block %block : !tile.block<16x4x8xf16> : tensor<16x4x8x!tile.ptr<f16>>
  %turned = tile.permute %box order [1, 0, 2] : tensor<16x4x8xf16> -> tensor<4x16x8xf16>
  %flat = tile.reshape %turned : tensor<4x16x8xf16> -> tensor<64x8xf16>
  %b = tile.permute %flat order [1, 0] : tensor<64x8xf16> -> tensor<8x64xf16>
  %r = tile.dot %a, %b, %acc precision ieee : tensor<16x8xf16>, tensor<8x64xf16> -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// Where dimensions of size 1 are dropped, pointers and mask are computed without them.
// CHECK-LABEL: func.func @computed
// CHECK-SAME: %[[BASE:[^:]*]]: !tile.ptr<f16>, %[[ROW:[^:]*]]: tensor<64xi32>
// CHECK-NOT: tile.reshape
// CHECK: %[[START:.*]] = tile.splat %[[BASE]] : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>>
// CHECK: tile.expand_dims %[[ROW]] axis 0 : tensor<64xi32> -> tensor<1x64xi32>
// CHECK: %[[OFFSETS:.*]] = tile.broadcast %{{.*}} : tensor<1x64xi32> -> tensor<16x64xi32>
// CHECK: %[[P:.*]] = tile.addptr %[[START]], %[[OFFSETS]] : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
// CHECK: %[[LIMIT:.*]] = arith.constant dense<50> : tensor<16x64xi32>
// CHECK: %[[M:.*]] = arith.cmpi slt, %{{.*}}, %[[LIMIT]] : tensor<16x64xi32>
// CHECK: tile.load %[[P]] mask %[[M]]
func.func @computed(%base: !tile.ptr<f16>, %row: tensor<64xi32>, %a: tensor<16x16xf16>, %acc: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %limit = arith.constant dense<50> : tensor<16x1x64xi32>
  %outer = tile.expand_dims %row axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %box = tile.expand_dims %outer axis 0 : tensor<1x64xi32> -> tensor<1x1x64xi32>
  %offsets = tile.broadcast %box : tensor<1x1x64xi32> -> tensor<16x1x64xi32>
  %start = tile.splat %base : !tile.ptr<f16> -> tensor<16x1x64x!tile.ptr<f16>>
  %pointers = tile.addptr %start, %offsets : tensor<16x1x64x!tile.ptr<f16>>, tensor<16x1x64xi32>
  %mask = arith.cmpi slt, %offsets, %limit : tensor<16x1x64xi32>
  %x = tile.load %pointers mask %mask : tensor<16x1x64x!tile.ptr<f16>>
  %b = tile.reshape %x : tensor<16x1x64xf16> -> tensor<16x64xf16>
  %r = tile.dot %a, %b, %acc precision ieee : tensor<16x16xf16>, tensor<16x64xf16> -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}
