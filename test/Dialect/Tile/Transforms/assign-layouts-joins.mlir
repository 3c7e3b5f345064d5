// RUN: tile-opt %s -split-input-file -tile-attach-target=arch=sm_90 -tile-assign-layouts -cse | FileCheck %s

// Halves of bytes that a loop carries are joined and multiplied. The joined tile is exchanged, once: in the layout
// that the product needs, lanes share bytes, and each half would be exchanged for each of them.

// CHECK-LABEL: func.func @joinedOnce
// CHECK: scf.for
// CHECK-NOT: tile.convert_layout %{{.*}} : tensor<64x32x{{f16|i8}}
// CHECK: tile.convert_layout %{{.*}} : tensor<64x32x2xf16
// CHECK-NOT: tile.convert_layout %{{.*}} : tensor<64x32x
// CHECK: tile.dot
func.func @joinedOnce(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %w: !tile.ptr<i8> {tile.divisibility = 16 : i32},
                      %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %rows = tile.make_range 0 to 64 : tensor<64xi32>
  %column = tile.expand_dims %rows axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %c32 = arith.constant dense<32> : tensor<64x1xi32>
  %in64 = arith.muli %column, %c64 : tensor<64x1xi32>
  %in32 = arith.muli %column, %c32 : tensor<64x1xi32>
  %across = tile.expand_dims %rows axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %half = tile.make_range 0 to 32 : tensor<32xi32>
  %acrossHalf = tile.expand_dims %half axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %r64 = tile.broadcast %in64 : tensor<64x1xi32> -> tensor<64x64xi32>
  %k64 = tile.broadcast %across : tensor<1x64xi32> -> tensor<64x64xi32>
  %at64 = arith.addi %r64, %k64 : tensor<64x64xi32>
  %r32 = tile.broadcast %in32 : tensor<64x1xi32> -> tensor<64x32xi32>
  %k32 = tile.broadcast %acrossHalf : tensor<1x32xi32> -> tensor<64x32xi32>
  %at32 = arith.addi %r32, %k32 : tensor<64x32xi32>
  %aBase = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %aPtrs = tile.addptr %aBase, %at64 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %wBase = tile.splat %w : !tile.ptr<i8> -> tensor<64x32x!tile.ptr<i8>>
  %wPtrs = tile.addptr %wBase, %at32 : tensor<64x32x!tile.ptr<i8>>, tensor<64x32xi32>
  %oBase = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %oPtrs = tile.addptr %oBase, %at64 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %four = arith.constant dense<4> : tensor<64x32xi8>
  %low = arith.constant dense<15> : tensor<64x32xi8>
  %first = tile.load %wPtrs : tensor<64x32x!tile.ptr<i8>>
  %ends = tile.make_range 0 to 2 : tensor<2xi32>
  %c0 = arith.constant dense<0> : tensor<2xi32>
  %isFirst = arith.cmpi eq, %ends, %c0 : tensor<2xi32>
  %e0 = tile.expand_dims %isFirst axis 0 : tensor<2xi1> -> tensor<1x2xi1>
  %e1 = tile.expand_dims %e0 axis 0 : tensor<1x2xi1> -> tensor<1x1x2xi1>
  %which = tile.broadcast %e1 : tensor<1x1x2xi1> -> tensor<64x32x2xi1>
  %sum:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %bytes = %first)
      -> (tensor<64x64xf32>, tensor<64x32xi8>) : i32 {
    %x = tile.load %aPtrs : tensor<64x64x!tile.ptr<f16>>
    %lowBits = arith.andi %bytes, %low : tensor<64x32xi8>
    %highBits = arith.shrui %bytes, %four : tensor<64x32xi8>
    %l = arith.uitofp %lowBits : tensor<64x32xi8> to tensor<64x32xf16>
    %h = arith.uitofp %highBits : tensor<64x32xi8> to tensor<64x32xf16>
    %l1 = tile.expand_dims %l axis 2 : tensor<64x32xf16> -> tensor<64x32x1xf16>
    %h1 = tile.expand_dims %h axis 2 : tensor<64x32xf16> -> tensor<64x32x1xf16>
    %l2 = tile.broadcast %l1 : tensor<64x32x1xf16> -> tensor<64x32x2xf16>
    %h2 = tile.broadcast %h1 : tensor<64x32x1xf16> -> tensor<64x32x2xf16>
    %both = arith.select %which, %l2, %h2 : tensor<64x32x2xi1>, tensor<64x32x2xf16>
    %flat = tile.reshape %both : tensor<64x32x2xf16> -> tensor<64x64xf16>
    %next = tile.dot %x, %flat, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %more = tile.load %wPtrs : tensor<64x32x!tile.ptr<i8>>
    scf.yield %next, %more : tensor<64x64xf32>, tensor<64x32xi8>
  }
  tile.store %oPtrs, %sum#0 : tensor<64x64x!tile.ptr<f32>>
  return
}
