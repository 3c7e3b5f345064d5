// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

// The warps of the first role are the first ones of the CTA. Threads of a role are numbered from 0, a barrier is one of the role, and
// registers move from those who copy to the others. The kernel says how many there are at entry.
// CHECK-LABEL: func.func @roles
// CHECK-SAME: nvvm.maxnreg = 168 : i32
// CHECK-SAME: tile.num_warps = 12 : i32
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[COPIES:.*]] = arith.constant 128 : i32
// CHECK-DAG: %[[ALL:.*]] = arith.constant 256 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 384> : i32
// CHECK: scf.if
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[COPIES]] : !llvm.ptr<3>, i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[COPIES]] : !llvm.ptr<3>, i32
// CHECK: scf.if
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[EIGHT]] : !llvm.ptr<3>, i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[EIGHT]] : !llvm.ptr<3>, i32
// CHECK: nvvm.barrier{{0?$}}
// CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK: %[[MULTIPLIES:.*]] = arith.cmpi ult, %[[WARP]], %[[EIGHT]] : i32
// CHECK: scf.if %[[MULTIPLIES]] {
// CHECK: nvvm.setmaxregister increase 232
// CHECK: mbarrier.try_wait.parity
// CHECK: nvvm.barrier id = %[[ONE]] number_of_threads = %[[ALL]]
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.inline_asm has_side_effects "{ .reg .pred %first; setp.eq.u32 %first, $1, 0; @%first mbarrier.arrive.shared.b64 _, [$0]; }"
// CHECK: } else {
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 256, 384> : i32
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.mbarrier.arrive.noinc.shared.b64
// CHECK: nvvm.barrier id = %[[TWO]] number_of_threads = %[[COPIES]]
#copy = #tile.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]], block = []>
!slots = !tile.buffer<1024xf16, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512]>, slots = 2>
func.func @roles(%slot: i32, %parity: i32, %p: !tile.ptr<f16> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 12 : i32, tile.shared_bytes = 4128 : i32} {
  %buffer = tile.alloc_buffer at 0 : !slots
  %full = tile.alloc_mbarrier at 4096 slots 2 arrivals 128
  %empty = tile.alloc_mbarrier at 4112 slots 2 arrivals 8
  tile.barrier
  tile.warp_roles role 8 registers 232 {
    tile.mbarrier_wait %full[%slot], %parity
    tile.barrier
    tile.mbarrier_arrive %empty[%slot] each_warp
  } role 4 registers 40 {
    tile.mbarrier_wait %empty[%slot], %parity
    %range = tile.make_range 0 to 1024 : tensor<1024xi32, #copy>
    %base = tile.splat %p : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>, #copy>
    %ptrs = tile.addptr %base, %range : tensor<1024x!tile.ptr<f16>, #copy>, tensor<1024xi32, #copy>
    tile.buffer_copy %ptrs into %buffer[%slot] : tensor<1024x!tile.ptr<f16>, #copy>, !slots
    tile.mbarrier_arrive %full[%slot] after_copies
    tile.barrier
  }
  return
}
