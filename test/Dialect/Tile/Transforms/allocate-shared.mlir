// RUN: tile-opt %s -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers | FileCheck %s

// Each function's tiles lie over four warps, so every reduction exchanges four partial results of 4
// bytes, through a buffer of 16 bytes.

#ahead = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []>
#back = #tile.layout<register = [], lane = [[64], [32], [16], [8], [4]], warp = [[2], [1]], block = []>
#ahead2 = #tile.layout<register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [0, 64]], block = []>
#back2 = #tile.layout<register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 64], [0, 32], [0, 16], [0, 8], [0, 4]], warp = [[0, 2], [0, 1]], block = []>
#lanes = #tile.layout<register = [], lane = [[2], [1], [4], [8], [16]], warp = [[32], [64]], block = []>
#pair = #tile.layout<register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []>
#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>
#onewarp = #tile.layout<register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], block = []>

// Only what crosses warps has scratch.
// CHECK-LABEL: func.func @none
// CHECK-SAME: tile.shared_bytes = 0 : i32
// CHECK-NOT: tile.alloc_buffer
// CHECK-LABEL: func.func @conversions
func.func @none(%x: tensor<128xf32, #onewarp>, %y: tensor<128xf32, #ahead>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<128xf32, #onewarp>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %1 = tile.convert_layout %y : tensor<128xf32, #ahead> -> tensor<128xf32, #lanes>
  return
}

// A conversion needs the whole tile, in the size that its elements have in memory.
// CHECK-SAME: tile.shared_bytes = 1664 : i32
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.buffer_store
// CHECK: tile.alloc_buffer at 512 :
// CHECK-NEXT: tile.buffer_store
// CHECK: tile.alloc_buffer at 640 :
// CHECK-NEXT: tile.buffer_store
func.func @conversions(%x: tensor<128xf32, #ahead>, %y: tensor<128xi1, #ahead>,
                       %z: tensor<128x!tile.ptr<i8>, #ahead>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.convert_layout %x : tensor<128xf32, #ahead> -> tensor<128xf32, #back>
  %1 = tile.convert_layout %y : tensor<128xi1, #ahead> -> tensor<128xi1, #back>
  %2 = tile.convert_layout %z : tensor<128x!tile.ptr<i8>, #ahead> -> tensor<128x!tile.ptr<i8>, #back>
  return
}

// A barrier is cheaper than much memory: past 8 KB places are used again.
// CHECK-LABEL: func.func @budget
// CHECK-SAME: tile.shared_bytes = 8192 : i32
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.buffer_store
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_store
func.func @budget(%x: tensor<8x128xf64, #ahead2>, %y: tensor<8x128xf64, #ahead2>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.convert_layout %x : tensor<8x128xf64, #ahead2> -> tensor<8x128xf64, #back2>
  %1 = tile.convert_layout %y : tensor<8x128xf64, #ahead2> -> tensor<8x128xf64, #back2>
  return
}

// Three in a row alternate between two places and never wait.
// CHECK-LABEL: func.func @alternate
// CHECK-SAME: tile.shared_bytes = 32 : i32
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.buffer_store
// CHECK: tile.alloc_buffer at 16 :
// CHECK-NEXT: tile.buffer_store
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.buffer_store
func.func @alternate(%x: tensor<128xf32, #ahead>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %1 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %2 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.minimumf %a, %b : f32
    tile.yield %c : f32
  }
  return
}

// Two sources have one place each, aligned to 16 bytes; an i1 takes a byte. One barrier serves both.
// CHECK-LABEL: func.func @sources
// CHECK-SAME: tile.shared_bytes = 20 : i32
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.alloc_buffer at 16 :
// CHECK-NEXT: tile.buffer_store
// CHECK-NEXT: tile.buffer_store
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_load
// CHECK-NEXT: tile.buffer_load
func.func @sources(%x: tensor<128xf32, #ahead>, %y: tensor<128xi1, #ahead>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0:2 = tile.reduce(%x, %y) axis 0 : (tensor<128xf32, #ahead>, tensor<128xi1, #ahead>) -> (f32, i1) {
  ^bb0(%a: f32, %ai: i1, %b: f32, %bi: i1):
    %c = arith.addf %a, %b : f32
    %ci = arith.ori %ai, %bi : i1
    tile.yield %c, %ci : f32, i1
  }
  return
}

