// RUN: tile-opt %s -split-input-file -tile-assign-layouts | FileCheck %s

// Neighbours that one thread has are split without any exchange.
// CHECK-LABEL: func.func @in_registers(
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @in_registers(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %two = tile.make_range 0 to 2 : tensor<2xi32>
  %zero = arith.constant dense<0> : tensor<2xi32>
  %first = arith.cmpi eq, %two, %zero : tensor<2xi32>
  %pb = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ps = tile.addptr %pb, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %ps : tensor<256x!tile.ptr<f32>>
  %r0 = tile.reshape %x : tensor<256xf32> -> tensor<128x2x1xf32>
  %p0 = tile.permute %r0 order [0, 2, 1] : tensor<128x2x1xf32> -> tensor<128x1x2xf32>
  %h00 = tile.take %p0 axis 2 index 0 : tensor<128x1x2xf32> -> tensor<128x1xf32>
  %h01 = tile.take %p0 axis 2 index 1 : tensor<128x1x2xf32> -> tensor<128x1xf32>
  %s0 = arith.addf %h00, %h01 : tensor<128x1xf32>
  %d0 = arith.subf %h00, %h01 : tensor<128x1xf32>
  %se0 = tile.expand_dims %s0 axis 2 : tensor<128x1xf32> -> tensor<128x1x1xf32>
  %sb0 = tile.broadcast %se0 : tensor<128x1x1xf32> -> tensor<128x1x2xf32>
  %de0 = tile.expand_dims %d0 axis 2 : tensor<128x1xf32> -> tensor<128x1x1xf32>
  %db0 = tile.broadcast %de0 : tensor<128x1x1xf32> -> tensor<128x1x2xf32>
  %f0 = tile.reshape %first : tensor<2xi1> -> tensor<1x1x2xi1>
  %m0 = tile.broadcast %f0 : tensor<1x1x2xi1> -> tensor<128x1x2xi1>
  %j0 = arith.select %m0, %sb0, %db0 : tensor<128x1x2xi1>, tensor<128x1x2xf32>
  %q0 = tile.permute %j0 order [0, 2, 1] : tensor<128x1x2xf32> -> tensor<128x2x1xf32>
  %v0 = tile.reshape %q0 : tensor<128x2x1xf32> -> tensor<256xf32>
  %r1 = tile.reshape %v0 : tensor<256xf32> -> tensor<64x2x2xf32>
  %p1 = tile.permute %r1 order [0, 2, 1] : tensor<64x2x2xf32> -> tensor<64x2x2xf32>
  %h10 = tile.take %p1 axis 2 index 0 : tensor<64x2x2xf32> -> tensor<64x2xf32>
  %h11 = tile.take %p1 axis 2 index 1 : tensor<64x2x2xf32> -> tensor<64x2xf32>
  %s1 = arith.addf %h10, %h11 : tensor<64x2xf32>
  %d1 = arith.subf %h10, %h11 : tensor<64x2xf32>
  %se1 = tile.expand_dims %s1 axis 2 : tensor<64x2xf32> -> tensor<64x2x1xf32>
  %sb1 = tile.broadcast %se1 : tensor<64x2x1xf32> -> tensor<64x2x2xf32>
  %de1 = tile.expand_dims %d1 axis 2 : tensor<64x2xf32> -> tensor<64x2x1xf32>
  %db1 = tile.broadcast %de1 : tensor<64x2x1xf32> -> tensor<64x2x2xf32>
  %f1 = tile.reshape %first : tensor<2xi1> -> tensor<1x1x2xi1>
  %m1 = tile.broadcast %f1 : tensor<1x1x2xi1> -> tensor<64x2x2xi1>
  %j1 = arith.select %m1, %sb1, %db1 : tensor<64x2x2xi1>, tensor<64x2x2xf32>
  %q1 = tile.permute %j1 order [0, 2, 1] : tensor<64x2x2xf32> -> tensor<64x2x2xf32>
  %v1 = tile.reshape %q1 : tensor<64x2x2xf32> -> tensor<256xf32>
  tile.store %ps, %v1 : tensor<256x!tile.ptr<f32>>
  return
}

// -----

