// RUN: tile-opt %s -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

// Where the partial results are decides the steps: registers, lanes, warps.

// More than 48 KB of shared memory must be asked for at the launch: the global has no size then.
// CHECK-DAG: llvm.mlir.global internal @__tilec_shared_warps() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<16 x i8>
// CHECK-DAG: llvm.mlir.global external @__tilec_shared_large() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>

#registers = #tile.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [], block = []>
#lanes = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>
#warps = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []>

// Inside the thread, a known operation combines neighbours, with its attributes.
// CHECK-LABEL: func.func @registers
// CHECK-SAME: %[[X:.*]]: vector<4xf32>
// CHECK: %[[ORDERED:.*]] = vector.shuffle %[[X]], %[[X]] [0, 2, 1, 3]
// CHECK: %[[LOW:.*]] = vector.shuffle %[[ORDERED]], %[[ORDERED]] [0, 1]
// CHECK: %[[HIGH:.*]] = vector.shuffle %[[ORDERED]], %[[ORDERED]] [2, 3]
// CHECK: %[[TWO:.*]] = arith.addf %[[LOW]], %[[HIGH]] fastmath<reassoc> : vector<2xf32>
// CHECK: %[[A:.*]] = vector.shuffle %[[TWO]], %[[TWO]] [0]
// CHECK: %[[B:.*]] = vector.shuffle %[[TWO]], %[[TWO]] [1]
// CHECK: arith.addf %[[A]], %[[B]] fastmath<reassoc> : vector<1xf32>
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @registers(%x: tensor<4xf32, #registers>, %p: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %sum = tile.reduce(%x) axis 0 : (tensor<4xf32, #registers>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b fastmath<reassoc> : f32
    tile.yield %c : f32
  }
  tile.store %p, %sum : !tile.ptr<f32>
  return
}

// Neighbours that share a register combine last.
// CHECK-LABEL: func.func @halves
// CHECK-SAME: %[[X:.*]]: vector<4xf16>
// CHECK: %[[LOW:.*]] = vector.shuffle %[[X]], %[[X]] [0, 1]
// CHECK: %[[HIGH:.*]] = vector.shuffle %[[X]], %[[X]] [2, 3]
// CHECK: arith.addf %[[LOW]], %[[HIGH]] : vector<2xf16>
func.func @halves(%x: tensor<4xf16, #registers>, %p: !tile.ptr<f16>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %sum = tile.reduce(%x) axis 0 : (tensor<4xf16, #registers>) -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  tile.store %p, %sum : !tile.ptr<f16>
  return
}

// Of equal values argmax takes the first. What neighbours combine needs no comparison of positions, since those on the left are
// before those on the right; between lanes both are compared.
// CHECK-LABEL: func.func @argmax
// CHECK-COUNT-3: arith.ori
// CHECK-NOT: arith.cmpi
// CHECK: nvvm.shfl.sync
// CHECK: arith.cmpi slt
// CHECK: return
#positions = #tile.layout<register = [[1], [2]], lane = [[4], [0], [0], [0], [0]], warp = [], block = []>
func.func @argmax(%x: tensor<8xf32, #positions>, %p: !tile.ptr<i32>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.make_range 0 to 8 : tensor<8xi32, #positions>
  %max:2 = tile.reduce(%x, %i) axis 0 : (tensor<8xf32, #positions>, tensor<8xi32, #positions>) -> (f32, i32) {
  ^bb0(%a: f32, %i0: i32, %b: f32, %i1: i32):
    %more = arith.cmpf ogt, %a, %b : f32
    %same = arith.cmpf oeq, %a, %b : f32
    %before = arith.cmpi slt, %i0, %i1 : i32
    %first = arith.andi %same, %before : i1
    %left = arith.ori %more, %first : i1
    %c = arith.select %left, %a, %b : f32
    %j = arith.select %left, %i0, %i1 : i32
    tile.yield %c, %j : f32, i32
  }
  tile.store %p, %max#1 : !tile.ptr<i32>
  return
}

