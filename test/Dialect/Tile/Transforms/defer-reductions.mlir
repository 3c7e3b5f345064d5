// RUN: tile-opt %s -split-input-file -tile-defer-reductions | FileCheck %s

#row = #tile.layout<register = [[1], [256]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []>

// Each thread adds up its own elements; what threads count of the axis comes before what registers count.
// CHECK-DAG: #[[PARTS:.*]] = #tile.layout<register = [], lane = {{\[}}[1], [2], [4], [8], [16]], warp = {{\[}}[32], [64]]
// CHECK-DAG: #[[MINE:.*]] = #tile.layout<register = {{\[}}[0, 1], [0, 2]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]
// CHECK-LABEL: func.func @sumOfRow
// CHECK: %[[ZEROS:.*]] = arith.constant dense<-0.000000e+00> : tensor<128xf32, #[[PARTS]]>
// CHECK: %[[ALL:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZEROS]])
// CHECK: %[[SPLIT:.*]] = tile.reshape %{{.*}} -> tensor<2x128x2xf32
// CHECK: %[[ORDERED:.*]] = tile.permute %[[SPLIT]] order [1, 0, 2]
// CHECK: %[[BOTH:.*]] = tile.reshape %[[ORDERED]] : {{.*}} -> tensor<128x4xf32, #[[MINE]]>
// CHECK: %[[PART:.*]] = tile.reduce(%[[BOTH]]) axis 1
// CHECK: %[[NEXT:.*]] = arith.addf %[[ACC]], %[[PART]] fastmath<contract> : tensor<128xf32, #[[PARTS]]>
// CHECK: scf.yield %[[NEXT]]
// CHECK: %[[WHOLE:.*]] = tile.reduce(%[[ALL]]) axis 0 : (tensor<128xf32, #[[PARTS]]>) -> f32
// CHECK: arith.addf %{{.*}}, %[[WHOLE]] fastmath<contract> : f32
func.func @sumOfRow(%ptrs: tensor<512x!tile.ptr<f32>, #row>, %n: i32, %start: f32, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> (f32) : i32 {
    %offset = tile.splat %i : i32 -> tensor<512xi32, #row>
    %at = tile.addptr %ptrs, %offset : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
    %x = tile.load %at : tensor<512x!tile.ptr<f32>, #row>
    %once = tile.reduce(%x) axis 0 : (tensor<512xf32, #row>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %acc, %once fastmath<contract> : f32
    scf.yield %next : f32
  }
  tile.store %out, %sum : !tile.ptr<f32>
  return
}

// -----

#tile = #tile.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []>
#rows = #tile.layout<register = [], lane = [[0], [0], [0], [1], [2]], warp = [[4], [8]], block = []>

// Rows by themselves, from a row to the shape in which the loop carries them.
// CHECK-LABEL: func.func @maximaOfRows
// CHECK: scf.for {{.*}} -> (tensor<16x8xf32
// CHECK: tile.reduce({{.*}}) axis 2 : (tensor<16x8x2xf32
// CHECK: arith.maximumf {{.*}} : tensor<16x8xf32
// CHECK: }
// CHECK: %[[WHOLE:.*]] = tile.reduce({{.*}}) axis 1 : (tensor<16x8xf32
// CHECK: %[[THIN:.*]] = tile.expand_dims %[[WHOLE]] axis 1
// CHECK: arith.maximumf %{{.*}}, %[[THIN]] : tensor<16x1xf32
func.func @maximaOfRows(%ptrs: tensor<16x16x!tile.ptr<f32>, #tile>, %n: i32,
                        %start: tensor<16x1xf32, #tile.layout<register = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []>>,
                        %out: tensor<16x1x!tile.ptr<f32>, #tile.layout<register = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []>>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %most = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> (tensor<16x1xf32, #tile.layout<register = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []>>) : i32 {
    %x = tile.load %ptrs : tensor<16x16x!tile.ptr<f32>, #tile>
    %once = tile.reduce(%x) axis 1 : (tensor<16x16xf32, #tile>) -> tensor<16xf32, #rows> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    }
    %thin = tile.expand_dims %once axis 1 : tensor<16xf32, #rows> -> tensor<16x1xf32, #tile.layout<register = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []>>
    %next = arith.maximumf %acc, %thin : tensor<16x1xf32, #tile.layout<register = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []>>
    scf.yield %next : tensor<16x1xf32, #tile.layout<register = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []>>
  }
  tile.store %out, %most : tensor<16x1x!tile.ptr<f32>, #tile.layout<register = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []>>
  return
}

