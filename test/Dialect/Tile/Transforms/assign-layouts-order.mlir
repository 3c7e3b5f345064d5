// RUN: tile-opt %s -split-input-file -tile-assign-layouts | FileCheck %s

// Stores of tiles that are smaller than the threads are made by one warp, in order, where they may
// overlap such that different threads would write. Offsets are sums of constants, ranges and terms
// with a known divisor.

// What a reduction has spread over the warps, twice to places that overlap, and a scalar.
// CHECK-DAG: #[[WARP:.*]] = #tile.layout<register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}0], [0]], block = []>
// CHECK-LABEL: func.func @shifted
// CHECK: %[[S:.*]] = tile.convert_layout {{.*}} -> tensor<32xf32, #[[WARP]]>
// CHECK: tile.store {{.*}}, %[[S]] {tile.in_order} : tensor<32x!tile.ptr<f32>, #[[WARP]]>
// CHECK: tile.store {{.*}}, %[[S]] {tile.in_order} : tensor<32x!tile.ptr<f32>, #[[WARP]]>
// CHECK: tile.store {{.*}} {tile.in_order} : !tile.ptr<f32>
func.func @shifted(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %y: f32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %columns = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %columns axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %offsets = tile.broadcast %row : tensor<1x64xi32> -> tensor<32x64xi32>
  %from = tile.splat %q : !tile.ptr<f32> -> tensor<32x64x!tile.ptr<f32>>
  %places = tile.addptr %from, %offsets : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %x = tile.load %places : tensor<32x64x!tile.ptr<f32>>
  %s = tile.reduce(%x) axis 1 : (tensor<32x64xf32>) -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %ptrs, %s : tensor<32x!tile.ptr<f32>>
  %by = arith.constant dense<1> : tensor<32xi32>
  %next = tile.addptr %ptrs, %by : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %next, %s : tensor<32x!tile.ptr<f32>>
  tile.store %p, %y : !tile.ptr<f32>
  return
}

// -----

// What goes into two arrays cannot overlap.
// CHECK-LABEL: func.func @arrays
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @arrays(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %columns = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %columns axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %offsets = tile.broadcast %row : tensor<1x64xi32> -> tensor<32x64xi32>
  %from = tile.splat %q : !tile.ptr<f32> -> tensor<32x64x!tile.ptr<f32>>
  %places = tile.addptr %from, %offsets : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %x = tile.load %places : tensor<32x64x!tile.ptr<f32>>
  %s = tile.reduce(%x) axis 1 : (tensor<32x64xf32>) -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %ptrs, %s : tensor<32x!tile.ptr<f32>>
  %otherBase = tile.splat %out : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %others = tile.addptr %otherBase, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %others, %s : tensor<32x!tile.ptr<f32>>
  return
}

// -----

// Behind a pointer that was a number there may be any array.
// CHECK-LABEL: func.func @unknownArray
// CHECK-COUNT-2: tile.in_order
// CHECK-NOT: tile.in_order
func.func @unknownArray(%p: !tile.ptr<f32>, %address: i64, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  tile.store %ptrs, %values : tensor<32x!tile.ptr<f32>>
  %unknown = tile.int_to_ptr %address : i64 -> !tile.ptr<f32>
  tile.store %unknown, %y : !tile.ptr<f32>
  return
}

// -----

// One thread stores all scalars.
// CHECK-LABEL: func.func @scalars
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @scalars(%p: !tile.ptr<f32>, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  tile.store %p, %y : !tile.ptr<f32>
  tile.store %p, %y : !tile.ptr<f32>
  return
}

// -----

// So it does with tiles of one element.
// CHECK-LABEL: func.func @oneElement
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @oneElement(%p: !tile.ptr<f32>, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 1 : tensor<1xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<1x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<1x!tile.ptr<f32>>, tensor<1xi32>
  %values = tile.splat %y : f32 -> tensor<1xf32>
  tile.store %ptrs, %values : tensor<1x!tile.ptr<f32>>
  tile.store %p, %y : !tile.ptr<f32>
  return
}

// -----

// Tiles that fill the threads are stored by all warps, and order no others.
// CHECK-LABEL: func.func @large
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @large(%p: !tile.ptr<f32>, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %values = tile.splat %y : f32 -> tensor<128xf32>
  tile.store %ptrs, %values : tensor<128x!tile.ptr<f32>>
  tile.store %ptrs, %values : tensor<128x!tile.ptr<f32>>
  tile.store %p, %y : !tile.ptr<f32>
  return
}

// -----

// The CTAs of a cluster share a tile.
// CHECK-LABEL: func.func @cluster
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @cluster(%p: !tile.ptr<f32>, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  tile.store %ptrs, %values : tensor<32x!tile.ptr<f32>>
  tile.store %p, %y : !tile.ptr<f32>
  return
}

