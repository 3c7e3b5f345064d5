// What each heuristic does is in the tests of its pass; here, that it is not done when it is switched off. The inputs
// are theirs, so that a change of what they show shows here too.

// RUN: tile-opt %S/choose-launch.mlir -tile-attach-target='arch=sm_90 disable-heuristics=choose-launch' -tile-choose-launch | FileCheck %s --check-prefix=LAUNCH
// LAUNCH-LABEL: func.func @reduce
// LAUNCH-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 4 : i32
// LAUNCH-LABEL: func.func @underLock
// LAUNCH-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 4 : i32
// LAUNCH-LABEL: func.func @long
// LAUNCH-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 4 : i32
// What is asked for stays, and large tiles are streamed as for an author who asks for four warps.
// LAUNCH-LABEL: func.func @both
// LAUNCH-SAME: tile.num_ctas = 2 : i32, tile.num_warps = 1 : i32
// LAUNCH-LABEL: func.func @stream(
// LAUNCH-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 4 : i32, tile.stream}

// RUN: tile-opt %S/choose-launch.mlir -tile-attach-target='arch=sm_90 disable-heuristics=use-clusters' -tile-choose-launch | FileCheck %s --check-prefix=CLUSTERS
// CLUSTERS-LABEL: func.func @long
// CLUSTERS-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 16 : i32
// CLUSTERS-LABEL: func.func @both
// CLUSTERS-SAME: tile.num_ctas = 2 : i32
// CLUSTERS-NOT: tile.num_ctas = 8

// RUN: tile-opt %S/choose-launch.mlir -tile-attach-target='arch=sm_90 disable-heuristics=stream-tiles' -tile-choose-launch | FileCheck %s --check-prefix=STREAM --implicit-check-not=tile.stream
// STREAM-LABEL: func.func @stream(
// STREAM-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 16 : i32}
// STREAM-LABEL: func.func @readOnce(

// RUN: tile-opt %S/assign-layouts-groups.mlir -split-input-file -tile-attach-target=disable-heuristics=group-loads -tile-assign-layouts | FileCheck %s --check-prefix=GROUP
// GROUP-LABEL: func.func @mixed(
// GROUP: tile.load {{.*}}tensor<1024x!tile.ptr<bf16>, #[[OWN:.*]]>
// GROUP: tile.convert_layout

// RUN: tile-opt %s -tile-assign-layouts | FileCheck %s --check-prefix=REPEATED
// RUN: tile-opt %s -tile-attach-target=disable-heuristics=rematerialize-loads -tile-assign-layouts | FileCheck %s --check-prefix=EXCHANGED

// RUN: tile-opt %S/prefetch-loads.mlir -tile-prefetch-loads | FileCheck %s --check-prefix=AHEAD
// RUN: tile-opt %S/prefetch-loads.mlir -tile-attach-target=disable-heuristics=prefetch-loads -tile-prefetch-loads | FileCheck %s --check-prefix=INPLACE
// RUN: tile-opt %S/hoist-loads.mlir -tile-hoist-loads | FileCheck %s --check-prefix=AHEAD
// RUN: tile-opt %S/hoist-loads.mlir -tile-attach-target=disable-heuristics=hoist-loads -tile-hoist-loads | FileCheck %s --check-prefix=INPLACE
// AHEAD: tile.loads_ahead
// INPLACE: func.func
// INPLACE-NOT: tile.loads_ahead

// RUN: tile-opt %S/scale-maxima.mlir -tile-attach-target=disable-heuristics=scale-maxima -tile-scale-maxima | FileCheck %s --check-prefix=MAXIMA
// MAXIMA-LABEL: func.func @scaled
// MAXIMA-NOT: scf.if
// MAXIMA: tile.reduce
// MAXIMA: return

// RUN: tile-opt %S/pipeline-loads-lines.mlir -tile-attach-target='arch=sm_90a disable-heuristics=bound-slots' -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=SLOTS
// A fourth slot, although it costs a resident CTA.
// SLOTS-LABEL: func.func @scales
// SLOTS: tile.alloc_buffer : <64x64xf16, #{{.*}}, slots = 4>

// RUN: tile-opt %S/pipeline-loads-indices.mlir -tile-attach-target='arch=sm_90a disable-heuristics=keep-tables' -tile-assign-layouts -cse -tile-pipeline-loads | FileCheck %s --check-prefix=TABLES
// TABLES-LABEL: func.func @table
// TABLES-COUNT-2: tile.alloc_buffer
// TABLES: scf.for

// RUN: tile-opt %S/../../../Conversion/TileToGPU/reduce.mlir -tile-attach-target=disable-heuristics=share-reductions,chain-products -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers -convert-tile-to-gpu -canonicalize -cse | FileCheck %s --check-prefix=REDUCE
// Each thread combines what sixteen warps leave of its eight results.
// REDUCE-LABEL: func.func @sharedWork
// REDUCE: nvvm.barrier
// REDUCE-COUNT-32: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// REDUCE-NOT: llvm.store {{.*}}!llvm.ptr<3>
// REDUCE-LABEL: func.func @products
// REDUCE: arith.addf {{.*}} : vector<16xf32>

// RUN: tile-opt %S/allocate-shared.mlir -tile-attach-target=disable-heuristics=save-barriers -tile-expand-exchanges -tile-allocate-shared -tile-insert-barriers | FileCheck %s --check-prefix=PLACES
// PLACES-LABEL: func.func @alternate
// PLACES-SAME: tile.shared_bytes = 16 : i32

// A load whose values are added to sums of rows: done in the layout that these have, or exchanged to have it.
// REPEATED-LABEL: func.func @bias
// REPEATED-NOT: tile.convert_layout
// REPEATED: return
// EXCHANGED-LABEL: func.func @bias
// EXCHANGED: %[[Y:.*]] = tile.load {{.*}}tensor<32x!tile.ptr<f32>
// EXCHANGED: tile.convert_layout %[[Y]]
func.func @bias(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.make_range 0 to 1024 : tensor<1024xi32>
  %square = tile.reshape %r : tensor<1024xi32> -> tensor<32x32xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %pa = tile.addptr %ps, %square : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %x = tile.load %pa : tensor<32x32x!tile.ptr<f32>>
  %sum = tile.reduce(%x) axis 1 : (tensor<32x32xf32>) -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %row = tile.make_range 0 to 32 : tensor<32xi32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %qa = tile.addptr %qs, %row : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %y = tile.load %qa : tensor<32x!tile.ptr<f32>>
  %z = arith.addf %sum, %y : tensor<32xf32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %oa = tile.addptr %os, %row : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %oa, %z : tensor<32x!tile.ptr<f32>>
  return
}
