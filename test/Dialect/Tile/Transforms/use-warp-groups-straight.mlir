// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-use-warp-groups | FileCheck %s

// Behind a product that is waited for, another factor uses its memory: eight factors of 32 KB, one after the other.
// CHECK-LABEL: func.func @oneAfterTheOther
// CHECK-COUNT-8: tile.group_dot
// CHECK-NOT: tile.dot
func.func @oneAfterTheOther(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
  %range = tile.make_range 0 to 16384 : tensor<16384xi32>
  %offsets = tile.reshape %range : tensor<16384xi32> -> tensor<128x128xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
  %ptrs = tile.addptr %bases, %offsets : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
  %x0 = tile.load %ptrs : tensor<128x128x!tile.ptr<f16>>
  %p0 = tile.dot %x0, %x0, %zeros : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
  %x1 = arith.truncf %p0 : tensor<128x128xf32> to tensor<128x128xf16>
  %p1 = tile.dot %x1, %x1, %zeros : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
  %x2 = arith.truncf %p1 : tensor<128x128xf32> to tensor<128x128xf16>
  %p2 = tile.dot %x2, %x2, %zeros : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
  %x3 = arith.truncf %p2 : tensor<128x128xf32> to tensor<128x128xf16>
  %p3 = tile.dot %x3, %x3, %zeros : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
  %x4 = arith.truncf %p3 : tensor<128x128xf32> to tensor<128x128xf16>
  %p4 = tile.dot %x4, %x4, %zeros : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
  %x5 = arith.truncf %p4 : tensor<128x128xf32> to tensor<128x128xf16>
  %p5 = tile.dot %x5, %x5, %zeros : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
  %x6 = arith.truncf %p5 : tensor<128x128xf32> to tensor<128x128xf16>
  %p6 = tile.dot %x6, %x6, %zeros : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
  %x7 = arith.truncf %p6 : tensor<128x128xf32> to tensor<128x128xf16>
  %p7 = tile.dot %x7, %x7, %zeros : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
  %x8 = arith.truncf %p7 : tensor<128x128xf32> to tensor<128x128xf16>
  %basesC = tile.splat %c : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
  %ptrsC = tile.addptr %basesC, %offsets : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
  tile.store %ptrsC, %x8 : tensor<128x128x!tile.ptr<f16>>
  return
}
