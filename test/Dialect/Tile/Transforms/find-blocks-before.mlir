// RUN: tile-opt %s -tile-find-blocks -canonicalize -cse | FileCheck %s
// RUN: tile-opt %s -tile-find-blocks -canonicalize -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=COPY
// RUN: tile-opt %s -tile-find-blocks -canonicalize -tile-assign-layouts -cse -tile-pipeline-loads -tile-use-warp-groups -tile-specialize-warps | FileCheck %s --check-prefix=ROLES
// What warps that copy have to know of it is known only to others: a row that is read from memory, but not by one address.
// RUN: sed 's/%%4 = tile.splat %%3 : i32/%%base = tile.splat %%rows : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>> %%loaded = tile.load %%base : tensor<64x!tile.ptr<i32>> %%first = "tile.reduce"(%%loaded) ({ ^bb0(%%x: i32, %%y: i32): %%z = arith.maxsi %%x, %%y : i32 "tile.yield"(%%z) : (i32) -> () }) {axis = 0 : i32} : (tensor<64xi32>) -> i32 %%positive = arith.andi %%first, %%c64_i32 : i32 %%4 = tile.splat %%positive : i32/' %s | tile-opt -tile-find-blocks -canonicalize -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=THREADS
// It is used for something else, too.
// RUN: sed 's/^    return/tile.store %%14, %%15 : tensor<64x128x!tile.ptr<bf16>> return/' %s | tile-opt -tile-find-blocks -canonicalize -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=THREADS

// What products of all iterations have on their left, the queries of an attention, is a block as well as what the loop
// loads, and warps that only copy bring it before that.
//
// CHECK-LABEL: func.func @queries(
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c64_i32
// CHECK: %[[QUERIES:.*]] = tile.block %arg0 {{.*}} offsets[%[[ROW]], %{{.*}}] of_pointers : <64x128xbf16>
// CHECK: tile.load {{.*}} block %[[QUERIES]] :
// CHECK: scf.for
// CHECK: tile.load {{.*}} block

// COPY-LABEL: func.func @queries(
// COPY: %[[LEFT:.*]] = tile.alloc_buffer : <64x128xbf16, #{{[^,]*}}>
// COPY: tile.make_tensor_maps %arg1, %arg0
// COPY-NOT: tile.load
// COPY: tile.bulk_copy %{{.*}}#1[%{{.*}}, %{{.*}}] into %[[LEFT]] :
// COPY: %[[READ:.*]] = tile.buffer_load %[[LEFT]] :
// COPY-NOT: tile.load
// COPY: scf.for
// COPY: tile.bulk_copy %{{.*}}#0[%{{.*}}, %{{.*}}] into %{{.*}}[%{{.*}}] :
// COPY: tile.dot %[[READ]]

// THREADS-LABEL: func.func @queries(
// THREADS: tile.load {{.*}} : tensor<64x128x!tile.ptr<bf16>
// THREADS-NOT: tile.bulk_copy
// THREADS: scf.for
// THREADS: } {tile.copies_in_place

