// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @block
// CHECK: tile.block_pointers %{{.*}} sizes[%{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}] offsets[%{{.*}}, %{{.*}}] guard [0, 1] : tensor<8x16x!tile.ptr<f32>>
func.func @block(%base: !tile.ptr<f32>, %n: i64, %i: i32) -> (tensor<8x16xf32>) {
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] guard [0, 1] : tensor<8x16x!tile.ptr<f32>>
  %x = tile.load %p mask %inside : tensor<8x16x!tile.ptr<f32>>
  return %x : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @rows
// CHECK: tile.block_pointers %{{.*}} rows %{{.*}} : tensor<8xi32> guard [] : tensor<8x16x!tile.ptr<f32>>
func.func @rows(%base: !tile.ptr<f32>, %n: i64, %i: i32, %rows: tensor<8xi32>) -> (tensor<8x16x!tile.ptr<f32>>) {
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] rows %rows : tensor<8xi32> guard [] : tensor<8x16x!tile.ptr<f32>>
  return %p : tensor<8x16x!tile.ptr<f32>>
}
