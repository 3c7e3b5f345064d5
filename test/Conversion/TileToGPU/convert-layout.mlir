// RUN: tile-opt %s -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

// The cheapest means that brings every element where it is wanted: nothing, a permutation of
// registers, shuffles, shared memory.

#source = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = []>
#permuted = #tile.layout<register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = []>
#twice = #tile.layout<register = [[1], [2], [0]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = []>
#lanes = #tile.layout<register = [[1], [2]], lane = [[64], [8], [16], [32], [4]], warp = [[128]], block = []>
#exchanged = #tile.layout<register = [[4], [2]], lane = [[1], [8], [16], [32], [64]], warp = [[128]], block = []>
#warps = #tile.layout<register = [[64], [128]], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>

// CHECK-DAG: llvm.mlir.global internal @__tilec_shared_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i8>

// CHECK-LABEL: func.func @registers
// CHECK-SAME: %[[X:.*]]: vector<4xf32>, %[[P:.*]]: vector<4x!llvm.ptr<1>>
// CHECK-NOT: nvvm.shfl
// CHECK: %[[Y:.*]] = vector.shuffle %[[X]], %[[X]] [0, 2, 1, 3]
// CHECK-NOT: nvvm
// CHECK: return
func.func @registers(%x: tensor<256xf32, #source>, %p: tensor<256x!tile.ptr<f32>, #permuted>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.convert_layout %x : tensor<256xf32, #source> -> tensor<256xf32, #permuted>
  tile.store %p, %0 : tensor<256x!tile.ptr<f32>, #permuted>
  return
}

// CHECK-LABEL: func.func @copies
// CHECK-SAME: %[[X:.*]]: vector<4xf32>
// CHECK: vector.shuffle %[[X]], %[[X]] [0, 1, 2, 3, 0, 1, 2, 3]
func.func @copies(%x: tensor<256xf32, #source>, %p: tensor<256x!tile.ptr<f32>, #twice>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.convert_layout %x : tensor<256xf32, #source> -> tensor<256xf32, #twice>
  tile.store %p, %0 : tensor<256x!tile.ptr<f32>, #twice>
  return
}

// Lane bits 0 and 4 change places: every register comes from one other lane.
// CHECK-LABEL: func.func @lanes
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[BIT0:.*]] = arith.andi %[[TID]], %c1_i32
// CHECK: %[[UP:.*]] = arith.shli %[[BIT0]], %c4_i32
// CHECK: %[[KEPT:.*]] = arith.andi %[[TID]], %c14_i32
// CHECK: %[[PART:.*]] = arith.xori %[[UP]], %[[KEPT]]
// CHECK: %[[BIT4:.*]] = arith.andi %[[TID]], %c16_i32
// CHECK: %[[DOWN:.*]] = arith.shrui %[[BIT4]], %c4_i32
// CHECK: %[[LANE:.*]] = arith.xori %[[PART]], %[[DOWN]]
// CHECK-COUNT-4: nvvm.shfl.sync idx %{{.*}}, %{{.*}}, %[[LANE]], %c31_i32 : i32 -> i32
// CHECK-NOT: nvvm.shfl
// CHECK-NOT: nvvm.barrier
// CHECK: return
func.func @lanes(%x: tensor<256xf32, #source>, %p: tensor<256x!tile.ptr<f32>, #lanes>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.convert_layout %x : tensor<256xf32, #source> -> tensor<256xf32, #lanes>
  tile.store %p, %0 : tensor<256x!tile.ptr<f32>, #lanes>
  return
}

// A register bit and a lane bit change places: each lane keeps one half of its registers and sends the other, both
// elements in one word.
// CHECK-LABEL: func.func @exchanged
// CHECK-SAME: %[[X:.*]]: vector<4xf16>
// CHECK-DAG: %[[LOW:.*]] = vector.shuffle %[[X]], %[[X]] [0, 2]
// CHECK-DAG: %[[HIGH:.*]] = vector.shuffle %[[X]], %[[X]] [1, 3]
// CHECK: %[[ISHIGH:.*]] = arith.cmpi ne
// CHECK: arith.select %[[ISHIGH]], %[[LOW]], %[[HIGH]] : vector<2xf16>
// CHECK-COUNT-1: nvvm.shfl.sync bfly {{.*}}, %c1_i32, %c31_i32
// CHECK-NOT: nvvm.shfl
// CHECK: %[[RECEIVED:.*]] = llvm.bitcast {{.*}} to vector<2xf16>
// CHECK-DAG: arith.select %[[ISHIGH]], %[[RECEIVED]], %[[LOW]]
// CHECK-DAG: arith.select %[[ISHIGH]], %[[HIGH]], %[[RECEIVED]]
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @exchanged(%x: tensor<256xf16, #source>, %p: tensor<256x!tile.ptr<f16>, #exchanged>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.convert_layout %x : tensor<256xf16, #source> -> tensor<256xf16, #exchanged>
  tile.store %p, %0 : tensor<256x!tile.ptr<f16>, #exchanged>
  return
}

// From four neighbours a thread to one: one wide store, a barrier, four loads.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: %[[X:.*]]: vector<4xf32>
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<1xi32>
// CHECK-NOT: nvvm.barrier
// CHECK: return
func.func @shared(%x: tensor<256xf32, #source>, %p: tensor<256x!tile.ptr<f32>, #warps>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.convert_layout %x : tensor<256xf32, #source> -> tensor<256xf32, #warps>
  tile.store %p, %0 : tensor<256x!tile.ptr<f32>, #warps>
  return
}

// Booleans take a byte there, pointers are integers.
// CHECK-LABEL: func.func @elements
// CHECK: arith.extui %{{.*}} : vector<4xi1> to vector<4xi8>
// CHECK: llvm.store {{.*}} {alignment = 4 : i64} : vector<4xi8>, !llvm.ptr<3>
// CHECK: arith.trunci %{{.*}} : vector<4xi8> to vector<4xi1>
// CHECK: llvm.ptrtoint %{{.*}} : vector<4x!llvm.ptr<1>> to vector<4xi64>
// CHECK: llvm.inttoptr %{{.*}} : vector<4xi64> to vector<4x!llvm.ptr<1>>
func.func @elements(%m: tensor<256xi1, #source>, %q: tensor<256x!tile.ptr<f32>, #source>, %v: tensor<256xf32, #warps>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.convert_layout %m : tensor<256xi1, #source> -> tensor<256xi1, #warps>
  %1 = tile.convert_layout %q : tensor<256x!tile.ptr<f32>, #source> -> tensor<256x!tile.ptr<f32>, #warps>
  tile.store %1, %v mask %0 : tensor<256x!tile.ptr<f32>, #warps>
  return
}

// What every warp holds a copy of is fetched inside the warp.
#few = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]], block = []>
#fewBack = #tile.layout<register = [], lane = [[2], [4], [8], [16], [0]], warp = [[1]], block = []>
// CHECK-LABEL: func.func @replicas
// CHECK: nvvm.shfl.sync
// CHECK-NOT: nvvm.barrier
// CHECK: return
func.func @replicas(%x: tensor<32xf32, #few>, %p: tensor<32x!tile.ptr<f32>, #fewBack>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.convert_layout %x : tensor<32xf32, #few> -> tensor<32xf32, #fewBack>
  tile.store %p, %0 : tensor<32x!tile.ptr<f32>, #fewBack>
  return
}
