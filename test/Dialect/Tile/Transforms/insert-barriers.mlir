// RUN: tile-opt %s -tile-insert-barriers -split-input-file -verify-diagnostics | FileCheck %s

#ahead = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>
#map = #tile.shared<[1, 2, 4, 8, 16, 32]>

// Threads wait before they read what others write, not before they write what nobody has touched.
// CHECK-LABEL: func.func @readAfterWrite
// CHECK: tile.alloc_buffer
// CHECK-NEXT: tile.buffer_store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_load
// CHECK-NEXT: return
func.func @readAfterWrite(%x: tensor<64xf32, #ahead>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.alloc_buffer at 0 : !tile.buffer<64xf32, #map>
  tile.buffer_store %x, %0 : tensor<64xf32, #ahead>, !tile.buffer<64xf32, #map>
  %1 = tile.buffer_load %0 : !tile.buffer<64xf32, #map> -> tensor<64xf32, #ahead>
  return
}

// Two buffers in one place: slow threads may still read the first. A barrier that is there already serves.
// CHECK-LABEL: func.func @writeAfterRead
// CHECK: tile.buffer_load
// CHECK: tile.barrier
// CHECK-NEXT: tile.buffer_store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_load
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_store
// CHECK-NEXT: return
func.func @writeAfterRead(%x: tensor<64xf32, #ahead>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.alloc_buffer at 0 : !tile.buffer<64xf32, #map>
  %1 = tile.alloc_buffer at 128 : !tile.buffer<64xf32, #map>
  tile.buffer_store %x, %0 : tensor<64xf32, #ahead>, !tile.buffer<64xf32, #map>
  %2 = tile.buffer_load %0 : !tile.buffer<64xf32, #map> -> tensor<64xf32, #ahead>
  tile.buffer_store %x, %1 : tensor<64xf32, #ahead>, !tile.buffer<64xf32, #map>
  %3 = tile.buffer_load %1 : !tile.buffer<64xf32, #map> -> tensor<64xf32, #ahead>
  tile.barrier
  tile.buffer_store %x, %0 : tensor<64xf32, #ahead>, !tile.buffer<64xf32, #map>
  return
}

// The end of a loop's body comes before its start.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_load
func.func @loop(%x: tensor<64xf32, #ahead>, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.alloc_buffer at 0 : !tile.buffer<64xf32, #map>
  scf.for %i = %n to %n step %n : i32 {
    tile.buffer_store %x, %0 : tensor<64xf32, #ahead>, !tile.buffer<64xf32, #map>
    %1 = tile.buffer_load %0 : !tile.buffer<64xf32, #map> -> tensor<64xf32, #ahead>
  }
  return
}

// What is there before a loop is waited for once, before it, not in each iteration.
// CHECK-LABEL: func.func @beforeLoop
// CHECK: tile.buffer_store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.buffer_load
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @beforeLoop(%x: tensor<64xf32, #ahead>, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.alloc_buffer at 0 : !tile.buffer<64xf32, #map>
  tile.buffer_store %x, %0 : tensor<64xf32, #ahead>, !tile.buffer<64xf32, #map>
  scf.for %i = %n to %n step %n : i32 {
    %1 = tile.buffer_load %0 : !tile.buffer<64xf32, #map> -> tensor<64xf32, #ahead>
  }
  return
}

// Where the loop waits in each iteration anyway, that serves.
// CHECK-LABEL: func.func @inLoopAnyway
// CHECK: tile.buffer_store
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_load
// CHECK-NEXT: tile.buffer_load
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @inLoopAnyway(%x: tensor<64xf32, #ahead>, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.alloc_buffer at 0 : !tile.buffer<64xf32, #map>
  %1 = tile.alloc_buffer at 256 : !tile.buffer<64xf32, #map>
  tile.buffer_store %x, %0 : tensor<64xf32, #ahead>, !tile.buffer<64xf32, #map>
  scf.for %i = %n to %n step %n : i32 {
    tile.buffer_store %x, %1 : tensor<64xf32, #ahead>, !tile.buffer<64xf32, #map>
    %2 = tile.buffer_load %1 : !tile.buffer<64xf32, #map> -> tensor<64xf32, #ahead>
    %3 = tile.buffer_load %0 : !tile.buffer<64xf32, #map> -> tensor<64xf32, #ahead>
  }
  return
}

