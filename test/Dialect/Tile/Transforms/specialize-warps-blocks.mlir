// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-specialize-warps -cse | FileCheck %s

#sum4 = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                     warp = [[16, 0], [32, 0]], block = []>
#rows = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128, 256, 512]>
#columns = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>
!left = !tile.buffer<64x16xf16, #rows, slots = 3>
!right = !tile.buffer<16x16xf16, #columns, slots = 3>
!maps = !tile.buffer<256xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>>

// Hardware copies blocks for the warps that copy, which alone know the maps, and keep them until those that multiply are
// done. What threads did to barrier objects comes before.
// CHECK-LABEL: func.func @blocks
// CHECK-SAME: tile.num_warps = 8 : i32
// CHECK: %[[FULL:.*]] = tile.alloc_mbarrier slots 3 arrivals
// CHECK: %[[EMPTY:.*]] = tile.alloc_mbarrier slots 3 arrivals 4
// CHECK: %[[DONE:.*]] = tile.alloc_mbarrier arrivals 4
// CHECK-NEXT: tile.async_fence
// CHECK-NEXT: tile.barrier
// CHECK: %[[LEFT:.*]] = tile.alloc_buffer : <64x16xf16
// CHECK: %[[RIGHT:.*]] = tile.alloc_buffer : <16x16xf16
// CHECK: %[[SCRATCH:.*]] = tile.alloc_buffer : <256xi8
// CHECK: tile.warp_roles role 4
// CHECK-NOT: tile.make_tensor_maps
// CHECK: scf.for
// CHECK-NOT: tile.bulk_copy
// CHECK: tile.mbarrier_wait %[[FULL]][%[[SLOT:.*]]], %{{.*}}
// CHECK-NEXT: tile.group_dot %[[LEFT]][%[[SLOT]]]
// CHECK: tile.mbarrier_arrive %[[EMPTY]][%[[SLOT]]] each_warp
// CHECK: tile.mbarrier_arrive %[[DONE]] each_warp
// CHECK-NOT: tile.release_tensor_maps
// CHECK: } role 4
// CHECK: %[[PLACE:.*]], %[[MAPS:.*]]:2 = tile.make_tensor_maps {{.*}} through %[[SCRATCH]]
// CHECK: scf.for
// CHECK: tile.mbarrier_wait %[[EMPTY]][%[[INTO:.*]]], %{{.*}}
// CHECK: tile.bulk_copy %[[MAPS]]#0[%{{.*}}, %{{.*}}] into %[[LEFT]][%[[INTO]]] arrive %[[FULL]][%[[INTO]]]
// CHECK: tile.bulk_copy %[[MAPS]]#1[%{{.*}}, %{{.*}}] into %[[RIGHT]][%[[INTO]]] arrive %[[FULL]][%[[INTO]]]
// CHECK-NOT: after_copies
// CHECK: }
// CHECK: tile.mbarrier_wait %[[DONE]], %c0_i32
// CHECK-NEXT: tile.release_tensor_maps %[[PLACE]]
func.func @blocks(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %m: i64, %k: i64, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %step = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum4>
  %left = tile.alloc_buffer : !left
  %right = tile.alloc_buffer : !right
  %scratch = tile.alloc_buffer : !maps
  %place, %map:2 = tile.make_tensor_maps %a, %b : !tile.ptr<f16>, !tile.ptr<f16> sizes [%m, %k, %k, %m] strides [%k, %unit, %m, %unit]
    through %scratch : !maps -> !tile.tensor_map<64x16xf16, #rows>, !tile.tensor_map<16x16xf16, #columns>
  %sum, %end = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros, %slot = %zero) -> (tensor<64x16xf32, #sum4>, i32) : i32 {
    tile.bulk_copy %map#0[%zero, %i] into %left[%slot] : !tile.tensor_map<64x16xf16, #rows>, !left
    tile.bulk_copy %map#1[%i, %zero] into %right[%slot] : !tile.tensor_map<16x16xf16, #columns>, !right
    tile.async_commit
    tile.async_wait 0
    %product = tile.group_dot %left[%slot], %right[%slot], %acc : !left, !right -> tensor<64x16xf32, #sum4>
    %done = tile.group_wait 0 for %product : tensor<64x16xf32, #sum4> -> tensor<64x16xf32, #sum4>
    %more = arith.addi %slot, %one : i32
    %wraps = arith.cmpi eq, %slot, %two : i32
    %next = arith.select %wraps, %zero, %more : i32
    scf.yield %done, %next : tensor<64x16xf32, #sum4>, i32
  } {tile.copies_in_place}
  tile.release_tensor_maps %place
  tile.print "sum" %sum : tensor<64x16xf32, #sum4>
  return
}

