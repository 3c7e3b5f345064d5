// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-pipeline-loads=remarks=true 2>&1 | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=OTHER

// Remarks come before the text. Only sm_90a has groups of warps that multiply.
// OTHER-NOT: tile.copies_in_place

// CHECK-DAG: remark: kernel 'many' has no warps that only copy: programs have other than 4 or 8 warps{{$}}
// CHECK-DAG: remark: kernel 'writes' has no warps that only copy: memory is written before or in a loop that copies{{$}}
// CHECK-DAG: remark: kernel 'before' has no warps that only copy: memory is written before or in a loop that copies{{$}}
// CHECK-DAG: remark: kernel 'nested' has no warps that only copy: a loop that copies is inside another one{{$}}
// CHECK-DAG: remark: kernel 'depends' has no warps that only copy: what is copied depends on results that only the warps that multiply have{{$}}
// For warps that only copy, the copies of an iteration stay in it. There is one slot more than stages.
// CHECK-LABEL: func.func @asked
// CHECK: tile.alloc_buffer : <64x16xf16, #{{.*}}, slots = 4>
// CHECK: tile.alloc_buffer : <16x32xf16, #{{.*}}, slots = 4>
// CHECK-NOT: tile.buffer_copy
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[SLOT:[^ ]*]] = %{{[^ ]*}}) ->
// CHECK: tile.buffer_copy %{{.*}} into %{{.*}}[%[[SLOT]]]
// CHECK: tile.buffer_copy %{{.*}} into %{{.*}}[%[[SLOT]]]
// CHECK-NEXT: tile.async_commit
// CHECK-NEXT: tile.async_wait 0
// CHECK: tile.buffer_load %{{.*}}[%[[SLOT]]]
// CHECK: tile.dot
// CHECK: } {tile.copies_in_place, tile.warp_specialize}
// CHECK-NOT: tile.async_wait
func.func @asked(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %alongA = tile.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
  %rowsOfA = tile.make_range 0 to 64 : tensor<64xi32>
  %downOfA = tile.expand_dims %rowsOfA axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %strideOfA = arith.constant dense<4096> : tensor<64x1xi32>
  %farOfA = arith.muli %downOfA, %strideOfA : tensor<64x1xi32>
  %startsOfA = tile.broadcast %farOfA : tensor<64x1xi32> -> tensor<64x16xi32>
  %columns = arith.addi %alongA, %startsOfA : tensor<64x16xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %line = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %alongB = tile.broadcast %line : tensor<1x32xi32> -> tensor<16x32xi32>
  %rowsOfB = tile.make_range 0 to 16 : tensor<16xi32>
  %downOfB = tile.expand_dims %rowsOfB axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strideOfB = arith.constant dense<4096> : tensor<16x1xi32>
  %farOfB = arith.muli %downOfB, %strideOfB : tensor<16x1xi32>
  %startsOfB = tile.broadcast %farOfB : tensor<16x1xi32> -> tensor<16x32xi32>
  %lines = arith.addi %alongB, %startsOfB : tensor<16x32xi32>
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
  } {tile.warp_specialize}
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x32x!tile.ptr<f32>>
  return
}

