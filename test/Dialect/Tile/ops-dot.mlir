// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @dot
func.func @dot(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>, %d: tensor<16x8xf16>,
               %x: tensor<4x2x16xf32>, %y: tensor<4x16x8xf32>, %z: tensor<4x2x8xf32>,
               %i: tensor<1x32xi8>, %j: tensor<32x1xi8>, %k: tensor<1x1xi32>, %l: tensor<1x1xf32>) {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %0 = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK: tile.dot {{.*}} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf16>
  %1 = tile.dot %a, %b, %d : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf16>
  // CHECK: tile.dot {{.*}} precision tf32x3 : tensor<4x2x16xf32>, tensor<4x16x8xf32> -> tensor<4x2x8xf32>
  %2 = tile.dot %x, %y, %z precision tf32x3 : tensor<4x2x16xf32>, tensor<4x16x8xf32> -> tensor<4x2x8xf32>
  // CHECK: tile.dot {{.*}}, %{{[a-z0-9]*}} : tensor<4x2x16xf32>
  %3 = tile.dot %x, %y, %z precision ieee : tensor<4x2x16xf32>, tensor<4x16x8xf32> -> tensor<4x2x8xf32>
  // CHECK: tile.dot {{.*}} : tensor<1x32xi8>, tensor<32x1xi8> -> tensor<1x1xi32>
  %4 = tile.dot %i, %j, %k : tensor<1x32xi8>, tensor<32x1xi8> -> tensor<1x1xi32>
  // CHECK: tile.dot {{.*}} as f8E4M3FN, f8E5M2 : tensor<1x32xi8>, tensor<32x1xi8> -> tensor<1x1xf32>
  %5 = tile.dot %i, %j, %l as f8E4M3FN, f8E5M2 : tensor<1x32xi8>, tensor<32x1xi8> -> tensor<1x1xf32>
  // CHECK: tile.dot {{.*}} as f8E5M2, f8E5M2 {piece = 32 : i32} : tensor<1x32xi8>
  %7 = tile.dot %i, %j, %l as f8E5M2, f8E5M2 {piece = 32 : i32} : tensor<1x32xi8>, tensor<32x1xi8> -> tensor<1x1xf32>
  // CHECK: tile.dot {{.*}} {rowsTogether = 4 : i32} : tensor<16x32xf16>
  %6 = tile.dot %a, %b, %c {rowsTogether = 4 : i32} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  return
}
