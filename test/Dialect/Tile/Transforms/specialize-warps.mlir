// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-specialize-warps -cse | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-specialize-warps=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0], [64, 0]], block = []>
#copy = #tile.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]],
                     warp = [[2, 0], [4, 0], [8, 0]], block = []>
#line = #tile.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = [[0], [0], [0]], block = []>
#rows = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128, 256, 512, 1024]>
#columns = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>
!queries = !tile.buffer<128x16xf16, #rows>
!slots = !tile.buffer<16x16xf16, #columns, slots = 3>
!scores = tensor<128x16xf32, #sum>
!weights = tensor<128x16xf16, #sum>
!ptr = !tile.ptr<f16>

// As in attention. Keys are free behind the wait for their product; values are read until the next iteration has waited, and the arrival
// there is for the slot before. So the last slot of values counts as in use until the first iteration has waited.
// REMARK: remark: kernel 'attention' has 4 more warps, which only copy
// CHECK-LABEL: func.func @attention
// CHECK-SAME: %[[P:[^:]*]]: !tile.ptr<f16>
// CHECK-SAME: %[[N:[^:]*]]: i32
// CHECK-SAME: tile.num_warps = 12 : i32
// CHECK-DAG: %[[KFULL:.*]] = tile.alloc_mbarrier slots 3 arrivals 128
// CHECK: %[[KEMPTY:.*]] = tile.alloc_mbarrier slots 3 arrivals 8
// CHECK: %[[VFULL:.*]] = tile.alloc_mbarrier slots 3 arrivals 128
// CHECK: %[[VEMPTY:.*]] = tile.alloc_mbarrier slots 3 arrivals 8
// CHECK: tile.barrier
// CHECK: tile.warp_roles role 8 registers 232 {
// CHECK: scf.for {{.*}} iter_args(%[[ACC:[^ ]*]] = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %[[SLOT:[^ ]*]] = %{{[^ ]*}}, %[[PHASE:[^ ]*]] = %{{[^ ]*}})
// CHECK-NOT: tile.buffer_copy
// CHECK-NOT: tile.async
// CHECK: tile.mbarrier_wait %[[KFULL]][%[[SLOT]]], %[[PHASE]]
// CHECK-NEXT: tile.group_dot
// CHECK-NEXT: tile.group_wait 0
// CHECK: %[[BEFORE:.*]] = arith.select
// CHECK: tile.mbarrier_arrive %[[VEMPTY]][%[[BEFORE]]] each_warp
// CHECK: tile.mbarrier_arrive %[[KEMPTY]][%[[SLOT]]] each_warp
// CHECK: tile.mbarrier_wait %[[VFULL]][%[[SLOT]]], %[[PHASE]]
// CHECK-NEXT: %[[NEXT:.*]] = tile.group_dot
// CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[SLOT]], %c2_i32
// CHECK: %[[CHANGE:.*]] = arith.extui %[[WRAPS]]
// CHECK: %[[THEN:.*]] = arith.xori %[[PHASE]], %[[CHANGE]]
// CHECK: scf.yield %[[NEXT]], %{{.*}}, %{{.*}}, %[[THEN]]
// CHECK: tile.group_wait 0
// CHECK: } role 4 registers 40 {
// Half as many warps copy, and each has two registers in place of one.
// CHECK: scf.for %[[I:[^ ]*]] = {{.*}} iter_args(%[[AT:[^ ]*]] = %{{[^ ]*}}, %[[INTO:[^ ]*]] = %{{[^ ]*}}, %[[TURN:[^ ]*]] = %{{[^ ]*}})
// CHECK-NOT: tile.group
// CHECK: %[[OTHER:.*]] = arith.xori %[[TURN]], %c1_i32
// CHECK: tile.mbarrier_wait %[[KEMPTY]][%[[INTO]]], %[[OTHER]]
// CHECK-NEXT: tile.buffer_copy %{{.*}} into %{{.*}}[%[[INTO]]] : tensor<16x16x!tile.ptr<f16>, #[[FEWER:.*]]>,
// CHECK-NEXT: tile.mbarrier_arrive %[[KFULL]][%[[INTO]]] after_copies
// CHECK: %[[NOTLAST:.*]] = arith.cmpi ne, %[[INTO]], %c2_i32
// CHECK: %[[FIRST:.*]] = arith.extui %[[NOTLAST]]
// CHECK: %[[SO:.*]] = arith.xori %[[TURN]], %[[FIRST]]
// CHECK: tile.mbarrier_wait %[[VEMPTY]][%[[INTO]]], %[[SO]]
// CHECK-NEXT: tile.buffer_copy
// CHECK-NEXT: tile.mbarrier_arrive %[[VFULL]][%[[INTO]]] after_copies
// CHECK: scf.yield
// CHECK: tile.async_commit
// CHECK: tile.async_wait 0
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @attention(%p: !ptr, %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %keys = tile.alloc_buffer : !slots
  %values = tile.alloc_buffer : !slots
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 2 : i32
  %zeros = arith.constant dense<0.0> : !scores
  %queries = tile.alloc_buffer : !queries
  %range = tile.make_range 0 to 16 : tensor<16xi32, #line>
  %row = tile.expand_dims %range axis 0 : tensor<16xi32, #line> -> tensor<1x16xi32, #tile.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], warp = [[0, 0], [0, 0], [0, 0]], block = []>>
  %offsets = tile.broadcast %row : tensor<1x16xi32, #tile.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], warp = [[0, 0], [0, 0], [0, 0]], block = []>> -> tensor<16x16xi32, #copy>
  %sum:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %at = %zero, %slot = %zero) -> (!scores, i32, i32) : i32 {
    %base = tile.addptr %p, %at : !ptr, i32
    %bases = tile.splat %base : !ptr -> tensor<16x16x!ptr, #copy>
    %ptrs = tile.addptr %bases, %offsets : tensor<16x16x!ptr, #copy>, tensor<16x16xi32, #copy>
    tile.buffer_copy %ptrs into %keys[%slot] : tensor<16x16x!ptr, #copy>, !slots
    tile.buffer_copy %ptrs into %values[%slot] : tensor<16x16x!ptr, #copy>, !slots
    tile.async_commit
    tile.async_wait 0
    %s = tile.group_dot %queries, %keys[%slot], %zeros : !queries, !slots -> !scores
    %done:2 = tile.group_wait 0 for %s, %acc : !scores, !scores -> !scores, !scores
    %weights = arith.truncf %done#0 : !scores to !weights
    %next = tile.group_dot %weights, %values[%slot], %done#1 : !weights, !slots -> !scores
    %then = arith.addi %at, %n : i32
    %more = arith.addi %slot, %one : i32
    %wraps = arith.cmpi eq, %slot, %last : i32
    %following = arith.select %wraps, %zero, %more : i32
    scf.yield %next, %then, %following : !scores, i32, i32
  } {tile.copies_in_place, tile.warp_specialize}
  %end = tile.group_wait 0 for %sum#0 : !scores -> !scores
  tile.print "sum" %end : !scores
  return
}

