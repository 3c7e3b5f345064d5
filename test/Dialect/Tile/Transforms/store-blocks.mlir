// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks -canonicalize -cse | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks=remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s -tile-attach-target='arch=sm_90a disable-heuristics=store-blocks' -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// RUN: sed 's/"launcher"/"kernel"/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// RUN: sed 's/tile.num_warps = 4 : i32/tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// NONE-NOT: tile.bulk_store
// REMARK: remark: hardware stores this tile as a block

// The exchange goes, and so do pointers and mask. The mask's bounds are the sizes; the block of an empty tensor lies where
// nothing is.
//
// CHECK: #[[LINES:.*]] = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 144, 288, 512, 1024, 2048, 4096]>
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[C:[^ :]*]]: !tile.ptr<bf16> {{[^%]*}}"c"}, %[[M:[^ :]*]]: i32 {{[^%]*}}"m"}, %[[N:[^ :]*]]: i32 {{[^%]*}}"n"}
// CHECK-SAME: %[[SC:[^ :]*]]: i32 {{[^%]*}}"sc"}
// CHECK-DAG: %[[ROW:.*]] = arith.muli %{{.*}}, %c128_i32
// CHECK-DAG: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c64_i32
// CHECK: %[[NARROW:.*]] = arith.truncf
// CHECK-NOT: convert_layout
// CHECK-DAG: %[[M64:.*]] = arith.extsi %[[M]]
// CHECK-DAG: %[[N64:.*]] = arith.extsi %[[N]]
// CHECK-DAG: %[[SC64:.*]] = arith.extsi %[[SC]]
// CHECK-DAG: %[[ROWS:.*]] = arith.maxsi %[[M64]], %c1_i64
// CHECK-DAG: %[[COLUMNS:.*]] = arith.maxsi %[[N64]], %c1_i64
// CHECK: %[[PLACE:.*]], %[[MAP:.*]] = tile.make_tensor_maps %[[C]] : !tile.ptr<bf16> sizes[%[[ROWS]], %[[COLUMNS]]] strides[%[[SC64]], %c1_i64]
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <128x64xbf16, #[[LINES]]>
// CHECK-NEXT: tile.buffer_store %[[NARROW]], %[[BUFFER]] :
// CHECK: %[[FROM:.*]] = arith.select %{{.*}}, %c1073741824_i32, %[[ROW]]
// CHECK: tile.bulk_store %[[BUFFER]] into %[[MAP]][%[[FROM]], %[[COLUMN]]] : <128x64xbf16, #[[LINES]]>,
// CHECK-NEXT: tile.bulk_store_wait %[[BUFFER]]
// CHECK-NEXT: tile.release_tensor_maps %[[PLACE]]
// CHECK-NEXT: return

// What is stored must be exactly a block: of another mask, of rows that wrap around, of strides that are odd, of a place that is before
// the tensor, nothing is known.
//
// An unknown mask.
// RUN: sed 's/%%ofRows = arith.cmpi slt/%%ofRows = arith.cmpi ne/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// Strides.
// RUN: sed 's/{tile.divisibility = 16 : i32, tile.name = "sc"}/{tile.name = "sc"}/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// Lines that end in a group of 16 bytes, all of which hardware would write.
// RUN: sed 's/{tile.divisibility = 16 : i32, tile.name = "n"}/{tile.name = "n"}/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// Columns that begin in a group of 16 bytes.
// RUN: sed 's/%%firstColumn = arith.muli %%pidY, %%c64_i32/%%firstColumn = arith.muli %%pidY, %%m/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// Rows that may begin before the matrix, without a mask that says so.
// RUN: sed 's/%%firstRow = arith.muli %%pidX, %%c128_i32/%%many = arith.muli %%pidX, %%c128_i32 : i32 %%other = tile.program_id z %%firstRow = arith.subi %%many, %%other/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE

// Nothing may come between the store and what is behind it: a load, an atomic operation, a barrier, and, by the same pointer,
// another store, behind it or before; nor a load that is used behind it.
//
// A load.
// RUN: sed 's/^  return/%%back = tile.load %%b : !tile.ptr<bf16> tile.store %%a, %%back : !tile.ptr<bf16> return/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// An atomic operation.
// RUN: sed 's/^  return/%%old = tile.atomic_rmw add %%lock, %%m sem = release scope = gpu : !tile.ptr<i32> return/; s/%%sc: i32/%%lock: !tile.ptr<i32>, %%sc: i32/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// A barrier.
// RUN: sed 's/^  return/tile.barrier return/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// A store.
// RUN: sed 's/^  return/%%more = arith.constant 1.0 : bf16 tile.store %%c, %%more : !tile.ptr<bf16> return/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// A store before.
// RUN: sed 's/%%v2 = tile.make_range/%%more = arith.constant 1.0 : bf16 tile.store %%c, %%more : !tile.ptr<bf16> %%v2 = tile.make_range/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// What was there before.
// RUN: sed 's/%%v2 = tile.make_range/%%before = tile.load %%c : !tile.ptr<bf16> %%v2 = tile.make_range/; s/^  return/tile.store %%a, %%before : !tile.ptr<bf16> return/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE
// An atomic operation before.
// RUN: sed 's/%%v2 = tile.make_range/%%old = tile.atomic_rmw add %%lock, %%m sem = acquire scope = gpu : !tile.ptr<i32> %%v2 = tile.make_range/; s/%%sc: i32/%%lock: !tile.ptr<i32>, %%sc: i32/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=NONE

