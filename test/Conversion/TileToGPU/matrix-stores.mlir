// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -convert-tile-to-gpu -cse | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -convert-tile-to-gpu -cse | FileCheck %s --check-prefix=NONE

// NONE-NOT: nvvm.stmatrix

// A buffer of lines of 128 bytes, whose groups of 16 bytes are permuted by the row, is written by stmatrix where the layout
// is that of a matrix instruction's result: a lane gives the address of one row, and two neighbours of each matrix.

#lines = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 144, 288, 512]>
#sums = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]],
                     lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []>
#copies = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]],
                       lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]], block = []>

// CHECK-LABEL: func.func @sums
// CHECK: %[[WORD:.*]] = llvm.bitcast %{{.*}} : vector<2xi16> to i32
// CHECK-COUNT-4: nvvm.stmatrix %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, shape = {{.*}}} : !llvm.ptr<3>, i32, i32, i32, i32
// CHECK-NOT: llvm.store
func.func @sums(%x: tensor<16x64xf16, #sums>)
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.shared_bytes = 2048 : i32} {
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<16x64xf16, #lines>
  tile.buffer_store %x, %buffer : tensor<16x64xf16, #sums>, !tile.buffer<16x64xf16, #lines>
  return
}

// Of warps that hold copies, one writes.
// CHECK-LABEL: func.func @copies
// CHECK-NOT: nvvm.stmatrix
func.func @copies(%x: tensor<16x64xf16, #copies>)
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.shared_bytes = 2048 : i32} {
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<16x64xf16, #lines>
  tile.buffer_store %x, %buffer : tensor<16x64xf16, #copies>, !tile.buffer<16x64xf16, #lines>
  return
}

// Two neighbours of 32 bits are one ordinary store of 8 bytes; two stores of matrices would be no fewer.
#words = #tile.shared<[1, 2, 4, 8, 16, 36, 72, 144, 256]>
#wordSums = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16]],
                         lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []>
// CHECK-LABEL: func.func @words
// CHECK-NOT: nvvm.stmatrix
func.func @words(%x: tensor<16x32xf32, #wordSums>)
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.shared_bytes = 2048 : i32} {
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<16x32xf32, #words>
  tile.buffer_store %x, %buffer : tensor<16x32xf32, #wordSums>, !tile.buffer<16x32xf32, #words>
  return
}
