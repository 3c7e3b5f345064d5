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

#across = #tile.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]], block = []>
#down = #tile.layout<register = [[1, 0], [2, 0]], lane = [[4, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = [[0, 16]], block = []>
#downSeen = #tile.layout<register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0]], block = []>
#acrossSeen = #tile.layout<register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4]], block = []>
#apart = #tile.layout<register = [[4, 0], [0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = [[2, 0]], block = []>

// What is converted twice is stored once, where that serves both, also with its axes in another order.
// CHECK-LABEL: func.func @convert_twice
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <8x32xf32, #{{.*}}>
// CHECK-NEXT: tile.buffer_store %[[X:.*]], %[[BUFFER]] : tensor<8x32xf32, #[[ACROSS:.*]]>,
// CHECK-NEXT: tile.buffer_load %[[BUFFER]]
// CHECK-NEXT: tile.permute %[[X]]
// CHECK-NEXT: %[[AGAIN:.*]] = tile.buffer_load %[[BUFFER]] : <8x32xf32, #{{.*}}> -> tensor<8x32xf32, #[[DOWN:.*]]>
// CHECK-NEXT: tile.permute %[[AGAIN]] order [1, 0] : tensor<8x32xf32, #[[DOWN]]> -> tensor<32x8xf32, #{{.*}}>
// CHECK-NOT: tile.buffer_store
// CHECK: return
func.func @convert_twice(%x: tensor<8x32xf32, #across>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.convert_layout %x : tensor<8x32xf32, #across> -> tensor<8x32xf32, #apart>
  %1 = tile.permute %x order [1, 0] : tensor<8x32xf32, #across> -> tensor<32x8xf32, #acrossSeen>
  %2 = tile.convert_layout %1 : tensor<32x8xf32, #acrossSeen> -> tensor<32x8xf32, #downSeen>
  return
}

// Not where a loop stands between them: the buffer would be in use meanwhile.
// CHECK-LABEL: func.func @convert_in_loop
// CHECK-COUNT-2: tile.buffer_store
func.func @convert_in_loop(%x: tensor<8x32xf32, #across>, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %0 = tile.convert_layout %x : tensor<8x32xf32, #across> -> tensor<8x32xf32, #apart>
  scf.for %i = %zero to %n step %one : i32 {
    %1 = tile.convert_layout %x : tensor<8x32xf32, #across> -> tensor<8x32xf32, #down>
  }
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

#sixteen = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128], [256]], block = []>

// Sixteen parts of values and positions are much work for each thread, so lanes that need the same result share it.
// CHECK-LABEL: func.func @in_lanes
// CHECK: tile.partial_reduce
// CHECK: tile.buffer_load %{{.*}} : {{.*}} -> tensor<16xf32, #[[IN_LANES:.*]]>
// CHECK-NEXT: tile.buffer_load %{{.*}} : {{.*}} -> tensor<16xi32, #[[IN_LANES]]>
// CHECK-NEXT: tile.reduce(%{{.*}}, %{{.*}}) axis 0 : (tensor<16xf32, #[[IN_LANES]]>, tensor<16xi32, #[[IN_LANES]]>) -> (f32, i32)
func.func @in_lanes(%x: tensor<512xf32, #sixteen>, %i: tensor<512xi32, #sixteen>) attributes {tile.kernel, tile.num_warps = 16 : i32} {
  %0:2 = tile.reduce(%x, %i) axis 0 : (tensor<512xf32, #sixteen>, tensor<512xi32, #sixteen>) -> (f32, i32) {
  ^bb0(%a: f32, %n: i32, %b: f32, %m: i32):
    %greater = arith.cmpf ogt, %a, %b : f32
    %equal = arith.cmpf oeq, %a, %b : f32
    %first = arith.cmpi slt, %n, %m : i32
    %both = arith.andi %equal, %first : i1
    %left = arith.ori %greater, %both : i1
    %value = arith.select %left, %a, %b : f32
    %position = arith.select %left, %n, %m : i32
    tile.yield %value, %position : f32, i32
  }
  return
}

// One addition a part is little.
// CHECK-LABEL: func.func @in_registers
// CHECK: tile.partial_reduce
// CHECK: %[[ALL:.*]] = tile.buffer_load %{{.*}} : {{.*}} -> tensor<16xf32, #[[IN_REGISTERS:.*]]>
// CHECK-NOT: #[[IN_LANES]]
// CHECK: tile.reduce(%[[ALL]]) axis 0 : (tensor<16xf32, #[[IN_REGISTERS]]>) -> f32
func.func @in_registers(%x: tensor<512xf32, #sixteen>) attributes {tile.kernel, tile.num_warps = 16 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<512xf32, #sixteen>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return
}

// Two sources are scanned together: each has its buffer. Both are stored before one is loaded. Inside a warp, the
// second dimension are lanes, whose last one has the total.
// CHECK-LABEL: func.func @scan
// CHECK: %[[THREADS:.*]]:2 = tile.scan(%{{.*}}, %{{.*}}) axis 1 : (tensor<64x1xf32,
// CHECK: %[[LANES:.*]]:2 = tile.scan(%{{.*}}, %{{.*}}) axis 1 : (tensor<2x32xf32,
// CHECK: %[[A:.*]] = tile.alloc_buffer : <2xf32
// CHECK: %[[B:.*]] = tile.alloc_buffer : <2xi32
// CHECK-NEXT: tile.buffer_store %[[LANES]]#0, %[[A]] axis 1 index 31
// CHECK-NEXT: tile.buffer_store %[[LANES]]#1, %[[B]] axis 1 index 31
// CHECK-NEXT: %[[PARTS:.*]] = tile.buffer_load %[[A]]
// CHECK-NEXT: %[[MORE_PARTS:.*]] = tile.buffer_load %[[B]]
// CHECK: tile.finish_scan elements({{.*}}) groups({{.*}}) parts(%[[PARTS]], %[[MORE_PARTS]]) axis 0
func.func @scan(%x: tensor<64xf32, #ahead>, %i: tensor<64xi32, #ahead>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0:2 = tile.scan(%x, %i) axis 0 : (tensor<64xf32, #ahead>, tensor<64xi32, #ahead>) -> (tensor<64xf32, #ahead>, tensor<64xi32, #ahead>) {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    tile.yield %b, %bi : f32, i32
  }
  return
}

// Four elements of a thread are a group, 32 groups a part; a thread has two parts of each warp. In reverse, the first
// lane has the total, and the first register that of its group.
#pieces = #tile.layout<register = [[1], [2], [256]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = []>
// CHECK-LABEL: func.func @pieces
// CHECK: %[[THREADS:.*]] = tile.scan(%{{.*}}) axis 1 reverse : (tensor<128x4xf32,
// CHECK: tile.take %[[THREADS]] axis 1 index 0
// CHECK: %[[LANES:.*]] = tile.scan(%{{.*}}) axis 1 reverse : (tensor<4x32xf32,
// CHECK: tile.buffer_store %[[LANES]], %{{.*}} axis 1 index 0
// CHECK: tile.buffer_load %{{.*}} -> tensor<4xf32,
// CHECK: tile.finish_scan {{.*}} axis 0 reverse : (tensor<512xf32, #{{.*}}>, tensor<128xf32, #{{.*}}>, tensor<4xf32, #{{.*}}>)
func.func @pieces(%x: tensor<512xf32, #pieces>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.scan(%x) axis 0 reverse : (tensor<512xf32, #pieces>) -> tensor<512xf32, #pieces> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
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
