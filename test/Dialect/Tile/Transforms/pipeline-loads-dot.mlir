// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_75 -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=NONE

// The loads of a product's factors start ahead without being asked for: by default for three stages. A pointer may follow
// from a number that the loop carries. What a slot holds is read as fragments, with no other layout in between; a cast and
// another order of the dimensions come after that.
// CHECK-DAG: #[[LINES:.*]] = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 144, 288, 512]>
// CHECK-LABEL: func.func @factors
// CHECK: %[[A:.*]] = tile.alloc_buffer : <16x64xf16, #[[LINES]], slots = 3>
// CHECK: %[[B:.*]] = tile.alloc_buffer : <32x64xi8, #{{.*}}, slots = 3>
// CHECK: scf.if
// CHECK: tile.buffer_copy %{{.*}} into %[[A]][%c0_i32{{.*}}]
// CHECK: tile.buffer_copy %{{.*}} into %[[B]][%c0_i32{{.*}}]
// CHECK: tile.async_commit
// CHECK: scf.if
// CHECK: %[[STEPS:.*]] = arith.muli %{{.*}}, %c1_i64
// CHECK: arith.addi %c0_i64{{.*}}, %[[STEPS]]
// CHECK: tile.async_commit
// CHECK: scf.for
// CHECK-SAME: iter_args(%{{.*}}, %[[AT:.*]] = %{{.*}}, %[[SLOT:.*]] = %{{.*}})
// Other threads than have copied read, so the wait comes first.
// CHECK: tile.async_wait 1
// CHECK: scf.if
// CHECK: arith.addi %[[AT]],
// CHECK: tile.buffer_copy %{{.*}} into %[[A]]
// CHECK: tile.async_commit
// CHECK: %[[LEFT:.*]] = tile.buffer_load %[[A]][%[[SLOT]]]
// CHECK: %[[BYTES:.*]] = tile.buffer_load %[[B]][%[[SLOT]]]
// CHECK: %[[CAST:.*]] = arith.sitofp %[[BYTES]]
// CHECK-NOT: tile.convert_layout
// CHECK: %[[RIGHT:.*]] = tile.permute %[[CAST]]
// CHECK-NEXT: tile.dot %[[LEFT]], %[[RIGHT]]
// CHECK: tile.async_wait 0

// NONE-NOT: tile.buffer_copy
func.func @factors(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<i8> {tile.divisibility = 16 : i32},
                   %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0 : i64
  %step = arith.constant 64 : i64
  %zeros = arith.constant dense<0.0> : tensor<16x32xf32>
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %range axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %sum, %end = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %at = %start) -> (tensor<16x32xf32>, i64) : i32 {
    %rowA = tile.addptr %a, %at : !tile.ptr<f16>, i64
    %baseA = tile.splat %rowA : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>>
    %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<16x64xi32>
    %ptrsA = tile.addptr %baseA, %columns : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
    %left = tile.load %ptrsA : tensor<16x64x!tile.ptr<f16>>
    %rowB = tile.addptr %b, %at : !tile.ptr<i8>, i64
    %baseB = tile.splat %rowB : !tile.ptr<i8> -> tensor<32x64x!tile.ptr<i8>>
    %columnsB = tile.broadcast %row : tensor<1x64xi32> -> tensor<32x64xi32>
    %ptrsB = tile.addptr %baseB, %columnsB : tensor<32x64x!tile.ptr<i8>>, tensor<32x64xi32>
    %bytes = tile.load %ptrsB : tensor<32x64x!tile.ptr<i8>>
    %halves = arith.sitofp %bytes : tensor<32x64xi8> to tensor<32x64xf16>
    %right = tile.permute %halves order [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
    %product = tile.dot %left, %right, %acc : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
    %next = arith.addi %at, %step : i64
    scf.yield %product, %next : tensor<16x32xf32>, i64
  }
  %baseC = tile.splat %c : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  tile.store %baseC, %sum : tensor<16x32x!tile.ptr<f32>>
  return
}

// In a loop that writes, a later iteration may load what this one stores: nothing goes ahead unless the kernel asks for it.
// CHECK-LABEL: func.func @writes
// CHECK-NOT: tile.buffer_copy
// CHECK-LABEL: func.func @asks
// CHECK: tile.alloc_buffer : <16x64xf16, #[[LINES]], slots = 2>
// CHECK: tile.buffer_copy
func.func @writes(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %zeros = arith.constant dense<0.0> : tensor<16x32xf32>
  %c = tile.splat %out : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %range axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<16x64xi32>
  scf.for %i = %zero to %n step %one : i32 {
    %rowA = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %baseA = tile.splat %rowA : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>>
    %ptrsA = tile.addptr %baseA, %columns : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
    %left = tile.load %ptrsA : tensor<16x64x!tile.ptr<f16>>
    %product = tile.dot %left, %ones, %zeros : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
    tile.store %c, %product : tensor<16x32x!tile.ptr<f32>>
  }
  return
}
func.func @asks(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %zeros = arith.constant dense<0.0> : tensor<16x32xf32>
  %c = tile.splat %out : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %range axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<16x64xi32>
  scf.for %i = %zero to %n step %step : i32 {
    %rowA = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %baseA = tile.splat %rowA : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>>
    %ptrsA = tile.addptr %baseA, %columns : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
    %left = tile.load %ptrsA : tensor<16x64x!tile.ptr<f16>>
    %product = tile.dot %left, %ones, %zeros : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
    tile.store %c, %product : tensor<16x32x!tile.ptr<f32>>
  }
  return
}

