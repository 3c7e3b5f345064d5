// RUN: tile-opt %s -tile-expand-blocks | FileCheck %s

// The block's place is computed on scalars; elements compare 32 bits.
// CHECK-LABEL: func.func @line
// CHECK-SAME: %[[BASE:[^:]*]]: !tile.ptr<f32>, %[[N:[^:]*]]: i64, %[[FIRST:[^:]*]]: i32
// CHECK-NOT: tile.block_pointers
// CHECK: %[[START:.*]] = arith.extsi %[[FIRST]] : i32 to i64
// CHECK: %[[BLOCK:.*]] = tile.addptr %[[BASE]], %[[START]] : !tile.ptr<f32>, i64
// CHECK: %[[SPLAT:.*]] = tile.splat %[[BLOCK]]
// CHECK: %[[INDEX:.*]] = tile.make_range 0 to 64
// CHECK: %[[WIDE:.*]] = arith.extsi %[[INDEX]]
// CHECK: %[[POINTERS:.*]] = tile.addptr %[[SPLAT]], %[[WIDE]] : tensor<64x!tile.ptr<f32>>, tensor<64xi64>
// CHECK: %[[END:.*]] = arith.maxsi %[[N]], %[[START]] : i64
// CHECK: %[[LEFT:.*]] = arith.subi %[[END]], %[[START]] : i64
// CHECK: %[[LEAST:.*]] = arith.minui %[[LEFT]], %c64
// CHECK: %[[LIMIT:.*]] = arith.trunci %[[LEAST]] : i64 to i32
// CHECK: %[[LIMITS:.*]] = tile.splat %[[LIMIT]]
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %[[INDEX]], %[[LIMITS]] : tensor<64xi32>
// CHECK: %[[ABOVE:.*]] = arith.cmpi sge, %[[INDEX]]
// CHECK: %[[INSIDE:.*]] = arith.andi %[[ABOVE]], %[[BELOW]]
// CHECK: tile.load %[[POINTERS]] mask %[[INSIDE]]
func.func @line(%base: !tile.ptr<f32>, %n: i64, %first: i32) -> tensor<64xf32> {
  %one = arith.constant 1 : i64
  %p, %inside = tile.block_pointers %base sizes [%n] strides [%one] offsets [%first] guard [0] : tensor<64x!tile.ptr<f32>>
  %x = tile.load %p mask %inside : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// A size of 32 bits is compared with the offset in these.
// CHECK-LABEL: func.func @words
// CHECK-SAME: %[[N:[^:]*]]: i32, %[[FIRST:[^:]*]]: i32
// CHECK: %[[INDEX:.*]] = tile.make_range 0 to 64
// CHECK: %[[END:.*]] = arith.maxsi %[[N]], %[[FIRST]] : i32
// CHECK: %[[LEFT:.*]] = arith.subi %[[END]], %[[FIRST]] : i32
// CHECK: %[[LIMIT:.*]] = arith.minui %[[LEFT]], %c64
// CHECK: %[[LIMITS:.*]] = tile.splat %[[LIMIT]]
// CHECK: arith.cmpi slt, %[[INDEX]], %[[LIMITS]] : tensor<64xi32>
// CHECK-NOT: i64
// CHECK: tile.load
func.func @words(%base: !tile.ptr<f32>, %n: i32, %first: i32) -> tensor<64xf32> {
  %one = arith.constant 1 : i64
  %size = arith.extsi %n : i32 to i64
  %p, %inside = tile.block_pointers %base sizes [%size] strides [%one] offsets [%first] guard [0] : tensor<64x!tile.ptr<f32>>
  %x = tile.load %p mask %inside : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}

// So is a known one, unless it has more.
// CHECK-LABEL: func.func @known
// CHECK: arith.maxsi %{{.*}}, %c100_i32 : i32
// CHECK: arith.maxsi %{{.*}}, %c4294967296_i64 : i64
// CHECK: arith.maxsi %{{.*}}, %c7_i32 : i32
func.func @known(%base: !tile.ptr<f32>, %i: i32) -> tensor<8x16x1xf32> {
  %one = arith.constant 1 : i64
  %n = arith.constant 100 : i64
  %k = arith.constant 4294967296 : i64
  %l = arith.constant 7 : i64
  %p, %inside = tile.block_pointers %base sizes [%n, %k, %l] strides [%k, %one, %one] offsets [%i, %i, %i] guard [0, 1, 2] : tensor<8x16x1x!tile.ptr<f32>>
  %x = tile.load %p mask %inside : tensor<8x16x1x!tile.ptr<f32>>
  return %x : tensor<8x16x1xf32>
}

// What is not guarded is not compared, and nobody asks for a mask.
// CHECK-LABEL: func.func @unguarded
// CHECK-NOT: arith.cmpi
// CHECK: tile.load %{{[^ ]*}} : tensor<8x16x!tile.ptr<f32>>
func.func @unguarded(%base: !tile.ptr<f32>, %n: i64, %i: i32) -> tensor<8x16xf32> {
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] guard [] : tensor<8x16x!tile.ptr<f32>>
  %x = tile.load %p : tensor<8x16x!tile.ptr<f32>>
  return %x : tensor<8x16xf32>
}

