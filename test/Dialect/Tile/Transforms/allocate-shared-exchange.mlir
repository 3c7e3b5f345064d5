// RUN: tile-opt %s -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers | FileCheck %s

#warps = #tile.layout<register = [[64]], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>
#lanes = #tile.layout<register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = [[0]], block = []>

// What crosses warps has a buffer: the totals of both warps for both pieces; all elements; the source; the bins.
// What stays inside a warp has none.
// CHECK-LABEL: func.func @all
// CHECK-SAME: tile.shared_bytes = 1040
// CHECK: %[[TOTALS:.*]] = tile.alloc_buffer at 0 : <4xi32
// CHECK: tile.buffer_store %{{.*}}, %[[TOTALS]] axis 1 index 31
// CHECK: tile.finish_scan
// CHECK: tile.alloc_buffer at 16 : <128xi32
// CHECK: tile.buffer_load %{{.*}} reversed 0
// CHECK: tile.flip
// CHECK: tile.alloc_buffer at 528 : <128xi32
// CHECK: tile.buffer_gather
// CHECK: tile.alloc_buffer at 0 : <128xi32
// CHECK: tile.buffer_count
func.func @all(%x: tensor<128xi32, #warps>, %y: tensor<128xi32, #lanes>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.scan(%x) axis 0 : (tensor<128xi32, #warps>) -> tensor<128xi32, #warps> {
  ^bb0(%a: i32, %b: i32):
    tile.yield %b : i32
  }
  %1 = tile.flip %0 axis 0 : tensor<128xi32, #warps>
  %2 = tile.flip %y axis 0 : tensor<128xi32, #lanes>
  %3 = tile.gather %1[%2] axis 0 : tensor<128xi32, #warps>, tensor<128xi32, #lanes> -> tensor<128xi32, #lanes>
  %4 = tile.histogram %3 : tensor<128xi32, #lanes> -> tensor<128xi32, #lanes>
  return
}

// The result of an atomic operation needs a buffer where several warps hold copies and somebody looks.
// CHECK-LABEL: func.func @atomics
// CHECK: tile.atomic_rmw {{.*}} first_only
// CHECK: tile.alloc_buffer at 0 : <1xi32
// CHECK: tile.atomic_rmw
// CHECK-NOT: first_only
// CHECK: return
func.func @atomics(%p: !tile.ptr<i32>, %v: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.atomic_rmw add %p, %v sem = relaxed scope = gpu : !tile.ptr<i32>
  %1 = tile.atomic_rmw add %p, %0 sem = relaxed scope = gpu : !tile.ptr<i32>
  return
}