// -----

// Neither range reaches the other behind the same number.
// CHECK-LABEL: func.func @halves
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @halves(%p: !tile.ptr<f32>, %n: i32, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %start = tile.addptr %p, %n : !tile.ptr<f32>, i32
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %base = tile.splat %start : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  tile.store %ptrs, %values : tensor<32x!tile.ptr<f32>>
  %by = arith.constant dense<32> : tensor<32xi32>
  %next = tile.addptr %ptrs, %by : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %next, %values : tensor<32x!tile.ptr<f32>>
  return
}

// -----

// These do by one element.
// CHECK-LABEL: func.func @almostHalves
// CHECK-COUNT-2: tile.in_order
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @almostHalves(%p: !tile.ptr<f32>, %n: i32, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %start = tile.addptr %p, %n : !tile.ptr<f32>, i32
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %base = tile.splat %start : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  tile.store %ptrs, %values : tensor<32x!tile.ptr<f32>>
  %by = arith.constant dense<-31> : tensor<32xi32>
  %next = tile.addptr %ptrs, %by : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %next, %values : tensor<32x!tile.ptr<f32>>
  return
}

// -----

// Behind different numbers they may.
// CHECK-LABEL: func.func @differentTerms
// CHECK-COUNT-2: tile.in_order
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @differentTerms(%p: !tile.ptr<f32>, %n: i32, %m: i32, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %start = tile.addptr %p, %n : !tile.ptr<f32>, i32
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %base = tile.splat %start : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  tile.store %ptrs, %values : tensor<32x!tile.ptr<f32>>
  %second = tile.addptr %p, %m : !tile.ptr<f32>, i32
  %otherBase = tile.splat %second : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %next = tile.addptr %otherBase, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %next, %values : tensor<32x!tile.ptr<f32>>
  return
}

// -----

// Multiples of 4, and those plus 1.
// CHECK-LABEL: func.func @fields
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @fields(%p: !tile.ptr<f32>, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %four = arith.constant dense<4> : tensor<32xi32>
  %scaled = arith.muli %r, %four : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %scaled : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  tile.store %ptrs, %values : tensor<32x!tile.ptr<f32>>
  %by = arith.constant dense<1> : tensor<32xi32>
  %next = tile.addptr %ptrs, %by : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %next, %values : tensor<32x!tile.ptr<f32>>
  return
}

// -----

// Records of 11, of which the fields 0 and 10 are stored.
// CHECK-LABEL: func.func @oddRecords
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @oddRecords(%p: !tile.ptr<f32>, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %size = arith.constant dense<11> : tensor<32xi32>
  %scaled = arith.muli %r, %size : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %scaled : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  tile.store %ptrs, %values : tensor<32x!tile.ptr<f32>>
  %by = arith.constant dense<10> : tensor<32xi32>
  %next = tile.addptr %ptrs, %by : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %next, %values : tensor<32x!tile.ptr<f32>>
  return
}

// -----

// Records of 11, of which the last field is that before the record, too.
// CHECK-LABEL: func.func @fieldBefore
// CHECK-COUNT-2: tile.in_order
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @fieldBefore(%p: !tile.ptr<f32>, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %size = arith.constant dense<11> : tensor<32xi32>
  %scaled = arith.muli %r, %size : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %scaled : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %last = arith.constant dense<10> : tensor<32xi32>
  %ends = tile.addptr %ptrs, %last : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  tile.store %ends, %values : tensor<32x!tile.ptr<f32>>
  %by = arith.constant dense<-1> : tensor<32xi32>
  %next = tile.addptr %ptrs, %by : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %next, %values : tensor<32x!tile.ptr<f32>>
  return
}

// -----

// Multiples of 4, and those plus 8.
// CHECK-LABEL: func.func @sameFields
// CHECK-COUNT-2: tile.in_order
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @sameFields(%p: !tile.ptr<f32>, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %four = arith.constant dense<4> : tensor<32xi32>
  %scaled = arith.muli %r, %four : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %scaled : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  tile.store %ptrs, %values : tensor<32x!tile.ptr<f32>>
  %by = arith.constant dense<8> : tensor<32xi32>
  %next = tile.addptr %ptrs, %by : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %next, %values : tensor<32x!tile.ptr<f32>>
  return
}

// -----

// Elements of different sizes are not compared.
// CHECK-LABEL: func.func @otherTypes
// CHECK-COUNT-2: tile.in_order
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @otherTypes(%p: !tile.ptr<f32>, %y: f32, %z: i8) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  tile.store %ptrs, %values : tensor<32x!tile.ptr<f32>>
  %bytes = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i8>
  %far = arith.constant 1024 : i32
  %byte = tile.addptr %bytes, %far : !tile.ptr<i8>, i32
  tile.store %byte, %z : !tile.ptr<i8>
  return
}

