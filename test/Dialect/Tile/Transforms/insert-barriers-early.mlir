// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-insert-barriers | FileCheck %s
// RUN: tile-opt %s -tile-attach-target="arch=sm_80 disable-heuristics=sink-loads" -tile-insert-barriers | FileCheck %s --check-prefix=OFF

#own = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp = [[64, 0]], block = []>
#map = #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]>

// Threads wait for those that still read the second buffer before they load 128 registers, not with these at hand.
// CHECK-LABEL: func.func @few_at_hand
// CHECK: %[[A:.*]] = tile.alloc_buffer at 0
// CHECK: %[[B:.*]] = tile.alloc_buffer at 32768
// CHECK: tile.buffer_load %[[B]]
// CHECK: tile.store
// CHECK: tile.barrier
// CHECK: tile.buffer_load %[[A]]
// CHECK-NOT: tile.barrier
// CHECK: tile.buffer_store %{{.*}}, %[[B]]
// OFF-LABEL: func.func @few_at_hand
// OFF: tile.buffer_load
// OFF: tile.buffer_load
// OFF: arith.mulf
// OFF: tile.barrier
// OFF-NEXT: tile.buffer_store
func.func @few_at_hand(%x: tensor<128x64xf32, #own>, %p: tensor<128x64x!tile.ptr<f32>, #own>) -> tensor<128x64xf32, #own> attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %a = tile.alloc_buffer at 0 : <128x64xf32, #map>
  %b = tile.alloc_buffer at 32768 : <128x64xf32, #map>
  %y = tile.buffer_load %b : <128x64xf32, #map> -> tensor<128x64xf32, #own>
  tile.store %p, %y : tensor<128x64x!tile.ptr<f32>, #own>
  %z = tile.buffer_load %a : <128x64xf32, #map> -> tensor<128x64xf32, #own>
  %square = arith.mulf %z, %z : tensor<128x64xf32, #own>
  tile.buffer_store %square, %b : tensor<128x64xf32, #own>, <128x64xf32, #map>
  return %x : tensor<128x64xf32, #own>
}

// Nor do they load what is there already before they wait for what another one stores.
// CHECK-LABEL: func.func @read_together
// CHECK: %[[A:.*]] = tile.alloc_buffer at 0
// CHECK: %[[B:.*]] = tile.alloc_buffer at 32768
// CHECK: tile.buffer_store %{{.*}}, %[[B]]
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_load %[[A]]
// CHECK-NEXT: tile.buffer_load %[[B]]
// OFF-LABEL: func.func @read_together
// OFF: tile.buffer_load
// OFF-NEXT: tile.barrier
// OFF-NEXT: tile.buffer_load
#other = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [64, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp = [[1, 0]], block = []>
func.func @read_together(%x: tensor<128x64xf32, #own>) -> (tensor<128x64xf32, #own>, tensor<128x64xf32, #own>, tensor<128x64xf32, #other>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %a = tile.alloc_buffer at 0 : <128x64xf32, #map>
  %b = tile.alloc_buffer at 32768 : <128x64xf32, #map>
  tile.buffer_store %x, %b : tensor<128x64xf32, #own>, <128x64xf32, #map>
  %y = tile.buffer_load %a : <128x64xf32, #map> -> tensor<128x64xf32, #own>
  %z = tile.buffer_load %b : <128x64xf32, #map> -> tensor<128x64xf32, #other>
  return %x, %y, %z : tensor<128x64xf32, #own>, tensor<128x64xf32, #own>, tensor<128x64xf32, #other>
}
