// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-find-blocks -canonicalize -cse | FileCheck %s
// RUN: tile-opt %s -tile-attach-target='arch=sm_90a disable-heuristics=find-blocks' -tile-find-blocks | FileCheck %s --check-prefix=NONE
// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-find-blocks | FileCheck %s --check-prefix=NONE
// RUN: sed 's/"launcher"/"kernel"/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-find-blocks | FileCheck %s --check-prefix=NONE
// NONE-NOT: tile.block

// Of a matrix product: rows that wrap around are the size of an axis if no store depends on them, masks are sizes, what
// moves in each iteration is an offset.
//
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[A:[^ :]*]]: !tile.ptr<bf16> {{[^%]*}}"a"}, %[[B:[^ :]*]]: {{[^%]*}}"b"}, %{{[^ :]*}}: {{[^%]*}}"c"}, %[[M:[^ :]*]]: i32 {{[^%]*}}"m"}, %[[N:[^ :]*]]: i32 {{[^%]*}}"n"}, %[[K:[^ :]*]]: i32 {{[^%]*}}"k"}, %[[SA:[^ :]*]]: i32 {{[^%]*}}"sa"}, %[[SB:[^ :]*]]: i32 {{[^%]*}}"sb"}
// CHECK-DAG: %[[PID:.*]] = tile.program_id x
// CHECK-DAG: %[[ROW:.*]] = arith.muli %[[PID]], %c128_i32
// CHECK-DAG: %[[M64:.*]] = arith.extsi %[[M]]
// CHECK-DAG: %[[N64:.*]] = arith.extsi %[[N]]
// CHECK-DAG: %[[K64:.*]] = arith.extsi %[[K]]
// CHECK-DAG: %[[SA64:.*]] = arith.extsi %[[SA]]
// CHECK-DAG: %[[SB64:.*]] = arith.extsi %[[SB]]
// CHECK: scf.for %[[I:.*]] = %c0_i32
// CHECK: %[[DEPTH:.*]] = arith.muli %[[I]], %c64_i32
// CHECK: %[[LEFT:.*]] = tile.block %[[A]] sizes[%[[M64]], %[[K64]]] strides[%[[SA64]], %c1_i64] offsets[%[[ROW]], %[[DEPTH]]] of_pointers : <128x64xbf16>
// CHECK: tile.load {{.*}} block %[[LEFT]] :
// CHECK: %[[RIGHT:.*]] = tile.block %[[B]] sizes[%[[K64]], %[[N64]]] strides[%[[SB64]], %c1_i64] offsets[%[[DEPTH]], %{{.*}}] of_pointers : <64x128xbf16>
// CHECK: tile.load {{.*}} block %[[RIGHT]] :

