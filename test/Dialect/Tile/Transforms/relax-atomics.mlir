// RUN: tile-opt %s -tile-relax-atomics | FileCheck %s

// Nothing of the program comes behind the last one, so that it has nothing to acquire for.
// CHECK-LABEL: func.func @last
// CHECK: tile.atomic_rmw add {{.*}} sem = acq_rel
// CHECK: tile.atomic_rmw max {{.*}} sem = release
func.func @last(%p: !tile.ptr<i32>, %x: i32) {
  %first = tile.atomic_rmw add %p, %x sem = acq_rel scope = gpu : !tile.ptr<i32>
  %sum = arith.addi %first, %x : i32
  %second = tile.atomic_rmw max %p, %sum sem = acq_rel scope = gpu : !tile.ptr<i32>
  return
}

// CHECK-LABEL: func.func @acquires_only
// CHECK: tile.atomic_cas {{.*}} sem = relaxed
func.func @acquires_only(%p: !tile.ptr<i32>, %x: i32) {
  %seen = tile.atomic_cas %p, %x, %x sem = acquire scope = gpu : !tile.ptr<i32>
  return
}

// Weaker ones stay.
// CHECK-LABEL: func.func @weaker
// CHECK: tile.atomic_rmw add {{.*}} sem = release
func.func @weaker(%p: !tile.ptr<i32>, %x: i32) {
  %old = tile.atomic_rmw add %p, %x sem = release scope = gpu : !tile.ptr<i32>
  return
}

// A load or a store behind it must see what others released.
// CHECK-LABEL: func.func @followed
// CHECK: tile.atomic_rmw add {{.*}} sem = acq_rel
func.func @followed(%p: !tile.ptr<i32>, %x: i32) {
  %old = tile.atomic_rmw add %p, %x sem = acq_rel scope = gpu : !tile.ptr<i32>
  tile.store %p, %old : !tile.ptr<i32>
  return
}

// In a branch, what follows is what follows the branch; the other branch does not.
// CHECK-LABEL: func.func @branches
// CHECK: tile.atomic_rmw add {{.*}} sem = release
// CHECK: } else {
// CHECK: tile.atomic_rmw or {{.*}} sem = release
func.func @branches(%p: !tile.ptr<i32>, %x: i32, %which: i1) {
  scf.if %which {
    %old = tile.atomic_rmw add %p, %x sem = acq_rel scope = gpu : !tile.ptr<i32>
  } else {
    %old = tile.atomic_rmw or %p, %x sem = acq_rel scope = gpu : !tile.ptr<i32>
  }
  return
}

// CHECK-LABEL: func.func @behind_a_branch
// CHECK: tile.atomic_rmw add {{.*}} sem = acq_rel
func.func @behind_a_branch(%p: !tile.ptr<i32>, %x: i32, %which: i1) {
  scf.if %which {
    %old = tile.atomic_rmw add %p, %x sem = acq_rel scope = gpu : !tile.ptr<i32>
  }
  tile.store %p, %x : !tile.ptr<i32>
  return
}

// The next iteration's operation comes behind it.
// CHECK-LABEL: func.func @in_a_loop
// CHECK: tile.atomic_rmw add {{.*}} sem = acq_rel
func.func @in_a_loop(%p: !tile.ptr<i32>, %x: i32, %n: i32) {
  %one = arith.constant 1 : i32
  scf.for %i = %one to %n step %one : i32 {
    %old = tile.atomic_rmw add %p, %x sem = acq_rel scope = gpu : !tile.ptr<i32>
  }
  return
}