// What the loop carries and changes under a condition is carried a second time, as it is where loads are started: before
// the loop and in it, an iteration that exists hands over what the one after it starts from.
// CHECK-LABEL: func.func @stepped
// CHECK: %[[NEXT:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK: tile.buffer_copy
// CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[START:.*]], %{{.*}}
// CHECK: %[[THEN:.*]] = scf.if %[[WRAPS]] -> (i32)
// CHECK: scf.yield %[[THEN]] : i32
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[START]] : i32
// CHECK: scf.for
// CHECK-SAME: iter_args(%{{.*}} = %[[START]], %[[AHEAD:.*]] = %[[NEXT]], %{{.*}} = %c0_i32{{.*}}) -> (i32, i32, i32)
// CHECK: %[[LATER:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK: tile.addptr %{{.*}}, %[[AHEAD]]
// CHECK: tile.buffer_copy
// CHECK: scf.yield %[[AHEAD]] : i32
// CHECK: scf.yield %{{.*}}, %[[LATER]], %{{.*}} : i32, i32, i32
func.func @stepped(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32>, %n: i32,
                   %last: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %ones = arith.constant dense<1.0> : tensor<64x32xf16>
  %zeros = arith.constant dense<0.0> : tensor<16x32xf32>
  %c = tile.splat %out : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %range axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<16x64xi32>
  %end = scf.for %i = %zero to %n step %one iter_args(%at = %zero) -> (i32) : i32 {
    %aligned = arith.muli %at, %c64 : i32
    %rowA = tile.addptr %a, %at : !tile.ptr<f16>, i32
    %further = tile.addptr %rowA, %aligned : !tile.ptr<f16>, i32
    %baseA = tile.splat %further : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>>
    %ptrsA = tile.addptr %baseA, %columns : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
    %left = tile.load %ptrsA : tensor<16x64x!tile.ptr<f16>>
    %product = tile.dot %left, %ones, %zeros : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
    tile.store %c, %product : tensor<16x32x!tile.ptr<f32>>
    %wraps = arith.cmpi eq, %at, %last : i32
    %next = scf.if %wraps -> (i32) {
      scf.yield %zero : i32
    } else {
      %more = arith.addi %at, %c64 : i32
      scf.yield %more : i32
    }
    scf.yield %next : i32
  }
  return
}

// What a product is added to goes ahead, too, if the sum leads to a factor: the bias of an attention.
// CHECK-LABEL: func.func @bias
// CHECK-DAG: tile.alloc_buffer : <64x64xbf16, #{{.*}}, slots = 3>
// CHECK-DAG: tile.alloc_buffer : <64x64xbf16, #{{.*}}, slots = 3>
// CHECK: scf.for
// CHECK: tile.buffer_copy
// CHECK: tile.buffer_copy
// CHECK-NOT: tile.load
// CHECK: scf.yield
func.func @bias(%keys: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %bias: !tile.ptr<bf16> {tile.divisibility = 16 : i32},
                %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 4096 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %offsets = tile.reshape %range : tensor<4096xi32> -> tensor<64x64xi32>
  %basesQ = tile.splat %keys : !tile.ptr<bf16> -> tensor<64x64x!tile.ptr<bf16>>
  %ptrsQ = tile.addptr %basesQ, %offsets : tensor<64x64x!tile.ptr<bf16>>, tensor<64x64xi32>
  %q = tile.load %ptrsQ : tensor<64x64x!tile.ptr<bf16>>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %at = arith.muli %i, %size : i32
    %atKeys = tile.addptr %keys, %at : !tile.ptr<bf16>, i32
    %basesKeys = tile.splat %atKeys : !tile.ptr<bf16> -> tensor<64x64x!tile.ptr<bf16>>
    %ptrsKeys = tile.addptr %basesKeys, %offsets : tensor<64x64x!tile.ptr<bf16>>, tensor<64x64xi32>
    %k = tile.load %ptrsKeys : tensor<64x64x!tile.ptr<bf16>>
    %atBias = tile.addptr %bias, %at : !tile.ptr<bf16>, i32
    %basesBias = tile.splat %atBias : !tile.ptr<bf16> -> tensor<64x64x!tile.ptr<bf16>>
    %ptrsBias = tile.addptr %basesBias, %offsets : tensor<64x64x!tile.ptr<bf16>>, tensor<64x64xi32>
    %narrow = tile.load %ptrsBias : tensor<64x64x!tile.ptr<bf16>>
    %wide = arith.extf %narrow : tensor<64x64xbf16> to tensor<64x64xf32>
    %scores = tile.dot %q, %k, %wide : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    %weights = arith.truncf %scores : tensor<64x64xf32> to tensor<64x64xbf16>
    %next = tile.dot %weights, %k, %acc : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %ptrsOut = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %ptrsOut, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}
