// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-pipeline-loads | FileCheck %s --check-prefixes=CHECK,LARGE
// RUN: tile-opt %s -tile-pipeline-loads | FileCheck %s --check-prefix=NONE
// RUN: tile-opt %s -tile-attach-target=arch=sm_86 -tile-pipeline-loads | FileCheck %s --check-prefixes=CHECK,SMALL

#spread = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
#large = #tile.layout<register = [[1], [2], [128], [256], [512], [1024], [2048]], lane = [[4], [8], [16], [32], [64]],
                      warp = [], block = []>

// Two loads are in flight before the loop, and one of them, or a later one, always is.
// CHECK-LABEL: func.func @threeStages
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <128xf32, #{{.*}}, slots = 3>
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[LO:.*]], %[[HI:.*]] : i32
// CHECK: scf.if %[[ANY]]
// CHECK: tile.buffer_copy %{{.*}} into %[[BUFFER]][%c0_i32] mask %[[MASK:.*]] :
// CHECK: tile.async_commit
// CHECK: arith.cmpi ugt
// CHECK: scf.if
// CHECK: tile.buffer_copy %{{.*}} into %[[BUFFER]][%c1_i32{{.*}}] mask %[[MASK]] :
// CHECK: tile.async_commit
// CHECK: scf.for %[[I:.*]] = %[[LO]] to %[[HI]] step %{{.*}} iter_args(%[[SLOT:.*]] = %{{.*}}) -> (i32)
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[SLOT]], %c1_i32
// CHECK: %[[BEFORE:.*]] = arith.subi %[[SLOT]], %c1_i32
// CHECK: %[[LAST:.*]] = arith.addi %[[SLOT]], %c2_i32
// CHECK: %[[FREE:.*]] = arith.select %[[FIRST]], %[[LAST]], %[[BEFORE]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[HI]], %[[I]]
// CHECK: %[[FAR:.*]] = arith.cmpi ugt
// CHECK: %[[MORE:.*]] = arith.andi %{{.*}}, %[[FAR]]
// CHECK: scf.if %[[MORE]]
// CHECK: tile.buffer_copy %{{.*}} into %[[BUFFER]][%[[FREE]]]
// CHECK: tile.async_commit
// CHECK-NEXT: tile.async_wait 2
// CHECK: %[[X:.*]] = tile.buffer_load %[[BUFFER]][%[[SLOT]]]
// CHECK-NOT: tile.load
// CHECK: tile.store %{{.*}}, %[[X]]
// CHECK: %[[NEXT:.*]] = arith.select
// CHECK: scf.yield %[[NEXT]]

// Where GPUs have no cp.async, nothing changes.
// NONE-NOT: tile.alloc_buffer
func.func @threeStages(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32>,
                       %lo: i32, %hi: i32, %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<128xf32, #spread>
  %range = tile.make_range 0 to 128 : tensor<128xi32, #spread>
  %limit = tile.splat %n : i32 -> tensor<128xi32, #spread>
  %mask = arith.cmpi slt, %range, %limit : tensor<128xi32, #spread>
  %out = tile.splat %q : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #spread>
  scf.for %i = %lo to %hi step %c1 : i32 {
    %offset = arith.muli %i, %n : i32
    %row = tile.addptr %p, %offset : !tile.ptr<f32>, i32
    %base = tile.splat %row : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #spread>
    %ptrs = tile.addptr %base, %range : tensor<128x!tile.ptr<f32>, #spread>, tensor<128xi32, #spread>
    %x = tile.load %ptrs mask %mask other %zeros : tensor<128x!tile.ptr<f32>, #spread>
    tile.store %out, %x mask %mask : tensor<128x!tile.ptr<f32>, #spread>
  } {tile.num_stages = 3 : i32}
  return
}