// Loops that go on where others end take their maps from one place, which a CTA has from before the first copy until the
// last block has landed. What the second maps are of is computed before, too.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK-COUNT-3: tile.alloc_mbarrier
// CHECK-NOT: tile.alloc_mbarrier
// CHECK: %[[SCRATCH:.*]] = tile.alloc_buffer : <512xi8
// CHECK: } role 4
// CHECK: %[[LONGER:.*]] = arith.addi
// CHECK: %[[PLACE:.*]], %[[MAPS:.*]]:4 = tile.make_tensor_maps {{.*}} sizes[{{.*}}, %[[LONGER]], {{.*}}] {{.*}} through %[[SCRATCH]]
// CHECK: scf.for
// CHECK: tile.bulk_copy %[[MAPS]]#0
// CHECK: tile.bulk_copy %[[MAPS]]#1
// CHECK-NOT: tile.release_tensor_maps
// CHECK-NOT: tile.make_tensor_maps
// CHECK: scf.for
// CHECK: tile.bulk_copy %[[MAPS]]#2
// CHECK: tile.bulk_copy %[[MAPS]]#3
// CHECK: tile.mbarrier_wait
// CHECK-NEXT: tile.release_tensor_maps %[[PLACE]]
func.func @one_after_the_other(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %m: i64, %k: i64, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %step = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum4>
  %left = tile.alloc_buffer : !left
  %right = tile.alloc_buffer : !right
  %scratch = tile.alloc_buffer : !maps
  %place, %map:2 = tile.make_tensor_maps %a, %b : !tile.ptr<f16>, !tile.ptr<f16> sizes [%m, %k, %k, %m] strides [%k, %unit, %m, %unit]
    through %scratch : !maps -> !tile.tensor_map<64x16xf16, #rows>, !tile.tensor_map<16x16xf16, #columns>
  %sum, %end = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros, %slot = %zero) -> (tensor<64x16xf32, #sum4>, i32) : i32 {
    tile.bulk_copy %map#0[%zero, %i] into %left[%slot] : !tile.tensor_map<64x16xf16, #rows>, !left
    tile.bulk_copy %map#1[%i, %zero] into %right[%slot] : !tile.tensor_map<16x16xf16, #columns>, !right
    tile.async_commit
    tile.async_wait 0
    %product = tile.group_dot %left[%slot], %right[%slot], %acc : !left, !right -> tensor<64x16xf32, #sum4>
    %done = tile.group_wait 0 for %product : tensor<64x16xf32, #sum4> -> tensor<64x16xf32, #sum4>
    %more = arith.addi %slot, %one : i32
    %wraps = arith.cmpi eq, %slot, %two : i32
    %next = arith.select %wraps, %zero, %more : i32
    scf.yield %done, %next : tensor<64x16xf32, #sum4>, i32
  } {tile.copies_in_place}
  tile.release_tensor_maps %place
  tile.print "sum" %sum : tensor<64x16xf32, #sum4>
  %longer = arith.addi %m, %k : i64
  %scratch2 = tile.alloc_buffer : !maps
  %other, %others:2 = tile.make_tensor_maps %a, %b : !tile.ptr<f16>, !tile.ptr<f16> sizes [%longer, %k, %k, %m] strides [%k, %unit, %m, %unit]
    through %scratch2 : !maps -> !tile.tensor_map<64x16xf16, #rows>, !tile.tensor_map<16x16xf16, #columns>
  %sum2, %end2 = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros, %slot = %zero) -> (tensor<64x16xf32, #sum4>, i32) : i32 {
    tile.bulk_copy %others#0[%zero, %i] into %left[%slot] : !tile.tensor_map<64x16xf16, #rows>, !left
    tile.bulk_copy %others#1[%i, %zero] into %right[%slot] : !tile.tensor_map<16x16xf16, #columns>, !right
    tile.async_commit
    tile.async_wait 0
    %product = tile.group_dot %left[%slot], %right[%slot], %acc : !left, !right -> tensor<64x16xf32, #sum4>
    %done = tile.group_wait 0 for %product : tensor<64x16xf32, #sum4> -> tensor<64x16xf32, #sum4>
    %more = arith.addi %slot, %one : i32
    %wraps = arith.cmpi eq, %slot, %two : i32
    %next = arith.select %wraps, %zero, %more : i32
    scf.yield %done, %next : tensor<64x16xf32, #sum4>, i32
  } {tile.copies_in_place}
  tile.release_tensor_maps %other
  tile.print "sum" %sum : tensor<64x16xf32, #sum4>
  return
}

