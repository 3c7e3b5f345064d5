// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-allocate-shared -tile-insert-barriers | FileCheck %s

#spread = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256], [512]], block = []>
!ring = !tile.buffer<1024xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512]>, slots = 16>

// Each thread copies and reads elements of its own, so a ring needs no barrier. Where another one takes its place, other
// threads may still read there: the wait for them stands once, before the second loop.
// CHECK-LABEL: func.func @oneAfterTheOther
// CHECK-SAME: tile.shared_bytes = 65536
// CHECK: tile.alloc_buffer at 0 :
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NOT: tile.barrier
// CHECK: scf.for
// CHECK-NOT: tile.barrier
// CHECK: tile.barrier
// CHECK-NEXT: scf.for
// CHECK-NOT: tile.barrier
func.func @oneAfterTheOther(%p: tensor<1024x!tile.ptr<f32>, #spread>, %q: tensor<1024x!tile.ptr<f32>, #spread>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = tile.alloc_buffer : !ring
  %second = tile.alloc_buffer : !ring
  scf.for %i = %zero to %n step %one : i32 {
    tile.buffer_copy %p into %first[%zero] : tensor<1024x!tile.ptr<f32>, #spread>, !ring
    tile.async_commit
    tile.async_wait 0
    %x = tile.buffer_load %first[%zero] : !ring -> tensor<1024xf32, #spread>
    tile.store %q, %x : tensor<1024x!tile.ptr<f32>, #spread>
  }
  scf.for %i = %zero to %n step %one : i32 {
    tile.buffer_copy %p into %second[%zero] : tensor<1024x!tile.ptr<f32>, #spread>, !ring
    tile.async_commit
    tile.async_wait 0
    %x = tile.buffer_load %second[%zero] : !ring -> tensor<1024xf32, #spread>
    tile.store %q, %x : tensor<1024x!tile.ptr<f32>, #spread>
  }
  return
}

// In one loop, both are needed at the same time.
// CHECK-LABEL: func.func @together
// CHECK-SAME: tile.shared_bytes = 131072
// CHECK-NOT: tile.barrier
// CHECK: return
func.func @together(%p: tensor<1024x!tile.ptr<f32>, #spread>, %q: tensor<1024x!tile.ptr<f32>, #spread>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = tile.alloc_buffer : !ring
  %second = tile.alloc_buffer : !ring
  scf.for %i = %zero to %n step %one : i32 {
    tile.buffer_copy %p into %first[%zero] : tensor<1024x!tile.ptr<f32>, #spread>, !ring
    tile.async_commit
    tile.async_wait 0
    %x = tile.buffer_load %first[%zero] : !ring -> tensor<1024xf32, #spread>
    tile.buffer_copy %p into %second[%zero] : tensor<1024x!tile.ptr<f32>, #spread>, !ring
    tile.async_commit
    tile.async_wait 0
    %y = tile.buffer_load %second[%zero] : !ring -> tensor<1024xf32, #spread>
    %z = arith.addf %x, %y : tensor<1024xf32, #spread>
    tile.store %q, %z : tensor<1024x!tile.ptr<f32>, #spread>
  }
  return
}
