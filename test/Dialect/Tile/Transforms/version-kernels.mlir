// RUN: tile-opt %s -split-input-file -tile-attach-target=arch=sm_80 -tile-version-kernels | FileCheck %s
// RUN: tile-opt %s -split-input-file -tile-attach-target=arch=sm_80 -tile-version-kernels=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s -split-input-file -tile-attach-target="arch=sm_80 disable-heuristics=version-kernels" -tile-version-kernels | FileCheck %s --check-prefix=OFF

// OFF-NOT: scf.if

// The row stride and the address of the left factor decide. What the rows of the right one start with is promised, and
// the number of programs widens nothing.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[A:[^:]*]]: !tile.ptr<f16> {tile.name = "a"}, %[[B:[^:]*]]: !tile.ptr<f16>
// CHECK-SAME: %[[C:[^:]*]]: !tile.ptr<f32>
// CHECK-SAME: %[[STRIDE:[^:]*]]: i32
// CHECK: %[[ADDRESS:.*]] = tile.ptr_to_int %[[A]]
// CHECK: %[[OF_ADDRESS:.*]] = arith.andi %[[ADDRESS]], %c15_i64
// CHECK: %[[NUMBER:.*]] = arith.extui %[[STRIDE]] : i32 to i64
// CHECK: %[[OF_STRIDE:.*]] = arith.andi %[[NUMBER]], %c2147483655_i64
// CHECK: %[[REST:.*]] = arith.ori %[[OF_ADDRESS]], %[[OF_STRIDE]]
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[REST]], %c0_i64
// CHECK-NEXT: scf.if %[[FITS]] {
// CHECK: %[[KNOWN_A:.*]] = tile.promise %[[A]] divisibility [16] contiguity [1] constancy [1]
// CHECK: %[[KNOWN_STRIDE:.*]] = tile.promise %[[STRIDE]] divisibility [8] contiguity [1] constancy [1]
// CHECK: tile.splat %[[KNOWN_STRIDE]]
// CHECK: tile.dot
// CHECK: tile.store
// CHECK: } else {
// CHECK: tile.splat %[[STRIDE]]
// CHECK: tile.dot
// CHECK: tile.store
// CHECK: }
// CHECK-NEXT: return
// REMARK: remark: kernel 'rows' has a version with wider accesses, for launches where a and stride divide into accesses of 16 bytes; a promise in the signature leaves the other version out
// REMARK-NOT: remark: kernel
func.func @rows(%a: !tile.ptr<f16> {tile.name = "a"}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.name = "b"},
                %c: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "c"}, %stride: i32 {tile.name = "stride"},
                %programs: i32 {tile.name = "programs"}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %range = tile.make_range 0 to 16 : tensor<16xi32>
  %line = tile.expand_dims %range axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %columns = tile.broadcast %line : tensor<1x16xi32> -> tensor<16x16xi32>
  %column = tile.expand_dims %range axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strides = tile.splat %stride : i32 -> tensor<16x1xi32>
  %starts = arith.muli %column, %strides : tensor<16x1xi32>
  %rows = tile.broadcast %starts : tensor<16x1xi32> -> tensor<16x16xi32>
  %places = arith.addi %rows, %columns : tensor<16x16xi32>
  %basesA = tile.splat %a : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ptrsA = tile.addptr %basesA, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %left = tile.load %ptrsA : tensor<16x16x!tile.ptr<f16>>
  %basesB = tile.splat %b : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ptrsB = tile.addptr %basesB, %columns : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %right = tile.load %ptrsB : tensor<16x16x!tile.ptr<f16>>
  %product = tile.dot %left, %right, %zeros : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %id = tile.program_id x
  %last = arith.cmpi slt, %id, %programs : i32
  %basesC = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %ptrsC = tile.addptr %basesC, %columns : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %mask = tile.splat %last : i1 -> tensor<16x16xi1>
  tile.store %ptrsC, %product mask %mask : tensor<16x16x!tile.ptr<f32>>
  return
}

// -----

// Everything is promised: one version.
// CHECK-LABEL: func.func @promised
// CHECK-NOT: scf.if
// CHECK: return
func.func @promised(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                    %c: !tile.ptr<f32>, %stride: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %range = tile.make_range 0 to 16 : tensor<16xi32>
  %line = tile.expand_dims %range axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %columns = tile.broadcast %line : tensor<1x16xi32> -> tensor<16x16xi32>
  %column = tile.expand_dims %range axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strides = tile.splat %stride : i32 -> tensor<16x1xi32>
  %starts = arith.muli %column, %strides : tensor<16x1xi32>
  %rows = tile.broadcast %starts : tensor<16x1xi32> -> tensor<16x16xi32>
  %places = arith.addi %rows, %columns : tensor<16x16xi32>
  %basesA = tile.splat %a : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ptrsA = tile.addptr %basesA, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %left = tile.load %ptrsA : tensor<16x16x!tile.ptr<f16>>
  %product = tile.dot %left, %left, %zeros : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %out, %product : tensor<16x16x!tile.ptr<f32>>
  return
}

// -----

// No neighbours lie next to each other, whatever the stride divides: one version.
// CHECK-LABEL: func.func @scattered
// CHECK-NOT: scf.if
// CHECK: return
func.func @scattered(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %stride: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<16x16xf32>
  %range = tile.make_range 0 to 16 : tensor<16xi32>
  %line = tile.expand_dims %range axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %strides = tile.splat %stride : i32 -> tensor<1x16xi32>
  %apart = arith.muli %line, %strides : tensor<1x16xi32>
  %places = tile.broadcast %apart : tensor<1x16xi32> -> tensor<16x16xi32>
  %basesA = tile.splat %a : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ptrsA = tile.addptr %basesA, %places : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %left = tile.load %ptrsA : tensor<16x16x!tile.ptr<f16>>
  %product = tile.dot %left, %left, %zeros : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %out, %product : tensor<16x16x!tile.ptr<f32>>
  return
}

// -----

// Without a product nobody waits for a version.
// CHECK-LABEL: func.func @copies
// CHECK-NOT: scf.if
// CHECK: return
func.func @copies(%a: !tile.ptr<f16>, %c: !tile.ptr<f16>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %basesA = tile.splat %a : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %ptrsA = tile.addptr %basesA, %range : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %x = tile.load %ptrsA : tensor<256x!tile.ptr<f16>>
  %basesC = tile.splat %c : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %ptrsC = tile.addptr %basesC, %range : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  tile.store %ptrsC, %x : tensor<256x!tile.ptr<f16>>
  return
}
