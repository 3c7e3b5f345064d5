// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @noSource() {
  // expected-error @+1 {{'tile.reduce' op expects at least one source}}
  "tile.reduce"() <{axis = 0 : i32}> ({
    tile.yield
  }) : () -> ()
  return
}

// -----

func.func @scalar(%x: f32) {
  // expected-error @+1 {{'tile.reduce' op operand #0 must be variadic of tile (1 or more dimensions, each a power of two, at most 2^20 elements) of integer, float or pointer, but got 'f32'}}
  %0 = tile.reduce(%x) axis 0 : (f32) -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @axis(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects an axis from 0 to 1, found 2}}
  %0 = tile.reduce(%x) axis 2 : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @negativeAxis(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects an axis from 0 to 1, found -1}}
  %0 = tile.reduce(%x) axis -1 : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @results(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects as many results as sources, found 2 and 1}}
  %0:2 = tile.reduce(%x) axis 0 : (tensor<8xf32>) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @shapes(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects all sources of one shape and layout, found 'tensor<8xf32>' and 'tensor<4xf32>'}}
  %0:2 = tile.reduce(%x, %y) axis 0 : (tensor<8xf32>, tensor<4xf32>) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @layouts(%x: tensor<2xf32, #tile.layout<register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [], block = []>>, %y: tensor<2xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects all sources of one shape and layout, found}}
  %0:2 = tile.reduce(%x, %y) axis 0 : (tensor<2xf32, #tile.layout<register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [], block = []>>, tensor<2xf32>) -> (f32, f32) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @resultTile(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects a result of type 'f32', found 'tensor<1xf32>'}}
  %0 = tile.reduce(%x) axis 0 : (tensor<8xf32>) -> tensor<1xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @resultShape(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects a result of type 'tensor<8xf32>', found 'tensor<4xf32>'}}
  %0 = tile.reduce(%x) axis 0 : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @resultElement(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects a result of type 'tensor<8xf32>', found 'tensor<8xf64>'}}
  %0 = tile.reduce(%x) axis 0 : (tensor<4x8xf32>) -> tensor<8xf64> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @arguments(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects a combine region with 2 arguments, found 1}}
  %0 = tile.reduce(%x) axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @argumentType(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects the combine region to take and yield 'f32' for source 0}}
  %0 = tile.reduce(%x) axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: i32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @yieldType(%x: tensor<8xf32>, %y: tensor<8xi32>) {
  // expected-error @+1 {{'tile.reduce' op expects the combine region to take and yield 'i32' for source 1}}
  %0:2 = tile.reduce(%x, %y) axis 0 : (tensor<8xf32>, tensor<8xi32>) -> (f32, i32) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @yieldCount(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects the combine region to yield 1 values}}
  %0 = tile.reduce(%x) axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield
  }
  return
}

// -----

func.func @terminator(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects the combine region to yield 1 values}}
  %0 = tile.reduce(%x) axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    llvm.unreachable
  }
  return
}

// -----

func.func @empty(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.reduce' op region #0 ('combine') failed to verify constraint: region with 1 blocks}}
  %0 = "tile.reduce"(%x) <{axis = 0 : i32}> ({}) : (tensor<8xf32>) -> f32
  return
}

// -----

func.func @blocks(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects region #0 to have 0 or 1 blocks}}
  %0 = tile.reduce(%x) axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    cf.br ^bb1
  ^bb1:
    tile.yield %a : f32
  }
  return
}

// -----

func.func @yieldPlace(%x: f32) -> f32 {
  // expected-error @+1 {{'tile.yield' op failed to verify that it ends a region of scalar code}}
  tile.yield %x : f32
}

// -----

func.func @yieldTile(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects the combine region to take and yield 'f32' for source 0}}
  %0 = tile.reduce(%x) axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %y : tensor<4xf32>
  }
  return
}

// -----

func.func @tileInRegion(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'tile.reduce' op expects a region that works on scalars, found 'tensor<4xf32>'}}
  %0 = tile.reduce(%x) axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-note @+1 {{used here}}
    %z = arith.addf %y, %y : tensor<4xf32>
    tile.yield %a : f32
  }
  return
}
