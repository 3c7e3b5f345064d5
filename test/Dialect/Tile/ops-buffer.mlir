// RUN: tile-opt %s -verify-roundtrip | tile-opt | FileCheck %s

#spread = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []>
#warps = #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []>
#plain = #tile.shared<[1, 2, 4, 8, 16, 32, 64]>

// CHECK-DAG: #[[PLAIN:.*]] = #tile.shared<[1, 2, 4, 8, 16, 32, 64]>
// CHECK-DAG: #[[ONE:.*]] = #tile.shared<[]>

// CHECK-LABEL: func.func @types
// CHECK-SAME: !tile.buffer<128xf32, #[[PLAIN]]>
// CHECK-SAME: !tile.buffer<2x64x!tile.ptr<i8>, #[[PLAIN]], rounds = 4>
// CHECK-SAME: !tile.buffer<1xi1, #[[ONE]]>
func.func @types(%a: !tile.buffer<128xf32, #plain>, %b: !tile.buffer<2x64x!tile.ptr<i8>, #plain, rounds = 4>,
                 %c: !tile.buffer<1xi1, #tile.shared<[]>>) {
  return
}

// CHECK-LABEL: func.func @exchange
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer at 64 : <128xf32, #[[PLAIN]]>
// CHECK: tile.buffer_store %{{.*}}, %[[BUFFER]] : tensor<128xf32
// CHECK: tile.buffer_store %{{.*}}, %[[BUFFER]] peers [1, 2] : tensor<128xf32
// CHECK: tile.buffer_store %{{.*}}, %[[BUFFER]] axis 1 index 3 : tensor<128x4xf32
// CHECK: tile.cluster_arrive relaxed
// CHECK: tile.cluster_arrive
// CHECK: tile.cluster_wait
// CHECK: %[[X:.*]] = tile.buffer_load %[[BUFFER]] reversed 0 : <128xf32
// CHECK: tile.buffer_gather %[[BUFFER]][%{{.*}}] axis 0 : <128xf32
func.func @exchange(%x: tensor<128xf32, #spread>, %i: tensor<128xi64, #spread>, %wide: tensor<128x4xf32>) -> tensor<128xf32, #spread> {
  %buffer = tile.alloc_buffer at 64 : !tile.buffer<128xf32, #plain>
  tile.buffer_store %x, %buffer : tensor<128xf32, #spread>, !tile.buffer<128xf32, #plain>
  tile.buffer_store %x, %buffer peers [1, 2] : tensor<128xf32, #spread>, !tile.buffer<128xf32, #plain>
  tile.buffer_store %wide, %buffer axis 1 index 3 : tensor<128x4xf32>, !tile.buffer<128xf32, #plain>
  tile.cluster_arrive relaxed
  tile.cluster_arrive
  tile.cluster_wait
  %y = tile.buffer_load %buffer reversed 0 : !tile.buffer<128xf32, #plain> -> tensor<128xf32, #spread>
  %z = tile.buffer_gather %buffer[%i] axis 0 : !tile.buffer<128xf32, #plain>, tensor<128xi64, #spread> -> tensor<128xf32, #spread>
  return %z : tensor<128xf32, #spread>
}

