// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @loadInteger(%p: i64) {
  // expected-error @+1 {{custom op 'tile.load' 'ptr' must be pointer or tile of pointers, but got 'i64'}}
  %0 = tile.load %p : i64
  return
}

// -----

func.func @loadShape(%p: tensor<3x!tile.ptr<f32>>) {
  // expected-error @+1 {{custom op 'tile.load' 'ptr' must be pointer or tile of pointers, but got 'tensor<3x!tile.ptr<f32>>'}}
  %0 = tile.load %p : tensor<3x!tile.ptr<f32>>
  return
}

// -----

func.func @loadResult(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{'tile.load' op failed to verify that result is the pointee in the pointer's shape}}
  %0 = "tile.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!tile.ptr<f32>) -> i32
  return
}

// -----

// expected-note @+1 {{prior use here}}
func.func @loadMask(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @+1 {{use of value '%m' expects different type than prior uses: 'tensor<8xi1>' vs 'tensor<4xi1>'}}
  %0 = tile.load %p mask %m : tensor<8x!tile.ptr<f32>>
  return
}

// -----

func.func @loadMaskGeneric(%p: tensor<8x!tile.ptr<f32>>, %m: i1) {
  // expected-error @+1 {{'tile.load' op failed to verify that mask is i1 in the pointer's shape}}
  %0 = "tile.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<8x!tile.ptr<f32>>, i1) -> tensor<8xf32>
  return
}

// -----

func.func @loadOtherGeneric(%p: !tile.ptr<f32>, %m: i1, %o: f64) {
  // expected-error @+1 {{'tile.load' op failed to verify that other has the result's type}}
  %0 = "tile.load"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (!tile.ptr<f32>, i1, f64) -> f32
  return
}

// -----

func.func @loadOtherAlone(%p: !tile.ptr<f32>, %o: f32) {
  // expected-error @+1 {{'tile.load' op cannot have 'other' without 'mask'}}
  %0 = tile.load %p other %o : !tile.ptr<f32>
  return
}

// -----

func.func @loadCache(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{'tile.load' op expects a cache modifier of loads (ca, cg, cv), found wb}}
  %0 = tile.load %p cache = wb : !tile.ptr<f32>
  return
}

// -----

func.func @loadCacheStreaming(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{'tile.load' op expects a cache modifier of loads (ca, cg, cv), found cs}}
  %0 = tile.load %p cache = cs : !tile.ptr<f32>
  return
}

// -----

func.func @loadCacheThrough(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{'tile.load' op expects a cache modifier of loads (ca, cg, cv), found wt}}
  %0 = tile.load %p cache = wt : !tile.ptr<f32>
  return
}

// -----

func.func @loadCacheUnknown(%p: !tile.ptr<f32>) {
  // expected-error @+2 {{expected one of [none, ca, cg, cv, wb, cs, wt]}}
  // expected-error @+1 {{failed to parse}}
  %0 = tile.load %p cache = all : !tile.ptr<f32>
  return
}

// -----

func.func @loadEvictUnknown(%p: !tile.ptr<f32>) {
  // expected-error @+2 {{expected one of [normal, first, last]}}
  // expected-error @+1 {{failed to parse}}
  %0 = tile.load %p evict = never : !tile.ptr<f32>
  return
}

// -----

// expected-note @+1 {{prior use here}}
func.func @storeValue(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf64>) {
  // expected-error @+1 {{use of value '%v' expects different type than prior uses: 'tensor<8xf32>' vs 'tensor<8xf64>'}}
  tile.store %p, %v : tensor<8x!tile.ptr<f32>>
  return
}

// -----

func.func @storeValueGeneric(%p: !tile.ptr<f32>, %v: tensor<8xf32>) {
  // expected-error @+1 {{'tile.store' op failed to verify that value is the pointee in the pointer's shape}}
  "tile.store"(%p, %v) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!tile.ptr<f32>, tensor<8xf32>) -> ()
  return
}

// -----

func.func @storeMaskGeneric(%p: !tile.ptr<f32>, %v: f32, %m: tensor<8xi1>) {
  // expected-error @+1 {{'tile.store' op failed to verify that mask is i1 in the pointer's shape}}
  "tile.store"(%p, %v, %m) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!tile.ptr<f32>, f32, tensor<8xi1>) -> ()
  return
}

// -----

func.func @storeCache(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{'tile.store' op expects a cache modifier of stores (wb, cg, cs, wt), found ca}}
  tile.store %p, %v cache = ca : !tile.ptr<f32>
  return
}

// -----

func.func @storeCacheVolatile(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{'tile.store' op expects a cache modifier of stores (wb, cg, cs, wt), found cv}}
  tile.store %p, %v cache = cv : !tile.ptr<f32>
  return
}

// -----

func.func @orderOfLoad(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{'tile.load' op cannot carry 'tile.in_order', it is no store}}
  %x = tile.load %p {tile.in_order} : !tile.ptr<f32>
  return
}

// -----

func.func @orderIsUnit(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @+1 {{'tile.store' op expects 'tile.in_order' to be a unit attribute}}
  tile.store %p, %x {tile.in_order = 1 : i32} : !tile.ptr<f32>
  return
}

// -----

func.func @loadBlockElements(%p: tensor<8x16x!tile.ptr<f32>>, %b: !tile.block<8x16xf16>) {
  // expected-error @+1 {{'tile.load' op expects a block with the elements of the result, found '!tile.block<8x16xf16>'}}
  %0 = tile.load %p block %b : !tile.block<8x16xf16> : tensor<8x16x!tile.ptr<f32>>
  return
}

// -----

func.func @loadBlockSize(%p: tensor<8x16x!tile.ptr<f32>>, %b: !tile.block<8x8xf32>) {
  // expected-error @+1 {{'tile.load' op expects a block with the elements of the result, found '!tile.block<8x8xf32>'}}
  %0 = tile.load %p block %b : !tile.block<8x8xf32> : tensor<8x16x!tile.ptr<f32>>
  return
}

// -----

func.func @loadBlockScalar(%p: !tile.ptr<f32>, %b: !tile.block<1xf32>) {
  // expected-error @+1 {{'tile.load' op expects a block with the elements of the result, found '!tile.block<1xf32>'}}
  %0 = tile.load %p block %b : !tile.block<1xf32> : !tile.ptr<f32>
  return
}
