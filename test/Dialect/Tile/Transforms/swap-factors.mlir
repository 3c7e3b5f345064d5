// RUN: tile-opt %s -split-input-file -tile-attach-target=arch=sm_90a -tile-swap-factors | FileCheck %s
// RUN: tile-opt %s -split-input-file -tile-attach-target='arch=sm_90a disable-heuristics=swap-factors' -tile-swap-factors | FileCheck %s --check-prefix=OFF
// RUN: tile-opt %s -split-input-file -tile-attach-target=arch=sm_90 -tile-swap-factors | FileCheck %s --check-prefix=OFF

// OFF-NOT: tile.permute

// Weights of bytes, of which four neighbours are loaded together: these are rows of the transposed product.
// CHECK-LABEL: func.func @bytes
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZEROS]]) -> (tensor<64x32xf32>)
// CHECK: %[[A:.*]] = tile.load
// CHECK: %[[W:.*]] = arith.sitofp
// CHECK: %[[LEFT:.*]] = tile.permute %[[W]] order [1, 0] : tensor<16x64xbf16> -> tensor<64x16xbf16>
// CHECK: %[[RIGHT:.*]] = tile.permute %[[A]] order [1, 0] : tensor<32x16xbf16> -> tensor<16x32xbf16>
// CHECK: %[[NEXT:.*]] = tile.dot %[[LEFT]], %[[RIGHT]], %[[ACC]] {rowsTogether = 4 : i32}
// CHECK: scf.yield %[[NEXT]]
// CHECK: %[[WHOLE:.*]] = tile.permute %[[SUM]] order [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
// CHECK: return %[[WHOLE]]
func.func @bytes(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<32x64xf32>
    attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %rows = tile.make_range 0 to 32 : tensor<32xi32>
  %depth = tile.make_range 0 to 16 : tensor<16xi32>
  %columns = tile.make_range 0 to 64 : tensor<64xi32>
  %r = tile.expand_dims %rows axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %k = tile.expand_dims %depth axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %k2 = tile.expand_dims %depth axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c = tile.expand_dims %columns axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %s16 = arith.constant dense<16> : tensor<32x1xi32>
  %s64 = arith.constant dense<64> : tensor<16x1xi32>
  %r16 = arith.muli %r, %s16 : tensor<32x1xi32>
  %k64 = arith.muli %k2, %s64 : tensor<16x1xi32>
  %rb = tile.broadcast %r16 : tensor<32x1xi32> -> tensor<32x16xi32>
  %kb = tile.broadcast %k : tensor<1x16xi32> -> tensor<32x16xi32>
  %ka = tile.broadcast %k64 : tensor<16x1xi32> -> tensor<16x64xi32>
  %cb = tile.broadcast %c : tensor<1x64xi32> -> tensor<16x64xi32>
  %pa = arith.addi %rb, %kb : tensor<32x16xi32>
  %pb = arith.addi %ka, %cb : tensor<16x64xi32>
  %base = tile.splat %p : !tile.ptr<bf16> -> tensor<32x16x!tile.ptr<bf16>>
  %baseW = tile.splat %q : !tile.ptr<i8> -> tensor<16x64x!tile.ptr<i8>>
  %ptrs = tile.addptr %base, %pa : tensor<32x16x!tile.ptr<bf16>>, tensor<32x16xi32>
  %ptrsW = tile.addptr %baseW, %pb : tensor<16x64x!tile.ptr<i8>>, tensor<16x64xi32>
  %zeros = arith.constant dense<0.0> : tensor<32x64xf32>
  %sum = scf.for %i = %c0 to %n step %c16 iter_args(%acc = %zeros) -> (tensor<32x64xf32>) : i32 {
    %a = tile.load %ptrs : tensor<32x16x!tile.ptr<bf16>>
    %b = tile.load %ptrsW : tensor<16x64x!tile.ptr<i8>>
    %w = arith.sitofp %b : tensor<16x64xi8> to tensor<16x64xbf16>
    %next = tile.dot %a, %w, %acc : tensor<32x16xbf16>, tensor<16x64xbf16> -> tensor<32x64xf32>
    scf.yield %next : tensor<32x64xf32>
  }
  return %sum : tensor<32x64xf32>
}
