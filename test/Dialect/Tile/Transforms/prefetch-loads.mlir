// RUN: tile-opt %s -tile-prefetch-loads | FileCheck %s

#wide = #tile.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [], block = []>
#few = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []>

// The next iteration's tile is loaded before this one's is used, in the last iteration under a mask of zeros.
// CHECK-LABEL: func.func @masked
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[LO:.*]], %[[HI:.*]] : i32
// CHECK: %[[EXISTS:.*]] = tile.splat %[[ANY]] : i1
// CHECK: %[[M:.*]] = arith.andi %{{.*}}, %[[EXISTS]]
// CHECK: %[[FIRST:.*]] = tile.load %{{.*}} mask %[[M]] other %{{.*}} evict = first
// CHECK: scf.for %[[I:.*]] = %[[LO]] to %[[HI]] step %[[STEP:.*]] iter_args(%[[ACC:.*]] = %{{.*}}, %[[X:.*]] = %[[FIRST]])
// CHECK: %[[GOES:.*]] = arith.andi
// CHECK: %[[NEXT_I:.*]] = arith.addi %[[I]], %[[STEP]] : i32
// CHECK: %[[MORE:.*]] = tile.splat %[[GOES]] : i1
// CHECK: tile.splat %[[NEXT_I]] : i32
// CHECK: %[[N:.*]] = arith.andi %{{.*}}, %[[MORE]]
// CHECK: %[[NEXT:.*]] = tile.load %{{.*}} mask %[[N]] other %{{.*}} evict = first
// CHECK-NOT: tile.load
// CHECK: %[[SUM:.*]] = arith.addf %[[ACC]], %[[X]]
// CHECK: scf.yield %[[SUM]], %[[NEXT]]
func.func @masked(%p: !tile.ptr<f32>, %lo: i32, %hi: i32, %step: i32) -> tensor<256xf32, #wide>
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<256xf32, #wide>
  %range = tile.make_range 0 to 256 : tensor<256xi32, #wide>
  %limit = tile.splat %hi : i32 -> tensor<256xi32, #wide>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #wide>
  %sum = scf.for %i = %lo to %hi step %step iter_args(%acc = %zeros) -> tensor<256xf32, #wide> : i32 {
    %start = tile.splat %i : i32 -> tensor<256xi32, #wide>
    %at = arith.addi %start, %range : tensor<256xi32, #wide>
    %mask = arith.cmpi slt, %at, %limit : tensor<256xi32, #wide>
    %ptrs = tile.addptr %base, %at : tensor<256x!tile.ptr<f32>, #wide>, tensor<256xi32, #wide>
    %x = tile.load %ptrs mask %mask other %zeros evict = first : tensor<256x!tile.ptr<f32>, #wide>
    %more = arith.addf %acc, %x : tensor<256xf32, #wide>
    scf.yield %more : tensor<256xf32, #wide>
  }
  return %sum : tensor<256xf32, #wide>
}

// What the loop carries is next what it yields now.
// CHECK-LABEL: func.func @carriedOffset
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[AT:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}})
// CHECK: %[[LATER:.*]] = arith.addi %[[AT]], %{{.*}} : i32
// CHECK: %[[OFFSETS:.*]] = tile.splat %[[LATER]]
// CHECK: %[[PTRS:.*]] = tile.addptr %{{.*}}, %[[OFFSETS]]
// CHECK: tile.load %[[PTRS]] mask
// CHECK: arith.addf %{{.*}}, %[[X]]
func.func @carriedOffset(%p: tensor<256x!tile.ptr<f32>, #wide>, %hi: i32, %stride: i32) -> tensor<256xf32, #wide>
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<256xf32, #wide>
  %sum, %end = scf.for %i = %c0 to %hi step %c1 iter_args(%acc = %zeros, %at = %c0) -> (tensor<256xf32, #wide>, i32) : i32 {
    %offsets = tile.splat %at : i32 -> tensor<256xi32, #wide>
    %ptrs = tile.addptr %p, %offsets : tensor<256x!tile.ptr<f32>, #wide>, tensor<256xi32, #wide>
    %x = tile.load %ptrs : tensor<256x!tile.ptr<f32>, #wide>
    %more = arith.addf %acc, %x : tensor<256xf32, #wide>
    %later = arith.addi %at, %stride : i32
    scf.yield %more, %later : tensor<256xf32, #wide>, i32
  }
  return %sum : tensor<256xf32, #wide>
}

