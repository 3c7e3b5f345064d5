// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-use-warp-groups -split-input-file | FileCheck %s

// Instructions transpose elements of 16 bits only. A right factor of others with lines across the depth is moved to lines
// along it, by threads that have words of four elements both ways; a left factor of words comes in registers.

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
#left = #tile.layout<register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]],
                     warp = [[16, 0], [32, 0]], block = []>
#right = #tile.layout<register = [[4, 0], [0, 8]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]],
                      warp = [[0, 0], [0, 0]], block = []>
#rows = #tile.shared<[1, 2, 4, 12, 16, 32, 64, 128, 256]>
#columns = #tile.shared<[1, 2, 4, 8, 20, 40, 64]>

// CHECK: #[[MOVED:[^ ]*]] = #tile.layout<register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0]], lane = {{\[\[}}0, 4], [4, 0], [0, 8], [0, 0], [0, 0]]
// CHECK-LABEL: func.func @words
// CHECK-SAME: %[[SLOT:[^:]*]]: i32
// CHECK: %[[LEFT:.*]] = tile.buffer_load %{{.*}}[%[[SLOT]]] : <64x8xf32
// CHECK: %[[RIGHT:.*]] = tile.buffer_load %{{.*}}[%[[SLOT]]] : <8x16xf32{{.*}} -> tensor<8x16xf32, #[[MOVED]]>
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <8x16xf32, #[[TURNED:.*]]>
// CHECK: tile.buffer_store %[[RIGHT]], %[[BUFFER]]
// CHECK: tile.group_dot %[[LEFT]], %[[BUFFER]], %{{.*}} : tensor<64x8xf32, #{{.*}}>, <8x16xf32, #[[TURNED]]>
func.func @words(%slot: i32, %acc: tensor<64x16xf32, #sum>) -> tensor<64x16xf32, #sum>
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %lefts = tile.alloc_buffer : !tile.buffer<64x8xf32, #rows, slots = 3>
  %rights = tile.alloc_buffer : !tile.buffer<8x16xf32, #columns, slots = 3>
  %a = tile.buffer_load %lefts[%slot] : !tile.buffer<64x8xf32, #rows, slots = 3> -> tensor<64x8xf32, #left>
  %b = tile.buffer_load %rights[%slot] : !tile.buffer<8x16xf32, #columns, slots = 3> -> tensor<8x16xf32, #right>
  %sum = tile.dot %a, %b, %acc precision tf32 : tensor<64x8xf32, #left>, tensor<8x16xf32, #right> -> tensor<64x16xf32, #sum>
  return %sum : tensor<64x16xf32, #sum>
}

// -----

// Bytes along the depth are read from slots, those across it are moved in both factors.
#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
#left = #tile.layout<register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]],
                     warp = [[16, 0], [32, 0]], block = []>
#right = #tile.layout<register = [[1, 0], [2, 0], [16, 0], [0, 8]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]],
                      warp = [[0, 0], [0, 0]], block = []>
#across = #tile.shared<[64, 128, 272, 544, 1024, 1, 2, 4, 8, 16, 32]>
#along = #tile.shared<[32, 64, 144, 256, 1, 2, 4, 8, 16]>

// CHECK-LABEL: func.func @bytes
// CHECK: tile.alloc_buffer : <64x32xi8, #{{.*}}, slots = 2>
// CHECK: %[[RIGHTS:.*]] = tile.alloc_buffer : <32x16xi8, #{{.*}}, slots = 2>
// CHECK: %[[LEFT:.*]] = tile.alloc_buffer : <64x32xi8, #{{[^,]*}}>
// CHECK: tile.buffer_store %{{.*}}, %[[LEFT]]
// CHECK: tile.group_dot %[[LEFT]], %[[RIGHTS]][%{{.*}}], %{{.*}} as f8E4M3FN, f8E5M2
func.func @bytes(%slot: i32, %acc: tensor<64x16xf32, #sum>) -> tensor<64x16xf32, #sum>
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %lefts = tile.alloc_buffer : !tile.buffer<64x32xi8, #across, slots = 2>
  %rights = tile.alloc_buffer : !tile.buffer<32x16xi8, #along, slots = 2>
  %a = tile.buffer_load %lefts[%slot] : !tile.buffer<64x32xi8, #across, slots = 2> -> tensor<64x32xi8, #left>
  %b = tile.buffer_load %rights[%slot] : !tile.buffer<32x16xi8, #along, slots = 2> -> tensor<32x16xi8, #right>
  %sum = tile.dot %a, %b, %acc as f8E4M3FN, f8E5M2 : tensor<64x32xi8, #left>, tensor<32x16xi8, #right> -> tensor<64x16xf32, #sum>
  return %sum : tensor<64x16xf32, #sum>
}
