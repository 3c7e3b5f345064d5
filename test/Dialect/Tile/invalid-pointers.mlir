// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @addShape(%p: tensor<8x!tile.ptr<f32>>, %i: tensor<4xi32>) {
  // expected-error @+1 {{'tile.addptr' op failed to verify that ptr and offset have the same shape and layout}}
  %0 = tile.addptr %p, %i : tensor<8x!tile.ptr<f32>>, tensor<4xi32>
  return
}

// -----

func.func @addScalar(%p: tensor<8x!tile.ptr<f32>>, %i: i32) {
  // expected-error @+1 {{'tile.addptr' op failed to verify that ptr and offset have the same shape and layout}}
  %0 = tile.addptr %p, %i : tensor<8x!tile.ptr<f32>>, i32
  return
}

// -----

#ahead = #tile.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [], block = []>
#back = #tile.layout<register = [], lane = [[4], [2], [1], [0], [0]], warp = [], block = []>
func.func @addLayout(%p: tensor<8x!tile.ptr<f32>, #ahead>, %i: tensor<8xi32, #back>) {
  // expected-error @+1 {{'tile.addptr' op failed to verify that ptr and offset have the same shape and layout}}
  %0 = tile.addptr %p, %i : tensor<8x!tile.ptr<f32>, #ahead>, tensor<8xi32, #back>
  return
}

// -----

func.func @addResult(%p: !tile.ptr<f32>, %i: i32) {
  // expected-error @+1 {{'tile.addptr' op failed to verify that all of {ptr, result} have same type}}
  %0 = "tile.addptr"(%p, %i) : (!tile.ptr<f32>, i32) -> !tile.ptr<f64>
  return
}

// -----

func.func @addToInteger(%p: i64, %i: i32) {
  // expected-error @+1 {{'tile.addptr' op operand #0 must be pointer or tile of pointers, but got 'i64'}}
  %0 = tile.addptr %p, %i : i64, i32
  return
}

// -----

func.func @addFloat(%p: !tile.ptr<f32>, %i: f32) {
  // expected-error @+1 {{'tile.addptr' op operand #1 must be integer or tile of integers, but got 'f32'}}
  %0 = tile.addptr %p, %i : !tile.ptr<f32>, f32
  return
}

// -----

func.func @toIntShape(%p: tensor<8x!tile.ptr<f32>>) {
  // expected-error @+1 {{'tile.ptr_to_int' op failed to verify that src and result have the same shape and layout}}
  %0 = tile.ptr_to_int %p : tensor<8x!tile.ptr<f32>> -> tensor<4xi64>
  return
}

// -----

func.func @toIntWidth(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{'tile.ptr_to_int' op result #0 must be i64 or tile of i64, but got 'i32'}}
  %0 = tile.ptr_to_int %p : !tile.ptr<f32> -> i32
  return
}

// -----

func.func @toPtrShape(%i: i64) {
  // expected-error @+1 {{'tile.int_to_ptr' op failed to verify that src and result have the same shape and layout}}
  %0 = tile.int_to_ptr %i : i64 -> tensor<8x!tile.ptr<f32>>
  return
}

// -----

func.func @toPtrWidth(%i: tensor<8xi32>) {
  // expected-error @+1 {{'tile.int_to_ptr' op operand #0 must be i64 or tile of i64, but got 'tensor<8xi32>'}}
  %0 = tile.int_to_ptr %i : tensor<8xi32> -> tensor<8x!tile.ptr<f32>>
  return
}

// -----

func.func @castShape(%p: tensor<8x!tile.ptr<f32>>) {
  // expected-error @+1 {{'tile.ptr_cast' op failed to verify that src and result have the same shape and layout}}
  %0 = tile.ptr_cast %p : tensor<8x!tile.ptr<f32>> -> tensor<16x!tile.ptr<i32>>
  return
}

// -----

func.func @castInteger(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{'tile.ptr_cast' op result #0 must be pointer or tile of pointers, but got 'i64'}}
  %0 = tile.ptr_cast %p : !tile.ptr<f32> -> i64
  return
}

// -----

func.func @promiseAxes(%p: tensor<8x8xi32>) {
  // expected-error @+1 {{'tile.promise' op expects one 'contiguity' an axis, 2, found 1}}
  %0 = tile.promise %p divisibility [1, 1] contiguity [8] constancy [1, 1] : tensor<8x8xi32>
  return
}

// -----

func.func @promisePowers(%n: i32) {
  // expected-error @+1 {{'tile.promise' op expects 'divisibility' to be powers of two, found 12}}
  %0 = tile.promise %n divisibility [12] contiguity [1] constancy [1] : i32
  return
}
