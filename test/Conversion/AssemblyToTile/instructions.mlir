// RUN: tile-opt %s -tile-translate-assembly -canonicalize -cse | FileCheck %s
// What instructions become; test/Conformance/inline_assembly.py compares their results.

// A predicate selects between the new value and the old one.
// CHECK-LABEL: func.func @predicates
// CHECK-SAME: %[[X:.*]]: tensor<32xi32>
// CHECK: %[[P:.*]] = arith.cmpi sgt, %[[X]], %{{.*}} : tensor<32xi32>
// CHECK: %[[SUM:.*]] = arith.addi %[[X]], %{{.*}} : tensor<32xi32>
// CHECK: %[[Y:.*]] = arith.select %[[P]], %[[SUM]], %{{.*}} : tensor<32xi1>, tensor<32xi32>
// CHECK: return %[[Y]]
func.func @predicates(%x: tensor<32xi32>) -> tensor<32xi32> {
  %0 = tile.inline_asm "{ .reg .pred p; setp.gt.s32 p, $1, 0; mov.b32 $0, 7; @p add.s32 $0, $1, 1; }" constraints "=r,r" pack 1 pure (%x) : (tensor<32xi32>) -> tensor<32xi32>
  return %0 : tensor<32xi32>
}

// The logic of three registers takes as few operations as it can: (a & b) | c.
// CHECK-LABEL: func.func @logic
// CHECK-SAME: %[[X:.*]]: tensor<32xi32>, %[[Z:.*]]: tensor<32xi32>
// CHECK: %[[BOTH:.*]] = arith.andi %[[X]], %[[Z]]
// CHECK: %[[Y:.*]] = arith.ori %[[BOTH]], %{{.*}}
// CHECK-NEXT: return %[[Y]]
func.func @logic(%x: tensor<32xi32>, %z: tensor<32xi32>) -> tensor<32xi32> {
  %0 = tile.inline_asm "lop3.b32 $0, $1, $2, 0x64006400, 0xea;" constraints "=r,r,r" pack 1 pure (%x, %z) : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
  return %0 : tensor<32xi32>
}

// Bytes that move by one distance move together.
// CHECK-LABEL: func.func @bytes
// CHECK-SAME: %[[X:.*]]: tensor<32xi32>, %[[Z:.*]]: tensor<32xi32>
// CHECK-DAG: %[[LOW:.*]] = arith.andi %[[X]], %{{.*}}
// CHECK-DAG: %[[MOVED:.*]] = arith.shli %[[Z]], %{{.*}}
// CHECK: arith.ori
// CHECK-NOT: arith.ori
// CHECK: return
func.func @bytes(%x: tensor<32xi32>, %z: tensor<32xi32>) -> tensor<32xi32> {
  %0 = tile.inline_asm "prmt.b32 $0, $1, $2, 0x5410;" constraints "=r,r,r" pack 1 pure (%x, %z) : (tensor<32xi32>, tensor<32xi32>) -> tensor<32xi32>
  return %0 : tensor<32xi32>
}

// Pairs are computed one by one.
// CHECK-LABEL: func.func @pairs
// CHECK-COUNT-2: math.fma {{.*}} : tensor<32xbf16>
// CHECK-NOT: math.fma
// CHECK: return
func.func @pairs(%x: tensor<32xi32>) -> tensor<32xi32> {
  %0 = tile.inline_asm "fma.rn.bf16x2 $0, $1, $1, $1;" constraints "=r,r" pack 1 pure (%x) : (tensor<32xi32>) -> tensor<32xi32>
  return %0 : tensor<32xi32>
}

// A number wins over NaN.
// CHECK-LABEL: func.func @least
// CHECK-SAME: %[[X:.*]]: f32, %[[Z:.*]]: f32
// CHECK: %[[MIN:.*]] = arith.minimumf %[[X]], %[[Z]] : f32
// CHECK: %[[N:.*]] = arith.cmpf uno, %[[Z]], %[[Z]] : f32
// CHECK: %[[A:.*]] = arith.select %[[N]], %[[X]], %[[MIN]] : f32
// CHECK: %[[M:.*]] = arith.cmpf uno, %[[X]], %[[X]] : f32
// CHECK: arith.select %[[M]], %[[Z]], %[[A]] : f32
func.func @least(%x: f32, %z: f32) -> f32 {
  %0 = tile.inline_asm "min.f32 $0, $1, $2;" constraints "=f,f,f" pack 1 pure (%x, %z) : (f32, f32) -> f32
  return %0 : f32
}

// Registers of inner scopes hide those of outer ones.
// CHECK-LABEL: func.func @scopes
// CHECK-SAME: %[[X:.*]]: i32
// CHECK: return %[[X]]
func.func @scopes(%x: i32) -> i32 {
  %0 = tile.inline_asm "{ .reg .b32 t; mov.b32 t, $1; { .reg .b32 t; mov.b32 t, 5; } mov.b32 $0, t; }" constraints "=r,r" pack 1 pure (%x) : (i32) -> i32
  return %0 : i32
}

// What only waits or gives hints is nothing, with operands or without.
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: return
func.func @nothing(%p: i64, %n: i32) -> i32 {
  %0 = tile.inline_asm "griddepcontrol.wait; prefetch.global.L2 [$1]; membar.gl; fence.acq_rel.gpu; nanosleep.u32 20; mov.b32 $0, $2;" constraints "=r,l,r" pack 1 (%p, %n) : (i64, i32) -> i32
  return %n : i32
}
