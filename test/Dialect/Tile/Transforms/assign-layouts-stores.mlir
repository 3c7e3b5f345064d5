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

// -----

// Groups of a loaded row are scaled and stored as bytes. A thread stores what it has loaded, in pieces of 8 bytes:
// those of 16 are not worth an exchange of all numbers.

// CHECK-LABEL: func.func @scaledGroups
// CHECK: tile.load
// CHECK-NOT: tile.convert_layout %{{.*}} : tensor<4096x
// CHECK-NOT: tile.convert_layout %{{.*}} : tensor<128x32x
// CHECK: tile.store
func.func @scaledGroups(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<i8> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %ptrs = tile.addptr %base, %r : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %x = tile.load %ptrs : tensor<4096x!tile.ptr<f16>>
  %groups = tile.reshape %x : tensor<4096xf16> -> tensor<128x32xf16>
  %most = tile.reduce(%groups) axis 1 : (tensor<128x32xf16>) -> tensor<128xf16> {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maximumf %a, %b : f16
    tile.yield %c : f16
  }
  %column = tile.expand_dims %most axis 1 : tensor<128xf16> -> tensor<128x1xf16>
  %scale = tile.broadcast %column : tensor<128x1xf16> -> tensor<128x32xf16>
  %small = arith.divf %groups, %scale : tensor<128x32xf16>
  %bytes = arith.fptosi %small : tensor<128x32xf16> to tensor<128x32xi8>
  %row = tile.reshape %bytes : tensor<128x32xi8> -> tensor<4096xi8>
  %outBase = tile.splat %q : !tile.ptr<i8> -> tensor<4096x!tile.ptr<i8>>
  %outPtrs = tile.addptr %outBase, %r : tensor<4096x!tile.ptr<i8>>, tensor<4096xi32>
  tile.store %outPtrs, %row : tensor<4096x!tile.ptr<i8>>
  return
}
