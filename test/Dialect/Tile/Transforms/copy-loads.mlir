// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-assign-layouts -cse -tile-expand-exchanges -tile-sink-loads -tile-copy-loads -canonicalize | FileCheck %s
// RUN: tile-opt %s -tile-attach-target="arch=sm_80 disable-heuristics=copy-loads" -tile-assign-layouts -cse -tile-expand-exchanges -tile-sink-loads -tile-copy-loads | FileCheck %s --check-prefix=OFF
// RUN: tile-opt %s -tile-attach-target=arch=sm_75 -tile-assign-layouts -cse -tile-expand-exchanges -tile-copy-loads | FileCheck %s --check-prefix=OFF

// Both factors are loaded only to be stored in buffers. Their copies start first of all; the first product waits for its own two.
// CHECK-LABEL: func.func @two_products
// CHECK-NOT: tile.load
// CHECK: %[[LEFT:.*]] = tile.alloc_buffer : <64x64xf16
// CHECK-NEXT: tile.buffer_copy %{{.*}} into %[[LEFT]] : tensor<64x64x
// CHECK-NEXT: tile.async_commit ordered
// CHECK: %[[RIGHT:.*]] = tile.alloc_buffer : <64x64xf16
// CHECK-NEXT: tile.buffer_copy %{{.*}} into %[[RIGHT]] mask %{{.*}} : tensor<64x64x
// CHECK-NEXT: tile.async_commit ordered
// CHECK: %[[THIRD:.*]] = tile.alloc_buffer : <64x64xf16
// CHECK-NEXT: tile.buffer_copy %{{.*}} into %[[THIRD]] : tensor<64x64x
// CHECK-NEXT: tile.async_commit ordered
// CHECK: tile.async_wait 1 ordered
// CHECK: tile.buffer_load %[[LEFT]]
// CHECK: tile.buffer_load %[[RIGHT]]
// CHECK-NOT: tile.async_wait
// CHECK: tile.dot
// CHECK: tile.async_wait 0 ordered
// CHECK: tile.buffer_load %[[THIRD]]
// CHECK: tile.dot
// OFF-LABEL: func.func @two_products
// OFF-NOT: tile.buffer_copy
func.func @two_products(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %lines = arith.muli %column, %pitch : tensor<64x1xi32>
  %x = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %y = tile.broadcast %lines : tensor<64x1xi32> -> tensor<64x64xi32>
  %places = arith.addi %x, %y : tensor<64x64xi32>
  %limit = tile.splat %n : i32 -> tensor<64x1xi32>
  %below = arith.cmpi slt, %column, %limit : tensor<64x1xi32>
  %inside = tile.broadcast %below : tensor<64x1xi1> -> tensor<64x64xi1>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %left = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
  %none = arith.constant dense<0.0> : tensor<64x64xf16>
  %right = tile.load %bp mask %inside other %none : tensor<64x64x!tile.ptr<f16>>
  %first = tile.dot %left, %right, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %again = arith.truncf %first : tensor<64x64xf32> to tensor<64x64xf16>
  %next = arith.constant dense<4096> : tensor<64x64xi32>
  %cp2 = tile.addptr %bp, %next : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %third = tile.load %cp2 : tensor<64x64x!tile.ptr<f16>>
  %sum = tile.dot %again, %third, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// What the mask excludes is not 0, and copies fill up with zeros.
// CHECK-LABEL: func.func @filled_with_ones
// CHECK-NOT: tile.buffer_copy
// CHECK: return
func.func @filled_with_ones(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %lines = arith.muli %column, %pitch : tensor<64x1xi32>
  %x = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %y = tile.broadcast %lines : tensor<64x1xi32> -> tensor<64x64xi32>
  %places = arith.addi %x, %y : tensor<64x64xi32>
  %limit = tile.splat %n : i32 -> tensor<64x1xi32>
  %below = arith.cmpi slt, %column, %limit : tensor<64x1xi32>
  %inside = tile.broadcast %below : tensor<64x1xi1> -> tensor<64x64xi1>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %ones = arith.constant dense<1.0> : tensor<64x64xf16>
  %left = tile.load %ap mask %inside other %ones : tensor<64x64x!tile.ptr<f16>>
  %right = tile.load %bp mask %inside other %ones : tensor<64x64x!tile.ptr<f16>>
  %sum = tile.dot %left, %right, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Without alignment a copy would have 2 bytes.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: tile.buffer_copy
// CHECK: return
func.func @narrow(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %lines = arith.muli %column, %pitch : tensor<64x1xi32>
  %x = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %y = tile.broadcast %lines : tensor<64x1xi32> -> tensor<64x64xi32>
  %places = arith.addi %x, %y : tensor<64x64xi32>
  %limit = tile.splat %n : i32 -> tensor<64x1xi32>
  %below = arith.cmpi slt, %column, %limit : tensor<64x1xi32>
  %inside = tile.broadcast %below : tensor<64x1xi1> -> tensor<64x64xi1>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %left = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
  %right = tile.load %bp : tensor<64x64x!tile.ptr<f16>>
  %sum = tile.dot %left, %right, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// A copy keeps what a load says of caches, but for cache operators, which it has none of. Nor are volatile loads copied.
// CHECK-LABEL: func.func @hints
// CHECK: tile.buffer_copy {{.*}} evict = last
// CHECK-NOT: tile.buffer_copy
// CHECK: return
// CHECK-LABEL: func.func @operators
// CHECK-NOT: tile.buffer_copy
// CHECK: return
func.func @hints(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %lines = arith.muli %column, %pitch : tensor<64x1xi32>
  %x = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %y = tile.broadcast %lines : tensor<64x1xi32> -> tensor<64x64xi32>
  %places = arith.addi %x, %y : tensor<64x64xi32>
  %limit = tile.splat %n : i32 -> tensor<64x1xi32>
  %below = arith.cmpi slt, %column, %limit : tensor<64x1xi32>
  %inside = tile.broadcast %below : tensor<64x1xi1> -> tensor<64x64xi1>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %left = tile.load %ap evict = last : tensor<64x64x!tile.ptr<f16>>
  %right = tile.load %bp volatile : tensor<64x64x!tile.ptr<f16>>
  %sum = tile.dot %left, %right, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

func.func @operators(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %lines = arith.muli %column, %pitch : tensor<64x1xi32>
  %x = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %y = tile.broadcast %lines : tensor<64x1xi32> -> tensor<64x64xi32>
  %places = arith.addi %x, %y : tensor<64x64xi32>
  %limit = tile.splat %n : i32 -> tensor<64x1xi32>
  %below = arith.cmpi slt, %column, %limit : tensor<64x1xi32>
  %inside = tile.broadcast %below : tensor<64x1xi1> -> tensor<64x64xi1>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %left = tile.load %ap cache = cg : tensor<64x64x!tile.ptr<f16>>
  %right = tile.load %bp volatile : tensor<64x64x!tile.ptr<f16>>
  %sum = tile.dot %left, %right, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// What is computed with is in registers in any case.
// CHECK-LABEL: func.func @computed_with
// CHECK-NOT: tile.buffer_copy
// CHECK: return
func.func @computed_with(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %lines = arith.muli %column, %pitch : tensor<64x1xi32>
  %x = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %y = tile.broadcast %lines : tensor<64x1xi32> -> tensor<64x64xi32>
  %places = arith.addi %x, %y : tensor<64x64xi32>
  %limit = tile.splat %n : i32 -> tensor<64x1xi32>
  %below = arith.cmpi slt, %column, %limit : tensor<64x1xi32>
  %inside = tile.broadcast %below : tensor<64x1xi1> -> tensor<64x64xi1>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %one = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
  %two = tile.load %bp : tensor<64x64x!tile.ptr<f16>>
  %left = arith.addf %one, %two : tensor<64x64xf16>
  %right = arith.mulf %one, %two : tensor<64x64xf16>
  %sum = tile.dot %left, %right, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// All rows are the same: all but the first come from the cache that copies of 16 bytes bypass.
// CHECK-LABEL: func.func @same_rows
// CHECK-NOT: tile.buffer_copy
// CHECK: return
func.func @same_rows(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %lines = arith.muli %column, %pitch : tensor<64x1xi32>
  %x = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %y = tile.broadcast %lines : tensor<64x1xi32> -> tensor<64x64xi32>
  %places = arith.addi %x, %y : tensor<64x64xi32>
  %limit = tile.splat %n : i32 -> tensor<64x1xi32>
  %below = arith.cmpi slt, %column, %limit : tensor<64x1xi32>
  %inside = tile.broadcast %below : tensor<64x1xi1> -> tensor<64x64xi1>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %ra = tile.addptr %as, %x : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %rb = tile.addptr %bs, %x : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %left = tile.load %ra : tensor<64x64x!tile.ptr<f16>>
  %right = tile.load %rb : tensor<64x64x!tile.ptr<f16>>
  %sum = tile.dot %left, %right, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// The copy does not move up over a store, which may write what it reads.
// CHECK-LABEL: func.func @behind_a_store
// CHECK: tile.dot
// CHECK: tile.store
// CHECK: tile.buffer_copy
// CHECK: tile.async_wait 0 ordered
// CHECK: tile.dot
func.func @behind_a_store(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %lines = arith.muli %column, %pitch : tensor<64x1xi32>
  %x = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %y = tile.broadcast %lines : tensor<64x1xi32> -> tensor<64x64xi32>
  %places = arith.addi %x, %y : tensor<64x64xi32>
  %limit = tile.splat %n : i32 -> tensor<64x1xi32>
  %below = arith.cmpi slt, %column, %limit : tensor<64x1xi32>
  %inside = tile.broadcast %below : tensor<64x1xi1> -> tensor<64x64xi1>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %left = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
  %right = tile.load %bp : tensor<64x64x!tile.ptr<f16>>
  %first = tile.dot %left, %right, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %again = arith.truncf %first : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %ap, %again : tensor<64x64x!tile.ptr<f16>>
  %next = arith.constant dense<4096> : tensor<64x64xi32>
  %tp = tile.addptr %bp, %next : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %third = tile.load %tp : tensor<64x64x!tile.ptr<f16>>
  %sum = tile.dot %again, %third, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Loops that copy ahead count groups; their loads stay.
// CHECK-LABEL: func.func @counted
// CHECK: scf.for
// CHECK: tile.async_commit
// CHECK-NOT: tile.buffer_copy
// CHECK: scf.yield
func.func @counted(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %lines = arith.muli %column, %pitch : tensor<64x1xi32>
  %x = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %y = tile.broadcast %lines : tensor<64x1xi32> -> tensor<64x64xi32>
  %places = arith.addi %x, %y : tensor<64x64xi32>
  %limit = tile.splat %n : i32 -> tensor<64x1xi32>
  %below = arith.cmpi slt, %column, %limit : tensor<64x1xi32>
  %inside = tile.broadcast %below : tensor<64x1xi1> -> tensor<64x64xi1>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    tile.async_commit
    tile.async_wait 1
    %left = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
    %right = tile.load %bp : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}