// Where lanes and registers give the same bits of a position, registers do not come in one order in all lanes.
// CHECK-LABEL: func.func @argmaxInSwizzle
// CHECK: arith.cmpi slt
// CHECK: arith.ori
// CHECK: nvvm.shfl.sync
#swizzled = #tile.layout<register = [[1]], lane = [[3], [0], [0], [0], [0]], warp = [], block = []>
func.func @argmaxInSwizzle(%x: tensor<4xf32, #swizzled>, %p: !tile.ptr<i32>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %i = tile.make_range 0 to 4 : tensor<4xi32, #swizzled>
  %max:2 = tile.reduce(%x, %i) axis 0 : (tensor<4xf32, #swizzled>, tensor<4xi32, #swizzled>) -> (f32, i32) {
  ^bb0(%a: f32, %i0: i32, %b: f32, %i1: i32):
    %more = arith.cmpf ogt, %a, %b : f32
    %same = arith.cmpf oeq, %a, %b : f32
    %before = arith.cmpi slt, %i0, %i1 : i32
    %first = arith.andi %same, %before : i1
    %left = arith.ori %more, %first : i1
    %c = arith.select %left, %a, %b : f32
    %j = arith.select %left, %i0, %i1 : i32
    tile.yield %c, %j : f32, i32
  }
  tile.store %p, %max#1 : !tile.ptr<i32>
  return
}

// A region of several operations is copied for each element.
// CHECK-LABEL: func.func @anyRegion
// CHECK-COUNT-3: arith.mulf {{.*}} : f32
// CHECK-NOT: arith.mulf
func.func @anyRegion(%x: tensor<4xf32, #registers>, %p: !tile.ptr<f32>, %scale: f32)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %sum = tile.reduce(%x) axis 0 : (tensor<4xf32, #registers>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    %d = arith.mulf %c, %scale : f32
    tile.yield %d : f32
  }
  tile.store %p, %sum : !tile.ptr<f32>
  return
}

// Between lanes, butterfly shuffles from the farthest lane to the nearest.
// CHECK-LABEL: func.func @lanes
// CHECK-DAG: %[[ALL:.*]] = arith.constant -1 : i32
// CHECK-DAG: %[[CLAMP:.*]] = arith.constant 31 : i32
// CHECK: nvvm.shfl.sync bfly %[[ALL]], %{{.*}}, %c16_i32, %[[CLAMP]] : i32 -> i32
// CHECK: arith.maxnumf {{.*}} : vector<1xf32>
// CHECK: nvvm.shfl.sync bfly %[[ALL]], %{{.*}}, %c8_i32
// CHECK: nvvm.shfl.sync bfly %[[ALL]], %{{.*}}, %c4_i32
// CHECK: nvvm.shfl.sync bfly %[[ALL]], %{{.*}}, %c2_i32
// CHECK: nvvm.shfl.sync bfly %[[ALL]], %{{.*}}, %c1_i32
// CHECK: arith.maxnumf {{.*}} : vector<1xf32>
// CHECK-NOT: nvvm.shfl
// CHECK-NOT: nvvm.barrier
// CHECK: return
func.func @lanes(%x: tensor<32xf32, #lanes>, %p: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %max = tile.reduce(%x) axis 0 : (tensor<32xf32, #lanes>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %p, %max : !tile.ptr<f32>
  return
}

// Lanes that hold copies do not take part: two steps for four elements in lanes 0 to 3.
#few = #tile.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [], block = []>
// CHECK-LABEL: func.func @copies
// CHECK-COUNT-2: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @copies(%x: tensor<4xf32, #few>, %p: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %sum = tile.reduce(%x) axis 0 : (tensor<4xf32, #few>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %p, %sum : !tile.ptr<f32>
  return
}