// One in a loop meets itself: it waits.
// CHECK-LABEL: func.func @loopOfOne
// CHECK-SAME: tile.shared_bytes = 16 : i32
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_store
func.func @loopOfOne(%x: tensor<128xf32, #ahead>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  scf.for %i = %n to %n step %n : i32 {
    %0 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
  }
  return
}

// Two in a loop alternate, also with what comes before and after.
// CHECK-LABEL: func.func @loopOfTwo
// CHECK-SAME: tile.shared_bytes = 32 : i32
// CHECK: scf.for
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.buffer_store
// CHECK: tile.alloc_buffer at 16 :
// CHECK-NEXT: tile.buffer_store
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.buffer_store
func.func @loopOfTwo(%x: tensor<128xf32, #ahead>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  scf.for %i = %n to %n step %n : i32 {
    %0 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %1 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    }
  }
  %2 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return
}

// The loop may not run at all, so what comes after it meets what came before.
// CHECK-LABEL: func.func @emptyLoop
// CHECK-SAME: tile.shared_bytes = 48 : i32
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.buffer_store
// CHECK: scf.for
// CHECK: tile.alloc_buffer at 16 :
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_store
// CHECK: tile.alloc_buffer at 32 :
// CHECK-NEXT: tile.buffer_store
func.func @emptyLoop(%x: tensor<128xf32, #ahead>, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  scf.for %i = %n to %n step %n : i32 {
    %1 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    }
  }
  %2 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return
}

// After an if, what either arm left behind is still read.
// CHECK-LABEL: func.func @branch
// CHECK-SAME: tile.shared_bytes = 48 : i32
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.buffer_store
// CHECK: scf.if
// CHECK: tile.alloc_buffer at 16 :
// CHECK-NEXT: tile.buffer_store
// CHECK: tile.alloc_buffer at 32 :
// CHECK-NEXT: tile.buffer_store
func.func @branch(%x: tensor<128xf32, #ahead>, %c: i1)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  scf.if %c {
    %1 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.maximumf %a, %b : f32
      tile.yield %s : f32
    }
  }
  %2 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  return
}

// Both arms may use one place: only one of them runs.
// CHECK-LABEL: func.func @arms
// CHECK-SAME: tile.shared_bytes = 16 : i32
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.buffer_store
// CHECK: else
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.buffer_store
func.func @arms(%x: tensor<128xf32, #ahead>, %c: i1)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  scf.if %c {
    %1 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.maximumf %a, %b : f32
      tile.yield %s : f32
    }
  } else {
    %1 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
  }
  return
}

// A while loop ends after its first region, so that is what the code after it meets.
// CHECK-LABEL: func.func @while
// CHECK: tile.alloc_buffer at 0 :
// CHECK-NEXT: tile.buffer_store
// CHECK: scf.condition
// CHECK: tile.alloc_buffer at 16 :
// CHECK-NEXT: tile.buffer_store
// CHECK: scf.yield
// CHECK: tile.alloc_buffer at 16 :
// CHECK-NEXT: tile.buffer_store
func.func @while(%x: tensor<128xf32, #ahead>, %limit: f32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  scf.while : () -> () {
    %0 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    %more = arith.cmpf olt, %0, %limit : f32
    scf.condition(%more)
  } do {
    %1 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.maximumf %a, %b : f32
      tile.yield %s : f32
    }
    scf.yield
  }
  %2 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  return
}

