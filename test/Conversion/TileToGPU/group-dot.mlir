// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -convert-tile-to-gpu -cse | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -convert-tile-to-gpu -cse | FileCheck %s --check-prefix=KEEP

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0], [64, 0]], block = []>
#left = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                     warp = [[16, 0], [32, 0], [64, 0]], block = []>
// Lines of 64 bytes along the depth of the left factor, and of 128 bytes across that of the right one.
#rows = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 144, 256, 512, 1024, 2048]>
#columns = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 144, 288, 512, 1024]>

// Assembly that gives sums is a call of a function that has the text, until LLVM IR is optimised.
//
// The left factor from registers, four words for each instruction; sums that start from zero are results only.
// CHECK: llvm.func @tilec.asm.2(i64, i32, i32, i32, i32, i32, i32, i32, i32) -> vector<32xf32>
// CHECK-SAME: {$0, $1,
// CHECK-SAME: {$33, $34, $35, $36}, r, z, 1, 1, 1;
// CHECK-SAME: {$37, $38, $39, $40}, r, p, 1, 1, 1;
// CHECK-SAME: "=f,=f,
// CHECK-SAME: =f,l,r,r,r,r,r,r,r,r,~{memory}"
//
// The sums are tied to their registers until the wait; it leaves pending what it says.
// CHECK: llvm.func @tilec.asm.1(vector<32xf32>) -> vector<32xf32>
// CHECK-SAME: "wgmma.wait_group.sync.aligned 0;"
// CHECK-SAME: "=f,=f,
// CHECK-SAME: ,30,31,~{memory}"
//
// One instruction for each 16 of the depth, which starts 32 bytes further in the left factor's lines, and 16 lines of 128
// bytes further in the right one. The second group of four warps has the next 64 rows.
// CHECK: llvm.func @tilec.asm.0(vector<32xf32>, i64, i64) -> vector<32xf32>
// CHECK-SAME: wgmma.fence.sync.aligned;
// CHECK-SAME: add.s64 l, $65, 0;\0Aadd.s64 r, $64, 0;\0Awgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, $1,
// CHECK-SAME: $31}, l, r, p, 1, 1, 0, 1;
// CHECK-SAME: add.s64 l, $65, 2;\0Aadd.s64 r, $64, 128;\0Awgmma.mma_async
// CHECK-SAME: wgmma.commit_group.sync.aligned;
// CHECK-SAME: "=f,=f,
// CHECK-SAME: ,30,31,l,l,~{memory}"

// What follows from the number of the group is the same in all lanes, as ptxas sees by the shuffle.
// CHECK-LABEL: func.func @both
// CHECK: %[[FIRST:.*]] = nvvm.shfl.sync idx
// CHECK: llvm.mlir.addressof @__tilec_shared_both
// CHECK: %[[B:.*]] = arith.ori %{{.*}}, %c4611686293309489152_i64
// CHECK: arith.andi %[[FIRST]], %c128_i32
// CHECK: %[[A:.*]] = arith.ori %{{.*}}, %c-9223371899415822336_i64
// CHECK: %[[SUM:.*]] = llvm.call @tilec.asm.0(%arg0, %[[B]], %[[A]])
// CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;", "~{memory}"
// CHECK: llvm.call @tilec.asm.1(%[[SUM]])
func.func @both(%acc: tensor<128x64xf32, #sum>, %slot: i32, %out: tensor<128x64x!tile.ptr<f32>, #sum>)
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.shared_bytes = 24576 : i32} {
  %lefts = tile.alloc_buffer at 0 : !tile.buffer<128x32xf16, #rows, slots = 2>
  %rights = tile.alloc_buffer at 16384 : !tile.buffer<32x64xf16, #columns, slots = 2>
  %sum = tile.group_dot %lefts[%slot], %rights[%slot], %acc : !tile.buffer<128x32xf16, #rows, slots = 2>, !tile.buffer<32x64xf16, #columns, slots = 2> -> tensor<128x64xf32, #sum>
  tile.group_wait 1
  %done = tile.group_wait 0 for %sum : tensor<128x64xf32, #sum> -> tensor<128x64xf32, #sum>
  tile.store %out, %done : tensor<128x64x!tile.ptr<f32>, #sum>
  return
}