// Whoever compiles may want them in every kernel, or in none.
// CHECK-LABEL: func.func @always
// CHECK: } {tile.copies_in_place}
func.func @always(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.roles = "always", tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %alongA = tile.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
  %rowsOfA = tile.make_range 0 to 64 : tensor<64xi32>
  %downOfA = tile.expand_dims %rowsOfA axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %strideOfA = arith.constant dense<4096> : tensor<64x1xi32>
  %farOfA = arith.muli %downOfA, %strideOfA : tensor<64x1xi32>
  %startsOfA = tile.broadcast %farOfA : tensor<64x1xi32> -> tensor<64x16xi32>
  %columns = arith.addi %alongA, %startsOfA : tensor<64x16xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %line = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %alongB = tile.broadcast %line : tensor<1x32xi32> -> tensor<16x32xi32>
  %rowsOfB = tile.make_range 0 to 16 : tensor<16xi32>
  %downOfB = tile.expand_dims %rowsOfB axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strideOfB = arith.constant dense<4096> : tensor<16x1xi32>
  %farOfB = arith.muli %downOfB, %strideOfB : tensor<16x1xi32>
  %startsOfB = tile.broadcast %farOfB : tensor<16x1xi32> -> tensor<16x32xi32>
  %lines = arith.addi %alongB, %startsOfB : tensor<16x32xi32>
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

// The same for none.
// CHECK-LABEL: func.func @never
// CHECK-NOT: tile.copies_in_place
func.func @never(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.roles = "never", tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %alongA = tile.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
  %rowsOfA = tile.make_range 0 to 64 : tensor<64xi32>
  %downOfA = tile.expand_dims %rowsOfA axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %strideOfA = arith.constant dense<4096> : tensor<64x1xi32>
  %farOfA = arith.muli %downOfA, %strideOfA : tensor<64x1xi32>
  %startsOfA = tile.broadcast %farOfA : tensor<64x1xi32> -> tensor<64x16xi32>
  %columns = arith.addi %alongA, %startsOfA : tensor<64x16xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %line = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %alongB = tile.broadcast %line : tensor<1x32xi32> -> tensor<16x32xi32>
  %rowsOfB = tile.make_range 0 to 16 : tensor<16xi32>
  %downOfB = tile.expand_dims %rowsOfB axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strideOfB = arith.constant dense<4096> : tensor<16x1xi32>
  %farOfB = arith.muli %downOfB, %strideOfB : tensor<16x1xi32>
  %startsOfB = tile.broadcast %farOfB : tensor<16x1xi32> -> tensor<16x32xi32>
  %lines = arith.addi %alongB, %startsOfB : tensor<16x32xi32>
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
  } {tile.warp_specialize}
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x32x!tile.ptr<f32>>
  return
}

// Nobody asks.
// CHECK-LABEL: func.func @nobody
// CHECK-NOT: tile.copies_in_place
func.func @nobody(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %alongA = tile.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
  %rowsOfA = tile.make_range 0 to 64 : tensor<64xi32>
  %downOfA = tile.expand_dims %rowsOfA axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %strideOfA = arith.constant dense<4096> : tensor<64x1xi32>
  %farOfA = arith.muli %downOfA, %strideOfA : tensor<64x1xi32>
  %startsOfA = tile.broadcast %farOfA : tensor<64x1xi32> -> tensor<64x16xi32>
  %columns = arith.addi %alongA, %startsOfA : tensor<64x16xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %line = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %alongB = tile.broadcast %line : tensor<1x32xi32> -> tensor<16x32xi32>
  %rowsOfB = tile.make_range 0 to 16 : tensor<16xi32>
  %downOfB = tile.expand_dims %rowsOfB axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strideOfB = arith.constant dense<4096> : tensor<16x1xi32>
  %farOfB = arith.muli %downOfB, %strideOfB : tensor<16x1xi32>
  %startsOfB = tile.broadcast %farOfB : tensor<16x1xi32> -> tensor<16x32xi32>
  %lines = arith.addi %alongB, %startsOfB : tensor<16x32xi32>
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

// With 16 warps there are too few registers.
// CHECK-LABEL: func.func @many
// CHECK-NOT: tile.copies_in_place
func.func @many(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 16 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %alongA = tile.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
  %rowsOfA = tile.make_range 0 to 64 : tensor<64xi32>
  %downOfA = tile.expand_dims %rowsOfA axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %strideOfA = arith.constant dense<4096> : tensor<64x1xi32>
  %farOfA = arith.muli %downOfA, %strideOfA : tensor<64x1xi32>
  %startsOfA = tile.broadcast %farOfA : tensor<64x1xi32> -> tensor<64x16xi32>
  %columns = arith.addi %alongA, %startsOfA : tensor<64x16xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %line = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %alongB = tile.broadcast %line : tensor<1x32xi32> -> tensor<16x32xi32>
  %rowsOfB = tile.make_range 0 to 16 : tensor<16xi32>
  %downOfB = tile.expand_dims %rowsOfB axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strideOfB = arith.constant dense<4096> : tensor<16x1xi32>
  %farOfB = arith.muli %downOfB, %strideOfB : tensor<16x1xi32>
  %startsOfB = tile.broadcast %farOfB : tensor<16x1xi32> -> tensor<16x32xi32>
  %lines = arith.addi %alongB, %startsOfB : tensor<16x32xi32>
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
  } {tile.warp_specialize}
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x32x!tile.ptr<f32>>
  return
}

