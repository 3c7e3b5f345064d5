// RUN: tile-opt %s -verify-roundtrip | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @roles
// CHECK: %[[FULL:.*]] = tile.alloc_mbarrier slots 3 arrivals 128
// CHECK: %[[EMPTY:.*]] = tile.alloc_mbarrier at 24 slots 3 arrivals 8
// CHECK: tile.warp_roles role 8 registers 232 {
// CHECK-NEXT: tile.mbarrier_wait %[[FULL]][%[[SLOT:.*]]], %[[PARITY:.*]]
// CHECK-NEXT: tile.mbarrier_arrive %[[EMPTY]][%[[SLOT]]] each_warp
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: } role 4 registers 40 {
// CHECK-NEXT: tile.mbarrier_wait %[[EMPTY]][%[[SLOT]]], %[[PARITY]]
// CHECK-NEXT: tile.mbarrier_arrive %[[FULL]][%[[SLOT]]] after_copies
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @roles(%slot: i32, %parity: i32) attributes {tile.kernel, tile.num_warps = 12 : i32} {
  %full = tile.alloc_mbarrier slots 3 arrivals 128
  %empty = tile.alloc_mbarrier at 24 slots 3 arrivals 8
  tile.barrier
  tile.warp_roles role 8 registers 232 {
    tile.mbarrier_wait %full[%slot], %parity
    tile.mbarrier_arrive %empty[%slot] each_warp
    tile.barrier
  } role 4 registers 40 {
    tile.mbarrier_wait %empty[%slot], %parity
    tile.mbarrier_arrive %full[%slot] after_copies
  }
  return
}

// CHECK-LABEL: func.func @marks
// CHECK-SAME: tile.roles = "always"
// CHECK: } {tile.copies_in_place, tile.warp_specialize}
func.func @marks(%n: index, %one: index) attributes {tile.kernel, tile.roles = "always"} {
  scf.for %i = %n to %n step %one {
  } {tile.copies_in_place, tile.warp_specialize}
  return
}
