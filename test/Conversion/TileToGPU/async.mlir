// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#spread = #tile.layout<register = [[1], [2], [256]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = []>
#map = #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256]>

// A thread copies 16 bytes twice into a slot of 2 KiB. Both copies and the loads share an address; the second of them is
// 1 KiB further.
// CHECK-LABEL: func.func @slots
// CHECK: %[[SHARED:.*]] = llvm.mlir.addressof
// CHECK: %[[BASE:.*]] = llvm.getelementptr %[[SHARED]][32]
// CHECK: %[[BYTES:.*]] = arith.muli %arg1, %c2048_i32
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[BASE]][%[[BYTES]]]
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %[[SLOT]][%{{.*}}]
// CHECK: llvm.inline_asm has_side_effects "cp.async.cg.shared.global [$0], [$1], 16;", "l,l,~{memory}" %[[FIRST]]
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[FIRST]][256]
// CHECK: llvm.inline_asm has_side_effects "cp.async.cg.shared.global [$0], [$1], 16;", "l,l,~{memory}" %[[SECOND]]
// CHECK: llvm.inline_asm has_side_effects "cp.async.commit_group;", "~{memory}"
// CHECK: llvm.inline_asm has_side_effects "cp.async.wait_group 1;", "~{memory}"
// CHECK: llvm.load %[[FIRST]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: llvm.load %[[SECOND]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
func.func @slots(%p: tensor<512x!tile.ptr<f32>, #spread> {tile.divisibility = 16 : i32}, %slot: i32, %base: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.shared_bytes = 4128 : i32} {
  %range = tile.make_range 0 to 512 : tensor<512xi32, #spread>
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #spread>
  %ptrs = tile.addptr %bases, %range : tensor<512x!tile.ptr<f32>, #spread>, tensor<512xi32, #spread>
  %stages = tile.alloc_buffer at 32 : !tile.buffer<512xf32, #map, slots = 2>
  tile.buffer_copy %ptrs into %stages[%slot] : tensor<512x!tile.ptr<f32>, #spread>, !tile.buffer<512xf32, #map, slots = 2>
  tile.async_commit
  tile.async_wait 1
  %x = tile.buffer_load %stages[%slot] : !tile.buffer<512xf32, #map, slots = 2> -> tensor<512xf32, #spread>
  tile.store %p, %x : tensor<512x!tile.ptr<f32>, #spread>
  return
}

// ptxas moves no access to memory over a barrier of the warp.
// CHECK-LABEL: func.func @ordered
// CHECK: "cp.async.commit_group;"
// CHECK-NEXT: "bar.warp.sync 0xffffffff;"
// CHECK-NEXT: "bar.warp.sync 0xffffffff;"
// CHECK-NEXT: "cp.async.wait_group 0;"
func.func @ordered() attributes {tile.kernel, tile.num_warps = 2 : i32} {
  tile.async_commit ordered
  tile.async_wait 0 ordered
  return
}

// Where the mask is false, nothing is read, and zeros are written. Without alignment, a copy has 4 bytes.
// CHECK-LABEL: func.func @masked
// CHECK: %[[MASK:.*]] = vector.extract %arg1[0]
// CHECK: llvm.inline_asm has_side_effects "{ .reg .b32 %bytes; selp.b32 %bytes, 4, 0, $2; cp.async.ca.shared.global [$0], [$1], 4, %bytes; }", "l,l,b,~{memory}" %{{.*}}, %{{.*}}, %[[MASK]]
func.func @masked(%p: tensor<512x!tile.ptr<f32>, #spread>, %m: tensor<512xi1, #spread>)
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.shared_bytes = 2048 : i32} {
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<512xf32, #map>
  tile.buffer_copy %p into %buffer mask %m : tensor<512x!tile.ptr<f32>, #spread>, !tile.buffer<512xf32, #map>
  return
}

