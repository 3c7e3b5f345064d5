// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-expand-exchanges | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-expand-exchanges | FileCheck %s --check-prefix=OLD

#sums = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]],
                     lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []>
#rows = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]],
                     lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []>

// The sums of a product are placed in lines of 128 bytes, in which stmatrix writes whole matrices.
// CHECK-DAG: #[[LINES:.*]] = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 144, 288, 512, 1024, 2048]>
// CHECK-LABEL: func.func @epilogue
// CHECK: tile.alloc_buffer : <64x64xf16, #[[LINES]]>
// OLD-NOT: #tile.shared<[1, 2, 4, 8, 16, 32, 72, 144, 288, 512, 1024, 2048]>
func.func @epilogue(%x: tensor<64x64xf16, #sums>) -> tensor<64x64xf16, #rows>
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.convert_layout %x : tensor<64x64xf16, #sums> -> tensor<64x64xf16, #rows>
  return %0 : tensor<64x64xf16, #rows>
}

#wideSums = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [64, 0]],
                         lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []>
#wideRows = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]],
                         lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warp = [[1, 0], [2, 0]], block = []>
#slots = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 144, 288, 512, 1024, 2048, 4096, 8192]>

// 64 KiB go through the buffer at once behind a loop whose slots take as much memory, and in rounds in that loop.
// CHECK-LABEL: func.func @behindLoop
// CHECK: scf.for
// CHECK: tile.alloc_buffer : <128x256xf16, #{{[^,]*}}, rounds = 2>
// CHECK: }
// CHECK: tile.alloc_buffer : <128x256xf16, #{{[^,>]*}}>
func.func @behindLoop(%x: tensor<128x256xf16, #wideSums>, %n: i32, %p: tensor<64x256x!tile.ptr<f16>>)
    -> tensor<128x256xf16, #wideRows> attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ring = tile.alloc_buffer : !tile.buffer<64x256xf16, #slots, slots = 4>
  scf.for %i = %zero to %n step %one : i32 {
    %read = tile.buffer_load %ring[%i] : !tile.buffer<64x256xf16, #slots, slots = 4> -> tensor<64x256xf16>
    %1 = tile.convert_layout %x : tensor<128x256xf16, #wideSums> -> tensor<128x256xf16, #wideRows>
  }
  %0 = tile.convert_layout %x : tensor<128x256xf16, #wideSums> -> tensor<128x256xf16, #wideRows>
  return %0 : tensor<128x256xf16, #wideRows>
}

// In a loop around one that carries its slots on, these are in use behind that one, too.
// CHECK-LABEL: func.func @aroundLoop
// CHECK-NOT: tile.alloc_buffer : <128x256xf16, #{{[^,>]*}}>
// CHECK: tile.alloc_buffer : <128x256xf16, #{{[^,]*}}, rounds = 2>
func.func @aroundLoop(%x: tensor<128x256xf16, #wideSums>, %n: i32, %p: tensor<64x256x!tile.ptr<f16>>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ring = tile.alloc_buffer : !tile.buffer<64x256xf16, #slots, slots = 4>
  scf.for %tile = %zero to %n step %one : i32 {
    scf.for %i = %zero to %n step %one : i32 {
      %read = tile.buffer_load %ring[%i] : !tile.buffer<64x256xf16, #slots, slots = 4> -> tensor<64x256xf16>
    }
    %0 = tile.convert_layout %x : tensor<128x256xf16, #wideSums> -> tensor<128x256xf16, #wideRows>
  }
  return
}
