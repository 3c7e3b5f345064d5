// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-use-warp-groups | FileCheck %s

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
#left = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                     warp = [[16, 0], [32, 0]], block = []>
#right = #tile.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
                      warp = [[0, 0], [0, 0]], block = []>
!rows = !tile.buffer<64x16xf16, #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128, 256, 512]>, slots = 3>
!columns = !tile.buffer<16x16xf16, #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>, slots = 3>

// Products that add to one sum are waited for once, behind the last one.
// CHECK-LABEL: func.func @straight
// CHECK: %[[P:.*]] = tile.group_dot
// CHECK-NOT: tile.group_wait
// CHECK: %[[Q:.*]] = tile.group_dot {{.*}}, %[[P]] :
// CHECK-NEXT: %[[DONE:.*]] = tile.group_wait 0 for %[[Q]] :
// CHECK-NEXT: return %[[DONE]]
func.func @straight(%one: i32, %two: i32) -> tensor<64x16xf32, #sum> attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum>
  %lefts = tile.alloc_buffer : !rows
  %rights = tile.alloc_buffer : !columns
  %a = tile.buffer_load %lefts[%one] : !rows -> tensor<64x16xf16, #left>
  %b = tile.buffer_load %rights[%one] : !columns -> tensor<16x16xf16, #right>
  %c = tile.buffer_load %lefts[%two] : !rows -> tensor<64x16xf16, #left>
  %d = tile.buffer_load %rights[%two] : !columns -> tensor<16x16xf16, #right>
  %p = tile.dot %a, %b, %zeros : tensor<64x16xf16, #left>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
  %q = tile.dot %c, %d, %p : tensor<64x16xf16, #left>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
  return %q : tensor<64x16xf32, #sum>
}

// Both stay in flight until those of the next iteration have started.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK: %[[P:.*]] = tile.group_dot {{.*}}, %[[ACC]] :
// CHECK-NEXT: %[[Q:.*]] = tile.group_dot {{.*}}, %[[P]] :
// CHECK-NEXT: tile.group_wait 2{{$}}
// CHECK-NEXT: scf.yield %[[Q]]
// CHECK: tile.group_wait 0 for
func.func @loop(%n: i32, %one: i32, %two: i32) -> tensor<64x16xf32, #sum> attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum>
  %lefts = tile.alloc_buffer : !rows
  %rights = tile.alloc_buffer : !columns
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x16xf32, #sum>) : i32 {
    %a = tile.buffer_load %lefts[%one] : !rows -> tensor<64x16xf16, #left>
    %b = tile.buffer_load %rights[%one] : !columns -> tensor<16x16xf16, #right>
    %c = tile.buffer_load %lefts[%two] : !rows -> tensor<64x16xf16, #left>
    %d = tile.buffer_load %rights[%two] : !columns -> tensor<16x16xf16, #right>
    %p = tile.dot %a, %b, %acc : tensor<64x16xf16, #left>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    %q = tile.dot %c, %d, %p : tensor<64x16xf16, #left>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    scf.yield %q : tensor<64x16xf32, #sum>
  }
  return %sum : tensor<64x16xf32, #sum>
}

// What is computed for the second product in between is written to registers that it reads: the first one is waited for.
// CHECK-LABEL: func.func @factorBetween
// CHECK: tile.group_dot
// CHECK-NEXT: tile.group_wait 0
// CHECK: arith.addf
// CHECK-NEXT: tile.group_dot
// CHECK-NEXT: tile.group_wait 0
func.func @factorBetween(%slot: i32, %x: tensor<64x16xf16, #left>) -> tensor<64x16xf32, #sum> attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum>
  %rights = tile.alloc_buffer : !columns
  %b = tile.buffer_load %rights[%slot] : !columns -> tensor<16x16xf16, #right>
  %p = tile.dot %x, %b, %zeros : tensor<64x16xf16, #left>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
  %y = arith.addf %x, %x : tensor<64x16xf16, #left>
  %q = tile.dot %y, %b, %p : tensor<64x16xf16, #left>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
  return %q : tensor<64x16xf32, #sum>
}