// What cannot go ahead stays: a load that must not find old values in caches, one through a pointer that such a load brings,
// one through a large tile that the loop carries, one of two bytes, and loads of a loop that asks for nothing.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: tile.alloc_buffer
// CHECK: scf.for
// CHECK-COUNT-5: tile.load
// CHECK: scf.for
// CHECK: tile.load
func.func @stay(%p: tensor<128x!tile.ptr<f32>, #spread>, %l: tensor<4096x!tile.ptr<f32>, #large>, %h: tensor<128x!tile.ptr<f16>, #spread>,
                %pp: tensor<128x!tile.ptr<!tile.ptr<f32>>, #spread>, %lo: i32, %hi: i32)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c1 = arith.constant 1 : i32
  %one = tile.splat %c1 : i32 -> tensor<4096xi32, #large>
  %last = scf.for %i = %lo to %hi step %c1 iter_args(%carried = %l) -> (tensor<4096x!tile.ptr<f32>, #large>) : i32 {
    %loaded = tile.load %pp cache = cv : tensor<128x!tile.ptr<!tile.ptr<f32>>, #spread>
    %a = tile.load %loaded : tensor<128x!tile.ptr<f32>, #spread>
    %b = tile.load %carried : tensor<4096x!tile.ptr<f32>, #large>
    %c = tile.load %h : tensor<128x!tile.ptr<f16>, #spread>
    %d = tile.load %p cache = cv : tensor<128x!tile.ptr<f32>, #spread>
    %next = tile.addptr %carried, %one : tensor<4096x!tile.ptr<f32>, #large>, tensor<4096xi32, #large>
    scf.yield %next : tensor<4096x!tile.ptr<f32>, #large>
  } {tile.num_stages = 2 : i32}
  scf.for %i = %lo to %hi step %c1 : i32 {
    %x = tile.load %p : tensor<128x!tile.ptr<f32>, #spread>
  }
  return
}

// Hints do not keep a load from going ahead, past caches as copies go. A load through a pointer that another one brings
// goes ahead, too: the pointers are loaded before, and carried.
// CHECK-LABEL: func.func @go
// CHECK: tile.alloc_buffer : <128xf32
// CHECK: tile.alloc_buffer : <128xf32
// CHECK: %[[FIRST:.*]] = tile.load %{{.*}} mask %{{.*}} cache = cg
// CHECK: scf.for {{.*}} %[[PTRS:[^ ]*]] = %[[FIRST]],
// CHECK: tile.buffer_copy %[[PTRS]] into
// CHECK: tile.buffer_copy
// CHECK: %[[NEXT:.*]] = tile.load %{{.*}} mask %{{.*}} cache = cg
// CHECK-NOT: tile.load
// CHECK: scf.yield %{{.*}}, %[[NEXT]],
func.func @go(%p: tensor<128x!tile.ptr<f32>, #spread>, %pp: tensor<128x!tile.ptr<!tile.ptr<f32>>, #spread>, %lo: i32, %hi: i32)
    -> tensor<128xf32, #spread> attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<128xf32, #spread>
  %sum = scf.for %i = %lo to %hi step %c1 iter_args(%acc = %zeros) -> (tensor<128xf32, #spread>) : i32 {
    %steps = tile.splat %i : i32 -> tensor<128xi32, #spread>
    %at = tile.addptr %pp, %steps : tensor<128x!tile.ptr<!tile.ptr<f32>>, #spread>, tensor<128xi32, #spread>
    %loaded = tile.load %at cache = cg : tensor<128x!tile.ptr<!tile.ptr<f32>>, #spread>
    %a = tile.load %loaded : tensor<128x!tile.ptr<f32>, #spread>
    %b = tile.load %p evict = first : tensor<128x!tile.ptr<f32>, #spread>
    %both = arith.addf %a, %b : tensor<128xf32, #spread>
    %next = arith.addf %acc, %both : tensor<128xf32, #spread>
    scf.yield %next : tensor<128xf32, #spread>
  } {tile.num_stages = 2 : i32}
  return %sum : tensor<128xf32, #spread>
}

