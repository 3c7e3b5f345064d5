// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts | FileCheck %s --check-prefix=SLOTS
// RUN: tile-opt %s -tile-attach-target=arch=sm_75 -tile-assign-layouts | FileCheck %s --check-prefix=REMADE

// What becomes a factor is loaded once, 16 bytes a thread, although four lanes want each element afterwards: copies go
// ahead into a slot, which is read in any layout. Where there are no such copies, each lane loads for itself.
// SLOTS-LABEL: func.func @spread
// SLOTS: %[[W:.*]] = tile.load %{{.*}} : tensor<64x32x!tile.ptr<f16>, #{{.*}}>
// SLOTS: tile.convert_layout %[[W]] :
// REMADE-LABEL: func.func @spread
// REMADE: %[[W:.*]] = tile.load %{{.*}} : tensor<64x32x!tile.ptr<f16>, #{{.*}}>
// REMADE-NOT: tile.convert_layout %[[W]] :
// REMADE: return
func.func @spread(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %w: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x16x2x2x2xf16>
  %c2048 = arith.constant 2048 : i32
  %c8192 = arith.constant 8192 : i32
  %elements = tile.make_range 0 to 8192 : tensor<8192xi32>
  %square = tile.reshape %elements : tensor<8192xi32> -> tensor<128x64xi32>
  %fewer = tile.make_range 0 to 2048 : tensor<2048xi32>
  %half = tile.reshape %fewer : tensor<2048xi32> -> tensor<64x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<128x64xf32>) : i32 {
    %ahead = arith.muli %i, %c8192 : i32
    %a1 = tile.addptr %a, %ahead : !tile.ptr<f16>, i32
    %as = tile.splat %a1 : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
    %ap = tile.addptr %as, %square : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %left = tile.load %ap : tensor<128x64x!tile.ptr<f16>>
    %further = arith.muli %i, %c2048 : i32
    %w1 = tile.addptr %w, %further : !tile.ptr<f16>, i32
    %ws = tile.splat %w1 : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
    %wp = tile.addptr %ws, %half : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %kept = tile.load %wp : tensor<64x32x!tile.ptr<f16>>
    %boxes = tile.reshape %kept : tensor<64x32xf16> -> tensor<64x16x2x1x1xf16>
    %four = tile.make_range 0 to 4 : tensor<4xi32>
    %places = tile.reshape %four : tensor<4xi32> -> tensor<1x1x1x2x2xi32>
    %each = tile.broadcast %places : tensor<1x1x1x2x2xi32> -> tensor<64x16x2x2x2xi32>
    %index = tile.splat %i : i32 -> tensor<64x16x2x2x2xi32>
    %is = arith.cmpi eq, %each, %index : tensor<64x16x2x2x2xi32>
    %all = tile.broadcast %boxes : tensor<64x16x2x1x1xf16> -> tensor<64x16x2x2x2xf16>
    %chosen = arith.select %is, %all, %none : tensor<64x16x2x2x2xi1>, tensor<64x16x2x2x2xf16>
    %spread = tile.reduce(%chosen) axis 2 : (tensor<64x16x2x2x2xf16>) -> tensor<64x16x2x2xf16> {
    ^bb0(%x: f16, %y: f16):
      %z = arith.addf %x, %y : f16
      tile.yield %z : f16
    }
    %rows = tile.reshape %spread : tensor<64x16x2x2xf16> -> tensor<64x64xf16>
    %right = tile.permute %rows order [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %more = tile.dot %left, %right, %acc : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
    scf.yield %more : tensor<128x64xf32>
  }
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  %qp = tile.addptr %qs, %square : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
  tile.store %qp, %sum : tensor<128x64x!tile.ptr<f32>>
  return
}

// Elements of a factor's rows, two bytes each, are too narrow for copies: what each warp would load for itself is
// copied in whole words instead, and read from the slot.
// SLOTS-LABEL: func.func @narrow
// SLOTS: %[[B:.*]] = tile.load %{{.*}} : tensor<16x32x!tile.ptr<f16>, #{{.*}}>
// SLOTS: tile.convert_layout %[[B]] :
func.func @narrow(%b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                  %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c512 = arith.constant 512 : i32
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32>
  %left = arith.constant dense<1.0> : tensor<32x16xf16>
  %elements = tile.make_range 0 to 512 : tensor<512xi32>
  %rows = tile.reshape %elements : tensor<512xi32> -> tensor<16x32xi32>
  %more = tile.make_range 0 to 1024 : tensor<1024xi32>
  %square = tile.reshape %more : tensor<1024xi32> -> tensor<32x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<32x32xf32>) : i32 {
    %ahead = arith.muli %i, %c512 : i32
    %b1 = tile.addptr %b, %ahead : !tile.ptr<f16>, i32
    %bs = tile.splat %b1 : !tile.ptr<f16> -> tensor<16x32x!tile.ptr<f16>>
    %bp = tile.addptr %bs, %rows : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
    %right = tile.load %bp : tensor<16x32x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %qp = tile.addptr %qs, %square : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  tile.store %qp, %sum : tensor<32x32x!tile.ptr<f32>>
  return
}
