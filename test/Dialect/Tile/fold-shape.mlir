// RUN: tile-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @rangeOfOne
func.func @rangeOfOne() -> tensor<1xi32> {
  // CHECK: arith.constant dense<7> : tensor<1xi32>
  // CHECK-NOT: tile.make_range
  %0 = tile.make_range 7 to 8 : tensor<1xi32>
  return %0 : tensor<1xi32>
}

// CHECK-LABEL: func.func @lastOfAllRanges
func.func @lastOfAllRanges() -> tensor<1xi32> {
  // CHECK: arith.constant dense<-1> : tensor<1xi32>
  %0 = tile.make_range 4294967295 to 4294967296 : tensor<1xi32>
  return %0 : tensor<1xi32>
}

// CHECK-LABEL: func.func @rangeOfTwo
func.func @rangeOfTwo() -> tensor<2xi32> {
  // CHECK: tile.make_range 7 to 9
  %0 = tile.make_range 7 to 9 : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: func.func @splatOfConstant
func.func @splatOfConstant() -> (tensor<8x2xf16>, tensor<4xi1>) {
  // CHECK-DAG: arith.constant dense<1.500000e+00> : tensor<8x2xf16>
  // CHECK-DAG: arith.constant dense<true> : tensor<4xi1>
  // CHECK-NOT: tile.splat
  %a = arith.constant 1.5 : f16
  %b = arith.constant true
  %0 = tile.splat %a : f16 -> tensor<8x2xf16>
  %1 = tile.splat %b : i1 -> tensor<4xi1>
  return %0, %1 : tensor<8x2xf16>, tensor<4xi1>
}

// CHECK-LABEL: func.func @broadcasts
// CHECK-SAME: %[[X:.*]]: tensor<1x8xf32>, %[[Y:.*]]: tensor<1x1xf32>, %[[S:.*]]: f32
func.func @broadcasts(%x: tensor<1x8xf32>, %y: tensor<1x1xf32>, %s: f32)
    -> (tensor<1x8xf32>, tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xf32>) {
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<3> : tensor<4x8xi32>
  // CHECK-DAG: %[[TWICE:.*]] = tile.broadcast %[[Y]] : tensor<1x1xf32> -> tensor<4x8xf32>
  // CHECK-DAG: %[[SPLAT:.*]] = tile.splat %[[S]] : f32 -> tensor<4x8xf32>
  // CHECK: return %[[X]], %[[TWICE]], %[[C]], %[[SPLAT]]
  %same = tile.broadcast %x : tensor<1x8xf32> -> tensor<1x8xf32>
  %row = tile.broadcast %y : tensor<1x1xf32> -> tensor<1x8xf32>
  %twice = tile.broadcast %row : tensor<1x8xf32> -> tensor<4x8xf32>
  %c = arith.constant dense<3> : tensor<4x1xi32>
  %constant = tile.broadcast %c : tensor<4x1xi32> -> tensor<4x8xi32>
  %one = tile.splat %s : f32 -> tensor<1x8xf32>
  %splat = tile.broadcast %one : tensor<1x8xf32> -> tensor<4x8xf32>
  return %same, %twice, %constant, %splat
      : tensor<1x8xf32>, tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @expansions
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[P:.*]]: !tile.ptr<f32>
func.func @expansions(%x: tensor<8xf32>, %p: !tile.ptr<f32>)
    -> (tensor<8x1xi64>, tensor<1x8x!tile.ptr<f32>>, tensor<8x1xf32>) {
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<-2> : tensor<8x1xi64>
  // CHECK-DAG: %[[SPLAT:.*]] = tile.splat %[[P]] : !tile.ptr<f32> -> tensor<1x8x!tile.ptr<f32>>
  // CHECK-DAG: %[[KEPT:.*]] = tile.expand_dims %[[X]] axis 1
  // CHECK: return %[[C]], %[[SPLAT]], %[[KEPT]]
  %c = arith.constant dense<-2> : tensor<8xi64>
  %constant = tile.expand_dims %c axis 1 : tensor<8xi64> -> tensor<8x1xi64>
  %ptrs = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %splat = tile.expand_dims %ptrs axis 0 : tensor<8x!tile.ptr<f32>> -> tensor<1x8x!tile.ptr<f32>>
  %kept = tile.expand_dims %x axis 1 : tensor<8xf32> -> tensor<8x1xf32>
  return %constant, %splat, %kept : tensor<8x1xi64>, tensor<1x8x!tile.ptr<f32>>, tensor<8x1xf32>
}

// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[S:.*]]: f32
func.func @reshapes(%x: tensor<8xf32>, %s: f32)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<2x2x2xf32>, tensor<4x2xbf16>, tensor<4x2xf32>) {
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<4x2xbf16>
  // CHECK-DAG: %[[SPLAT:.*]] = tile.splat %[[S]] : f32 -> tensor<4x2xf32>
  // CHECK-DAG: %[[ONCE:.*]] = tile.reshape %[[X]] : tensor<8xf32> -> tensor<2x2x2xf32>
  // CHECK: return %[[X]], %[[X]], %[[ONCE]], %[[C]], %[[SPLAT]]
  %same = tile.reshape %x : tensor<8xf32> -> tensor<8xf32>
  %away = tile.reshape %x : tensor<8xf32> -> tensor<2x4xf32>
  %back = tile.reshape %away : tensor<2x4xf32> -> tensor<8xf32>
  %once = tile.reshape %away : tensor<2x4xf32> -> tensor<2x2x2xf32>
  %c = arith.constant dense<1.0> : tensor<8xbf16>
  %constant = tile.reshape %c : tensor<8xbf16> -> tensor<4x2xbf16>
  %tile = tile.splat %s : f32 -> tensor<8xf32>
  %splat = tile.reshape %tile : tensor<8xf32> -> tensor<4x2xf32>
  return %same, %back, %once, %constant, %splat
      : tensor<8xf32>, tensor<8xf32>, tensor<2x2x2xf32>, tensor<4x2xbf16>, tensor<4x2xf32>
}

