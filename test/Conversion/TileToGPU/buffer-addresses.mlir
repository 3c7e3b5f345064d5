// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#rows = #tile.layout<register = [[1, 0], [2, 0], [4, 0], [8, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[16, 0], [32, 0]], block = []>
#swizzled = #tile.shared<[1, 2, 4, 8, 16, 36, 72, 128, 256, 512, 1024]>

// Of the parts that registers add to the address, bits that those of threads have, too, make another address: 4 and 8
// here. All others are offsets in the instructions of one address.

// CHECK-LABEL: func.func @sharedAddresses
// CHECK-DAG: arith.xori %[[THREAD:.*]], %c4_i32
// CHECK-DAG: arith.xori %[[THREAD]], %c8_i32
// CHECK-DAG: arith.xori %[[THREAD]], %c12_i32
// CHECK-NOT: arith.xori
// CHECK: return
func.func @sharedAddresses(%p: tensor<64x32x!tile.ptr<f32>, #rows>)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 8192 : i32} {
  %buffer = tile.alloc_buffer at 0 : <64x32xf32, #swizzled>
  %x = tile.buffer_load %buffer : <64x32xf32, #swizzled> -> tensor<64x32xf32, #rows>
  tile.store %p, %x : tensor<64x32x!tile.ptr<f32>, #rows>
  return
}