// Two loops fill the same slots in the same way: the second goes on with the slot and the phase that the first ends with, or
// with the first ones if that has no iterations. A condition around a loop holds for both kinds of warps.
// CHECK-LABEL: func.func @two
// CHECK: %[[FULL:.*]] = tile.alloc_mbarrier slots 3 arrivals 128
// CHECK-NEXT: %[[EMPTY:.*]] = tile.alloc_mbarrier slots 3 arrivals 4
// CHECK-NEXT: tile.barrier
// CHECK: tile.warp_roles role 4 registers 216 {
// CHECK: tile.barrier
// CHECK-NEXT: %[[STATE:.*]]:2 = scf.if %{{.*}} -> (i32, i32) {
// CHECK: %[[FIRST:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %c0_i32, %{{.*}} = %c0_i32)
// CHECK: tile.mbarrier_wait %[[FULL]][
// CHECK: tile.group_dot
// CHECK: tile.group_wait 0
// CHECK: tile.mbarrier_arrive %[[EMPTY]][
// CHECK: scf.yield %[[FIRST]]#1, %[[FIRST]]#2
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %c0_i32, %c0_i32
// CHECK-NOT: tile.barrier
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[STATE]]#0, %{{.*}} = %[[STATE]]#1)
// CHECK: tile.mbarrier_wait %[[FULL]][
// CHECK: tile.mbarrier_arrive %[[EMPTY]][
// CHECK: } role 4 registers 40 {
// CHECK: %[[ANY:.*]] = arith.cmpi slt
// CHECK: %[[STATE:.*]]:2 = scf.if %[[ANY]] -> (i32, i32) {
// CHECK: %[[FIRST:.*]]:2 = scf.for
// CHECK: tile.mbarrier_wait %[[EMPTY]][
// CHECK: tile.mbarrier_arrive %[[FULL]][
// CHECK: scf.yield %[[FIRST]]#0, %[[FIRST]]#1
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %c0_i32, %c0_i32
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[STATE]]#0, %{{.*}} = %[[STATE]]#1)
// CHECK: tile.mbarrier_wait %[[EMPTY]][
// CHECK: tile.mbarrier_arrive %[[FULL]][
#sum4 = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                     warp = [[16, 0], [32, 0]], block = []>
#copy4 = #tile.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp = [[2, 0], [4, 0]], block = []>
#left = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128, 256, 512]>
!left = !tile.buffer<64x16xf16, #left>
!sums = tensor<64x16xf32, #sum4>
#copy8 = #tile.layout<register = [[8, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp = [[2, 0], [4, 0]], block = []>
func.func @two(%p: !ptr, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %slots = tile.alloc_buffer : !slots
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : !sums
  %left = tile.alloc_buffer : !left
  %ptrs = tile.splat %p : !ptr -> tensor<16x16x!ptr, #copy8>
  %any = arith.cmpi slt, %zero, %n : i32
  scf.if %any {
    %first:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %slot = %zero) -> (!sums, i32) : i32 {
      tile.buffer_copy %ptrs into %slots[%slot] : tensor<16x16x!ptr, #copy8>, !slots
      tile.async_commit
      tile.async_wait 0
      %next = tile.group_dot %left, %slots[%slot], %acc : !left, !slots -> !sums
      %done = tile.group_wait 0 for %next : !sums -> !sums
      scf.yield %done, %zero : !sums, i32
    } {tile.copies_in_place}
  }
  %second:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %slot = %zero) -> (!sums, i32) : i32 {
    tile.buffer_copy %ptrs into %slots[%slot] : tensor<16x16x!ptr, #copy8>, !slots
    tile.async_commit
    tile.async_wait 0
    %next = tile.group_dot %left, %slots[%slot], %acc : !left, !slots -> !sums
    %done = tile.group_wait 0 for %next : !sums -> !sums
    scf.yield %done, %zero : !sums, i32
  } {tile.copies_in_place}
  return
}

