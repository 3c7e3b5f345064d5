// RUN: tile-opt %s -verify-roundtrip | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @phases
// CHECK: %[[READY:.*]] = tile.alloc_mbarrier at 1024
// CHECK: tile.mbarrier_arrive %[[READY]] after_copies
// CHECK: tile.mbarrier_arrive %[[READY]]{{$}}
// CHECK: tile.mbarrier_arrive %[[READY]] each_warp if %{{.*}}
// CHECK: tile.mbarrier_wait %[[READY]], %{{.*}}
// CHECK: call @other(%[[READY]]) : (!tile.mbarrier) -> ()
func.func private @other(!tile.mbarrier)
func.func @phases(%parity: i32, %some: i1) {
  %ready = tile.alloc_mbarrier at 1024
  tile.barrier
  tile.mbarrier_arrive %ready after_copies
  tile.mbarrier_arrive %ready
  tile.mbarrier_arrive %ready each_warp if %some
  tile.mbarrier_wait %ready, %parity
  call @other(%ready) : (!tile.mbarrier) -> ()
  return
}
