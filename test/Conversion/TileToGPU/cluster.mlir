// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

// A program is a cluster of four CTAs, neighbours along x: its number and the CTA's rank are parts of the CTA's
// number.
// CHECK-LABEL: func.func @place
// CHECK: %[[CTA:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[PROGRAM:.*]] = arith.shrui %[[CTA]], %c2_i32
// CHECK: %[[Y:.*]] = nvvm.read.ptx.sreg.ctaid.y
// CHECK: %[[GRID:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK: %[[PROGRAMS:.*]] = arith.shrui %[[GRID]], %c2_i32
// CHECK: return %[[PROGRAM]], %[[Y]], %[[PROGRAMS]]
func.func @place() -> (i32, i32, i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 4 : i32} {
  %x = tile.program_id x
  %y = tile.program_id y
  %n = tile.num_programs x
  return %x, %y, %n : i32, i32, i32
}

// Of a scalar every thread of every CTA holds a copy; the first stores.
// CHECK-LABEL: func.func @scalar
// CHECK-DAG: %[[THREAD:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK-DAG: %[[RANK:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK-DAG: %[[FIRST:.*]] = arith.cmpi eq, %[[RANK]], %c0_i32
// CHECK: %[[MINE:.*]] = arith.andi %[[THREAD]], %[[FIRST]]
// CHECK: llvm.call @tilec.st.global.b32(%{{[^,]*}}, %{{[^,]*}}, %[[MINE]])
func.func @scalar(%p: !tile.ptr<i32>, %x: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  tile.store %p, %x : !tile.ptr<i32>
  return
}

// The CTA's rank is part of an element's index.
#halves = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [[32]]>
// CHECK-LABEL: func.func @range
// CHECK: %[[RANK:.*]] = arith.andi %{{.*}}, %c1_i32
// CHECK: %[[HALF:.*]] = arith.shli %{{.*}}, %c5_i32
// CHECK: arith.xori %{{.*}}, %[[HALF]]
func.func @range(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %r = tile.make_range 0 to 64 : tensor<64xi32, #halves>
  %base = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #halves>
  %ptrs = tile.addptr %base, %r : tensor<64x!tile.ptr<i32>, #halves>, tensor<64xi32, #halves>
  tile.store %ptrs, %r : tensor<64x!tile.ptr<i32>, #halves>
  return
}

// A reduction over the cluster: the CTAs say that they run; after the step inside the warp each waits for
// the others, two lanes write the CTA's part, each to another CTA, the cluster waits, and all read both parts.
// CHECK-LABEL: func.func @reduce
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: %[[PEER:.*]] = nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: llvm.call @"tilec.st.shared::cluster.b32"(%[[PEER]], %{{.*}}, %{{.*}}) : (!llvm.ptr<7>, i32, i1)
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
func.func @reduce(%x: tensor<64xf32, #halves>) -> f32
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<64xf32, #halves>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %0 : f32
}

// The first thread of the first CTA stores the result of an atomic operation for every CTA.
// CHECK-LABEL: func.func @atomic
// CHECK: nvvm.cluster.wait {aligned}
// CHECK-COUNT-2: nvvm.mapa
// CHECK-NOT: nvvm.mapa
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3>
func.func @atomic(%p: !tile.ptr<i32>, %v: i32) -> i32
    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.atomic_rmw add %p, %v sem = relaxed scope = gpu : !tile.ptr<i32>
  return %0 : i32
}
