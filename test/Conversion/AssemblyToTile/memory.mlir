// RUN: tile-opt %s -tile-translate-assembly -canonicalize -cse | FileCheck %s
// Loads, stores and atomic operations, whose mask is the predicate.

// CHECK-LABEL: func.func @load
// CHECK: %[[P:.*]] = arith.cmpi ne
// CHECK: %[[PTR:.*]] = tile.int_to_ptr {{.*}} -> tensor<32x!tile.ptr<i32>>
// CHECK: %[[L:.*]] = tile.load %[[PTR]] mask %[[P]] : tensor<32x!tile.ptr<i32>>
// CHECK: arith.select %[[P]], %[[L]], %{{.*}} : tensor<32xi1>, tensor<32xi32>
func.func @load(%p: tensor<32x!tile.ptr<f32>>, %m: tensor<32xi32>) -> tensor<32xi32> {
  %0 = tile.inline_asm "{ .reg .pred p; setp.ne.b32 p, $2, 0; mov.b32 $0, 7; @p ld.global.nc.L1::no_allocate.L2::256B.b32 $0, [$1]; }" constraints "=&r,l,r" pack 1 (%p, %m) : (tensor<32x!tile.ptr<f32>>, tensor<32xi32>) -> tensor<32xi32>
  return %0 : tensor<32xi32>
}

// The policy of a hint is not looked at.
// CHECK-LABEL: func.func @vector
// CHECK-COUNT-2: tile.load {{.*}} : tensor<32x!tile.ptr<i64>>
// CHECK-NOT: tile.load
// CHECK: return
func.func @vector(%p: tensor<32xi64>) -> (tensor<32xi64>, tensor<32xi64>) {
  %0:2 = tile.inline_asm "{ .reg .b64 policy; createpolicy.fractional.L2::evict_first.b64 policy, 1.0; ld.global.L2::cache_hint.v2.b64 {$0, $1}, [$2+16], policy; }" constraints "=l,=l,l" pack 1 (%p) : (tensor<32xi64>) -> (tensor<32xi64>, tensor<32xi64>)
  return %0#0, %0#1 : tensor<32xi64>, tensor<32xi64>
}

// CHECK-LABEL: func.func @volatile
// CHECK: tile.load {{.*}} volatile : !tile.ptr<i8>
// CHECK: arith.extsi {{.*}} : i8 to i32
func.func @volatile(%p: i64) -> i32 {
  %0 = tile.inline_asm "ld.volatile.global.s8 $0, [$1];" constraints "=r,l" pack 1 (%p) : (i64) -> i32
  return %0 : i32
}

// CHECK-LABEL: func.func @store
// CHECK: %[[LOW:.*]] = arith.trunci %{{.*}} : tensor<32xi32> to tensor<32xi16>
// CHECK: tile.store %{{.*}}, %[[LOW]] : tensor<32x!tile.ptr<i16>>
func.func @store(%p: tensor<32xi64>, %x: tensor<32xi32>) {
  %0 = tile.inline_asm "st.global.cs.b16 [$1+-2], $2; mov.b32 $0, 0;" constraints "=r,l,r" pack 1 (%p, %x) : (tensor<32xi64>, tensor<32xi32>) -> tensor<32xi32>
  return
}

// What other threads may wait for is read and written in one step, in order.
// CHECK-LABEL: func.func @flags
// CHECK: tile.atomic_rmw or %{{.*}}, %{{.*}} sem = acq_rel scope = sys : !tile.ptr<i32>
// CHECK: tile.atomic_rmw xchg %{{.*}}, %{{.*}} sem = acq_rel scope = sys : !tile.ptr<i32>
// CHECK: tile.atomic_rmw add %{{.*}}, %{{.*}} sem = acq_rel scope = sys : !tile.ptr<f32>
// CHECK: tile.atomic_rmw max %{{.*}}, %{{.*}} sem = acq_rel scope = sys : !tile.ptr<i64>
func.func @flags(%p: i64, %x: i32, %n: i64) -> i32 {
  %0 = tile.inline_asm "ld.acquire.gpu.global.b32 $0, [$1]; st.release.gpu.global.b32 [$1], $2; red.global.add.f32 [$1], $2; { .reg .b64 t; atom.global.relaxed.gpu.max.s64 t, [$1+8], $3; }" constraints "=&r,l,r,l" pack 1 (%p, %x, %n) : (i64, i32, i64) -> i32
  return %0 : i32
}
