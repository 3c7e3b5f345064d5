// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#few = #tile.layout<register = [[0, 0], [0, 1]], lane = [[1, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [], block = []>

// CHECK: llvm.mlir.global internal constant @__tilec_format_1("pid (%d, %d, %d) here: 50%%\0A\00")
// CHECK: llvm.mlir.global internal constant @__tilec_format_0("pid (%d, %d, %d) idx (%d, %d) x: 0x%04x\0A\00")

// Copies print once, registers each, with the coordinates of the element.
// CHECK-LABEL: func.func @tile
// CHECK: llvm.alloca %{{.*}} x !llvm.struct<(i32, i32, i32, i32, i32, i32)>
// CHECK: scf.if
// CHECK: arith.bitcast %{{.*}} : f16 to i16
// CHECK: arith.extui %{{.*}} : i16 to i32
// CHECK-COUNT-6: llvm.store
// CHECK: llvm.call @vprintf
// CHECK: scf.if
// CHECK: llvm.call @vprintf
// CHECK-NOT: llvm.call
// CHECK: return
func.func @tile(%x: tensor<2x2xf16, #few>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  tile.print " x: " hex %x : tensor<2x2xf16, #few>
  return
}

// CHECK-LABEL: func.func @scalar
// CHECK: %[[T:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[T]], %c0_i32
// CHECK: scf.if %[[FIRST]]
// CHECK: llvm.call @vprintf
func.func @scalar() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  tile.print "here: 50%"
  return
}
