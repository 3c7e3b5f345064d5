// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-specialize-warps -cse | FileCheck %s

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0], [64, 0]], block = []>
#copy = #tile.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]],
                     warp = [[2, 0], [4, 0], [8, 0]], block = []>
#lots = #tile.layout<register = [[16, 0], [32, 0], [64, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]], warp = [[2, 0], [4, 0], [8, 0]], block = []>
#line = #tile.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = [[0], [0], [0]], block = []>
#rows = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128, 256, 512, 1024]>
#columns = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>
!lefts = !tile.buffer<128x16xf16, #rows, slots = 3>
!slots = !tile.buffer<16x16xf16, #columns, slots = 3>
!scores = tensor<128x16xf32, #sum>
!weights = tensor<128x16xf16, #sum>
!ptr = !tile.ptr<f16>

// The slot of a left factor that comes from registers is not free when its loads have been issued: they wait for their turn
// behind what tensor cores read, an arrival does not, and the next copy might be there first. It is free with the slot of
// the right factor, when the product has been waited for.
// CHECK-LABEL: func.func @left_from_registers
// CHECK: %[[LFULL:.*]] = tile.alloc_mbarrier slots 3
// CHECK: %[[LEMPTY:.*]] = tile.alloc_mbarrier slots 3
// CHECK: %[[RFULL:.*]] = tile.alloc_mbarrier slots 3
// CHECK: %[[REMPTY:.*]] = tile.alloc_mbarrier slots 3
// CHECK: tile.warp_roles role 8
// CHECK: tile.mbarrier_wait %[[LFULL]][
// CHECK: tile.buffer_load
// CHECK-NOT: tile.mbarrier_arrive
// CHECK: tile.mbarrier_wait %[[RFULL]][
// CHECK: tile.group_dot
// CHECK: tile.group_wait 0
// CHECK-DAG: tile.mbarrier_arrive %[[LEMPTY]][
// CHECK-DAG: tile.mbarrier_arrive %[[REMPTY]][
// CHECK: scf.yield
func.func @left_from_registers(%p: !ptr, %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %lefts = tile.alloc_buffer : !lefts
  %rights = tile.alloc_buffer : !slots
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.constant 2 : i32
  %zeros = arith.constant dense<0.0> : !scores
  %sum:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %at = %zero, %slot = %zero) -> (!scores, i32, i32) : i32 {
    %base = tile.addptr %p, %at : !ptr, i32
    %ptrs = tile.splat %base : !ptr -> tensor<16x16x!ptr, #copy>
    %more_ptrs = tile.splat %base : !ptr -> tensor<128x16x!ptr, #lots>
    tile.buffer_copy %more_ptrs into %lefts[%slot] : tensor<128x16x!ptr, #lots>, !lefts
    tile.buffer_copy %ptrs into %rights[%slot] : tensor<16x16x!ptr, #copy>, !slots
    tile.async_commit
    tile.async_wait 0
    %left = tile.buffer_load %lefts[%slot] : !lefts -> !weights
    %twice = arith.addf %left, %left : !weights
    %s = tile.group_dot %twice, %rights[%slot], %acc : !weights, !slots -> !scores
    %done = tile.group_wait 0 for %s : !scores -> !scores
    %then = arith.addi %at, %n : i32
    %more = arith.addi %slot, %one : i32
    %wraps = arith.cmpi eq, %slot, %last : i32
    %following = arith.select %wraps, %zero, %more : i32
    scf.yield %done, %then, %following : !scores, i32, i32
  } {tile.copies_in_place, tile.warp_specialize}
  tile.print "sum" %sum#0 : !scores
  return
}
