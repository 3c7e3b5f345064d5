// RUN: tile-opt %s -pass-pipeline='builtin.module(func.func(tile-retire-warps))' | FileCheck %s

#once = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = []>
#spread = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]], block = []>

// All warps hold the same elements.
// CHECK-LABEL: func.func @repeated
// CHECK-NEXT: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
// CHECK: %[[WARP:.*]] = arith.andi %[[TID]], %c96_i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[WARP]], %c0_i32
// CHECK: scf.if %[[FIRST]] {
// CHECK: tile.load
// CHECK: tile.store
// CHECK: }
// CHECK-NEXT: return
func.func @repeated(%p: tensor<32x!tile.ptr<f32>, #once>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %x = tile.load %p : tensor<32x!tile.ptr<f32>, #once>
  tile.store %p, %x : tensor<32x!tile.ptr<f32>, #once>
  return
}

// Scalars alone, too.
// CHECK-LABEL: func.func @scalars
// CHECK: scf.if
func.func @scalars(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %x = tile.load %p : !tile.ptr<f32>
  tile.store %p, %x : !tile.ptr<f32>
  return
}

// CHECK-LABEL: func.func @spread
// CHECK-NOT: scf.if
func.func @spread(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %ptrs = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #spread>
  %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>, #spread>
  tile.store %ptrs, %x : tensor<64x!tile.ptr<f32>, #spread>
  return
}

// What waits for all threads needs them, and so may assembly.
// CHECK-LABEL: func.func @waits
// CHECK-NOT: scf.if
func.func @waits(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %x = tile.load %p : !tile.ptr<f32>
  tile.barrier
  tile.store %p, %x : !tile.ptr<f32>
  return
}

// CHECK-LABEL: func.func @assembly
// CHECK-NOT: scf.if
func.func @assembly(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c1 = arith.constant 1 : i32
  %x = tile.inline_asm "add.u32 $0, $1, %tid.x;" constraints "=r,r" pack 1 pure (%c1) : (i32) -> i32
  tile.store %p, %x : !tile.ptr<i32>
  return
}

// CHECK-LABEL: func.func @prints
// CHECK-NOT: scf.if
func.func @prints(%x: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  tile.print " x: " %x : i32
  return
}

// CHECK-LABEL: func.func @exchanges
// CHECK-NOT: scf.if
func.func @exchanges(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 16 : i32} {
  %x = tile.load %p : !tile.ptr<f32>
  tile.store %p, %x : !tile.ptr<f32>
  return
}

// CHECK-LABEL: func.func @oneWarp
// CHECK-NOT: scf.if
func.func @oneWarp(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %x = tile.load %p : !tile.ptr<f32>
  tile.store %p, %x : !tile.ptr<f32>
  return
}