// Loops in different places have barriers of their own: who copies for the second waits for the end of the first.
// CHECK-LABEL: func.func @apart
// CHECK: %[[FULL:.*]] = tile.alloc_mbarrier slots 3 arrivals 128
// CHECK: %[[EMPTY:.*]] = tile.alloc_mbarrier slots 3 arrivals 4
// CHECK: %[[DONE:.*]] = tile.alloc_mbarrier arrivals 4
// CHECK: %[[FULL2:.*]] = tile.alloc_mbarrier slots 3 arrivals 128
// CHECK: %[[EMPTY2:.*]] = tile.alloc_mbarrier slots 3 arrivals 4
// CHECK-NEXT: tile.barrier
// CHECK: tile.warp_roles role 4 registers 216 {
// CHECK: scf.if
// CHECK: scf.for
// CHECK: tile.mbarrier_wait %[[FULL]][
// CHECK: tile.group_dot
// CHECK: tile.group_wait 0
// CHECK: tile.mbarrier_arrive %[[EMPTY]][
// CHECK: }
// CHECK: tile.mbarrier_arrive %[[DONE]] each_warp
// CHECK: scf.for
// CHECK: tile.mbarrier_wait %[[FULL2]][
// CHECK: tile.mbarrier_arrive %[[EMPTY2]][
// CHECK: } role 4 registers 40 {
// CHECK: %[[ANY:.*]] = arith.cmpi slt
// CHECK: scf.if %[[ANY]] {
// CHECK: scf.if
// CHECK: scf.for
// CHECK: tile.mbarrier_wait %[[EMPTY]][
// CHECK: tile.mbarrier_arrive %[[FULL]][
// CHECK: }
// CHECK: tile.mbarrier_wait %[[DONE]], %c0_i32
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: scf.for
// CHECK: tile.mbarrier_wait %[[EMPTY2]][
// CHECK: tile.mbarrier_arrive %[[FULL2]][
func.func @apart(%p: !ptr, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %slots = tile.alloc_buffer : !slots
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : !sums
  %left = tile.alloc_buffer : !left
  %ptrs = tile.splat %p : !ptr -> tensor<16x16x!ptr, #copy8>
  %any = arith.cmpi slt, %zero, %n : i32
  scf.if %any {
    scf.if %any {
    %first:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %slot = %zero) -> (!sums, i32) : i32 {
      tile.buffer_copy %ptrs into %slots[%slot] : tensor<16x16x!ptr, #copy8>, !slots
      tile.async_commit
      tile.async_wait 0
      %next = tile.group_dot %left, %slots[%slot], %acc : !left, !slots -> !sums
      %done = tile.group_wait 0 for %next : !sums -> !sums
      scf.yield %done, %zero : !sums, i32
    } {tile.copies_in_place}
    }
  }
  %second:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %slot = %zero) -> (!sums, i32) : i32 {
    tile.buffer_copy %ptrs into %slots[%slot] : tensor<16x16x!ptr, #copy8>, !slots
    tile.async_commit
    tile.async_wait 0
    %next = tile.group_dot %left, %slots[%slot], %acc : !left, !slots -> !sums
    %done = tile.group_wait 0 for %next : !sums -> !sums
    scf.yield %done, %zero : !sums, i32
  } {tile.copies_in_place}
  return
}

// A kernel without such loops stays as it is, but for what its author asked.
// CHECK-LABEL: func.func @none
// CHECK-SAME: tile.num_warps = 4 : i32
// CHECK-NOT: tile.warp_specialize
// CHECK-NOT: tile.warp_roles
func.func @none(%p: !tile.ptr<f32>, %x: f32, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  scf.for %i = %n to %n step %n : i32 {
    tile.store %p, %x : !tile.ptr<f32>
  } {tile.warp_specialize}
  return
}
