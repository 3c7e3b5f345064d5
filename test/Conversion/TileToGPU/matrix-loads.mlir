// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -convert-tile-to-gpu -cse | FileCheck %s

// A slot of lines of 128 bytes, whose groups of 16 bytes are permuted by the row, is read by ldmatrix where the layout is
// that of a matrix instruction's fragments: a lane gives the address of one row, and gets two neighbours of each matrix.

#lines = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 144, 288, 512]>
#left = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]],
                     lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []>
#spread = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]],
                       lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [], block = []>

// CHECK-LABEL: func.func @fragments
// CHECK-COUNT-4: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = {{.*}}} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
// CHECK-NOT: llvm.load
func.func @fragments(%ptrs: tensor<16x64x!tile.ptr<f16>, #spread>, %slot: i32,
                     %out: tensor<16x64x!tile.ptr<f16>, #left>)
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.shared_bytes = 4096 : i32} {
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<16x64xf16, #lines, slots = 2>
  tile.buffer_copy %ptrs into %buffer[%slot] : tensor<16x64x!tile.ptr<f16>, #spread>, !tile.buffer<16x64xf16, #lines, slots = 2>
  %read = tile.buffer_load %buffer[%slot] : !tile.buffer<16x64xf16, #lines, slots = 2> -> tensor<16x64xf16, #left>
  tile.store %out, %read : tensor<16x64x!tile.ptr<f16>, #left>
  return
}

// Lanes that wait for their own copies alone do not read for each other.
// CHECK-LABEL: func.func @private
// CHECK-NOT: nvvm.ldmatrix
// CHECK: llvm.load
func.func @private(%ptrs: tensor<16x64x!tile.ptr<f16>, #left>, %slot: i32,
                     %out: tensor<16x64x!tile.ptr<f16>, #left>)
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.shared_bytes = 4096 : i32} {
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<16x64xf16, #lines, slots = 2>
  tile.buffer_copy %ptrs into %buffer[%slot] : tensor<16x64x!tile.ptr<f16>, #left>, !tile.buffer<16x64xf16, #lines, slots = 2>
  %read = tile.buffer_load %buffer[%slot] : !tile.buffer<16x64xf16, #lines, slots = 2> -> tensor<16x64xf16, #left>
  tile.store %out, %read : tensor<16x64x!tile.ptr<f16>, #left>
  return
}
