// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

// The PTX of a predicated access: every element size, from one element to 16 bytes. Bytes travel in
// 16-bit registers; elements of 64 bits in 64-bit ones; all else in as few 32-bit ones as possible.

#l0 = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>
#l1 = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []>
#l2 = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
#l3 = #tile.layout<register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [], block = []>
#l4 = #tile.layout<register = [[1], [2], [4], [8]], lane = [[16], [32], [64], [128], [256]], warp = [], block = []>

// CHECK-LABEL: func.func @load_i8_1(
// CHECK: llvm.call @tilec.ld.global.b8(
// CHECK-NOT: llvm.call
func.func @load_i8_1(%p: !tile.ptr<i8>, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 32 : tensor<32xi32, #l0>
  %base = tile.splat %p : !tile.ptr<i8> -> tensor<32x!tile.ptr<i8>, #l0>
  %ptrs = tile.addptr %base, %range : tensor<32x!tile.ptr<i8>, #l0>, tensor<32xi32, #l0>
  %mask = tile.splat %c : i1 -> tensor<32xi1, #l0>
  %x = tile.load %ptrs mask %mask : tensor<32x!tile.ptr<i8>, #l0>
  return
}

// CHECK-LABEL: func.func @load_i8_2(
// CHECK: llvm.call @tilec.ld.global.b16(
// CHECK-NOT: llvm.call
func.func @load_i8_2(%p: !tile.ptr<i8> {tile.divisibility = 2 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 64 : tensor<64xi32, #l1>
  %base = tile.splat %p : !tile.ptr<i8> -> tensor<64x!tile.ptr<i8>, #l1>
  %ptrs = tile.addptr %base, %range : tensor<64x!tile.ptr<i8>, #l1>, tensor<64xi32, #l1>
  %mask = tile.splat %c : i1 -> tensor<64xi1, #l1>
  %x = tile.load %ptrs mask %mask : tensor<64x!tile.ptr<i8>, #l1>
  return
}

// CHECK-LABEL: func.func @load_i8_4(
// CHECK: llvm.call @tilec.ld.global.b32(
// CHECK-NOT: llvm.call
func.func @load_i8_4(%p: !tile.ptr<i8> {tile.divisibility = 4 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 128 : tensor<128xi32, #l2>
  %base = tile.splat %p : !tile.ptr<i8> -> tensor<128x!tile.ptr<i8>, #l2>
  %ptrs = tile.addptr %base, %range : tensor<128x!tile.ptr<i8>, #l2>, tensor<128xi32, #l2>
  %mask = tile.splat %c : i1 -> tensor<128xi1, #l2>
  %x = tile.load %ptrs mask %mask : tensor<128x!tile.ptr<i8>, #l2>
  return
}

// CHECK-LABEL: func.func @load_i8_8(
// CHECK: llvm.call @tilec.ld.global.v2.b32(
// CHECK-NOT: llvm.call
func.func @load_i8_8(%p: !tile.ptr<i8> {tile.divisibility = 8 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 256 : tensor<256xi32, #l3>
  %base = tile.splat %p : !tile.ptr<i8> -> tensor<256x!tile.ptr<i8>, #l3>
  %ptrs = tile.addptr %base, %range : tensor<256x!tile.ptr<i8>, #l3>, tensor<256xi32, #l3>
  %mask = tile.splat %c : i1 -> tensor<256xi1, #l3>
  %x = tile.load %ptrs mask %mask : tensor<256x!tile.ptr<i8>, #l3>
  return
}

// CHECK-LABEL: func.func @load_i8_16(
// CHECK: llvm.call @tilec.ld.global.v4.b32(
// CHECK-NOT: llvm.call
func.func @load_i8_16(%p: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 512 : tensor<512xi32, #l4>
  %base = tile.splat %p : !tile.ptr<i8> -> tensor<512x!tile.ptr<i8>, #l4>
  %ptrs = tile.addptr %base, %range : tensor<512x!tile.ptr<i8>, #l4>, tensor<512xi32, #l4>
  %mask = tile.splat %c : i1 -> tensor<512xi1, #l4>
  %x = tile.load %ptrs mask %mask : tensor<512x!tile.ptr<i8>, #l4>
  return
}

// CHECK-LABEL: func.func @load_i16_2(
// CHECK: llvm.call @tilec.ld.global.b16(
// CHECK-NOT: llvm.call
func.func @load_i16_2(%p: !tile.ptr<i16> {tile.divisibility = 2 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 32 : tensor<32xi32, #l0>
  %base = tile.splat %p : !tile.ptr<i16> -> tensor<32x!tile.ptr<i16>, #l0>
  %ptrs = tile.addptr %base, %range : tensor<32x!tile.ptr<i16>, #l0>, tensor<32xi32, #l0>
  %mask = tile.splat %c : i1 -> tensor<32xi1, #l0>
  %x = tile.load %ptrs mask %mask : tensor<32x!tile.ptr<i16>, #l0>
  return
}

// CHECK-LABEL: func.func @load_i16_4(
// CHECK: llvm.call @tilec.ld.global.b32(
// CHECK-NOT: llvm.call
func.func @load_i16_4(%p: !tile.ptr<i16> {tile.divisibility = 4 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 64 : tensor<64xi32, #l1>
  %base = tile.splat %p : !tile.ptr<i16> -> tensor<64x!tile.ptr<i16>, #l1>
  %ptrs = tile.addptr %base, %range : tensor<64x!tile.ptr<i16>, #l1>, tensor<64xi32, #l1>
  %mask = tile.splat %c : i1 -> tensor<64xi1, #l1>
  %x = tile.load %ptrs mask %mask : tensor<64x!tile.ptr<i16>, #l1>
  return
}

// CHECK-LABEL: func.func @load_i16_8(
// CHECK: llvm.call @tilec.ld.global.v2.b32(
// CHECK-NOT: llvm.call
func.func @load_i16_8(%p: !tile.ptr<i16> {tile.divisibility = 8 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 128 : tensor<128xi32, #l2>
  %base = tile.splat %p : !tile.ptr<i16> -> tensor<128x!tile.ptr<i16>, #l2>
  %ptrs = tile.addptr %base, %range : tensor<128x!tile.ptr<i16>, #l2>, tensor<128xi32, #l2>
  %mask = tile.splat %c : i1 -> tensor<128xi1, #l2>
  %x = tile.load %ptrs mask %mask : tensor<128x!tile.ptr<i16>, #l2>
  return
}

// CHECK-LABEL: func.func @load_i16_16(
// CHECK: llvm.call @tilec.ld.global.v4.b32(
// CHECK-NOT: llvm.call
func.func @load_i16_16(%p: !tile.ptr<i16> {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 256 : tensor<256xi32, #l3>
  %base = tile.splat %p : !tile.ptr<i16> -> tensor<256x!tile.ptr<i16>, #l3>
  %ptrs = tile.addptr %base, %range : tensor<256x!tile.ptr<i16>, #l3>, tensor<256xi32, #l3>
  %mask = tile.splat %c : i1 -> tensor<256xi1, #l3>
  %x = tile.load %ptrs mask %mask : tensor<256x!tile.ptr<i16>, #l3>
  return
}

// CHECK-LABEL: func.func @load_bf16_16(
// CHECK: llvm.call @tilec.ld.global.v4.b32(
// CHECK-NOT: llvm.call
func.func @load_bf16_16(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 256 : tensor<256xi32, #l3>
  %base = tile.splat %p : !tile.ptr<bf16> -> tensor<256x!tile.ptr<bf16>, #l3>
  %ptrs = tile.addptr %base, %range : tensor<256x!tile.ptr<bf16>, #l3>, tensor<256xi32, #l3>
  %mask = tile.splat %c : i1 -> tensor<256xi1, #l3>
  %x = tile.load %ptrs mask %mask : tensor<256x!tile.ptr<bf16>, #l3>
  return
}

// CHECK-LABEL: func.func @load_f32_4(
// CHECK: llvm.call @tilec.ld.global.b32(
// CHECK-NOT: llvm.call
func.func @load_f32_4(%p: !tile.ptr<f32> {tile.divisibility = 4 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 32 : tensor<32xi32, #l0>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l0>
  %ptrs = tile.addptr %base, %range : tensor<32x!tile.ptr<f32>, #l0>, tensor<32xi32, #l0>
  %mask = tile.splat %c : i1 -> tensor<32xi1, #l0>
  %x = tile.load %ptrs mask %mask : tensor<32x!tile.ptr<f32>, #l0>
  return
}

// CHECK-LABEL: func.func @load_f32_8(
// CHECK: llvm.call @tilec.ld.global.v2.b32(
// CHECK-NOT: llvm.call
func.func @load_f32_8(%p: !tile.ptr<f32> {tile.divisibility = 8 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 64 : tensor<64xi32, #l1>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #l1>
  %ptrs = tile.addptr %base, %range : tensor<64x!tile.ptr<f32>, #l1>, tensor<64xi32, #l1>
  %mask = tile.splat %c : i1 -> tensor<64xi1, #l1>
  %x = tile.load %ptrs mask %mask : tensor<64x!tile.ptr<f32>, #l1>
  return
}

// CHECK-LABEL: func.func @load_f32_16(
// CHECK: llvm.call @tilec.ld.global.v4.b32(
// CHECK-NOT: llvm.call
func.func @load_f32_16(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 128 : tensor<128xi32, #l2>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #l2>
  %ptrs = tile.addptr %base, %range : tensor<128x!tile.ptr<f32>, #l2>, tensor<128xi32, #l2>
  %mask = tile.splat %c : i1 -> tensor<128xi1, #l2>
  %x = tile.load %ptrs mask %mask : tensor<128x!tile.ptr<f32>, #l2>
  return
}

// CHECK-LABEL: func.func @load_i64_8(
// CHECK: llvm.call @tilec.ld.global.b64(
// CHECK-NOT: llvm.call
func.func @load_i64_8(%p: !tile.ptr<i64> {tile.divisibility = 8 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 32 : tensor<32xi32, #l0>
  %base = tile.splat %p : !tile.ptr<i64> -> tensor<32x!tile.ptr<i64>, #l0>
  %ptrs = tile.addptr %base, %range : tensor<32x!tile.ptr<i64>, #l0>, tensor<32xi32, #l0>
  %mask = tile.splat %c : i1 -> tensor<32xi1, #l0>
  %x = tile.load %ptrs mask %mask : tensor<32x!tile.ptr<i64>, #l0>
  return
}

// CHECK-LABEL: func.func @load_f64_16(
// CHECK: llvm.call @tilec.ld.global.v2.b64(
// CHECK-NOT: llvm.call
func.func @load_f64_16(%p: !tile.ptr<f64> {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 64 : tensor<64xi32, #l1>
  %base = tile.splat %p : !tile.ptr<f64> -> tensor<64x!tile.ptr<f64>, #l1>
  %ptrs = tile.addptr %base, %range : tensor<64x!tile.ptr<f64>, #l1>, tensor<64xi32, #l1>
  %mask = tile.splat %c : i1 -> tensor<64xi1, #l1>
  %x = tile.load %ptrs mask %mask : tensor<64x!tile.ptr<f64>, #l1>
  return
}

// CHECK-LABEL: func.func @load_tileptri8_16(
// CHECK: llvm.call @tilec.ld.global.v2.b64(
// CHECK-NOT: llvm.call
func.func @load_tileptri8_16(%p: !tile.ptr<!tile.ptr<i8>> {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 64 : tensor<64xi32, #l1>
  %base = tile.splat %p : !tile.ptr<!tile.ptr<i8>> -> tensor<64x!tile.ptr<!tile.ptr<i8>>, #l1>
  %ptrs = tile.addptr %base, %range : tensor<64x!tile.ptr<!tile.ptr<i8>>, #l1>, tensor<64xi32, #l1>
  %mask = tile.splat %c : i1 -> tensor<64xi1, #l1>
  %x = tile.load %ptrs mask %mask : tensor<64x!tile.ptr<!tile.ptr<i8>>, #l1>
  return
}

// CHECK-LABEL: func.func @store_i8_1(
// CHECK: llvm.call @tilec.st.global.b8(
// CHECK-NOT: llvm.call
func.func @store_i8_1(%p: !tile.ptr<i8>, %c: i1, %v: i8) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 32 : tensor<32xi32, #l0>
  %base = tile.splat %p : !tile.ptr<i8> -> tensor<32x!tile.ptr<i8>, #l0>
  %ptrs = tile.addptr %base, %range : tensor<32x!tile.ptr<i8>, #l0>, tensor<32xi32, #l0>
  %mask = tile.splat %c : i1 -> tensor<32xi1, #l0>
  %x = tile.splat %v : i8 -> tensor<32xi8, #l0>
  tile.store %ptrs, %x mask %mask : tensor<32x!tile.ptr<i8>, #l0>
  return
}

// CHECK-LABEL: func.func @store_i8_2(
// CHECK: llvm.call @tilec.st.global.b16(
// CHECK-NOT: llvm.call
func.func @store_i8_2(%p: !tile.ptr<i8> {tile.divisibility = 2 : i32}, %c: i1, %v: i8) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 64 : tensor<64xi32, #l1>
  %base = tile.splat %p : !tile.ptr<i8> -> tensor<64x!tile.ptr<i8>, #l1>
  %ptrs = tile.addptr %base, %range : tensor<64x!tile.ptr<i8>, #l1>, tensor<64xi32, #l1>
  %mask = tile.splat %c : i1 -> tensor<64xi1, #l1>
  %x = tile.splat %v : i8 -> tensor<64xi8, #l1>
  tile.store %ptrs, %x mask %mask : tensor<64x!tile.ptr<i8>, #l1>
  return
}

// CHECK-LABEL: func.func @store_i8_4(
// CHECK: llvm.call @tilec.st.global.b32(
// CHECK-NOT: llvm.call
func.func @store_i8_4(%p: !tile.ptr<i8> {tile.divisibility = 4 : i32}, %c: i1, %v: i8) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 128 : tensor<128xi32, #l2>
  %base = tile.splat %p : !tile.ptr<i8> -> tensor<128x!tile.ptr<i8>, #l2>
  %ptrs = tile.addptr %base, %range : tensor<128x!tile.ptr<i8>, #l2>, tensor<128xi32, #l2>
  %mask = tile.splat %c : i1 -> tensor<128xi1, #l2>
  %x = tile.splat %v : i8 -> tensor<128xi8, #l2>
  tile.store %ptrs, %x mask %mask : tensor<128x!tile.ptr<i8>, #l2>
  return
}

// CHECK-LABEL: func.func @store_i8_8(
// CHECK: llvm.call @tilec.st.global.v2.b32(
// CHECK-NOT: llvm.call
func.func @store_i8_8(%p: !tile.ptr<i8> {tile.divisibility = 8 : i32}, %c: i1, %v: i8) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 256 : tensor<256xi32, #l3>
  %base = tile.splat %p : !tile.ptr<i8> -> tensor<256x!tile.ptr<i8>, #l3>
  %ptrs = tile.addptr %base, %range : tensor<256x!tile.ptr<i8>, #l3>, tensor<256xi32, #l3>
  %mask = tile.splat %c : i1 -> tensor<256xi1, #l3>
  %x = tile.splat %v : i8 -> tensor<256xi8, #l3>
  tile.store %ptrs, %x mask %mask : tensor<256x!tile.ptr<i8>, #l3>
  return
}

// CHECK-LABEL: func.func @store_i8_16(
// CHECK: llvm.call @tilec.st.global.v4.b32(
// CHECK-NOT: llvm.call
func.func @store_i8_16(%p: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %c: i1, %v: i8) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 512 : tensor<512xi32, #l4>
  %base = tile.splat %p : !tile.ptr<i8> -> tensor<512x!tile.ptr<i8>, #l4>
  %ptrs = tile.addptr %base, %range : tensor<512x!tile.ptr<i8>, #l4>, tensor<512xi32, #l4>
  %mask = tile.splat %c : i1 -> tensor<512xi1, #l4>
  %x = tile.splat %v : i8 -> tensor<512xi8, #l4>
  tile.store %ptrs, %x mask %mask : tensor<512x!tile.ptr<i8>, #l4>
  return
}

// CHECK-LABEL: func.func @store_i16_2(
// CHECK: llvm.call @tilec.st.global.b16(
// CHECK-NOT: llvm.call
func.func @store_i16_2(%p: !tile.ptr<i16> {tile.divisibility = 2 : i32}, %c: i1, %v: i16) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 32 : tensor<32xi32, #l0>
  %base = tile.splat %p : !tile.ptr<i16> -> tensor<32x!tile.ptr<i16>, #l0>
  %ptrs = tile.addptr %base, %range : tensor<32x!tile.ptr<i16>, #l0>, tensor<32xi32, #l0>
  %mask = tile.splat %c : i1 -> tensor<32xi1, #l0>
  %x = tile.splat %v : i16 -> tensor<32xi16, #l0>
  tile.store %ptrs, %x mask %mask : tensor<32x!tile.ptr<i16>, #l0>
  return
}

// CHECK-LABEL: func.func @store_i16_4(
// CHECK: llvm.call @tilec.st.global.b32(
// CHECK-NOT: llvm.call
func.func @store_i16_4(%p: !tile.ptr<i16> {tile.divisibility = 4 : i32}, %c: i1, %v: i16) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 64 : tensor<64xi32, #l1>
  %base = tile.splat %p : !tile.ptr<i16> -> tensor<64x!tile.ptr<i16>, #l1>
  %ptrs = tile.addptr %base, %range : tensor<64x!tile.ptr<i16>, #l1>, tensor<64xi32, #l1>
  %mask = tile.splat %c : i1 -> tensor<64xi1, #l1>
  %x = tile.splat %v : i16 -> tensor<64xi16, #l1>
  tile.store %ptrs, %x mask %mask : tensor<64x!tile.ptr<i16>, #l1>
  return
}

// CHECK-LABEL: func.func @store_i16_8(
// CHECK: llvm.call @tilec.st.global.v2.b32(
// CHECK-NOT: llvm.call
func.func @store_i16_8(%p: !tile.ptr<i16> {tile.divisibility = 8 : i32}, %c: i1, %v: i16) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 128 : tensor<128xi32, #l2>
  %base = tile.splat %p : !tile.ptr<i16> -> tensor<128x!tile.ptr<i16>, #l2>
  %ptrs = tile.addptr %base, %range : tensor<128x!tile.ptr<i16>, #l2>, tensor<128xi32, #l2>
  %mask = tile.splat %c : i1 -> tensor<128xi1, #l2>
  %x = tile.splat %v : i16 -> tensor<128xi16, #l2>
  tile.store %ptrs, %x mask %mask : tensor<128x!tile.ptr<i16>, #l2>
  return
}

// CHECK-LABEL: func.func @store_i16_16(
// CHECK: llvm.call @tilec.st.global.v4.b32(
// CHECK-NOT: llvm.call
func.func @store_i16_16(%p: !tile.ptr<i16> {tile.divisibility = 16 : i32}, %c: i1, %v: i16) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 256 : tensor<256xi32, #l3>
  %base = tile.splat %p : !tile.ptr<i16> -> tensor<256x!tile.ptr<i16>, #l3>
  %ptrs = tile.addptr %base, %range : tensor<256x!tile.ptr<i16>, #l3>, tensor<256xi32, #l3>
  %mask = tile.splat %c : i1 -> tensor<256xi1, #l3>
  %x = tile.splat %v : i16 -> tensor<256xi16, #l3>
  tile.store %ptrs, %x mask %mask : tensor<256x!tile.ptr<i16>, #l3>
  return
}

// CHECK-LABEL: func.func @store_bf16_16(
// CHECK: llvm.call @tilec.st.global.v4.b32(
// CHECK-NOT: llvm.call
func.func @store_bf16_16(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %c: i1, %v: bf16) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 256 : tensor<256xi32, #l3>
  %base = tile.splat %p : !tile.ptr<bf16> -> tensor<256x!tile.ptr<bf16>, #l3>
  %ptrs = tile.addptr %base, %range : tensor<256x!tile.ptr<bf16>, #l3>, tensor<256xi32, #l3>
  %mask = tile.splat %c : i1 -> tensor<256xi1, #l3>
  %x = tile.splat %v : bf16 -> tensor<256xbf16, #l3>
  tile.store %ptrs, %x mask %mask : tensor<256x!tile.ptr<bf16>, #l3>
  return
}

// CHECK-LABEL: func.func @store_f32_4(
// CHECK: llvm.call @tilec.st.global.b32(
// CHECK-NOT: llvm.call
func.func @store_f32_4(%p: !tile.ptr<f32> {tile.divisibility = 4 : i32}, %c: i1, %v: f32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 32 : tensor<32xi32, #l0>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l0>
  %ptrs = tile.addptr %base, %range : tensor<32x!tile.ptr<f32>, #l0>, tensor<32xi32, #l0>
  %mask = tile.splat %c : i1 -> tensor<32xi1, #l0>
  %x = tile.splat %v : f32 -> tensor<32xf32, #l0>
  tile.store %ptrs, %x mask %mask : tensor<32x!tile.ptr<f32>, #l0>
  return
}

// CHECK-LABEL: func.func @store_f32_8(
// CHECK: llvm.call @tilec.st.global.v2.b32(
// CHECK-NOT: llvm.call
func.func @store_f32_8(%p: !tile.ptr<f32> {tile.divisibility = 8 : i32}, %c: i1, %v: f32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 64 : tensor<64xi32, #l1>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #l1>
  %ptrs = tile.addptr %base, %range : tensor<64x!tile.ptr<f32>, #l1>, tensor<64xi32, #l1>
  %mask = tile.splat %c : i1 -> tensor<64xi1, #l1>
  %x = tile.splat %v : f32 -> tensor<64xf32, #l1>
  tile.store %ptrs, %x mask %mask : tensor<64x!tile.ptr<f32>, #l1>
  return
}

// CHECK-LABEL: func.func @store_f32_16(
// CHECK: llvm.call @tilec.st.global.v4.b32(
// CHECK-NOT: llvm.call
func.func @store_f32_16(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %c: i1, %v: f32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 128 : tensor<128xi32, #l2>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #l2>
  %ptrs = tile.addptr %base, %range : tensor<128x!tile.ptr<f32>, #l2>, tensor<128xi32, #l2>
  %mask = tile.splat %c : i1 -> tensor<128xi1, #l2>
  %x = tile.splat %v : f32 -> tensor<128xf32, #l2>
  tile.store %ptrs, %x mask %mask : tensor<128x!tile.ptr<f32>, #l2>
  return
}

// CHECK-LABEL: func.func @store_i64_8(
// CHECK: llvm.call @tilec.st.global.b64(
// CHECK-NOT: llvm.call
func.func @store_i64_8(%p: !tile.ptr<i64> {tile.divisibility = 8 : i32}, %c: i1, %v: i64) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 32 : tensor<32xi32, #l0>
  %base = tile.splat %p : !tile.ptr<i64> -> tensor<32x!tile.ptr<i64>, #l0>
  %ptrs = tile.addptr %base, %range : tensor<32x!tile.ptr<i64>, #l0>, tensor<32xi32, #l0>
  %mask = tile.splat %c : i1 -> tensor<32xi1, #l0>
  %x = tile.splat %v : i64 -> tensor<32xi64, #l0>
  tile.store %ptrs, %x mask %mask : tensor<32x!tile.ptr<i64>, #l0>
  return
}

// CHECK-LABEL: func.func @store_f64_16(
// CHECK: llvm.call @tilec.st.global.v2.b64(
// CHECK-NOT: llvm.call
func.func @store_f64_16(%p: !tile.ptr<f64> {tile.divisibility = 16 : i32}, %c: i1, %v: f64) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 64 : tensor<64xi32, #l1>
  %base = tile.splat %p : !tile.ptr<f64> -> tensor<64x!tile.ptr<f64>, #l1>
  %ptrs = tile.addptr %base, %range : tensor<64x!tile.ptr<f64>, #l1>, tensor<64xi32, #l1>
  %mask = tile.splat %c : i1 -> tensor<64xi1, #l1>
  %x = tile.splat %v : f64 -> tensor<64xf64, #l1>
  tile.store %ptrs, %x mask %mask : tensor<64x!tile.ptr<f64>, #l1>
  return
}

// CHECK-LABEL: func.func @store_tileptri8_16(
// CHECK: llvm.call @tilec.st.global.v2.b64(
// CHECK-NOT: llvm.call
func.func @store_tileptri8_16(%p: !tile.ptr<!tile.ptr<i8>> {tile.divisibility = 16 : i32}, %c: i1, %v: !tile.ptr<i8>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 64 : tensor<64xi32, #l1>
  %base = tile.splat %p : !tile.ptr<!tile.ptr<i8>> -> tensor<64x!tile.ptr<!tile.ptr<i8>>, #l1>
  %ptrs = tile.addptr %base, %range : tensor<64x!tile.ptr<!tile.ptr<i8>>, #l1>, tensor<64xi32, #l1>
  %mask = tile.splat %c : i1 -> tensor<64xi1, #l1>
  %x = tile.splat %v : !tile.ptr<i8> -> tensor<64x!tile.ptr<i8>, #l1>
  tile.store %ptrs, %x mask %mask : tensor<64x!tile.ptr<!tile.ptr<i8>>, #l1>
  return
}
