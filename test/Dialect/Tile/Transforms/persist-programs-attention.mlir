// RUN: tile-opt %s -tile-find-blocks -canonicalize -tile-assign-layouts -cse -tile-persist-programs | FileCheck %s
// Threads load what products have on their left.
// RUN: sed 's/{tile.divisibility = 16 : i32, tile.name = "sq"}/{tile.name = "sq"}/' %s | tile-opt -tile-find-blocks -canonicalize -tile-assign-layouts -cse -tile-persist-programs | FileCheck %s --check-prefix=NONE
// They load another tile, too.
// RUN: sed 's/tile.store %%20, %%15/%%other = tile.load %%20 : tensor<128x128x!tile.ptr<f32>> %%both = arith.addf %%15, %%other : tensor<128x128xf32> tile.store %%20, %%both/' %s | tile-opt -tile-find-blocks -canonicalize -tile-assign-layouts -cse -tile-persist-programs | FileCheck %s --check-prefix=NONE
// NONE-NOT: tile.persistent

// A loop that works on what it multiplies, such as an attention, if hardware copies all tiles.
//
// CHECK-LABEL: func.func @queries(
// CHECK-SAME: tile.persistent = 1 : i32
// CHECK: scf.for
// CHECK: tile.load {{.*}} block
// CHECK: scf.for
// CHECK: tile.load {{.*}} block
// CHECK: tile.dot
// CHECK: math.exp
module attributes {tile.target = #tile.target<"sm_90a">} {
  func.func @queries(%arg0: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "q"}, %arg1: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "k"}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "out"}, %arg3: i32 {tile.name = "n"}, %arg4: i32 {tile.divisibility = 16 : i32, tile.name = "sq"}, %arg5: i32 {tile.divisibility = 16 : i32, tile.name = "sk"}) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.roles = "auto", tile.tensor_maps = "launcher"} {
    %cst = arith.constant dense<128> : tensor<128x1xi32>
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
    %c128_i32 = arith.constant 128 : i32
    %0 = tile.make_range 0 to 128 : tensor<128xi32>
    %1 = tile.program_id  x
    %2 = arith.muli %1, %c128_i32 : i32
    %3 = tile.splat %2 : i32 -> tensor<128xi32>
    %4 = arith.addi %3, %0 : tensor<128xi32>
    %5 = tile.expand_dims %4 axis 1 : tensor<128xi32> -> tensor<128x1xi32>
    %6 = tile.splat %arg4 : i32 -> tensor<128x1xi32>
    %7 = arith.muli %5, %6 : tensor<128x1xi32>
    %8 = tile.splat %arg0 : !tile.ptr<bf16> -> tensor<128x1x!tile.ptr<bf16>>
    %9 = tile.addptr %8, %7 : tensor<128x1x!tile.ptr<bf16>>, tensor<128x1xi32>
    %10 = tile.expand_dims %0 axis 0 : tensor<128xi32> -> tensor<1x128xi32>
    %11 = tile.broadcast %9 : tensor<128x1x!tile.ptr<bf16>> -> tensor<128x128x!tile.ptr<bf16>>
    %12 = tile.broadcast %10 : tensor<1x128xi32> -> tensor<128x128xi32>
    %13 = tile.addptr %11, %12 : tensor<128x128x!tile.ptr<bf16>>, tensor<128x128xi32>
    %14 = tile.load %13 : tensor<128x128x!tile.ptr<bf16>>
    %15 = scf.for %arg6 = %c0_i32 to %arg3 step %c128_i32 iter_args(%arg7 = %cst_0) -> (tensor<128x128xf32>)  : i32 {
      %21 = tile.splat %arg6 : i32 -> tensor<128xi32>
      %22 = arith.addi %21, %0 : tensor<128xi32>
      %23 = tile.expand_dims %22 axis 0 : tensor<128xi32> -> tensor<1x128xi32>
      %24 = tile.splat %arg5 : i32 -> tensor<1x128xi32>
      %25 = arith.muli %23, %24 : tensor<1x128xi32>
      %26 = tile.splat %arg1 : !tile.ptr<bf16> -> tensor<1x128x!tile.ptr<bf16>>
      %27 = tile.addptr %26, %25 : tensor<1x128x!tile.ptr<bf16>>, tensor<1x128xi32>
      %28 = tile.expand_dims %0 axis 1 : tensor<128xi32> -> tensor<128x1xi32>
      %29 = tile.broadcast %27 : tensor<1x128x!tile.ptr<bf16>> -> tensor<128x128x!tile.ptr<bf16>>
      %30 = tile.broadcast %28 : tensor<128x1xi32> -> tensor<128x128xi32>
      %31 = tile.addptr %29, %30 : tensor<128x128x!tile.ptr<bf16>>, tensor<128x128xi32>
      %32 = tile.load %31 : tensor<128x128x!tile.ptr<bf16>>
      %33 = tile.dot %14, %32, %cst_0 : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
      %34 = math.exp %33 fastmath<afn> : tensor<128x128xf32>
      %35 = arith.addf %arg7, %34 fastmath<contract> : tensor<128x128xf32>
      scf.yield %35 : tensor<128x128xf32>
    }
    %16 = arith.muli %5, %cst : tensor<128x1xi32>
    %17 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<128x1x!tile.ptr<f32>>
    %18 = tile.addptr %17, %16 : tensor<128x1x!tile.ptr<f32>>, tensor<128x1xi32>
    %19 = tile.broadcast %18 : tensor<128x1x!tile.ptr<f32>> -> tensor<128x128x!tile.ptr<f32>>
    %20 = tile.addptr %19, %12 : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xi32>
    tile.store %20, %15 : tensor<128x128x!tile.ptr<f32>>
    return
  }
}