// Who copies runs ahead of what is written.
// CHECK-LABEL: func.func @writes
// CHECK-NOT: tile.copies_in_place
func.func @writes(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_stages = 3 : i32, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %one = arith.constant 1.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %alongA = tile.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
  %rowsOfA = tile.make_range 0 to 64 : tensor<64xi32>
  %downOfA = tile.expand_dims %rowsOfA axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %strideOfA = arith.constant dense<4096> : tensor<64x1xi32>
  %farOfA = arith.muli %downOfA, %strideOfA : tensor<64x1xi32>
  %startsOfA = tile.broadcast %farOfA : tensor<64x1xi32> -> tensor<64x16xi32>
  %columns = arith.addi %alongA, %startsOfA : tensor<64x16xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %line = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %alongB = tile.broadcast %line : tensor<1x32xi32> -> tensor<16x32xi32>
  %rowsOfB = tile.make_range 0 to 16 : tensor<16xi32>
  %downOfB = tile.expand_dims %rowsOfB axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strideOfB = arith.constant dense<4096> : tensor<16x1xi32>
  %farOfB = arith.muli %downOfB, %strideOfB : tensor<16x1xi32>
  %startsOfB = tile.broadcast %farOfB : tensor<16x1xi32> -> tensor<16x32xi32>
  %lines = arith.addi %alongB, %startsOfB : tensor<16x32xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x32xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %columns : tensor<64x16x!tile.ptr<f16>>, tensor<64x16xi32>
    %left = tile.load %ptrs : tensor<64x16x!tile.ptr<f16>>
    %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<16x32x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %lines : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
    %right = tile.load %ptrsB : tensor<16x32x!tile.ptr<f16>>
    tile.store %c, %one : !tile.ptr<f32>
    %next = tile.dot %left, %right, %acc : tensor<64x16xf16>, tensor<16x32xf16> -> tensor<64x32xf32>
    scf.yield %next : tensor<64x32xf32>
  } {tile.warp_specialize}
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x32x!tile.ptr<f32>>
  return
}

// Also before the loop.
// CHECK-LABEL: func.func @before
// CHECK-NOT: tile.copies_in_place
func.func @before(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %one = arith.constant 1.0 : f32
  tile.store %c, %one : !tile.ptr<f32>
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %alongA = tile.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
  %rowsOfA = tile.make_range 0 to 64 : tensor<64xi32>
  %downOfA = tile.expand_dims %rowsOfA axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %strideOfA = arith.constant dense<4096> : tensor<64x1xi32>
  %farOfA = arith.muli %downOfA, %strideOfA : tensor<64x1xi32>
  %startsOfA = tile.broadcast %farOfA : tensor<64x1xi32> -> tensor<64x16xi32>
  %columns = arith.addi %alongA, %startsOfA : tensor<64x16xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %line = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %alongB = tile.broadcast %line : tensor<1x32xi32> -> tensor<16x32xi32>
  %rowsOfB = tile.make_range 0 to 16 : tensor<16xi32>
  %downOfB = tile.expand_dims %rowsOfB axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strideOfB = arith.constant dense<4096> : tensor<16x1xi32>
  %farOfB = arith.muli %downOfB, %strideOfB : tensor<16x1xi32>
  %startsOfB = tile.broadcast %farOfB : tensor<16x1xi32> -> tensor<16x32xi32>
  %lines = arith.addi %alongB, %startsOfB : tensor<16x32xi32>
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
  } {tile.warp_specialize}
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x32x!tile.ptr<f32>>
  return
}

