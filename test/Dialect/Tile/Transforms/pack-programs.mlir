// RUN: tile-opt %s -tile-pack-programs | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=disable-heuristics=pack-programs -tile-pack-programs | FileCheck %s --check-prefix=OFF

// OFF-NOT: tile.packing
// OFF-NOT: tile.packed_form_of

// One warp of a packed launch reduces on its own; other launches keep their four.
// CHECK: func.func @rows(%{{.*}}) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.packing = array<i32: 32, 4, 16>, tile.tensor_maps = "launcher"}
// CHECK: func.func @rows.packed(%{{.*}}) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.packed_form_of = @rows, tile.tensor_maps = "launcher"}
// CHECK: tile.program_id x
// CHECK: tile.reduce
func.func @rows(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  %row = tile.program_id x
  %c512 = arith.constant 512 : i32
  %start = arith.muli %row, %c512 : i32
  %first = tile.splat %start : i32 -> tensor<512xi32>
  %r = tile.make_range 0 to 512 : tensor<512xi32>
  %places = arith.addi %first, %r : tensor<512xi32>
  %base = tile.splat %p : !tile.ptr<bf16> -> tensor<512x!tile.ptr<bf16>>
  %ptrs = tile.addptr %base, %places : tensor<512x!tile.ptr<bf16>>, tensor<512xi32>
  %x = tile.load %ptrs : tensor<512x!tile.ptr<bf16>>
  %wide = arith.extf %x : tensor<512xbf16> to tensor<512xf32>
  %sum = tile.reduce(%wide) axis 0 : (tensor<512xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %out = tile.addptr %q, %row : !tile.ptr<f32>, i32
  tile.store %out, %sum : !tile.ptr<f32>
  return
}

// Eight elements a lane where each is on its own, and more programs before it pays.
// CHECK: func.func @map(%{{.*}}) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.packing = array<i32: 64, 2, 24>,
// CHECK: func.func @map.packed(%{{.*}}) attributes {tile.kernel, tile.num_warps = 2 : i32, tile.packed_form_of = @map,
func.func @map(%p: tensor<512x!tile.ptr<bf16>>) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  %x = tile.load %p : tensor<512x!tile.ptr<bf16>>
  %y = arith.negf %x : tensor<512xbf16>
  tile.store %p, %y : tensor<512x!tile.ptr<bf16>>
  return
}

// A kernel that has as few warps needs no other form.
// CHECK: func.func @oneWarp(%{{.*}}) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.packing = array<i32: 32, 4, 16>,
// CHECK-NOT: oneWarp.packed
func.func @oneWarp(%p: tensor<128x!tile.ptr<f32>>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.tensor_maps = "launcher"} {
  %x = tile.load %p : tensor<128x!tile.ptr<f32>>
  tile.store %p, %x : tensor<128x!tile.ptr<f32>>
  return
}

// Whoever launches it may not know the record.
// CHECK: func.func @foreign(%{{.*}}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
func.func @foreign(%p: tensor<128x!tile.ptr<f32>>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %x = tile.load %p : tensor<128x!tile.ptr<f32>>
  tile.store %p, %x : tensor<128x!tile.ptr<f32>>
  return
}

// Memory takes longer than the start of a CTA.
// CHECK: func.func @large(
// CHECK-NOT: tile.packing
func.func @large(%p: tensor<512x!tile.ptr<f32>>) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  %x = tile.load %p : tensor<512x!tile.ptr<f32>>
  tile.store %p, %x : tensor<512x!tile.ptr<f32>>
  return
}

// How long loops take is not known. With one warp a program gains room for as many warps again.
// CHECK: func.func @loop(%{{.*}}) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.packing = array<i32: 32, 2, 32>,
func.func @loop(%p: tensor<128x!tile.ptr<f32>>, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.load %p : tensor<128x!tile.ptr<f32>>
    tile.store %p, %x : tensor<128x!tile.ptr<f32>>
  }
  return
}

// CHECK: func.func @loopOfWarps(
// CHECK-NOT: tile.packing
func.func @loopOfWarps(%p: tensor<128x!tile.ptr<f32>>, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32, tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.load %p : tensor<128x!tile.ptr<f32>>
    tile.store %p, %x : tensor<128x!tile.ptr<f32>>
  }
  return
}

// But four warps of a tile of 64 elements mostly repeat each other.
// CHECK: func.func @loopOfFew(%{{.*}}) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.packing = array<i32: 32, 4, 4>,
// CHECK: func.func @loopOfFew.packed(%{{.*}}) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.packed_form_of = @loopOfFew,
func.func @loopOfFew(%p: tensor<64x!tile.ptr<f32>>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.load %p : tensor<64x!tile.ptr<f32>>
    tile.store %p, %x : tensor<64x!tile.ptr<f32>>
  }
  return
}

// Programs that may wait for others take longer if these start together with them.
// CHECK: func.func @waits(
// CHECK-NOT: tile.packing
func.func @waits(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %old = tile.atomic_rmw add %p, %i sem = acq_rel scope = gpu : !tile.ptr<i32>
  }
  return
}

// Assembly by text: what reads the thread's number is not for another number of threads.
// CHECK: func.func @converts(
// CHECK-SAME: tile.packing
func.func @converts(%p: tensor<128x!tile.ptr<i32>>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.tensor_maps = "launcher"} {
  %x = tile.load %p : tensor<128x!tile.ptr<i32>>
  %y = tile.inline_asm "brev.b32 $0, $1;" constraints "=r,r" pack 1 pure(%x) : (tensor<128xi32>) -> tensor<128xi32>
  tile.store %p, %y : tensor<128x!tile.ptr<i32>>
  return
}
// CHECK: func.func @readsThread(
// CHECK-NOT: tile.packing
func.func @readsThread(%p: tensor<128x!tile.ptr<i32>>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.tensor_maps = "launcher"} {
  %x = tile.load %p : tensor<128x!tile.ptr<i32>>
  %y = tile.inline_asm "mov.u32 $0, %tid.x;" constraints "=r,r" pack 1 pure(%x) : (tensor<128xi32>) -> tensor<128xi32>
  tile.store %p, %y : tensor<128x!tile.ptr<i32>>
  return
}

// CHECK: func.func @cluster(
// CHECK-NOT: tile.packing
func.func @cluster(%p: tensor<128x!tile.ptr<f32>>) attributes {tile.kernel, tile.num_ctas = 2 : i32, tile.num_warps = 1 : i32, tile.tensor_maps = "launcher"} {
  %x = tile.load %p : tensor<128x!tile.ptr<f32>>
  tile.store %p, %x : tensor<128x!tile.ptr<f32>>
  return
}
