// RUN: tile-opt %s -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#registers = #tile.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [], block = []>
#lanes = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []>
#warps = #tile.layout<register = [[128]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []>

// In the thread: one combination for each element but the first, in order.
// CHECK-LABEL: func.func @registers
// CHECK-COUNT-3: arith.addf {{.*}} : vector<1xf32>
// CHECK-NOT: arith.addf
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @registers(%x: tensor<4xf32, #registers>, %p: tensor<4x!tile.ptr<f32>, #registers>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.scan(%x) axis 0 : (tensor<4xf32, #registers>) -> tensor<4xf32, #registers> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %p, %0 : tensor<4x!tile.ptr<f32>, #registers>
  return
}

// Between lanes: the totals move once for each lane bit, and once more to the next lane. What is earlier
// stays on the left.
// CHECK-LABEL: func.func @lanes
// CHECK: %[[TOTAL:.*]] = arith.subi %{{.*}}, %{{.*}} : vector<1xi32>
// CHECK-COUNT-6: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl
// CHECK-NOT: nvvm.barrier
// CHECK: return
func.func @lanes(%x: tensor<64xi32, #lanes>, %p: tensor<64x!tile.ptr<i32>, #lanes>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.scan(%x) axis 0 reverse : (tensor<64xi32, #lanes>) -> tensor<64xi32, #lanes> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.subi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p, %0 : tensor<64x!tile.ptr<i32>, #lanes>
  return
}

// Between warps: the last lane of each warp writes the totals of both pieces, all read those of all warps. A lane
// with one element of a piece has it scanned after five shuffles.
// CHECK-LABEL: func.func @warps
// CHECK-COUNT-10: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %{{.*}}, %c31_i32
// CHECK-COUNT-2: llvm.call @tilec.st.shared.b32(%{{.*}}, %[[LAST]]) : (!llvm.ptr<3>, i32, i1)
// CHECK: nvvm.barrier
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: nvvm.barrier
// CHECK: return
func.func @warps(%x: tensor<256xi32, #warps>, %p: tensor<256x!tile.ptr<i32>, #warps>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.scan(%x) axis 0 : (tensor<256xi32, #warps>) -> tensor<256xi32, #warps> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %p, %0 : tensor<256x!tile.ptr<i32>, #warps>
  return
}

// In the other direction the first lane has the totals, and index 0 is the last one.
// CHECK-LABEL: func.func @reversed
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK-COUNT-2: llvm.call @tilec.st.shared.b32(%{{.*}}, %[[FIRST]]) : (!llvm.ptr<3>, i32, i1)
// CHECK: nvvm.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: return
func.func @reversed(%x: tensor<256xf32, #warps>, %p: tensor<256x!tile.ptr<f32>, #warps>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.scan(%x) axis 0 reverse : (tensor<256xf32, #warps>) -> tensor<256xf32, #warps> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %p, %0 : tensor<256x!tile.ptr<f32>, #warps>
  return
}

// Rows beside each other: those of one warp's lanes are stored by one lane of each row.
#rows = #tile.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[0, 16]], block = []>
// CHECK-LABEL: func.func @rows
// CHECK: %[[LANES:.*]] = arith.andi %{{.*}}, %c7_i32
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[LANES]], %c7_i32
// CHECK: llvm.call @tilec.st.shared.b32(%{{.*}}, %[[LAST]])
// CHECK: nvvm.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK: return
func.func @rows(%x: tensor<4x32xf32, #rows>, %p: tensor<4x32x!tile.ptr<f32>, #rows>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.scan(%x) axis 1 : (tensor<4x32xf32, #rows>) -> tensor<4x32xf32, #rows> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %p, %0 : tensor<4x32x!tile.ptr<f32>, #rows>
  return
}