// CHECK-LABEL: func.func @rounds
// CHECK: tile.buffer_store %{{.*}}, %{{.*}} round 1 : tensor<128xf32
// CHECK: %[[X:.*]] = tile.buffer_load %{{.*}} : <128xf32
// CHECK: %[[Y:.*]] = tile.buffer_load %{{.*}} round 1 previous %[[X]] : tensor<128xf32
// CHECK: tile.buffer_gather %{{.*}}[%{{.*}}] axis 0 round 1 previous %[[Y]] : tensor<128xf32
func.func @rounds(%x: tensor<128xf32, #spread>, %i: tensor<128xi32, #spread>) -> tensor<128xf32, #spread> {
  %buffer = tile.alloc_buffer : !tile.buffer<128xf32, #plain, rounds = 2>
  tile.buffer_store %x, %buffer round 1 : tensor<128xf32, #spread>, !tile.buffer<128xf32, #plain, rounds = 2>
  %y = tile.buffer_load %buffer : !tile.buffer<128xf32, #plain, rounds = 2> -> tensor<128xf32, #spread>
  %z = tile.buffer_load %buffer round 1 previous %y : tensor<128xf32, #spread> : !tile.buffer<128xf32, #plain, rounds = 2> -> tensor<128xf32, #spread>
  %g = tile.buffer_gather %buffer[%i] axis 0 round 1 previous %z : tensor<128xf32, #spread> : !tile.buffer<128xf32, #plain, rounds = 2>, tensor<128xi32, #spread> -> tensor<128xf32, #spread>
  return %g : tensor<128xf32, #spread>
}

// CHECK-LABEL: func.func @copies
// CHECK-SAME: !tile.buffer<128xf32, slots = 2>
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <128xf32, #[[PLAIN]], slots = 3>
// CHECK: tile.buffer_copy %{{.*}} into %[[BUFFER]][%[[SLOT:.*]]] mask %{{.*}} : tensor<128x!tile.ptr<f32>
// CHECK: tile.async_commit
// CHECK: tile.async_wait 1
// CHECK: tile.async_commit ordered
// CHECK: tile.async_wait 0 ordered
// CHECK: tile.buffer_load %[[BUFFER]][%[[SLOT]]] : <128xf32
// CHECK: tile.buffer_load %[[BUFFER]][%[[SLOT]]] mask %{{.*}} previous %{{.*}} : tensor<128xf32
// CHECK: tile.buffer_copy %{{.*}} into %{{.*}} : tensor<128x!tile.ptr<f32>
func.func @copies(%p: tensor<128x!tile.ptr<f32>, #spread>, %m: tensor<128xi1, #spread>, %slot: i32,
                  %unplaced: !tile.buffer<128xf32, slots = 2>, %one: !tile.buffer<128xf32, #plain>) {
  %buffer = tile.alloc_buffer : !tile.buffer<128xf32, #plain, slots = 3>
  tile.buffer_copy %p into %buffer[%slot] mask %m : tensor<128x!tile.ptr<f32>, #spread>, !tile.buffer<128xf32, #plain, slots = 3>
  tile.async_commit
  tile.async_wait 1
  tile.async_commit ordered
  tile.async_wait 0 ordered
  %x = tile.buffer_load %buffer[%slot] : !tile.buffer<128xf32, #plain, slots = 3> -> tensor<128xf32, #spread>
  %y = tile.buffer_load %buffer[%slot] mask %m previous %x : tensor<128xf32, #spread> : !tile.buffer<128xf32, #plain, slots = 3> -> tensor<128xf32, #spread>
  tile.buffer_copy %p into %one : tensor<128x!tile.ptr<f32>, #spread>, !tile.buffer<128xf32, #plain>
  return
}

// CHECK-LABEL: func.func @count
// CHECK: tile.buffer_count %{{.*}} in %{{.*}} mask %{{.*}} : tensor<128xi32
func.func @count(%i: tensor<128xi32, #spread>, %m: tensor<128xi1, #spread>) {
  %bins = tile.alloc_buffer : !tile.buffer<16xi32, #tile.shared<[1, 2, 4, 8]>>
  tile.buffer_count %i in %bins mask %m : tensor<128xi32, #spread>, !tile.buffer<16xi32, #tile.shared<[1, 2, 4, 8]>>
  return
}

// CHECK-LABEL: func.func @parts
// CHECK: tile.partial_reduce(%{{.*}}) axis 0 : (tensor<128xf32, #{{.*}}>) -> tensor<4xf32
func.func @parts(%x: tensor<128xf32, #spread>) {
  %0 = tile.partial_reduce(%x) axis 0 : (tensor<128xf32, #spread>) -> tensor<4xf32, #warps> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return
}
