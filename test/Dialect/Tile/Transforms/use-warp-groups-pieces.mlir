// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-use-warp-groups | FileCheck %s

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
#left = #tile.layout<register = [[0, 1], [0, 2], [8, 0], [0, 16], [0, 32], [0, 64]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]],
                     warp = [[16, 0], [32, 0]], block = []>
#right = #tile.layout<register = [[1, 0], [2, 0], [16, 0], [32, 0], [64, 0], [0, 8]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]],
                      warp = [[0, 0], [0, 0]], block = []>
#lines = #tile.layout<register = [[0, 1], [0, 2], [0, 16], [0, 32], [0, 64], [8, 0]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]],
                      warp = [[0, 0], [0, 0]], block = []>
// Rows of the left factor and columns of the right one in lines of 128 bytes.
!rows = !tile.buffer<64x128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 144, 288, 576, 1024, 2048, 4096]>, slots = 3>
!columns = !tile.buffer<16x128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 144, 288, 576, 1024]>, slots = 3>

// Pieces of 40 are rounded up to two instructions; each has a sum of its own, which is waited for and added.
// CHECK-LABEL: func.func @pieces
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZEROS:[^)]*]])
// CHECK: %[[P0:.*]] = tile.group_dot %{{.*}}[%[[SLOT:.*]]], transposed %{{.*}}[%[[SLOT]]], %[[ZERO:[^ ]*]] as f8E4M3FN, f8E5M2 depth [0, 64]
// CHECK-NEXT: %[[W0:.*]] = tile.group_wait 0 for %[[P0]]
// CHECK-NEXT: %[[S0:.*]] = arith.addf %[[ACC]], %[[W0]]
// CHECK-NEXT: %[[P1:.*]] = tile.group_dot {{.*}}, %[[ZERO]] as f8E4M3FN, f8E5M2 depth [64, 64]
// CHECK-NEXT: %[[W1:.*]] = tile.group_wait 0 for %[[P1]]
// CHECK-NEXT: %[[S1:.*]] = arith.addf %[[S0]], %[[W1]]
// CHECK-NEXT: scf.yield %[[S1]]
func.func @pieces(%n: i32, %slot: i32) -> tensor<64x16xf32, #sum> attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum>
  %lefts = tile.alloc_buffer : !rows
  %rights = tile.alloc_buffer : !columns
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x16xf32, #sum>) : i32 {
    %a = tile.buffer_load %lefts[%slot] : !rows -> tensor<64x128xi8, #left>
    %lines = tile.buffer_load %rights[%slot] : !columns -> tensor<16x128xi8, #lines>
    %b = tile.permute %lines order [1, 0] : tensor<16x128xi8, #lines> -> tensor<128x16xi8, #right>
    %next = tile.dot %a, %b, %acc as f8E4M3FN, f8E5M2 {piece = 40 : i32} : tensor<64x128xi8, #left>, tensor<128x16xi8, #right> -> tensor<64x16xf32, #sum>
    scf.yield %next : tensor<64x16xf32, #sum>
  }
  return %sum : tensor<64x16xf32, #sum>
}

// All of the depth is one piece, whose sum starts from zero as well.
// CHECK-LABEL: func.func @whole
// CHECK: %[[P:.*]] = tile.group_dot {{.*}} as f8E4M3FN, f8E5M2 :
// CHECK-NEXT: %[[W:.*]] = tile.group_wait 0 for %[[P]]
// CHECK-NEXT: arith.addf %{{.*}}, %[[W]]
func.func @whole(%slot: i32, %acc: tensor<64x16xf32, #sum>) -> tensor<64x16xf32, #sum> attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %lefts = tile.alloc_buffer : !rows
  %rights = tile.alloc_buffer : !columns
  %a = tile.buffer_load %lefts[%slot] : !rows -> tensor<64x128xi8, #left>
  %lines = tile.buffer_load %rights[%slot] : !columns -> tensor<16x128xi8, #lines>
  %b = tile.permute %lines order [1, 0] : tensor<16x128xi8, #lines> -> tensor<128x16xi8, #right>
  %next = tile.dot %a, %b, %acc as f8E4M3FN, f8E5M2 {piece = 128 : i32} : tensor<64x128xi8, #left>, tensor<128x16xi8, #right> -> tensor<64x16xf32, #sum>
  return %next : tensor<64x16xf32, #sum>
}
