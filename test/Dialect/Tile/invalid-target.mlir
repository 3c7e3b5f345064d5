// RUN: tile-opt %s -split-input-file -verify-diagnostics
// RUN: not tile-opt %S/target.mlir -split-input-file -tile-attach-target=arch=sm_91 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not tile-opt %S/target.mlir -split-input-file -tile-attach-target=disable-heuristics=hoist-load 2>&1 | FileCheck %s --check-prefix=NAME

// ARCH: error: unknown GPU architecture 'sm_91'; did you mean 'sm_90'?
// NAME: error: unknown heuristic 'hoist-load' (known: form-dots, choose-launch, use-clusters, pack-programs, version-kernels, mask-rows, find-blocks, swap-factors, scale-maxima, mark-streams, stream-tiles, roll-tiles, group-loads, rematerialize-loads, bound-slots, keep-tables, prefetch-loads, persist-programs, hoist-loads, store-blocks, delay-products, split-products, part-products, defer-reductions, share-reductions, sink-loads, copy-loads, save-barriers, split-barriers, chain-products, unroll-loops, order-registers, bound-blocks)

// expected-error @+1 {{unknown GPU architecture 'sm_91'; did you mean 'sm_90'? (known: sm_75, }}
module attributes {tile.target = #tile.target<"sm_91">} {}

// -----

// expected-error @+1 {{expects the name in full, 'sm_90', found '90'}}
module attributes {tile.target = #tile.target<"90">} {}

// -----

// expected-error @+1 {{'builtin.module' op expects 'tile.target' to be a #tile.target, found "sm_90"}}
module attributes {tile.target = "sm_90"} {}

// -----

// expected-error @+1 {{'func.func' op cannot carry 'tile.target', which belongs on a module}}
func.func @target() attributes {tile.target = #tile.target<"sm_90">} { return }

// -----

// expected-error @+1 {{'func.func' op cannot carry 'tile.disabled_heuristics', which belongs on a module}}
func.func @names() attributes {tile.disabled_heuristics = []} { return }

// -----

// expected-error @+1 {{'builtin.module' op expects 'tile.disabled_heuristics' to be an array of names}}
module attributes {tile.disabled_heuristics = "hoist-loads"} {}

// -----

// expected-error @+1 {{'builtin.module' op expects 'tile.disabled_heuristics' to be an array of names, found 1 : i32}}
module attributes {tile.disabled_heuristics = [1 : i32]} {}

// -----

// expected-error @+1 {{'builtin.module' op unknown heuristic 'hoist' (known: form-dots, }}
module attributes {tile.disabled_heuristics = ["hoist"]} {}
