// RUN: tile-opt %s -tile-persist-programs | FileCheck %s
// RUN: tile-opt %s -tile-attach-target="arch=sm_90a disable-heuristics=persist-programs" -tile-persist-programs | FileCheck %s --check-prefix=OFF
// RUN: tile-opt %s -tile-persist-programs=remarks=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: kernel 'product' is persistent: a CTA goes on to the next program
// REMARK: remark: kernel 'beside' is persistent: a CTA goes on to the next program
// REMARK-NOT: remark

// OFF-NOT: tile.persistent
// OFF-NOT: tile.grid_axis

#load = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0], [16, 0]], block = []>
#loadright = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = [[2, 0], [4, 0], [8, 0]], block = []>
#left = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = []>
#right = #tile.layout<register = [[1, 0], [8, 0], [16, 0], [32, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 0], [0, 0]], block = []>
#loadwideright = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warp = [[1, 0], [2, 0], [4, 0]], block = []>
#wideright = #tile.layout<register = [[1, 0], [8, 0], [16, 0], [32, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 0], [0, 0]], block = []>
#widesum = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = []>
#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]], block = []>
module attributes {tile.target = #tile.target<"sm_90a">} {

// What is the same for all programs stays before the loop over them.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[NX:[a-z0-9]+]]: i32 {tile.grid_axis = 0 : i32}, %[[NY:[a-z0-9]+]]: i32 {tile.grid_axis = 1 : i32}, %[[NZ:[a-z0-9]+]]: i32 {tile.grid_axis = 2 : i32}
// CHECK-SAME: tile.persistent = 1 : i32
// CHECK: arith.extsi
// CHECK: tile.splat %{{.*}} -> tensor<128x64x
// CHECK: %[[PLANE:.*]] = arith.muli %[[NX]], %[[NY]] : i32
// CHECK: %[[ALL:.*]] = arith.muli %[[PLANE]], %[[NZ]] : i32
// CHECK: %[[FIRST:.*]] = tile.program_id x
// CHECK: %[[STEP:.*]] = tile.num_programs x
// CHECK: scf.for %[[PROGRAM:.*]] = %[[FIRST]] to %[[ALL]] step %[[STEP]] : i32 {
// CHECK-NEXT: %[[X:.*]] = arith.remsi %[[PROGRAM]], %[[NX]] : i32
// CHECK-NEXT: %[[REST:.*]] = arith.divsi %[[PROGRAM]], %[[NX]] : i32
// CHECK-NEXT: %[[Y:.*]] = arith.remsi %[[REST]], %[[NY]] : i32
// CHECK-NEXT: arith.muli %[[Y]], %{{.*}} : i32
// CHECK-NEXT: arith.muli %[[X]], %{{.*}} : i32
// CHECK-NEXT: scf.for
// CHECK: tile.dot
// CHECK: tile.store
// CHECK: } {tile.flatten, tile.warp_specialize}
// CHECK-NEXT: return
func.func @product(%a: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<bf16>, %n: i32 {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 8 : i32, tile.roles = "auto", tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %endless = arith.constant 2147483648 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #sum>
  %row = tile.program_id y
  %column = tile.program_id x
  %top = arith.muli %row, %c128 : i32
  %start = arith.muli %column, %c128 : i32
  %lines = arith.extsi %k : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  %lefts = tile.splat %a : !tile.ptr<bf16> -> tensor<128x64x!tile.ptr<bf16>, #load>
  %rights = tile.splat %b : !tile.ptr<bf16> -> tensor<64x128x!tile.ptr<bf16>, #loadright>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%before = %zero) -> (tensor<128x128xf32, #sum>) : i32 {
    %ofLeft = tile.block %a sizes[%endless, %endless] strides[%lines, %one] offsets[%top, %i] of_pointers : <128x64xbf16>
    %x = tile.load %lefts block %ofLeft : !tile.block<128x64xbf16> : tensor<128x64x!tile.ptr<bf16>, #load>
    %left = tile.convert_layout %x : tensor<128x64xbf16, #load> -> tensor<128x64xbf16, #left>
    %ofRight = tile.block %b sizes[%endless, %endless] strides[%columns, %one] offsets[%i, %start] of_pointers : <64x128xbf16>
    %y = tile.load %rights block %ofRight : !tile.block<64x128xbf16> : tensor<64x128x!tile.ptr<bf16>, #loadright>
    %right = tile.convert_layout %y : tensor<64x128xbf16, #loadright> -> tensor<64x128xbf16, #right>
    %next = tile.dot %left, %right, %before : tensor<128x64xbf16, #left>, tensor<64x128xbf16, #right> -> tensor<128x128xf32, #sum>
    scf.yield %next : tensor<128x128xf32, #sum>
  }
  %place = tile.addptr %c, %top : !tile.ptr<bf16>, i32
  %places = tile.splat %place : !tile.ptr<bf16> -> tensor<128x128x!tile.ptr<bf16>, #sum>
  %narrow = arith.truncf %sum : tensor<128x128xf32, #sum> to tensor<128x128xbf16, #sum>
  tile.store %places, %narrow : tensor<128x128x!tile.ptr<bf16>, #sum>
  return
}

// Sums that a loop carries beside its products take registers, ...
// CHECK-LABEL: func.func @beside(
// CHECK-SAME: tile.persistent = 1 : i32
func.func @beside(%a: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<bf16>, %n: i32 {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 8 : i32, tile.roles = "auto", tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %endless = arith.constant 2147483648 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #sum>
  %row = tile.program_id y
  %column = tile.program_id x
  %top = arith.muli %row, %c128 : i32
  %start = arith.muli %column, %c128 : i32
  %lines = arith.extsi %k : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  %lefts = tile.splat %a : !tile.ptr<bf16> -> tensor<128x64x!tile.ptr<bf16>, #load>
  %rights = tile.splat %b : !tile.ptr<bf16> -> tensor<64x128x!tile.ptr<bf16>, #loadright>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%before = %zero) -> (tensor<128x128xf32, #sum>) : i32 {
    %ofLeft = tile.block %a sizes[%endless, %endless] strides[%lines, %one] offsets[%top, %i] of_pointers : <128x64xbf16>
    %x = tile.load %lefts block %ofLeft : !tile.block<128x64xbf16> : tensor<128x64x!tile.ptr<bf16>, #load>
    %left = tile.convert_layout %x : tensor<128x64xbf16, #load> -> tensor<128x64xbf16, #left>
    %ofRight = tile.block %b sizes[%endless, %endless] strides[%columns, %one] offsets[%i, %start] of_pointers : <64x128xbf16>
    %y = tile.load %rights block %ofRight : !tile.block<64x128xbf16> : tensor<64x128x!tile.ptr<bf16>, #loadright>
    %right = tile.convert_layout %y : tensor<64x128xbf16, #loadright> -> tensor<64x128xbf16, #right>
    %product = tile.dot %left, %right, %zero : tensor<128x64xbf16, #left>, tensor<64x128xbf16, #right> -> tensor<128x128xf32, #sum>
    %next = arith.addf %before, %product : tensor<128x128xf32, #sum>
    scf.yield %next : tensor<128x128xf32, #sum>
  }
  %place = tile.addptr %c, %top : !tile.ptr<bf16>, i32
  %places = tile.splat %place : !tile.ptr<bf16> -> tensor<128x128x!tile.ptr<bf16>, #sum>
  %narrow = arith.truncf %sum : tensor<128x128xf32, #sum> to tensor<128x128xbf16, #sum>
  tile.store %places, %narrow : tensor<128x128x!tile.ptr<bf16>, #sum>
  return
}

// ... of which there may be too few.
// CHECK-LABEL: func.func @too_many(
// CHECK-NOT: tile.persistent
// CHECK: return
func.func @too_many(%a: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<bf16>, %n: i32 {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 8 : i32, tile.roles = "auto", tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %endless = arith.constant 2147483648 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #widesum>
  %row = tile.program_id y
  %column = tile.program_id x
  %top = arith.muli %row, %c128 : i32
  %start = arith.muli %column, %c128 : i32
  %lines = arith.extsi %k : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  %lefts = tile.splat %a : !tile.ptr<bf16> -> tensor<128x64x!tile.ptr<bf16>, #load>
  %rights = tile.splat %b : !tile.ptr<bf16> -> tensor<64x256x!tile.ptr<bf16>, #loadwideright>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%before = %zero) -> (tensor<128x256xf32, #widesum>) : i32 {
    %ofLeft = tile.block %a sizes[%endless, %endless] strides[%lines, %one] offsets[%top, %i] of_pointers : <128x64xbf16>
    %x = tile.load %lefts block %ofLeft : !tile.block<128x64xbf16> : tensor<128x64x!tile.ptr<bf16>, #load>
    %left = tile.convert_layout %x : tensor<128x64xbf16, #load> -> tensor<128x64xbf16, #left>
    %ofRight = tile.block %b sizes[%endless, %endless] strides[%columns, %one] offsets[%i, %start] of_pointers : <64x256xbf16>
    %y = tile.load %rights block %ofRight : !tile.block<64x256xbf16> : tensor<64x256x!tile.ptr<bf16>, #loadwideright>
    %right = tile.convert_layout %y : tensor<64x256xbf16, #loadwideright> -> tensor<64x256xbf16, #wideright>
    %product = tile.dot %left, %right, %zero : tensor<128x64xbf16, #left>, tensor<64x256xbf16, #wideright> -> tensor<128x256xf32, #widesum>
    %next = arith.addf %before, %product : tensor<128x256xf32, #widesum>
    scf.yield %next : tensor<128x256xf32, #widesum>
  }
  %place = tile.addptr %c, %top : !tile.ptr<bf16>, i32
  %places = tile.splat %place : !tile.ptr<bf16> -> tensor<128x256x!tile.ptr<bf16>, #widesum>
  %narrow = arith.truncf %sum : tensor<128x256xf32, #widesum> to tensor<128x256xbf16, #widesum>
  tile.store %places, %narrow : tensor<128x256x!tile.ptr<bf16>, #widesum>
  return
}

// Whoever launches it may not know the record.
// CHECK-LABEL: func.func @foreign(
// CHECK-NOT: tile.persistent
// CHECK: return
func.func @foreign(%a: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<bf16>, %n: i32 {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 8 : i32, tile.roles = "auto"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %endless = arith.constant 2147483648 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #sum>
  %row = tile.program_id y
  %column = tile.program_id x
  %top = arith.muli %row, %c128 : i32
  %start = arith.muli %column, %c128 : i32
  %lines = arith.extsi %k : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  %lefts = tile.splat %a : !tile.ptr<bf16> -> tensor<128x64x!tile.ptr<bf16>, #load>
  %rights = tile.splat %b : !tile.ptr<bf16> -> tensor<64x128x!tile.ptr<bf16>, #loadright>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%before = %zero) -> (tensor<128x128xf32, #sum>) : i32 {
    %ofLeft = tile.block %a sizes[%endless, %endless] strides[%lines, %one] offsets[%top, %i] of_pointers : <128x64xbf16>
    %x = tile.load %lefts block %ofLeft : !tile.block<128x64xbf16> : tensor<128x64x!tile.ptr<bf16>, #load>
    %left = tile.convert_layout %x : tensor<128x64xbf16, #load> -> tensor<128x64xbf16, #left>
    %ofRight = tile.block %b sizes[%endless, %endless] strides[%columns, %one] offsets[%i, %start] of_pointers : <64x128xbf16>
    %y = tile.load %rights block %ofRight : !tile.block<64x128xbf16> : tensor<64x128x!tile.ptr<bf16>, #loadright>
    %right = tile.convert_layout %y : tensor<64x128xbf16, #loadright> -> tensor<64x128xbf16, #right>
    %next = tile.dot %left, %right, %before : tensor<128x64xbf16, #left>, tensor<64x128xbf16, #right> -> tensor<128x128xf32, #sum>
    scf.yield %next : tensor<128x128xf32, #sum>
  }
  %place = tile.addptr %c, %top : !tile.ptr<bf16>, i32
  %places = tile.splat %place : !tile.ptr<bf16> -> tensor<128x128x!tile.ptr<bf16>, #sum>
  %narrow = arith.truncf %sum : tensor<128x128xf32, #sum> to tensor<128x128xbf16, #sum>
  tile.store %places, %narrow : tensor<128x128x!tile.ptr<bf16>, #sum>
  return
}

// Without warps that only copy nothing is gained.
// CHECK-LABEL: func.func @never(
// CHECK-NOT: tile.persistent
// CHECK: return
func.func @never(%a: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<bf16>, %n: i32 {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 8 : i32, tile.roles = "never", tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %endless = arith.constant 2147483648 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #sum>
  %row = tile.program_id y
  %column = tile.program_id x
  %top = arith.muli %row, %c128 : i32
  %start = arith.muli %column, %c128 : i32
  %lines = arith.extsi %k : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  %lefts = tile.splat %a : !tile.ptr<bf16> -> tensor<128x64x!tile.ptr<bf16>, #load>
  %rights = tile.splat %b : !tile.ptr<bf16> -> tensor<64x128x!tile.ptr<bf16>, #loadright>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%before = %zero) -> (tensor<128x128xf32, #sum>) : i32 {
    %ofLeft = tile.block %a sizes[%endless, %endless] strides[%lines, %one] offsets[%top, %i] of_pointers : <128x64xbf16>
    %x = tile.load %lefts block %ofLeft : !tile.block<128x64xbf16> : tensor<128x64x!tile.ptr<bf16>, #load>
    %left = tile.convert_layout %x : tensor<128x64xbf16, #load> -> tensor<128x64xbf16, #left>
    %ofRight = tile.block %b sizes[%endless, %endless] strides[%columns, %one] offsets[%i, %start] of_pointers : <64x128xbf16>
    %y = tile.load %rights block %ofRight : !tile.block<64x128xbf16> : tensor<64x128x!tile.ptr<bf16>, #loadright>
    %right = tile.convert_layout %y : tensor<64x128xbf16, #loadright> -> tensor<64x128xbf16, #right>
    %next = tile.dot %left, %right, %before : tensor<128x64xbf16, #left>, tensor<64x128xbf16, #right> -> tensor<128x128xf32, #sum>
    scf.yield %next : tensor<128x128xf32, #sum>
  }
  %place = tile.addptr %c, %top : !tile.ptr<bf16>, i32
  %places = tile.splat %place : !tile.ptr<bf16> -> tensor<128x128x!tile.ptr<bf16>, #sum>
  %narrow = arith.truncf %sum : tensor<128x128xf32, #sum> to tensor<128x128xbf16, #sum>
  tile.store %places, %narrow : tensor<128x128x!tile.ptr<bf16>, #sum>
  return
}

// Programs of different lengths are left to the hardware.
// CHECK-LABEL: func.func @causal(
// CHECK-NOT: tile.persistent
// CHECK: return
func.func @causal(%a: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<bf16>, %n: i32 {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 8 : i32, tile.roles = "auto", tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %endless = arith.constant 2147483648 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #sum>
  %row = tile.program_id y
  %column = tile.program_id x
  %top = arith.muli %row, %c128 : i32
  %start = arith.muli %column, %c128 : i32
  %lines = arith.extsi %k : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  %lefts = tile.splat %a : !tile.ptr<bf16> -> tensor<128x64x!tile.ptr<bf16>, #load>
  %rights = tile.splat %b : !tile.ptr<bf16> -> tensor<64x128x!tile.ptr<bf16>, #loadright>
  %end = arith.addi %top, %c128 : i32
  %sum = scf.for %i = %c0 to %end step %c64 iter_args(%before = %zero) -> (tensor<128x128xf32, #sum>) : i32 {
    %ofLeft = tile.block %a sizes[%endless, %endless] strides[%lines, %one] offsets[%top, %i] of_pointers : <128x64xbf16>
    %x = tile.load %lefts block %ofLeft : !tile.block<128x64xbf16> : tensor<128x64x!tile.ptr<bf16>, #load>
    %left = tile.convert_layout %x : tensor<128x64xbf16, #load> -> tensor<128x64xbf16, #left>
    %ofRight = tile.block %b sizes[%endless, %endless] strides[%columns, %one] offsets[%i, %start] of_pointers : <64x128xbf16>
    %y = tile.load %rights block %ofRight : !tile.block<64x128xbf16> : tensor<64x128x!tile.ptr<bf16>, #loadright>
    %right = tile.convert_layout %y : tensor<64x128xbf16, #loadright> -> tensor<64x128xbf16, #right>
    %next = tile.dot %left, %right, %before : tensor<128x64xbf16, #left>, tensor<64x128xbf16, #right> -> tensor<128x128xf32, #sum>
    scf.yield %next : tensor<128x128xf32, #sum>
  }
  %place = tile.addptr %c, %top : !tile.ptr<bf16>, i32
  %places = tile.splat %place : !tile.ptr<bf16> -> tensor<128x128x!tile.ptr<bf16>, #sum>
  %narrow = arith.truncf %sum : tensor<128x128xf32, #sum> to tensor<128x128xbf16, #sum>
  tile.store %places, %narrow : tensor<128x128x!tile.ptr<bf16>, #sum>
  return
}

// Programs could wait for each other.
// CHECK-LABEL: func.func @locked(
// CHECK-NOT: tile.persistent
// CHECK: return
func.func @locked(%a: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<bf16>, %n: i32 {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %m: !tile.ptr<i32>) attributes {tile.kernel, tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 8 : i32, tile.roles = "auto", tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %endless = arith.constant 2147483648 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #sum>
  %row = tile.program_id y
  %column = tile.program_id x
  %top = arith.muli %row, %c128 : i32
  %start = arith.muli %column, %c128 : i32
  %lines = arith.extsi %k : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  %lefts = tile.splat %a : !tile.ptr<bf16> -> tensor<128x64x!tile.ptr<bf16>, #load>
  %rights = tile.splat %b : !tile.ptr<bf16> -> tensor<64x128x!tile.ptr<bf16>, #loadright>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%before = %zero) -> (tensor<128x128xf32, #sum>) : i32 {
    %ofLeft = tile.block %a sizes[%endless, %endless] strides[%lines, %one] offsets[%top, %i] of_pointers : <128x64xbf16>
    %x = tile.load %lefts block %ofLeft : !tile.block<128x64xbf16> : tensor<128x64x!tile.ptr<bf16>, #load>
    %left = tile.convert_layout %x : tensor<128x64xbf16, #load> -> tensor<128x64xbf16, #left>
    %ofRight = tile.block %b sizes[%endless, %endless] strides[%columns, %one] offsets[%i, %start] of_pointers : <64x128xbf16>
    %y = tile.load %rights block %ofRight : !tile.block<64x128xbf16> : tensor<64x128x!tile.ptr<bf16>, #loadright>
    %right = tile.convert_layout %y : tensor<64x128xbf16, #loadright> -> tensor<64x128xbf16, #right>
    %next = tile.dot %left, %right, %before : tensor<128x64xbf16, #left>, tensor<64x128xbf16, #right> -> tensor<128x128xf32, #sum>
    scf.yield %next : tensor<128x128xf32, #sum>
  }
  %place = tile.addptr %c, %top : !tile.ptr<bf16>, i32
  %places = tile.splat %place : !tile.ptr<bf16> -> tensor<128x128x!tile.ptr<bf16>, #sum>
  %narrow = arith.truncf %sum : tensor<128x128xf32, #sum> to tensor<128x128xbf16, #sum>
  tile.store %places, %narrow : tensor<128x128x!tile.ptr<bf16>, #sum>
  %old = tile.atomic_rmw add %m, %c64 sem = acq_rel scope = gpu : !tile.ptr<i32>
  tile.store %m, %old : !tile.ptr<i32>
  return
}

// An assertion names its program by its place.
// CHECK-LABEL: func.func @asserted(
// CHECK-NOT: tile.persistent
// CHECK: return
func.func @asserted(%a: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<bf16>, %n: i32 {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 8 : i32, tile.roles = "auto", tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %endless = arith.constant 2147483648 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #sum>
  %row = tile.program_id y
  %column = tile.program_id x
  %top = arith.muli %row, %c128 : i32
  %start = arith.muli %column, %c128 : i32
  %lines = arith.extsi %k : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  %lefts = tile.splat %a : !tile.ptr<bf16> -> tensor<128x64x!tile.ptr<bf16>, #load>
  %rights = tile.splat %b : !tile.ptr<bf16> -> tensor<64x128x!tile.ptr<bf16>, #loadright>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%before = %zero) -> (tensor<128x128xf32, #sum>) : i32 {
    %ofLeft = tile.block %a sizes[%endless, %endless] strides[%lines, %one] offsets[%top, %i] of_pointers : <128x64xbf16>
    %x = tile.load %lefts block %ofLeft : !tile.block<128x64xbf16> : tensor<128x64x!tile.ptr<bf16>, #load>
    %left = tile.convert_layout %x : tensor<128x64xbf16, #load> -> tensor<128x64xbf16, #left>
    %ofRight = tile.block %b sizes[%endless, %endless] strides[%columns, %one] offsets[%i, %start] of_pointers : <64x128xbf16>
    %y = tile.load %rights block %ofRight : !tile.block<64x128xbf16> : tensor<64x128x!tile.ptr<bf16>, #loadright>
    %right = tile.convert_layout %y : tensor<64x128xbf16, #loadright> -> tensor<64x128xbf16, #right>
    %next = tile.dot %left, %right, %before : tensor<128x64xbf16, #left>, tensor<64x128xbf16, #right> -> tensor<128x128xf32, #sum>
    scf.yield %next : tensor<128x128xf32, #sum>
  }
  %place = tile.addptr %c, %top : !tile.ptr<bf16>, i32
  %places = tile.splat %place : !tile.ptr<bf16> -> tensor<128x128x!tile.ptr<bf16>, #sum>
  %narrow = arith.truncf %sum : tensor<128x128xf32, #sum> to tensor<128x128xbf16, #sum>
  tile.store %places, %narrow : tensor<128x128x!tile.ptr<bf16>, #sum>
  %fine = arith.cmpi slt, %top, %n : i32
  tile.assert %fine, "rows" : i1
  return
}

// A second loop.
// CHECK-LABEL: func.func @looped(
// CHECK-NOT: tile.persistent
// CHECK: return
func.func @looped(%a: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<bf16>, %n: i32 {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %m: !tile.ptr<i32>) attributes {tile.kernel, tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.num_warps = 8 : i32, tile.roles = "auto", tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %endless = arith.constant 2147483648 : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #sum>
  %row = tile.program_id y
  %column = tile.program_id x
  %top = arith.muli %row, %c128 : i32
  %start = arith.muli %column, %c128 : i32
  %lines = arith.extsi %k : i32 to i64
  %columns = arith.extsi %n : i32 to i64
  %lefts = tile.splat %a : !tile.ptr<bf16> -> tensor<128x64x!tile.ptr<bf16>, #load>
  %rights = tile.splat %b : !tile.ptr<bf16> -> tensor<64x128x!tile.ptr<bf16>, #loadright>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%before = %zero) -> (tensor<128x128xf32, #sum>) : i32 {
    %ofLeft = tile.block %a sizes[%endless, %endless] strides[%lines, %one] offsets[%top, %i] of_pointers : <128x64xbf16>
    %x = tile.load %lefts block %ofLeft : !tile.block<128x64xbf16> : tensor<128x64x!tile.ptr<bf16>, #load>
    %left = tile.convert_layout %x : tensor<128x64xbf16, #load> -> tensor<128x64xbf16, #left>
    %ofRight = tile.block %b sizes[%endless, %endless] strides[%columns, %one] offsets[%i, %start] of_pointers : <64x128xbf16>
    %y = tile.load %rights block %ofRight : !tile.block<64x128xbf16> : tensor<64x128x!tile.ptr<bf16>, #loadright>
    %right = tile.convert_layout %y : tensor<64x128xbf16, #loadright> -> tensor<64x128xbf16, #right>
    %next = tile.dot %left, %right, %before : tensor<128x64xbf16, #left>, tensor<64x128xbf16, #right> -> tensor<128x128xf32, #sum>
    scf.yield %next : tensor<128x128xf32, #sum>
  }
  %place = tile.addptr %c, %top : !tile.ptr<bf16>, i32
  %places = tile.splat %place : !tile.ptr<bf16> -> tensor<128x128x!tile.ptr<bf16>, #sum>
  %narrow = arith.truncf %sum : tensor<128x128xf32, #sum> to tensor<128x128xbf16, #sum>
  tile.store %places, %narrow : tensor<128x128x!tile.ptr<bf16>, #sum>
  scf.for %j = %c0 to %n step %c64 : i32 {
    tile.store %m, %j : !tile.ptr<i32>
  }
  return
}
}