// The place of the maps is given back behind the branch that the loop is in: it is known there.
// CHECK-LABEL: func.func @branch
// CHECK: } role 4
// CHECK: %[[PLACE:.*]], %[[MAPS:.*]]:2 = tile.make_tensor_maps
// CHECK: scf.if
// CHECK: tile.bulk_copy %[[MAPS]]#0
// CHECK: tile.mbarrier_wait %{{.*}}, %c0_i32
// CHECK: tile.release_tensor_maps %[[PLACE]]
func.func @branch(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %m: i64, %k: i64, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %step = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum4>
  %left = tile.alloc_buffer : !left
  %right = tile.alloc_buffer : !right
  %scratch = tile.alloc_buffer : !maps
  %place, %map:2 = tile.make_tensor_maps %a, %b : !tile.ptr<f16>, !tile.ptr<f16> sizes [%m, %k, %k, %m] strides [%k, %unit, %m, %unit]
    through %scratch : !maps -> !tile.tensor_map<64x16xf16, #rows>, !tile.tensor_map<16x16xf16, #columns>
  %any = arith.cmpi sgt, %n, %zero : i32
  %sum = scf.if %any -> (tensor<64x16xf32, #sum4>) {
  %inner, %end = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros, %slot = %zero) -> (tensor<64x16xf32, #sum4>, i32) : i32 {
    tile.bulk_copy %map#0[%zero, %i] into %left[%slot] : !tile.tensor_map<64x16xf16, #rows>, !left
    tile.bulk_copy %map#1[%i, %zero] into %right[%slot] : !tile.tensor_map<16x16xf16, #columns>, !right
    tile.async_commit
    tile.async_wait 0
    %product = tile.group_dot %left[%slot], %right[%slot], %acc : !left, !right -> tensor<64x16xf32, #sum4>
    %done = tile.group_wait 0 for %product : tensor<64x16xf32, #sum4> -> tensor<64x16xf32, #sum4>
    %more = arith.addi %slot, %one : i32
    %wraps = arith.cmpi eq, %slot, %two : i32
    %next = arith.select %wraps, %zero, %more : i32
    scf.yield %done, %next : tensor<64x16xf32, #sum4>, i32
  } {tile.copies_in_place}
    scf.yield %inner : tensor<64x16xf32, #sum4>
  } else {
    scf.yield %zeros : tensor<64x16xf32, #sum4>
  }
  tile.release_tensor_maps %place
  tile.print "sum" %sum : tensor<64x16xf32, #sum4>
  return
}

