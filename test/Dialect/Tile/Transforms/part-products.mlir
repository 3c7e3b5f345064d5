// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-part-products | FileCheck %s
// RUN: tile-opt %s -tile-attach-target='arch=sm_90a disable-heuristics=part-products' -tile-part-products | FileCheck %s --check-prefix=NONE
// NONE-NOT: parts

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [64, 0]],
                    lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []>
#lines = #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]>
!left = !tile.buffer<128x64xbf16, #lines>
!right = !tile.buffer<64x128xbf16, #lines>
!sums = tensor<128x128xf32, #sum>

// 128 registers of the product beside as many of the sum: half of them at a time. The wait frees the factors.
// CHECK-LABEL: func.func @scaled
// CHECK: %[[PRODUCT:.*]] = tile.group_dot %{{.*}} parts 2 :
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[PRODUCT]],
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %{{.*}}, %[[SCALED]]
// CHECK-NEXT: %[[DONE:.*]] = tile.group_wait 0 for %[[SUM]] :
// CHECK-NEXT: scf.yield %[[DONE]]
func.func @scaled(%scale: f32, %n: i32, %out: tensor<128x128x!tile.ptr<f32>, #sum>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !sums
  %lefts = tile.alloc_buffer : !left
  %rights = tile.alloc_buffer : !right
  %scales = tile.splat %scale : f32 -> !sums
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
    %product = tile.group_dot %lefts, %rights, %zero : !left, !right -> !sums
    %done = tile.group_wait 0 for %product : !sums -> !sums
    %scaled = arith.mulf %done, %scales : !sums
    %next = arith.addf %acc, %scaled : !sums
    scf.yield %next : !sums
  }
  tile.store %out, %sum : tensor<128x128x!tile.ptr<f32>, #sum>
  return
}

// Another tile of 64 registers is live there: four parts.
// CHECK-LABEL: func.func @crowded
// CHECK: tile.group_dot %{{.*}} parts 4 :
func.func @crowded(%scale: f32, %n: i32, %out: tensor<128x128x!tile.ptr<f32>, #sum>, %more: tensor<128x128xbf16, #sum>,
                   %outMore: tensor<128x128x!tile.ptr<bf16>, #sum>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !sums
  %lefts = tile.alloc_buffer : !left
  %rights = tile.alloc_buffer : !right
  %sum, %last = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %other = %more) -> (!sums, tensor<128x128xbf16, #sum>) : i32 {
    %product = tile.group_dot %lefts, %rights, %zero : !left, !right -> !sums
    %done = tile.group_wait 0 for %product : !sums -> !sums
    %next = arith.addf %acc, %done : !sums
    %negative = arith.negf %other : tensor<128x128xbf16, #sum>
    scf.yield %next, %negative : !sums, tensor<128x128xbf16, #sum>
  }
  tile.store %out, %sum : tensor<128x128x!tile.ptr<f32>, #sum>
  tile.store %outMore, %last : tensor<128x128x!tile.ptr<bf16>, #sum>
  return
}

// What the work needs of shared memory is read before the product.
// CHECK-LABEL: func.func @scalesInMemory
// CHECK: %[[SCALES:.*]] = tile.buffer_load
// CHECK-NEXT: tile.group_dot %{{.*}} parts 2 :
// CHECK: tile.expand_dims %[[SCALES]]
#row = #tile.layout<register = [[1], [0], [8], [16], [32], [64], [0]],
                    lane = [[2], [4], [0], [0], [0]], warp = [[0], [0]], block = []>
#rowOf = #tile.layout<register = [[0, 1], [0, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 0]],
                      lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = []>
func.func @scalesInMemory(%n: i32, %out: tensor<128x128x!tile.ptr<f32>, #sum>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !sums
  %lefts = tile.alloc_buffer : !left
  %rights = tile.alloc_buffer : !right
  %buffer = tile.alloc_buffer : !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!sums) : i32 {
    %product = tile.group_dot %lefts, %rights, %zero : !left, !right -> !sums
    %done = tile.group_wait 0 for %product : !sums -> !sums
    %scales = tile.buffer_load %buffer : !tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>> -> tensor<128xf32, #row>
    %scaleRow = tile.expand_dims %scales axis 0 : tensor<128xf32, #row> -> tensor<1x128xf32, #rowOf>
    %scaleTile = tile.broadcast %scaleRow : tensor<1x128xf32, #rowOf> -> !sums
    %scaled = arith.mulf %done, %scaleTile : !sums
    %next = arith.addf %acc, %scaled : !sums
    scf.yield %next : !sums
  }
  tile.store %out, %sum : tensor<128x128x!tile.ptr<f32>, #sum>
  return
}

// What more than elementwise work needs, what adds to more than zero, and what is stored in its iteration is made at once.
// CHECK-LABEL: func.func @others
// CHECK-NOT: parts
func.func @others(%n: i32, %out: tensor<128x128x!tile.ptr<f32>, #sum>, %start: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !sums
  %lefts = tile.alloc_buffer : !left
  %rights = tile.alloc_buffer : !right
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %plain = %zero) -> (!sums, !sums) : i32 {
    %product = tile.group_dot %lefts, %rights, %zero : !left, !right -> !sums
    %done = tile.group_wait 0 for %product : !sums -> !sums
    tile.store %out, %done : tensor<128x128x!tile.ptr<f32>, #sum>
    %next = arith.addf %acc, %done : !sums
    %added = tile.group_dot %lefts, %rights, %plain : !left, !right -> !sums
    %doneToo = tile.group_wait 0 for %added : !sums -> !sums
    scf.yield %next, %doneToo : !sums, !sums
  }
  tile.store %out, %sum#0 : tensor<128x128x!tile.ptr<f32>, #sum>
  tile.store %out, %sum#1 : tensor<128x128x!tile.ptr<f32>, #sum>
  return
}

// Sums of 64 registers have room as they are.
#small = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]],
                      lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []>
!few = tensor<64x128xf32, #small>
!leftOfFew = !tile.buffer<64x64xbf16, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]>>
// CHECK-LABEL: func.func @small
// CHECK-NOT: parts
func.func @small(%n: i32, %out: tensor<64x128x!tile.ptr<f32>, #small>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !few
  %lefts = tile.alloc_buffer : !leftOfFew
  %rights = tile.alloc_buffer : !right
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!few) : i32 {
    %product = tile.group_dot %lefts, %rights, %zero : !leftOfFew, !right -> !few
    %done = tile.group_wait 0 for %product : !few -> !few
    %next = arith.addf %acc, %done : !few
    scf.yield %next : !few
  }
  tile.store %out, %sum : tensor<64x128x!tile.ptr<f32>, #small>
  return
}
