// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s

// The products of one iteration may be in flight in the next, so that loads of three stages have four slots, and go into
// the one that was read two iterations before.
// CHECK-LABEL: func.func @small
// CHECK: tile.alloc_buffer : <64x16xf16, #{{.*}}, slots = 4>
// CHECK: tile.alloc_buffer : <16x32xf16, #{{.*}}, slots = 4>
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[SLOT:[^ ]*]] = %{{[^ ]*}}) ->
// CHECK: tile.async_wait 1
// CHECK: %[[WRAPS:.*]] = arith.cmpi slt, %[[SLOT]], %c2_i32
// CHECK: %[[BEFORE:.*]] = arith.subi %[[SLOT]], %c2_i32
// CHECK: %[[LAST:.*]] = arith.addi %[[SLOT]], %c2_i32
// CHECK: %[[FREE:.*]] = arith.select %[[WRAPS]], %[[LAST]], %[[BEFORE]]
// CHECK: tile.buffer_copy %{{.*}} into %{{.*}}[%[[FREE]]]
// CHECK: tile.async_commit
// CHECK: tile.dot
func.func @small(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %columns = tile.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %line = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %lines = tile.broadcast %line : tensor<1x32xi32> -> tensor<16x32xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x32xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %columns : tensor<64x16x!tile.ptr<f16>>, tensor<64x16xi32>
    %left = tile.load %ptrs : tensor<64x16x!tile.ptr<f16>>
    %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<16x32x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %lines : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
    %right = tile.load %ptrsB : tensor<16x32x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
    scf.yield %next : tensor<64x32xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x32x!tile.ptr<f32>>
  return
}

// With a fourth slot of 32 KiB one CTA would run in place of two: loads start behind the products instead.
// CHECK-LABEL: func.func @large
// CHECK: tile.alloc_buffer : <128x64xf16, #{{.*}}, slots = 3>
// CHECK: tile.alloc_buffer : <64x128xf16, #{{.*}}, slots = 3>
// CHECK: scf.for
// CHECK: tile.async_wait 1
// CHECK-NOT: tile.buffer_copy
// CHECK: tile.dot
// CHECK: tile.buffer_copy
// CHECK: tile.async_commit
func.func @large(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<128x64xi32>
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %line = tile.expand_dims %range axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %lines = tile.broadcast %line : tensor<1x128xi32> -> tensor<64x128xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %columns : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %left = tile.load %ptrs : tensor<128x64x!tile.ptr<f16>>
    %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<64x128x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %lines : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
    %right = tile.load %ptrsB : tensor<64x128x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<128x128x!tile.ptr<f32>>
  return
}

