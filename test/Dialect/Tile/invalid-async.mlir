// RUN: tile-opt %s -split-input-file -verify-diagnostics

#map = #tile.shared<[1, 2, 4, 8, 16, 32, 64]>
func.func @pointee(%p: tensor<128x!tile.ptr<i32>>, %b: !tile.buffer<128xf32, #map>) {
  // expected-error @+1 {{'tile.buffer_copy' op expects pointers to the elements of '!tile.buffer<128xf32,}}
  tile.buffer_copy %p into %b : tensor<128x!tile.ptr<i32>>, !tile.buffer<128xf32, #map>
  return
}

// -----

#map = #tile.shared<[1, 2, 4, 8, 16, 32, 64]>
func.func @shape(%p: tensor<64x!tile.ptr<f32>>, %b: !tile.buffer<128xf32, #map>) {
  // expected-error @+1 {{'tile.buffer_copy' op expects pointers to the elements of '!tile.buffer<128xf32,}}
  tile.buffer_copy %p into %b : tensor<64x!tile.ptr<f32>>, !tile.buffer<128xf32, #map>
  return
}

// -----

#map = #tile.shared<[1, 2, 4, 8, 16, 32, 64]>
func.func @rounds(%p: tensor<128x!tile.ptr<f32>>, %b: !tile.buffer<128xf32, #map, rounds = 2>) {
  // expected-error @+1 {{'tile.buffer_copy' op cannot copy in rounds}}
  tile.buffer_copy %p into %b : tensor<128x!tile.ptr<f32>>, !tile.buffer<128xf32, #map, rounds = 2>
  return
}

// -----

#map = #tile.shared<[1, 2, 4, 8, 16, 32, 64]>
func.func @noSlot(%p: tensor<128x!tile.ptr<f32>>, %b: !tile.buffer<128xf32, #map, slots = 2>) {
  // expected-error @+1 {{'tile.buffer_copy' op expects a slot of a buffer with several, and of no other, found '!tile.buffer<128xf32,}}
  tile.buffer_copy %p into %b : tensor<128x!tile.ptr<f32>>, !tile.buffer<128xf32, #map, slots = 2>
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