// A shuffle moves 32 bits: smaller elements are padded, larger ones take two.
// CHECK-LABEL: func.func @widths
// CHECK: nvvm.shfl.sync bfly
// CHECK: arith.ori {{.*}} : vector<1xi1>
// CHECK: nvvm.shfl.sync bfly
// CHECK: arith.addf {{.*}} : vector<1xf16>
// CHECK: nvvm.shfl.sync bfly
// CHECK: nvvm.shfl.sync bfly
// CHECK: arith.addf {{.*}} : vector<1xf64>
#pair = #tile.layout<register = [], lane = [[1], [0], [0], [0], [0]], warp = [], block = []>
func.func @widths(%x: tensor<2xi1, #pair>, %y: tensor<2xf16, #pair>, %z: tensor<2xf64, #pair>,
                  %p: !tile.ptr<f16>, %q: !tile.ptr<f64>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %any = tile.reduce(%x) axis 0 : (tensor<2xi1, #pair>) -> i1 {
  ^bb0(%a: i1, %b: i1):
    %c = arith.ori %a, %b : i1
    tile.yield %c : i1
  }
  %half = tile.reduce(%y) axis 0 : (tensor<2xf16, #pair>) -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.addf %a, %b : f16
    tile.yield %c : f16
  }
  %double = tile.reduce(%z) axis 0 : (tensor<2xf64, #pair>) -> f64 {
  ^bb0(%a: f64, %b: f64):
    %c = arith.addf %a, %b : f64
    tile.yield %c : f64
  }
  tile.store %p, %half mask %any : !tile.ptr<f16>
  tile.store %q, %double : !tile.ptr<f64>
  return
}

// Between warps: the first lane of each writes its part, all wait, all read every part.
// CHECK-LABEL: func.func @warps
// CHECK: nvvm.shfl.sync
// CHECK-NOT: nvvm.barrier
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK: %[[WARPBITS:.*]] = arith.andi %{{.*}}, %c96_i32
// CHECK: %[[WARP:.*]] = arith.shrui %[[WARPBITS]], %c5_i32
// CHECK: llvm.getelementptr %{{.*}}[%[[WARP]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
// CHECK: llvm.call @tilec.st.shared.b32(%{{.*}}, %{{.*}}, %[[FIRST]]) : (!llvm.ptr<3>, i32, i1)
// CHECK: nvvm.barrier0
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: arith.addf {{.*}} : vector<2xf32>
// CHECK: arith.addf {{.*}} : vector<1xf32>
// CHECK-NOT: nvvm.barrier
// CHECK: return
func.func @warps(%x: tensor<128xf32, #warps>, %p: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %sum = tile.reduce(%x) axis 0 : (tensor<128xf32, #warps>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %p, %sum : !tile.ptr<f32>
  return
}

// Several tiles together: each is shuffled, and each has its own place in shared memory.
// CHECK-LABEL: func.func @together
// CHECK-COUNT-10: nvvm.shfl.sync
// CHECK: llvm.getelementptr %{{.*}}[16] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
// CHECK-COUNT-2: llvm.call @tilec.st.shared.b32
// CHECK: nvvm.barrier0
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<4xi32>
func.func @together(%x: tensor<128xf32, #warps>, %i: tensor<128xi32, #warps>, %p: !tile.ptr<i32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %max:2 = tile.reduce(%x, %i) axis 0 : (tensor<128xf32, #warps>, tensor<128xi32, #warps>) -> (f32, i32) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %larger = arith.cmpf ogt, %a, %b : f32
    %c = arith.select %larger, %a, %b : f32
    %ci = arith.select %larger, %ai, %bi : i32
    tile.yield %c, %ci : f32, i32
  }
  tile.store %p, %max#1 : !tile.ptr<i32>
  return
}