// An atomic operation on one element orders what all threads do. Of a tile, each thread orders its own.
// CHECK-LABEL: func.func @atomic
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.atomic_rmw
// CHECK-NEXT: tile.atomic_cas
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.atomic_rmw
// CHECK-NEXT: return
func.func @atomic(%p: !tile.ptr<i32>, %v: i32, %t: tensor<64x!tile.ptr<i32>, #ahead>, %x: tensor<64xi32, #ahead>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.atomic_rmw add %p, %v sem = release scope = gpu : !tile.ptr<i32>
  %1 = tile.atomic_cas %p, %v, %v sem = acquire scope = gpu : !tile.ptr<i32>
  tile.store %p, %1 : !tile.ptr<i32>
  %2 = tile.atomic_rmw add %t, %x sem = acq_rel scope = gpu : tensor<64x!tile.ptr<i32>, #ahead>
  return
}

// -----

func.func @noPlace() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  // expected-error @+1 {{'tile.alloc_buffer' op has no place yet; run tile-allocate-shared first}}
  %0 = tile.alloc_buffer : !tile.buffer<4xf32, #tile.shared<[1, 2]>>
  return
}

// -----

#own = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>
#map = #tile.shared<[1, 2, 4, 8, 16, 32]>

// Each thread reads what it has copied itself.
// CHECK-LABEL: func.func @ownCopies
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @ownCopies(%p: tensor<64x!tile.ptr<f32>, #own>, %lo: i32, %hi: i32, %slot: i32)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %one = arith.constant 1 : i32
  %0 = tile.alloc_buffer at 0 : !tile.buffer<64xf32, #map, slots = 2>
  scf.for %i = %lo to %hi step %one : i32 {
    tile.buffer_copy %p into %0[%slot] : tensor<64x!tile.ptr<f32>, #own>, !tile.buffer<64xf32, #map, slots = 2>
    tile.async_commit
    tile.async_wait 1
    %1 = tile.buffer_load %0[%slot] : !tile.buffer<64xf32, #map, slots = 2> -> tensor<64xf32, #own>
  }
  return
}

// -----

#own = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>
#all = #tile.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [[0]], block = []>
#map = #tile.shared<[1, 2, 4, 8, 16, 32]>

// Others read it: they wait for the copies that are done, and the next copies for what is still read. One barrier does
// both, since the copies in flight fill other slots.
// CHECK-LABEL: func.func @othersCopies
// CHECK: scf.for
// CHECK-NEXT: tile.async_wait 0
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_copy
// CHECK-NEXT: tile.async_commit
// CHECK-NEXT: tile.buffer_load
// CHECK-NEXT: }
func.func @othersCopies(%p: tensor<64x!tile.ptr<f32>, #own>, %lo: i32, %hi: i32, %slot: i32)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %one = arith.constant 1 : i32
  %0 = tile.alloc_buffer at 0 : !tile.buffer<64xf32, #map, slots = 2>
  tile.buffer_copy %p into %0[%slot] : tensor<64x!tile.ptr<f32>, #own>, !tile.buffer<64xf32, #map, slots = 2>
  tile.async_commit
  scf.for %i = %lo to %hi step %one : i32 {
    tile.async_wait 0
    tile.buffer_copy %p into %0[%slot] : tensor<64x!tile.ptr<f32>, #own>, !tile.buffer<64xf32, #map, slots = 2>
    tile.async_commit
    %1 = tile.buffer_load %0[%slot] : !tile.buffer<64xf32, #map, slots = 2> -> tensor<64xf32, #all>
  }
  return
}

