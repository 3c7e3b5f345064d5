// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

// Of threads that hold copies of an element, all load it and the first stores it.

// A scalar: one thread of the CTA stores.
// CHECK-LABEL: func.func @scalar
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>, %[[C:.*]]: i1
// CHECK: llvm.load %[[P]] {alignment = 2 : i64} : !llvm.ptr<1> -> vector<1xf16>
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128>
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[TID]], %c0_i32
// CHECK: llvm.call @tilec.st.global.b16(%[[P]], %{{[^,]*}}, %[[FIRST]])
// CHECK: %[[BOTH:.*]] = arith.andi %[[C]], %[[FIRST]]
// CHECK: llvm.call @tilec.st.global.b16(%[[P]], %{{[^,]*}}, %[[BOTH]])
func.func @scalar(%p: !tile.ptr<f16>, %c: i1) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %x = tile.load %p : !tile.ptr<f16>
  tile.store %p, %x : !tile.ptr<f16>
  tile.store %p, %x mask %c : !tile.ptr<f16>
  return
}

// Copies in lanes 8, 16 and in the second warp: bits 3, 4 and 5 of the thread's number must be 0.
#small = #tile.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [[0]], block = []>
// CHECK-LABEL: func.func @lanesAndWarps
// CHECK: llvm.load {{.*}} -> vector<1xi32>
// CHECK: %[[BITS:.*]] = arith.andi %{{.*}}, %c56_i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[BITS]], %c0_i32
// CHECK: llvm.call @tilec.st.global.b32(%{{[^,]*}}, %{{[^,]*}}, %[[FIRST]])
func.func @lanesAndWarps(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %r = tile.make_range 0 to 8 : tensor<8xi32, #small>
  %base = tile.splat %p : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>, #small>
  %ptrs = tile.addptr %base, %r : tensor<8x!tile.ptr<i32>, #small>, tensor<8xi32, #small>
  %x = tile.load %ptrs : tensor<8x!tile.ptr<i32>, #small>
  tile.store %ptrs, %x : tensor<8x!tile.ptr<i32>, #small>
  return
}

// Copies in registers: half of them are loaded and stored, without a predicate.
#registers = #tile.layout<register = [[0], [32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>
// CHECK-LABEL: func.func @registers
// CHECK-COUNT-2: llvm.load
// CHECK-NOT: llvm.load
// CHECK-COUNT-2: llvm.store
// CHECK-NOT: llvm.store
// CHECK: return
func.func @registers(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 64 : tensor<64xi32, #registers>
  %base = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #registers>
  %ptrs = tile.addptr %base, %r : tensor<64x!tile.ptr<i32>, #registers>, tensor<64xi32, #registers>
  %x = tile.load %ptrs : tensor<64x!tile.ptr<i32>, #registers>
  tile.store %ptrs, %x : tensor<64x!tile.ptr<i32>, #registers>
  return
}

// A lane that repeats what a register already holds is a copy too.
#mixed = #tile.layout<register = [[1]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>
// CHECK-LABEL: func.func @mixed
// CHECK: %[[BIT:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[BIT]], %c0_i32
// CHECK-COUNT-2: llvm.call @tilec.st.global.b32(%{{[^,]*}}, %{{[^,]*}}, %[[FIRST]])
func.func @mixed(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32, #mixed>
  %base = tile.splat %p : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>, #mixed>
  %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<i32>, #mixed>, tensor<32xi32, #mixed>
  tile.store %ptrs, %r : tensor<32x!tile.ptr<i32>, #mixed>
  return
}

// What other lanes of the warp have stored comes first.
#warp = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]], block = []>
// CHECK-LABEL: func.func @inOrder
// CHECK: %[[LOW:.*]] = arith.andi %{{.*}}, %c32_i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LOW]], %c0_i32
// CHECK: llvm.inline_asm has_side_effects "bar.warp.sync 0xffffffff;", "~{memory}" : () -> ()
// CHECK: llvm.call @tilec.st.global.b32(%{{[^,]*}}, %{{[^,]*}}, %[[FIRST]])
// CHECK: llvm.inline_asm has_side_effects "bar.warp.sync 0xffffffff;", "~{memory}" : () -> ()
// CHECK: llvm.call @tilec.st.global.b32(
// CHECK-NOT: bar.warp.sync
func.func @inOrder(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32, #warp>
  %base = tile.splat %p : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>, #warp>
  %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<i32>, #warp>, tensor<32xi32, #warp>
  tile.store %ptrs, %r {tile.in_order} : tensor<32x!tile.ptr<i32>, #warp>
  tile.store %p, %n {tile.in_order} : !tile.ptr<i32>
  return
}
