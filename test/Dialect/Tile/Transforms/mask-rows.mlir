// RUN: tile-opt %s -tile-mask-rows | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=disable-heuristics=mask-rows -tile-mask-rows | FileCheck %s --check-prefix=SAME
//
// A store that does not mask the rows sees those that wrap around.
// RUN: sed 's/ mask %%seen : tensor<16x32/ : tensor<16x32/' %s | tile-opt -tile-mask-rows | FileCheck %s --check-prefix=SAME
// One that masks them by something else does, too.
// RUN: sed 's/%%below = arith.cmpi slt/%%below = arith.cmpi ne/' %s | tile-opt -tile-mask-rows | FileCheck %s --check-prefix=SAME
// SAME-LABEL: func.func @rows(
// SAME: tile.load %{{[^ ]*}} : tensor<16x64x
// SAME-LABEL: func.func @large(

// The rows of a left factor, of which a matrix may have fewer than the tile.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: !tile.ptr<f32>, %[[M:[^ :]*]]: i32,
// CHECK: tile.addptr {{.*}}, tensor<16x64xi32>
// CHECK: %[[INDEX:.*]] = tile.make_range 0 to 16 : tensor<16xi32>
// CHECK: %[[LESS:.*]] = arith.muli %[[M]], %c-1_i32
// CHECK: %[[REST:.*]] = arith.addi %{{.*}}, %[[LESS]] : i32
// CHECK: %[[RESTS:.*]] = tile.splat %[[REST]] : i32 -> tensor<16xi32>
// CHECK: %[[FROM_END:.*]] = arith.addi %[[INDEX]], %[[RESTS]] : tensor<16xi32>
// CHECK: %[[IN_FRONT:.*]] = arith.cmpi slt, %[[FROM_END]], %{{.*}} : tensor<16xi32>
// CHECK: %[[COLUMN:.*]] = tile.expand_dims %[[IN_FRONT]] axis 1
// CHECK: %[[INSIDE:.*]] = tile.broadcast %[[COLUMN]] : tensor<16x1xi1> -> tensor<16x64xi1>
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<16x64xf16>
// CHECK: tile.load %{{.*}} mask %[[INSIDE]] other %[[ZEROS]]
func.func @rows(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: tensor<64x32xf16>, %c: !tile.ptr<f32>, %m: i32,
                %k: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %size = arith.constant 16 : i32
  %pid = tile.program_id x
  %first = arith.muli %pid, %size : i32
  %starts = tile.splat %first : i32 -> tensor<16xi32>
  %index = tile.make_range 0 to 16 : tensor<16xi32>
  %row = arith.addi %starts, %index : tensor<16xi32>
  %sizes = tile.splat %m : i32 -> tensor<16xi32>
  %wrapped = arith.remsi %row, %sizes : tensor<16xi32>
  %wrappedColumn = tile.expand_dims %wrapped axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %strides = tile.splat %k : i32 -> tensor<16x1xi32>
  %far = arith.muli %wrappedColumn, %strides : tensor<16x1xi32>
  %base = tile.splat %a : !tile.ptr<f16> -> tensor<16x1x!tile.ptr<f16>>
  %lines = tile.addptr %base, %far : tensor<16x1x!tile.ptr<f16>>, tensor<16x1xi32>
  %depth = tile.make_range 0 to 64 : tensor<64xi32>
  %depthRow = tile.expand_dims %depth axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %allLines = tile.broadcast %lines : tensor<16x1x!tile.ptr<f16>> -> tensor<16x64x!tile.ptr<f16>>
  %allDepths = tile.broadcast %depthRow : tensor<1x64xi32> -> tensor<16x64xi32>
  %pointers = tile.addptr %allLines, %allDepths : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
  %left = tile.load %pointers : tensor<16x64x!tile.ptr<f16>>
  %product = tile.dot %left, %b, %zero : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
  %below = arith.cmpi slt, %row, %sizes : tensor<16xi32>
  %belowColumn = tile.expand_dims %below axis 1 : tensor<16xi1> -> tensor<16x1xi1>
  %seen = tile.broadcast %belowColumn : tensor<16x1xi1> -> tensor<16x32xi1>
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  tile.store %out, %product mask %seen : tensor<16x32x!tile.ptr<f32>>
  return
}