// A constant whose elements differ stays where it is.
// CHECK-LABEL: func.func @notASplat
func.func @notASplat() -> tensor<2x1xi32> {
  // CHECK: tile.expand_dims
  %c = arith.constant dense<[1, 2]> : tensor<2xi32>
  %0 = tile.expand_dims %c axis 1 : tensor<2xi32> -> tensor<2x1xi32>
  return %0 : tensor<2x1xi32>
}

#ahead = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>
#back = #tile.layout<register = [], lane = [[16], [8], [4], [2], [1]], warp = [], block = []>
#odd = #tile.layout<register = [], lane = [[2], [1], [4], [8], [16]], warp = [], block = []>

// CHECK-LABEL: func.func @conversions
// CHECK-SAME: %[[X:.*]]: tensor<32xf32
func.func @conversions(%x: tensor<32xf32, #ahead>)
    -> (tensor<32xf32, #ahead>, tensor<32xf32, #ahead>, tensor<32xf32, #odd>, tensor<32xi8, #back>) {
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<5> : tensor<32xi8, #[[BACK:.*]]>
  // CHECK-DAG: %[[AWAY:.*]] = tile.convert_layout %[[X]] : {{.*}} -> tensor<32xf32, #[[BACK]]>
  // CHECK-DAG: %[[ODD:.*]] = tile.convert_layout %[[AWAY]]
  // CHECK: return %[[X]], %[[X]], %[[ODD]], %[[C]]
  %same = tile.convert_layout %x : tensor<32xf32, #ahead> -> tensor<32xf32, #ahead>
  %away = tile.convert_layout %x : tensor<32xf32, #ahead> -> tensor<32xf32, #back>
  %home = tile.convert_layout %away : tensor<32xf32, #back> -> tensor<32xf32, #ahead>
  %further = tile.convert_layout %away : tensor<32xf32, #back> -> tensor<32xf32, #odd>
  %c = arith.constant dense<5> : tensor<32xi8, #ahead>
  %constant = tile.convert_layout %c : tensor<32xi8, #ahead> -> tensor<32xi8, #back>
  return %same, %home, %further, %constant
      : tensor<32xf32, #ahead>, tensor<32xf32, #ahead>, tensor<32xf32, #odd>, tensor<32xi8, #back>
}
