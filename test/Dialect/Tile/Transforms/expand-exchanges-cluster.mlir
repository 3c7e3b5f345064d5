// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-expand-exchanges | FileCheck %s

// What has to leave a CTA goes into the buffers of all CTAs.

#low = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [[32]]>
#high = #tile.layout<register = [], lane = [[2], [4], [8], [16], [32]], warp = [], block = [[1]]>
#copies = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [[0]]>

// CHECK-DAG: #[[LOW:.*]] = #tile.layout<register = [], lane = {{.*}}, warp = [], block = {{\[}}[32]]>
// CHECK-DAG: #[[HIGH:.*]] = #tile.layout<register = [], lane = {{.*}}, warp = [], block = {{\[}}[1]]>
// CHECK-DAG: #[[WHOLE:.*]] = #tile.layout<register = {{\[}}[1]], lane = {{\[}}[2], [4], [8], [16], [32]], warp = [], block = {{\[}}[0]]>
// CHECK-DAG: #[[COUNTS:.*]] = #tile.layout<register = [], lane = {{\[}}[1], [2], [4], [8], [0]], warp = [], block = {{\[}}[16]]>
// CHECK-DAG: #[[OWN:.*]] = #tile.shared<[1, 2, 4, 8, 0]>

// CHECK-LABEL: func.func @convert
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <64xi32, #{{.*}}>
// CHECK: tile.buffer_store %{{.*}}, %[[BUFFER]] peers [1] : tensor<64xi32, #[[LOW]]>
// CHECK: tile.buffer_load %[[BUFFER]] : {{.*}} -> tensor<64xi32, #[[HIGH]]>
func.func @convert(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.make_range 0 to 64 : tensor<64xi32, #low>
  %1 = tile.convert_layout %0 : tensor<64xi32, #low> -> tensor<64xi32, #high>
  return
}

// Each CTA scans the whole tile, and keeps what it needs.
// CHECK-LABEL: func.func @scan
// CHECK: tile.buffer_store %{{.*}}, %[[BUFFER:.*]] peers [1] : tensor<64xi32, #[[LOW]]>
// CHECK: %[[ALL:.*]] = tile.buffer_load %[[BUFFER]] : {{.*}} -> tensor<64xi32, #[[WHOLE]]>
// CHECK: %[[SCANNED:.*]] = tile.scan(%[[ALL]]) axis 0
// CHECK: tile.convert_layout %[[SCANNED]] : tensor<64xi32, #[[WHOLE]]> -> tensor<64xi32, #[[LOW]]>
func.func @scan(%x: tensor<64xi32, #low>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.scan(%x) axis 0 : (tensor<64xi32, #low>) -> tensor<64xi32, #low> {
  ^bb0(%a: i32, %b: i32):
    tile.yield %b : i32
  }
  return
}

// CHECK-LABEL: func.func @flip
// CHECK: tile.buffer_store %{{.*}}, %[[BUFFER:.*]] peers [1]
// CHECK: tile.buffer_load %[[BUFFER]] reversed 0
func.func @flip(%x: tensor<64xi32, #low>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.flip %x axis 0 : tensor<64xi32, #low>
  return
}

// CHECK-LABEL: func.func @gather
// CHECK: tile.buffer_store %{{.*}}, %[[BUFFER:.*]] peers [1]
// CHECK: tile.buffer_gather %[[BUFFER]]
func.func @gather(%x: tensor<64xi32, #low>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.gather %x[%x] axis 0 : tensor<64xi32, #low>, tensor<64xi32, #low> -> tensor<64xi32, #low>
  return
}

// What every CTA holds needs none of the others.
// CHECK-LABEL: func.func @gatherOfCopies
// CHECK: tile.buffer_store
// CHECK-NOT: peers
// CHECK: tile.buffer_gather
func.func @gatherOfCopies(%x: tensor<32xi32, #copies>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.gather %x[%x] axis 0 : tensor<32xi32, #copies>, tensor<32xi32, #copies> -> tensor<32xi32, #copies>
  return
}

// Each CTA counts in a buffer for 16 bins, and the counts of all, a tile of 2 x 16, are added up.
// CHECK-LABEL: func.func @histogram
// CHECK: %[[MOST:.*]] = arith.constant dense<15> : tensor<64xi32, #[[LOW]]>
// CHECK: %[[INSIDE:.*]] = arith.cmpi ule, %{{.*}}, %[[MOST]]
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <32xi32, #[[OWN]]>
// CHECK: tile.buffer_store %{{.*}}, %[[BUFFER]] : tensor<32xi32, #[[COUNTS]]>
// CHECK: tile.buffer_count %{{.*}} in %[[BUFFER]] mask %[[INSIDE]]
// CHECK: %[[COUNTED:.*]] = tile.buffer_load %[[BUFFER]] : {{.*}} -> tensor<32xi32, #[[COUNTS]]>
// CHECK: %[[BYCTA:.*]] = tile.reshape %[[COUNTED]] : {{.*}} -> tensor<2x16xi32
// CHECK: %[[PARTS:.*]] = tile.partial_reduce(%[[BYCTA]]) axis 0
// CHECK: tile.buffer_store %[[PARTS]], %{{.*}} peers [1]
// CHECK: %[[SUM:.*]] = tile.reduce(
// CHECK: tile.convert_layout %[[SUM]]
#bins = #tile.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [], block = [[8]]>
func.func @histogram(%x: tensor<64xi32, #low>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.histogram %x : tensor<64xi32, #low> -> tensor<16xi32, #bins>
  return
}

// The first CTA tells the others the result.
// CHECK-LABEL: func.func @atomic
// CHECK: %[[OLD:.*]] = tile.atomic_rmw {{.*}} first_only
// CHECK: tile.buffer_store %[[OLD]], %[[BUFFER:.*]] peers [1] : i32
// CHECK: %[[ALL:.*]] = tile.buffer_load %[[BUFFER]]
// CHECK: tile.store %{{.*}}, %[[ALL]]
func.func @atomic(%p: !tile.ptr<i32>, %v: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.atomic_rmw add %p, %v sem = relaxed scope = gpu : !tile.ptr<i32>
  tile.store %p, %0 : !tile.ptr<i32>
  return
}

// Without a user, the first CTA's is enough.
// CHECK-LABEL: func.func @atomicUnused
// CHECK-NOT: buffer
func.func @atomicUnused(%p: !tile.ptr<i32>, %v: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.atomic_rmw add %p, %v sem = relaxed scope = gpu : !tile.ptr<i32>
  return
}