// A result tile: rows in registers and lanes stay, columns combine.
#matrix = #tile.layout<register = [[1, 0], [0, 1]], lane = [[0, 2], [0, 4], [2, 0], [4, 0], [8, 0]], warp = [], block = []>
#rows = #tile.layout<register = [[1]], lane = [[0], [0], [2], [4], [8]], warp = [], block = []>
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[X:.*]]: vector<4xf32>, %{{.*}}: vector<2x!llvm.ptr<1>>
// CHECK: %[[LOW:.*]] = vector.shuffle %[[X]], %[[X]] [0, 1]
// CHECK: %[[HIGH:.*]] = vector.shuffle %[[X]], %[[X]] [2, 3]
// CHECK: arith.addf %[[LOW]], %[[HIGH]] : vector<2xf32>
// CHECK-COUNT-2: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c2_i32
// CHECK-COUNT-2: nvvm.shfl.sync bfly %{{.*}}, %{{.*}}, %c1_i32
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @rows(%x: tensor<16x8xf32, #matrix>, %p: tensor<16x!tile.ptr<f32>, #rows>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %sum = tile.reduce(%x) axis 1 : (tensor<16x8xf32, #matrix>) -> tensor<16xf32, #rows> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %p, %sum : tensor<16x!tile.ptr<f32>, #rows>
  return
}

