// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s

// A left factor that is computed from halves is read from its slot as the fragment that it becomes, and computed there,
// without an exchange. The scales, which four lanes and all warps want, are copied once, each by one thread, beside it. A
// fourth slot would cost one of four resident CTAs, so copies start behind the product.
// CHECK-LABEL: func.func @scales
// CHECK-DAG: %[[LEFT:.*]] = tile.alloc_buffer : <64x64xf16, #{{.*}}, slots = 3>
// CHECK-DAG: %[[LINE:.*]] = tile.alloc_buffer : <64xf32, #{{.*}}, slots = 3>
// CHECK: scf.for {{.*}} %[[SLOT:[^ ]*]] = %{{[^ ]*}}) ->
// CHECK-NOT: tile.load
// CHECK-NOT: tile.convert_layout
// CHECK: tile.buffer_load %[[LEFT]][%[[SLOT]]] {{.*}} -> tensor<64x64xf16, #[[FRAGMENT:.*]]>
// CHECK: tile.buffer_load %[[LINE]][%[[SLOT]]]
// CHECK: arith.mulf %{{.*}} : tensor<64x64xf32, #[[FRAGMENT]]>
// CHECK: tile.dot
// CHECK: tile.buffer_copy %{{.*}} into %[[LINE]][%{{.*}}] : tensor<64x!tile.ptr<f32>, #{{.*}}>, <64xf32
func.func @scales(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %s: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                  %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %half = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %wide = arith.extf %half : tensor<64x64xf16> to tensor<64x64xf32>
    %atS = tile.addptr %s, %i : !tile.ptr<f32>, i32
    %basesS = tile.splat %atS : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %ptrsS = tile.addptr %basesS, %k : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %scale = tile.load %ptrsS : tensor<64x!tile.ptr<f32>>
    %scaleRow = tile.expand_dims %scale axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %scales = tile.broadcast %scaleRow : tensor<1x64xf32> -> tensor<64x64xf32>
    %scaled = arith.mulf %wide, %scales : tensor<64x64xf32>
    %left = arith.truncf %scaled : tensor<64x64xf32> to tensor<64x64xf16>
    %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %right = tile.load %ptrsB : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Where the scales are says a number in memory, so they do not go ahead.
// CHECK-LABEL: func.func @found
// CHECK: tile.alloc_buffer : <64x64xf16
// CHECK: scf.for
// CHECK: %[[PLACE:.*]] = tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: tile.load %{{.*}} : tensor<64x!tile.ptr<f32>
// CHECK: tile.dot
func.func @found(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %s: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                 %places: !tile.ptr<i32>, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %half = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %wide = arith.extf %half : tensor<64x64xf16> to tensor<64x64xf32>
    %atPlace = tile.addptr %places, %i : !tile.ptr<i32>, i32
    %place = tile.load %atPlace : !tile.ptr<i32>
    %atS = tile.addptr %s, %place : !tile.ptr<f32>, i32
    %basesS = tile.splat %atS : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %ptrsS = tile.addptr %basesS, %k : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %scale = tile.load %ptrsS : tensor<64x!tile.ptr<f32>>
    %scaleRow = tile.expand_dims %scale axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %scales = tile.broadcast %scaleRow : tensor<1x64xf32> -> tensor<64x64xf32>
    %scaled = arith.mulf %wide, %scales : tensor<64x64xf32>
    %left = arith.truncf %scaled : tensor<64x64xf32> to tensor<64x64xf16>
    %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %right = tile.load %ptrsB : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// What a branch may change before it is a factor goes ahead, too.
// CHECK-LABEL: func.func @branch
// CHECK: tile.alloc_buffer : <64x64xf16
// CHECK: tile.alloc_buffer : <64x64xf16
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: tile.dot
func.func @branch(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %c: !tile.ptr<f32>, %n: i32, %last: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %nothing = arith.constant dense<0.0> : tensor<64x64xf16>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %whole = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %isLast = arith.cmpi eq, %i, %last : i32
    %left = scf.if %isLast -> (tensor<64x64xf16>) {
      %limit = tile.splat %i : i32 -> tensor<64x64xi32>
      %inside = arith.cmpi slt, %columns, %limit : tensor<64x64xi32>
      %part = arith.select %inside, %whole, %nothing : tensor<64x64xi1>, tensor<64x64xf16>
      scf.yield %part : tensor<64x64xf16>
    } else {
      scf.yield %whole : tensor<64x64xf16>
    }
    %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %right = tile.load %ptrsB : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Of sixteen neighbours with one scale each thread loads it once: copies would write it sixteen times.
// CHECK-LABEL: func.func @equal
// CHECK-NOT: tile.alloc_buffer : <64xf32
// CHECK: scf.for
// CHECK: tile.load %{{.*}} : tensor<64x!tile.ptr<f32>
// CHECK: tile.dot
func.func @equal(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %s: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                  %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %size = arith.constant dense<16> : tensor<64xi32>
  %groups = arith.divsi %k, %size : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %half = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %wide = arith.extf %half : tensor<64x64xf16> to tensor<64x64xf32>
    %atS = tile.addptr %s, %i : !tile.ptr<f32>, i32
    %basesS = tile.splat %atS : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %ptrsS = tile.addptr %basesS, %groups : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %scale = tile.load %ptrsS : tensor<64x!tile.ptr<f32>>
    %scaleRow = tile.expand_dims %scale axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %scales = tile.broadcast %scaleRow : tensor<1x64xf32> -> tensor<64x64xf32>
    %scaled = arith.mulf %wide, %scales : tensor<64x64xf32>
    %left = arith.truncf %scaled : tensor<64x64xf32> to tensor<64x64xf16>
    %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %right = tile.load %ptrsB : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// What a line's place has that the loop keeps, a remainder here, is computed before the loop in the layout of the copies.
// CHECK-LABEL: func.func @wrapped
// CHECK: arith.remsi %{{.*}} : tensor<64xi32, #{{.*}}>
// CHECK: scf.for
// CHECK-NOT: arith.remsi
// CHECK: tile.buffer_copy %{{.*}} : tensor<64x!tile.ptr<f32>, #{{.*}}>, <64xf32
// CHECK-NOT: arith.remsi
// CHECK: return
func.func @wrapped(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %s: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                  %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32, %rows: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %all = tile.splat %rows : i32 -> tensor<64xi32>
  %places = arith.remsi %k, %all : tensor<64xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %at = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %half = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %wide = arith.extf %half : tensor<64x64xf16> to tensor<64x64xf32>
    %atS = tile.addptr %s, %i : !tile.ptr<f32>, i32
    %basesS = tile.splat %atS : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %ptrsS = tile.addptr %basesS, %places : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %scale = tile.load %ptrsS : tensor<64x!tile.ptr<f32>>
    %scaleRow = tile.expand_dims %scale axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %scales = tile.broadcast %scaleRow : tensor<1x64xf32> -> tensor<64x64xf32>
    %scaled = arith.mulf %wide, %scales : tensor<64x64xf32>
    %left = arith.truncf %scaled : tensor<64x64xf32> to tensor<64x64xf16>
    %atB = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %columns : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %right = tile.load %ptrsB : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}
