// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @none() {
  // expected-error @+1 {{'tile.map' op expects at least one source}}
  %0 = tile.map() : () -> tensor<4xf32> {
    %c = arith.constant 0.0 : f32
    tile.yield %c : f32
  }
  return
}

// -----

func.func @shape(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.map' op expects a result in the shape of the sources, found 'tensor<8xf32>'}}
  %0 = tile.map(%x) : (tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @yield(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.map' op expects the region to yield one 'f16'}}
  %0 = tile.map(%x) : (tensor<4xf32>) -> tensor<4xf16> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @arguments(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.map' op expects a region that takes one element of each source}}
  %0 = tile.map(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @effects(%x: tensor<4x!tile.ptr<f32>>) {
  // expected-error @+1 {{'tile.map' op expects a region without side effects}}
  %0 = tile.map(%x) : (tensor<4x!tile.ptr<f32>>) -> tensor<4xf32> {
  ^bb0(%a: !tile.ptr<f32>):
    // expected-note @+1 {{this operation has some}}
    %b = tile.load %a : !tile.ptr<f32>
    tile.yield %b : f32
  }
  return
}

// -----

func.func @pack(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.inline_asm' op expects a pack that is a power of two, found 3}}
  %0 = tile.inline_asm "" constraints "=r,r" pack 3 (%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @shapes(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.inline_asm' op expects operands and results of one shape and layout, found 'f32' and 'tensor<4xf32>'}}
  %0 = tile.inline_asm "" constraints "=r,r" pack 1 (%x) : (tensor<4xf32>) -> f32
  return
}
