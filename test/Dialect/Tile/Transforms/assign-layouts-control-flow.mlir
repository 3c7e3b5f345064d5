// RUN: tile-opt %s -split-input-file -tile-assign-layouts | FileCheck %s

// What a loop carries has one layout from beginning to end: that of the first use that wants one.

// CHECK: #[[L:.*]] = #tile.layout<register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []>
// CHECK-NEXT: module
// CHECK-LABEL: func.func @loop
// CHECK: %[[INIT:.*]] = tile.addptr {{.*}} : tensor<1024x!tile.ptr<f32>, #[[L]]>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<1024xf32, #[[L]]>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[INIT]], %{{.*}} = %[[ZERO]]) -> (tensor<1024x!tile.ptr<f32>, #[[L]]>, tensor<1024xf32, #[[L]]>)
// CHECK: scf.yield {{.*}} : tensor<1024x!tile.ptr<f32>, #[[L]]>, tensor<1024xf32, #[[L]]>
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @loop(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %q: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %step = arith.constant dense<1024> : tensor<1024xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%ps = %ptrs, %acc = %zero)
      -> (tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>) : i32 {
    %x = tile.load %ps : tensor<1024x!tile.ptr<f32>>
    %s = arith.addf %acc, %x : tensor<1024xf32>
    %next = tile.addptr %ps, %step : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    scf.yield %next, %s : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  }
  %sum = tile.reduce(%r#1) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %q, %sum : !tile.ptr<f32>
  return
}

// -----

// Two tiles of one shape that a loop exchanges: one conversion on each way round.

// CHECK-DAG: #[[WIDE:.*]] = #tile.layout<register = {{\[\[}}1], [2], [512]]
// CHECK-DAG: #[[NARROW:.*]] = #tile.layout<register = {{\[\[}}128], [256], [512]]
// CHECK-LABEL: func.func @exchange
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (tensor<1024xf32, #[[WIDE]]>, tensor<1024xf32, #[[NARROW]]>)
// CHECK-DAG: %[[A2:.*]] = tile.convert_layout %[[A]] : tensor<1024xf32, #[[WIDE]]> -> tensor<1024xf32, #[[NARROW]]>
// CHECK-DAG: %[[B2:.*]] = tile.convert_layout %[[B]] : tensor<1024xf32, #[[NARROW]]> -> tensor<1024xf32, #[[WIDE]]>
// CHECK: scf.yield %[[B2]], %[[A2]]
func.func @exchange(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %pb = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %qb = tile.splat %q : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ps = tile.addptr %pb, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %qs = tile.addptr %qb, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %ps : tensor<1024x!tile.ptr<f32>>
  %y = tile.load %qs : tensor<1024x!tile.ptr<f32>>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y)
      -> (tensor<1024xf32>, tensor<1024xf32>) : i32 {
    scf.yield %b, %a : tensor<1024xf32>, tensor<1024xf32>
  }
  tile.store %ps, %r#0 : tensor<1024x!tile.ptr<f32>>
  tile.store %qs, %r#1 : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// The arms of an if agree on the layout of the arm that has one.

// CHECK: #[[L:.*]] = #tile.layout<register = {{\[\[}}1], [2]], lane
// CHECK-LABEL: func.func @branch
// CHECK: scf.if %{{.*}} -> (tensor<512xf32, #[[L]]>) {
// CHECK: tile.load {{.*}} : tensor<512x!tile.ptr<f32>, #[[L]]>
// CHECK: } else {
// CHECK: scf.yield %{{.*}} : tensor<512xf32, #[[L]]>
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @branch(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %c: i1)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 512 : tensor<512xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %zero = arith.constant dense<0.0> : tensor<512xf32>
  %x = scf.if %c -> tensor<512xf32> {
    %loaded = tile.load %ptrs : tensor<512x!tile.ptr<f32>>
    scf.yield %loaded : tensor<512xf32>
  } else {
    scf.yield %zero : tensor<512xf32>
  }
  tile.store %ptrs, %x : tensor<512x!tile.ptr<f32>>
  return
}

// -----

// A while loop: both of its regions and its results.

