// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -emit-bytecode | tile-opt | FileCheck %s

// Nothing of it goes away when the results are not used.
// RUN: tile-opt %s -canonicalize -cse | FileCheck %s

// CHECK-LABEL: func.func @changes
func.func @changes(%p: !tile.ptr<i32>, %v: i32, %ps: tensor<8x!tile.ptr<bf16>>, %vs: tensor<8xbf16>,
                   %m: tensor<8xi1>) {
  // CHECK: tile.atomic_rmw umax %{{.*}}, %{{.*}} sem = release scope = cta : !tile.ptr<i32>
  %0 = tile.atomic_rmw umax %p, %v sem = release scope = cta : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw xchg %{{.*}}, %{{.*}} sem = relaxed scope = sys : !tile.ptr<i32>
  %1 = tile.atomic_rmw xchg %p, %v sem = relaxed scope = sys : !tile.ptr<i32>
  // CHECK: tile.atomic_rmw add %{{.*}}, %{{.*}} mask %{{.*}} sem = acq_rel scope = gpu : tensor<8x!tile.ptr<bf16>>
  %2 = tile.atomic_rmw add %ps, %vs mask %m sem = acq_rel scope = gpu : tensor<8x!tile.ptr<bf16>>
  return
}

// CHECK-LABEL: func.func @swaps
func.func @swaps(%ps: tensor<8x!tile.ptr<i16>>, %e: tensor<8xi16>, %v: tensor<8xi16>) {
  // CHECK: tile.atomic_cas %{{.*}}, %{{.*}}, %{{.*}} sem = acquire scope = gpu : tensor<8x!tile.ptr<i16>>
  %0 = tile.atomic_cas %ps, %e, %v sem = acquire scope = gpu : tensor<8x!tile.ptr<i16>>
  // CHECK: tile.barrier
  tile.barrier
  // CHECK: tile.barrier
  tile.barrier
  return
}
