// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-copy-loads | FileCheck %s

// A tile of rows by numbers that threads exchange: its copy starts behind the exchange, whatever memory there is before it.
// CHECK-LABEL: func.func @by_numbers
// CHECK: tile.buffer_store %[[NUMBERS:[^,]*]], %[[BUFFER:[^ ]*]] : tensor<64xi32
// CHECK: tile.buffer_load %[[BUFFER]]
// CHECK: tile.buffer_copy
// CHECK: tile.dot

#layout = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]], block = []>
#layout1 = #tile.layout<register = [[0, 1], [8, 0], [0, 16], [0, 32], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 8]], block = []>
#layout2 = #tile.layout<register = [[16, 0], [32, 0]], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []>
#layout3 = #tile.layout<register = [[8, 0], [32, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]], block = []>
#layout4 = #tile.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [0], [0]], warp = [[0], [0]], block = []>
#layout5 = #tile.layout<register = [[1], [2], [32]], lane = [[16], [4], [0], [0], [0]], warp = [[0], [8]], block = []>
#layout6 = #tile.layout<register = [[8], [32]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [0]], block = []>
#layout7 = #tile.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = []>
#layout8 = #tile.layout<register = [[0, 1], [0, 2], [0, 32]], lane = [[0, 16], [0, 4], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 8]], block = []>
#layout9 = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []>
#layout10 = #tile.layout<register = [[0, 1], [0, 2], [8, 0], [0, 32], [32, 0]], lane = [[0, 16], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 8]], block = []>
#layout11 = #tile.layout<register = [[16], [32]], lane = [[0], [0], [0], [1], [2]], warp = [[4], [8]], block = []>
#layout12 = #tile.layout<register = [[1, 0], [8, 0], [16, 0], [32, 0], [0, 16], [0, 32]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0], [0, 8]], block = []>
#layout13 = #tile.layout<register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]], block = []>
#shared = #tile.shared<[1, 2, 4, 8, 16, 32]>
#shared1 = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 144, 288, 512, 1024, 2048]>
func.func @by_numbers(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg1: tensor<64xi32, #layout>, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #layout1>
  %cst_0 = arith.constant dense<64> : tensor<64x1xi32, #layout2>
  %cst_1 = arith.constant dense<64> : tensor<64x1xi32, #layout3>
  %0 = tile.make_range 0 to 64 : tensor<64xi32, #layout4>
  %1 = tile.make_range 0 to 64 : tensor<64xi32, #layout5>
  %2 = tile.make_range 0 to 64 : tensor<64xi32, #layout6>
  %3 = tile.expand_dims %0 axis 0 : tensor<64xi32, #layout4> -> tensor<1x64xi32, #layout7>
  %4 = tile.expand_dims %1 axis 0 : tensor<64xi32, #layout5> -> tensor<1x64xi32, #layout8>
  %5 = tile.broadcast %3 : tensor<1x64xi32, #layout7> -> tensor<64x64xi32, #layout9>
  %6 = tile.broadcast %4 : tensor<1x64xi32, #layout8> -> tensor<64x64xi32, #layout10>
  %7 = tile.alloc_buffer : <64xi32, #shared>
  tile.buffer_store %arg1, %7 : tensor<64xi32, #layout>, <64xi32, #shared>
  %8 = tile.buffer_load %7 : <64xi32, #shared> -> tensor<64xi32, #layout11>
  %9 = tile.expand_dims %8 axis 1 : tensor<64xi32, #layout11> -> tensor<64x1xi32, #layout2>
  %10 = arith.muli %9, %cst_0 : tensor<64x1xi32, #layout2>
  %11 = tile.broadcast %10 : tensor<64x1xi32, #layout2> -> tensor<64x64xi32, #layout9>
  %12 = arith.addi %5, %11 : tensor<64x64xi32, #layout9>
  %13 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>, #layout9>
  %14 = tile.addptr %13, %12 : tensor<64x64x!tile.ptr<f16>, #layout9>, tensor<64x64xi32, #layout9>
  %15 = tile.load %14 : tensor<64x64x!tile.ptr<f16>, #layout9>
  %16 = tile.alloc_buffer : <64x64xf16, #shared1>
  tile.buffer_store %15, %16 : tensor<64x64xf16, #layout9>, <64x64xf16, #shared1>
  %17 = tile.buffer_load %16 : <64x64xf16, #shared1> -> tensor<64x64xf16, #layout12>
  %18 = tile.buffer_load %16 : <64x64xf16, #shared1> -> tensor<64x64xf16, #layout13>
  %19 = tile.dot %18, %17, %cst : tensor<64x64xf16, #layout13>, tensor<64x64xf16, #layout12> -> tensor<64x64xf32, #layout1>
  %20 = tile.convert_layout %19 : tensor<64x64xf32, #layout1> -> tensor<64x64xf32, #layout10>
  %21 = tile.expand_dims %2 axis 1 : tensor<64xi32, #layout6> -> tensor<64x1xi32, #layout3>
  %22 = arith.muli %21, %cst_1 : tensor<64x1xi32, #layout3>
  %23 = tile.broadcast %22 : tensor<64x1xi32, #layout3> -> tensor<64x64xi32, #layout10>
  %24 = arith.addi %6, %23 : tensor<64x64xi32, #layout10>
  %25 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>, #layout10>
  %26 = tile.addptr %25, %24 : tensor<64x64x!tile.ptr<f32>, #layout10>, tensor<64x64xi32, #layout10>
  tile.store %26, %20 : tensor<64x64x!tile.ptr<f32>, #layout10>
  return
}
