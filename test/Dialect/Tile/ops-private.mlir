// RUN: tile-opt %s | tile-opt | FileCheck %s

#spread = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>

// CHECK-LABEL: func.func @keep
// CHECK: %[[MEMORY:.*]] = tile.alloc_private : <8 x f32>
// CHECK: tile.private_store %{{.*}} into %[[MEMORY]][%{{.*}}] : tensor<128xf32, #{{.*}}>, <8 x f32>
// CHECK: tile.private_load %[[MEMORY]][%{{.*}}] : <8 x f32> -> tensor<128xf32, #{{.*}}>
func.func @keep(%x: tensor<128xf32, #spread>, %slot: i32) -> tensor<128xf32, #spread> {
  %memory = tile.alloc_private : !tile.private<8 x f32>
  tile.private_store %x into %memory[%slot] : tensor<128xf32, #spread>, !tile.private<8 x f32>
  %y = tile.private_load %memory[%slot] : !tile.private<8 x f32> -> tensor<128xf32, #spread>
  return %y : tensor<128xf32, #spread>
}
