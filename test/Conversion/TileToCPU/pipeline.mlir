// RUN: tile-opt %s -tile-cpu-pipeline | FileCheck %s
// RUN: tile-opt %s -pass-pipeline='builtin.module(tile-cpu-pipeline{expand-f16=true})' | FileCheck %s

// Nothing but LLVM is left, helpers are inlined, and the function keeps what the host must know.
// CHECK-NOT:   {{(tile|linalg|memref|scf|arith|math|affine|vector|cf|ub)\.[a-z_]+ |unrealized}}
// CHECK:       llvm.func @k(%arg0: !llvm.ptr, %arg1: i32, %arg2: i32
// CHECK-SAME:    !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr)
// CHECK-SAME:    tile.scratch_bytes = {{[0-9]+}}
// CHECK-NOT:   {{(tile|linalg|memref|scf|arith|math|affine|vector|cf|ub)\.[a-z_]+ |unrealized|llvm.call @double}}
func.func @k(%x: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %d = func.call @double(%n) : (i32) -> i32
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %ds = tile.splat %d : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ds : tensor<64xi32>
  %xb = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %xp = tile.addptr %xb, %r : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %v = tile.load %xp mask %m : tensor<64x!tile.ptr<f16>>
  %w = arith.extf %v : tensor<64xf16> to tensor<64xf32>
  %s = tile.reduce(%w) axis 0 : (tensor<64xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %ok = arith.cmpi sgt, %n, %d : i32
  tile.assert %ok, "n" : i1
  %ss = tile.splat %s : f32 -> tensor<64xf32>
  %e = arith.subf %w, %ss : tensor<64xf32>
  %f = math.exp %e : tensor<64xf32>
  %g = math.tanh %f : tensor<64xf32>
  %h = arith.truncf %g : tensor<64xf32> to tensor<64xf16>
  tile.store %xp, %h mask %m : tensor<64x!tile.ptr<f16>>
  return
}
func.func private @double(%n: i32) -> i32 {
  %0 = arith.addi %n, %n : i32
  return %0 : i32
}
