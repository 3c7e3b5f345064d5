// RUN: tile-opt %s -tile-scalar-steps -canonicalize | FileCheck %s

// Pointers that an iteration computes for the next one from its own number: each iteration computes them for itself, and
// since what comes in is what iteration -1 would hand on, there is no other case.
// CHECK-LABEL: func.func @next_one
// CHECK-SAME: %[[FIRST:.*]]: tensor<64x!tile.ptr<f32>>, %[[OUT:[^:]*]]: {{.*}}, %[[N:.*]]: i32
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N]] step %{{.*}} : i32 {
// CHECK: %[[BY:.*]] = arith.muli %[[I]], %{{.*}} : i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[BY]] : i32 to i64
// CHECK: %[[ALL:.*]] = tile.splat %[[WIDE]] : i64 -> tensor<64xi64>
// CHECK: %[[PTRS:.*]] = tile.addptr %[[FIRST]], %[[ALL]]
// CHECK: tile.load %[[PTRS]]
func.func @next_one(%first: tensor<64x!tile.ptr<f32>>, %out: tensor<64x!tile.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ptrs = %first) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
    tile.store %out, %x : tensor<64x!tile.ptr<f32>>
    %after = arith.addi %i, %c1 : i32
    %by = arith.muli %after, %c64 : i32
    %step = tile.splat %by : i32 -> tensor<64xi32>
    %next = tile.addptr %first, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  }
  return
}

// Two iterations ahead: the second iteration gets what came in for it, which is something else. The first one has no
// case of its own: its pointers are at 0, as the numbers of the others say.
// CHECK-LABEL: func.func @handed_on
// CHECK-SAME: %[[FIRST:.*]]: tensor<64x!tile.ptr<f32>>, %[[OUT:[^:]*]]: {{.*}}, %[[N:.*]]: i32, %[[SOME:.*]]: i32
// CHECK: %[[START:.*]] = arith.extsi %[[SOME]] : i32 to i64
// CHECK: scf.for %[[I:.*]] = %[[ZERO:.*]] to %[[N]] step %[[ONE:.*]] : i32 {
// CHECK-DAG: %[[BEFORE:.*]] = arith.subi %[[I]], %[[ONE]] : i32
// CHECK-DAG: %[[IS_SECOND:.*]] = arith.cmpi eq, %[[BEFORE]], %[[ZERO]] : i32
// CHECK-DAG: %[[FAR:.*]] = arith.muli %[[I]], %{{.*}} : i32
// CHECK-DAG: %[[WIDE:.*]] = arith.extsi %[[FAR]] : i32 to i64
// CHECK: %[[BY:.*]] = arith.select %[[IS_SECOND]], %[[START]], %[[WIDE]] : i64
// CHECK: tile.splat %[[BY]]
// CHECK-NOT: scf.yield
// CHECK: return
func.func @handed_on(%first: tensor<64x!tile.ptr<f32>>, %out: tensor<64x!tile.ptr<f32>>, %n: i32, %some: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c64 = arith.constant 64 : i32
  %by1 = tile.splat %some : i32 -> tensor<64xi32>
  %second = tile.addptr %first, %by1 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%ptrs = %first, %later = %second) -> (tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>) : i32 {
    %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
    tile.store %out, %x : tensor<64x!tile.ptr<f32>>
    %after = arith.addi %i, %c2 : i32
    %by = arith.muli %after, %c64 : i32
    %step = tile.splat %by : i32 -> tensor<64xi32>
    %next = tile.addptr %first, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %later, %next : tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>
  }
  return
}

// What memory says stays carried, as a number.
// CHECK-LABEL: func.func @linked
// CHECK: scf.for {{.*}} iter_args(%[[BY:.*]] = %{{.*}}) -> (i64)
// CHECK: %[[LOADED:.*]] = tile.load %{{.*}} : !tile.ptr<i32>
// CHECK: %[[NEXT:.*]] = arith.extsi %[[LOADED]] : i32 to i64
// CHECK: scf.yield %[[NEXT]] : i64
func.func @linked(%first: tensor<64x!tile.ptr<f32>>, %out: tensor<64x!tile.ptr<f32>>, %links: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ptrs = %first) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
    tile.store %out, %x : tensor<64x!tile.ptr<f32>>
    %link = tile.addptr %links, %i : !tile.ptr<i32>, i32
    %by = tile.load %link : !tile.ptr<i32>
    %step = tile.splat %by : i32 -> tensor<64xi32>
    %next = tile.addptr %first, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  }
  return
}

