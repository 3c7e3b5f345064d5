// RUN: tile-opt %s -tile-roll-tiles | FileCheck %s
// RUN: tile-opt %s -tile-attach-target='arch=sm_90 disable-heuristics=roll-tiles' -tile-roll-tiles | FileCheck %s --check-prefix=NONE
// NONE-NOT: tile.private

#l = #tile.layout<register = [[32], [64], [128], [256], [512], [1024], [2048], [4096], [8192]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>
#small = #tile.layout<register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>
#rows = #tile.layout<register = [[0, 32], [0, 64], [0, 128], [0, 256], [0, 512], [0, 1024], [1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [], block = []>
#row = #tile.layout<register = [[32], [64], [128], [256], [512], [1024]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>
#row2 = #tile.layout<register = [[0, 32], [0, 64], [0, 128], [0, 256], [0, 512], [0, 1024]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [], block = []>
#column = #tile.layout<register = [[1], [2], [4]], lane = [[0], [0], [0], [0], [0]], warp = [], block = []>
#column2 = #tile.layout<register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [], block = []>

#l2 = #tile.layout<register = [[1], [64], [128], [256], [512], [1024], [2048], [4096], [8192]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []>
#tall = #tile.layout<register = [[0, 1], [32, 0], [64, 0], [128, 0], [256, 0], [512, 0], [1024, 0], [2048, 0], [4096, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []>
#wide = #tile.layout<register = [[1, 0], [0, 32], [0, 64], [0, 128], [0, 256], [0, 512], [0, 1024], [0, 2048], [0, 4096]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [], block = []>
#other = #tile.layout<register = [[8192], [32], [64], [128], [256], [512], [1024], [2048], [4096]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>
#lines = #tile.layout<register = [[8, 0], [16, 0], [32, 0], [64, 0], [128, 0], [256, 0], [512, 0], [1024, 0], [2048, 0]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [], block = []>
#columns = #tile.layout<register = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256], [0, 512], [0, 1024], [0, 2048]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = []>
#sums = #tile.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [], block = []>

!ptrs = tensor<16384x!tile.ptr<f32>, #l>