// Phases begin with the kernel.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: tile.copies_in_place
func.func @nested(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %alongA = tile.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
  %rowsOfA = tile.make_range 0 to 64 : tensor<64xi32>
  %downOfA = tile.expand_dims %rowsOfA axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %strideOfA = arith.constant dense<4096> : tensor<64x1xi32>
  %farOfA = arith.muli %downOfA, %strideOfA : tensor<64x1xi32>
  %startsOfA = tile.broadcast %farOfA : tensor<64x1xi32> -> tensor<64x16xi32>
  %columns = arith.addi %alongA, %startsOfA : tensor<64x16xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %line = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %alongB = tile.broadcast %line : tensor<1x32xi32> -> tensor<16x32xi32>
  %rowsOfB = tile.make_range 0 to 16 : tensor<16xi32>
  %downOfB = tile.expand_dims %rowsOfB axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strideOfB = arith.constant dense<4096> : tensor<16x1xi32>
  %farOfB = arith.muli %downOfB, %strideOfB : tensor<16x1xi32>
  %startsOfB = tile.broadcast %farOfB : tensor<16x1xi32> -> tensor<16x32xi32>
  %lines = arith.addi %alongB, %startsOfB : tensor<16x32xi32>
  scf.for %o = %zero to %n step %step : i32 {
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
  } {tile.warp_specialize}
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x32x!tile.ptr<f32>>
  }
  return
}

// Warps that copy cannot reduce.
// CHECK-LABEL: func.func @depends
// CHECK-NOT: tile.copies_in_place
func.func @depends(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x32xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %alongA = tile.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
  %rowsOfA = tile.make_range 0 to 64 : tensor<64xi32>
  %downOfA = tile.expand_dims %rowsOfA axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %strideOfA = arith.constant dense<4096> : tensor<64x1xi32>
  %farOfA = arith.muli %downOfA, %strideOfA : tensor<64x1xi32>
  %startsOfA = tile.broadcast %farOfA : tensor<64x1xi32> -> tensor<64x16xi32>
  %columns = arith.addi %alongA, %startsOfA : tensor<64x16xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %line = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %alongB = tile.broadcast %line : tensor<1x32xi32> -> tensor<16x32xi32>
  %rowsOfB = tile.make_range 0 to 16 : tensor<16xi32>
  %downOfB = tile.expand_dims %rowsOfB axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strideOfB = arith.constant dense<4096> : tensor<16x1xi32>
  %farOfB = arith.muli %downOfB, %strideOfB : tensor<16x1xi32>
  %startsOfB = tile.broadcast %farOfB : tensor<16x1xi32> -> tensor<16x32xi32>
  %lines = arith.addi %alongB, %startsOfB : tensor<16x32xi32>
  %bound = tile.reduce(%k) axis 0 : (tensor<16xi32>) -> i32 {
  ^bb0(%x: i32, %y: i32):
    %z = arith.addi %x, %y : i32
    tile.yield %z : i32
  }
  %sum = scf.for %i = %zero to %bound step %step iter_args(%acc = %zeros) -> (tensor<64x32xf32>) : i32 {
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
  } {tile.warp_specialize}
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x32x!tile.ptr<f32>>
  return
}