// A loop of which some iteration stores, one that brings so little that ptxas unrolls it, one whose pointers were
// loaded, and one that asks for stages stay.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-4: scf.for {{.*}} : i32 {
// CHECK-NOT: scf.for
// CHECK: return
func.func @stays(%p: tensor<256x!tile.ptr<f32>, #wide>, %q: tensor<64x!tile.ptr<f32>, #few>,
                 %t: tensor<256x!tile.ptr<i32>, #wide>, %hi: i32)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %hi step %c1 : i32 {
    %offsets = tile.splat %i : i32 -> tensor<256xi32, #wide>
    %ptrs = tile.addptr %p, %offsets : tensor<256x!tile.ptr<f32>, #wide>, tensor<256xi32, #wide>
    %x = tile.load %ptrs : tensor<256x!tile.ptr<f32>, #wide>
    tile.store %p, %x : tensor<256x!tile.ptr<f32>, #wide>
  }
  scf.for %i = %c0 to %hi step %c1 : i32 {
    %offsets = tile.splat %i : i32 -> tensor<64xi32, #few>
    %ptrs = tile.addptr %q, %offsets : tensor<64x!tile.ptr<f32>, #few>, tensor<64xi32, #few>
    %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>, #few>
    %y = arith.addf %x, %x : tensor<64xf32, #few>
  }
  scf.for %i = %c0 to %hi step %c1 : i32 {
    %at = tile.load %t : tensor<256x!tile.ptr<i32>, #wide>
    %offsets = tile.splat %i : i32 -> tensor<256xi32, #wide>
    %moved = arith.addi %at, %offsets : tensor<256xi32, #wide>
    %ptrs = tile.addptr %p, %moved : tensor<256x!tile.ptr<f32>, #wide>, tensor<256xi32, #wide>
    %x = tile.load %ptrs : tensor<256x!tile.ptr<f32>, #wide>
    %y = arith.addf %x, %x : tensor<256xf32, #wide>
  }
  scf.for %i = %c0 to %hi step %c1 : i32 {
    %offsets = tile.splat %i : i32 -> tensor<256xi32, #wide>
    %ptrs = tile.addptr %p, %offsets : tensor<256x!tile.ptr<f32>, #wide>, tensor<256xi32, #wide>
    %x = tile.load %ptrs : tensor<256x!tile.ptr<f32>, #wide>
    %y = arith.addf %x, %x : tensor<256xf32, #wide>
  } {tile.num_stages = 2 : i32}
  return
}

// Within another loop iterations are few, and little is enough.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK: tile.load
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<64xf32, #{{.*}}>)
// CHECK: tile.load
func.func @nested(%q: tensor<64x!tile.ptr<f32>, #few>, %hi: i32)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %j = %c0 to %hi step %c1 : i32 {
    scf.for %i = %c0 to %hi step %c1 : i32 {
      %both = arith.addi %i, %j : i32
      %offsets = tile.splat %both : i32 -> tensor<64xi32, #few>
      %ptrs = tile.addptr %q, %offsets : tensor<64x!tile.ptr<f32>, #few>, tensor<64xi32, #few>
      %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>, #few>
      %y = arith.addf %x, %x : tensor<64xf32, #few>
    }
  }
  return
}

// ptxas unrolls an inner loop, too, if its number of iterations is constant and its loads have no masks.
// CHECK-LABEL: func.func @counted
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: scf.for {{.*}} iter_args
func.func @counted(%q: tensor<64x!tile.ptr<f32>, #few>, %m: tensor<64xi1, #few>, %hi: i32)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  scf.for %j = %c0 to %hi step %c1 : i32 {
    scf.for %i = %c0 to %c64 step %c1 : i32 {
      %offsets = tile.splat %i : i32 -> tensor<64xi32, #few>
      %ptrs = tile.addptr %q, %offsets : tensor<64x!tile.ptr<f32>, #few>, tensor<64xi32, #few>
      %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>, #few>
      %y = arith.addf %x, %x : tensor<64xf32, #few>
    }
    scf.for %i = %c0 to %c64 step %c1 : i32 {
      %offsets = tile.splat %i : i32 -> tensor<64xi32, #few>
      %ptrs = tile.addptr %q, %offsets : tensor<64x!tile.ptr<f32>, #few>, tensor<64xi32, #few>
      %x = tile.load %ptrs mask %m : tensor<64x!tile.ptr<f32>, #few>
      %y = arith.addf %x, %x : tensor<64xf32, #few>
    }
  }
  return
}

