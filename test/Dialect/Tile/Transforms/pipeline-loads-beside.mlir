// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s

// A right factor is computed from 32-bit words; five stages are asked for. With four warps they are as many as leave
// room for a second CTA, which multiplies while this one computes: of 24 KB each, four.
// CHECK-LABEL: func.func @four_warps
// CHECK: tile.alloc_buffer : <64x64xf16, {{.*}}slots = 4>
// CHECK: tile.alloc_buffer : <64x64xi32, {{.*}}slots = 4>

// With eight warps there is another group of them, and the stages are those asked for, and one for products in flight.
// CHECK-LABEL: func.func @eight_warps
// CHECK: tile.alloc_buffer : <64x64xf16, {{.*}}slots = 6>
// CHECK: tile.alloc_buffer : <64x64xi32, {{.*}}slots = 6>

func.func @four_warps(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.name = "a"}, %arg1: !tile.ptr<i32> {tile.divisibility = 16 : i32, tile.name = "b"}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "c"}, %arg3: i32 {tile.divisibility = 16 : i32, tile.name = "K"}) attributes {tile.kernel, tile.num_stages = 5 : i32, tile.num_warps = 4 : i32} {
  %cst = arith.constant dense<255> : tensor<64x64xi32>
  %cst_0 = arith.constant dense<8> : tensor<64x64xi32>
  %cst_1 = arith.constant dense<4096> : tensor<64x1xi32>
  %c64_i32 = arith.constant 64 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst_2 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %0 = tile.make_range 0 to 64 : tensor<64xi32>
  %1 = scf.for %arg4 = %c0_i32 to %arg3 step %c64_i32 iter_args(%arg5 = %cst_2) -> (tensor<64x64xf32>)  : i32 {
    %10 = tile.expand_dims %0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %11 = arith.muli %10, %cst_1 : tensor<64x1xi32>
    %12 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %13 = tile.addptr %12, %11 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %14 = tile.splat %arg4 : i32 -> tensor<64xi32>
    %15 = arith.addi %14, %0 : tensor<64xi32>
    %16 = tile.expand_dims %15 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %17 = tile.broadcast %13 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %18 = tile.broadcast %16 : tensor<1x64xi32> -> tensor<64x64xi32>
    %19 = tile.addptr %17, %18 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %20 = tile.load %19 : tensor<64x64x!tile.ptr<f16>>
    %21 = tile.expand_dims %15 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %22 = arith.muli %21, %cst_1 : tensor<64x1xi32>
    %23 = tile.splat %arg1 : !tile.ptr<i32> -> tensor<64x1x!tile.ptr<i32>>
    %24 = tile.addptr %23, %22 : tensor<64x1x!tile.ptr<i32>>, tensor<64x1xi32>
    %25 = tile.expand_dims %0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %26 = tile.broadcast %24 : tensor<64x1x!tile.ptr<i32>> -> tensor<64x64x!tile.ptr<i32>>
    %27 = tile.broadcast %25 : tensor<1x64xi32> -> tensor<64x64xi32>
    %28 = tile.addptr %26, %27 : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
    %29 = tile.load %28 : tensor<64x64x!tile.ptr<i32>>
    %30 = arith.shrsi %29, %cst_0 : tensor<64x64xi32>
    %31 = arith.andi %30, %cst : tensor<64x64xi32>
    %32 = arith.sitofp %31 : tensor<64x64xi32> to tensor<64x64xf16>
    %33 = tile.dot %20, %32, %arg5 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %33 : tensor<64x64xf32>
  }
  %2 = tile.expand_dims %0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %3 = arith.muli %2, %cst_1 : tensor<64x1xi32>
  %4 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
  %5 = tile.addptr %4, %3 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
  %6 = tile.expand_dims %0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %7 = tile.broadcast %5 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
  %8 = tile.broadcast %6 : tensor<1x64xi32> -> tensor<64x64xi32>
  %9 = tile.addptr %7, %8 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %9, %1 : tensor<64x64x!tile.ptr<f32>>
  return
}

func.func @eight_warps(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.name = "a"}, %arg1: !tile.ptr<i32> {tile.divisibility = 16 : i32, tile.name = "b"}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "c"}, %arg3: i32 {tile.divisibility = 16 : i32, tile.name = "K"}) attributes {tile.kernel, tile.num_stages = 5 : i32, tile.num_warps = 8 : i32} {
  %cst = arith.constant dense<255> : tensor<64x64xi32>
  %cst_0 = arith.constant dense<8> : tensor<64x64xi32>
  %cst_1 = arith.constant dense<4096> : tensor<64x1xi32>
  %c64_i32 = arith.constant 64 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst_2 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %0 = tile.make_range 0 to 64 : tensor<64xi32>
  %1 = scf.for %arg4 = %c0_i32 to %arg3 step %c64_i32 iter_args(%arg5 = %cst_2) -> (tensor<64x64xf32>)  : i32 {
    %10 = tile.expand_dims %0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %11 = arith.muli %10, %cst_1 : tensor<64x1xi32>
    %12 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
    %13 = tile.addptr %12, %11 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %14 = tile.splat %arg4 : i32 -> tensor<64xi32>
    %15 = arith.addi %14, %0 : tensor<64xi32>
    %16 = tile.expand_dims %15 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %17 = tile.broadcast %13 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %18 = tile.broadcast %16 : tensor<1x64xi32> -> tensor<64x64xi32>
    %19 = tile.addptr %17, %18 : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %20 = tile.load %19 : tensor<64x64x!tile.ptr<f16>>
    %21 = tile.expand_dims %15 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %22 = arith.muli %21, %cst_1 : tensor<64x1xi32>
    %23 = tile.splat %arg1 : !tile.ptr<i32> -> tensor<64x1x!tile.ptr<i32>>
    %24 = tile.addptr %23, %22 : tensor<64x1x!tile.ptr<i32>>, tensor<64x1xi32>
    %25 = tile.expand_dims %0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %26 = tile.broadcast %24 : tensor<64x1x!tile.ptr<i32>> -> tensor<64x64x!tile.ptr<i32>>
    %27 = tile.broadcast %25 : tensor<1x64xi32> -> tensor<64x64xi32>
    %28 = tile.addptr %26, %27 : tensor<64x64x!tile.ptr<i32>>, tensor<64x64xi32>
    %29 = tile.load %28 : tensor<64x64x!tile.ptr<i32>>
    %30 = arith.shrsi %29, %cst_0 : tensor<64x64xi32>
    %31 = arith.andi %30, %cst : tensor<64x64xi32>
    %32 = arith.sitofp %31 : tensor<64x64xi32> to tensor<64x64xf16>
    %33 = tile.dot %20, %32, %arg5 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %33 : tensor<64x64xf32>
  }
  %2 = tile.expand_dims %0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %3 = arith.muli %2, %cst_1 : tensor<64x1xi32>
  %4 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
  %5 = tile.addptr %4, %3 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
  %6 = tile.expand_dims %0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %7 = tile.broadcast %5 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x64x!tile.ptr<f32>>
  %8 = tile.broadcast %6 : tensor<1x64xi32> -> tensor<64x64xi32>
  %9 = tile.addptr %7, %8 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %9, %1 : tensor<64x64x!tile.ptr<f32>>
  return
}
