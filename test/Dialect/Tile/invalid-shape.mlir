// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @rangeStart() {
  // expected-error @+1 {{'tile.make_range' op expects 0 <= start < end <= 2^32, found -4 to 4}}
  %0 = tile.make_range -4 to 4 : tensor<8xi32>
  return
}

// -----

func.func @rangeEmpty() {
  // expected-error @+1 {{'tile.make_range' op expects 0 <= start < end <= 2^32, found 4 to 4}}
  %0 = tile.make_range 4 to 4 : tensor<1xi32>
  return
}

// -----

func.func @rangeEnd() {
  // expected-error @+1 {{'tile.make_range' op expects 0 <= start < end <= 2^32, found 4294967296 to 4294967297}}
  %0 = tile.make_range 4294967296 to 4294967297 : tensor<1xi32>
  return
}

// -----

func.func @rangeSize() {
  // expected-error @+1 {{'tile.make_range' op expects a one-dimensional result of 8 elements, found 'tensor<16xi32>'}}
  %0 = tile.make_range 0 to 8 : tensor<16xi32>
  return
}

// -----

func.func @rangeRank() {
  // expected-error @+1 {{'tile.make_range' op expects a one-dimensional result of 8 elements, found 'tensor<8x1xi32>'}}
  %0 = tile.make_range 0 to 8 : tensor<8x1xi32>
  return
}

// -----

func.func @rangeType() {
  // expected-error @+1 {{'tile.make_range' op result #0 must be tile (1 or more dimensions, each a power of two, at most 2^20 elements) of i32, but got 'tensor<8xi64>'}}
  %0 = tile.make_range 0 to 8 : tensor<8xi64>
  return
}

// -----

func.func @rangePower() {
  // expected-error @+1 {{'tile.make_range' op result #0 must be tile (1 or more dimensions, each a power of two, at most 2^20 elements) of i32, but got 'tensor<12xi32>'}}
  %0 = tile.make_range 0 to 12 : tensor<12xi32>
  return
}

// -----

func.func @splatElement(%x: f32) {
  // expected-error @+1 {{'tile.splat' op expects source and result of one element type, found 'f32' and 'f16'}}
  %0 = tile.splat %x : f32 -> tensor<8xf16>
  return
}

// -----

func.func @splatPointee(%x: !tile.ptr<f32>) {
  // expected-error @+1 {{'tile.splat' op expects source and result of one element type, found '!tile.ptr<f32>' and '!tile.ptr<i32>'}}
  %0 = tile.splat %x : !tile.ptr<f32> -> tensor<8x!tile.ptr<i32>>
  return
}

// -----

func.func @splatTile(%x: tensor<1xf32>) {
  // expected-error @+1 {{'tile.splat' op operand #0 must be integer, float or pointer, but got 'tensor<1xf32>'}}
  %0 = tile.splat %x : tensor<1xf32> -> tensor<8xf32>
  return
}

// -----

func.func @broadcastElement(%x: tensor<1xf32>) {
  // expected-error @+1 {{'tile.broadcast' op expects source and result of one element type, found 'f32' and 'i32'}}
  %0 = tile.broadcast %x : tensor<1xf32> -> tensor<8xi32>
  return
}

// -----

func.func @broadcastRank(%x: tensor<1xf32>) {
  // expected-error @+1 {{'tile.broadcast' op expects source and result of one rank, found 1 and 2}}
  %0 = tile.broadcast %x : tensor<1xf32> -> tensor<1x8xf32>
  return
}

// -----

func.func @broadcastSize(%x: tensor<1x2xf32>) {
  // expected-error @+1 {{'tile.broadcast' op cannot broadcast dimension 1 from 2 to 8}}
  %0 = tile.broadcast %x : tensor<1x2xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcastScalar(%x: f32) {
  // expected-error @+1 {{custom op 'tile.broadcast' invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
  %0 = tile.broadcast %x : f32 -> tensor<8xf32>
  return
}

// -----

func.func @expandElement(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.expand_dims' op expects source and result of one element type, found 'f32' and 'f64'}}
  %0 = tile.expand_dims %x axis 0 : tensor<8xf32> -> tensor<1x8xf64>
  return
}

// -----

func.func @expandAxis(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.expand_dims' op expects an axis from 0 to 1, found 2}}
  %0 = tile.expand_dims %x axis 2 : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @expandNegative(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.expand_dims' op expects an axis from 0 to 1, found -1}}
  %0 = tile.expand_dims %x axis -1 : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @expandShape(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.expand_dims' op expects the source's shape with a 1 inserted at 0, found 'tensor<8x1xf32>'}}
  %0 = tile.expand_dims %x axis 0 : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @reshapeElement(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.reshape' op expects source and result of one element type, found 'f32' and 'bf16'}}
  %0 = tile.reshape %x : tensor<8xf32> -> tensor<2x4xbf16>
  return
}

// -----

func.func @reshapeCount(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.reshape' op expects as many elements in the result as in the source, found 16 and 8}}
  %0 = tile.reshape %x : tensor<8xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @convertElement(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.convert_layout' op expects source and result of one element type, found 'f32' and 'i32'}}
  %0 = tile.convert_layout %x : tensor<8xf32> -> tensor<8xi32>
  return
}

// -----

func.func @convertShape(%x: tensor<8x1xf32>) {
  // expected-error @+1 {{'tile.convert_layout' op cannot change the shape, found 'tensor<8x1xf32>' and 'tensor<1x8xf32>'}}
  %0 = tile.convert_layout %x : tensor<8x1xf32> -> tensor<1x8xf32>
  return
}

// -----

func.func @convertOneSide(%x: tensor<32xf32>) {
  // expected-error @+1 {{'tile.convert_layout' op expects a layout on both sides or on neither}}
  %0 = tile.convert_layout %x : tensor<32xf32> -> tensor<32xf32, #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>>
  return
}