// CHECK: #[[L:.*]] = #tile.layout<register = {{\[\[}}1], [2]], lane
// CHECK-LABEL: func.func @while
// CHECK: scf.while ({{.*}}) : (tensor<512xf32, #[[L]]>) -> tensor<512xf32, #[[L]]> {
// CHECK: scf.condition(%{{.*}}) %{{.*}} : tensor<512xf32, #[[L]]>
// CHECK: ^bb0(%{{.*}}: tensor<512xf32, #[[L]]>):
// CHECK: scf.yield %{{.*}} : tensor<512xf32, #[[L]]>
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @while(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %limit: f32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 512 : tensor<512xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %x = tile.load %ptrs : tensor<512x!tile.ptr<f32>>
  %y = scf.while (%v = %x) : (tensor<512xf32>) -> tensor<512xf32> {
    %sum = tile.reduce(%v) axis 0 : (tensor<512xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %more = arith.cmpf olt, %sum, %limit : f32
    scf.condition(%more) %v : tensor<512xf32>
  } do {
  ^bb0(%v: tensor<512xf32>):
    %twice = arith.addf %v, %v : tensor<512xf32>
    scf.yield %twice : tensor<512xf32>
  }
  tile.store %ptrs, %y : tensor<512x!tile.ptr<f32>>
  return
}

// -----

// A carried tile that nothing in the loop or after it wants takes the default layout.

// CHECK: #[[L:.*]] = #tile.layout<register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]], block = []>
// CHECK-LABEL: func.func @unwanted
// CHECK: scf.for {{.*}} -> (tensor<128xi32, #[[L]]>)
func.func @unwanted(%n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%a = %range) -> tensor<128xi32> : i32 {
    %b = arith.addi %a, %range : tensor<128xi32>
    scf.yield %b : tensor<128xi32>
  }
  return
}

// -----

// A conversion that one branch alone needs is made there; one that a loop does not change stays before the loop.
// CHECK-LABEL: func.func @branch_alone(
// CHECK: tile.load
// CHECK: tile.convert_layout
// CHECK: scf.for
// CHECK-NOT: tile.convert_layout
// CHECK: scf.if
// CHECK: tile.convert_layout
// CHECK: scf.if
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @branch_alone(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %c: i1, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %box = tile.reshape %range : tensor<1024xi32> -> tensor<32x32xi32>
  %turned = tile.permute %box order [1, 0] : tensor<32x32xi32> -> tensor<32x32xi32>
  %pb = tile.splat %p : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %rows = tile.addptr %pb, %box : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %columns = tile.addptr %pb, %turned : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %x = tile.load %rows : tensor<32x32x!tile.ptr<f32>>
  tile.store %rows, %x : tensor<32x32x!tile.ptr<f32>>
  scf.for %i = %zero to %n step %one : i32 {
    %y = tile.load %rows : tensor<32x32x!tile.ptr<f32>>
    tile.store %rows, %y : tensor<32x32x!tile.ptr<f32>>
    scf.if %c {
      tile.store %columns, %y : tensor<32x32x!tile.ptr<f32>>
    }
    scf.if %c {
      tile.store %columns, %x : tensor<32x32x!tile.ptr<f32>>
    }
  }
  return
}

// -----

// What a loop combines with a reduction of its own has that one's layout, and is exchanged before and behind it.
//
// CHECK-LABEL: func.func @carried_maximum
// CHECK: %[[LOADED:.*]] = tile.load
// CHECK: %[[BEFORE:.*]] = tile.convert_layout %[[LOADED]]
// CHECK: scf.for {{.*}} iter_args(%[[PEAK:.*]] = %[[BEFORE]])
// CHECK: %[[LARGEST:.*]] = tile.reduce
// CHECK-NOT: tile.convert_layout
// CHECK: arith.maxnumf %[[PEAK]], %[[LARGEST]]
// CHECK-NEXT: scf.yield
func.func @carried_maximum(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %row = tile.make_range 0 to 64 : tensor<64xi32>
  %column = tile.make_range 0 to 32 : tensor<32xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %row : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %first = tile.load %pp : tensor<64x!tile.ptr<f32>>
  %length = tile.splat %n : i32 -> tensor<64xi32>
  %start = arith.muli %row, %length : tensor<64xi32>
  %rows = tile.expand_dims %start axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %column axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %bases = tile.splat %q : !tile.ptr<f32> -> tensor<64x1x!tile.ptr<f32>>
  %lines = tile.addptr %bases, %rows : tensor<64x1x!tile.ptr<f32>>, tensor<64x1xi32>
  %peak = scf.for %i = %zero to %n step %step iter_args(%before = %first) -> (tensor<64xf32>) : i32 {
    %moved = tile.splat %i : i32 -> tensor<1x32xi32>
    %at = arith.addi %columns, %moved : tensor<1x32xi32>
    %wide = tile.broadcast %lines : tensor<64x1x!tile.ptr<f32>> -> tensor<64x32x!tile.ptr<f32>>
    %offsets = tile.broadcast %at : tensor<1x32xi32> -> tensor<64x32xi32>
    %qq = tile.addptr %wide, %offsets : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
    %x = tile.load %qq : tensor<64x32x!tile.ptr<f32>>
    %largest = tile.reduce(%x) axis 1 : (tensor<64x32xf32>) -> tensor<64xf32> {
    ^bb0(%a: f32, %b: f32):
      %m = arith.maxnumf %a, %b : f32
      tile.yield %m : f32
    }
    %next = arith.maxnumf %before, %largest : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  tile.store %pp, %peak : tensor<64x!tile.ptr<f32>>
  return
}
