// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-expand-blocks -tile-assign-layouts -cse -loop-invariant-code-motion -tile-store-blocks -canonicalize -cse | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-expand-blocks -tile-assign-layouts -cse -loop-invariant-code-motion -tile-store-blocks | FileCheck %s --check-prefix=GONE
// GONE-NOT: tile.flatten
// NONE-NOT: tile.bulk_store

// In a loop that is flattened the buffers are there in all of it. All are waited for before the first one is written again, until
// the elements are in memory.
//
// CHECK-LABEL: func.func @tiles(
// CHECK: %[[PLACE:.*]], %[[MAP:.*]] = tile.make_tensor_maps %{{.*}} : !tile.ptr<bf16> sizes[
// CHECK: %[[LEFT:.*]] = tile.alloc_buffer : <64x64xbf16,
// CHECK: %[[PLACE2:.*]], %[[MAP2:.*]] = tile.make_tensor_maps
// CHECK: %[[RIGHT:.*]] = tile.alloc_buffer : <64x64xbf16,
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c64_i32
// CHECK: tile.bulk_store_wait %[[LEFT]] written
// CHECK-NEXT: tile.bulk_store_wait %[[RIGHT]] written
// CHECK-NEXT: tile.buffer_store %{{.*}}, %[[LEFT]] :
// CHECK: tile.bulk_store %[[LEFT]] into %[[MAP]][%{{.*}}, %c0_i32]
// CHECK-NOT: tile.bulk_store_wait
// CHECK: tile.buffer_store %{{.*}}, %[[RIGHT]] :
// CHECK: tile.bulk_store %[[RIGHT]] into %[[MAP2]][%{{.*}}, %c64_i32]
// CHECK-NEXT: }
// CHECK-NEXT: tile.bulk_store_wait %[[RIGHT]] written
// CHECK-NEXT: tile.release_tensor_maps %[[PLACE2]]
// CHECK-NEXT: tile.bulk_store_wait %[[LEFT]] written
// CHECK-NEXT: tile.release_tensor_maps %[[PLACE]]
// CHECK-NEXT: return

// Iterations may read what others have stored.
// RUN: sed 's/} {tile.flatten}/}/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-expand-blocks -tile-assign-layouts -cse -loop-invariant-code-motion -tile-store-blocks | FileCheck %s --check-prefix=NONE
// Something behind a store reads memory.
// RUN: sed 's/^  } {tile.flatten}/%%back = tile.load %%b : !tile.ptr<bf16> tile.store %%a, %%back : !tile.ptr<bf16> } {tile.flatten}/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-expand-blocks -tile-assign-layouts -cse -loop-invariant-code-motion -tile-store-blocks | FileCheck %s --check-prefix=NONE
// Blocks overlap.
// RUN: sed 's/offsets\[%%v[0-9]*, %%c64_i32\]/offsets[%%c0_i32, %%c0_i32]/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-expand-blocks -tile-assign-layouts -cse -loop-invariant-code-motion -tile-store-blocks | FileCheck %s --check-prefix=NONE
// Threads store to the same array in later iterations.
// RUN: sed 's/^  } {tile.flatten}/%%more = arith.constant 1.0 : bf16 tile.store %%c, %%more : !tile.ptr<bf16> } {tile.flatten}/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-expand-blocks -tile-assign-layouts -cse -loop-invariant-code-motion -tile-store-blocks | FileCheck %s --check-prefix=NONE
// The same in another branch.
// RUN: sed 's/^    tile.store %%rightPointers.*/%%odd = arith.cmpi sgt, %%tile, %%m : i32 scf.if %%odd { & } else { %%more = arith.constant 1.0 : bf16 tile.store %%c, %%more : !tile.ptr<bf16> }/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-expand-blocks -tile-assign-layouts -cse -loop-invariant-code-motion -tile-store-blocks | FileCheck %s --check-prefix=NONE
// The tensor is another one in each iteration.
// RUN: sed 's/sizes\[%%v[0-9]*, /sizes[%%rows, /; s/^    %%leftPointers/%%rows = arith.extsi %%tile : i32 to i64 %%leftPointers/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-expand-blocks -tile-assign-layouts -cse -loop-invariant-code-motion -tile-store-blocks | FileCheck %s --check-prefix=NONE

