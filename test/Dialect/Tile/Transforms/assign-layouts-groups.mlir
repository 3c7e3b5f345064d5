// RUN: tile-opt %s -split-input-file -tile-assign-layouts | FileCheck %s

// Loads of 2 and 4 bytes that meet hold 4 neighbouring elements each, and so do the stores: nothing is exchanged.
// CHECK: #layout = #tile.layout<register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []>
// CHECK-NOT: #layout1
// CHECK-LABEL: func.func @mixed(
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @mixed(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %pb = tile.splat %p : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %ps = tile.addptr %pb, %range : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %qb = tile.splat %q : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %qs = tile.addptr %qb, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %ps : tensor<1024x!tile.ptr<bf16>>
  %y = tile.load %qs : tensor<1024x!tile.ptr<f32>>
  %wide = arith.extf %x : tensor<1024xbf16> to tensor<1024xf32>
  %sum = arith.addf %wide, %y : tensor<1024xf32>
  tile.store %qs, %sum : tensor<1024x!tile.ptr<f32>>
  %short = arith.truncf %sum : tensor<1024xf32> to tensor<1024xbf16>
  tile.store %ps, %short : tensor<1024x!tile.ptr<bf16>>
  return
}

// -----

// They meet in what a loop carries, too.
// CHECK-LABEL: func.func @carried(
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @carried(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32},
    %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant dense<0.0> : tensor<1024xf32>
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %pb = tile.splat %p : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %ps = tile.addptr %pb, %range : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %qb = tile.splat %q : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %qs = tile.addptr %qb, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %total = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> tensor<1024xf32> : i32 {
    %x = tile.load %ps volatile : tensor<1024x!tile.ptr<bf16>>
    %y = tile.load %qs volatile : tensor<1024x!tile.ptr<f32>>
    %wide = arith.extf %x : tensor<1024xbf16> to tensor<1024xf32>
    %some = arith.addf %acc, %wide : tensor<1024xf32>
    %next = arith.addf %some, %y : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  tile.store %qs, %total : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// Loads that do not meet keep 16 bytes each.
// CHECK-LABEL: func.func @apart(
// CHECK: tile.load %{{.*}} volatile : tensor<1024x!tile.ptr<bf16>, #[[NARROW:.*]]>
// CHECK: tile.load %{{.*}} volatile : tensor<1024x!tile.ptr<f32>, #[[WIDE:.*]]>
func.func @apart(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %pb = tile.splat %p : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %ps = tile.addptr %pb, %range : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %qb = tile.splat %q : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %qs = tile.addptr %qb, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %ps volatile : tensor<1024x!tile.ptr<bf16>>
  %y = tile.load %qs volatile : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// A gather has no say, since it makes as many accesses in any layout, and joins.
// CHECK: #layout = #tile.layout<register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []>
// CHECK-NOT: #layout1
// CHECK-LABEL: func.func @gathered(
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @gathered(%p: !tile.ptr<f32>, %i: !tile.ptr<i32> {tile.divisibility = 16 : i32},
    %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ib = tile.splat %i : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %is = tile.addptr %ib, %range : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  %index = tile.load %is : tensor<1024x!tile.ptr<i32>>
  %pb = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ps = tile.addptr %pb, %index : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %ps : tensor<1024x!tile.ptr<f32>>
  %qb = tile.splat %q : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %qs = tile.addptr %qb, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %y = tile.load %qs : tensor<1024x!tile.ptr<f32>>
  %sum = arith.addf %x, %y : tensor<1024xf32>
  tile.store %qs, %sum : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// Pointers that are computed from loaded values stay where these are, if the group's access is a narrow one too;
// so does what is loaded beside them.
// CHECK-LABEL: func.func @looked_up(
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @looked_up(%p: !tile.ptr<f32>, %i: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %s: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 512 : tensor<512xi32>
  %fours = arith.constant dense<32> : tensor<512xi32>
  %ib = tile.splat %i : !tile.ptr<i8> -> tensor<512x!tile.ptr<i8>>
  %is = tile.addptr %ib, %range : tensor<512x!tile.ptr<i8>>, tensor<512xi32>
  %code = tile.load %is : tensor<512x!tile.ptr<i8>>
  %group = arith.divui %range, %fours : tensor<512xi32>
  %sb = tile.splat %s : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %ss = tile.addptr %sb, %group : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %scale = tile.load %ss : tensor<512x!tile.ptr<f32>>
  %index = arith.extui %code : tensor<512xi8> to tensor<512xi64>
  %pb = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %ps = tile.addptr %pb, %index : tensor<512x!tile.ptr<f32>>, tensor<512xi64>
  %x = tile.load %ps : tensor<512x!tile.ptr<f32>>
  %product = arith.mulf %x, %scale : tensor<512xf32>
  tile.store %ss, %product : tensor<512x!tile.ptr<f32>>
  return
}

// -----

// Pointers behind a reduction are no group of loads; a gather through them works where they are.
// CHECK-LABEL: func.func @behind_a_scan(
// CHECK: tile.scan
// CHECK-NOT: tile.convert_layout
// CHECK: tile.load
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @behind_a_scan(%p: !tile.ptr<f32>, %i: !tile.ptr<i32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 512 : tensor<512xi32>
  %ib = tile.splat %i : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %is = tile.addptr %ib, %range : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  %count = tile.load %is : tensor<512x!tile.ptr<i32>>
  %sum = tile.scan(%count) axis 0 : (tensor<512xi32>) -> tensor<512xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %pb = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %ps = tile.addptr %pb, %sum : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %x = tile.load %ps : tensor<512x!tile.ptr<f32>>
  %y = arith.addf %x, %x : tensor<512xf32>
  tile.store %ps, %y : tensor<512x!tile.ptr<f32>>
  return
}

// -----

// Accesses that move one element each are cheaper where neighbours in the tile are neighbouring threads. Where
// they are most of a group, the others follow.
// CHECK-DAG: #[[SPREAD:.*]] = #tile.layout<register = {{.*}}[64]], lane = {{.*}}[1], [2], [4], [8], [16]]
// CHECK-LABEL: func.func @strided(
// CHECK-COUNT-3: tile.load %{{.*}} : tensor<128x!tile.ptr<bf16>, #[[SPREAD]]>
// CHECK: return
func.func @strided(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<bf16>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %three = arith.constant dense<3> : tensor<128xi32>
  %one = arith.constant dense<1> : tensor<128xi32>
  %pb = tile.splat %p : !tile.ptr<bf16> -> tensor<128x!tile.ptr<bf16>>
  %ps = tile.addptr %pb, %range : tensor<128x!tile.ptr<bf16>>, tensor<128xi32>
  %x = tile.load %ps : tensor<128x!tile.ptr<bf16>>
  %rows = arith.muli %range, %three : tensor<128xi32>
  %qb = tile.splat %q : !tile.ptr<bf16> -> tensor<128x!tile.ptr<bf16>>
  %qs = tile.addptr %qb, %rows : tensor<128x!tile.ptr<bf16>>, tensor<128xi32>
  %y = tile.load %qs : tensor<128x!tile.ptr<bf16>>
  %qs1 = tile.addptr %qs, %one : tensor<128x!tile.ptr<bf16>>, tensor<128xi32>
  %z = tile.load %qs1 : tensor<128x!tile.ptr<bf16>>
  %xy = arith.addf %x, %y : tensor<128xbf16>
  %sum = arith.addf %xy, %z : tensor<128xbf16>
  tile.store %qs, %sum : tensor<128x!tile.ptr<bf16>>
  return
}

// -----

// Neighbours in memory that only the alignment separates join those that move 16 bytes: single ones, and pairs.
// CHECK-DAG: #[[WIDE:.*]] = #tile.layout<register = {{.*}}[1], [2], [128]], lane = {{.*}}[4], [8], [16], [32], [64]]
// CHECK-LABEL: func.func @beside(
// CHECK-COUNT-4: tile.load %{{.*}} : tensor<256x!tile.ptr<f32>, #[[WIDE]]>
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @beside(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %one = arith.constant dense<1> : tensor<256xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ps = tile.addptr %base, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %right = tile.addptr %ps, %one : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %two = arith.constant dense<2> : tensor<256xi32>
  %further = tile.addptr %ps, %two : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %qb = tile.splat %q : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %qs = tile.addptr %qb, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %ps : tensor<256x!tile.ptr<f32>>
  %y = tile.load %right : tensor<256x!tile.ptr<f32>>
  %w = tile.load %further : tensor<256x!tile.ptr<f32>>
  %z = tile.load %qs : tensor<256x!tile.ptr<f32>>
  %xw = arith.addf %x, %w : tensor<256xf32>
  %xy = arith.addf %xw, %y : tensor<256xf32>
  %sum = arith.addf %xy, %z : tensor<256xf32>
  tile.store %qs, %sum : tensor<256x!tile.ptr<f32>>
  return
}

// -----

// Single elements that are near to each other are loaded where their sum is stored, so nothing is exchanged.
// CHECK-DAG: #[[PAIRS:.*]] = #tile.layout<register = {{.*}}[1], [2], [128]], lane = {{.*}}[4], [8], [16], [32], [64]]
// CHECK-LABEL: func.func @reversed(
// CHECK: tile.load %{{.*}} : tensor<256x!tile.ptr<f32>, #[[PAIRS]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store %{{.*}} : tensor<256x!tile.ptr<f32>, #[[PAIRS]]>
func.func @reversed(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %last = arith.constant dense<255> : tensor<256xi32>
  %back = arith.subi %last, %range : tensor<256xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ps = tile.addptr %base, %back : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %qb = tile.splat %q : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %qs = tile.addptr %qb, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %ps : tensor<256x!tile.ptr<f32>>
  %y = arith.addf %x, %x : tensor<256xf32>
  tile.store %qs, %y : tensor<256x!tile.ptr<f32>>
  return
}

// -----

// Every second element of rows: however far apart the rows are, neighbours in a row are near. In neighbouring threads
// they share accesses, which is worth more than that the other tile is loaded 16 bytes at once.
// CHECK: #[[APART:layout]] = #tile.layout<register = {{.*}}, lane = {{\[\[0, 1\], \[0, 2\], \[0, 4\], \[0, 8\], \[0, 16\]\]}}
// CHECK-LABEL: func.func @interleaved(
// CHECK: tile.store %{{.*}} : tensor<8x64x!tile.ptr<bf16>, #[[APART]]>
func.func @interleaved(%q: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %cos: !tile.ptr<bf16> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %two = arith.constant dense<2> : tensor<8x64xi32>
  %stride = arith.constant dense<4096> : tensor<8x1xi32>
  %width = arith.constant dense<64> : tensor<8x1xi32>
  %r = tile.make_range 0 to 8 : tensor<8xi32>
  %rows = tile.expand_dims %r axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  %c = tile.make_range 0 to 64 : tensor<64xi32>
  %line = tile.expand_dims %c axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %line : tensor<1x64xi32> -> tensor<8x64xi32>
  %near = arith.muli %rows, %width : tensor<8x1xi32>
  %nearRows = tile.broadcast %near : tensor<8x1xi32> -> tensor<8x64xi32>
  %at = arith.addi %nearRows, %columns : tensor<8x64xi32>
  %coss = tile.splat %cos : !tile.ptr<bf16> -> tensor<8x64x!tile.ptr<bf16>>
  %angles = tile.addptr %coss, %at : tensor<8x64x!tile.ptr<bf16>>, tensor<8x64xi32>
  %x = tile.load %angles : tensor<8x64x!tile.ptr<bf16>>
  %far = arith.muli %rows, %stride : tensor<8x1xi32>
  %farRows = tile.broadcast %far : tensor<8x1xi32> -> tensor<8x64xi32>
  %even = arith.muli %columns, %two : tensor<8x64xi32>
  %place = arith.addi %farRows, %even : tensor<8x64xi32>
  %qs = tile.splat %q : !tile.ptr<bf16> -> tensor<8x64x!tile.ptr<bf16>>
  %ptrs = tile.addptr %qs, %place : tensor<8x64x!tile.ptr<bf16>>, tensor<8x64xi32>
  %y = tile.load %ptrs : tensor<8x64x!tile.ptr<bf16>>
  %z = arith.mulf %x, %y : tensor<8x64xbf16>
  tile.store %ptrs, %z : tensor<8x64x!tile.ptr<bf16>>
  return
}

// -----

// Weights that all rows share bring less than the rows, though each thread loads 16 bytes of them, and follow these: their
// rows are neighbours in memory along the first axis, which no access along the second one has.
// CHECK: #[[ROWS:.*]] = #tile.layout<register = {{\[\[}}1, 0], [2, 0]], lane = {{\[\[}}4, 0], [0, 1]
// CHECK-LABEL: func.func @weights(
// CHECK: tile.load %{{.*}} : tensor<8x256x!tile.ptr<bf16>, #[[ROWS]]>
// CHECK: tile.load %{{.*}} : tensor<8x256x!tile.ptr<f32>, #[[ROWS]]>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.reduce
func.func @weights(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %w: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 16 : i32} {
  %stride = arith.constant dense<4096> : tensor<1x256xi32>
  %rows = tile.make_range 0 to 8 : tensor<8xi32>
  %row = tile.expand_dims %rows axis 1 : tensor<8xi32> -> tensor<8x1xi32>
  %columns = tile.make_range 0 to 256 : tensor<256xi32>
  %column = tile.expand_dims %columns axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %far = arith.muli %column, %stride : tensor<1x256xi32>
  %rowb = tile.broadcast %row : tensor<8x1xi32> -> tensor<8x256xi32>
  %farb = tile.broadcast %far : tensor<1x256xi32> -> tensor<8x256xi32>
  %at = arith.addi %rowb, %farb : tensor<8x256xi32>
  %pb = tile.splat %p : !tile.ptr<bf16> -> tensor<8x256x!tile.ptr<bf16>>
  %ps = tile.addptr %pb, %at : tensor<8x256x!tile.ptr<bf16>>, tensor<8x256xi32>
  %x = tile.load %ps : tensor<8x256x!tile.ptr<bf16>>
  %columnb = tile.broadcast %column : tensor<1x256xi32> -> tensor<8x256xi32>
  %wb = tile.splat %w : !tile.ptr<f32> -> tensor<8x256x!tile.ptr<f32>>
  %ws = tile.addptr %wb, %columnb : tensor<8x256x!tile.ptr<f32>>, tensor<8x256xi32>
  %y = tile.load %ws : tensor<8x256x!tile.ptr<f32>>
  %wide = arith.extf %x : tensor<8x256xbf16> to tensor<8x256xf32>
  %product = arith.mulf %wide, %y : tensor<8x256xf32>
  %sum = tile.reduce(%product) axis 1 : (tensor<8x256xf32>) -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %ob = tile.splat %w : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %os = tile.addptr %ob, %rows : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %os, %sum : tensor<8x!tile.ptr<f32>>
  return
}

// -----

// Neighbours that wrap around are most likely in the cache for a thread's next access: they are loaded as the others are.
// CHECK: #layout = #tile.layout<register = {{\[\[}}1]], lane = {{\[\[}}2]
// CHECK-NOT: #layout1
// CHECK-LABEL: func.func @neighbours(
// CHECK-COUNT-2: tile.load %{{.*}} : tensor<256x!tile.ptr<f32>, #layout>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store
func.func @neighbours(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %one = arith.constant dense<1> : tensor<256xi32>
  %pid = tile.program_id x
  %c256 = arith.constant 256 : i32
  %start = arith.muli %pid, %c256 : i32
  %starts = tile.splat %start : i32 -> tensor<256xi32>
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %at = arith.addi %starts, %r : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %more = arith.addi %at, %one : tensor<256xi32>
  %next = arith.remsi %more, %ns : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p0 = tile.addptr %ps, %at : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %p1 = tile.addptr %ps, %next : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %p0 : tensor<256x!tile.ptr<f32>>
  %y = tile.load %p1 : tensor<256x!tile.ptr<f32>>
  %z = arith.addf %x, %y : tensor<256xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %o0 = tile.addptr %os, %at : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %o0, %z : tensor<256x!tile.ptr<f32>>
  return
}
