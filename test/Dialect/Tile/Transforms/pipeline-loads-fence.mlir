// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-expand-blocks -canonicalize -cse -tile-assign-layouts -cse -loop-invariant-code-motion -tile-pipeline-loads | FileCheck %s

// Copies by hardware read memory by another path than threads write it. What a program wrote to arrays before, or might have waited
// for, is fenced, which takes as long as an access; elsewhere only shared memory is.

// CHECK-LABEL: func.func @stores_behind
// CHECK: tile.async_fence{{$}}
func.func @stores_behind(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %left, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: func.func @stores_before
// CHECK: tile.async_fence arrays
func.func @stores_before(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %zeros : tensor<64x64x!tile.ptr<f32>>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %left, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// An earlier iteration of the loop around has stored.
// CHECK-LABEL: func.func @stores_each_iteration
// CHECK: tile.async_fence arrays
func.func @stores_each_iteration(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  scf.for %tile = %zero to %row step %step : i32 {
    %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
      %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
      %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
      %next = tile.dot %left, %left, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  }
  return
}

// Another program may have written what this one waited for.
// CHECK-LABEL: func.func @waits_for_others
// CHECK: tile.async_fence arrays
func.func @waits_for_others(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %flag = tile.load %c {isVolatile} : !tile.ptr<f32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %left, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Neither the barriers of a loop before nor loads write.
// CHECK-LABEL: func.func @after_another_loop
// CHECK-COUNT-2: tile.async_fence{{$}}
func.func @after_another_loop(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %first = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %left, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %first) -> (tensor<64x64xf32>) : i32 {
    %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %left, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Nor do copies by threads, but into slots.
// CHECK-LABEL: func.func @after_copies
// CHECK: tile.buffer_copy
// CHECK: tile.async_fence{{$}}
// CHECK: tile.bulk_copy
func.func @after_copies(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i64, %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %first = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] : tensor<64x64x!tile.ptr<f16>>
    %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %left, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %first) -> (tensor<64x64xf32>) : i32 {
    %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %left, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}
