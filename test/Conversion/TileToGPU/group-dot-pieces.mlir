// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -convert-tile-to-gpu -cse | FileCheck %s

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0], [64, 0]], block = []>
#left = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                     warp = [[16, 0], [32, 0], [64, 0]], block = []>
// Lines of 64 bytes along the depth of the left factor, and of 128 bytes across that of the right one.
#rows = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 144, 256, 512, 1024, 2048]>
#columns = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 144, 288, 512, 1024]>

// The second half of the depth, one instruction, which starts from the sums that there are: from registers that is the
// second four words of a thread.
// CHECK: llvm.func @tilec.asm.2(vector<32xf32>, i64, i32, i32, i32, i32) -> vector<32xf32>
// CHECK-SAME: add.s64 r, $64, 128;\0Awgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, $1,
// CHECK-SAME: $31}, {$65, $66, $67, $68}, r, p, 1, 1, 1;\0Awgmma.commit_group
//
// 32 bytes further in the left factor's lines, and 16 lines further in the right one.
// CHECK: llvm.func @tilec.asm.0(vector<32xf32>, i64, i64) -> vector<32xf32>
// CHECK-SAME: add.s64 l, $65, 2;\0Aadd.s64 r, $64, 128;\0Awgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, $1,
// CHECK-SAME: $31}, l, r, p, 1, 1, 0, 1;\0Awgmma.commit_group

// CHECK-LABEL: func.func @buffers
// CHECK: llvm.call @tilec.asm.0(
func.func @buffers(%slot: i32, %acc: tensor<128x64xf32, #sum>, %out: tensor<128x64x!tile.ptr<f32>, #sum>)
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.shared_bytes = 24576 : i32} {
  %lefts = tile.alloc_buffer at 0 : !tile.buffer<128x32xf16, #rows, slots = 2>
  %rights = tile.alloc_buffer at 16384 : !tile.buffer<32x64xf16, #columns, slots = 2>
  %sum = tile.group_dot %lefts[%slot], %rights[%slot], %acc depth [16, 16] : !tile.buffer<128x32xf16, #rows, slots = 2>, !tile.buffer<32x64xf16, #columns, slots = 2> -> tensor<128x64xf32, #sum>
  %done = tile.group_wait 0 for %sum : tensor<128x64xf32, #sum> -> tensor<128x64xf32, #sum>
  tile.store %out, %done : tensor<128x64x!tile.ptr<f32>, #sum>
  return
}

// CHECK-LABEL: func.func @registers
// CHECK: llvm.call @tilec.asm.2(
func.func @registers(%left: tensor<128x32xf16, #left>, %acc: tensor<128x64xf32, #sum>, %out: tensor<128x64x!tile.ptr<f32>, #sum>)
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.shared_bytes = 4096 : i32} {
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<32x64xf16, #columns>
  %sum = tile.group_dot %left, %buffer, %acc depth [16, 16] : tensor<128x32xf16, #left>, !tile.buffer<32x64xf16, #columns> -> tensor<128x64xf32, #sum>
  %done = tile.group_wait 0 for %sum : tensor<128x64xf32, #sum> -> tensor<128x64xf32, #sum>
  tile.store %out, %done : tensor<128x64x!tile.ptr<f32>, #sum>
  return
}