// Two that change places come from no iteration's number, and other bases are no numbers.
// CHECK-LABEL: func.func @swapped
// CHECK: scf.for {{.*}} -> (tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>)
// CHECK: scf.for {{.*}} -> (tensor<64x!tile.ptr<f32>>)
func.func @swapped(%first: tensor<64x!tile.ptr<f32>>, %other: tensor<64x!tile.ptr<f32>>, %out: tensor<64x!tile.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %by = arith.constant dense<64> : tensor<64xi32>
  %second = tile.addptr %first, %by : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first, %b = %second) -> (tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>) : i32 {
    %x = tile.load %a : tensor<64x!tile.ptr<f32>>
    tile.store %out, %x : tensor<64x!tile.ptr<f32>>
    scf.yield %b, %a : tensor<64x!tile.ptr<f32>>, tensor<64x!tile.ptr<f32>>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    %x = tile.load %a : tensor<64x!tile.ptr<f32>>
    tile.store %out, %x : tensor<64x!tile.ptr<f32>>
    scf.yield %other : tensor<64x!tile.ptr<f32>>
  }
  return
}

// Numbers that share what they are made of are computed once, whatever comes in is made in the same way.
// CHECK-LABEL: func.func @scrambled
// CHECK: scf.for
// CHECK-COUNT-1: arith.muli
// CHECK: tile.splat
// CHECK-NOT: scf.yield
// CHECK: return
func.func @scrambled(%base: tensor<64x!tile.ptr<f32>>, %out: tensor<64x!tile.ptr<f32>>, %key: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %as0 = arith.shrui %key, %c1 : i32
  %ax0 = arith.xori %key, %as0 : i32
  %as1 = arith.shrui %ax0, %c1 : i32
  %ax1 = arith.xori %ax0, %as1 : i32
  %as2 = arith.shrui %ax1, %c1 : i32
  %ax2 = arith.xori %ax1, %as2 : i32
  %as3 = arith.shrui %ax2, %c1 : i32
  %ax3 = arith.xori %ax2, %as3 : i32
  %as4 = arith.shrui %ax3, %c1 : i32
  %ax4 = arith.xori %ax3, %as4 : i32
  %as5 = arith.shrui %ax4, %c1 : i32
  %ax5 = arith.xori %ax4, %as5 : i32
  %as6 = arith.shrui %ax5, %c1 : i32
  %ax6 = arith.xori %ax5, %as6 : i32
  %as7 = arith.shrui %ax6, %c1 : i32
  %ax7 = arith.xori %ax6, %as7 : i32
  %as8 = arith.shrui %ax7, %c1 : i32
  %ax8 = arith.xori %ax7, %as8 : i32
  %as9 = arith.shrui %ax8, %c1 : i32
  %ax9 = arith.xori %ax8, %as9 : i32
  %as10 = arith.shrui %ax9, %c1 : i32
  %ax10 = arith.xori %ax9, %as10 : i32
  %as11 = arith.shrui %ax10, %c1 : i32
  %ax11 = arith.xori %ax10, %as11 : i32
  %as12 = arith.shrui %ax11, %c1 : i32
  %ax12 = arith.xori %ax11, %as12 : i32
  %as13 = arith.shrui %ax12, %c1 : i32
  %ax13 = arith.xori %ax12, %as13 : i32
  %as14 = arith.shrui %ax13, %c1 : i32
  %ax14 = arith.xori %ax13, %as14 : i32
  %as15 = arith.shrui %ax14, %c1 : i32
  %ax15 = arith.xori %ax14, %as15 : i32
  %as16 = arith.shrui %ax15, %c1 : i32
  %ax16 = arith.xori %ax15, %as16 : i32
  %as17 = arith.shrui %ax16, %c1 : i32
  %ax17 = arith.xori %ax16, %as17 : i32
  %as18 = arith.shrui %ax17, %c1 : i32
  %ax18 = arith.xori %ax17, %as18 : i32
  %as19 = arith.shrui %ax18, %c1 : i32
  %ax19 = arith.xori %ax18, %as19 : i32
  %as20 = arith.shrui %ax19, %c1 : i32
  %ax20 = arith.xori %ax19, %as20 : i32
  %as21 = arith.shrui %ax20, %c1 : i32
  %ax21 = arith.xori %ax20, %as21 : i32
  %as22 = arith.shrui %ax21, %c1 : i32
  %ax22 = arith.xori %ax21, %as22 : i32
  %as23 = arith.shrui %ax22, %c1 : i32
  %ax23 = arith.xori %ax22, %as23 : i32
  %as24 = arith.shrui %ax23, %c1 : i32
  %ax24 = arith.xori %ax23, %as24 : i32
  %as25 = arith.shrui %ax24, %c1 : i32
  %ax25 = arith.xori %ax24, %as25 : i32
  %by0 = tile.splat %ax25 : i32 -> tensor<64xi32>
  %first = tile.addptr %base, %by0 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ptrs = %first) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>>
    tile.store %out, %x : tensor<64x!tile.ptr<f32>>
    %after = arith.addi %i, %c1 : i32
    %start = arith.muli %after, %key : i32
    %bs0 = arith.shrui %start, %c1 : i32
    %bx0 = arith.xori %start, %bs0 : i32
    %bs1 = arith.shrui %bx0, %c1 : i32
    %bx1 = arith.xori %bx0, %bs1 : i32
    %bs2 = arith.shrui %bx1, %c1 : i32
    %bx2 = arith.xori %bx1, %bs2 : i32
    %bs3 = arith.shrui %bx2, %c1 : i32
    %bx3 = arith.xori %bx2, %bs3 : i32
    %bs4 = arith.shrui %bx3, %c1 : i32
    %bx4 = arith.xori %bx3, %bs4 : i32
    %bs5 = arith.shrui %bx4, %c1 : i32
    %bx5 = arith.xori %bx4, %bs5 : i32
    %bs6 = arith.shrui %bx5, %c1 : i32
    %bx6 = arith.xori %bx5, %bs6 : i32
    %bs7 = arith.shrui %bx6, %c1 : i32
    %bx7 = arith.xori %bx6, %bs7 : i32
    %bs8 = arith.shrui %bx7, %c1 : i32
    %bx8 = arith.xori %bx7, %bs8 : i32
    %bs9 = arith.shrui %bx8, %c1 : i32
    %bx9 = arith.xori %bx8, %bs9 : i32
    %bs10 = arith.shrui %bx9, %c1 : i32
    %bx10 = arith.xori %bx9, %bs10 : i32
    %bs11 = arith.shrui %bx10, %c1 : i32
    %bx11 = arith.xori %bx10, %bs11 : i32
    %bs12 = arith.shrui %bx11, %c1 : i32
    %bx12 = arith.xori %bx11, %bs12 : i32
    %bs13 = arith.shrui %bx12, %c1 : i32
    %bx13 = arith.xori %bx12, %bs13 : i32
    %bs14 = arith.shrui %bx13, %c1 : i32
    %bx14 = arith.xori %bx13, %bs14 : i32
    %bs15 = arith.shrui %bx14, %c1 : i32
    %bx15 = arith.xori %bx14, %bs15 : i32
    %bs16 = arith.shrui %bx15, %c1 : i32
    %bx16 = arith.xori %bx15, %bs16 : i32
    %bs17 = arith.shrui %bx16, %c1 : i32
    %bx17 = arith.xori %bx16, %bs17 : i32
    %bs18 = arith.shrui %bx17, %c1 : i32
    %bx18 = arith.xori %bx17, %bs18 : i32
    %bs19 = arith.shrui %bx18, %c1 : i32
    %bx19 = arith.xori %bx18, %bs19 : i32
    %bs20 = arith.shrui %bx19, %c1 : i32
    %bx20 = arith.xori %bx19, %bs20 : i32
    %bs21 = arith.shrui %bx20, %c1 : i32
    %bx21 = arith.xori %bx20, %bs21 : i32
    %bs22 = arith.shrui %bx21, %c1 : i32
    %bx22 = arith.xori %bx21, %bs22 : i32
    %bs23 = arith.shrui %bx22, %c1 : i32
    %bx23 = arith.xori %bx22, %bs23 : i32
    %bs24 = arith.shrui %bx23, %c1 : i32
    %bx24 = arith.xori %bx23, %bs24 : i32
    %bs25 = arith.shrui %bx24, %c1 : i32
    %bx25 = arith.xori %bx24, %bs25 : i32
    %step = tile.splat %bx25 : i32 -> tensor<64xi32>
    %next = tile.addptr %base, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  }
  return
}
