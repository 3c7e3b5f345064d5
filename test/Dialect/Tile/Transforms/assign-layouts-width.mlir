// RUN: tile-opt %s -split-input-file -tile-assign-layouts | FileCheck %s

// How many neighbouring elements a thread holds: as many as one access of at most 16 bytes can move.

// 16 bytes a thread: 16 elements of 8 bits.
// CHECK: #layout = #tile.layout<register = {{\[\[}}1], [2], [4], [8], [2048]], lane = {{\[\[}}16], [32], [64], [128], [256]], warp = {{\[\[}}512], [1024]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @i8(
func.func @i8(%p: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<i8> -> tensor<4096x!tile.ptr<i8>>
  %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<i8>>, tensor<4096xi32>
  %x = tile.load %ptrs volatile : tensor<4096x!tile.ptr<i8>>
  return
}

// -----

// 16 bytes a thread: 8 elements of 16 bits.
// CHECK: #layout = #tile.layout<register = {{\[\[}}1], [2], [4], [1024], [2048]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = {{\[\[}}256], [512]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @f16(
func.func @f16(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %x = tile.load %ptrs volatile : tensor<4096x!tile.ptr<f16>>
  return
}

// -----

// 16 bytes a thread: 4 elements of 32 bits.
// CHECK: #layout = #tile.layout<register = {{\[\[}}1], [2], [512], [1024], [2048]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @f32(
func.func @f32(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %x = tile.load %ptrs volatile : tensor<4096x!tile.ptr<f32>>
  return
}

// -----

// 16 bytes a thread: 2 elements of 64 bits.
// CHECK: #layout = #tile.layout<register = {{\[\[}}1], [256], [512], [1024], [2048]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [128]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @f64(
func.func @f64(%p: !tile.ptr<f64> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<f64> -> tensor<4096x!tile.ptr<f64>>
  %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<f64>>, tensor<4096xi32>
  %x = tile.load %ptrs volatile : tensor<4096x!tile.ptr<f64>>
  return
}

// -----

// Pointers are 8 bytes.
// CHECK: #layout = #tile.layout<register = {{\[\[}}1], [256], [512], [1024], [2048]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [128]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @ptr(
func.func @ptr(%p: !tile.ptr<!tile.ptr<i8>> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<!tile.ptr<i8>> -> tensor<4096x!tile.ptr<!tile.ptr<i8>>>
  %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<!tile.ptr<i8>>>, tensor<4096xi32>
  %x = tile.load %ptrs volatile : tensor<4096x!tile.ptr<!tile.ptr<i8>>>
  return
}

// -----

// An address that divides by 8 allows 8 bytes.
// CHECK: #layout = #tile.layout<register = {{\[\[}}1], [256], [512], [1024], [2048]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [128]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @div8(
func.func @div8(%p: !tile.ptr<f32> {tile.divisibility = 8 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %x = tile.load %ptrs volatile : tensor<4096x!tile.ptr<f32>>
  return
}

// -----

// An address of which nothing is known allows one element.
// CHECK: #layout = #tile.layout<register = {{\[\[}}128], [256], [512], [1024], [2048]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @div1(
func.func @div1(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %x = tile.load %ptrs volatile : tensor<4096x!tile.ptr<f32>>
  return
}

// -----

// A range that starts at 2 is aligned to two elements only.
// CHECK: #layout = #tile.layout<register = {{\[\[}}1], [256], [512], [1024], [2048]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [128]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @start2(
func.func @start2(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 2 to 4098 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %x = tile.load %ptrs volatile : tensor<4096x!tile.ptr<f32>>
  return
}

// -----

// A mask whose bound divides by 4 is one value for 4 elements.
// CHECK: #layout = #tile.layout<register = {{\[\[}}1], [2], [512], [1024], [2048]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @mask4(
func.func @mask4(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 4 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %bound = tile.splat %n : i32 -> tensor<4096xi32>
  %mask = arith.cmpi slt, %range, %bound : tensor<4096xi32>
  %x = tile.load %ptrs mask %mask volatile : tensor<4096x!tile.ptr<f16>>
  return
}

// -----

// A mask with an unknown bound may end anywhere.
// CHECK: #layout = #tile.layout<register = {{\[\[}}128], [256], [512], [1024], [2048]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @mask1(
func.func @mask1(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %ptrs = tile.addptr %base, %range : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %bound = tile.splat %n : i32 -> tensor<4096xi32>
  %mask = arith.cmpi slt, %range, %bound : tensor<4096xi32>
  %x = tile.load %ptrs mask %mask volatile : tensor<4096x!tile.ptr<f16>>
  return
}

// -----

// Every thread has work before any access gets wider: two elements each.
// CHECK: #layout = #tile.layout<register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [128]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @small(
func.func @small(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %ptrs volatile : tensor<256x!tile.ptr<f32>>
  return
}

// -----

// A tile smaller than the CTA is held by every warp.
// CHECK: #layout = #tile.layout<register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}0], [0]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @tiny(
func.func @tiny(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %x = tile.load %ptrs volatile : tensor<32x!tile.ptr<f32>>
  return
}

// -----

// A tile of one element is held by every thread.
// CHECK: #layout = #tile.layout<register = [], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}0], [0]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @one(
func.func @one(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %range = tile.make_range 0 to 1 : tensor<1xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<1x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<1x!tile.ptr<f32>>, tensor<1xi32>
  %x = tile.load %ptrs volatile : tensor<1x!tile.ptr<f32>>
  return
}

// -----

// One warp takes everything.
// CHECK: #layout = #tile.layout<register = {{\[\[}}1], [2], [128], [256], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = [], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @onewarp(
func.func @onewarp(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %ptrs volatile : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// Thirty-two warps take one element a thread.
// CHECK: #layout = #tile.layout<register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64], [128], [256], [512]], block = []>
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @warps32(
func.func @warps32(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel, tile.num_warps = 32 : i32} {
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %ptrs volatile : tensor<1024x!tile.ptr<f32>>
  return
}
