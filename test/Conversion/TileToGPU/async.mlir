// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#spread = #tile.layout<register = [[1], [2], [256]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = []>

// A thread has two copies of 16 bytes in a slot. Copies of neighbouring threads are neighbours: a thread's own lie
// 64 * 16 bytes apart, and a slot takes twice that.
// CHECK-LABEL: func.func @ring
// CHECK: %[[SHARED:.*]] = llvm.mlir.addressof
// CHECK: %[[OWN:.*]] = arith.muli %{{.*}}, %c16_i32
// CHECK: %[[BASE:.*]] = llvm.getelementptr %[[SHARED]][32]
// CHECK: %[[PART:.*]] = llvm.getelementptr %[[BASE]][%[[OWN]]]
// CHECK: %[[SLOT:.*]] = arith.muli %arg1, %c2048_i32
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[PART]][%[[SLOT]]]
// CHECK: llvm.inline_asm has_side_effects "cp.async.cg.shared.global [$0], [$1], 16;", "l,l,~{memory}" %[[FIRST]]
// CHECK: %[[SECOND:.*]] = arith.addi %[[SLOT]], %c1024_i32
// CHECK: llvm.inline_asm has_side_effects "cp.async.cg.shared.global [$0], [$1], 16;"
// CHECK: llvm.inline_asm has_side_effects "cp.async.commit_group;", "~{memory}"
// CHECK: llvm.inline_asm has_side_effects "cp.async.wait_group 1;", "~{memory}"
// CHECK: llvm.load %[[FIRST]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
func.func @ring(%p: tensor<512x!tile.ptr<f32>, #spread>, %slot: i32)
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.shared_bytes = 4128 : i32} {
  %ring = tile.alloc_ring at 32 : !tile.ring<2, 4, tensor<512xf32, #spread>>
  tile.async_load %p into %ring[%slot] : tensor<512x!tile.ptr<f32>, #spread>, !tile.ring<2, 4, tensor<512xf32, #spread>>
  tile.async_commit
  tile.async_wait 1
  %x = tile.ring_read %ring[%slot] : !tile.ring<2, 4, tensor<512xf32, #spread>>
  tile.store %p, %x : tensor<512x!tile.ptr<f32>, #spread>
  return
}

// Under a mask nothing is copied, and what is read there is `other`.
// CHECK-LABEL: func.func @masked
// CHECK: llvm.inline_asm has_side_effects "@$2 cp.async.ca.shared.global [$0], [$1], 8;", "l,l,b,~{memory}"
// CHECK: llvm.inline_asm has_side_effects "mov.b32 $0, $4; mov.b32 $1, $5; @$3 ld.shared.v2.b32 {$0, $1}, [$2];"
func.func @masked(%p: tensor<512x!tile.ptr<f32>, #spread>, %m: tensor<512xi1, #spread>, %slot: i32)
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.shared_bytes = 4096 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<512xf32, #spread>
  %ring = tile.alloc_ring at 0 : !tile.ring<2, 2, tensor<512xf32, #spread>>
  tile.async_load %p into %ring[%slot] mask %m : tensor<512x!tile.ptr<f32>, #spread>, !tile.ring<2, 2, tensor<512xf32, #spread>>
  %x = tile.ring_read %ring[%slot] mask %m other %zeros : !tile.ring<2, 2, tensor<512xf32, #spread>>
  tile.store %p, %x : tensor<512x!tile.ptr<f32>, #spread>
  return
}

// What cp.async cannot copy goes through a register.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: cp.async.c
// CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> vector<1xf16>
// CHECK: llvm.store %[[X]], %{{.*}} {alignment = 2 : i64} : vector<1xf16>, !llvm.ptr<3>
// CHECK: return
func.func @narrow(%p: tensor<512x!tile.ptr<f16>, #spread>, %slot: i32)
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.shared_bytes = 2048 : i32} {
  %ring = tile.alloc_ring at 0 : !tile.ring<2, 1, tensor<512xf16, #spread>>
  tile.async_load %p into %ring[%slot] : tensor<512x!tile.ptr<f16>, #spread>, !tile.ring<2, 1, tensor<512xf16, #spread>>
  return
}
