// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s

// Where warps that only copy pay is decided by what runs beside the products without them.

// Softmax stands between the two products of a group, and nothing else runs meanwhile.
// CHECK-LABEL: func.func @one_block_of_rows
// CHECK: tile.copies_in_place
func.func @one_block_of_rows(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.roles = "auto", tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %q = arith.constant dense<1.0> : tensor<128x128xf16>
  %step = arith.constant 16384 : i32
  %pitch = arith.constant dense<128> : tensor<128x1xi32>
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = tile.make_range 0 to 128 : tensor<128xi32>
  %row = tile.expand_dims %k axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %column = tile.expand_dims %k axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %lines = arith.muli %column, %pitch : tensor<128x1xi32>
  %x = tile.broadcast %row : tensor<1x128xi32> -> tensor<128x128xi32>
  %y = tile.broadcast %lines : tensor<128x1xi32> -> tensor<128x128xi32>
  %places = arith.addi %x, %y : tensor<128x128xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %places : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
    %keys = tile.load %ptrs : tensor<128x128x!tile.ptr<f16>>
    %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %places : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
    %values = tile.load %ptrsB : tensor<128x128x!tile.ptr<f16>>
    %scores = tile.dot %q, %keys, %zeros : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %p = math.exp2 %scores : tensor<128x128xf32>
    %left = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xf16>
    %next = tile.dot %left, %values, %acc : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<128x128x!tile.ptr<f32>>
  return
}

// One group has two blocks of 64 rows: one is multiplied while threads work on the other.
// CHECK-LABEL: func.func @two_blocks_of_rows
// CHECK-NOT: tile.copies_in_place
func.func @two_blocks_of_rows(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.roles = "auto", tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %q = arith.constant dense<1.0> : tensor<128x128xf16>
  %step = arith.constant 16384 : i32
  %pitch = arith.constant dense<128> : tensor<128x1xi32>
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = tile.make_range 0 to 128 : tensor<128xi32>
  %row = tile.expand_dims %k axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %column = tile.expand_dims %k axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %lines = arith.muli %column, %pitch : tensor<128x1xi32>
  %x = tile.broadcast %row : tensor<1x128xi32> -> tensor<128x128xi32>
  %y = tile.broadcast %lines : tensor<128x1xi32> -> tensor<128x128xi32>
  %places = arith.addi %x, %y : tensor<128x128xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %places : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
    %keys = tile.load %ptrs : tensor<128x128x!tile.ptr<f16>>
    %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %places : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
    %values = tile.load %ptrsB : tensor<128x128x!tile.ptr<f16>>
    %scores = tile.dot %q, %keys, %zeros : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %p = math.exp2 %scores : tensor<128x128xf32>
    %left = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xf16>
    %next = tile.dot %left, %values, %acc : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<128x128x!tile.ptr<f32>>
  return
}

// As in gradients of attention, the exponentials take less time than half of the products.
// CHECK-LABEL: func.func @many_products
// CHECK-NOT: tile.copies_in_place
func.func @many_products(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.roles = "auto", tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %q = arith.constant dense<1.0> : tensor<128x128xf16>
  %step = arith.constant 16384 : i32
  %pitch = arith.constant dense<128> : tensor<128x1xi32>
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
  %k = tile.make_range 0 to 128 : tensor<128xi32>
  %row = tile.expand_dims %k axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %column = tile.expand_dims %k axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %lines = arith.muli %column, %pitch : tensor<128x1xi32>
  %x = tile.broadcast %row : tensor<1x128xi32> -> tensor<128x128xi32>
  %y = tile.broadcast %lines : tensor<128x1xi32> -> tensor<128x128xi32>
  %places = arith.addi %x, %y : tensor<128x128xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<128x128xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %places : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
    %keys = tile.load %ptrs : tensor<128x128x!tile.ptr<f16>>
    %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %places : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
    %values = tile.load %ptrsB : tensor<128x128x!tile.ptr<f16>>
    %scores = tile.dot %q, %keys, %zeros : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %p = math.exp2 %scores : tensor<128x128xf32>
    %others = tile.dot %q, %values, %zeros : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %ds = arith.mulf %p, %others : tensor<128x128xf32>
    %d16 = arith.truncf %ds : tensor<128x128xf32> to tensor<128x128xf16>
    %again = tile.dot %d16, %keys, %zeros : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    %all = arith.addf %again, %ds : tensor<128x128xf32>
    %left = arith.truncf %all : tensor<128x128xf32> to tensor<128x128xf16>
    %next = tile.dot %left, %values, %acc : tensor<128x128xf16>, tensor<128x128xf16> -> tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<128x128x!tile.ptr<f32>>
  return
}