// Who multiplies waits for it where it was loaded.
// ROLES-LABEL: func.func @queries(
// ROLES: %[[LANDED:.*]] = tile.alloc_mbarrier arrivals 5
// ROLES: %[[LEFT:.*]] = tile.alloc_buffer : <64x128xbf16, #{{[^,]*}}>
// ROLES: tile.warp_roles role 4
// ROLES: tile.mbarrier_wait %[[LANDED]], %{{.*}}
// ROLES-NOT: tile.barrier
// ROLES: scf.for
// ROLES: tile.group_dot %[[LEFT]]
// ROLES: } role 4
// ROLES: tile.bulk_copy %{{.*}} into %[[LEFT]] arrive %[[LANDED]]
// ROLES-NEXT: tile.mbarrier_arrive %[[LANDED]] each_warp
// ROLES: scf.for
module attributes {tile.target = #tile.target<"sm_90a">} {
  func.func @queries(%arg0: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "q"}, %arg1: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "k"}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "out"}, %arg3: i32 {tile.name = "n"}, %arg4: i32 {tile.divisibility = 16 : i32, tile.name = "sq"}, %arg5: i32 {tile.divisibility = 16 : i32, tile.name = "sk"}, %rows: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.roles = "auto", tile.tensor_maps = "launcher"} {
    %cst = arith.constant dense<128> : tensor<64x1xi32>
    %c128_i32 = arith.constant 128 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x128xf32>
    %c64_i32 = arith.constant 64 : i32
    %0 = tile.make_range 0 to 64 : tensor<64xi32>
    %1 = tile.make_range 0 to 128 : tensor<128xi32>
    %2 = tile.program_id  x
    %3 = arith.muli %2, %c64_i32 : i32
    %4 = tile.splat %3 : i32 -> tensor<64xi32>
    %5 = arith.addi %4, %0 : tensor<64xi32>
    %6 = tile.expand_dims %5 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %7 = tile.splat %arg4 : i32 -> tensor<64x1xi32>
    %8 = arith.muli %6, %7 : tensor<64x1xi32>
    %9 = tile.splat %arg0 : !tile.ptr<bf16> -> tensor<64x1x!tile.ptr<bf16>>
    %10 = tile.addptr %9, %8 : tensor<64x1x!tile.ptr<bf16>>, tensor<64x1xi32>
    %11 = tile.expand_dims %1 axis 0 : tensor<128xi32> -> tensor<1x128xi32>
    %12 = tile.broadcast %10 : tensor<64x1x!tile.ptr<bf16>> -> tensor<64x128x!tile.ptr<bf16>>
    %13 = tile.broadcast %11 : tensor<1x128xi32> -> tensor<64x128xi32>
    %14 = tile.addptr %12, %13 : tensor<64x128x!tile.ptr<bf16>>, tensor<64x128xi32>
    %15 = tile.load %14 : tensor<64x128x!tile.ptr<bf16>>
    %16 = scf.for %arg6 = %c0_i32 to %arg3 step %c128_i32 iter_args(%arg7 = %cst_0) -> (tensor<64x128xf32>)  : i32 {
      %22 = tile.splat %arg6 : i32 -> tensor<128xi32>
      %23 = arith.addi %22, %1 : tensor<128xi32>
      %24 = tile.expand_dims %23 axis 0 : tensor<128xi32> -> tensor<1x128xi32>
      %25 = tile.splat %arg5 : i32 -> tensor<1x128xi32>
      %26 = arith.muli %24, %25 : tensor<1x128xi32>
      %27 = tile.splat %arg1 : !tile.ptr<bf16> -> tensor<1x128x!tile.ptr<bf16>>
      %28 = tile.addptr %27, %26 : tensor<1x128x!tile.ptr<bf16>>, tensor<1x128xi32>
      %29 = tile.expand_dims %1 axis 1 : tensor<128xi32> -> tensor<128x1xi32>
      %30 = tile.broadcast %28 : tensor<1x128x!tile.ptr<bf16>> -> tensor<128x128x!tile.ptr<bf16>>
      %31 = tile.broadcast %29 : tensor<128x1xi32> -> tensor<128x128xi32>
      %32 = tile.addptr %30, %31 : tensor<128x128x!tile.ptr<bf16>>, tensor<128x128xi32>
      %33 = tile.load %32 : tensor<128x128x!tile.ptr<bf16>>
      %34 = tile.dot %15, %33, %cst_0 : tensor<64x128xbf16>, tensor<128x128xbf16> -> tensor<64x128xf32>
      %35 = math.exp %34 fastmath<afn> : tensor<64x128xf32>
      %36 = arith.addf %arg7, %35 fastmath<contract> : tensor<64x128xf32>
      scf.yield %36 : tensor<64x128xf32>
    } {tile.warp_specialize}
    %17 = arith.muli %6, %cst : tensor<64x1xi32>
    %18 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
    %19 = tile.addptr %18, %17 : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
    %20 = tile.broadcast %19 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x128x!tile.ptr<f32>>
    %21 = tile.addptr %20, %13 : tensor<64x128x!tile.ptr<f32>>, tensor<64x128xi32>
    tile.store %21, %16 : tensor<64x128x!tile.ptr<f32>>
    return
  }
}
