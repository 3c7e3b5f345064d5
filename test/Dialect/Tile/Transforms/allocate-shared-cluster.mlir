// RUN: tile-opt %s -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers | FileCheck %s

// Two warps in each of two CTAs: a reduction exchanges 8 bytes between the warps, then 8 between the CTAs.
#spread = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = [[64]]>
// The same within each CTA only.
#local = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = [[0]]>

// What is written remotely avoids all that was used since the cluster last waited; the first such operation
// waits for the cluster to run.
// CHECK-LABEL: func.func @twice
// CHECK-SAME: tile.shared_bytes = 40 : i32
// CHECK-NEXT: tile.cluster_arrive relaxed
// CHECK: tile.alloc_buffer at 0 : <2x2xf32
// CHECK: tile.alloc_buffer at 16 : <2xf32
// CHECK-NEXT: tile.cluster_wait
// CHECK-NEXT: tile.buffer_store %{{.*}}, %{{.*}} peers [1]
// CHECK-NEXT: tile.cluster_arrive
// CHECK-NEXT: tile.cluster_wait
// CHECK-NEXT: tile.buffer_load
// CHECK: tile.alloc_buffer at 0 : <2x2xf32
// CHECK: tile.alloc_buffer at 32 : <2xf32
// CHECK-NEXT: tile.buffer_store %{{.*}}, %{{.*}} peers [1]
func.func @twice(%x: tensor<128xf32, #spread>)
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<128xf32, #spread>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %1 = tile.reduce(%x) axis 0 : (tensor<128xf32, #spread>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return
}

// Reductions inside the CTAs alternate between two places; the one over the cluster stays clear of both.
// CHECK-LABEL: func.func @between
// CHECK: tile.alloc_buffer at 0 : <2xf32
// CHECK: tile.alloc_buffer at 16 : <2xf32
// CHECK: tile.alloc_buffer at 0 : <2x2xf32
// CHECK: tile.alloc_buffer at 32 : <2xf32
// CHECK-NEXT: tile.cluster_wait
// CHECK-NEXT: tile.buffer_store %{{.*}}, %{{.*}} peers [1]
func.func @between(%x: tensor<128xf32, #spread>, %y: tensor<64xf32, #local>)
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.reduce(%y) axis 0 : (tensor<64xf32, #local>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %1 = tile.reduce(%y) axis 0 : (tensor<64xf32, #local>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %2 = tile.reduce(%x) axis 0 : (tensor<128xf32, #spread>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return
}

// In a loop the wait for the cluster to run cannot be at the operation: it would happen in each iteration.
// CHECK-LABEL: func.func @loop
// CHECK-NEXT: tile.cluster_arrive relaxed
// CHECK-NEXT: tile.cluster_wait
// CHECK: scf.for
// CHECK: tile.alloc_buffer at 16 : <2xf32
// CHECK-NEXT: tile.cluster_arrive
// CHECK-NEXT: tile.cluster_wait
// CHECK-NEXT: tile.buffer_store %{{.*}}, %{{.*}} peers [1]
func.func @loop(%x: tensor<128xf32, #spread>, %n: index)
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.num_ctas = 2 : i32} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = tile.reduce(%x) axis 0 : (tensor<128xf32, #spread>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
  }
  return
}