// Stores by other arguments may.
//
// A store elsewhere.
// RUN: sed 's/^  return/%%more = arith.constant 1.0 : bf16 tile.store %%a, %%more : !tile.ptr<bf16> return/' %s | tile-opt -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-store-blocks | FileCheck %s --check-prefix=ELSEWHERE
// ELSEWHERE: tile.bulk_store %
// ELSEWHERE: tile.bulk_store_wait
// ELSEWHERE: tile.store

func.func @product(%a: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "a"}, %b: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "b"}, %c: !tile.ptr<bf16> {tile.divisibility = 16 : i32, tile.name = "c"}, %m: i32 {tile.name = "m"}, %n: i32 {tile.divisibility = 16 : i32, tile.name = "n"}, %sa: i32 {tile.divisibility = 16 : i32, tile.name = "sa"}, %sb: i32 {tile.divisibility = 16 : i32, tile.name = "sb"}, %sc: i32 {tile.divisibility = 16 : i32, tile.name = "sc"}) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  %cst = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %c64_i32 = arith.constant 64 : i32
  %c128_i32 = arith.constant 128 : i32
  %pidX = tile.program_id  x
  %firstRow = arith.muli %pidX, %c128_i32 : i32
  %v2 = tile.make_range 0 to 128 : tensor<128xi32>
  %v3 = tile.splat %firstRow : i32 -> tensor<128xi32>
  %v4 = arith.addi %v3, %v2 : tensor<128xi32>
  %pidY = tile.program_id  y
  %firstColumn = arith.muli %pidY, %c64_i32 : i32
  %v7 = tile.make_range 0 to 64 : tensor<64xi32>
  %v8 = tile.splat %firstColumn : i32 -> tensor<64xi32>
  %v9 = arith.addi %v8, %v7 : tensor<64xi32>
  %v10 = tile.make_range 0 to 32 : tensor<32xi32>
  %v11 = tile.expand_dims %v4 axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %v12 = tile.splat %sa : i32 -> tensor<128x1xi32>
  %v13 = arith.muli %v11, %v12 : tensor<128x1xi32>
  %v14 = tile.splat %a : !tile.ptr<bf16> -> tensor<128x1x!tile.ptr<bf16>>
  %v15 = tile.addptr %v14, %v13 : tensor<128x1x!tile.ptr<bf16>>, tensor<128x1xi32>
  %v16 = tile.expand_dims %v10 axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %v17 = tile.broadcast %v15 : tensor<128x1x!tile.ptr<bf16>> -> tensor<128x32x!tile.ptr<bf16>>
  %v18 = tile.broadcast %v16 : tensor<1x32xi32> -> tensor<128x32xi32>
  %v19 = tile.addptr %v17, %v18 : tensor<128x32x!tile.ptr<bf16>>, tensor<128x32xi32>
  %x = tile.load %v19 : tensor<128x32x!tile.ptr<bf16>>
  %v21 = tile.expand_dims %v10 axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %v22 = tile.splat %sb : i32 -> tensor<32x1xi32>
  %v23 = arith.muli %v21, %v22 : tensor<32x1xi32>
  %v24 = tile.splat %b : !tile.ptr<bf16> -> tensor<32x1x!tile.ptr<bf16>>
  %v25 = tile.addptr %v24, %v23 : tensor<32x1x!tile.ptr<bf16>>, tensor<32x1xi32>
  %v26 = tile.expand_dims %v9 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %v27 = tile.broadcast %v25 : tensor<32x1x!tile.ptr<bf16>> -> tensor<32x64x!tile.ptr<bf16>>
  %v28 = tile.broadcast %v26 : tensor<1x64xi32> -> tensor<32x64xi32>
  %v29 = tile.addptr %v27, %v28 : tensor<32x64x!tile.ptr<bf16>>, tensor<32x64xi32>
  %y = tile.load %v29 : tensor<32x64x!tile.ptr<bf16>>
  %sum = tile.dot %x, %y, %cst : tensor<128x32xbf16>, tensor<32x64xbf16> -> tensor<128x64xf32>
  %narrow = arith.truncf %sum : tensor<128x64xf32> to tensor<128x64xbf16>
  %v33 = tile.splat %sc : i32 -> tensor<128x1xi32>
  %v34 = arith.muli %v11, %v33 : tensor<128x1xi32>
  %v35 = tile.splat %c : !tile.ptr<bf16> -> tensor<128x1x!tile.ptr<bf16>>
  %v36 = tile.addptr %v35, %v34 : tensor<128x1x!tile.ptr<bf16>>, tensor<128x1xi32>
  %v37 = tile.broadcast %v36 : tensor<128x1x!tile.ptr<bf16>> -> tensor<128x64x!tile.ptr<bf16>>
  %v38 = tile.broadcast %v26 : tensor<1x64xi32> -> tensor<128x64xi32>
  %pointers = tile.addptr %v37, %v38 : tensor<128x64x!tile.ptr<bf16>>, tensor<128x64xi32>
  %v40 = tile.splat %m : i32 -> tensor<128x1xi32>
  %ofRows = arith.cmpi slt, %v11, %v40 : tensor<128x1xi32>
  %v42 = tile.splat %n : i32 -> tensor<1x64xi32>
  %ofColumns = arith.cmpi slt, %v26, %v42 : tensor<1x64xi32>
  %v44 = tile.broadcast %ofRows : tensor<128x1xi1> -> tensor<128x64xi1>
  %v45 = tile.broadcast %ofColumns : tensor<1x64xi1> -> tensor<128x64xi1>
  %inside = arith.andi %v44, %v45 : tensor<128x64xi1>
  tile.store %pointers, %narrow mask %inside : tensor<128x64x!tile.ptr<bf16>>
  return
}
