// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

// The first of 256 threads initialises the object for all of them; the phase is polled.
// CHECK-LABEL: func.func @phases
// CHECK-SAME: %[[PARITY:[^:]*]]: i32, %[[SOME:[^:]*]]: i1
// CHECK-DAG: %[[ALL:.*]] = arith.constant 256 : i32
// CHECK: %[[READY:.*]] = llvm.getelementptr %{{.*}}[1024]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: scf.if %[[FIRST]]
// CHECK-NEXT: nvvm.mbarrier.init %[[READY]], %[[ALL]] : !llvm.ptr<3>, i32
// CHECK: nvvm.barrier
// CHECK: llvm.inline_asm has_side_effects "cp.async.mbarrier.arrive.noinc.shared.b64 [$0];", "l,~{memory}" %[[READY]]
// CHECK: llvm.inline_asm has_side_effects "mbarrier.arrive.shared.b64 _, [$0];", "l,~{memory}" %[[READY]]
// CHECK: llvm.inline_asm has_side_effects "{ .reg .pred %done; {{.*}}: mbarrier.try_wait.parity.shared.b64 %done, [$0], $1; @!%done bra {{.*}}; }", "l,r,~{memory}" %[[READY]], %[[PARITY]]
// One lane arrives, if any does.
// CHECK: %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
// CHECK: %[[NUMBER:.*]] = arith.select %[[SOME]], %[[LANE]], %c1_i32
// CHECK: llvm.inline_asm has_side_effects "{ .reg .pred %first; setp.eq.u32 %first, $1, 0; @%first mbarrier.arrive.shared.b64 _, [$0]; }", "l,r,~{memory}" %[[READY]], %[[NUMBER]]
func.func @phases(%parity: i32, %some: i1) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.shared_bytes = 1032 : i32} {
  %ready = tile.alloc_mbarrier at 1024
  tile.barrier
  tile.mbarrier_arrive %ready after_copies
  tile.mbarrier_arrive %ready
  tile.mbarrier_wait %ready, %parity
  tile.mbarrier_arrive %ready each_warp if %some
  return
}
