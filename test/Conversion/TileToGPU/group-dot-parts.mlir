// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -convert-tile-to-gpu -cse | FileCheck %s

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
#left = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                     warp = [[16, 0], [32, 0]], block = []>
#columns = #tile.shared<[1, 2, 4, 8, 16, 32, 1024, 72, 144, 288, 512]>

// Two instructions of half the columns, each with a wait of its own whose results are taken up; the second one starts at
// column 64 of the right factor. Sums that start from zero are no operands.
// CHECK: llvm.func @tilec.asm.2(i64, i32, i32, i32, i32) -> vector<32xf32>
// CHECK-SAME: add.s64 r, $32, 128;\0Awgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, $1,
// CHECK-SAME: $31}, {$33, $34, $35, $36}, r, z, 1, 1, 1;\0Awgmma.commit_group
// CHECK: llvm.func @tilec.asm.1(vector<32xf32>) -> vector<32xf32>
// CHECK-SAME: wgmma.wait_group.sync.aligned 0;
// CHECK-SAME: "tilec-take-up"
// CHECK: llvm.func @tilec.asm.0(i64, i32, i32, i32, i32) -> vector<32xf32>
// CHECK-SAME: add.s64 r, $32, 0;\0Awgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, $1,

// CHECK-LABEL: func.func @parts
// CHECK: %[[FIRST:.*]] = llvm.call @tilec.asm.0(
// CHECK: %[[A:.*]] = llvm.call @tilec.asm.1(%[[FIRST]])
// CHECK: %[[SECOND:.*]] = llvm.call @tilec.asm.2(
// CHECK: %[[B:.*]] = llvm.call @tilec.asm.1(%[[SECOND]])
// CHECK: vector.shuffle %[[A]], %[[B]]
func.func @parts(%left: tensor<64x16xf16, #left>, %out: tensor<64x128x!tile.ptr<f32>, #sum>)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 4096 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32, #sum>
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<16x128xf16, #columns>
  %sum = tile.group_dot %left, %buffer, %zero parts 2 : tensor<64x16xf16, #left>, !tile.buffer<16x128xf16, #columns> -> tensor<64x128xf32, #sum>
  tile.group_wait 0
  tile.store %out, %sum : tensor<64x128x!tile.ptr<f32>, #sum>
  return
}