// The scores are waited for, so that tensor cores would be idle while loads start behind them. Where a fourth slot would
// leave room for one CTA only, loads are one iteration ahead instead of two. The second loop begins when the slots of the
// first one are free, and has as many.
// CHECK-LABEL: func.func @attention
// CHECK: tile.alloc_buffer : <128x64xf16, #{{.*}}, slots = 3>
// CHECK: tile.alloc_buffer : <64x128xf16, #{{.*}}, slots = 3>
// CHECK: scf.for
// CHECK: tile.async_wait 0
// CHECK: tile.buffer_copy
// CHECK: tile.async_commit
// CHECK: tile.dot
// CHECK: tile.dot
// CHECK: tile.alloc_buffer : <128x64xf16, #{{.*}}, slots = 3>
// CHECK: tile.alloc_buffer : <64x128xf16, #{{.*}}, slots = 3>
// CHECK: scf.for
// CHECK: tile.async_wait 0
// CHECK: tile.buffer_copy
// CHECK: tile.async_commit
// CHECK: tile.dot
// CHECK: tile.dot
func.func @attention(%k: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %v: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                     %o: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %q = arith.constant dense<1.0> : tensor<64x128xf16>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %zeros = arith.constant dense<0.0> : tensor<64x128xf32>
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %row = tile.expand_dims %range axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %valuePlaces = tile.broadcast %row : tensor<1x128xi32> -> tensor<64x128xi32>
  %column = tile.expand_dims %range axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %keyPlaces = tile.broadcast %column : tensor<128x1xi32> -> tensor<128x64xi32>
  %first = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x128xf32>) : i32 {
    %at = tile.addptr %k, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %keyPlaces : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %keys = tile.load %ptrs : tensor<128x64x!tile.ptr<f16>>
    %scores = tile.dot %q, %keys, %none : tensor<64x128xf16>, tensor<128x64xf16> -> tensor<64x64xf32>
    %weights = arith.truncf %scores : tensor<64x64xf32> to tensor<64x64xf16>
    %atV = tile.addptr %v, %i : !tile.ptr<f16>, i32
    %basesV = tile.splat %atV : !tile.ptr<f16> -> tensor<64x128x!tile.ptr<f16>>
    %ptrsV = tile.addptr %basesV, %valuePlaces : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
    %values = tile.load %ptrsV : tensor<64x128x!tile.ptr<f16>>
    %next = tile.dot %weights, %values, %acc : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %second = scf.for %i = %zero to %n step %step iter_args(%acc = %first) -> (tensor<64x128xf32>) : i32 {
    %at = tile.addptr %k, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %keyPlaces : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %keys = tile.load %ptrs : tensor<128x64x!tile.ptr<f16>>
    %scores = tile.dot %q, %keys, %none : tensor<64x128xf16>, tensor<128x64xf16> -> tensor<64x64xf32>
    %weights = arith.truncf %scores : tensor<64x64xf32> to tensor<64x64xf16>
    %atV = tile.addptr %v, %i : !tile.ptr<f16>, i32
    %basesV = tile.splat %atV : !tile.ptr<f16> -> tensor<64x128x!tile.ptr<f16>>
    %ptrsV = tile.addptr %basesV, %valuePlaces : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
    %values = tile.load %ptrsV : tensor<64x128x!tile.ptr<f16>>
    %next = tile.dot %weights, %values, %acc : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %out = tile.splat %o : !tile.ptr<f32> -> tensor<64x128x!tile.ptr<f32>>
  tile.store %out, %second : tensor<64x128x!tile.ptr<f32>>
  return
}

// Threads read what they have copied themselves and compute the factors from it. No product reads a slot, so that loads
// start at once, and are waited for before they are read, though a third slot would not fit.
// CHECK-LABEL: func.func @computed
// CHECK: tile.alloc_buffer : <128x64xf32, #{{.*}}, slots = 2>
// CHECK: tile.alloc_buffer : <64x128xf32, #{{.*}}, slots = 2>
// CHECK: scf.for
// CHECK-NOT: tile.buffer_load
// CHECK: tile.buffer_copy
// CHECK: tile.buffer_copy
// CHECK: tile.async_commit
// CHECK-NEXT: tile.async_wait 1
// CHECK: tile.buffer_load
// CHECK: tile.buffer_load
// CHECK: tile.dot
func.func @computed(%a: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                    %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<128x64xi32>
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %line = tile.expand_dims %range axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %lines = tile.broadcast %line : tensor<1x128xi32> -> tensor<64x128xi32>
  %column = tile.expand_dims %range axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %wide = arith.constant dense<64> : tensor<128x1xi32>
  %starts = arith.muli %column, %wide : tensor<128x1xi32>
  %rowStarts = tile.broadcast %starts : tensor<128x1xi32> -> tensor<128x64xi32>
  %places = arith.addi %rowStarts, %columns : tensor<128x64xi32>
  %depth = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %wideB = arith.constant dense<128> : tensor<64x1xi32>
  %startsB = arith.muli %depth, %wideB : tensor<64x1xi32>
  %rowsB = tile.broadcast %startsB : tensor<64x1xi32> -> tensor<64x128xi32>
  %placesB = arith.addi %rowsB, %lines : tensor<64x128xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f32>, i32
    %bases = tile.splat %at : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
    %ptrs = tile.addptr %bases, %places : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
    %x = tile.load %ptrs : tensor<128x64x!tile.ptr<f32>>
    %atB = tile.addptr %b, %i : !tile.ptr<f32>, i32
    %basesB = tile.splat %atB : !tile.ptr<f32> -> tensor<64x128x!tile.ptr<f32>>
    %ptrsB = tile.addptr %basesB, %placesB : tensor<64x128x!tile.ptr<f32>>, tensor<64x128xi32>
    %y = tile.load %ptrsB : tensor<64x128x!tile.ptr<f32>>
    %squareX = arith.mulf %x, %x : tensor<128x64xf32>
    %squareY = arith.mulf %y, %y : tensor<64x128xf32>
    %left = arith.truncf %squareX : tensor<128x64xf32> to tensor<128x64xf16>
    %right = arith.truncf %squareY : tensor<64x128xf32> to tensor<64x128xf16>
    %next = tile.dot %left, %right, %acc : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<128x128x!tile.ptr<f32>>
  return
}

// Two iterations have two slots, and all copies start before the loop. Waits count groups of copies, so each iteration ends
// an empty one.
// CHECK-LABEL: func.func @twice
// CHECK: tile.alloc_buffer : <64x64xf16, #{{.*}}, slots = 2>
// CHECK: tile.buffer_copy
// CHECK: tile.async_commit
// CHECK: tile.buffer_copy
// CHECK: tile.async_commit
// CHECK: scf.for
// CHECK-NEXT: tile.async_wait 1
// CHECK-NEXT: tile.async_commit
// CHECK-NOT: tile.buffer_copy
// CHECK: tile.dot
func.func @twice(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %size = arith.constant 4096 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %offsets = tile.reshape %range : tensor<4096xi32> -> tensor<64x64xi32>
  %sum = scf.for %i = %zero to %two step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %at = arith.muli %i, %size : i32
    %first = tile.addptr %a, %at : !tile.ptr<f16>, i32
    %bases = tile.splat %first : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %factor = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %factor, %factor, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}