func.func @tiles(%a: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "a"}, %b: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "b"}, %c: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "c"}, %m: i32 {tile.name = "m"}, %n: i32 {tile.divisibility = 16 : i32, tile.name = "n"}, %count: i32 {tile.name = "count"}) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  %c0_i32 = arith.constant 0 : i32
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %cst_0 = arith.constant dense<32> : tensor<64x1xi32>
  %c8_i32 = arith.constant 8 : i32
  %cst_1 = arith.constant dense<64> : tensor<32x64xi32>
  %c64_i32 = arith.constant 64 : i32
  %cst_2 = arith.constant dense<128> : tensor<32x1xi32>
  %c1_i64 = arith.constant 1 : i64
  %v0 = tile.promise %c divisibility [16] contiguity [1] constancy [1] : !tile.ptr<bf16>
  %v1 = tile.promise %n divisibility [8] contiguity [1] constancy [1] : i32
  %v2 = arith.extsi %v1 : i32 to i64
  %v3 = tile.make_range 0 to 32 : tensor<32xi32>
  %v4 = tile.make_range 0 to 64 : tensor<64xi32>
  %v5 = tile.expand_dims %v3 axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %v6 = arith.muli %v5, %cst_2 : tensor<32x1xi32>
  %v7 = tile.splat %b : !tile.ptr<bf16> -> tensor<32x1x!tile.ptr<bf16>>
  %v8 = tile.addptr %v7, %v6 : tensor<32x1x!tile.ptr<bf16>>, tensor<32x1xi32>
  %v9 = tile.expand_dims %v4 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %v10 = tile.broadcast %v8 : tensor<32x1x!tile.ptr<bf16>> -> tensor<32x64x!tile.ptr<bf16>>
  %v11 = tile.broadcast %v9 : tensor<1x64xi32> -> tensor<32x64xi32>
  %v12 = tile.addptr %v10, %v11 : tensor<32x64x!tile.ptr<bf16>>, tensor<32x64xi32>
  %v13 = tile.load %v12 : tensor<32x64x!tile.ptr<bf16>>
  %v14 = tile.addptr %v12, %cst_1 : tensor<32x64x!tile.ptr<bf16>>, tensor<32x64xi32>
  %v15 = tile.load %v14 : tensor<32x64x!tile.ptr<bf16>>
  %v16 = tile.program_id  x
  scf.for %tile = %v16 to %count step %c8_i32  : i32 {
    %v17 = arith.muli %tile, %c64_i32 : i32
    %v18 = tile.splat %v17 : i32 -> tensor<64xi32>
    %v19 = arith.addi %v18, %v4 : tensor<64xi32>
    %v20 = tile.expand_dims %v19 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
    %v21 = arith.muli %v20, %cst_0 : tensor<64x1xi32>
    %v22 = tile.splat %a : !tile.ptr<bf16> -> tensor<64x1x!tile.ptr<bf16>>
    %v23 = tile.addptr %v22, %v21 : tensor<64x1x!tile.ptr<bf16>>, tensor<64x1xi32>
    %v24 = tile.expand_dims %v3 axis 0 : tensor<32xi32> -> tensor<1x32xi32>
    %v25 = tile.broadcast %v23 : tensor<64x1x!tile.ptr<bf16>> -> tensor<64x32x!tile.ptr<bf16>>
    %v26 = tile.broadcast %v24 : tensor<1x32xi32> -> tensor<64x32xi32>
    %v27 = tile.addptr %v25, %v26 : tensor<64x32x!tile.ptr<bf16>>, tensor<64x32xi32>
    %v28 = tile.load %v27 : tensor<64x32x!tile.ptr<bf16>>
    %v29 = tile.dot %v28, %v13, %cst : tensor<64x32xbf16>, tensor<32x64xbf16> -> tensor<64x64xf32>
    %v30 = arith.truncf %v29 : tensor<64x64xf32> to tensor<64x64xbf16>
    %v31 = arith.extsi %m : i32 to i64
    %leftPointers, %leftInside = tile.block_pointers %v0 sizes[%v31, %v2] strides[%v2, %c1_i64] offsets[%v17, %c0_i32] guard [0, 1] mappable : tensor<64x64x!tile.ptr<bf16>>
    tile.store %leftPointers, %v30 mask %leftInside : tensor<64x64x!tile.ptr<bf16>>
    %v32 = tile.dot %v28, %v15, %cst : tensor<64x32xbf16>, tensor<32x64xbf16> -> tensor<64x64xf32>
    %v33 = arith.truncf %v32 : tensor<64x64xf32> to tensor<64x64xbf16>
    %rightPointers, %rightInside = tile.block_pointers %v0 sizes[%v31, %v2] strides[%v2, %c1_i64] offsets[%v17, %c64_i32] guard [0, 1] mappable : tensor<64x64x!tile.ptr<bf16>>
    tile.store %rightPointers, %v33 mask %rightInside : tensor<64x64x!tile.ptr<bf16>>
  } {tile.flatten}
  return
}