// A matrix of one row: `offsets % 1` is 0. Whoever masks that row may have it in the mask that is there.
// CHECK-LABEL: func.func @one(
// CHECK: %[[IN_FRONT:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<16xi32>
// CHECK: %[[INSIDE:.*]] = tile.broadcast %{{.*}} : tensor<16x1xi1> -> tensor<16x64xi1>
// CHECK: %[[BOTH:.*]] = arith.andi %arg4, %[[INSIDE]]
// CHECK: tile.load %{{.*}} mask %[[BOTH]] other %{{.*}}
func.func @one(%a: !tile.ptr<f16>, %b: tensor<64x32xf16>, %c: !tile.ptr<f32>, %first: i32, %given: tensor<16x64xi1>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %other = arith.constant dense<0.0> : tensor<16x64xf16>
  %depth = tile.make_range 0 to 64 : tensor<64xi32>
  %depthRow = tile.expand_dims %depth axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %base = tile.splat %a : !tile.ptr<f16> -> tensor<1x64x!tile.ptr<f16>>
  %line = tile.addptr %base, %depthRow : tensor<1x64x!tile.ptr<f16>>, tensor<1x64xi32>
  %pointers = tile.broadcast %line : tensor<1x64x!tile.ptr<f16>> -> tensor<16x64x!tile.ptr<f16>>
  %left = tile.load %pointers mask %given other %other : tensor<16x64x!tile.ptr<f16>>
  %product = tile.dot %left, %b, %zero : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
  %starts = tile.splat %first : i32 -> tensor<16xi32>
  %index = tile.make_range 0 to 16 : tensor<16xi32>
  %row = arith.addi %starts, %index : tensor<16xi32>
  %sizes = arith.constant dense<1> : tensor<16xi32>
  %below = arith.cmpi slt, %row, %sizes : tensor<16xi32>
  %belowColumn = tile.expand_dims %below axis 1 : tensor<16xi1> -> tensor<16x1xi1>
  %seen = tile.broadcast %belowColumn : tensor<16x1xi1> -> tensor<16x32xi1>
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  tile.store %out, %product mask %seen : tensor<16x32x!tile.ptr<f32>>
  return
}

// A matrix that is smaller than so large a tile is rare. Neighbours that wrap around keep their accesses as wide as
// they are.
// CHECK-LABEL: func.func @large(
// CHECK: tile.load %{{[^ ]*}} : tensor<128x64x
// CHECK: tile.load %{{[^ ]*}} : tensor<64x32x
func.func @large(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %m: i32, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  %row = tile.make_range 0 to 128 : tensor<128xi32>
  %rowSizes = tile.splat %m : i32 -> tensor<128xi32>
  %wrappedRow = arith.remsi %row, %rowSizes : tensor<128xi32>
  %wrappedColumn = tile.expand_dims %wrappedRow axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %k = arith.constant dense<64> : tensor<128x1xi32>
  %far = arith.muli %wrappedColumn, %k : tensor<128x1xi32>
  %depth = tile.make_range 0 to 64 : tensor<64xi32>
  %depthRow = tile.expand_dims %depth axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %lines = tile.broadcast %far : tensor<128x1xi32> -> tensor<128x64xi32>
  %depths = tile.broadcast %depthRow : tensor<1x64xi32> -> tensor<128x64xi32>
  %at = arith.addi %lines, %depths : tensor<128x64xi32>
  %base = tile.splat %a : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %pointers = tile.addptr %base, %at : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  %left = tile.load %pointers : tensor<128x64x!tile.ptr<f16>>
  %column = tile.make_range 0 to 32 : tensor<32xi32>
  %columnSizes = tile.splat %n : i32 -> tensor<32xi32>
  %wrapped = arith.remsi %column, %columnSizes : tensor<32xi32>
  %wrappedAcross = tile.expand_dims %wrapped axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %depthColumn = tile.expand_dims %depth axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %strides = tile.splat %n : i32 -> tensor<64x1xi32>
  %down = arith.muli %depthColumn, %strides : tensor<64x1xi32>
  %downs = tile.broadcast %down : tensor<64x1xi32> -> tensor<64x32xi32>
  %across = tile.broadcast %wrappedAcross : tensor<1x32xi32> -> tensor<64x32xi32>
  %rightAt = arith.addi %downs, %across : tensor<64x32xi32>
  %rightBase = tile.splat %b : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %rightPointers = tile.addptr %rightBase, %rightAt : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %right = tile.load %rightPointers : tensor<64x32x!tile.ptr<f16>>
  %product = tile.dot %left, %right, %zero : tensor<128x64xf16>, tensor<64x32xf16> -> tensor<128x32xf32>
  %belowRow = arith.cmpi slt, %row, %rowSizes : tensor<128xi32>
  %belowRows = tile.expand_dims %belowRow axis 1 : tensor<128xi1> -> tensor<128x1xi1>
  %seenRows = tile.broadcast %belowRows : tensor<128x1xi1> -> tensor<128x32xi1>
  %belowColumn = arith.cmpi slt, %column, %columnSizes : tensor<32xi32>
  %belowColumns = tile.expand_dims %belowColumn axis 0 : tensor<32xi1> -> tensor<1x32xi1>
  %seenColumns = tile.broadcast %belowColumns : tensor<1x32xi1> -> tensor<128x32xi1>
  %seen = arith.andi %seenRows, %seenColumns : tensor<128x32xi1>
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<128x32x!tile.ptr<f32>>
  tile.store %out, %product mask %seen : tensor<128x32x!tile.ptr<f32>>
  return
}