// Rows that stay inside by a choice are as those that wrap around; not if it depends on something else.
//
// RUN: sed 's/%%11 = arith.remsi %%4, %%10/%%inside = arith.cmpi slt, %%4, %%10 : tensor<128xi32> %%zeros = arith.constant dense<0> : tensor<128xi32> %%11 = arith.select %%inside, %%4, %%zeros : tensor<128xi1>, tensor<128xi32>/; s/%%11 = \(.*\), tensor<128xi32> : tensor<128xi32>/%%11 = \1, tensor<128xi32>/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-find-blocks -canonicalize -cse | FileCheck %s
// RUN: sed 's/%%11 = arith.remsi %%4, %%10/%%inside = arith.cmpi ne, %%4, %%10 : tensor<128xi32> %%11 = arith.select %%inside, %%4, %%10 : tensor<128xi1>, tensor<128xi32>/; s/%%11 = \(.*\), tensor<128xi32> : tensor<128xi32>/%%11 = \1, tensor<128xi32>/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-find-blocks -canonicalize -cse | FileCheck %s --check-prefix=SECOND
//
// A store that does not mask the rows sees those that wrap around.
//
// RUN: sed 's/mask %ofBoth/mask %ofColumns/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-find-blocks | FileCheck %s --check-prefix=SECOND
// Nothing says of such a stride that it is a multiple of 16 bytes.
// RUN: sed 's/{tile.divisibility = 16 : i32, tile.name = "sa"}/{tile.name = "sa"}/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-find-blocks | FileCheck %s --check-prefix=SECOND
// Rows may begin before the matrix.
// RUN: sed 's/%%0 = tile.program_id  x/%%pid = tile.program_id x %%0 = arith.subi %%pid, %%c64_i32 : i32/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-find-blocks | FileCheck %s --check-prefix=SECOND
// The mask depends on something else as well.
// RUN: sed 's/%%55 = arith.cmpi slt/%%55 = arith.cmpi ne/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-find-blocks | FileCheck %s --check-prefix=SECOND
// Threads write memory in the loop.
// RUN: sed 's/%%67 = arith.muli/%%zero = arith.constant 0.0 : f32 tile.store %%arg2, %%zero : !tile.ptr<f32> %%67 = arith.muli/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-find-blocks | FileCheck %s --check-prefix=WRITES
// WRITES-LABEL: func.func @product(
// WRITES-NOT: tile.block
// WRITES-LABEL: func.func @heads(
// SECOND-LABEL: func.func @product(
// SECOND: tile.load {{[^b]*}} other {{%[^ ]*}} : tensor<128x64x
// SECOND: tile.load {{.*}} block {{.*}} tensor<64x128x
func.func @product(%arg0: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "a"}, %arg1: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "b"}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "c"}, %arg3: i32 {tile.name = "m"}, %arg4: i32 {tile.name = "n"}, %arg5: i32 {tile.name = "k"}, %arg6: i32 {tile.divisibility = 16 : i32, tile.name = "sa"}, %arg7: i32 {tile.divisibility = 16 : i32, tile.name = "sb"}) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  %c64_i64 = arith.constant 64 : i64
  %c0_i64 = arith.constant 0 : i64
  %cst = arith.constant dense<0.000000e+00> : tensor<64x128xbf16>
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x64xbf16>
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c64_i32 = arith.constant 64 : i32
  %c63_i32 = arith.constant 63 : i32
  %cst_1 = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %c128_i32 = arith.constant 128 : i32
  %0 = tile.program_id  x
  %1 = arith.muli %0, %c128_i32 : i32
  %2 = tile.make_range 0 to 128 : tensor<128xi32>
  %3 = tile.splat %1 : i32 -> tensor<128xi32>
  %4 = arith.addi %3, %2 : tensor<128xi32>
  %5 = tile.program_id  y
  %6 = arith.muli %5, %c128_i32 : i32
  %7 = tile.splat %6 : i32 -> tensor<128xi32>
  %8 = arith.addi %7, %2 : tensor<128xi32>
  %9 = tile.make_range 0 to 64 : tensor<64xi32>
  %10 = tile.splat %arg3 : i32 -> tensor<128xi32>
  %11 = arith.remsi %4, %10 : tensor<128xi32>
  %12 = tile.expand_dims %11 axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %13 = tile.splat %arg6 : i32 -> tensor<128x1xi32>
  %14 = arith.muli %12, %13 : tensor<128x1xi32>
  %15 = tile.splat %arg0 : !tile.ptr<bf16> -> tensor<128x1x!tile.ptr<bf16>>
  %16 = tile.addptr %15, %14 : tensor<128x1x!tile.ptr<bf16>>, tensor<128x1xi32>
  %17 = tile.expand_dims %9 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %18 = tile.broadcast %16 : tensor<128x1x!tile.ptr<bf16>> -> tensor<128x64x!tile.ptr<bf16>>
  %19 = tile.broadcast %17 : tensor<1x64xi32> -> tensor<128x64xi32>
  %20 = tile.addptr %18, %19 : tensor<128x64x!tile.ptr<bf16>>, tensor<128x64xi32>
  %21 = tile.expand_dims %9 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %22 = tile.splat %arg7 : i32 -> tensor<64x1xi32>
  %23 = arith.muli %21, %22 : tensor<64x1xi32>
  %24 = tile.splat %arg1 : !tile.ptr<bf16> -> tensor<64x1x!tile.ptr<bf16>>
  %25 = tile.addptr %24, %23 : tensor<64x1x!tile.ptr<bf16>>, tensor<64x1xi32>
  %26 = tile.expand_dims %8 axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %27 = tile.broadcast %25 : tensor<64x1x!tile.ptr<bf16>> -> tensor<64x128x!tile.ptr<bf16>>
  %28 = tile.broadcast %26 : tensor<1x128xi32> -> tensor<64x128xi32>
  %29 = tile.addptr %27, %28 : tensor<64x128x!tile.ptr<bf16>>, tensor<64x128xi32>
  %30 = arith.addi %arg5, %c63_i32 : i32
  %31 = arith.divsi %30, %c64_i32 : i32
  %32:3 = scf.for %arg8 = %c0_i32 to %31 step %c1_i32 iter_args(%arg9 = %cst_1, %arg10 = %c0_i64, %arg11 = %c0_i64) -> (tensor<128x128xf32>, i64, i64)  : i32 {
    %48 = tile.splat %arg11 : i64 -> tensor<64x128xi64>
    %49 = tile.addptr %29, %48 : tensor<64x128x!tile.ptr<bf16>>, tensor<64x128xi64>
    %50 = tile.splat %arg10 : i64 -> tensor<128x64xi64>
    %51 = tile.addptr %20, %50 : tensor<128x64x!tile.ptr<bf16>>, tensor<128x64xi64>
    %52 = arith.muli %arg8, %c64_i32 : i32
    %53 = arith.subi %arg5, %52 : i32
    %54 = tile.splat %53 : i32 -> tensor<1x64xi32>
    %55 = arith.cmpi slt, %17, %54 : tensor<1x64xi32>
    %56 = tile.broadcast %55 : tensor<1x64xi1> -> tensor<128x64xi1>
    %57 = tile.load %51 mask %56 other %cst_0 : tensor<128x64x!tile.ptr<bf16>>
    %58 = tile.splat %53 : i32 -> tensor<64x1xi32>
    %59 = arith.cmpi slt, %21, %58 : tensor<64x1xi32>
    %60 = tile.splat %arg4 : i32 -> tensor<1x128xi32>
    %61 = arith.cmpi slt, %26, %60 : tensor<1x128xi32>
    %62 = tile.broadcast %59 : tensor<64x1xi1> -> tensor<64x128xi1>
    %63 = tile.broadcast %61 : tensor<1x128xi1> -> tensor<64x128xi1>
    %64 = arith.andi %62, %63 : tensor<64x128xi1>
    %65 = tile.load %49 mask %64 other %cst : tensor<64x128x!tile.ptr<bf16>>
    %66 = tile.dot %57, %65, %arg9 : tensor<128x64xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
    %67 = arith.muli %arg7, %c64_i32 : i32
    %68 = arith.addi %arg10, %c64_i64 : i64
    %69 = arith.extsi %67 : i32 to i64
    %70 = arith.addi %arg11, %69 : i64
    scf.yield %66, %68, %70 : tensor<128x128xf32>, i64, i64
  }
  %33 = tile.expand_dims %4 axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %34 = tile.splat %arg4 : i32 -> tensor<128x1xi32>
  %35 = arith.muli %33, %34 : tensor<128x1xi32>
  %36 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<128x1x!tile.ptr<f32>>
  %37 = tile.addptr %36, %35 : tensor<128x1x!tile.ptr<f32>>, tensor<128x1xi32>
  %38 = tile.broadcast %37 : tensor<128x1x!tile.ptr<f32>> -> tensor<128x128x!tile.ptr<f32>>
  %39 = tile.broadcast %26 : tensor<1x128xi32> -> tensor<128x128xi32>
  %40 = tile.addptr %38, %39 : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xi32>
  %41 = tile.splat %arg3 : i32 -> tensor<128x1xi32>
  %42 = arith.cmpi slt, %33, %41 : tensor<128x1xi32>
  %43 = tile.splat %arg4 : i32 -> tensor<1x128xi32>
  %44 = arith.cmpi slt, %26, %43 : tensor<1x128xi32>
  %ofRows = tile.broadcast %42 : tensor<128x1xi1> -> tensor<128x128xi1>
  %ofColumns = tile.broadcast %44 : tensor<1x128xi1> -> tensor<128x128xi1>
  %ofBoth = arith.andi %ofRows, %ofColumns : tensor<128x128xi1>
  tile.store %40, %32#0 mask %ofBoth : tensor<128x128x!tile.ptr<f32>>
  return
}

