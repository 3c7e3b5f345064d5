// RUN: tile-opt %s -convert-tile-to-gpu | FileCheck %s

// Ranges are computed from the thread's number; splats and shape changes never leave the thread.

#four = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = []>
#swapped = #tile.layout<register = [[32], [64]], lane = [[16], [8], [4], [2], [1]], warp = [[128]], block = []>
#diagonal = #tile.layout<register = [[1], [64]], lane = [[3], [4], [8], [16], [32]], warp = [], block = []>

// Neighbouring bits that move by the same distance take one mask and one shift together.
// CHECK-LABEL: func.func @range
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 64> : i32
// CHECK: %[[BITS:.*]] = arith.andi %[[TID]], %c63_i32
// CHECK: %[[BASE:.*]] = arith.shli %[[BITS]], %c2_i32
// CHECK: %[[WIDE:.*]] = vector.broadcast %[[BASE]] : i32 to vector<4xi32>
// CHECK: %[[STEPS:.*]] = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
// CHECK: arith.addi %[[WIDE]], %[[STEPS]] : vector<4xi32>
func.func @range() attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.make_range 0 to 256 : tensor<256xi32, #four>
  return
}

// The start is part of the constant; values wrap at 32 bits.
// CHECK-LABEL: func.func @rangeStart
// CHECK: arith.constant dense<[100, 101, 102, 103]> : vector<4xi32>
// CHECK: arith.constant dense<[-256, -255, -254, -253]> : vector<4xi32>
func.func @rangeStart() attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.make_range 100 to 356 : tensor<256xi32, #four>
  %1 = tile.make_range 4294967040 to 4294967296 : tensor<256xi32, #four>
  return
}

// Bits in another order move one by one, upwards and downwards.
// CHECK-LABEL: func.func @rangeSwapped
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[BIT0:.*]] = arith.andi %[[TID]], %c1_i32
// CHECK: arith.shli %[[BIT0]], %c4_i32
// CHECK: %[[BIT4:.*]] = arith.andi %[[TID]], %c16_i32
// CHECK: arith.shrui %[[BIT4]], %c4_i32
// CHECK: arith.constant dense<[0, 32, 64, 96]> : vector<4xi32>
func.func @rangeSwapped() attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.make_range 0 to 256 : tensor<256xi32, #swapped>
  return
}

// Where registers and threads share a bit, the parts combine by xor, and the start comes after.
// CHECK-LABEL: func.func @rangeDiagonal
// CHECK: arith.muli %{{.*}}, %c3_i32
// CHECK: %[[STEPS:.*]] = arith.constant dense<[0, 1, 64, 65]> : vector<4xi32>
// CHECK: %[[SUM:.*]] = arith.xori %{{.*}}, %[[STEPS]] : vector<4xi32>
// CHECK: %[[START:.*]] = arith.constant dense<10> : vector<4xi32>
// CHECK: arith.addi %[[SUM]], %[[START]] : vector<4xi32>
func.func @rangeDiagonal() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.make_range 10 to 138 : tensor<128xi32, #diagonal>
  return
}

// CHECK-LABEL: func.func @splats
// CHECK-SAME: %[[X:.*]]: f16, %[[P:.*]]: !llvm.ptr<1>
// CHECK: vector.broadcast %[[X]] : f16 to vector<4xf16>
// CHECK: vector.broadcast %[[P]] : !llvm.ptr<1> to vector<4x!llvm.ptr<1>>
// CHECK: arith.constant dense<true> : vector<4xi1>
func.func @splats(%x: f16, %p: !tile.ptr<i8>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.splat %x : f16 -> tensor<256xf16, #four>
  %1 = tile.splat %p : !tile.ptr<i8> -> tensor<256x!tile.ptr<i8>, #four>
  %2 = arith.constant dense<true> : tensor<256xi1, #four>
  return
}

#matrix = #tile.layout<register = [[0, 1], [4, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [], block = []>
#row = #tile.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 0], [0, 0]], warp = [], block = []>
#rowline = #tile.layout<register = [[1]], lane = [[2], [4], [8], [0], [0]], warp = [], block = []>
#column = #tile.layout<register = [[4, 0]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [], block = []>
#columnline = #tile.layout<register = [[4]], lane = [[0], [0], [0], [1], [2]], warp = [], block = []>
#flat = #tile.layout<register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []>

// A new dimension changes nothing; a broadcast picks registers.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[X:.*]]: vector<2xf32>
// CHECK-NEXT: vector.shuffle %[[X]], %[[X]] [0, 1, 0, 1] : vector<2xf32>, vector<2xf32>
func.func @rows(%x: tensor<16xf32, #rowline>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.expand_dims %x axis 0 : tensor<16xf32, #rowline> -> tensor<1x16xf32, #row>
  %1 = tile.broadcast %0 : tensor<1x16xf32, #row> -> tensor<8x16xf32, #matrix>
  return
}

// CHECK-LABEL: func.func @columns
// CHECK-SAME: %[[X:.*]]: vector<2xf32>
// CHECK-NEXT: vector.shuffle %[[X]], %[[X]] [0, 0, 1, 1] : vector<2xf32>, vector<2xf32>
func.func @columns(%x: tensor<8xf32, #columnline>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.expand_dims %x axis 1 : tensor<8xf32, #columnline> -> tensor<8x1xf32, #column>
  %1 = tile.broadcast %0 : tensor<8x1xf32, #column> -> tensor<8x16xf32, #matrix>
  return
}

// CHECK-LABEL: func.func @flatten
// CHECK-SAME: %[[X:.*]]: vector<4xf32>, %[[PTRS:.*]]: vector<4x!llvm.ptr<1>>
// CHECK-NEXT: vector.extract %[[PTRS]][0]
// CHECK-NEXT: vector.shuffle %[[X]], %[[X]] [0]
func.func @flatten(%x: tensor<8x16xf32, #matrix>, %ptrs: tensor<128x!tile.ptr<f32>, #flat>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.reshape %x : tensor<8x16xf32, #matrix> -> tensor<128xf32, #flat>
  tile.store %ptrs, %0 : tensor<128x!tile.ptr<f32>, #flat>
  return
}
