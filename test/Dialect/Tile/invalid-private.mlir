// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects 1 to 1048576 elements, found 0}}
func.func @none(%memory: !tile.private<0 x f32>) {
  return
}

// -----

// expected-error @+1 {{expects elements that are integers or floats, found '!tile.ptr<f32>'}}
func.func @pointers(%memory: !tile.private<4 x !tile.ptr<f32>>) {
  return
}

// -----

func.func @noLayout(%x: tensor<128xf32>, %memory: !tile.private<8 x f32>, %slot: i32) {
  // expected-error @+1 {{'tile.private_store' op expects a tile with a layout}}
  tile.private_store %x into %memory[%slot] : tensor<128xf32>, !tile.private<8 x f32>
  return
}

// -----

#spread = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
func.func @otherType(%x: tensor<128xf16, #spread>, %memory: !tile.private<8 x f32>, %slot: i32) {
  // expected-error @+1 {{'tile.private_store' op expects a tile of 'f32'}}
  tile.private_store %x into %memory[%slot] : tensor<128xf16, #spread>, !tile.private<8 x f32>
  return
}

// -----

#spread = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
func.func @otherCount(%memory: !tile.private<6 x f32>, %slot: i32) -> tensor<128xf32, #spread> {
  // expected-error @+1 {{'tile.private_load' op expects room for tiles of 4 elements a thread, found 6}}
  %x = tile.private_load %memory[%slot] : !tile.private<6 x f32> -> tensor<128xf32, #spread>
  return %x : tensor<128xf32, #spread>
}
