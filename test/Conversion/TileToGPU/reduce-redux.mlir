// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -convert-tile-to-gpu | FileCheck %s
// RUN: tile-opt %s -convert-tile-to-gpu | FileCheck %s --check-prefix=OLD

// From compute capability 8.0 on, one instruction reduces 32-bit integers over a whole warp.

#lanes = #tile.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>
#few = #tile.layout<register = [], lane = [[1], [2], [4], [8], [0]], warp = [], block = []>
#matrix = #tile.layout<register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [], block = []>
#rows = #tile.layout<register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = [], block = []>

// OLD-NOT: nvvm.redux

// CHECK-LABEL: func.func @addi
// CHECK: arith.addi {{.*}} : vector<1xi32>
// CHECK: nvvm.redux.sync add %{{.*}}, %{{.*}} : i32 -> i32
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @addi(%x: tensor<64xi32, #lanes>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<64xi32, #lanes>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  return
}

// CHECK-LABEL: func.func @maxsi
// CHECK: arith.maxsi {{.*}} : vector<1xi32>
// CHECK: nvvm.redux.sync max %{{.*}}, %{{.*}} : i32 -> i32
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @maxsi(%x: tensor<64xi32, #lanes>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<64xi32, #lanes>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }
  return
}

// CHECK-LABEL: func.func @minsi
// CHECK: arith.minsi {{.*}} : vector<1xi32>
// CHECK: nvvm.redux.sync min %{{.*}}, %{{.*}} : i32 -> i32
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @minsi(%x: tensor<64xi32, #lanes>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<64xi32, #lanes>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.minsi %a, %b : i32
    tile.yield %c : i32
  }
  return
}

// CHECK-LABEL: func.func @maxui
// CHECK: arith.maxui {{.*}} : vector<1xi32>
// CHECK: nvvm.redux.sync umax %{{.*}}, %{{.*}} : i32 -> i32
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @maxui(%x: tensor<64xi32, #lanes>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<64xi32, #lanes>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxui %a, %b : i32
    tile.yield %c : i32
  }
  return
}

// CHECK-LABEL: func.func @minui
// CHECK: arith.minui {{.*}} : vector<1xi32>
// CHECK: nvvm.redux.sync umin %{{.*}}, %{{.*}} : i32 -> i32
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @minui(%x: tensor<64xi32, #lanes>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<64xi32, #lanes>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.minui %a, %b : i32
    tile.yield %c : i32
  }
  return
}

// CHECK-LABEL: func.func @andi
// CHECK: arith.andi {{.*}} : vector<1xi32>
// CHECK: nvvm.redux.sync and %{{.*}}, %{{.*}} : i32 -> i32
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @andi(%x: tensor<64xi32, #lanes>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<64xi32, #lanes>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.andi %a, %b : i32
    tile.yield %c : i32
  }
  return
}

// CHECK-LABEL: func.func @ori
// CHECK: arith.ori {{.*}} : vector<1xi32>
// CHECK: nvvm.redux.sync or %{{.*}}, %{{.*}} : i32 -> i32
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @ori(%x: tensor<64xi32, #lanes>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<64xi32, #lanes>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.ori %a, %b : i32
    tile.yield %c : i32
  }
  return
}

// CHECK-LABEL: func.func @xori
// CHECK: arith.xori {{.*}} : vector<1xi32>
// CHECK: nvvm.redux.sync xor %{{.*}}, %{{.*}} : i32 -> i32
// CHECK-NOT: nvvm.shfl
// CHECK: return
func.func @xori(%x: tensor<64xi32, #lanes>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<64xi32, #lanes>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.xori %b, %a : i32
    tile.yield %c : i32
  }
  return
}

// One for each register that is left.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-2: nvvm.redux.sync add
// CHECK-NOT: nvvm.redux
// CHECK: return
func.func @rows(%x: tensor<2x32xi32, #matrix>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.reduce(%x) axis 1 : (tensor<2x32xi32, #matrix>) -> tensor<2xi32, #rows> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  return
}

// Lanes that hold copies would be counted twice.
// CHECK-LABEL: func.func @copies
// CHECK-NOT: nvvm.redux
// CHECK-COUNT-4: nvvm.shfl.sync
// CHECK: return
func.func @copies(%x: tensor<16xi32, #few>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<16xi32, #few>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  return
}

// Other widths, other operations, and other uses of the arguments have no such instruction.
// CHECK-LABEL: func.func @others
// CHECK-NOT: nvvm.redux
// CHECK-COUNT-20: nvvm.shfl.sync
// CHECK: return
func.func @others(%x: tensor<64xi32, #lanes>, %y: tensor<64xi16, #lanes>, %z: tensor<64xf32, #lanes>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.reduce(%x) axis 0 : (tensor<64xi32, #lanes>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.muli %a, %b : i32
    tile.yield %c : i32
  }
  %1 = tile.reduce(%y) axis 0 : (tensor<64xi16, #lanes>) -> i16 {
  ^bb0(%a: i16, %b: i16):
    %c = arith.addi %a, %b : i16
    tile.yield %c : i16
  }
  %2 = tile.reduce(%x) axis 0 : (tensor<64xi32, #lanes>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %a : i32
    tile.yield %c : i32
  }
  %3 = tile.reduce(%z) axis 0 : (tensor<64xf32, #lanes>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return
}