// -----

#own = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>
#all = #tile.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [[0]], block = []>
#map = #tile.shared<[1, 2, 4, 8, 16, 32]>

// Copies that start under a condition wait before it, so that what is read behind it needs no barrier of its own.
// CHECK-LABEL: func.func @conditionalCopies
// CHECK: scf.for
// CHECK-NEXT: tile.async_wait 0
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.buffer_copy
// CHECK-NEXT: }
// CHECK-NEXT: tile.async_commit
// CHECK-NEXT: tile.buffer_load
// CHECK-NEXT: }
func.func @conditionalCopies(%p: tensor<64x!tile.ptr<f32>, #own>, %lo: i32, %hi: i32, %slot: i32, %more: i1)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %one = arith.constant 1 : i32
  %0 = tile.alloc_buffer at 0 : !tile.buffer<64xf32, #map, slots = 2>
  tile.buffer_copy %p into %0[%slot] : tensor<64x!tile.ptr<f32>, #own>, !tile.buffer<64xf32, #map, slots = 2>
  tile.async_commit
  scf.for %i = %lo to %hi step %one : i32 {
    tile.async_wait 0
    scf.if %more {
      tile.buffer_copy %p into %0[%slot] : tensor<64x!tile.ptr<f32>, #own>, !tile.buffer<64xf32, #map, slots = 2>
    }
    tile.async_commit
    %1 = tile.buffer_load %0[%slot] : !tile.buffer<64xf32, #map, slots = 2> -> tensor<64xf32, #all>
  }
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>
#all = #tile.layout<register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], warp = [[0, 0]], block = []>
!map = !tile.tensor_map<8x16xf32, #lines>
!slots = !tile.buffer<8x16xf32, #lines, slots = 2>

// A block says by its barrier that it has landed, so that nobody else waits for it; but it waits for what is still read.
// CHECK-LABEL: func.func @blocks
// CHECK: tile.bulk_copy
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.mbarrier_wait
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: scf.if
// CHECK-NEXT: tile.bulk_copy
// CHECK-NEXT: }
// CHECK-NEXT: tile.buffer_load
// CHECK-NEXT: }
func.func @blocks(%map: !map, %lo: i32, %hi: i32, %slot: i32, %more: i1) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %one = arith.constant 1 : i32
  %landed = tile.alloc_mbarrier at 2048 slots 2 arrivals 1
  %0 = tile.alloc_buffer at 0 : !slots
  tile.bulk_copy %map[%lo, %lo] into %0[%slot] arrive %landed[%slot] : !map, !slots
  scf.for %i = %lo to %hi step %one : i32 {
    tile.mbarrier_wait %landed[%slot], %lo
    scf.if %more {
      tile.bulk_copy %map[%lo, %lo] into %0[%slot] arrive %landed[%slot] : !map, !slots
    }
    %1 = tile.buffer_load %0[%slot] : !slots -> tensor<8x16xf32, #all>
  }
  return
}