// CHECK-LABEL: func.func @registers
// CHECK: llvm.store
// CHECK: %[[NEW:.*]] = llvm.call @tilec.asm.2(
// CHECK: llvm.call @tilec.asm.1(%[[NEW]])
func.func @registers(%left: tensor<128x32xf16, #left>, %right: tensor<32x64xf16, #tile.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0], [16, 0]], block = []>>,
                     %out: tensor<128x64x!tile.ptr<f32>, #sum>)
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.shared_bytes = 4096 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<128x64xf32, #sum>
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<32x64xf16, #columns>
  tile.buffer_store %right, %buffer : tensor<32x64xf16, #tile.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0], [16, 0]], block = []>>, !tile.buffer<32x64xf16, #columns>
  tile.barrier
  %sum = tile.group_dot %left, %buffer, %zeros : tensor<128x32xf16, #left>, !tile.buffer<32x64xf16, #columns> -> tensor<128x64xf32, #sum>
  %done = tile.group_wait 0 for %sum : tensor<128x64xf32, #sum> -> tensor<128x64xf32, #sum>
  tile.store %out, %done : tensor<128x64x!tile.ptr<f32>, #sum>
  return
}

// A sum counts only where the condition is true: the first instruction asks, those of later steps of the depth add to it.
// CHECK-LABEL: func.func @keeps
// CHECK-SAME: %[[COND:[^ :]*]]: i1
// CHECK: %[[WORD:.*]] = arith.extui %[[COND]] : i1 to i32
// CHECK: llvm.call @tilec.asm.{{[0-9]+}}({{.*}}, %[[WORD]])
// KEEP: setp.ne.b32 k, $66, 0;
// KEEP-SAME: l, r, k, 1, 1, 0, 1;
// KEEP-SAME: l, r, p, 1, 1, 0, 1;
func.func @keeps(%keep: i1, %slot: i32, %acc: tensor<128x64xf32, #sum>, %out: tensor<128x64x!tile.ptr<f32>, #sum>)
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.shared_bytes = 24576 : i32} {
  %lefts = tile.alloc_buffer at 0 : !tile.buffer<128x32xf16, #rows, slots = 2>
  %rights = tile.alloc_buffer at 16384 : !tile.buffer<32x64xf16, #columns, slots = 2>
  %sum = tile.group_dot %lefts[%slot], %rights[%slot], %acc if %keep : !tile.buffer<128x32xf16, #rows, slots = 2>, !tile.buffer<32x64xf16, #columns, slots = 2> -> tensor<128x64xf32, #sum>
  %done = tile.group_wait 0 for %sum : tensor<128x64xf32, #sum> -> tensor<128x64xf32, #sum>
  tile.store %out, %done : tensor<128x64x!tile.ptr<f32>, #sum>
  return
}

// The number is read once, in front of the loop.
// CHECK-LABEL: func.func @inLoop
// CHECK: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl.sync
// CHECK: scf.for
// CHECK-NOT: nvvm.shfl.sync
// CHECK: return
func.func @inLoop(%acc: tensor<128x64xf32, #sum>, %n: i32, %out: tensor<128x64x!tile.ptr<f32>, #sum>)
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.shared_bytes = 24576 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %lefts = tile.alloc_buffer at 0 : !tile.buffer<128x32xf16, #rows, slots = 2>
  %rights = tile.alloc_buffer at 16384 : !tile.buffer<32x64xf16, #columns, slots = 2>
  %sums = scf.for %i = %zero to %n step %one iter_args(%sum = %acc) -> (tensor<128x64xf32, #sum>) : i32 {
    %first = tile.group_dot %lefts[%zero], %rights[%zero], %sum : !tile.buffer<128x32xf16, #rows, slots = 2>, !tile.buffer<32x64xf16, #columns, slots = 2> -> tensor<128x64xf32, #sum>
    %next = tile.group_dot %lefts[%one], %rights[%one], %first : !tile.buffer<128x32xf16, #rows, slots = 2>, !tile.buffer<32x64xf16, #columns, slots = 2> -> tensor<128x64xf32, #sum>
    %done = tile.group_wait 0 for %next : tensor<128x64xf32, #sum> -> tensor<128x64xf32, #sum>
    scf.yield %done : tensor<128x64xf32, #sum>
  }
  tile.store %out, %sums : tensor<128x64x!tile.ptr<f32>, #sum>
  return
}
