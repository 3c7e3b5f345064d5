// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-sink-loads | FileCheck %s

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0], [64, 0]], block = []>
#spread = #tile.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0]],
                       warp = [[2, 0], [4, 0], [8, 0]], block = []>
#rows = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128, 256, 512, 1024]>
#columns = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>
!left = !tile.buffer<128x16xf16, #rows>
!ring = !tile.buffer<128x16xf16, #rows, slots = 27>
!right = !tile.buffer<16x16xf16, #columns>
!sums = tensor<128x16xf32, #sum>
!factor = tensor<128x16xf16, #sum>
!column = tensor<16x16xf16, #spread>

// The left factor is read behind the store of the right one, so that threads wait once for both.
// CHECK-LABEL: func.func @shared_barrier
// CHECK: %[[LEFT:.*]] = tile.alloc_buffer : <128x16xf16
// CHECK-NEXT: tile.buffer_store %{{.*}}, %[[LEFT]]
// CHECK-NEXT: %[[RIGHT:.*]] = tile.alloc_buffer : <16x16xf16
// CHECK-NEXT: tile.buffer_store %{{.*}}, %[[RIGHT]]
// CHECK-NEXT: %[[READ:.*]] = tile.buffer_load %[[LEFT]]
// CHECK-NEXT: tile.group_dot %[[READ]], %[[RIGHT]]
func.func @shared_barrier(%x: !factor, %y: !column, %zeros: !sums) -> !sums
    attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %left = tile.alloc_buffer : !left
  tile.buffer_store %x, %left : !factor, !left
  %read = tile.buffer_load %left : !left -> !factor
  %right = tile.alloc_buffer : !right
  tile.buffer_store %y, %right : !column, !right
  %sum = tile.group_dot %read, %right, %zeros : !factor, !right -> !sums
  %done = tile.group_wait 0 for %sum : !sums -> !sums
  return %done : !sums
}

// With no barrier to share it is read early: its latency is hidden there.
// CHECK-LABEL: func.func @no_barrier
// CHECK: tile.buffer_load
// CHECK-NEXT: arith.addf
// CHECK-NEXT: tile.group_dot
func.func @no_barrier(%x: !factor, %y: !column, %zeros: !sums) -> !sums
    attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %left = tile.alloc_buffer : !left
  %right = tile.alloc_buffer : !right
  tile.buffer_store %x, %left : !factor, !left
  tile.buffer_store %y, %right : !column, !right
  %read = tile.buffer_load %left : !left -> !factor
  %more = arith.addf %zeros, %zeros : !sums
  %sum = tile.group_dot %read, %right, %more : !factor, !right -> !sums
  %done = tile.group_wait 0 for %sum : !sums -> !sums
  return %done : !sums
}

// Not to where another product is in flight; behind one that has ended.
// CHECK-LABEL: func.func @in_flight
// CHECK: tile.buffer_load
// CHECK: tile.buffer_store
// CHECK: tile.group_dot
// CHECK-NEXT: tile.group_dot
// CHECK-LABEL: func.func @ended
// CHECK: tile.group_wait 0
// CHECK-NEXT: tile.buffer_load
// CHECK-NEXT: tile.group_dot
func.func @in_flight(%x: !factor, %y: !column, %zeros: !sums) -> (!sums, !sums)
    attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %left = tile.alloc_buffer : !left
  tile.buffer_store %x, %left : !factor, !left
  %read = tile.buffer_load %left : !left -> !factor
  %right = tile.alloc_buffer : !right
  tile.buffer_store %y, %right : !column, !right
  %first = tile.group_dot %x, %right, %zeros : !factor, !right -> !sums
  %second = tile.group_dot %read, %right, %zeros : !factor, !right -> !sums
  %done:2 = tile.group_wait 0 for %first, %second : !sums, !sums -> !sums, !sums
  return %done#0, %done#1 : !sums, !sums
}
func.func @ended(%x: !factor, %y: !column, %zeros: !sums) -> !sums
    attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %left = tile.alloc_buffer : !left
  tile.buffer_store %x, %left : !factor, !left
  %read = tile.buffer_load %left : !left -> !factor
  %right = tile.alloc_buffer : !right
  tile.buffer_store %y, %right : !column, !right
  %first = tile.group_dot %x, %right, %zeros : !factor, !right -> !sums
  %one = tile.group_wait 0 for %first : !sums -> !sums
  %second = tile.group_dot %read, %right, %one : !factor, !right -> !sums
  %done = tile.group_wait 0 for %second : !sums -> !sums
  return %done : !sums
}

// Nor where that costs the second resident CTA.
// CHECK-LABEL: func.func @no_room
// CHECK: %[[LEFT:.*]] = tile.alloc_buffer : <128x16xf16, #{{[^,]*}}>
// CHECK-NEXT: tile.buffer_store %{{.*}}, %[[LEFT]]
// CHECK-NEXT: tile.buffer_load %[[LEFT]]
// CHECK-NEXT: tile.alloc_buffer
func.func @no_room(%x: !factor, %y: !column, %slot: i32, %zeros: !sums) -> (!sums, !factor, !factor, !factor)
    attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %ring = tile.alloc_buffer : !ring
  %first = tile.buffer_load %ring[%slot] : !ring -> !factor
  %right = tile.alloc_buffer : !right
  tile.buffer_store %y, %right : !column, !right
  %left = tile.alloc_buffer : !left
  tile.buffer_store %x, %left : !factor, !left
  %read = tile.buffer_load %left : !left -> !factor
  %other = tile.alloc_buffer : !left
  tile.buffer_store %x, %other : !factor, !left
  %again = tile.buffer_load %other : !left -> !factor
  %sum = tile.group_dot %read, %right, %zeros : !factor, !right -> !sums
  %done = tile.group_wait 0 for %sum : !sums -> !sums
  %last = tile.buffer_load %ring[%slot] : !ring -> !factor
  return %done, %first, %again, %last : !sums, !factor, !factor, !factor
}
