// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @twice(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'tile.permute' op expects an order that names each dimension of the source once}}
  %0 = tile.permute %x order [0, 0] : tensor<2x4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @short(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'tile.permute' op expects the source's dimensions in the given order, found 'tensor<2xf32>'}}
  %0 = tile.permute %x order [0] : tensor<2x4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @shape(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'tile.permute' op expects the source's dimensions in the given order, found 'tensor<2x4xf32>'}}
  %0 = tile.permute %x order [1, 0] : tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @element(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'tile.permute' op expects source and result of one element type, found 'f32' and 'f16'}}
  %0 = tile.permute %x order [1, 0] : tensor<2x4xf32> -> tensor<4x2xf16>
  return
}

// -----

func.func @index(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'tile.take' op expects an index from 0 to 3, found 4}}
  %0 = tile.take %x axis 1 index 4 : tensor<2x4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @take_axis(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'tile.take' op expects an axis from 0 to 1, found 2}}
  %0 = tile.take %x axis 2 index 0 : tensor<2x4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @take_shape(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'tile.take' op expects the source's shape without dimension 1, found 'tensor<4xf32>'}}
  %0 = tile.take %x axis 1 index 0 : tensor<2x4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @flip(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.flip' op expects an axis from 0 to 0, found -1}}
  %0 = tile.flip %x axis -1 : tensor<4xf32>
  return
}

// -----

func.func @scan_types(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.scan' op expects results of the sources' types}}
  %0 = tile.scan(%x) axis 0 : (tensor<4xf32>) -> tensor<4xi32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %b : f32
  }
  return
}

// -----

func.func @scan_axis(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.scan' op expects an axis from 0 to 0, found 1}}
  %0 = tile.scan(%x) axis 1 : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %b : f32
  }
  return
}

// -----

func.func @scan_region(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.scan' op expects a combine region with 2 arguments, found 1}}
  %0 = tile.scan(%x) axis 0 : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @gather_result(%x: tensor<4xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{'tile.gather' op expects a result in the shape of the indices, found 'tensor<4xf32>' and 'tensor<8xi32>'}}
  %0 = tile.gather %x[%i] axis 0 : tensor<4xf32>, tensor<8xi32> -> tensor<4xf32>
  return
}

// -----

func.func @gather_shape(%x: tensor<4x2xf32>, %i: tensor<4x4xi32>) {
  // expected-error @+1 {{'tile.gather' op expects source and indices that differ along dimension 0 only, found 'tensor<4x2xf32>' and 'tensor<4x4xi32>'}}
  %0 = tile.gather %x[%i] axis 0 : tensor<4x2xf32>, tensor<4x4xi32> -> tensor<4x4xf32>
  return
}

// -----

func.func @histogram(%x: tensor<4x2xi32>) {
  // expected-error @+1 {{'tile.histogram' op expects one dimension, found 'tensor<4x2xi32>'}}
  %0 = tile.histogram %x : tensor<4x2xi32> -> tensor<8xi32>
  return
}

// -----

#spread = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []>
#parts = #tile.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []>
func.func @finishLayout(%x: tensor<128xf32>, %g: tensor<128xf32, #spread>, %p: tensor<4xf32, #parts>) {
  // expected-error @+1 {{'tile.finish_scan' op expects elements with a layout that can be scanned along axis 0}}
  %0 = tile.finish_scan elements(%x) groups(%g) parts(%p) axis 0 : (tensor<128xf32>, tensor<128xf32, #spread>, tensor<4xf32, #parts>) -> tensor<128xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %b : f32
  }
  return
}

// -----

#spread = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []>
#parts = #tile.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []>
func.func @finishGroups(%x: tensor<128xf32, #spread>, %g: tensor<64xf32>, %p: tensor<4xf32, #parts>) {
  // expected-error-re @+1 {{'tile.finish_scan' op expects groups of type {{.*}}, found 'tensor<64xf32>'}}
  %0 = tile.finish_scan elements(%x) groups(%g) parts(%p) axis 0 : (tensor<128xf32, #spread>, tensor<64xf32>, tensor<4xf32, #parts>) -> tensor<128xf32, #spread> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %b : f32
  }
  return
}

// -----

#spread = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []>
#parts = #tile.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []>
func.func @finishParts(%x: tensor<128xf32, #spread>, %g: tensor<128xf32, #spread>, %p: tensor<2xf32>) {
  // expected-error-re @+1 {{'tile.finish_scan' op expects parts of type {{.*}}, found 'tensor<2xf32>'}}
  %0 = tile.finish_scan elements(%x) groups(%g) parts(%p) axis 0 : (tensor<128xf32, #spread>, tensor<128xf32, #spread>, tensor<2xf32>) -> tensor<128xf32, #spread> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %b : f32
  }
  return
}

// -----

#spread = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []>
#parts = #tile.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []>
func.func @finishResult(%x: tensor<128xf32, #spread>, %g: tensor<128xf32, #spread>, %p: tensor<4xf32, #parts>) {
  // expected-error @+1 {{'tile.finish_scan' op expects results of the elements' types}}
  %0 = tile.finish_scan elements(%x) groups(%g) parts(%p) axis 0 : (tensor<128xf32, #spread>, tensor<128xf32, #spread>, tensor<4xf32, #parts>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %b : f32
  }
  return
}

// -----

#spread = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []>
#parts = #tile.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []>
func.func @finishNone() {
  // expected-error @+1 {{'tile.finish_scan' op expects at least one source}}
  tile.finish_scan elements() groups() parts() axis 0 : () -> () {
  ^bb0(%a: f32, %b: f32):
    tile.yield %b : f32
  }
  return
}