// One predicate serves registers whose masks are the same. Others choose one by one.
// CHECK-LABEL: func.func @maskedLoads
// CHECK: llvm.call @tilec.ld.shared.v2.b32(
// CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK: arith.select %{{.*}}, %[[X]], %{{.*}} : vector<2xi1>, vector<2xi32>
#pairs = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]], block = []>
func.func @maskedLoads(%p: tensor<128x!tile.ptr<f32>, #pairs>, %m: tensor<128xi1, #pairs>, %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.shared_bytes = 512 : i32} {
  %ones = arith.constant dense<1.0> : tensor<128xf32, #pairs>
  %range = tile.make_range 0 to 128 : tensor<128xi32, #pairs>
  %limit = tile.splat %n : i32 -> tensor<128xi32, #pairs>
  %same = arith.cmpi slt, %range, %limit : tensor<128xi32, #pairs>
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>
  %x = tile.buffer_load %buffer mask %same previous %ones : tensor<128xf32, #pairs> : !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>> -> tensor<128xf32, #pairs>
  %y = tile.buffer_load %buffer mask %m previous %x : tensor<128xf32, #pairs> : !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>> -> tensor<128xf32, #pairs>
  tile.store %p, %y : tensor<128x!tile.ptr<f32>, #pairs>
  return
}

// What cp.async cannot copy goes through a register.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: cp.async.c
// CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> vector<1xf16>
// CHECK: llvm.store %[[X]], %{{.*}} {alignment = 2 : i64} : vector<1xf16>, !llvm.ptr<3>
// CHECK: return
func.func @narrow(%p: tensor<512x!tile.ptr<f16>, #spread>)
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.shared_bytes = 2048 : i32} {
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<512xf16, #map>
  tile.buffer_copy %p into %buffer : tensor<512x!tile.ptr<f16>, #spread>, !tile.buffer<512xf16, #map>
  return
}

// Of threads that hold the same elements, the first copies them.
#rows = #tile.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [[0]], block = []>
// CHECK-LABEL: func.func @shared
// CHECK: %[[OTHERS:.*]] = arith.andi %{{.*}}, %c56_i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[OTHERS]]
// CHECK: llvm.inline_asm has_side_effects "@$2 cp.async.ca.shared.global [$0], [$1], 4;", "l,l,b,~{memory}" %{{.*}}, %{{.*}}, %[[FIRST]]
func.func @shared(%p: tensor<8x!tile.ptr<f32>, #rows>)
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.shared_bytes = 32 : i32} {
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<8xf32, #tile.shared<[1, 2, 4]>>
  tile.buffer_copy %p into %buffer : tensor<8x!tile.ptr<f32>, #rows>, !tile.buffer<8xf32, #tile.shared<[1, 2, 4]>>
  return
}

// A copy, and a load, that leave the second-level cache first. The copy's place is combined with a zero that ptxas cannot know
// (docs/workarounds.md, copy-policy); both are made where the kernel begins.
// CHECK-LABEL: func.func @policies
// CHECK-DAG: %[[POLICY:.*]] = llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l" : () -> i64
// CHECK-DAG: %[[ZERO:.*]] = llvm.inline_asm "{{.*}}%lanemask_lt{{.*}}", "=l" : () -> i64
// CHECK: scf.for
// CHECK: "{ .reg .b64 %place; or.b64 %place, $0, $3; cp.async.cg.shared.global.L2::cache_hint [%place], [$1], 16, $2; }", "l,l,l,l,~{memory}" %{{.*}}, %{{.*}}, %[[POLICY]], %[[ZERO]]
// CHECK: llvm.call @"tilec.ld.global.L1::evict_last.L2::cache_hint.v4.b32"
func.func @policies(%p: tensor<512x!tile.ptr<f32>, #spread>, %base: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.shared_bytes = 2048 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tile.make_range 0 to 512 : tensor<512xi32, #spread>
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #spread>
  %ptrs = tile.addptr %bases, %range : tensor<512x!tile.ptr<f32>, #spread>, tensor<512xi32, #spread>
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<512xf32, #map>
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.buffer_copy %ptrs into %buffer evict = first : tensor<512x!tile.ptr<f32>, #spread>, !tile.buffer<512xf32, #map>
    %x = tile.load %ptrs evict = last : tensor<512x!tile.ptr<f32>, #spread>
    tile.store %p, %x : tensor<512x!tile.ptr<f32>, #spread>
  }
  return
}