// Bits 0, 1 and more are in registers, the others in lanes: what is split along lanes is exchanged once, and the result
// once for the store. No thread computes what another one does.
// CHECK-LABEL: func.func @through_lanes(
// CHECK-COUNT-4: tile.take
// CHECK: tile.convert_layout %{{.*}} : tensor<256x2x2xf32
// CHECK-COUNT-8: tile.take
// CHECK-NOT: tile.take
// CHECK: tile.convert_layout %{{.*}} : tensor<16x32x2xf32
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store
func.func @through_lanes(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %two = tile.make_range 0 to 2 : tensor<2xi32>
  %zero = arith.constant dense<0> : tensor<2xi32>
  %first = arith.cmpi eq, %two, %zero : tensor<2xi32>
  %pb = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ps = tile.addptr %pb, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %ps : tensor<1024x!tile.ptr<f32>>
  %r0 = tile.reshape %x : tensor<1024xf32> -> tensor<512x2x1xf32>
  %p0 = tile.permute %r0 order [0, 2, 1] : tensor<512x2x1xf32> -> tensor<512x1x2xf32>
  %h00 = tile.take %p0 axis 2 index 0 : tensor<512x1x2xf32> -> tensor<512x1xf32>
  %h01 = tile.take %p0 axis 2 index 1 : tensor<512x1x2xf32> -> tensor<512x1xf32>
  %s0 = arith.addf %h00, %h01 : tensor<512x1xf32>
  %d0 = arith.subf %h00, %h01 : tensor<512x1xf32>
  %se0 = tile.expand_dims %s0 axis 2 : tensor<512x1xf32> -> tensor<512x1x1xf32>
  %sb0 = tile.broadcast %se0 : tensor<512x1x1xf32> -> tensor<512x1x2xf32>
  %de0 = tile.expand_dims %d0 axis 2 : tensor<512x1xf32> -> tensor<512x1x1xf32>
  %db0 = tile.broadcast %de0 : tensor<512x1x1xf32> -> tensor<512x1x2xf32>
  %f0 = tile.reshape %first : tensor<2xi1> -> tensor<1x1x2xi1>
  %m0 = tile.broadcast %f0 : tensor<1x1x2xi1> -> tensor<512x1x2xi1>
  %j0 = arith.select %m0, %sb0, %db0 : tensor<512x1x2xi1>, tensor<512x1x2xf32>
  %q0 = tile.permute %j0 order [0, 2, 1] : tensor<512x1x2xf32> -> tensor<512x2x1xf32>
  %v0 = tile.reshape %q0 : tensor<512x2x1xf32> -> tensor<1024xf32>
  %r1 = tile.reshape %v0 : tensor<1024xf32> -> tensor<256x2x2xf32>
  %p1 = tile.permute %r1 order [0, 2, 1] : tensor<256x2x2xf32> -> tensor<256x2x2xf32>
  %h10 = tile.take %p1 axis 2 index 0 : tensor<256x2x2xf32> -> tensor<256x2xf32>
  %h11 = tile.take %p1 axis 2 index 1 : tensor<256x2x2xf32> -> tensor<256x2xf32>
  %s1 = arith.addf %h10, %h11 : tensor<256x2xf32>
  %d1 = arith.subf %h10, %h11 : tensor<256x2xf32>
  %se1 = tile.expand_dims %s1 axis 2 : tensor<256x2xf32> -> tensor<256x2x1xf32>
  %sb1 = tile.broadcast %se1 : tensor<256x2x1xf32> -> tensor<256x2x2xf32>
  %de1 = tile.expand_dims %d1 axis 2 : tensor<256x2xf32> -> tensor<256x2x1xf32>
  %db1 = tile.broadcast %de1 : tensor<256x2x1xf32> -> tensor<256x2x2xf32>
  %f1 = tile.reshape %first : tensor<2xi1> -> tensor<1x1x2xi1>
  %m1 = tile.broadcast %f1 : tensor<1x1x2xi1> -> tensor<256x2x2xi1>
  %j1 = arith.select %m1, %sb1, %db1 : tensor<256x2x2xi1>, tensor<256x2x2xf32>
  %q1 = tile.permute %j1 order [0, 2, 1] : tensor<256x2x2xf32> -> tensor<256x2x2xf32>
  %v1 = tile.reshape %q1 : tensor<256x2x2xf32> -> tensor<1024xf32>
  %r2 = tile.reshape %v1 : tensor<1024xf32> -> tensor<128x2x4xf32>
  %p2 = tile.permute %r2 order [0, 2, 1] : tensor<128x2x4xf32> -> tensor<128x4x2xf32>
  %h20 = tile.take %p2 axis 2 index 0 : tensor<128x4x2xf32> -> tensor<128x4xf32>
  %h21 = tile.take %p2 axis 2 index 1 : tensor<128x4x2xf32> -> tensor<128x4xf32>
  %s2 = arith.addf %h20, %h21 : tensor<128x4xf32>
  %d2 = arith.subf %h20, %h21 : tensor<128x4xf32>
  %se2 = tile.expand_dims %s2 axis 2 : tensor<128x4xf32> -> tensor<128x4x1xf32>
  %sb2 = tile.broadcast %se2 : tensor<128x4x1xf32> -> tensor<128x4x2xf32>
  %de2 = tile.expand_dims %d2 axis 2 : tensor<128x4xf32> -> tensor<128x4x1xf32>
  %db2 = tile.broadcast %de2 : tensor<128x4x1xf32> -> tensor<128x4x2xf32>
  %f2 = tile.reshape %first : tensor<2xi1> -> tensor<1x1x2xi1>
  %m2 = tile.broadcast %f2 : tensor<1x1x2xi1> -> tensor<128x4x2xi1>
  %j2 = arith.select %m2, %sb2, %db2 : tensor<128x4x2xi1>, tensor<128x4x2xf32>
  %q2 = tile.permute %j2 order [0, 2, 1] : tensor<128x4x2xf32> -> tensor<128x2x4xf32>
  %v2 = tile.reshape %q2 : tensor<128x2x4xf32> -> tensor<1024xf32>
  %r3 = tile.reshape %v2 : tensor<1024xf32> -> tensor<64x2x8xf32>
  %p3 = tile.permute %r3 order [0, 2, 1] : tensor<64x2x8xf32> -> tensor<64x8x2xf32>
  %h30 = tile.take %p3 axis 2 index 0 : tensor<64x8x2xf32> -> tensor<64x8xf32>
  %h31 = tile.take %p3 axis 2 index 1 : tensor<64x8x2xf32> -> tensor<64x8xf32>
  %s3 = arith.addf %h30, %h31 : tensor<64x8xf32>
  %d3 = arith.subf %h30, %h31 : tensor<64x8xf32>
  %se3 = tile.expand_dims %s3 axis 2 : tensor<64x8xf32> -> tensor<64x8x1xf32>
  %sb3 = tile.broadcast %se3 : tensor<64x8x1xf32> -> tensor<64x8x2xf32>
  %de3 = tile.expand_dims %d3 axis 2 : tensor<64x8xf32> -> tensor<64x8x1xf32>
  %db3 = tile.broadcast %de3 : tensor<64x8x1xf32> -> tensor<64x8x2xf32>
  %f3 = tile.reshape %first : tensor<2xi1> -> tensor<1x1x2xi1>
  %m3 = tile.broadcast %f3 : tensor<1x1x2xi1> -> tensor<64x8x2xi1>
  %j3 = arith.select %m3, %sb3, %db3 : tensor<64x8x2xi1>, tensor<64x8x2xf32>
  %q3 = tile.permute %j3 order [0, 2, 1] : tensor<64x8x2xf32> -> tensor<64x2x8xf32>
  %v3 = tile.reshape %q3 : tensor<64x2x8xf32> -> tensor<1024xf32>
  %r4 = tile.reshape %v3 : tensor<1024xf32> -> tensor<32x2x16xf32>
  %p4 = tile.permute %r4 order [0, 2, 1] : tensor<32x2x16xf32> -> tensor<32x16x2xf32>
  %h40 = tile.take %p4 axis 2 index 0 : tensor<32x16x2xf32> -> tensor<32x16xf32>
  %h41 = tile.take %p4 axis 2 index 1 : tensor<32x16x2xf32> -> tensor<32x16xf32>
  %s4 = arith.addf %h40, %h41 : tensor<32x16xf32>
  %d4 = arith.subf %h40, %h41 : tensor<32x16xf32>
  %se4 = tile.expand_dims %s4 axis 2 : tensor<32x16xf32> -> tensor<32x16x1xf32>
  %sb4 = tile.broadcast %se4 : tensor<32x16x1xf32> -> tensor<32x16x2xf32>
  %de4 = tile.expand_dims %d4 axis 2 : tensor<32x16xf32> -> tensor<32x16x1xf32>
  %db4 = tile.broadcast %de4 : tensor<32x16x1xf32> -> tensor<32x16x2xf32>
  %f4 = tile.reshape %first : tensor<2xi1> -> tensor<1x1x2xi1>
  %m4 = tile.broadcast %f4 : tensor<1x1x2xi1> -> tensor<32x16x2xi1>
  %j4 = arith.select %m4, %sb4, %db4 : tensor<32x16x2xi1>, tensor<32x16x2xf32>
  %q4 = tile.permute %j4 order [0, 2, 1] : tensor<32x16x2xf32> -> tensor<32x2x16xf32>
  %v4 = tile.reshape %q4 : tensor<32x2x16xf32> -> tensor<1024xf32>
  %r5 = tile.reshape %v4 : tensor<1024xf32> -> tensor<16x2x32xf32>
  %p5 = tile.permute %r5 order [0, 2, 1] : tensor<16x2x32xf32> -> tensor<16x32x2xf32>
  %h50 = tile.take %p5 axis 2 index 0 : tensor<16x32x2xf32> -> tensor<16x32xf32>
  %h51 = tile.take %p5 axis 2 index 1 : tensor<16x32x2xf32> -> tensor<16x32xf32>
  %s5 = arith.addf %h50, %h51 : tensor<16x32xf32>
  %d5 = arith.subf %h50, %h51 : tensor<16x32xf32>
  %se5 = tile.expand_dims %s5 axis 2 : tensor<16x32xf32> -> tensor<16x32x1xf32>
  %sb5 = tile.broadcast %se5 : tensor<16x32x1xf32> -> tensor<16x32x2xf32>
  %de5 = tile.expand_dims %d5 axis 2 : tensor<16x32xf32> -> tensor<16x32x1xf32>
  %db5 = tile.broadcast %de5 : tensor<16x32x1xf32> -> tensor<16x32x2xf32>
  %f5 = tile.reshape %first : tensor<2xi1> -> tensor<1x1x2xi1>
  %m5 = tile.broadcast %f5 : tensor<1x1x2xi1> -> tensor<16x32x2xi1>
  %j5 = arith.select %m5, %sb5, %db5 : tensor<16x32x2xi1>, tensor<16x32x2xf32>
  %q5 = tile.permute %j5 order [0, 2, 1] : tensor<16x32x2xf32> -> tensor<16x2x32xf32>
  %v5 = tile.reshape %q5 : tensor<16x2x32xf32> -> tensor<1024xf32>
  tile.store %ps, %v5 : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// The first split is along lanes already, so the tile is exchanged for it, and for the next two as well: bits 7, 6 and 5
// are in registers. What they join is adjacent, as the store wants it.
// CHECK-LABEL: func.func @from_the_top(
// CHECK: tile.convert_layout %{{.*}} : tensor<256xf16, #{{.*}}> -> tensor<256xf16, #[[SPLITS:.*]]>
// CHECK-COUNT-6: tile.take
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store
func.func @from_the_top(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 256 : tensor<256xi32>
  %two = tile.make_range 0 to 2 : tensor<2xi32>
  %zero = arith.constant dense<0> : tensor<2xi32>
  %first = arith.cmpi eq, %two, %zero : tensor<2xi32>
  %pb = tile.splat %p : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %ps = tile.addptr %pb, %range : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %x = tile.load %ps : tensor<256x!tile.ptr<f16>>
  %r0 = tile.reshape %x : tensor<256xf16> -> tensor<2x2x64xf16>
  %p0 = tile.permute %r0 order [0, 2, 1] : tensor<2x2x64xf16> -> tensor<2x64x2xf16>
  %h00 = tile.take %p0 axis 2 index 0 : tensor<2x64x2xf16> -> tensor<2x64xf16>
  %h01 = tile.take %p0 axis 2 index 1 : tensor<2x64x2xf16> -> tensor<2x64xf16>
  %s0 = arith.addf %h00, %h01 : tensor<2x64xf16>
  %d0 = arith.subf %h00, %h01 : tensor<2x64xf16>
  %se0 = tile.expand_dims %s0 axis 2 : tensor<2x64xf16> -> tensor<2x64x1xf16>
  %sb0 = tile.broadcast %se0 : tensor<2x64x1xf16> -> tensor<2x64x2xf16>
  %de0 = tile.expand_dims %d0 axis 2 : tensor<2x64xf16> -> tensor<2x64x1xf16>
  %db0 = tile.broadcast %de0 : tensor<2x64x1xf16> -> tensor<2x64x2xf16>
  %f0 = tile.reshape %first : tensor<2xi1> -> tensor<1x1x2xi1>
  %m0 = tile.broadcast %f0 : tensor<1x1x2xi1> -> tensor<2x64x2xi1>
  %j0 = arith.select %m0, %sb0, %db0 : tensor<2x64x2xi1>, tensor<2x64x2xf16>
  %q0 = tile.permute %j0 order [0, 2, 1] : tensor<2x64x2xf16> -> tensor<2x2x64xf16>
  %v0 = tile.reshape %q0 : tensor<2x2x64xf16> -> tensor<256xf16>
  %r1 = tile.reshape %v0 : tensor<256xf16> -> tensor<4x2x32xf16>
  %p1 = tile.permute %r1 order [0, 2, 1] : tensor<4x2x32xf16> -> tensor<4x32x2xf16>
  %h10 = tile.take %p1 axis 2 index 0 : tensor<4x32x2xf16> -> tensor<4x32xf16>
  %h11 = tile.take %p1 axis 2 index 1 : tensor<4x32x2xf16> -> tensor<4x32xf16>
  %s1 = arith.addf %h10, %h11 : tensor<4x32xf16>
  %d1 = arith.subf %h10, %h11 : tensor<4x32xf16>
  %se1 = tile.expand_dims %s1 axis 2 : tensor<4x32xf16> -> tensor<4x32x1xf16>
  %sb1 = tile.broadcast %se1 : tensor<4x32x1xf16> -> tensor<4x32x2xf16>
  %de1 = tile.expand_dims %d1 axis 2 : tensor<4x32xf16> -> tensor<4x32x1xf16>
  %db1 = tile.broadcast %de1 : tensor<4x32x1xf16> -> tensor<4x32x2xf16>
  %f1 = tile.reshape %first : tensor<2xi1> -> tensor<1x1x2xi1>
  %m1 = tile.broadcast %f1 : tensor<1x1x2xi1> -> tensor<4x32x2xi1>
  %j1 = arith.select %m1, %sb1, %db1 : tensor<4x32x2xi1>, tensor<4x32x2xf16>
  %q1 = tile.permute %j1 order [0, 2, 1] : tensor<4x32x2xf16> -> tensor<4x2x32xf16>
  %v1 = tile.reshape %q1 : tensor<4x2x32xf16> -> tensor<256xf16>
  %r2 = tile.reshape %v1 : tensor<256xf16> -> tensor<8x2x16xf16>
  %p2 = tile.permute %r2 order [0, 2, 1] : tensor<8x2x16xf16> -> tensor<8x16x2xf16>
  %h20 = tile.take %p2 axis 2 index 0 : tensor<8x16x2xf16> -> tensor<8x16xf16>
  %h21 = tile.take %p2 axis 2 index 1 : tensor<8x16x2xf16> -> tensor<8x16xf16>
  %s2 = arith.addf %h20, %h21 : tensor<8x16xf16>
  %d2 = arith.subf %h20, %h21 : tensor<8x16xf16>
  %se2 = tile.expand_dims %s2 axis 2 : tensor<8x16xf16> -> tensor<8x16x1xf16>
  %sb2 = tile.broadcast %se2 : tensor<8x16x1xf16> -> tensor<8x16x2xf16>
  %de2 = tile.expand_dims %d2 axis 2 : tensor<8x16xf16> -> tensor<8x16x1xf16>
  %db2 = tile.broadcast %de2 : tensor<8x16x1xf16> -> tensor<8x16x2xf16>
  %f2 = tile.reshape %first : tensor<2xi1> -> tensor<1x1x2xi1>
  %m2 = tile.broadcast %f2 : tensor<1x1x2xi1> -> tensor<8x16x2xi1>
  %j2 = arith.select %m2, %sb2, %db2 : tensor<8x16x2xi1>, tensor<8x16x2xf16>
  %q2 = tile.permute %j2 order [0, 2, 1] : tensor<8x16x2xf16> -> tensor<8x2x16xf16>
  %v2 = tile.reshape %q2 : tensor<8x2x16xf16> -> tensor<256xf16>
  tile.store %ps, %v2 : tensor<256x!tile.ptr<f16>>
  return
}

// -----

// A chain that starts from nothing but a range has no layout to stay in: it gets one at its second split.
// CHECK-LABEL: func.func @of_a_range(
// CHECK: arith.xori %{{.*}} : tensor<16x2xi32, #[[WHERE:.*]]>
// CHECK-NEXT: tile.convert_layout %{{.*}} : tensor<16x2xi32, #[[WHERE]]>
func.func @of_a_range(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %rows = tile.reshape %range : tensor<64xi32> -> tensor<16x2x2xi32>
  %a = tile.take %rows axis 2 index 0 : tensor<16x2x2xi32> -> tensor<16x2xi32>
  %b = tile.take %rows axis 2 index 1 : tensor<16x2x2xi32> -> tensor<16x2xi32>
  %c = arith.xori %a, %b : tensor<16x2xi32>
  %d = tile.take %c axis 1 index 0 : tensor<16x2xi32> -> tensor<16xi32>
  %e = tile.take %c axis 1 index 1 : tensor<16x2xi32> -> tensor<16xi32>
  %f = arith.addi %d, %e : tensor<16xi32>
  %out = tile.make_range 0 to 16 : tensor<16xi32>
  %pb = tile.splat %p : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %ps = tile.addptr %pb, %out : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  tile.store %ps, %f : tensor<16x!tile.ptr<i32>>
  return
}

// -----

// Halves that a thread has, and that become narrower, are exchanged then: fewer bytes than the whole before.
// CHECK-LABEL: func.func @narrowed(
// CHECK-NOT: tile.convert_layout
// CHECK-COUNT-2: tile.take
// CHECK-COUNT-2: tile.convert_layout %{{.*}} : tensor<16x32xf16
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @narrowed(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %pb = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ps = tile.addptr %pb, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %ps : tensor<1024x!tile.ptr<f32>>
  %parts = tile.reshape %x : tensor<1024xf32> -> tensor<2x16x32xf32>
  %last = tile.permute %parts order [1, 2, 0] : tensor<2x16x32xf32> -> tensor<16x32x2xf32>
  %h0 = tile.take %last axis 2 index 0 : tensor<16x32x2xf32> -> tensor<16x32xf32>
  %h1 = tile.take %last axis 2 index 1 : tensor<16x32x2xf32> -> tensor<16x32xf32>
  %n0 = arith.truncf %h0 : tensor<16x32xf32> to tensor<16x32xf16>
  %n1 = arith.truncf %h1 : tensor<16x32xf32> to tensor<16x32xf16>
  %halves = tile.make_range 0 to 512 : tensor<512xi32>
  %turned = tile.reshape %halves : tensor<512xi32> -> tensor<32x16xi32>
  %box = tile.permute %turned order [1, 0] : tensor<32x16xi32> -> tensor<16x32xi32>
  %qb = tile.splat %q : !tile.ptr<f16> -> tensor<16x32x!tile.ptr<f16>>
  %qs = tile.addptr %qb, %box : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
  tile.store %qs, %n0 : tensor<16x32x!tile.ptr<f16>>
  tile.store %qs, %n1 : tensor<16x32x!tile.ptr<f16>>
  return
}
