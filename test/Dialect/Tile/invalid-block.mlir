// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @counts(%base: !tile.ptr<f32>, %n: i64, %i: i32) {
  // expected-error@+1 {{expects a size, a stride and an offset for each of 2 axes, found 2, 1 and 2}}
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n] offsets [%i, %i] guard [0, 1] : tensor<8x16x!tile.ptr<f32>>
  return
}

// -----

func.func @axis_twice(%base: !tile.ptr<f32>, %n: i64, %i: i32) {
  // expected-error@+1 {{expects different axes from 0 to 1 to guard}}
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] guard [1, 1] : tensor<8x16x!tile.ptr<f32>>
  return
}

// -----

func.func @axis_out_of_range(%base: !tile.ptr<f32>, %n: i64, %i: i32) {
  // expected-error@+1 {{expects different axes from 0 to 0 to guard}}
  %p, %inside = tile.block_pointers %base sizes [%n] strides [%n] offsets [%i] guard [1] : tensor<8x!tile.ptr<f32>>
  return
}

// -----

func.func @number_of_rows(%base: !tile.ptr<f32>, %n: i64, %i: i32, %rows: tensor<4xi32>) {
  // expected-error@+1 {{expects rows of a matrix, one index for each, found 'tensor<4xi32>' for 'tensor<8x16x!tile.ptr<f32>>'}}
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] rows %rows : tensor<4xi32> guard [] : tensor<8x16x!tile.ptr<f32>>
  return
}

// -----

func.func @rows_of_a_line(%base: !tile.ptr<f32>, %n: i64, %i: i32, %rows: tensor<8xi32>) {
  // expected-error@+1 {{expects rows of a matrix, one index for each, found 'tensor<8xi32>' for 'tensor<8x!tile.ptr<f32>>'}}
  %p, %inside = tile.block_pointers %base sizes [%n] strides [%n] offsets [%i] rows %rows : tensor<8xi32> guard [] : tensor<8x!tile.ptr<f32>>
  return
}
