// RUN: tile-opt %s -tile-translate-assembly -canonicalize -cse | FileCheck %s
// How elements become registers, and registers elements.

// Without a pack a tile is a register; numbers are in the text.
// CHECK-LABEL: func.func @alone
// CHECK-SAME: %[[X:.*]]: tensor<4x32xi32>
// CHECK: %[[FOUR:.*]] = arith.constant dense<4> : tensor<4x32xi32>
// CHECK: %[[Y:.*]] = arith.shli %[[X]], %[[FOUR]] : tensor<4x32xi32>
// CHECK-NEXT: return %[[Y]]
func.func @alone(%x: tensor<4x32xi32>) -> tensor<4x32xi32> {
  %four = arith.constant dense<4> : tensor<4x32xi32>
  %0 = tile.inline_asm "shl.b32 $0, $1, $2;" constraints "=r,r,n" pack 1 pure (%x, %four) : (tensor<4x32xi32>, tensor<4x32xi32>) -> tensor<4x32xi32>
  return %0 : tensor<4x32xi32>
}

// So are scalars. An operand with the register of a result is what the register holds at first.
// CHECK-LABEL: func.func @tied
// CHECK-SAME: %[[X:.*]]: i32
// CHECK: %[[Y:.*]] = arith.addi %[[X]], %{{.*}} : i32
// CHECK-NEXT: return %[[Y]]
func.func @tied(%x: i32) -> i32 {
  %c = arith.constant 23 : i32
  %0 = tile.inline_asm "add.s32 $0, $0, $2;" constraints "=r,0,n" pack 1 pure (%x, %c) : (i32, i32) -> i32
  return %0 : i32
}

// Two neighbours share a word: the first is its lower half.
// CHECK-LABEL: func.func @pairs
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf16>
// CHECK: %[[BITS:.*]] = arith.bitcast %[[X]] : tensor<4x8xf16> to tensor<4x8xi16>
// CHECK: %[[ROWS:.*]] = tile.reshape %[[BITS]] : tensor<4x8xi16> -> tensor<16x2xi16>
// CHECK: %[[LOW:.*]] = tile.take %[[ROWS]] axis 1 index 0
// CHECK: %[[HIGH:.*]] = tile.take %[[ROWS]] axis 1 index 1
// CHECK: %[[A:.*]] = arith.extui %[[LOW]] : tensor<16xi16> to tensor<16xi32>
// CHECK: %[[B:.*]] = arith.extui %[[HIGH]] : tensor<16xi16> to tensor<16xi32>
// CHECK: %[[C:.*]] = arith.shli %[[B]], %{{.*}} : tensor<16xi32>
// CHECK: %[[WORD:.*]] = arith.ori %[[A]], %[[C]] : tensor<16xi32>
// CHECK: %[[NOT:.*]] = arith.xori %[[WORD]], %{{.*}} : tensor<16xi32>
// CHECK: %[[WORDS:.*]] = tile.expand_dims %[[NOT]] axis 1 : tensor<16xi32> -> tensor<16x1xi32>
// CHECK: %[[BOTH:.*]] = tile.broadcast %[[WORDS]] : tensor<16x1xi32> -> tensor<16x2xi32>
// CHECK: %[[MOVED:.*]] = arith.shrui %[[BOTH]], %{{.*}} : tensor<16x2xi32>
// CHECK: %[[NARROW:.*]] = arith.trunci %[[MOVED]] : tensor<16x2xi32> to tensor<16x2xi16>
// CHECK: %[[TILE:.*]] = tile.reshape %[[NARROW]] : tensor<16x2xi16> -> tensor<4x8xi16>
// CHECK: arith.bitcast %[[TILE]] : tensor<4x8xi16> to tensor<4x8xf16>
func.func @pairs(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %0 = tile.inline_asm "not.b32 $0, $1;" constraints "=r,r" pack 2 pure (%x) : (tensor<4x8xf16>) -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// Four floats are four registers; the bytes that they become share one.
// CHECK-LABEL: func.func @narrower
// CHECK-COUNT-4: tile.take {{.*}} : tensor<8x4xi32> -> tensor<8xi32>
// CHECK: tile.broadcast {{.*}} : tensor<8x1xi32> -> tensor<8x4xi32>
// CHECK: arith.trunci {{.*}} : tensor<8x4xi32> to tensor<8x4xi8>
// CHECK: tile.reshape {{.*}} : tensor<8x4xi8> -> tensor<32xi8>
func.func @narrower(%x: tensor<32xf32>) -> tensor<32xi8> {
  %0 = tile.inline_asm "{ .reg .b32 t; or.b32 t, $1, $2; or.b32 t, t, $3; or.b32 $0, t, $4; }" constraints "=r,f,f,f,f" pack 4 pure (%x) : (tensor<32xf32>) -> tensor<32xi8>
  return %0 : tensor<32xi8>
}

// Each element of the result takes its bits from one of two words.
// CHECK-LABEL: func.func @wider
// CHECK: %[[SECOND:.*]] = arith.cmpi uge, %{{.*}}, %{{.*}} : tensor<8x4xi32>
// CHECK: arith.select %[[SECOND]], %{{.*}}, %{{.*}} : tensor<8x4xi1>, tensor<8x4xi32>
// CHECK: arith.shrui {{.*}} : tensor<8x4xi32>
// CHECK: arith.trunci {{.*}} : tensor<8x4xi32> to tensor<8x4xi16>
func.func @wider(%x: tensor<32xi8>) -> tensor<32xi16> {
  %0 = tile.inline_asm "prmt.b32 $0, $2, 0, 0x4140; prmt.b32 $1, $2, 0, 0x4342;" constraints "=&r,=r,r" pack 4 pure (%x) : (tensor<32xi8>) -> tensor<32xi16>
  return %0 : tensor<32xi16>
}

// Two elements fill a group of four with copies.
// CHECK-LABEL: func.func @copies
// CHECK-COUNT-2: tile.take {{.*}} : tensor<1x2xi8> -> tensor<1xi8>
// CHECK-NOT: tile.take
// CHECK: arith.trunci {{.*}} : tensor<1x2xi32> to tensor<1x2xi8>
func.func @copies(%x: tensor<2xi8>) -> tensor<2xi8> {
  %0 = tile.inline_asm "not.b32 $0, $1;" constraints "=r,r" pack 4 pure (%x) : (tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// Pointers are numbers of 64 bits.
// CHECK-LABEL: func.func @pointers
// CHECK: %[[N:.*]] = tile.ptr_to_int %{{.*}} : tensor<8x!tile.ptr<f32>> -> tensor<8xi64>
// CHECK: %[[M:.*]] = arith.addi %[[N]], %{{.*}} : tensor<8xi64>
// CHECK: tile.int_to_ptr %[[M]] : tensor<8xi64> -> tensor<8x!tile.ptr<f32>>
func.func @pointers(%p: tensor<8x!tile.ptr<f32>>) -> tensor<8x!tile.ptr<f32>> {
  %0 = tile.inline_asm "add.u64 $0, $1, 16;" constraints "=l,l" pack 1 pure (%p) : (tensor<8x!tile.ptr<f32>>) -> tensor<8x!tile.ptr<f32>>
  return %0 : tensor<8x!tile.ptr<f32>>
}
