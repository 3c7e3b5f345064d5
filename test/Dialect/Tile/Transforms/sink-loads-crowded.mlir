// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-pipeline-loads -tile-expand-exchanges -tile-sink-loads | FileCheck %s

// Two factors that the loop does not change, of 64 registers each, stand beside 128 of sums and 128 of products. They are
// read in each iteration, though their 32 KB leave room for two CTAs only, not for the four that registers would allow.
// CHECK-LABEL: func.func @gradient
// CHECK: %[[FIRST:.*]] = tile.alloc_buffer : <64x128xbf16, #{{[^,]*}}>
// CHECK: %[[SECOND:.*]] = tile.alloc_buffer : <64x128xbf16, #{{[^,]*}}>
// CHECK-NOT: tile.buffer_load %[[FIRST]]
// CHECK-NOT: tile.buffer_load %[[SECOND]]
// CHECK: scf.for
// CHECK: %[[LEFT:.*]] = tile.buffer_load %[[FIRST]] :
// CHECK: tile.dot %[[LEFT]]
// CHECK: %[[OTHER:.*]] = tile.buffer_load %[[SECOND]] :
// CHECK: tile.dot %[[OTHER]]
func.func @gradient(%arg0: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "q"}, %arg1: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "d"}, %arg2: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "k"}, %arg3: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "v"}, %arg4: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "o"}, %arg5: i32 {tile.divisibility = 16 : i32, tile.name = "n"}) attributes {tile.kernel, tile.num_stages = 2 : i32, tile.num_warps = 2 : i32} {
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %c64_i32 = arith.constant 64 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x128xf32>
  %cst_1 = arith.constant dense<128> : tensor<64x1xi32>
  %c128_i32 = arith.constant 128 : i32
  %0 = tile.make_range 0 to 64 : tensor<64xi32>
  %1 = tile.make_range 0 to 128 : tensor<128xi32>
  %2 = tile.expand_dims %0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %3 = arith.muli %2, %cst_1 : tensor<64x1xi32>
  %4 = tile.expand_dims %1 axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %5 = tile.broadcast %3 : tensor<64x1xi32> -> tensor<64x128xi32>
  %6 = tile.broadcast %4 : tensor<1x128xi32> -> tensor<64x128xi32>
  %7 = arith.addi %5, %6 : tensor<64x128xi32>
  %8 = tile.splat %arg0 : !tile.ptr<bf16> -> tensor<64x128x!tile.ptr<bf16>>
  %9 = tile.addptr %8, %7 : tensor<64x128x!tile.ptr<bf16>>, tensor<64x128xi32>
  %10 = tile.load %9 : tensor<64x128x!tile.ptr<bf16>>
  %11 = tile.splat %arg1 : !tile.ptr<bf16> -> tensor<64x128x!tile.ptr<bf16>>
  %12 = tile.addptr %11, %7 : tensor<64x128x!tile.ptr<bf16>>, tensor<64x128xi32>
  %13 = tile.load %12 : tensor<64x128x!tile.ptr<bf16>>
  %14 = scf.for %arg6 = %c0_i32 to %arg5 step %c64_i32 iter_args(%arg7 = %cst_0) -> (tensor<64x128xf32>)  : i32 {
    %17 = arith.muli %arg6, %c128_i32 : i32
    %18 = tile.addptr %arg2, %17 : !tile.ptr<bf16>, i32
    %19 = tile.splat %18 : !tile.ptr<bf16> -> tensor<64x128x!tile.ptr<bf16>>
    %20 = tile.addptr %19, %7 : tensor<64x128x!tile.ptr<bf16>>, tensor<64x128xi32>
    %21 = tile.load %20 : tensor<64x128x!tile.ptr<bf16>>
    %22 = tile.addptr %arg3, %17 : !tile.ptr<bf16>, i32
    %23 = tile.splat %22 : !tile.ptr<bf16> -> tensor<64x128x!tile.ptr<bf16>>
    %24 = tile.addptr %23, %7 : tensor<64x128x!tile.ptr<bf16>>, tensor<64x128xi32>
    %25 = tile.load %24 : tensor<64x128x!tile.ptr<bf16>>
    %26 = tile.permute %21 order [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %27 = tile.dot %10, %26, %cst : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
    %28 = tile.permute %25 order [1, 0] : tensor<64x128xbf16> -> tensor<128x64xbf16>
    %29 = tile.dot %13, %28, %cst : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
    %30 = arith.mulf %27, %29 fastmath<contract> : tensor<64x64xf32>
    %31 = arith.truncf %30 : tensor<64x64xf32> to tensor<64x64xbf16>
    %32 = tile.dot %31, %21, %arg7 : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
    scf.yield %32 : tensor<64x128xf32>
  }
  %15 = tile.splat %arg4 : !tile.ptr<f32> -> tensor<64x128x!tile.ptr<f32>>
  %16 = tile.addptr %15, %7 : tensor<64x128x!tile.ptr<f32>>, tensor<64x128xi32>
  tile.store %16, %14 : tensor<64x128x!tile.ptr<f32>>
  return
}
