// RUN: tile-opt %s -split-input-file | tile-opt -split-input-file | FileCheck %s
// RUN: tile-opt %s -split-input-file -tile-attach-target='arch=90 disable-heuristics=hoist-loads,choose-launch' | FileCheck %s --check-prefix=ATTACH


// The names are printed in one order, each once.
// CHECK: module attributes {tile.disabled_heuristics = ["hoist-loads", "hoist-loads"], tile.target = #tile.target<"sm_90a">}
// ATTACH: module attributes {tile.disabled_heuristics = ["choose-launch", "hoist-loads"], tile.target = #tile.target<"sm_90">}
module attributes {tile.target = #tile.target<"sm_90a">, tile.disabled_heuristics = ["hoist-loads", "hoist-loads"]} {
}

// -----

// CHECK: module attributes {tile.target = #tile.target<"compute_120f">}
// ATTACH: module attributes {tile.disabled_heuristics = ["choose-launch", "hoist-loads"], tile.target = #tile.target<"sm_90">}
module attributes {tile.target = #tile.target<"compute_120f">} {
}
