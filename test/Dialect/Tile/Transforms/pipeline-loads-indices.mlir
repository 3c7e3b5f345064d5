// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s

// A number in memory says where the right factor is. It is loaded for the iteration behind the two whose copies are under
// way, if there is one, and carried.
// CHECK-LABEL: func.func @pages
// CHECK: tile.alloc_buffer : <64x64xf16
// CHECK: tile.alloc_buffer : <64x64xf16
// CHECK: scf.if
// CHECK: tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: tile.buffer_copy
// CHECK: scf.if
// CHECK: tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: tile.buffer_copy
// CHECK: %[[FIRST:.*]] = tile.load %{{.*}} mask %{{.*}} : !tile.ptr<i32>
// CHECK: scf.for {{.*}} %[[PAGE:[^ ]*]] = %[[FIRST]], %{{[^ ]*}} = %{{[^ ]*}}) ->
// CHECK: tile.dot
// CHECK: scf.if
// CHECK: %[[OFFSET:.*]] = arith.muli %[[PAGE]],
// CHECK: tile.addptr %{{.*}}, %[[OFFSET]]
// CHECK: }
// CHECK: %[[BEHIND:.*]] = arith.cmpi ugt,
// CHECK: %[[EXISTS:.*]] = arith.andi %{{.*}}, %[[BEHIND]]
// CHECK: %[[NEXT:.*]] = tile.load %{{.*}} mask %[[EXISTS]] : !tile.ptr<i32>
// CHECK-NOT: tile.load
// CHECK: scf.yield %{{.*}}, %[[NEXT]], %{{.*}}
func.func @pages(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pages: !tile.ptr<i32>,
                 %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 4096 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %elements = tile.make_range 0 to 4096 : tensor<4096xi32>
  %offsets = tile.reshape %elements : tensor<4096xi32> -> tensor<64x64xi32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %further = arith.muli %i, %size : i32
    %at = tile.addptr %a, %further : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %left = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %atPage = tile.addptr %pages, %i : !tile.ptr<i32>, i32
    %page = tile.load %atPage : !tile.ptr<i32>
    %start = arith.muli %page, %size : i32
    %atB = tile.addptr %b, %start : !tile.ptr<f16>, i32
    %basesB = tile.splat %atB : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %right = tile.load %ptrsB : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Numbers of rows of 16 bytes: the table is small, its rows are in L1. They are loaded where they are needed; only the
// left factor is copied ahead.
// CHECK-LABEL: func.func @table
// CHECK-COUNT-1: tile.alloc_buffer
// CHECK-NOT: tile.alloc_buffer
// CHECK: scf.for
// CHECK: tile.buffer_copy
// CHECK-NOT: tile.buffer_copy
// CHECK: tile.load %{{.*}} : tensor<64x8x!tile.ptr<i16>,
// CHECK: tile.load %{{.*}} : tensor<64x8x8x!tile.ptr<f16>,
// CHECK: tile.dot
func.func @table(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %rows: !tile.ptr<i16>,
                 %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 4096 : i32
  %numRows = arith.constant 512 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %eight = arith.constant dense<8> : tensor<64x8x1xi32>
  %elements = tile.make_range 0 to 4096 : tensor<4096xi32>
  %offsets = tile.reshape %elements : tensor<4096xi32> -> tensor<64x64xi32>
  %numbers = tile.make_range 0 to 512 : tensor<512xi32>
  %places = tile.reshape %numbers : tensor<512xi32> -> tensor<64x8xi32>
  %inRow = tile.make_range 0 to 8 : tensor<8xi32>
  %inRow3 = tile.reshape %inRow : tensor<8xi32> -> tensor<1x1x8xi32>
  %columns = tile.broadcast %inRow3 : tensor<1x1x8xi32> -> tensor<64x8x8xi32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %further = arith.muli %i, %size : i32
    %at = tile.addptr %a, %further : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %left = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %first = arith.muli %i, %numRows : i32
    %atRows = tile.addptr %rows, %first : !tile.ptr<i16>, i32
    %basesRows = tile.splat %atRows : !tile.ptr<i16> -> tensor<64x8x!tile.ptr<i16>>
    %ptrsRows = tile.addptr %basesRows, %places : tensor<64x8x!tile.ptr<i16>>, tensor<64x8xi32>
    %row = tile.load %ptrsRows : tensor<64x8x!tile.ptr<i16>>
    %wide = arith.extsi %row : tensor<64x8xi16> to tensor<64x8xi32>
    %wide3 = tile.reshape %wide : tensor<64x8xi32> -> tensor<64x8x1xi32>
    %starts = arith.muli %wide3, %eight : tensor<64x8x1xi32>
    %startsB = tile.broadcast %starts : tensor<64x8x1xi32> -> tensor<64x8x8xi32>
    %indices = arith.addi %startsB, %columns : tensor<64x8x8xi32>
    %basesB = tile.splat %b : !tile.ptr<f16> -> tensor<64x8x8x!tile.ptr<f16>>
    %ptrsB = tile.addptr %basesB, %indices : tensor<64x8x8x!tile.ptr<f16>>, tensor<64x8x8xi32>
    %rowsB = tile.load %ptrsB : tensor<64x8x8x!tile.ptr<f16>>
    %right = tile.reshape %rowsB : tensor<64x8x8xf16> -> tensor<64x64xf16>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// A list says how far it is to the next block. The place of the iteration whose copies start is carried, and what its
// number says is loaded there, for the place of the one behind it.
// CHECK-LABEL: func.func @distances
// CHECK: tile.alloc_buffer : <64x64xf16, #{{.*}}, slots = 4>
// CHECK: scf.for {{.*}} %[[PLACE:[^ ]*]] = %{{[^ ]*}}, %[[AHEAD:[^ ]*]] = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}) ->
// CHECK: %[[BEHIND:.*]] = scf.if
// CHECK: %[[EVEN:.*]] = tile.promise %[[AHEAD]]
// CHECK: tile.addptr %{{.*}}, %[[EVEN]] : !tile.ptr<f16>, i32
// CHECK: tile.buffer_copy
// CHECK: %[[DISTANCE:.*]] = tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: %[[MOVED:.*]] = arith.addi %[[AHEAD]], %[[DISTANCE]] : i32
// CHECK: scf.yield %[[MOVED]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[BEHIND]], %{{.*}}
func.func @distances(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %list: !tile.ptr<i32>, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %elements = tile.make_range 0 to 4096 : tensor<4096xi32>
  %offsets = tile.reshape %elements : tensor<4096xi32> -> tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %place = %zero) -> (tensor<64x64xf32>, i32) : i32 {
    %even = tile.promise %place divisibility [64] contiguity [1] constancy [1] : i32
    %at = tile.addptr %a, %even : !tile.ptr<f16>, i32
    %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %factor = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %factor, %factor, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %number = tile.addptr %list, %i : !tile.ptr<i32>, i32
    %distance = tile.load %number : !tile.ptr<i32>
    %moved = arith.addi %place, %distance : i32
    scf.yield %next, %moved : tensor<64x64xf32>, i32
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Where an index is, numbers from before the loop say. These are converted there, so the loop loads indices in the layout
// of the rows that they choose, and exchanges none.
// CHECK-LABEL: func.func @neighbours
// CHECK: tile.alloc_buffer
// CHECK: tile.alloc_buffer
// CHECK: scf.for
// CHECK-NOT: tile.convert_layout
// CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<128x!tile.ptr<i32>,
// CHECK-NOT: tile.convert_layout
// CHECK: scf.yield
func.func @neighbours(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %w: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                      %order: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %list: !tile.ptr<i32>,
                      %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 2048 : i32
  %width = arith.constant dense<32> : tensor<128x1xi32>
  %zeros = arith.constant dense<0.0> : tensor<128x64xf32>
  %rows = tile.make_range 0 to 128 : tensor<128xi32>
  %columns = tile.make_range 0 to 32 : tensor<32xi32>
  %column = tile.expand_dims %columns axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %inRow = tile.broadcast %column : tensor<1x32xi32> -> tensor<128x32xi32>
  %elements = tile.make_range 0 to 2048 : tensor<2048xi32>
  %box = tile.reshape %elements : tensor<2048xi32> -> tensor<32x64xi32>
  %orders = tile.splat %order : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %places = tile.addptr %orders, %rows : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %sorted = tile.load %places : tensor<128x!tile.ptr<i32>>
  %lists = tile.splat %list : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %entries = tile.addptr %lists, %sorted : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<128x64xf32>) : i32 {
    %step = tile.splat %i : i32 -> tensor<128xi32>
    %atEntry = tile.addptr %entries, %step : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
    %index = tile.load %atEntry : tensor<128x!tile.ptr<i32>>
    %index2 = tile.expand_dims %index axis 1 : tensor<128xi32> -> tensor<128x1xi32>
    %start = arith.muli %index2, %width : tensor<128x1xi32>
    %starts = tile.broadcast %start : tensor<128x1xi32> -> tensor<128x32xi32>
    %offsets = arith.addi %starts, %inRow : tensor<128x32xi32>
    %bases = tile.splat %x : !tile.ptr<f16> -> tensor<128x32x!tile.ptr<f16>>
    %ptrs = tile.addptr %bases, %offsets : tensor<128x32x!tile.ptr<f16>>, tensor<128x32xi32>
    %left = tile.load %ptrs : tensor<128x32x!tile.ptr<f16>>
    %further = arith.muli %i, %size : i32
    %atW = tile.addptr %w, %further : !tile.ptr<f16>, i32
    %basesW = tile.splat %atW : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
    %ptrsW = tile.addptr %basesW, %box : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
    %right = tile.load %ptrsW : tensor<32x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<128x32xf16>, tensor<32x64xf16> -> tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  %ptrsOut = tile.splat %out : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  tile.store %ptrsOut, %sum : tensor<128x64x!tile.ptr<f32>>
  %stores = tile.splat %order : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  tile.store %stores, %sorted : tensor<128x!tile.ptr<i32>>
  return
}