// Nothing is done outside of kernels.
// CHECK-LABEL: func.func @helper
// CHECK-NOT: tile.shared
func.func @helper(%x: tensor<128xf32, #ahead>) -> f32 {
  %0 = tile.reduce(%x) axis 0 : (tensor<128xf32, #ahead>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  return %0 : f32
}

// Copies of blocks know where they are in a swizzled atom by the address, and hardware aligns maps to their size.
// CHECK-LABEL: func.func @blocks
// CHECK: tile.alloc_buffer at 0 : <2xf32
// CHECK: tile.alloc_buffer at 128 : <128xi8
// CHECK: tile.alloc_buffer at 1024 : <8x16xf32
func.func @blocks(%x: tensor<2xf32, #pair>, %p: !tile.ptr<f32>, %n: i64, %i: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %full = tile.alloc_mbarrier arrivals 1
  %some = tile.alloc_buffer : !tile.buffer<2xf32, #tile.shared<[1]>>
  %scratch = tile.alloc_buffer : !tile.buffer<128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>
  %block = tile.alloc_buffer : !tile.buffer<8x16xf32, #lines>
  tile.buffer_store %x, %some : tensor<2xf32, #pair>, !tile.buffer<2xf32, #tile.shared<[1]>>
  %place, %map = tile.make_tensor_maps %p : !tile.ptr<f32> sizes [%n, %n] strides [%n, %n] through %scratch : !tile.buffer<128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>> -> !tile.tensor_map<8x16xf32, #lines>
  tile.bulk_copy %map[%i, %i] into %block arrive %full : !tile.tensor_map<8x16xf32, #lines>, !tile.buffer<8x16xf32, #lines>
  %y = tile.buffer_load %some : !tile.buffer<2xf32, #tile.shared<[1]>> -> tensor<2xf32, #pair>
  return
}

// What only other roles use is in use at any time of the first one.
// CHECK-LABEL: func.func @otherRole
// CHECK: tile.alloc_buffer at [[SCRATCH:[0-9]+]] : <128xi8
// CHECK: tile.warp_roles
// CHECK-NOT: tile.alloc_buffer at [[SCRATCH]] :
// CHECK: tile.make_tensor_maps
func.func @otherRole(%x: tensor<128xf32, #ahead>, %p: !tile.ptr<f32>, %n: i64) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %scratch = tile.alloc_buffer : !tile.buffer<128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>
  tile.warp_roles role 4 registers 232 {
    %0 = tile.convert_layout %x : tensor<128xf32, #ahead> -> tensor<128xf32, #back>
    %1 = tile.convert_layout %0 : tensor<128xf32, #back> -> tensor<128xf32, #ahead>
  } role 4 registers 40 {
    %place, %map = tile.make_tensor_maps %p : !tile.ptr<f32> sizes [%n, %n] strides [%n, %n] through %scratch : !tile.buffer<128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>> -> !tile.tensor_map<8x16xf32, #lines>
    tile.release_tensor_maps %place
  }
  return
}

// So is what another role allocates.
// CHECK-LABEL: func.func @inOtherRole
// CHECK: tile.warp_roles
// CHECK: tile.alloc_buffer at [[FIRST:[0-9]+]] :
// CHECK: } role 4
// CHECK-NOT: tile.alloc_buffer at [[FIRST]] :
// CHECK: tile.make_tensor_maps
func.func @inOtherRole(%x: tensor<128xf32, #ahead>, %p: !tile.ptr<f32>, %n: i64, %if: i1) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  tile.warp_roles role 4 registers 232 {
    %0 = tile.convert_layout %x : tensor<128xf32, #ahead> -> tensor<128xf32, #back>
    %1 = tile.convert_layout %0 : tensor<128xf32, #back> -> tensor<128xf32, #ahead>
  } role 4 registers 40 {
    scf.if %if {
      %scratch = tile.alloc_buffer : !tile.buffer<128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>
      %place, %map = tile.make_tensor_maps %p : !tile.ptr<f32> sizes [%n, %n] strides [%n, %n] through %scratch : !tile.buffer<128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>> -> !tile.tensor_map<8x16xf32, #lines>
      tile.release_tensor_maps %place
    }
  }
  return
}

// What hardware stores lies where boxes do, and is in use until somebody has waited.
// CHECK-LABEL: func.func @stored
// CHECK: tile.alloc_buffer at 0 : <2xf32
// CHECK: tile.alloc_buffer at 1024 : <8x16xf32
// CHECK: tile.alloc_buffer at 0 : <8x16xf32
func.func @stored(%x: tensor<2xf32, #pair>, %map: !tile.tensor_map<8x16xf32, #lines>, %i: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %some = tile.alloc_buffer : !tile.buffer<2xf32, #tile.shared<[1]>>
  %first = tile.alloc_buffer : !tile.buffer<8x16xf32, #lines>
  %second = tile.alloc_buffer : !tile.buffer<8x16xf32, #lines>
  tile.buffer_store %x, %some : tensor<2xf32, #pair>, !tile.buffer<2xf32, #tile.shared<[1]>>
  tile.bulk_store %first into %map[%i, %i] : !tile.buffer<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>
  tile.barrier
  tile.bulk_store %second into %map[%i, %i] : !tile.buffer<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>
  tile.bulk_store_wait %first : !tile.buffer<8x16xf32, #lines>
  tile.bulk_store_wait %second : !tile.buffer<8x16xf32, #lines>
  return
}

// A kernel that does nothing.
// CHECK-LABEL: func.func @empty
// CHECK-SAME: tile.shared_bytes = 0 : i32
func.func @empty() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  return
}