// A slot takes 16 KiB. sm_80 has 115 KiB beyond the default size, enough for five slots; sm_86 has 51 KiB, enough for
// three. The slots of one loop take the place of those of another before it.
// CHECK-LABEL: func.func @limited
// LARGE: tile.alloc_buffer : <4096xf32, #{{.*}}, slots = 5>
// LARGE: tile.alloc_buffer : <4096xf32, #{{.*}}, slots = 4>
// SMALL: tile.alloc_buffer : <4096xf32, #{{.*}}, slots = 3>
// SMALL: tile.alloc_buffer : <4096xf32, #{{.*}}, slots = 3>
func.func @limited(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %lo: i32, %hi: i32,
                   %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c1 = arith.constant 1 : i32
  %range = tile.make_range 0 to 4096 : tensor<4096xi32, #large>
  scf.for %i = %lo to %hi step %c1 : i32 {
    %offset = arith.muli %i, %n : i32
    %row = tile.addptr %p, %offset : !tile.ptr<f32>, i32
    %base = tile.splat %row : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>, #large>
    %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<f32>, #large>, tensor<4096xi32, #large>
    %x = tile.load %ptrs : tensor<4096x!tile.ptr<f32>, #large>
    tile.store %ptrs, %x : tensor<4096x!tile.ptr<f32>, #large>
  } {tile.num_stages = 5 : i32}
  scf.for %i = %lo to %hi step %c1 : i32 {
    %offset = arith.muli %i, %n : i32
    %row = tile.addptr %p, %offset : !tile.ptr<f32>, i32
    %base = tile.splat %row : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>, #large>
    %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<f32>, #large>, tensor<4096xi32, #large>
    %x = tile.load %ptrs : tensor<4096x!tile.ptr<f32>, #large>
    tile.store %ptrs, %x : tensor<4096x!tile.ptr<f32>, #large>
  } {tile.num_stages = 4 : i32}
  return
}

// What another function of the module takes does not count.
// CHECK-LABEL: func.func @next
// LARGE: tile.alloc_buffer : <4096xf32, #{{.*}}, slots = 5>
// SMALL: tile.alloc_buffer : <4096xf32, #{{.*}}, slots = 3>
func.func @next(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %lo: i32, %hi: i32,
                %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c1 = arith.constant 1 : i32
  %range = tile.make_range 0 to 4096 : tensor<4096xi32, #large>
  scf.for %i = %lo to %hi step %c1 : i32 {
    %offset = arith.muli %i, %n : i32
    %row = tile.addptr %p, %offset : !tile.ptr<f32>, i32
    %base = tile.splat %row : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>, #large>
    %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<f32>, #large>, tensor<4096xi32, #large>
    %x = tile.load %ptrs : tensor<4096x!tile.ptr<f32>, #large>
    tile.store %ptrs, %x : tensor<4096x!tile.ptr<f32>, #large>
  } {tile.num_stages = 5 : i32}
  return
}

// Two lanes hold each element: one copies for both. The wait comes first, so that a single barrier can stand between it
// and the copies.
#pairs = #tile.layout<register = [], lane = [[0], [1], [2], [4], [8]], warp = [], block = []>
// CHECK-LABEL: func.func @shared
// CHECK: scf.for
// CHECK-NOT: tile.buffer_copy
// CHECK: tile.async_wait 0
// CHECK: tile.buffer_copy
// CHECK-NOT: tile.async_wait
// CHECK: tile.buffer_load
func.func @shared(%p: !tile.ptr<f32>, %lo: i32, %hi: i32, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c1 = arith.constant 1 : i32
  %range = tile.make_range 0 to 16 : tensor<16xi32, #pairs>
  scf.for %i = %lo to %hi step %c1 : i32 {
    %offset = arith.muli %i, %n : i32
    %row = tile.addptr %p, %offset : !tile.ptr<f32>, i32
    %base = tile.splat %row : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>, #pairs>
    %ptrs = tile.addptr %base, %range : tensor<16x!tile.ptr<f32>, #pairs>, tensor<16xi32, #pairs>
    %x = tile.load %ptrs : tensor<16x!tile.ptr<f32>, #pairs>
    tile.store %ptrs, %x : tensor<16x!tile.ptr<f32>, #pairs>
  } {tile.num_stages = 2 : i32}
  return
}