// Of one axis only.
// CHECK-LABEL: func.func @one_axis
// CHECK-COUNT-2: arith.cmpi {{.*}} : tensor<16xi32>
// CHECK-NOT: arith.cmpi
// CHECK: tile.broadcast {{.*}} : tensor<1x16xi1> -> tensor<8x16xi1>
// CHECK: tile.load
func.func @one_axis(%base: !tile.ptr<f32>, %n: i64, %i: i32) -> tensor<8x16xf32> {
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] guard [1] : tensor<8x16x!tile.ptr<f32>>
  %x = tile.load %p mask %inside : tensor<8x16x!tile.ptr<f32>>
  return %x : tensor<8x16xf32>
}

// Rows lie anywhere: their numbers are compared in 64 bits.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[ROWS:[^:]*]]: tensor<8xi32>
// CHECK: %[[WIDE:.*]] = arith.extsi %[[ROWS]] : tensor<8xi32> to tensor<8xi64>
// CHECK: arith.muli %[[WIDE]], %{{.*}} : tensor<8xi64>
// CHECK: arith.cmpi slt, {{.*}} : tensor<8xi64>
// CHECK: arith.cmpi sge, {{.*}} : tensor<8xi64>
// CHECK: arith.cmpi slt, {{.*}} : tensor<16xi32>
// CHECK: tile.load
func.func @rows(%rows: tensor<8xi32>, %base: !tile.ptr<f32>, %n: i64, %i: i32) -> tensor<8x16xf32> {
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] rows %rows : tensor<8xi32> guard [0, 1] : tensor<8x16x!tile.ptr<f32>>
  %x = tile.load %p mask %inside : tensor<8x16x!tile.ptr<f32>>
  return %x : tensor<8x16xf32>
}

// Two accesses to one block share their arithmetic.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-1: tile.make_range
// CHECK-NOT: tile.make_range
// CHECK: return
func.func @shared(%base: !tile.ptr<f32>, %n: i64, %i: i32) -> (tensor<64xf32>) {
  %p, %in = tile.block_pointers %base sizes [%n] strides [%n] offsets [%i] guard [0] : tensor<64x!tile.ptr<f32>>
  %q, %also = tile.block_pointers %base sizes [%n] strides [%n] offsets [%i] guard [0] : tensor<64x!tile.ptr<f32>>
  %x = tile.load %p mask %in : tensor<64x!tile.ptr<f32>>
  tile.store %q, %x mask %also : tensor<64x!tile.ptr<f32>>
  return %x : tensor<64xf32>
}