// 512 elements a thread become sixteen chunks of 32. The maximum's loop loads and keeps them, the store's reads what was kept.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[KEPT:.*]] = tile.alloc_private : <512 x f32>
// CHECK: %[[X0:.*]] = tile.load %{{.*}} mask %{{.*}} other %{{.*}} : tensor<1024x!tile.ptr<f32>, #[[CHUNK:.*]]>
// CHECK: tile.private_store %[[X0]] into %[[KEPT]][%{{.*}}] : tensor<1024xf32, #[[CHUNK]]>, <512 x f32>
// CHECK: %[[PARTIAL:.*]] = scf.for %[[I:.*]] = %c1_i32{{.*}} to %c16_i32{{.*}} iter_args(%[[P:.*]] = %[[X0]])
// CHECK: %[[FIRST:.*]] = arith.muli %[[I]], %c1024_i32
// CHECK: tile.splat %[[FIRST]]
// CHECK: %[[X:.*]] = tile.load
// CHECK: tile.private_store %[[X]] into %[[KEPT]][%[[I]]]
// CHECK: %[[MAX:.*]] = arith.maxnumf %[[P]], %[[X]] : tensor<1024xf32, #[[CHUNK]]>
// CHECK: scf.yield %[[MAX]]
// CHECK: tile.reduce(%[[PARTIAL]]) axis 0 : (tensor<1024xf32, #[[CHUNK]]>) -> f32
// CHECK: scf.for %[[J:.*]] = %c0_i32{{.*}} to %c16_i32
// CHECK: %[[AGAIN:.*]] = tile.private_load %[[KEPT]][%[[J]]] : <512 x f32> -> tensor<1024xf32, #[[CHUNK]]>
// CHECK: arith.subf %[[AGAIN]]
// CHECK: tile.store %{{.*}} mask %{{.*}} : tensor<1024x!tile.ptr<f32>, #[[CHUNK]]>
// CHECK-NOT: 16384
// CHECK: return
func.func @softmax(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %low = arith.constant dense<0xFF800000> : tensor<16384xf32, #l>
  %range = tile.make_range 0 to 16384 : tensor<16384xi32, #l>
  %limit = tile.splat %n : i32 -> tensor<16384xi32, #l>
  %mask = arith.cmpi slt, %range, %limit : tensor<16384xi32, #l>
  %base = tile.splat %p : !tile.ptr<f32> -> !ptrs
  %ptrs = tile.addptr %base, %range : !ptrs, tensor<16384xi32, #l>
  %x = tile.load %ptrs mask %mask other %low : !ptrs
  %m = tile.reduce(%x) axis 0 : (tensor<16384xf32, #l>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %ms = tile.splat %m : f32 -> tensor<16384xf32, #l>
  %d = arith.subf %x, %ms : tensor<16384xf32, #l>
  tile.store %ptrs, %d mask %mask : !ptrs
  return
}

// A loop of stores does not load: another pointer may name what it stores. The chunks are kept where the load stands.
// CHECK-LABEL: func.func @copy
// CHECK: %[[KEPT:.*]] = tile.alloc_private
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.private_store
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: tile.private_load
// CHECK: tile.store
func.func @copy(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 16384 : tensor<16384xi32, #l>
  %from = tile.splat %p : !tile.ptr<f32> -> !ptrs
  %fromPtrs = tile.addptr %from, %range : !ptrs, tensor<16384xi32, #l>
  %x = tile.load %fromPtrs : !ptrs
  %to = tile.splat %q : !tile.ptr<f32> -> !ptrs
  %toPtrs = tile.addptr %to, %range : !ptrs, tensor<16384xi32, #l>
  tile.store %toPtrs, %x : !ptrs
  return
}

// What one sum reads is loaded in its loop, one chunk after the other; what is written between keeps the load where it is.
// CHECK-LABEL: func.func @sum
// CHECK-NOT: tile.private
// CHECK: tile.load
// CHECK: scf.for
// CHECK: tile.load
// CHECK: arith.addf
// CHECK-LABEL: func.func @written
// CHECK: tile.alloc_private
// CHECK: scf.for
// CHECK: tile.private_store
// CHECK: tile.store
// CHECK: tile.private_load
// CHECK: scf.for
// CHECK: tile.private_load
func.func @sum(%p: !tile.ptr<f32>) -> f32 attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 16384 : tensor<16384xi32, #l>
  %base = tile.splat %p : !tile.ptr<f32> -> !ptrs
  %ptrs = tile.addptr %base, %range : !ptrs, tensor<16384xi32, #l>
  %x = tile.load %ptrs : !ptrs
  %s = tile.reduce(%x) axis 0 : (tensor<16384xf32, #l>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %s : f32
}

func.func @written(%p: !tile.ptr<f32>, %v: f32) -> f32 attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 16384 : tensor<16384xi32, #l>
  %base = tile.splat %p : !tile.ptr<f32> -> !ptrs
  %ptrs = tile.addptr %base, %range : !ptrs, tensor<16384xi32, #l>
  %x = tile.load %ptrs : !ptrs
  tile.store %p, %v : !tile.ptr<f32>
  %s = tile.reduce(%x) axis 0 : (tensor<16384xf32, #l>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %s : f32
}

// Eight rows of 2048: a chunk has 128 columns of all rows. A column of eight numbers is no chunk, a row of 2048 is one.
// CHECK-LABEL: func.func @rows
// CHECK: tile.expand_dims %{{.*}} axis 1 : tensor<8xf32
// CHECK: scf.for %[[I:.*]] = %c1_i32{{.*}} to %c16_i32
// CHECK: tile.make_range 0 to 128
// CHECK: tile.broadcast %{{.*}} : tensor<1x128xi32, #{{.*}}> -> tensor<8x128xi32
// CHECK: tile.load %{{.*}} : tensor<8x128x!tile.ptr<f32>
// CHECK: tile.broadcast %{{.*}} : tensor<8x1xf32, #{{.*}}> -> tensor<8x128xf32
// CHECK: tile.reduce(%{{.*}}) axis 1 : (tensor<8x128xf32, #{{.*}}>) -> tensor<8xf32, #{{.*}}>
func.func @rows(%p: !tile.ptr<f32>, %weights: tensor<8xf32, #column>) -> tensor<8xf32, #column> attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 2048 : tensor<2048xi32, #row>
  %columns = tile.expand_dims %range axis 0 : tensor<2048xi32, #row> -> tensor<1x2048xi32, #row2>
  %at = tile.broadcast %columns : tensor<1x2048xi32, #row2> -> tensor<8x2048xi32, #rows>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<8x2048x!tile.ptr<f32>, #rows>
  %ptrs = tile.addptr %base, %at : tensor<8x2048x!tile.ptr<f32>, #rows>, tensor<8x2048xi32, #rows>
  %x = tile.load %ptrs : tensor<8x2048x!tile.ptr<f32>, #rows>
  %w1 = tile.expand_dims %weights axis 1 : tensor<8xf32, #column> -> tensor<8x1xf32, #column2>
  %w = tile.broadcast %w1 : tensor<8x1xf32, #column2> -> tensor<8x2048xf32, #rows>
  %y = arith.mulf %x, %w : tensor<8x2048xf32, #rows>
  %s = tile.reduce(%y) axis 1 : (tensor<8x2048xf32, #rows>) -> tensor<8xf32, #column> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %s : tensor<8xf32, #column>
}

// A scan takes what came before along: its last element, from the end here.
// CHECK-LABEL: func.func @sums
// CHECK: %[[KEPT:.*]] = tile.alloc_private : <512 x f32>
// CHECK: %[[FIRST:.*]] = tile.scan(%{{.*}}) axis 0 reverse : (tensor<1024xf32, #{{.*}}>) -> tensor<1024xf32, #{{.*}}>
// CHECK: tile.private_store %[[FIRST]] into %[[KEPT]][%c15_i32{{.*}}]
// CHECK: arith.bitcast %[[FIRST]] : tensor<1024xf32, #{{.*}}> to tensor<1024xi32
// CHECK: %[[BITS:.*]] = tile.reduce
// CHECK: arith.ori
// CHECK: %[[LAST:.*]] = arith.bitcast %[[BITS]] : i32 to f32
// CHECK: scf.for %[[I:.*]] = %c1_i32{{.*}} to %c16_i32{{.*}} iter_args(%[[CARRY:.*]] = %[[LAST]])
// CHECK: %[[NUMBER:.*]] = arith.subi %c15_i32{{.*}}, %[[I]]
// CHECK: %[[SCANNED:.*]] = tile.scan
// CHECK: %[[BEFORE:.*]] = tile.splat %[[CARRY]]
// CHECK: %[[ALL:.*]] = arith.addf %[[BEFORE]], %[[SCANNED]]
// CHECK: tile.private_store %[[ALL]] into %[[KEPT]][%[[NUMBER]]]
// CHECK: scf.for
// CHECK: tile.private_load %[[KEPT]]
// CHECK: tile.store
// CHECK-NOT: 16384
// CHECK: return
func.func @sums(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 16384 : tensor<16384xi32, #l>
  %base = tile.splat %p : !tile.ptr<f32> -> !ptrs
  %ptrs = tile.addptr %base, %range : !ptrs, tensor<16384xi32, #l>
  %x = tile.load %ptrs : !ptrs
  %s = tile.scan(%x) axis 0 reverse : (tensor<16384xf32, #l>) -> tensor<16384xf32, #l> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %to = tile.splat %q : !tile.ptr<f32> -> !ptrs
  %toPtrs = tile.addptr %to, %range : !ptrs, tensor<16384xi32, #l>
  tile.store %toPtrs, %s : !ptrs
  return
}

// Nor does a load move over a barrier. A store keeps that it is in order.
// CHECK-LABEL: func.func @ordered
// CHECK: tile.private_store
// CHECK: tile.barrier
// CHECK: tile.private_load
// CHECK: tile.reduce
// CHECK: tile.store {{.*}} {tile.in_order}
func.func @ordered(%p: !tile.ptr<f32>) -> f32 attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 16384 : tensor<16384xi32, #l>
  %base = tile.splat %p : !tile.ptr<f32> -> !ptrs
  %ptrs = tile.addptr %base, %range : !ptrs, tensor<16384xi32, #l>
  %x = tile.load %ptrs : !ptrs
  tile.barrier
  %s = tile.reduce(%x) axis 0 : (tensor<16384xf32, #l>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %ptrs, %x {tile.in_order} : !ptrs
  return %s : f32
}

// Chunks of a tile that is turned over have the same numbers only if their bits are of one axis.
// CHECK-LABEL: func.func @turned
// CHECK-NOT: scf.for
// CHECK: tile.permute
func.func @turned(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 16384 : tensor<16384xi32, #l2>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>, #l2>
  %ptrs = tile.addptr %base, %range : tensor<16384x!tile.ptr<f32>, #l2>, tensor<16384xi32, #l2>
  %x = tile.load %ptrs : tensor<16384x!tile.ptr<f32>, #l2>
  %m = tile.reshape %x : tensor<16384xf32, #l2> -> tensor<8192x2xf32, #tall>
  %t = tile.permute %m order [1, 0] : tensor<8192x2xf32, #tall> -> tensor<2x8192xf32, #wide>
  %f = tile.reshape %t : tensor<2x8192xf32, #wide> -> tensor<16384xf32, #other>
  %r = tile.make_range 0 to 16384 : tensor<16384xi32, #other>
  %to = tile.splat %q : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>, #other>
  %toPtrs = tile.addptr %to, %r : tensor<16384x!tile.ptr<f32>, #other>, tensor<16384xi32, #other>
  tile.store %toPtrs, %f : tensor<16384x!tile.ptr<f32>, #other>
  return
}

// Chunks are those of the tile that is reduced, whatever shape it is loaded in.
// CHECK-LABEL: func.func @loadedInLines
// CHECK: tile.load %{{.*}} : tensor<256x4x!tile.ptr<f32>,
// CHECK: scf.for
// CHECK: tile.load %{{.*}} : tensor<256x4x!tile.ptr<f32>,
// CHECK: tile.permute %{{.*}} order [1, 0] : tensor<256x4xf32, #{{.*}}> -> tensor<4x256xf32,
// CHECK: tile.reduce(%{{.*}}) axis 1 : (tensor<4x256xf32,
func.func @loadedInLines(%p: !tile.ptr<f32>) -> tensor<4xf32, #sums> attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %ptrs = tile.splat %p : !tile.ptr<f32> -> tensor<4096x4x!tile.ptr<f32>, #lines>
  %x = tile.load %ptrs : tensor<4096x4x!tile.ptr<f32>, #lines>
  %t = tile.permute %x order [1, 0] : tensor<4096x4xf32, #lines> -> tensor<4x4096xf32, #columns>
  %s = tile.reduce(%t) axis 1 : (tensor<4x4096xf32, #columns>) -> tensor<4xf32, #sums> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %s : tensor<4xf32, #sums>
}

// What works on such a tile otherwise, and tiles that are not large, stay.
// CHECK-LABEL: func.func @gathered
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func @few
// CHECK-NOT: scf.for
func.func @gathered(%p: !tile.ptr<f32>, %i: tensor<128xi32, #small>) -> tensor<128xf32, #small> attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 16384 : tensor<16384xi32, #l>
  %base = tile.splat %p : !tile.ptr<f32> -> !ptrs
  %ptrs = tile.addptr %base, %range : !ptrs, tensor<16384xi32, #l>
  %x = tile.load %ptrs : !ptrs
  %y = tile.gather %x[%i] axis 0 : tensor<16384xf32, #l>, tensor<128xi32, #small> -> tensor<128xf32, #small>
  return %y : tensor<128xf32, #small>
}

func.func @few(%p: !tile.ptr<f32>) -> f32 attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 128 : tensor<128xi32, #small>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #small>
  %ptrs = tile.addptr %base, %range : tensor<128x!tile.ptr<f32>, #small>, tensor<128xi32, #small>
  %x = tile.load %ptrs : tensor<128x!tile.ptr<f32>, #small>
  %s = tile.reduce(%x) axis 0 : (tensor<128xf32, #small>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %s : f32
}
