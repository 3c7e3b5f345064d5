// RUN: tile-opt %s -tile-stream-tiles | FileCheck %s

// 256 elements on one warp, 4 at a time: two pieces. All are loaded first; the reduction walks over as many as have
// elements below %n and one more, since the maximum with what is masked is the same however often it is taken; the
// sum of exponentials likewise, for it adds zeros; the store walks over those with elements.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: tile.stream
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <128xf32, slots = 2>
// CHECK: tile.buffer_copy %{{.*}} into %[[BUFFER]][%c0_i32{{.*}}] mask
// CHECK: tile.buffer_copy %{{.*}} into %[[BUFFER]][%c1_i32{{.*}}] mask
// CHECK: tile.async_commit
// CHECK-NEXT: tile.async_wait 0
// CHECK: %[[FIRST:.*]] = tile.buffer_load %[[BUFFER]][%c0_i32{{.*}}] mask %{{.*}} previous
// CHECK: %[[LEAST:.*]] = arith.maxsi %[[N:.*]], %c1_i32
// CHECK: %[[COUNT:.*]] = arith.minsi %[[LEAST]], %c256_i32
// CHECK: %[[UP:.*]] = arith.addi %[[COUNT]], %c127_i32
// CHECK: %[[PIECES:.*]] = arith.divui %[[UP]], %c128_i32
// CHECK: %[[ONEMORE:.*]] = arith.addi %[[PIECES]], %c1_i32
// CHECK: %[[END:.*]] = arith.minsi %c2_i32{{.*}}, %[[ONEMORE]]
// CHECK: %[[PARTIAL:.*]] = scf.for %[[I:.*]] = %c1_i32{{.*}} to %[[END]] {{.*}} iter_args(%[[P:.*]] = %[[FIRST]])
// CHECK: %[[X:.*]] = tile.buffer_load %[[BUFFER]][%[[I]]] mask %{{.*}} previous
// CHECK: %[[MAX:.*]] = arith.maxnumf %[[P]], %[[X]] : tensor<128xf32>
// CHECK: scf.yield %[[MAX]]
// CHECK: %[[M:.*]] = tile.reduce(%[[PARTIAL]]) axis 0 : (tensor<128xf32>) -> f32
// CHECK: arith.minsi %c2_i32
// CHECK: scf.for
// CHECK: tile.buffer_load
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: tile.reduce
// CHECK: %[[STORED:.*]] = arith.divui
// CHECK: scf.for %{{.*}} = %c0_i32{{.*}} to %[[STORED]]
// CHECK: tile.buffer_load
// CHECK: math.exp
// CHECK: tile.store %{{.*}} : tensor<128x!tile.ptr<f32>>
// CHECK-NOT: tensor<256x
// CHECK: return
func.func @softmax(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.stream} {
  %low = arith.constant dense<0xFF800000> : tensor<256xf32>
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %limit = tile.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %range, %limit : tensor<256xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %ptrs mask %mask other %low : tensor<256x!tile.ptr<f32>>
  %m = tile.reduce(%x) axis 0 : (tensor<256xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %ms = tile.splat %m : f32 -> tensor<256xf32>
  %d = arith.subf %x, %ms : tensor<256xf32>
  %e = math.exp %d fastmath<afn> : tensor<256xf32>
  %s = tile.reduce(%e) axis 0 : (tensor<256xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %ss = tile.splat %s : f32 -> tensor<256xf32>
  %q = arith.divf %e, %ss : tensor<256xf32>
  tile.store %ptrs, %q mask %mask : tensor<256x!tile.ptr<f32>>
  return
}

// What one reduction reads does not wait: its loop loads each piece, masked as the whole was. 64 bytes a thread are a
// piece.
// CHECK-LABEL: func.func @readOnce
// CHECK-NOT: tile.alloc_buffer
// CHECK-NOT: tile.async
// CHECK: %[[FIRST:.*]] = tile.load %{{.*}} mask %{{.*}} other %{{.*}} evict = first : tensor<512x!tile.ptr<f32>>
// CHECK: scf.for %[[I:.*]] = %c1_i32{{.*}} iter_args(%[[P:.*]] = %[[FIRST]])
// CHECK: arith.muli %[[I]], %c512_i32
// CHECK: %[[X:.*]] = tile.load %{{.*}} mask %{{.*}} other %{{.*}} evict = first : tensor<512x!tile.ptr<f32>>
// CHECK: %[[MAX:.*]] = arith.maxnumf %[[P]], %[[X]] : tensor<512xf32>
// CHECK: scf.yield %[[MAX]]
func.func @readOnce(%p: !tile.ptr<f32>, %n: i32) -> f32 attributes {tile.kernel, tile.num_warps = 1 : i32, tile.stream} {
  %low = arith.constant dense<0xFF800000> : tensor<1024xf32>
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %limit = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %range, %limit : tensor<1024xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %ptrs mask %mask other %low evict = first : tensor<1024x!tile.ptr<f32>>
  %m = tile.reduce(%x) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  return %m : f32
}

// But not across a write that may change it.
// CHECK-LABEL: func.func @writtenBetween
// CHECK: tile.buffer_copy
// CHECK: tile.store %{{.*}} : !tile.ptr<f32>
// CHECK: tile.buffer_load
func.func @writtenBetween(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %v: f32) -> f32
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.stream} {
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %ptrs : tensor<256x!tile.ptr<f32>>
  tile.store %p, %v : !tile.ptr<f32>
  %m = tile.reduce(%x) axis 0 : (tensor<256xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  return %m : f32
}

// Nor across a volatile read, which may say that what was read is out of date.
// CHECK-LABEL: func.func @checkedAfter
// CHECK: tile.buffer_copy
// CHECK: tile.load %{{.*}} volatile : !tile.ptr<f32>
// CHECK: tile.buffer_load
func.func @checkedAfter(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) -> (f32, f32)
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.stream} {
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %ptrs : tensor<256x!tile.ptr<f32>>
  %version = tile.load %p volatile : !tile.ptr<f32>
  %m = tile.reduce(%x) axis 0 : (tensor<256xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  return %m, %version : f32, f32
}

// The mask of the second load needs what the first has brought.
// CHECK-LABEL: func.func @maskedByData
// CHECK: tile.buffer_copy
// CHECK: tile.async_wait 0
// CHECK: tile.buffer_load
// CHECK: tile.buffer_copy
// CHECK: tile.async_wait 0
// CHECK: tile.buffer_load
func.func @maskedByData(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.stream} {
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %pa = tile.addptr %ps, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %qa = tile.addptr %qs, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %pa : tensor<256x!tile.ptr<f32>>
  %some = arith.cmpf ogt, %x, %zero : tensor<256xf32>
  %y = tile.load %qa mask %some other %zero : tensor<256x!tile.ptr<f32>>
  tile.store %pa, %y : tensor<256x!tile.ptr<f32>>
  return
}

// All pieces count where masked elements differ, or would be added more than once: their positions here, then ones.
// CHECK-LABEL: func.func @allPieces
// CHECK: scf.for %{{.*}} = %c1_i32{{.*}} to %c2_i32{{.*}} step
// CHECK: arith.maxsi {{.*}} : tensor<128xi32>
// CHECK: scf.for %{{.*}} = %c1_i32{{.*}} to %c2_i32{{.*}} step
// CHECK: arith.addi {{.*}} : tensor<128xi32>
func.func @allPieces(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) -> (i32, i32)
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.stream} {
  %ones = arith.constant dense<1> : tensor<256xi32>
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %limit = tile.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %range, %limit : tensor<256xi32>
  %base = tile.splat %p : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %ptrs = tile.addptr %base, %range : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %x = tile.load %ptrs mask %mask other %ones : tensor<256x!tile.ptr<i32>>
  %y = arith.addi %x, %range : tensor<256xi32>
  %m = tile.reduce(%y) axis 0 : (tensor<256xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }
  %s = tile.reduce(%x) axis 0 : (tensor<256xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  return %m, %s : i32, i32
}

// Not asked for, or not possible: a volatile load.
// CHECK-LABEL: func.func @asItIs
// CHECK-NOT: tile.alloc_buffer
// CHECK-LABEL: func.func @volatile
// CHECK-NOT: tile.alloc_buffer
func.func @asItIs(%ptrs: tensor<256x!tile.ptr<i32>>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %x = tile.load %ptrs : tensor<256x!tile.ptr<i32>>
  tile.store %ptrs, %x : tensor<256x!tile.ptr<i32>>
  return
}
func.func @volatile(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.stream} {
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %base = tile.splat %p : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %ptrs = tile.addptr %base, %range : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %x = tile.load %ptrs volatile : tensor<256x!tile.ptr<i32>>
  tile.store %ptrs, %x : tensor<256x!tile.ptr<i32>>
  return
}

// More than 32 pieces are copied in a loop.
// CHECK-LABEL: func.func @many
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <128xf32, slots = 64>
// CHECK: scf.for %[[I:.*]] = %c0_i32{{.*}} to %c64_i32
// CHECK: tile.buffer_copy %{{.*}} into %[[BUFFER]][%[[I]]]
// CHECK-NOT: tile.buffer_copy
// CHECK: tile.async_commit
// CHECK-NEXT: tile.async_wait 0
func.func @many(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.stream} {
  %range = tile.make_range 0 to 8192 : tensor<8192xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<8192x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<8192x!tile.ptr<f32>>, tensor<8192xi32>
  %x = tile.load %ptrs : tensor<8192x!tile.ptr<f32>>
  tile.store %ptrs, %x : tensor<8192x!tile.ptr<f32>>
  return
}

// What the region takes from outside is the same for all elements.
// CHECK-LABEL: func.func @outside
// CHECK: scf.for
// CHECK: %[[BOUND:.*]] = tile.splat %arg1 : f32 -> tensor<{{[0-9]+}}xf32>
// CHECK: arith.cmpf ogt, %{{.*}}, %[[BOUND]] : tensor<{{[0-9]+}}xf32>
func.func @outside(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %bound: f32) -> f32 attributes {tile.kernel, tile.num_warps = 1 : i32, tile.stream} {
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %x = tile.load %ptrs : tensor<4096x!tile.ptr<f32>>
  %s = tile.reduce(%x) axis 0 : (tensor<4096xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %above = arith.cmpf ogt, %a, %bound : f32
    %c = arith.select %above, %a, %b : f32
    tile.yield %c : f32
  }
  return %s : f32
}

// Copies have read by the time that a barrier lets other threads write there, or a thread writes an element; also one
// in a branch.
// CHECK-LABEL: func.func @barrier
// CHECK: tile.async_commit
// CHECK-NEXT: tile.async_wait 0
// CHECK-NEXT: tile.barrier
// CHECK: tile.async_commit
// CHECK-NEXT: tile.async_wait 0
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.store %arg0
// CHECK-NOT: tile.async_wait
// CHECK: return
func.func @barrier(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %one: f32, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.stream} {
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %x = tile.load %ptrs : tensor<4096x!tile.ptr<f32>>
  tile.barrier
  %y = tile.load %ptrs : tensor<4096x!tile.ptr<f32>>
  scf.if %c {
    tile.store %p, %one : !tile.ptr<f32>
  }
  %sum = arith.addf %x, %y : tensor<4096xf32>
  tile.store %ptrs, %sum : tensor<4096x!tile.ptr<f32>>
  return
}