// CHECK-LABEL: func.func @large
// CHECK: llvm.getelementptr %{{.*}}[65536] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
func.func @large(%x: tensor<128xf32, #warps>, %p: !tile.ptr<f32>, %q: tensor<128x!tile.ptr<f32>, #warps>, %slot: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %large = tile.alloc_buffer : !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>, slots = 128>
  tile.buffer_copy %q into %large[%slot] : tensor<128x!tile.ptr<f32>, #warps>, !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>, slots = 128>
  tile.async_wait 0
  %sum = tile.reduce(%x) axis 0 : (tensor<128xf32, #warps>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %copied = tile.buffer_load %large[%slot] : !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>, slots = 128> -> tensor<128xf32, #warps>
  tile.store %q, %copied : tensor<128x!tile.ptr<f32>, #warps>
  tile.store %p, %sum : !tile.ptr<f32>
  return
}

// Where a thread has several results in a row, each warp's parts of them are one access.
// CHECK-LABEL: func.func @rowsOfParts
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>
// CHECK-NOT: llvm.store
// CHECK: nvvm.barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: llvm.load
// CHECK: arith.addf {{.*}} : vector<4xf32>
#partRows = #tile.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[1, 0]], block = []>
#partRow = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[0]], block = []>
func.func @rowsOfParts(%x: tensor<2x128xf32, #partRows>, %p: tensor<128x!tile.ptr<f32>, #partRow>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %sum = tile.reduce(%x) axis 0 : (tensor<2x128xf32, #partRows>) -> tensor<128xf32, #partRow> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %p, %sum : tensor<128x!tile.ptr<f32>, #partRow>
  return
}

// Many parts of many elements: each thread combines the parts of one element for all, and the results go through
// another buffer.
// CHECK-LABEL: func.func @sharedWork
// CHECK: nvvm.barrier
// CHECK-COUNT-16: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<1xi32>
// CHECK-COUNT-4: arith.addf
// CHECK-NOT: arith.addf
// CHECK: llvm.call @tilec.st.shared.b32
// CHECK-NOT: @tilec.st.shared
// CHECK: nvvm.barrier
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
#manyParts = #tile.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = [[2, 0], [4, 0], [8, 0], [16, 0]], block = []>
#manyResults = #tile.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [0]], warp = [[0], [0], [0], [0]], block = []>
func.func @sharedWork(%x: tensor<32x128xf32, #manyParts>, %p: tensor<128x!tile.ptr<f32>, #manyResults>)
    attributes {tile.kernel, tile.num_warps = 16 : i32} {
  %sum = tile.reduce(%x) axis 0 : (tensor<32x128xf32, #manyParts>) -> tensor<128xf32, #manyResults> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %p, %sum : tensor<128x!tile.ptr<f32>, #manyResults>
  return
}

#many = #tile.layout<register = [[1], [2], [4], [8], [16]], lane = [[0], [0], [0], [0], [0]], warp = [], block = []>

// Products are added one after the other, in eight chains, where each is one instruction with its addition.
// CHECK-LABEL: func.func @products
// CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : vector<32xf32>
// CHECK-NOT: arith.addf {{.*}} : vector<16xf32>
// CHECK-COUNT-3: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : vector<8xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : vector<4xf32>
func.func @products(%x: tensor<32xf32, #many>, %y: tensor<32xf32, #many>, %p: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %xy = arith.mulf %x, %y fastmath<contract> : tensor<32xf32, #many>
  %sum = tile.reduce(%xy) axis 0 : (tensor<32xf32, #many>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b fastmath<contract> : f32
    tile.yield %c : f32
  }
  tile.store %p, %sum : !tile.ptr<f32>
  return
}

#row = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []>

// A sum of the element at one place comes from the lane that has it; one of -0 and zeros is 0.
// CHECK-LABEL: func.func @selected
// CHECK: %[[PART:.*]] = arith.addf {{.*}} : vector<1xf32>
// CHECK: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<1xf32>
// CHECK: return
func.func @selected(%x: tensor<64xf32, #row>, %k: i32, %p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64xf32, #row>
  %places = tile.make_range 0 to 64 : tensor<64xi32, #row>
  %place = tile.splat %k : i32 -> tensor<64xi32, #row>
  %is = arith.cmpi eq, %places, %place : tensor<64xi32, #row>
  %one = arith.select %is, %x, %zeros : tensor<64xi1, #row>, tensor<64xf32, #row>
  %sum = tile.reduce(%one) axis 0 : (tensor<64xf32, #row>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %p, %sum : !tile.ptr<f32>
  return
}

// Not the greatest of such elements, nor a sum of several.
// CHECK-LABEL: func.func @notSelected
// CHECK-COUNT-10: nvvm.shfl.sync bfly
// CHECK: return
func.func @notSelected(%x: tensor<64xf32, #row>, %k: i32, %p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64xf32, #row>
  %places = tile.make_range 0 to 64 : tensor<64xi32, #row>
  %place = tile.splat %k : i32 -> tensor<64xi32, #row>
  %is = arith.cmpi eq, %places, %place : tensor<64xi32, #row>
  %one = arith.select %is, %x, %zeros : tensor<64xi1, #row>, tensor<64xf32, #row>
  %most = tile.reduce(%one) axis 0 : (tensor<64xf32, #row>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %below = arith.cmpi slt, %places, %place : tensor<64xi32, #row>
  %some = arith.select %below, %x, %zeros : tensor<64xi1, #row>, tensor<64xf32, #row>
  %sum = tile.reduce(%some) axis 0 : (tensor<64xf32, #row>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %both = arith.addf %most, %sum : f32
  tile.store %p, %both : !tile.ptr<f32>
  return
}

// Many results of a warp: a lane gives half of what it has and combines the other half, so that 8, 4, 2 and 1 are
// exchanged, the last of them in two steps; and as many on the way back. A butterfly of all would take 5 * 16.
#sixteen_rows = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []>
#sixteen_sums = #tile.layout<register = [[1], [2], [4], [8]], lane = [[0], [0], [0], [0], [0]], warp = [], block = []>

// CHECK-LABEL: func.func @shared_by_lanes
// CHECK: %[[BIT:.*]] = arith.andi %{{.*}}, %{{.*}} : i32
// CHECK: %[[UPPER:.*]] = arith.cmpi ne, %[[BIT]], %{{.*}} : i32
// CHECK: %[[KEPT:.*]] = arith.select %[[UPPER]], %[[HIGH:.*]], %[[LOW:.*]] : vector<8xf32>
// CHECK: arith.select %[[UPPER]], %[[LOW]], %[[HIGH]] : vector<8xf32>
// CHECK-COUNT-8: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK: arith.addf %[[KEPT]], %{{.*}} : vector<8xf32>
// CHECK-COUNT-23: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @shared_by_lanes(%x: tensor<32x16xf32, #sixteen_rows>, %q: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %sum = tile.reduce(%x) axis 0 : (tensor<32x16xf32, #sixteen_rows>) -> tensor<16xf32, #sixteen_sums> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %to = tile.splat %q : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>, #sixteen_sums>
  tile.store %to, %sum : tensor<16x!tile.ptr<f32>, #sixteen_sums>
  return
}