// In a loop over tiles, who copies goes from tile to tile, and does not wait for the end of one: slot and phase are carried. A product that is in
// flight into the next iteration frees its slot there, the last one behind the loop, and none in the first iteration.
// CHECK-LABEL: func.func @tiles
// CHECK: %[[FULL:.*]] = tile.alloc_mbarrier slots 3 arrivals
// CHECK: %[[EMPTY:.*]] = tile.alloc_mbarrier slots 3 arrivals 4
// CHECK: %[[DONE:.*]] = tile.alloc_mbarrier arrivals 4
// CHECK: tile.warp_roles role 4
// CHECK: scf.for {{.*}} iter_args(%[[FIRST:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (i32, i32)
// CHECK: %[[BRANCH:.*]]:3 = scf.if
// CHECK: %[[THREE:.*]] = arith.constant 3 : i32
// CHECK: %[[LOOP:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SLOT:.*]] = %[[FIRST]], %[[NOW:.*]] = %[[PHASE]], %[[BEFORE:.*]] = %[[THREE]])
// CHECK: tile.mbarrier_wait %[[FULL]][%[[SLOT]]], %[[NOW]]
// CHECK: tile.group_dot
// CHECK-NEXT: tile.group_wait 1
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[BEFORE]], %{{.*}}
// CHECK-NEXT: tile.mbarrier_arrive %[[EMPTY]][%[[BEFORE]]] each_warp if %[[ANY]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %[[SLOT]]
// CHECK: tile.group_wait 0
// CHECK-NEXT: tile.mbarrier_arrive %[[EMPTY]][%[[LOOP]]#3] each_warp
// CHECK: } else {
// CHECK: scf.yield %{{.*}}, %[[FIRST]], %[[PHASE]]
// CHECK: tile.print
// CHECK: scf.yield %[[BRANCH]]#1, %[[BRANCH]]#2
// CHECK: tile.mbarrier_arrive %[[DONE]] each_warp
// CHECK: } role 4
// CHECK: tile.make_tensor_maps
// CHECK: scf.for %[[TILE:[^ ]*]] = {{.*}} -> (i32, i32)
// CHECK: scf.if
// CHECK: %[[COLUMN:.*]] = arith.muli %[[TILE]]
// CHECK: scf.for
// CHECK: tile.mbarrier_wait %[[EMPTY]][%[[INTO:.*]]], %{{.*}}
// CHECK: tile.bulk_copy %{{.*}}[%{{.*}}, %[[COLUMN]]] into %{{.*}}[%[[INTO]]] arrive %[[FULL]][%[[INTO]]]
// CHECK-NOT: tile.mbarrier_wait %[[DONE]]
// CHECK: scf.yield
// CHECK: scf.yield
// CHECK: tile.mbarrier_wait %[[DONE]], %c0_i32
// CHECK: tile.release_tensor_maps
func.func @tiles(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %m: i64, %k: i64, %n: i32, %tiles: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %step = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum4>
  %left = tile.alloc_buffer : !left
  %right = tile.alloc_buffer : !right
  %scratch = tile.alloc_buffer : !maps
  %place, %map:2 = tile.make_tensor_maps %a, %b : !tile.ptr<f16>, !tile.ptr<f16> sizes [%m, %k, %k, %m] strides [%k, %unit, %m, %unit]
    through %scratch : !maps -> !tile.tensor_map<64x16xf16, #rows>, !tile.tensor_map<16x16xf16, #columns>
  scf.for %tile = %zero to %tiles step %one : i32 {
    %column = arith.muli %tile, %step : i32
    %any = arith.cmpi slt, %zero, %n : i32
    %sum = scf.if %any -> tensor<64x16xf32, #sum4> {
      %last, %end = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros, %slot = %zero) -> (tensor<64x16xf32, #sum4>, i32) : i32 {
        tile.bulk_copy %map#0[%zero, %i] into %left[%slot] : !tile.tensor_map<64x16xf16, #rows>, !left
        tile.bulk_copy %map#1[%i, %column] into %right[%slot] : !tile.tensor_map<16x16xf16, #columns>, !right
        tile.async_commit
        tile.async_wait 0
        %product = tile.group_dot %left[%slot], %right[%slot], %acc : !left, !right -> tensor<64x16xf32, #sum4>
        tile.group_wait 1
        %more = arith.addi %slot, %one : i32
        %wraps = arith.cmpi eq, %slot, %two : i32
        %next = arith.select %wraps, %zero, %more : i32
        scf.yield %product, %next : tensor<64x16xf32, #sum4>, i32
      } {tile.copies_in_place}
      %done = tile.group_wait 0 for %last : tensor<64x16xf32, #sum4> -> tensor<64x16xf32, #sum4>
      scf.yield %done : tensor<64x16xf32, #sum4>
    } else {
      scf.yield %zeros : tensor<64x16xf32, #sum4>
    }
    tile.print "sum" %sum : tensor<64x16xf32, #sum4>
  } {tile.flatten}
  tile.release_tensor_maps %place
  return
}

// Where each iteration waits for its product, slots are freed there, and no branch is around the loop.
// CHECK-LABEL: func.func @tiles_of_steps
// CHECK: %[[FULL:.*]] = tile.alloc_mbarrier slots 3 arrivals
// CHECK: %[[EMPTY:.*]] = tile.alloc_mbarrier slots 3 arrivals 4
// CHECK: tile.warp_roles role 4
// CHECK: scf.for {{.*}} iter_args(%[[FIRST:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (i32, i32)
// CHECK: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SLOT:.*]] = %[[FIRST]], %[[NOW:.*]] = %[[PHASE]])
// CHECK: tile.group_wait 0
// CHECK-NEXT: tile.mbarrier_arrive %[[EMPTY]][%[[SLOT]]] each_warp
// CHECK: tile.print
// CHECK: scf.yield %[[LOOP]]#1, %[[LOOP]]#2
// CHECK: } role 4
func.func @tiles_of_steps(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %m: i64, %k: i64, %n: i32, %tiles: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %step = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum4>
  %left = tile.alloc_buffer : !left
  %right = tile.alloc_buffer : !right
  %scratch = tile.alloc_buffer : !maps
  %place, %map:2 = tile.make_tensor_maps %a, %b : !tile.ptr<f16>, !tile.ptr<f16> sizes [%m, %k, %k, %m] strides [%k, %unit, %m, %unit]
    through %scratch : !maps -> !tile.tensor_map<64x16xf16, #rows>, !tile.tensor_map<16x16xf16, #columns>
  scf.for %tile = %zero to %tiles step %one : i32 {
    %column = arith.muli %tile, %step : i32
    %sum, %end = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros, %slot = %zero) -> (tensor<64x16xf32, #sum4>, i32) : i32 {
      tile.bulk_copy %map#0[%zero, %i] into %left[%slot] : !tile.tensor_map<64x16xf16, #rows>, !left
      tile.bulk_copy %map#1[%i, %column] into %right[%slot] : !tile.tensor_map<16x16xf16, #columns>, !right
      tile.async_commit
      tile.async_wait 0
      %product = tile.group_dot %left[%slot], %right[%slot], %acc : !left, !right -> tensor<64x16xf32, #sum4>
      %done = tile.group_wait 0 for %product : tensor<64x16xf32, #sum4> -> tensor<64x16xf32, #sum4>
      %more = arith.addi %slot, %one : i32
      %wraps = arith.cmpi eq, %slot, %two : i32
      %next = arith.select %wraps, %zero, %more : i32
      scf.yield %done, %next : tensor<64x16xf32, #sum4>, i32
    } {tile.copies_in_place}
    tile.print "sum" %sum : tensor<64x16xf32, #sum4>
  } {tile.flatten}
  tile.release_tensor_maps %place
  return
}

