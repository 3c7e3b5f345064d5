// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers -convert-tile-to-gpu -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers -convert-tile-to-gpu -canonicalize -cse | FileCheck %s --check-prefixes=CHECK,NEW

#all = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>
#few = #tile.layout<register = [[0], [1]], lane = [[2], [4], [0], [0], [0]], warp = [[0]], block = []>

// Only one that orders other accesses may change more than what it names.
// CHECK-DAG: llvm.func @tilec.atom.acq_rel.cta.global.cas.b64(!llvm.ptr<1> {llvm.nocapture}, i64, i64, i1) -> i64 attributes {no_unwind, passthrough = ["nocallback"], will_return}
// CHECK-DAG: llvm.func @tilec.atom.relaxed.sys.global.max.s32({{.*}} attributes {memory_effects = #llvm.memory_effects<other = none, argMem = readwrite, inaccessibleMem = none,

// Threads that hold one element each need no predicate but the mask.
// CHECK-LABEL: func.func @tile
// CHECK-SAME: %{{.*}}: vector<1x!llvm.ptr<1>>, %{{.*}}: vector<1xi32>, %[[M:.*]]: vector<1xi1>
// CHECK: %[[ON:.*]] = vector.extract %[[M]][0]
// CHECK: llvm.call @tilec.atom.relaxed.sys.global.max.s32(%{{[^,]*}}, %{{[^,]*}}, %[[ON]])
// CHECK-NOT: nvvm.barrier
// CHECK: return
func.func @tile(%p: tensor<64x!tile.ptr<i32>, #all>, %v: tensor<64xi32, #all>, %m: tensor<64xi1, #all>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.atomic_rmw max %p, %v mask %m sem = relaxed scope = sys : tensor<64x!tile.ptr<i32>, #all>
  return
}

// Of copies, in registers, lanes and warps, the first acts; the others are told through shared memory.
// CHECK-LABEL: func.func @copies
// CHECK: llvm.fence syncscope("device") acq_rel
// CHECK: %[[BITS:.*]] = arith.andi %{{.*}}, %c60_i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[BITS]], %c0_i32
// CHECK-COUNT-2: atom.relaxed.gpu.global.add.f32
// CHECK-NOT: @tilec.atom.
// CHECK: llvm.fence syncscope("device") acq_rel
// CHECK: llvm.call @tilec.st.shared.v2.b32(%{{.*}}) : (!llvm.ptr<3>, i32, i32, i1)
// CHECK: nvvm.barrier
// CHECK: llvm.load %{{.*}} -> vector<2xi32>
func.func @copies(%p: tensor<8x!tile.ptr<f32>, #few>, %v: tensor<8xf32, #few>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.atomic_rmw add %p, %v sem = acq_rel scope = gpu : tensor<8x!tile.ptr<f32>, #few>
  tile.store %p, %0 : tensor<8x!tile.ptr<f32>, #few>
  return
}

// A scalar stands for the program: all wait before what is released, and get the result.
// CHECK-LABEL: func.func @scalar
// CHECK: nvvm.barrier
// CHECK: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[T]], %c0_i32
// CHECK: llvm.call @tilec.atom.acq_rel.cta.global.cas.b64(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[FIRST]]) : (!llvm.ptr<1>, i64, i64, i1) -> i64
// CHECK: llvm.call @tilec.st.shared.b64(%{{.*}}, %[[FIRST]])
// CHECK: nvvm.barrier
// CHECK: llvm.load
func.func @scalar(%p: !tile.ptr<i64>, %e: i64, %v: i64)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.atomic_cas %p, %e, %v sem = acq_rel scope = cta : !tile.ptr<i64>
  tile.store %p, %0 : !tile.ptr<i64>
  return
}

// In one warp, a shuffle tells; nobody is told what is not used.
// CHECK-LABEL: func.func @oneWarp
// CHECK-NOT: nvvm.barrier
// CHECK: atom.relaxed.gpu.global.exch.b32
// CHECK: nvvm.shfl.sync idx
// CHECK: atom.relaxed.gpu.global.and.b32
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @oneWarp(%p: !tile.ptr<i32>, %v: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.atomic_rmw xchg %p, %v sem = relaxed scope = gpu : !tile.ptr<i32>
  %1 = tile.atomic_rmw and %p, %0 sem = relaxed scope = gpu : !tile.ptr<i32>
  return
}