// Maps are composed where something else was, and will be, by threads that others wait for.
// CHECK-LABEL: func.func @maps
// CHECK: tile.buffer_load
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.make_tensor_maps
// CHECK-NEXT: tile.release_tensor_maps
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_store
func.func @maps(%x: tensor<8x16xf32, #all>, %p: !tile.ptr<f32>, %n: i64) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.alloc_buffer at 0 : !tile.buffer<8x16xf32, #lines>
  %scratch = tile.alloc_buffer at 0 : !tile.buffer<128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>
  tile.buffer_store %x, %0 : tensor<8x16xf32, #all>, !tile.buffer<8x16xf32, #lines>
  %1 = tile.buffer_load %0 : !tile.buffer<8x16xf32, #lines> -> tensor<8x16xf32, #all>
  %place, %map = tile.make_tensor_maps %p : !tile.ptr<f32> sizes [%n, %n] strides [%n, %n] through %scratch : !tile.buffer<128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>> -> !map
  tile.release_tensor_maps %place
  tile.buffer_store %x, %0 : tensor<8x16xf32, #all>, !tile.buffer<8x16xf32, #lines>
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>
#all = #tile.layout<register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0]], warp = [[0, 0]], block = []>
!map = !tile.tensor_map<8x16xf32, #lines>
!buffer = !tile.buffer<8x16xf32, #lines>

// One thread waits for what hardware reads, and the others for that thread.
// CHECK-LABEL: func.func @stores
// CHECK: scf.for
// CHECK-NEXT: tile.bulk_store_wait
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_store
// CHECK-NEXT: tile.async_fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.bulk_store
// CHECK-NEXT: }
// CHECK-NEXT: tile.bulk_store_wait
// CHECK-NEXT: return
func.func @stores(%map: !map, %x: tensor<8x16xf32, #all>, %lo: i32, %hi: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %one = arith.constant 1 : i32
  %0 = tile.alloc_buffer at 0 : !buffer
  scf.for %i = %lo to %hi step %one : i32 {
    tile.bulk_store_wait %0 written : !buffer
    tile.buffer_store %x, %0 : tensor<8x16xf32, #all>, !buffer
    tile.bulk_store %0 into %map[%i, %lo] : !buffer, !map
  }
  tile.bulk_store_wait %0 written : !buffer
  return
}

// -----

#rows = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 144, 288, 512, 1024, 2048]>
#more = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []>
#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []>
!buffer = !tile.buffer<64x64xf16, #rows>

// Products read by hardware's path: the threads fence what they stored, once for both factors, and then wait for each other.
// CHECK-LABEL: func.func @products
// CHECK: tile.buffer_store
// CHECK-NEXT: tile.buffer_store
// CHECK-NEXT: tile.async_fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.group_dot
func.func @products(%x: tensor<64x64xf16, #more>, %acc: tensor<64x64xf32, #sum>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.alloc_buffer at 0 : !buffer
  %1 = tile.alloc_buffer at 8192 : !buffer
  tile.buffer_store %x, %0 : tensor<64x64xf16, #more>, !buffer
  tile.buffer_store %x, %1 : tensor<64x64xf16, #more>, !buffer
  %sum = tile.group_dot %0, %1, %acc : !buffer, !buffer -> tensor<64x64xf32, #sum>
  %done = tile.group_wait 0 for %sum : tensor<64x64xf32, #sum> -> tensor<64x64xf32, #sum>
  return
}

// Threads fence what their own copies have brought, once these have landed.
// CHECK-LABEL: func.func @copied
// CHECK: tile.async_wait 1
// CHECK-NEXT: tile.buffer_copy
// CHECK-NEXT: tile.async_commit
// CHECK-NEXT: tile.async_wait 0
// CHECK-NEXT: tile.async_fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.group_dot
// CHECK: tile.async_wait 0
// CHECK-NEXT: return
func.func @copied(%p: tensor<64x64x!tile.ptr<f16>, #more>, %acc: tensor<64x64xf32, #sum>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.alloc_buffer at 0 : !buffer
  %1 = tile.alloc_buffer at 8192 : !buffer
  tile.buffer_copy %p into %0 : tensor<64x64x!tile.ptr<f16>, #more>, !buffer
  tile.async_commit
  tile.async_wait 1
  tile.buffer_copy %p into %1 : tensor<64x64x!tile.ptr<f16>, #more>, !buffer
  tile.async_commit
  tile.async_wait 0
  %sum = tile.group_dot %0, %1, %acc : !buffer, !buffer -> tensor<64x64xf32, #sum>
  %done = tile.group_wait 0 for %sum : tensor<64x64xf32, #sum> -> tensor<64x64xf32, #sum>
  tile.async_wait 0
  return
}
