// RUN: tile-opt %s -convert-tile-to-cpu='vector-registers=32 vector-bytes=64 add-pairs=true' -split-input-file | FileCheck %s --check-prefixes=CHECK,PAIRS
// RUN: tile-opt %s -convert-tile-to-cpu='vector-registers=32 vector-bytes=64 add-pairs=true matrix-tiles=true' -split-input-file | FileCheck %s --check-prefixes=CHECK,TILES
// RUN: tile-opt %s -convert-tile-to-cpu='vector-registers=32 vector-bytes=64' -split-input-file | FileCheck %s --check-prefixes=CHECK,PLAIN

// Pairs: the right factor's rows lie packed by twos, as i16, and one step adds two products to each sum.
// Tiles: they lie packed by fours, the left factor is read from where it was loaded, and four tiles are sums.
// PAIRS: #[[$BY_TWO:.*]] = affine_map<(d0, d1, d2) -> (d0 * 2 + d2, d1)>
// TILES: #[[$BY_FOUR:.*]] = affine_map<(d0, d1, d2) -> (d0 * 4 + d2, d1)>
// CHECK-LABEL: func.func @bytes
// PAIRS: %[[A:.*]] = memref.view {{.*}} to memref<16x64xi16>
// PAIRS: %[[B:.*]] = memref.view {{.*}} to memref<32x32x2xi16>
// PAIRS: linalg.generic {indexing_maps = [#[[$BY_TWO]], 
// PAIRS: %[[ROWS:.*]] = memref.reinterpret_cast %[[B]] to offset: [0], sizes: [32, 64], strides: [64, 1]
// PAIRS: :16 = scf.for %[[K:.*]] = %c0{{.*}} to %c32{{.*}} step %c1
// PAIRS:   vector.load %[[ROWS]][%[[K]], {{.*}}] : memref<32x64xi16>, vector<32xi16>
// PAIRS:   %[[DEPTH:.*]] = arith.muli %[[K]], %c2
// PAIRS:   %[[PAIR:.*]] = vector.load %[[A]][{{.*}}, %[[DEPTH]]] : memref<16x64xi16>, vector<2xi16>
// PAIRS:   %[[WORD:.*]] = vector.bitcast %[[PAIR]] : vector<2xi16> to vector<1xi32>
// PAIRS:   vector.broadcast %[[WORD]] : vector<1xi32> to vector<16xi32>
// PAIRS:   %[[PRODUCTS:.*]] = arith.muli {{.*}} : vector<32xi32>
// PAIRS:   vector.shuffle %[[PRODUCTS]], %[[PRODUCTS]] [0, 2, 4
// PAIRS:   vector.shuffle %[[PRODUCTS]], %[[PRODUCTS]] [1, 3, 5
// TILES: %[[A:.*]] = memref.view {{.*}} to memref<16x64xi8>
// TILES: %[[B:.*]] = memref.view {{.*}} to memref<16x32x4xi8>
// TILES: linalg.generic {indexing_maps = [#[[$BY_FOUR]], 
// TILES: memref.extract_aligned_pointer_as_index %[[A]]
// TILES: scf.for {{.*}} to %c32{{.*}} step %c32
// TILES:   scf.for {{.*}} to %c16{{.*}} step %c16
// TILES-COUNT-2: llvm.call_intrinsic "llvm.x86.tileloadd64.internal"
// TILES:     %[[SUMS:.*]]:2 = scf.for %{{.*}} = %c0{{.*}} to %c1{{.*}} step %c1{{.*}} -> (!llvm.x86_amx, !llvm.x86_amx)
// TILES-COUNT-3: llvm.call_intrinsic "llvm.x86.tileloadd64.internal"
// TILES-NOT:   tileloadd64
// TILES:       llvm.call_intrinsic "llvm.x86.tdpbssd.internal"
// TILES:     llvm.call_intrinsic "llvm.x86.tilestored64.internal"({{.*}}, %[[SUMS]]#0)
// TILES:     llvm.call_intrinsic "llvm.x86.tilestored64.internal"({{.*}}, %[[SUMS]]#1)
// PLAIN: memref.view {{.*}} to memref<64x32xi32>
// PLAIN-NOT: vector.shuffle
func.func @bytes(%p: !tile.ptr<i8>, %q: !tile.ptr<i32>) attributes {tile.kernel} {
  %base = tile.splat %p : !tile.ptr<i8> -> tensor<16x64x!tile.ptr<i8>>
  %a = tile.load %base : tensor<16x64x!tile.ptr<i8>>
  %base2 = tile.splat %p : !tile.ptr<i8> -> tensor<64x32x!tile.ptr<i8>>
  %b = tile.load %base2 : tensor<64x32x!tile.ptr<i8>>
  %zero = arith.constant dense<0> : tensor<16x32xi32>
  %c = tile.dot %a, %b, %zero : tensor<16x64xi8>, tensor<64x32xi8> -> tensor<16x32xi32>
  %base3 = tile.splat %q : !tile.ptr<i32> -> tensor<16x32x!tile.ptr<i32>>
  tile.store %base3, %c : tensor<16x32x!tile.ptr<i32>>
  return
}

// -----

// A stack of products of bf16, which are sums of pairs; without AMX they are products of f32.
// CHECK-LABEL: func.func @stack
// TILES: memref.view {{.*}} to memref<2x16x32x2xi16>
// TILES: scf.for %{{.*}} = %c0{{.*}} to %c2
// TILES:   llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"
// PAIRS: memref.view {{.*}} to memref<2x32x32xf32>
// PLAIN: memref.view {{.*}} to memref<2x32x32xf32>
func.func @stack(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %base = tile.splat %p : !tile.ptr<bf16> -> tensor<2x16x32x!tile.ptr<bf16>>
  %a = tile.load %base : tensor<2x16x32x!tile.ptr<bf16>>
  %base2 = tile.splat %p : !tile.ptr<bf16> -> tensor<2x32x32x!tile.ptr<bf16>>
  %b = tile.load %base2 : tensor<2x32x32x!tile.ptr<bf16>>
  %zero = arith.constant dense<0.0> : tensor<2x16x32xf32>
  %c = tile.dot %a, %b, %zero : tensor<2x16x32xbf16>, tensor<2x32x32xbf16> -> tensor<2x16x32xf32>
  %base3 = tile.splat %q : !tile.ptr<f32> -> tensor<2x16x32x!tile.ptr<f32>>
  tile.store %base3, %c : tensor<2x16x32x!tile.ptr<f32>>
  return
}

// -----

// Eight rows fill no tile.
// CHECK-LABEL: func.func @few_rows
// TILES: memref.view {{.*}} to memref<32x16xf32>
// TILES-NOT: llvm.call_intrinsic
func.func @few_rows(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %base = tile.splat %p : !tile.ptr<bf16> -> tensor<8x32x!tile.ptr<bf16>>
  %a = tile.load %base : tensor<8x32x!tile.ptr<bf16>>
  %base2 = tile.splat %p : !tile.ptr<bf16> -> tensor<32x16x!tile.ptr<bf16>>
  %b = tile.load %base2 : tensor<32x16x!tile.ptr<bf16>>
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %c = tile.dot %a, %b, %zero : tensor<8x32xbf16>, tensor<32x16xbf16> -> tensor<8x16xf32>
  %base3 = tile.splat %q : !tile.ptr<f32> -> tensor<8x16x!tile.ptr<f32>>
  tile.store %base3, %c : tensor<8x16x!tile.ptr<f32>>
  return
}