// Beside copies that go ahead each other load costs its latency, however small: it goes ahead, too, if nothing is stored.
// CHECK-LABEL: func.func @besideCopies
// CHECK: %[[FIRST:.*]] = tile.load
// CHECK: scf.for {{.*}} iter_args(%{{[^ ]*}} = %{{[^ ]*}}, %[[SCALE:[^ ]*]] = %[[FIRST]])
// CHECK: %[[NEXT:.*]] = tile.load
// CHECK: tile.buffer_copy
// CHECK: tile.splat %[[SCALE]]
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
func.func @besideCopies(%p: tensor<64x!tile.ptr<f32>, #few>, %s: !tile.ptr<f32>, %hi: i32) -> tensor<64xf32, #few>
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64xf32, #few>
  %slots = tile.alloc_buffer : <64xf32, #tile.shared<[1, 2, 4, 8, 16, 32]>, slots = 2>
  %sum = scf.for %i = %c0 to %hi step %c1 iter_args(%acc = %zeros) -> (tensor<64xf32, #few>) : i32 {
    tile.buffer_copy %p into %slots[%c1] : tensor<64x!tile.ptr<f32>, #few>, <64xf32, #tile.shared<[1, 2, 4, 8, 16, 32]>, slots = 2>
    tile.async_commit
    tile.async_wait 1
    %x = tile.buffer_load %slots[%c0] : <64xf32, #tile.shared<[1, 2, 4, 8, 16, 32]>, slots = 2> -> tensor<64xf32, #few>
    %at = tile.addptr %s, %i : !tile.ptr<f32>, i32
    %scale = tile.load %at : !tile.ptr<f32>
    %scales = tile.splat %scale : f32 -> tensor<64xf32, #few>
    %scaled = arith.mulf %x, %scales : tensor<64xf32, #few>
    %more = arith.addf %acc, %scaled : tensor<64xf32, #few>
    scf.yield %more : tensor<64xf32, #few>
  }
  return %sum : tensor<64xf32, #few>
}

// CHECK-LABEL: func.func @storesBesideCopies
// CHECK: scf.for
// CHECK: tile.async_wait
// CHECK: tile.load
func.func @storesBesideCopies(%p: tensor<64x!tile.ptr<f32>, #few>, %s: !tile.ptr<f32>, %hi: i32)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %slots = tile.alloc_buffer : <64xf32, #tile.shared<[1, 2, 4, 8, 16, 32]>, slots = 2>
  scf.for %i = %c0 to %hi step %c1 : i32 {
    tile.buffer_copy %p into %slots[%c1] : tensor<64x!tile.ptr<f32>, #few>, <64xf32, #tile.shared<[1, 2, 4, 8, 16, 32]>, slots = 2>
    tile.async_commit
    tile.async_wait 1
    %at = tile.addptr %s, %i : !tile.ptr<f32>, i32
    %scale = tile.load %at : !tile.ptr<f32>
    tile.store %at, %scale : !tile.ptr<f32>
  }
  return
}

// A loop of a few iterations around it does not stay one.
// CHECK-LABEL: func.func @inUnrolled
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: return
func.func @inUnrolled(%q: tensor<64x!tile.ptr<f32>, #few>, %hi: i32)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  scf.for %j = %c0 to %c2 step %c1 : i32 {
    scf.for %i = %c0 to %hi step %c1 : i32 {
      %both = arith.addi %i, %j : i32
      %offsets = tile.splat %both : i32 -> tensor<64xi32, #few>
      %ptrs = tile.addptr %q, %offsets : tensor<64x!tile.ptr<f32>, #few>, tensor<64xi32, #few>
      %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>, #few>
      %y = arith.addf %x, %x : tensor<64xf32, #few>
    }
  }
  return
}

// A division by what the loop keeps happens in each iteration anyway, so also for the next one. Before the loop the divisor
// may be zero, if there are no iterations.
// CHECK-LABEL: func.func @groups
// CHECK-SAME: %[[HI:[^:]*]]: i32, %[[SIZE:[^:]*]]: i32
// CHECK: %[[SOME:.*]] = arith.maxui %[[SIZE]], %{{.*}} : i32
// CHECK: arith.divsi %{{.*}}, %[[SOME]] : i32
// CHECK: tile.load
// CHECK: scf.for
// CHECK: arith.divsi %{{.*}}, %[[SIZE]] : i32
// CHECK: tile.load
// CHECK-NOT: tile.load
// CHECK: scf.yield
func.func @groups(%p: tensor<256x!tile.ptr<f32>, #wide>, %hi: i32, %size: i32) -> tensor<256xf32, #wide>
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<256xf32, #wide>
  %sum = scf.for %i = %c0 to %hi step %c1 iter_args(%acc = %zeros) -> (tensor<256xf32, #wide>) : i32 {
    %group = arith.divsi %i, %size : i32
    %offsets = tile.splat %group : i32 -> tensor<256xi32, #wide>
    %ptrs = tile.addptr %p, %offsets : tensor<256x!tile.ptr<f32>, #wide>, tensor<256xi32, #wide>
    %x = tile.load %ptrs : tensor<256x!tile.ptr<f32>, #wide>
    %more = arith.addf %acc, %x : tensor<256xf32, #wide>
    scf.yield %more : tensor<256xf32, #wide>
  }
  return %sum : tensor<256xf32, #wide>
}
