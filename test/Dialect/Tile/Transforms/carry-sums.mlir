// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-carry-sums | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-carry-sums | FileCheck %s --check-prefix=NONE

// NONE-NOT: iter_args({{.*}}%true

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
#left = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                     warp = [[16, 0], [32, 0]], block = []>
#right = #tile.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
                      warp = [[0, 0], [0, 0]], block = []>

// The loop carries the sum and whether it goes on; the product of the next iteration selects.
// CHECK-LABEL: func.func @restarts
// CHECK-SAME: %[[ENDS:[^ :]*]]: i1
// CHECK: %[[YES:.*]] = arith.constant true
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[GOES_ON:.*]] = %[[YES]])
// CHECK: %[[START:.*]] = arith.select %[[GOES_ON]], %[[ACC]], %{{.*}} : tensor<64x16xf32
// CHECK: %[[SUM:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[START]]
// CHECK: scf.if %[[ENDS]]
// CHECK: tile.store %{{.*}}, %[[SUM]]
// CHECK: %[[MORE:.*]] = arith.xori %[[ENDS]], %[[YES]]
// CHECK: scf.yield %[[SUM]], %[[MORE]]
// CHECK-NOT: arith.select
// CHECK: return
func.func @restarts(%ends: i1, %n: i32, %a: tensor<64x16xf16, #left>, %b: tensor<16x16xf16, #right>,
                    %out: tensor<64x16x!tile.ptr<f32>, #sum>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x16xf32, #sum>) : i32 {
    %next = tile.dot %a, %b, %acc : tensor<64x16xf16, #left>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    scf.if %ends {
      tile.store %out, %next : tensor<64x16x!tile.ptr<f32>, #sum>
    }
    %kept = arith.select %ends, %zeros, %next : tensor<64x16xf32, #sum>
    scf.yield %kept : tensor<64x16xf32, #sum>
  }
  return
}

// Behind the loop the sum is zero if it has ended.
// CHECK-LABEL: func.func @result
// CHECK-SAME: %[[GOES:[^ :]*]]: i1
// CHECK: %[[LOOP:.*]]:2 = scf.for
// CHECK: scf.yield %{{.*}}, %[[GOES]]
// CHECK: %[[RESULT:.*]] = arith.select %[[LOOP]]#1, %[[LOOP]]#0, %{{.*}}
// CHECK: return %[[RESULT]]
func.func @result(%goes: i1, %n: i32, %a: tensor<64x16xf16, #left>, %b: tensor<16x16xf16, #right>)
    -> tensor<64x16xf32, #sum> attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x16xf32, #sum>) : i32 {
    %next = tile.dot %a, %b, %acc : tensor<64x16xf16, #left>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    %kept = arith.select %goes, %next, %zeros : tensor<64x16xf32, #sum>
    scf.yield %kept : tensor<64x16xf32, #sum>
  }
  return %sum : tensor<64x16xf32, #sum>
}

// Carried as it was: the sum starts from something else than zero, or somebody else reads what is carried.
// CHECK-LABEL: func.func @others
// CHECK: scf.for {{.*}} iter_args(%{{[^,]*}} = %{{[^,]*}}, %{{[^,]*}} = %{{[^,]*}}) ->
// CHECK: return
func.func @others(%ends: i1, %n: i32, %a: tensor<64x16xf16, #left>, %b: tensor<16x16xf16, #right>)
    -> (tensor<64x16xf32, #sum>, tensor<64x16xf32, #sum>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum>
  %ones = arith.constant dense<1.0> : tensor<64x16xf32, #sum>
  %sums:2 = scf.for %i = %zero to %n step %one iter_args(%x = %zeros, %y = %zeros)
      -> (tensor<64x16xf32, #sum>, tensor<64x16xf32, #sum>) : i32 {
    %first = tile.dot %a, %b, %x : tensor<64x16xf16, #left>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    %fromOnes = arith.select %ends, %ones, %first : tensor<64x16xf32, #sum>
    %second = tile.dot %a, %b, %y : tensor<64x16xf16, #left>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    %both = arith.addf %second, %y : tensor<64x16xf32, #sum>
    %fromZeros = arith.select %ends, %zeros, %both : tensor<64x16xf32, #sum>
    scf.yield %fromOnes, %fromZeros : tensor<64x16xf32, #sum>, tensor<64x16xf32, #sum>
  }
  return %sums#0, %sums#1 : tensor<64x16xf32, #sum>, tensor<64x16xf32, #sum>
}
