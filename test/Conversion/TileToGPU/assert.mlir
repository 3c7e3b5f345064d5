// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// A failed check calls the driver's function with message, file, line and kernel.

#two = #tile.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>

// CHECK-DAG: llvm.mlir.global internal constant @__tilec_message_0("bad\00") {addr_space = 1 : i32}
// CHECK-DAG: llvm.mlir.global internal constant @__tilec_file_0("kernel.py\00") {addr_space = 1 : i32}
// CHECK-DAG: llvm.mlir.global internal constant @__tilec_kernel_0("scalar\00") {addr_space = 1 : i32}
// CHECK-DAG: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)

// CHECK-LABEL: func.func @scalar
// CHECK-SAME: %[[C:.*]]: i1
// CHECK: %[[FAILS:.*]] = arith.xori %[[C]], %true
// CHECK: scf.if %[[FAILS]] {
// CHECK: %[[MESSAGE:.*]] = llvm.addrspacecast %{{.*}} : !llvm.ptr<1> to !llvm.ptr
// CHECK: %[[FILE:.*]] = llvm.addrspacecast
// CHECK: %[[KERNEL:.*]] = llvm.addrspacecast
// CHECK: llvm.call @__assertfail(%[[MESSAGE]], %[[FILE]], %c12_i32{{.*}}, %[[KERNEL]], %c1_i64{{.*}})
func.func @scalar(%c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  tile.assert %c, "bad" : i1 loc("kernel.py":12:5)
  return
}

// Of a tile, every register is looked at.
// CHECK-LABEL: func.func @tile
// CHECK-SAME: %[[X:.*]]: vector<2xi1>
// CHECK: %[[A:.*]] = vector.extract %[[X]][0]
// CHECK: %[[B:.*]] = vector.extract %[[X]][1]
// CHECK: %[[ALL:.*]] = arith.andi %[[A]], %[[B]]
// CHECK: arith.xori %[[ALL]], %true
func.func @tile(%x: tensor<64xi1, #two>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  tile.assert %x, "bad" : tensor<64xi1, #two>
  return
}

// In an inlined call the innermost place is named; without any, line 0 of an unknown file.
// CHECK-LABEL: func.func @places
// CHECK: llvm.call @__assertfail(%{{[^,]*}}, %{{[^,]*}}, %c7_i32
// CHECK: llvm.call @__assertfail(%{{[^,]*}}, %{{[^,]*}}, %c0_i32
func.func @places(%c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  tile.assert %c, "inlined" : i1 loc(callsite("helper.py":7:1 at "kernel.py":12:5))
  tile.assert %c, "nowhere" : i1 loc(unknown)
  return
}