// -----

// Iterations write tiles that are the same or have nothing in common.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @rows(%p: !tile.ptr<f32>, %n: i32, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 32 : i32
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  scf.for %i = %zero to %n step %one : i32 {
    %offset = arith.muli %i, %size : i32
    %start = tile.addptr %p, %offset : !tile.ptr<f32>, i32
    %base = tile.splat %start : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
    %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    tile.store %ptrs, %values : tensor<32x!tile.ptr<f32>>
  }
  return
}

// -----

// Iterations overlap by half.
// CHECK-LABEL: func.func @window
// CHECK-COUNT-1: tile.in_order
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @window(%p: !tile.ptr<f32>, %n: i32, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 16 : i32
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  scf.for %i = %zero to %n step %one : i32 {
    %offset = arith.muli %i, %size : i32
    %start = tile.addptr %p, %offset : !tile.ptr<f32>, i32
    %base = tile.splat %start : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
    %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    tile.store %ptrs, %values : tensor<32x!tile.ptr<f32>>
  }
  return
}

// -----

// Each iteration writes two tiles.
// CHECK-LABEL: func.func @rowsOfTwo
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @rowsOfTwo(%p: !tile.ptr<f32>, %n: i32, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 64 : i32
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  scf.for %i = %zero to %n step %one : i32 {
    %offset = arith.muli %i, %size : i32
    %start = tile.addptr %p, %offset : !tile.ptr<f32>, i32
    %base = tile.splat %start : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
    %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    tile.store %ptrs, %values : tensor<32x!tile.ptr<f32>>
    %by = arith.constant dense<32> : tensor<32xi32>
    %next = tile.addptr %ptrs, %by : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    tile.store %next, %values : tensor<32x!tile.ptr<f32>>
  }
  return
}

// -----

// The second of one iteration is the first of the next.
// CHECK-LABEL: func.func @windowOfTwo
// CHECK-COUNT-2: tile.in_order
// CHECK-NOT: tile.in_order
// CHECK: return
func.func @windowOfTwo(%p: !tile.ptr<f32>, %n: i32, %y: f32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 32 : i32
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %values = tile.splat %y : f32 -> tensor<32xf32>
  scf.for %i = %zero to %n step %one : i32 {
    %offset = arith.muli %i, %size : i32
    %start = tile.addptr %p, %offset : !tile.ptr<f32>, i32
    %base = tile.splat %start : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
    %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    tile.store %ptrs, %values : tensor<32x!tile.ptr<f32>>
    %by = arith.constant dense<32> : tensor<32xi32>
    %next = tile.addptr %ptrs, %by : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    tile.store %next, %values : tensor<32x!tile.ptr<f32>>
  }
  return
}

// -----

// What comes together in such stores is loaded by each warp, so that nobody waits for the elements of others.
// CHECK-DAG: #[[PAIRS:.*]] = #tile.layout<register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}0], [0]], block = []>
// CHECK-LABEL: func.func @loaded
// CHECK: tile.load %{{.*}} : tensor<64x!tile.ptr<bf16>, #[[PAIRS]]>
// CHECK: tile.load %{{.*}} : tensor<64x!tile.ptr<bf16>, #[[PAIRS]]>
// CHECK-NOT: tile.convert_layout
// CHECK-COUNT-2: tile.store {{.*}} {tile.in_order} : tensor<64x!tile.ptr<bf16>, #[[PAIRS]]>
func.func @loaded(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %x: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %y: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %near: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<bf16> -> tensor<64x!tile.ptr<bf16>>
  %xp = tile.addptr %xs, %r : tensor<64x!tile.ptr<bf16>>, tensor<64xi32>
  %a = tile.load %xp : tensor<64x!tile.ptr<bf16>>
  %ys = tile.splat %y : !tile.ptr<bf16> -> tensor<64x!tile.ptr<bf16>>
  %yp = tile.addptr %ys, %r : tensor<64x!tile.ptr<bf16>>, tensor<64xi32>
  %b = tile.load %yp : tensor<64x!tile.ptr<bf16>>
  %sum = arith.addf %a, %b : tensor<64xbf16>
  %ps = tile.splat %p : !tile.ptr<bf16> -> tensor<64x!tile.ptr<bf16>>
  %pp = tile.addptr %ps, %r : tensor<64x!tile.ptr<bf16>>, tensor<64xi32>
  tile.store %pp, %sum : tensor<64x!tile.ptr<bf16>>
  %offset = tile.splat %near : i32 -> tensor<64xi32>
  %pq = tile.addptr %pp, %offset : tensor<64x!tile.ptr<bf16>>, tensor<64xi32>
  tile.store %pq, %a : tensor<64x!tile.ptr<bf16>>
  return
}
