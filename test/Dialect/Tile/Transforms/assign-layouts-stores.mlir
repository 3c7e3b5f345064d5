// RUN: tile-opt %s -split-input-file -tile-assign-layouts | FileCheck %s

// A mask that decides about loaded elements is stored from the layout in which it was made for them.

// CHECK-LABEL: func.func @storedMask
// CHECK-COUNT-1: arith.cmpi
// CHECK-NOT: arith.cmpi
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @storedMask(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 2048 : tensor<2048xi32>
  %base = tile.splat %p : !tile.ptr<f16> -> tensor<2048x!tile.ptr<f16>>
  %ptrs = tile.addptr %base, %r : tensor<2048x!tile.ptr<f16>>, tensor<2048xi32>
  %x = tile.load %ptrs : tensor<2048x!tile.ptr<f16>>
  %limit = tile.splat %n : i32 -> tensor<2048xi32>
  %keep = arith.cmpi slt, %r, %limit : tensor<2048xi32>
  %zero = arith.constant dense<0.0> : tensor<2048xf16>
  %y = arith.select %keep, %x, %zero : tensor<2048xi1>, tensor<2048xf16>
  tile.store %ptrs, %y : tensor<2048x!tile.ptr<f16>>
  %bytes = arith.extui %keep : tensor<2048xi1> to tensor<2048xi8>
  %maskBase = tile.splat %q : !tile.ptr<i8> -> tensor<2048x!tile.ptr<i8>>
  %maskPtrs = tile.addptr %maskBase, %r : tensor<2048x!tile.ptr<i8>>, tensor<2048xi32>
  tile.store %maskPtrs, %bytes : tensor<2048x!tile.ptr<i8>>
  return
}
