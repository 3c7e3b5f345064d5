// RUN: tile-opt %s -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#two = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []>
#result = #tile.layout<register = [[0, 1], [1, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp = [], block = []>
#taken = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []>
#rows = #tile.layout<register = [[1, 0], [0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [], block = []>
#columns = #tile.layout<register = [[0, 1], [1, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp = [], block = []>

// A permutation of dimensions is at most one of registers.
// CHECK-LABEL: func.func @permute
// CHECK-SAME: %[[X:.*]]: vector<4xf32>
// CHECK: vector.shuffle %[[X]], %[[X]] [0]
// CHECK: vector.shuffle %[[X]], %[[X]] [1]
// CHECK: vector.shuffle %[[X]], %[[X]] [2]
// CHECK: vector.shuffle %[[X]], %[[X]] [3]
// CHECK: return
func.func @permute(%x: tensor<2x64xf32, #rows>, %p: tensor<64x2x!tile.ptr<f32>, #columns>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.permute %x order [1, 0] : tensor<2x64xf32, #rows> -> tensor<64x2xf32, #columns>
  tile.store %p, %0 : tensor<64x2x!tile.ptr<f32>, #columns>
  return
}

// Taking is a choice of registers.
// CHECK-LABEL: func.func @take
// CHECK-SAME: %[[X:.*]]: vector<4xf32>
// CHECK: vector.shuffle %[[X]], %[[X]] [1, 3]
func.func @take(%x: tensor<64x2xf32, #result>, %p: tensor<64x!tile.ptr<f32>, #taken>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.take %x axis 1 index 1 : tensor<64x2xf32, #result> -> tensor<64xf32, #taken>
  tile.store %p, %0 : tensor<64x!tile.ptr<f32>, #taken>
  return
}

// A flip inside a warp is a permutation of registers and a butterfly.
#lanes = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []>
// CHECK-LABEL: func.func @flipWarp
// CHECK-SAME: %[[X:.*]]: vector<2xi32>
// CHECK: vector.extract %[[X]][1]
// CHECK: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c31_i32,
// CHECK: vector.extract %[[X]][0]
// CHECK: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c31_i32,
// CHECK-NOT: nvvm.barrier
func.func @flipWarp(%x: tensor<64xi32, #lanes>, %p: tensor<64x!tile.ptr<i32>, #lanes>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.flip %x axis 0 : tensor<64xi32, #lanes>
  tile.store %p, %0 : tensor<64x!tile.ptr<i32>, #lanes>
  return
}

// Between warps, it goes through a buffer: thread t reads the pair that thread 127 - t wrote, its halves exchanged.
// CHECK-LABEL: func.func @flip(
// CHECK: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[OWN:.*]] = arith.shli %{{.*}}, %c1_i32
// CHECK: llvm.store %{{.*}} : vector<2xi32>, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: %[[OTHER:.*]] = arith.xori %[[OWN]], %c254_i32
// CHECK: llvm.getelementptr %{{.*}}[%[[OTHER]]]
// CHECK: llvm.load %{{.*}} -> vector<2xi32>
func.func @flip(%x: tensor<256xi32, #two>, %p: tensor<256x!tile.ptr<i32>, #two>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.flip %x axis 0 : tensor<256xi32, #two>
  tile.store %p, %0 : tensor<256x!tile.ptr<i32>, #two>
  return
}

// Indices are kept inside the source.
// CHECK-LABEL: func.func @gather
// CHECK: llvm.store %{{.*}} : vector<2xi16>, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: arith.minui %{{.*}}, %c255_i32
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i16
func.func @gather(%x: tensor<256xf16, #two>, %i: tensor<256xi32, #two>, %p: tensor<256x!tile.ptr<f16>, #two>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.gather %x[%i] axis 0 : tensor<256xf16, #two>, tensor<256xi32, #two> -> tensor<256xf16, #two>
  tile.store %p, %0 : tensor<256x!tile.ptr<f16>, #two>
  return
}

// Copies are counted once.
#few = #tile.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = [], block = []>
// CHECK-LABEL: func.func @histogram
// CHECK: llvm.call @tilec.st.shared.b32(%{{.*}}, %c0_i32, %{{.*}}) : (!llvm.ptr<3>, i32, i1)
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[MASKED:.*]] = arith.andi %{{.*}}, %{{.*}} : i1
// CHECK: %[[FIRST:.*]] = arith.andi %[[MASKED]], %{{.*}} : i1
// CHECK: scf.if %[[FIRST]] {
// CHECK: llvm.atomicrmw add %{{.*}}, %c1_i32 monotonic : !llvm.ptr<3>, i32
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<1xi32>
func.func @histogram(%x: tensor<16xi32, #few>, %m: tensor<16xi1, #few>, %p: tensor<16x!tile.ptr<i32>, #few>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.histogram %x mask %m : tensor<16xi32, #few> -> tensor<16xi32, #few>
  tile.store %p, %0 : tensor<16x!tile.ptr<i32>, #few>
  return
}