// In a loop over tiles, what a tile copies once is read behind its own barrier, and copied again when the tile's products
// have read it. Both barriers are in the phase of the tile.
// CHECK-LABEL: func.func @factor_of_tile
// CHECK: %[[FULL:.*]] = tile.alloc_mbarrier slots 3 arrivals
// CHECK: %[[EMPTY:.*]] = tile.alloc_mbarrier slots 3 arrivals 4
// CHECK: %[[LANDED:.*]] = tile.alloc_mbarrier arrivals 5
// CHECK: %[[READ:.*]] = tile.alloc_mbarrier arrivals 4
// CHECK: tile.warp_roles role 4
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (i32, i32, i32)
// CHECK: tile.mbarrier_wait %[[LANDED]], %[[PHASE]]
// CHECK: scf.for
// CHECK: tile.group_dot %[[FACTOR:[^,]*]],
// CHECK: }
// CHECK: tile.mbarrier_arrive %[[READ]] each_warp
// CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]], %c1_i32
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[OTHER]]
// CHECK: } role 4
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (i32, i32, i32)
// CHECK: %[[BEFORE:.*]] = arith.xori %[[PHASE]], %c1_i32
// CHECK: tile.mbarrier_wait %[[READ]], %[[BEFORE]]
// CHECK: tile.bulk_copy %{{.*}} into %[[FACTOR]] arrive %[[LANDED]]
// CHECK: tile.mbarrier_arrive %[[LANDED]] each_warp
// CHECK: scf.for
// CHECK: tile.bulk_copy %{{.*}} into %{{.*}}[%[[INTO:.*]]] arrive %[[FULL]][%[[INTO]]]
func.func @factor_of_tile(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %m: i64, %k: i64, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %step = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum4>
  %left = tile.alloc_buffer : !tile.buffer<64x16xf16, #rows>
  %right = tile.alloc_buffer : !right
  %scratch = tile.alloc_buffer : !maps
  %place, %map:2 = tile.make_tensor_maps %a, %b : !tile.ptr<f16>, !tile.ptr<f16> sizes [%m, %k, %k, %m] strides [%k, %unit, %m, %unit]
    through %scratch : !maps -> !tile.tensor_map<64x16xf16, #rows>, !tile.tensor_map<16x16xf16, #columns>
  scf.for %tile = %zero to %n step %one : i32 {
    tile.bulk_copy %map#0[%tile, %zero] into %left : !tile.tensor_map<64x16xf16, #rows>, !tile.buffer<64x16xf16, #rows>
    %sum, %end = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros, %slot = %zero) -> (tensor<64x16xf32, #sum4>, i32) : i32 {
      tile.bulk_copy %map#1[%i, %zero] into %right[%slot] : !tile.tensor_map<16x16xf16, #columns>, !right
      tile.async_commit
      tile.async_wait 0
      %product = tile.group_dot %left, %right[%slot], %acc : !tile.buffer<64x16xf16, #rows>, !right -> tensor<64x16xf32, #sum4>
      %done = tile.group_wait 0 for %product : tensor<64x16xf32, #sum4> -> tensor<64x16xf32, #sum4>
      %more = arith.addi %slot, %one : i32
      %wraps = arith.cmpi eq, %slot, %two : i32
      %next = arith.select %wraps, %zero, %more : i32
      scf.yield %done, %next : tensor<64x16xf32, #sum4>, i32
    } {tile.copies_in_place}
    tile.print "sum" %sum : tensor<64x16xf32, #sum4>
  }
  tile.release_tensor_maps %place
  return
}
