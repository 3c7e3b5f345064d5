// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#two = #tile.layout<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []>
#one = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>

// Each register has a branch of its own.
// CHECK-LABEL: func.func @map
// CHECK-COUNT-2: scf.if
// CHECK-NOT: scf.if
// CHECK: return
func.func @map(%x: tensor<64xf32, #two>, %p: tensor<64x!tile.ptr<f32>, #two>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.map(%x) : (tensor<64xf32, #two>) -> tensor<64xf32, #two> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %less = arith.cmpf olt, %a, %zero : f32
    %c = scf.if %less -> f32 {
      %d = math.exp %a : f32
      scf.yield %d : f32
    } else {
      scf.yield %zero : f32
    }
    tile.yield %c : f32
  }
  tile.store %p, %0 : tensor<64x!tile.ptr<f32>, #two>
  return
}

// Two halves share a word.
// CHECK-LABEL: func.func @packed
// CHECK: llvm.inline_asm "neg.f16x2 $0, $1;", "=r,r" %{{.*}} : (i32) -> i32
// CHECK-NOT: llvm.inline_asm
// CHECK: return
func.func @packed(%x: tensor<64xf16, #two>, %p: tensor<64x!tile.ptr<f16>, #two>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.inline_asm "neg.f16x2 $0, $1;" constraints "=r,r" pack 2 pure (%x) : (tensor<64xf16, #two>) -> tensor<64xf16, #two>
  tile.store %p, %0 : tensor<64x!tile.ptr<f16>, #two>
  return
}

// A thread with fewer elements fills the word with copies. LLVM must not see the spaces.
// CHECK-LABEL: func.func @padded
// CHECK: vector.shuffle %{{.*}} [0, 0, 0, 0] : vector<1xi8>
// CHECK: llvm.inline_asm has_side_effects "not.b32 $0, $1;", "=r,r" %{{.*}} : (i32) -> i32
func.func @padded(%x: tensor<32xi8, #one>, %p: tensor<32x!tile.ptr<i8>, #one>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.inline_asm "not.b32 $0, $1;" constraints " =r, r" pack 4 (%x) : (tensor<32xi8, #one>) -> tensor<32xi8, #one>
  tile.store %p, %0 : tensor<32x!tile.ptr<i8>, #one>
  return
}

// Several results are the fields of a structure; registers follow the constraints.
// CHECK-LABEL: func.func @several
// CHECK: %[[BOTH:.*]] = llvm.inline_asm "mov.b64 $0, {1, 2}; cvt.f32.u16 $1, $2;", "=l,=f,h" %{{.*}} : (i16) -> !llvm.struct<(i64, f32)>
// CHECK: llvm.extractvalue %[[BOTH]][0]
// CHECK: llvm.extractvalue %[[BOTH]][1]
func.func @several(%h: i16, %p: !tile.ptr<i64>, %q: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0:2 = tile.inline_asm "mov.b64 $0, {1, 2}; cvt.f32.u16 $1, $2;" constraints "=l,=f,h" pack 1 pure (%h) : (i16) -> (i64, f32)
  tile.store %p, %0#0 : !tile.ptr<i64>
  tile.store %q, %0#1 : !tile.ptr<f32>
  return
}
