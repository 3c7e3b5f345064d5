// RUN: tile-opt %s -tile-expand-exchanges -split-input-file -verify-diagnostics | FileCheck %s

#ahead = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>
#back = #tile.layout<register = [], lane = [[32], [2], [4], [8], [16]], warp = [[1]], block = []>
#lanes = #tile.layout<register = [], lane = [[16], [2], [4], [8], [1]], warp = [[32]], block = []>

// What leaves a warp is stored and loaded; what stays inside is left to shuffles.
// CHECK-LABEL: func.func @convert
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <64xf32, #{{.*}}>
// CHECK-NEXT: tile.buffer_store %[[X:.*]], %[[BUFFER]]
// CHECK-NEXT: %[[Y:.*]] = tile.buffer_load %[[BUFFER]]
// CHECK-NEXT: tile.convert_layout %[[X]]
func.func @convert(%x: tensor<64xf32, #ahead>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.convert_layout %x : tensor<64xf32, #ahead> -> tensor<64xf32, #back>
  %1 = tile.convert_layout %x : tensor<64xf32, #ahead> -> tensor<64xf32, #lanes>
  return
}

// CHECK-LABEL: func.func @flip
// CHECK: tile.buffer_store
// CHECK-NEXT: tile.buffer_load %{{.*}} reversed 0
func.func @flip(%x: tensor<64xf32, #ahead>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.flip %x axis 0 : tensor<64xf32, #ahead>
  return
}

// CHECK-LABEL: func.func @gather
// CHECK: tile.buffer_store
// CHECK-NEXT: tile.buffer_gather %{{.*}}[%{{.*}}] axis 0
func.func @gather(%x: tensor<64xf32, #ahead>, %i: tensor<64xi32, #back>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.gather %x[%i] axis 0 : tensor<64xf32, #ahead>, tensor<64xi32, #back> -> tensor<64xf32, #back>
  return
}

// CHECK-LABEL: func.func @histogram
// CHECK: %[[BINS:.*]] = tile.alloc_buffer : <64xi32
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0>
// CHECK-NEXT: tile.buffer_store %[[ZEROS]], %[[BINS]]
// CHECK-NEXT: tile.buffer_count %{{.*}} in %[[BINS]]
// CHECK-NEXT: tile.buffer_load %[[BINS]]
func.func @histogram(%x: tensor<64xi32, #ahead>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.histogram %x : tensor<64xi32, #ahead> -> tensor<64xi32, #ahead>
  return
}

// Each warp reduces what it holds; every thread reduces the two parts.
// CHECK-LABEL: func.func @reduce
// CHECK: %[[PARTS:.*]] = tile.partial_reduce(%{{.*}}) axis 0 : (tensor<64xf32, #{{.*}}>) -> tensor<2xf32, #{{.*}}>
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <2xf32
// CHECK-NEXT: tile.buffer_store %[[PARTS]], %[[BUFFER]]
// CHECK-NEXT: %[[ALL:.*]] = tile.buffer_load %[[BUFFER]]
// CHECK-NEXT: tile.reduce(%[[ALL]]) axis 0 : (tensor<2xf32, #{{.*}}>) -> f32
func.func @reduce(%x: tensor<64xf32, #ahead>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<64xf32, #ahead>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return
}

// Two sources are scanned together: each has its buffer.
// CHECK-LABEL: func.func @scan
// CHECK: %[[A:.*]] = tile.alloc_buffer : <2xf32
// CHECK: %[[B:.*]] = tile.alloc_buffer : <2xi32
// CHECK: tile.scan(%{{.*}}, %{{.*}}) axis 0 through %[[A]], %[[B]]
func.func @scan(%x: tensor<64xf32, #ahead>, %i: tensor<64xi32, #ahead>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0:2 = tile.scan(%x, %i) axis 0 : (tensor<64xf32, #ahead>, tensor<64xi32, #ahead>) -> (tensor<64xf32, #ahead>, tensor<64xi32, #ahead>) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    tile.yield %b, %bi : f32, i32
  }
  return
}

// 128 KB go in four rounds through 32 KB.
#wide = #tile.layout<register = [[64], [128], [256], [512], [1024], [2048], [4096], [8192], [16384]], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>
#wideBack = #tile.layout<register = [[64], [128], [256], [512], [1024], [2048], [4096], [8192], [16384]], lane = [[32], [2], [4], [8], [16]], warp = [[1]], block = []>
// CHECK-LABEL: func.func @rounds
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <32768xf32, #{{.*}}, rounds = 4>
// CHECK-NEXT: tile.buffer_store %[[X:.*]], %[[BUFFER]] :
// CHECK-NEXT: %[[R0:.*]] = tile.buffer_load %[[BUFFER]] :
// CHECK-NEXT: tile.buffer_store %[[X]], %[[BUFFER]] round 1
// CHECK-NEXT: %[[R1:.*]] = tile.buffer_load %[[BUFFER]] round 1 previous %[[R0]]
// CHECK-NEXT: tile.buffer_store %[[X]], %[[BUFFER]] round 2
// CHECK-NEXT: %[[R2:.*]] = tile.buffer_load %[[BUFFER]] round 2 previous %[[R1]]
// CHECK-NEXT: tile.buffer_store %[[X]], %[[BUFFER]] round 3
// CHECK-NEXT: tile.buffer_load %[[BUFFER]] round 3 previous %[[R2]]
func.func @rounds(%x: tensor<32768xf32, #wide>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.convert_layout %x : tensor<32768xf32, #wide> -> tensor<32768xf32, #wideBack>
  return
}

// Outside of kernels nothing changes.
// CHECK-LABEL: func.func @helper
// CHECK-NEXT: tile.flip
func.func @helper(%x: tensor<64xf32, #ahead>) {
  %0 = tile.flip %x axis 0 : tensor<64xf32, #ahead>
  return
}
