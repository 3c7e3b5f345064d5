// RUN: tile-opt %s -convert-tile-to-cpu -split-input-file | FileCheck %s

// Each element once, in the order of the program; what is used elsewhere is kept.
// CHECK-LABEL: func.func @tile
// CHECK:       %[[OLD:.*]] = memref.view {{.*}} to memref<8xf32>
// CHECK:       linalg.generic
// CHECK-SAME:    outs(%[[OLD]]
// CHECK:         %[[R:.*]] = scf.if
// CHECK:           %[[A:.*]] = llvm.atomicrmw fadd %{{.*}}, %{{.*}} acq_rel : !llvm.ptr, f32
// CHECK:           scf.yield %[[A]]
// CHECK:         } else {
// CHECK:           scf.yield %cst
// CHECK:         linalg.yield %[[R]]
// CHECK-NOT:   llvm.atomicrmw
// CHECK:       llvm.store
// CHECK:       llvm.atomicrmw umin %{{.*}}, %{{.*}} monotonic : !llvm.ptr, i64
func.func @tile(%p: !tile.ptr<f32>, %v: f32, %on: i1, %q: !tile.ptr<i64>, %n: i64) attributes {tile.kernel} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %vs = tile.splat %v : f32 -> tensor<8xf32>
  %m = tile.splat %on : i1 -> tensor<8xi1>
  %old = tile.atomic_rmw add %ps, %vs mask %m sem = acq_rel scope = gpu : tensor<8x!tile.ptr<f32>>
  tile.store %ps, %old : tensor<8x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<i64> -> tensor<8x!tile.ptr<i64>>
  %ns = tile.splat %n : i64 -> tensor<8xi64>
  %unused = tile.atomic_rmw umin %qs, %ns sem = relaxed scope = sys : tensor<8x!tile.ptr<i64>>
  return
}

// -----

// CHECK-LABEL: func.func @scalars
// CHECK:       %[[PAIR:.*]] = llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} release monotonic : !llvm.ptr, i16
// CHECK:       %[[OLD:.*]] = llvm.extractvalue %[[PAIR]][0]
// CHECK:       llvm.atomicrmw xchg %{{.*}}, %{{.*}} acquire
func.func @scalars(%p: !tile.ptr<i16>, %e: i16, %q: !tile.ptr<i32>, %v: i32) attributes {tile.kernel} {
  %old = tile.atomic_cas %p, %e, %e sem = release scope = gpu : !tile.ptr<i16>
  tile.barrier
  tile.store %p, %old : !tile.ptr<i16>
  %0 = tile.atomic_rmw xchg %q, %v sem = acquire scope = cta : !tile.ptr<i32>
  return
}

// -----

// 16-bit floats are added in a loop.
// CHECK-LABEL: func.func @halves
// CHECK:       %[[FIRST:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK:       scf.while (%[[SEEN:.*]] = %[[FIRST]]) : (i16) -> i16
// CHECK:         %[[X:.*]] = arith.bitcast %[[SEEN]] : i16 to f16
// CHECK:         %[[SUM:.*]] = arith.addf %[[X]]
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[SUM]] : f16 to i16
// CHECK:         llvm.cmpxchg %{{.*}}, %[[SEEN]], %[[BITS]] acq_rel acquire
// CHECK:         scf.condition
func.func @halves(%p: !tile.ptr<f16>, %v: f16) attributes {tile.kernel} {
  %0 = tile.atomic_rmw add %p, %v sem = acq_rel scope = gpu : !tile.ptr<f16>
  return
}

// CHECK-LABEL: func.func @extremes
// CHECK: scf.while
// CHECK: arith.maxnumf %{{.*}}, %{{.*}} : f16
// CHECK: llvm.cmpxchg
// CHECK: scf.while
// CHECK: arith.minnumf
// CHECK: llvm.cmpxchg
func.func @extremes(%p: !tile.ptr<f16>, %v: f16, %q: !tile.ptr<bf16>, %w: bf16) attributes {tile.kernel} {
  %0 = tile.atomic_rmw fmax %p, %v sem = relaxed scope = gpu : !tile.ptr<f16>
  %1 = tile.atomic_rmw fmin %q, %w sem = relaxed scope = gpu : !tile.ptr<bf16>
  return
}
