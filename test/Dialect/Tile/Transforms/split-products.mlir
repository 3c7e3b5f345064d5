// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-split-products | FileCheck %s
// RUN: tile-opt %s -tile-attach-target='arch=sm_90a disable-heuristics=split-products' -tile-split-products | FileCheck %s --check-prefix=NONE
// NONE-NOT: depth

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [64, 0]],
                    lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []>
#left = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [64, 0]],
                     lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []>
#lines = #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]>
!rows = !tile.buffer<64x128xbf16, #lines>
!sums = tensor<128x128xf32, #sum>

// Weights are converted: by half of them is multiplied while the other half is.
// CHECK-LABEL: func.func @weights
// CHECK: %[[FACTOR:.*]] = arith.sitofp
// CHECK: %[[HALF:.*]] = tile.group_dot %[[FACTOR]], %[[ROWS:.*]], %arg1 if %arg3 depth [0, 32]
// CHECK-NEXT: %[[SUM:.*]] = tile.group_dot %[[FACTOR]], %[[ROWS]], %[[HALF]] depth [32, 32]
// CHECK-NEXT: tile.group_wait 0 for %[[SUM]]
func.func @weights(%bytes: tensor<128x64xi8, #left>, %acc: !sums, %out: tensor<128x128x!tile.ptr<f32>, #sum>, %keep: i1)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %rows = tile.alloc_buffer : !rows
  %factor = arith.sitofp %bytes : tensor<128x64xi8, #left> to tensor<128x64xbf16, #left>
  %sum = tile.group_dot %factor, %rows, %acc if %keep : tensor<128x64xbf16, #left>, !rows -> !sums
  %done = tile.group_wait 0 for %sum : !sums -> !sums
  tile.store %out, %done : tensor<128x128x!tile.ptr<f32>, #sum>
  return
}

// What was computed as it is, and what is in flight together with another product, which the wait counts, stay.
// CHECK-LABEL: func.func @others
// CHECK-NOT: depth
func.func @others(%factor: tensor<128x64xbf16, #left>, %bytes: tensor<128x64xi8, #left>, %acc: !sums, %out: tensor<128x128x!tile.ptr<f32>, #sum>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %rows = tile.alloc_buffer : !rows
  %sum = tile.group_dot %factor, %rows, %acc : tensor<128x64xbf16, #left>, !rows -> !sums
  %done = tile.group_wait 0 for %sum : !sums -> !sums
  %weights = arith.sitofp %bytes : tensor<128x64xi8, #left> to tensor<128x64xbf16, #left>
  %more = tile.group_dot %weights, %rows, %done : tensor<128x64xbf16, #left>, !rows -> !sums
  %first = tile.group_wait 1 for %more : !sums -> !sums
  tile.store %out, %first : tensor<128x128x!tile.ptr<f32>, #sum>
  return
}