// Sums that go on to other rows: what an iteration adds to rows that it does not store, a later one stores.
// CHECK-LABEL: func.func @descending(
// CHECK: scf.for
// CHECK: tile.load %{{[^ ]*}} : tensor<16x64x
func.func @descending(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg1: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %arg3: i32, %arg4: i32 {tile.divisibility = 16 : i32}, %arg5: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %cst = arith.constant dense<32> : tensor<16x1xi32>
  %c16_i32 = arith.constant 16 : i32
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<16x32xf32>
  %cst_1 = arith.constant dense<32> : tensor<64x1xi32>
  %0 = tile.make_range 0 to 64 : tensor<64xi32>
  %1 = tile.make_range 0 to 32 : tensor<32xi32>
  %2 = tile.expand_dims %0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %3 = arith.muli %2, %cst_1 : tensor<64x1xi32>
  %4 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %5 = tile.addptr %4, %3 : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %6 = tile.expand_dims %1 axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %7 = tile.broadcast %5 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
  %8 = tile.broadcast %6 : tensor<1x32xi32> -> tensor<64x32xi32>
  %9 = tile.addptr %7, %8 : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %10 = tile.load %9 : tensor<64x32x!tile.ptr<f16>>
  %11 = scf.for %arg6 = %c0_i32 to %arg5 step %c1_i32 iter_args(%arg7 = %cst_0) -> (tensor<16x32xf32>)  : i32 {
    %12 = arith.subi %arg5, %c1_i32 : i32
    %13 = arith.subi %12, %arg6 : i32
    %14 = arith.muli %13, %c16_i32 : i32
    %15 = tile.make_range 0 to 16 : tensor<16xi32>
    %16 = tile.splat %14 : i32 -> tensor<16xi32>
    %17 = arith.addi %16, %15 : tensor<16xi32>
    %18 = tile.splat %arg3 : i32 -> tensor<16xi32>
    %19 = arith.remsi %17, %18 : tensor<16xi32>
    %20 = tile.expand_dims %19 axis 1 : tensor<16xi32> -> tensor<16x1xi32>
    %21 = tile.splat %arg4 : i32 -> tensor<16x1xi32>
    %22 = arith.muli %20, %21 : tensor<16x1xi32>
    %23 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<16x1x!tile.ptr<f16>>
    %24 = tile.addptr %23, %22 : tensor<16x1x!tile.ptr<f16>>, tensor<16x1xi32>
    %25 = tile.expand_dims %0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
    %26 = tile.broadcast %24 : tensor<16x1x!tile.ptr<f16>> -> tensor<16x64x!tile.ptr<f16>>
    %27 = tile.broadcast %25 : tensor<1x64xi32> -> tensor<16x64xi32>
    %28 = tile.addptr %26, %27 : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
    %29 = tile.load %28 : tensor<16x64x!tile.ptr<f16>>
    %30 = tile.dot %29, %10, %arg7 : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
    %31 = tile.expand_dims %17 axis 1 : tensor<16xi32> -> tensor<16x1xi32>
    %32 = arith.muli %31, %cst : tensor<16x1xi32>
    %33 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<16x1x!tile.ptr<f32>>
    %34 = tile.addptr %33, %32 : tensor<16x1x!tile.ptr<f32>>, tensor<16x1xi32>
    %35 = tile.broadcast %34 : tensor<16x1x!tile.ptr<f32>> -> tensor<16x32x!tile.ptr<f32>>
    %36 = tile.broadcast %6 : tensor<1x32xi32> -> tensor<16x32xi32>
    %37 = tile.addptr %35, %36 : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>
    %38 = tile.splat %arg3 : i32 -> tensor<16x1xi32>
    %39 = arith.cmpi slt, %31, %38 : tensor<16x1xi32>
    %40 = tile.broadcast %39 : tensor<16x1xi1> -> tensor<16x32xi1>
    tile.store %37, %30 mask %40 : tensor<16x32x!tile.ptr<f32>>
    scf.yield %30 : tensor<16x32xf32>
  }
  return
}
