// RUN: tile-opt %s -split-input-file -verify-diagnostics

#spread = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
// expected-error @+1 {{expects at least 2 slots, found 1}}
func.func private @slots(!tile.ring<1, 4, tensor<128xf32, #spread>>)

// -----

// expected-error @+1 {{cannot say what is copied together without a layout}}
func.func private @layout(!tile.ring<2, 4, tensor<128xf32>>)

// -----

// expected-error @+1 {{expects a tile, found 'tensor<100xf32>'}}
func.func private @tile(!tile.ring<2, 0, tensor<100xf32>>)

// -----

#spread = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
// expected-error @+1 {{expects copies of a power of two of registers and at most 16 bytes, found 3 of 4 registers of 'bf16'}}
func.func private @three(!tile.ring<2, 3, tensor<128xbf16, #spread>>)

// -----

#spread = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
// expected-error @+1 {{expects copies of a power of two of registers and at most 16 bytes, found 8 of 4 registers of 'bf16'}}
func.func private @wide(!tile.ring<2, 8, tensor<128xbf16, #spread>>)

// -----

#spread = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
func.func @pointee(%r: !tile.ring<2, 4, tensor<128xf32, #spread>>, %p: tensor<128x!tile.ptr<i32>, #spread>, %s: i32) {
  // expected-error @+1 {{'tile.async_load' op expects pointers to the elements of 'tensor<128xf32,}}
  tile.async_load %p into %r[%s] : tensor<128x!tile.ptr<i32>, #spread>, !tile.ring<2, 4, tensor<128xf32, #spread>>
  return
}

// -----

#spread = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
func.func @otherWithoutMask(%r: !tile.ring<2, 4, tensor<128xf32, #spread>>, %o: tensor<128xf32, #spread>, %s: i32) {
  // expected-error @+1 {{'tile.ring_read' op cannot have 'other' without 'mask'}}
  %0 = tile.ring_read %r[%s] other %o : !tile.ring<2, 4, tensor<128xf32, #spread>>
  return
}

// -----

func.func @stages(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.for' op expects 'tile.num_stages' to be a positive i32, found 0 : i32}}
  scf.for %i = %c0 to %n step %c1 {
  } {tile.num_stages = 0 : i32}
  return
}

// -----

func.func @noLoop() {
  // expected-error @+1 {{'arith.constant' op cannot carry 'tile.num_stages', it is no loop and no function}}
  %c0 = arith.constant {tile.num_stages = 2 : i32} 0 : index
  return
}

// -----

// expected-error @+1 {{'func.func' op expects 'tile.num_stages' to be a positive i32, found -1 : i32}}
func.func @kernelStages() attributes {tile.num_stages = -1 : i32} {
  return
}