// -----

#row = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []>
#alone = #tile.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []>

// What the loop sees, what it combines in two ways, and what each thread has anyway stay as they are.
// CHECK-LABEL: func.func @stay
// CHECK: scf.for {{.*}} -> (f32, f32, f32, f32)
// CHECK-COUNT-4: -> f32 {
// CHECK: scf.yield
// CHECK-NOT: tile.reduce
func.func @stay(%x: tensor<128xf32, #row>, %y: tensor<4xf32, #alone>, %n: i32, %start: f32, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %all:4 = scf.for %i = %zero to %n step %one iter_args(%seen = %start, %two = %start, %own = %start, %once = %start)
      -> (f32, f32, f32, f32) : i32 {
    %0 = tile.reduce(%x) axis 0 : (tensor<128xf32, #row>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %1 = arith.addf %seen, %0 : f32
    tile.store %out, %1 : !tile.ptr<f32>
    %2 = tile.reduce(%x) axis 0 : (tensor<128xf32, #row>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    }
    %3 = arith.addf %two, %2 : f32
    %4 = tile.reduce(%y) axis 0 : (tensor<4xf32, #alone>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %5 = arith.addf %own, %4 : f32
    %6 = tile.reduce(%x) axis 0 : (tensor<128xf32, #row>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %7 = arith.addf %once, %6 : f32
    %8 = arith.addf %7, %6 : f32
    scf.yield %1, %3, %5, %8 : f32, f32, f32, f32
  }
  tile.store %out, %all#0 : !tile.ptr<f32>
  tile.store %out, %all#1 : !tile.ptr<f32>
  tile.store %out, %all#2 : !tile.ptr<f32>
  tile.store %out, %all#3 : !tile.ptr<f32>
  return
}

// -----

#row = #tile.layout<register = [[1], [256]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []>

// Where the loop goes on with the sum of more of the same, its parts start with those of the first tile: one exchange in all.
// CHECK-LABEL: func.func @firstOutside
// CHECK: %[[FIRST:.*]] = tile.reduce(%{{.*}}) axis 1 : (tensor<128x4xf32
// CHECK: %[[ALL:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]])
// CHECK: %[[WHOLE:.*]] = tile.reduce(%[[ALL]]) axis 0
// CHECK: tile.store %{{.*}}, %[[WHOLE]]
func.func @firstOutside(%ptrs: tensor<512x!tile.ptr<f32>, #row>, %n: i32, %out: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %w = tile.load %ptrs : tensor<512x!tile.ptr<f32>, #row>
  %start = tile.reduce(%w) axis 0 : (tensor<512xf32, #row>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> (f32) : i32 {
    %offset = tile.splat %i : i32 -> tensor<512xi32, #row>
    %at = tile.addptr %ptrs, %offset : tensor<512x!tile.ptr<f32>, #row>, tensor<512xi32, #row>
    %x = tile.load %at : tensor<512x!tile.ptr<f32>, #row>
    %once = tile.reduce(%x) axis 0 : (tensor<512xf32, #row>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %next = arith.addf %acc, %once : f32
    scf.yield %next : f32
  }
  tile.store %out, %sum : !tile.ptr<f32>
  return
}

// -----

#row = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []>

// Of sums that are added to each other, threads add up their parts first, and exchange once.
// CHECK-LABEL: func.func @sumsInTurn
// CHECK: %[[A:.*]] = tile.reduce({{.*}}) axis 1 : (tensor<128x2xi32
// CHECK: %[[B:.*]] = tile.reduce({{.*}}) axis 1 : (tensor<128x2xi32
// CHECK: %[[AB:.*]] = arith.addi %[[A]], %[[B]] : tensor<128xi32
// CHECK: %[[C:.*]] = tile.reduce({{.*}}) axis 1 : (tensor<128x2xi32
// CHECK: %[[ABC:.*]] = arith.addi %[[AB]], %[[C]] : tensor<128xi32
// CHECK: %[[SUM:.*]] = tile.reduce(%[[ABC]]) axis 0 : (tensor<128xi32, {{.*}}>) -> i32
// CHECK: arith.addi %{{.*}}, %[[SUM]] : i32
// CHECK-NOT: tile.reduce
func.func @sumsInTurn(%x: tensor<256xi32, #row>, %y: tensor<256xi32, #row>, %z: tensor<256xi32, #row>, %start: i32) -> i32
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile.reduce(%x) axis 0 : (tensor<256xi32, #row>) -> i32 {
  ^bb0(%p: i32, %q: i32):
    %s = arith.addi %p, %q : i32
    tile.yield %s : i32
  }
  %1 = arith.addi %start, %a : i32
  %b = tile.reduce(%y) axis 0 : (tensor<256xi32, #row>) -> i32 {
  ^bb0(%p: i32, %q: i32):
    %s = arith.addi %p, %q : i32
    tile.yield %s : i32
  }
  %2 = arith.addi %1, %b : i32
  %c = tile.reduce(%z) axis 0 : (tensor<256xi32, #row>) -> i32 {
  ^bb0(%p: i32, %q: i32):
    %s = arith.addi %p, %q : i32
    tile.yield %s : i32
  }
  %3 = arith.addi %2, %c : i32
  return %3 : i32
}

// Not what is needed by itself, a maximum among sums, or sums whose overflow counts.
// CHECK-LABEL: func.func @sumsThatStay
// CHECK-COUNT-5: tile.reduce({{.*}}) axis 0 : (tensor<256xi32, {{.*}}>) -> i32
// CHECK-NOT: tile.reduce
func.func @sumsThatStay(%x: tensor<256xi32, #row>, %y: tensor<256xi32, #row>, %z: tensor<256xi32, #row>) -> (i32, i32, i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %a = tile.reduce(%x) axis 0 : (tensor<256xi32, #row>) -> i32 {
  ^bb0(%p: i32, %q: i32):
    %s = arith.addi %p, %q : i32
    tile.yield %s : i32
  }
  %b = tile.reduce(%y) axis 0 : (tensor<256xi32, #row>) -> i32 {
  ^bb0(%p: i32, %q: i32):
    %s = arith.addi %p, %q : i32
    tile.yield %s : i32
  }
  %1 = arith.addi %a, %b : i32
  %c = tile.reduce(%z) axis 0 : (tensor<256xi32, #row>) -> i32 {
  ^bb0(%p: i32, %q: i32):
    %s = arith.maxsi %p, %q : i32
    tile.yield %s : i32
  }
  %2 = arith.addi %1, %c : i32
  %d = tile.reduce(%y) axis 0 : (tensor<256xi32, #row>) -> i32 {
  ^bb0(%p: i32, %q: i32):
    %s = arith.addi %p, %q : i32
    tile.yield %s : i32
  }
  %e = tile.reduce(%z) axis 0 : (tensor<256xi32, #row>) -> i32 {
  ^bb0(%p: i32, %q: i32):
    %s = arith.addi %p, %q : i32
    tile.yield %s : i32
  }
  %3 = arith.addi %d, %e overflow<nsw> : i32
  return %a, %2, %3 : i32, i32, i32
}
