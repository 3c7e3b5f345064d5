// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-split-barriers | FileCheck %s
// RUN: tile-opt %s -tile-attach-target='arch=sm_90a disable-heuristics=split-barriers' -tile-split-barriers | FileCheck %s --check-prefix=NONE

// NONE-NOT: tile.alloc_mbarrier

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0], [64, 0]], block = []>
#copy = #tile.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]],
                     warp = [[2, 0], [4, 0], [8, 0]], block = []>
#rows = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128, 256, 512, 1024]>
#columns = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>
!queries = !tile.buffer<128x16xf16, #rows>
!keys = !tile.buffer<16x16xf16, #columns, slots = 3>
!scores = tensor<128x16xf32, #sum>
!weights = tensor<128x16xf16, #sum>

// Threads arrive once before the loop, and behind the product that each iteration waits for; they wait at the head of each
// iteration, and once behind the loop. The arrival waits for the copies of which two stages have one group in flight.
// CHECK-LABEL: func.func @waiting
// CHECK-SAME: tile.shared_bytes = 8200 : i32
// CHECK: %[[READY:.*]] = tile.alloc_mbarrier at 8192
// CHECK-NEXT: tile.barrier
// CHECK: tile.async_commit
// CHECK: tile.mbarrier_arrive %[[READY]] after_copies
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[PARITY:.*]] = %c0_i32{{.*}})
// CHECK-NEXT: tile.mbarrier_wait %[[READY]], %[[PARITY]]
// CHECK-NOT: tile.barrier
// CHECK: tile.async_commit
// CHECK: tile.group_wait 0
// CHECK-NEXT: tile.mbarrier_arrive %[[READY]] after_copies
// CHECK: tile.group_dot
// CHECK: %[[NEXT:.*]] = arith.xori %[[PARITY]], %c1_i32{{.*}} : i32
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
// CHECK: tile.mbarrier_wait %[[READY]], %[[LOOP]]#1
func.func @waiting(%n: i32, %slot: i32, %p: tensor<16x16x!tile.ptr<f16>, #copy>, %zeros: !scores)
    -> !scores attributes {tile.kernel, tile.num_warps = 8 : i32, tile.shared_bytes = 8192 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %queries = tile.alloc_buffer at 0 : !queries
  %keys = tile.alloc_buffer at 4096 : !keys
  tile.buffer_copy %p into %keys[%zero] : tensor<16x16x!tile.ptr<f16>, #copy>, !keys
  tile.async_commit
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (!scores) : i32 {
    tile.async_wait 0
    tile.barrier
    tile.buffer_copy %p into %keys[%one] : tensor<16x16x!tile.ptr<f16>, #copy>, !keys
    tile.async_commit
    %s = tile.group_dot %queries, %keys[%slot], %zeros : !queries, !keys -> !scores
    %done:2 = tile.group_wait 0 for %s, %acc : !scores, !scores -> !scores, !scores
    %weights = arith.truncf %done#0 : !scores to !weights
    %next = tile.group_dot %weights, %keys[%slot], %done#1 : !weights, !keys -> !scores
    scf.yield %next : !scores
  }
  return %sum : !scores
}

// With more stages, copies of later iterations stay in flight: the thread waits for its own before it arrives.
// CHECK-LABEL: func.func @stages
// CHECK: tile.async_wait 1
// CHECK-NEXT: tile.mbarrier_arrive %[[READY:.*]]{{$}}
// CHECK: scf.for
// CHECK-NEXT: tile.mbarrier_wait
// CHECK-NOT: tile.async_wait
// CHECK: tile.group_wait 0
// CHECK-NEXT: tile.async_wait 1
// CHECK-NEXT: tile.mbarrier_arrive %[[READY]]{{$}}
func.func @stages(%n: i32, %slot: i32, %p: tensor<16x16x!tile.ptr<f16>, #copy>, %zeros: !scores)
    -> !scores attributes {tile.kernel, tile.num_warps = 8 : i32, tile.shared_bytes = 8192 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %queries = tile.alloc_buffer at 0 : !queries
  %keys = tile.alloc_buffer at 4096 : !keys
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (!scores) : i32 {
    tile.async_wait 1
    tile.barrier
    tile.buffer_copy %p into %keys[%one] : tensor<16x16x!tile.ptr<f16>, #copy>, !keys
    tile.async_commit
    %s = tile.group_dot %queries, %keys[%slot], %zeros : !queries, !keys -> !scores
    %done:2 = tile.group_wait 0 for %s, %acc : !scores, !scores -> !scores, !scores
    %weights = arith.truncf %done#0 : !scores to !weights
    %next = tile.group_dot %weights, %keys[%slot], %done#1 : !weights, !keys -> !scores
    scf.yield %next : !scores
  }
  return %sum : !scores
}

// The barrier also orders what the iteration stores behind the wait.
// CHECK-LABEL: func.func @stores
// CHECK-NOT: tile.alloc_mbarrier
func.func @stores(%n: i32, %slot: i32, %p: tensor<128x16x!tile.ptr<f32>, #sum>, %zeros: !scores)
    -> !scores attributes {tile.kernel, tile.num_warps = 8 : i32, tile.shared_bytes = 8192 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %queries = tile.alloc_buffer at 0 : !queries
  %keys = tile.alloc_buffer at 4096 : !keys
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (!scores) : i32 {
    tile.barrier
    %s = tile.group_dot %queries, %keys[%slot], %zeros : !queries, !keys -> !scores
    %done:2 = tile.group_wait 0 for %s, %acc : !scores, !scores -> !scores, !scores
    tile.store %p, %done#0 : tensor<128x16x!tile.ptr<f32>, #sum>
    %weights = arith.truncf %done#0 : !scores to !weights
    %next = tile.group_dot %weights, %keys[%slot], %done#1 : !weights, !keys -> !scores
    scf.yield %next : !scores
  }
  return %sum : !scores
}

// Behind the wait there is nothing to do; two barriers in an iteration; a loop in a loop.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tile.alloc_mbarrier
func.func @others(%n: i32, %slot: i32, %zeros: !scores)
    -> !scores attributes {tile.kernel, tile.num_warps = 8 : i32, tile.shared_bytes = 8192 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %queries = tile.alloc_buffer at 0 : !queries
  %keys = tile.alloc_buffer at 4096 : !keys
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (!scores) : i32 {
    tile.barrier
    %s = tile.group_dot %queries, %keys[%slot], %acc : !queries, !keys -> !scores
    tile.group_wait 1
    scf.yield %s : !scores
  }
  %two = scf.for %i = %zero to %n step %one iter_args(%acc = %sum) -> (!scores) : i32 {
    tile.barrier
    %s = tile.group_dot %queries, %keys[%slot], %zeros : !queries, !keys -> !scores
    %done:2 = tile.group_wait 0 for %s, %acc : !scores, !scores -> !scores, !scores
    tile.barrier
    %weights = arith.truncf %done#0 : !scores to !weights
    %next = tile.group_dot %weights, %keys[%slot], %done#1 : !weights, !keys -> !scores
    scf.yield %next : !scores
  }
  %three = scf.for %j = %zero to %n step %one iter_args(%outer = %two) -> (!scores) : i32 {
    %inner = scf.for %i = %zero to %n step %one iter_args(%acc = %outer) -> (!scores) : i32 {
      tile.barrier
      %s = tile.group_dot %queries, %keys[%slot], %zeros : !queries, !keys -> !scores
      %done:2 = tile.group_wait 0 for %s, %acc : !scores, !scores -> !scores, !scores
      %weights = arith.truncf %done#0 : !scores to !weights
      %next = tile.group_dot %weights, %keys[%slot], %done#1 : !weights, !keys -> !scores
      scf.yield %next : !scores
    }
    scf.yield %inner : !scores
  }
  return %three : !scores
}
