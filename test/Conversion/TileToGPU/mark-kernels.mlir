// RUN: tile-opt %s -split-input-file -tile-mark-kernels | FileCheck %s

// The dialect's attributes end here: what the launch needs is said in NVVM's terms.

// CHECK-LABEL: llvm.func @kernel(%arg0: !llvm.ptr<1>, %arg1: i32)
// CHECK-SAME: attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>}
llvm.func @kernel(%p: !llvm.ptr<1> {tile.name = "p", tile.divisibility = 16 : i32}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_ctas = 1 : i32, tile.num_stages = 3 : i32, tile.shared_bytes = 0 : i32} {
  llvm.return
}

// A kernel with loads ahead tells the back end, which counts registers.
// CHECK-LABEL: llvm.func @ahead
// CHECK-SAME: attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>, passthrough = ["tile.loads_ahead"]}
llvm.func @ahead() attributes {tile.kernel, tile.num_warps = 1 : i32, tile.loads_ahead} {
  llvm.return
}

// So do those with shared memory, which limits how many blocks are resident.
// CHECK-LABEL: llvm.func @shared
// CHECK-SAME: passthrough = ["tile.loads_ahead", ["tile.shared_bytes", "98304"]]}
llvm.func @shared()
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.loads_ahead, tile.shared_bytes = 98304 : i32} {
  llvm.return
}

// Tensor maps that launches pass are where the launch has put them.
// CHECK-LABEL: llvm.func @maps
// CHECK-SAME: %arg1: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
// CHECK-SAME: attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>}
llvm.func @maps(%p: !llvm.ptr<1>, %map: !llvm.ptr {tile.map_of = ["@0", "16"]})
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  llvm.return
}

// CHECK-LABEL: llvm.func @helper
// CHECK-NOT: nvvm
llvm.func @helper(%n: i32) {
  llvm.return
}

// -----

// The module is no longer for one target: what follows is told again.
// CHECK: module {
module attributes {tile.target = #tile.target<"sm_90a">, tile.disabled_heuristics = ["hoist-loads"]} {
}