// Of keys, transposed: the axis with neighbours comes last. Batches and heads are axes along which the block has one element;
// without a mask, axes have no end.
//
// CHECK-LABEL: func.func @heads(
// CHECK: %[[BATCH:.*]] = arith.divsi %{{.*}}, %c8_i32
// CHECK: %[[HEAD:.*]] = arith.remsi %{{.*}}, %c8_i32
// CHECK: scf.for %[[N:.*]] = %c0_i32
// CHECK: %[[BLOCK:.*]] = tile.block %{{.*}} sizes[%c2147483648_i64, %c2147483648_i64, %c2147483648_i64, %c2147483648_i64] strides[%{{.*}}, %{{.*}}, %{{.*}}, %c1_i64] offsets[%[[BATCH]], %[[HEAD]], %[[N]], %c0_i32] of_pointers : <1x1x128x128xbf16>
// CHECK: %[[POINTERS:.*]] = tile.permute %{{.*}} order [1, 0]
// CHECK: %[[KEYS:.*]] = tile.load %[[POINTERS]] block %[[BLOCK]]
// CHECK: tile.permute %[[KEYS]] order [1, 0]

func.func @heads(%arg0: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "q"}, %arg1: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "k"}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "out"}, %arg3: i32 {tile.name = "length"}, %arg4: i32 {tile.divisibility = 16 : i32, tile.name = "sbatch"}, %arg5: i32 {tile.divisibility = 16 : i32, tile.name = "shead"}, %arg6: i32 {tile.divisibility = 16 : i32, tile.name = "srow"}) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  %cst = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %c128_i32 = arith.constant 128 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<128xf32>
  %c8_i32 = arith.constant 8 : i32
  %0 = tile.program_id  y
  %1 = arith.divsi %0, %c8_i32 : i32
  %2 = arith.extsi %1 : i32 to i64
  %3 = arith.extsi %arg4 : i32 to i64
  %4 = arith.muli %2, %3 : i64
  %5 = arith.remsi %0, %c8_i32 : i32
  %6 = arith.muli %5, %arg5 : i32
  %7 = arith.extsi %6 : i32 to i64
  %8 = arith.addi %4, %7 : i64
  %9 = tile.make_range 0 to 128 : tensor<128xi32>
  %10 = tile.expand_dims %9 axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %11 = tile.splat %arg6 : i32 -> tensor<128x1xi32>
  %12 = arith.muli %10, %11 : tensor<128x1xi32>
  %13 = tile.splat %arg0 : !tile.ptr<bf16> -> tensor<128x1x!tile.ptr<bf16>>
  %14 = tile.addptr %13, %12 : tensor<128x1x!tile.ptr<bf16>>, tensor<128x1xi32>
  %15 = tile.expand_dims %9 axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %16 = tile.broadcast %14 : tensor<128x1x!tile.ptr<bf16>> -> tensor<128x128x!tile.ptr<bf16>>
  %17 = tile.broadcast %15 : tensor<1x128xi32> -> tensor<128x128xi32>
  %18 = tile.addptr %16, %17 : tensor<128x128x!tile.ptr<bf16>>, tensor<128x128xi32>
  %19 = tile.load %18 : tensor<128x128x!tile.ptr<bf16>>
  %20 = scf.for %arg7 = %c0_i32 to %arg3 step %c128_i32 iter_args(%arg8 = %cst_0) -> (tensor<128xf32>)  : i32 {
    %23 = tile.splat %arg7 : i32 -> tensor<128xi32>
    %24 = arith.addi %23, %9 : tensor<128xi32>
    %25 = tile.addptr %arg1, %8 : !tile.ptr<bf16>, i64
    %26 = tile.expand_dims %24 axis 0 : tensor<128xi32> -> tensor<1x128xi32>
    %27 = tile.splat %arg6 : i32 -> tensor<1x128xi32>
    %28 = arith.muli %26, %27 : tensor<1x128xi32>
    %29 = tile.splat %25 : !tile.ptr<bf16> -> tensor<1x128x!tile.ptr<bf16>>
    %30 = tile.addptr %29, %28 : tensor<1x128x!tile.ptr<bf16>>, tensor<1x128xi32>
    %31 = tile.broadcast %30 : tensor<1x128x!tile.ptr<bf16>> -> tensor<128x128x!tile.ptr<bf16>>
    %32 = tile.broadcast %10 : tensor<128x1xi32> -> tensor<128x128xi32>
    %33 = tile.addptr %31, %32 : tensor<128x128x!tile.ptr<bf16>>, tensor<128x128xi32>
    %34 = tile.load %33 : tensor<128x128x!tile.ptr<bf16>>
    %35 = tile.dot %19, %34, %cst : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
    %36 = tile.reduce(%35) axis 1 : (tensor<128x128xf32>) -> tensor<128xf32> {
    ^bb0(%arg9: f32, %arg10: f32):
      %38 = arith.addf %arg9, %arg10 fastmath<contract> : f32
      tile.yield %38 : f32
    }
    %37 = arith.addf %arg8, %36 fastmath<contract> : tensor<128xf32>
    scf.yield %37 : tensor<128xf32>
  }
  %21 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %22 = tile.addptr %21, %9 : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %22, %20 : tensor<128x!tile.ptr<f32>>
  return
}