// A product that may stay in flight gains nothing by them.
// CHECK-LABEL: func.func @carried
// CHECK-NOT: tile.copies_in_place
func.func @carried(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.roles = "auto", tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x256xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %alongA = tile.broadcast %row : tensor<1x16xi32> -> tensor<128x16xi32>
  %rowsOfA = tile.make_range 0 to 128 : tensor<128xi32>
  %downOfA = tile.expand_dims %rowsOfA axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %strideOfA = arith.constant dense<4096> : tensor<128x1xi32>
  %farOfA = arith.muli %downOfA, %strideOfA : tensor<128x1xi32>
  %startsOfA = tile.broadcast %farOfA : tensor<128x1xi32> -> tensor<128x16xi32>
  %columns = arith.addi %alongA, %startsOfA : tensor<128x16xi32>
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %line = tile.expand_dims %range axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %alongB = tile.broadcast %line : tensor<1x256xi32> -> tensor<16x256xi32>
  %rowsOfB = tile.make_range 0 to 16 : tensor<16xi32>
  %downOfB = tile.expand_dims %rowsOfB axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strideOfB = arith.constant dense<4096> : tensor<16x1xi32>
  %farOfB = arith.muli %downOfB, %strideOfB : tensor<16x1xi32>
  %startsOfB = tile.broadcast %farOfB : tensor<16x1xi32> -> tensor<16x256xi32>
  %lines = arith.addi %alongB, %startsOfB : tensor<16x256xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<128x256xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<128x16x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %columns : tensor<128x16x!tile.ptr<f16>>, tensor<128x16xi32>
    %left = tile.load %ptrs : tensor<128x16x!tile.ptr<f16>>
    %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<16x256x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %lines : tensor<16x256x!tile.ptr<f16>>, tensor<16x256xi32>
    %right = tile.load %ptrsB : tensor<16x256x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<128x16xf16>, tensor<16x256xf16> -> tensor<128x256xf32>
    scf.yield %next : tensor<128x256xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<128x256x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<128x256x!tile.ptr<f32>>
  return
}

// With its left factor in registers it is waited for in each iteration, and no second CTA has room beside these sums.
// CHECK-LABEL: func.func @computed
// CHECK: tile.copies_in_place
func.func @computed(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.roles = "auto", tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x256xf32>
  %k = tile.make_range 0 to 16 : tensor<16xi32>
  %row = tile.expand_dims %k axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %alongA = tile.broadcast %row : tensor<1x16xi32> -> tensor<128x16xi32>
  %rowsOfA = tile.make_range 0 to 128 : tensor<128xi32>
  %downOfA = tile.expand_dims %rowsOfA axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %strideOfA = arith.constant dense<4096> : tensor<128x1xi32>
  %farOfA = arith.muli %downOfA, %strideOfA : tensor<128x1xi32>
  %startsOfA = tile.broadcast %farOfA : tensor<128x1xi32> -> tensor<128x16xi32>
  %columns = arith.addi %alongA, %startsOfA : tensor<128x16xi32>
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %line = tile.expand_dims %range axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %alongB = tile.broadcast %line : tensor<1x256xi32> -> tensor<16x256xi32>
  %rowsOfB = tile.make_range 0 to 16 : tensor<16xi32>
  %downOfB = tile.expand_dims %rowsOfB axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strideOfB = arith.constant dense<4096> : tensor<16x1xi32>
  %farOfB = arith.muli %downOfB, %strideOfB : tensor<16x1xi32>
  %startsOfB = tile.broadcast %farOfB : tensor<16x1xi32> -> tensor<16x256xi32>
  %lines = arith.addi %alongB, %startsOfB : tensor<16x256xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<128x256xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<128x16x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %columns : tensor<128x16x!tile.ptr<f16>>, tensor<128x16xi32>
    %left = tile.load %ptrs : tensor<128x16x!tile.ptr<f16>>
    %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<16x256x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %lines : tensor<16x256x!tile.ptr<f16>>, tensor<16x256xi32>
    %right = tile.load %ptrsB : tensor<16x256x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc {rowsTogether = 2 : i32} : tensor<128x16xf16>, tensor<16x256xf16> -> tensor<128x256xf32>
    scf.yield %next : tensor<128x256xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<128x256x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<128x256x!tile.ptr<f32>>
  return
}