// No instruction compares a single float of 16 bits.
// CHECK-LABEL: func.func @extremes
// CHECK: llvm.atomicrmw fmax %{{.*}}, %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, f16
// CHECK: scf.if
// CHECK: llvm.atomicrmw fmin %{{.*}}, %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, bf16
func.func @extremes(%p: tensor<64x!tile.ptr<f16>, #all>, %v: tensor<64xf16, #all>,
                    %q: tensor<64x!tile.ptr<bf16>, #all>, %w: tensor<64xbf16, #all>, %m: tensor<64xi1, #all>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.atomic_rmw fmax %p, %v sem = relaxed scope = gpu : tensor<64x!tile.ptr<f16>, #all>
  %1 = tile.atomic_rmw fmin %q, %w mask %m sem = relaxed scope = gpu : tensor<64x!tile.ptr<bf16>, #all>
  return
}

// 16-bit floats: bf16 has an instruction from compute capability 9.0 on.
// CHECK-LABEL: func.func @halves
// CHECK: atom.relaxed.gpu.global.add.noftz.f16
// OLD: scf.if
// OLD: llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, bf16
// NEW: atom.relaxed.gpu.global.add.noftz.bf16
func.func @halves(%p: tensor<64x!tile.ptr<f16>, #all>, %v: tensor<64xf16, #all>,
                  %q: tensor<64x!tile.ptr<bf16>, #all>, %w: tensor<64xbf16, #all>, %m: tensor<64xi1, #all>)
    attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.atomic_rmw add %p, %v sem = relaxed scope = gpu : tensor<64x!tile.ptr<f16>, #all>
  %1 = tile.atomic_rmw add %q, %w mask %m sem = relaxed scope = gpu : tensor<64x!tile.ptr<bf16>, #all>
  return
}

// CHECK-LABEL: func.func @wait
// CHECK: nvvm.barrier
func.func @wait() attributes {tile.kernel, tile.num_warps = 2 : i32} {
  tile.barrier
  return
}

// From 9.0 on, neighbouring elements are added to by one instruction, and one instruction needs no fence.
// CHECK-LABEL: func.func @neighbours
// OLD: llvm.fence syncscope("device") acq_rel
// NEW-NOT: llvm.fence
// NEW: llvm.call @tilec.atom.release.gpu.global.add.v4.f32({{.*}}) : (!llvm.ptr<1>, i32, i32, i32, i32, i1) -> !llvm.struct<(i32, i32, i32, i32)>
// NEW-NOT: @tilec.atom.
// OLD-COUNT-4: llvm.call @tilec.atom.relaxed.gpu.global.add.f32(
// CHECK-NOT: llvm.fence
// CHECK: return
#four = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
func.func @neighbours(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %v: tensor<128xf32, #four>, %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 128 : tensor<128xi32, #four>
  %limit = tile.splat %n : i32 -> tensor<128xi32, #four>
  %mask = arith.cmpi slt, %range, %limit : tensor<128xi32, #four>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #four>
  %ptrs = tile.addptr %base, %range : tensor<128x!tile.ptr<f32>, #four>, tensor<128xi32, #four>
  %0 = tile.atomic_rmw add %ptrs, %v mask %mask sem = release scope = gpu : tensor<128x!tile.ptr<f32>, #four>
  return
}

// 16-bit floats eight at a time; integers one at a time.
// CHECK-LABEL: func.func @eights
// NEW: llvm.call @tilec.atom.relaxed.gpu.global.add.noftz.v8.f16(
// OLD-COUNT-8: atom.relaxed.gpu.global.add.noftz.f16
// CHECK-COUNT-8: atom.relaxed.gpu.global.add.u32
#eight = #tile.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [], block = []>
func.func @eights(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<i32> {tile.divisibility = 16 : i32},
                  %v: tensor<256xf16, #eight>, %w: tensor<256xi32, #eight>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 256 : tensor<256xi32, #eight>
  %base = tile.splat %p : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>, #eight>
  %ptrs = tile.addptr %base, %range : tensor<256x!tile.ptr<f16>, #eight>, tensor<256xi32, #eight>
  %0 = tile.atomic_rmw add %ptrs, %v sem = relaxed scope = gpu : tensor<256x!tile.ptr<f16>, #eight>
  %words = tile.splat %q : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>, #eight>
  %more = tile.addptr %words, %range : tensor<256x!tile.ptr<i32>, #eight>, tensor<256xi32, #eight>
  %1 = tile.atomic_rmw add %more, %w sem = relaxed scope = gpu : tensor<256x!tile.ptr<i32>, #eight>
  return
}
