// RUN: tile-opt %s -tile-gpu-pipeline=arch=sm_80 | FileCheck %s

// The second product takes the result of the first one through a conversion of layouts, and keeps the layouts that were
// chosen when there was none: warps share both by rows.
// CHECK-LABEL: llvm.func @chained
// CHECK-COUNT-2: nvvm.mma.sync
func.func @chained(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                   %z: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %wide = arith.constant dense<64> : tensor<64x1xi32>
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %line = tile.expand_dims %range axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %line : tensor<1x64xi32> -> tensor<64x64xi32>
  %column = tile.expand_dims %range axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %starts = arith.muli %column, %wide : tensor<64x1xi32>
  %rows = tile.broadcast %starts : tensor<64x1xi32> -> tensor<64x64xi32>
  %places = arith.addi %rows, %columns : tensor<64x64xi32>
  %basesX = tile.splat %x : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %ptrsX = tile.addptr %basesX, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %a = tile.load %ptrsX : tensor<64x64x!tile.ptr<f32>>
  %basesY = tile.splat %y : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %ptrsY = tile.addptr %basesY, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %b = tile.load %ptrsY : tensor<64x64x!tile.ptr<f32>>
  %s = tile.dot %a, %b, %zeros precision tf32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %o = tile.dot %s, %b, %zeros precision tf32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %basesZ = tile.splat %z : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %ptrsZ = tile.addptr %basesZ, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %ptrsZ, %o : tensor<64x64x!tile.ptr<f32>>
  return
}
