// RUN: tile-opt %s -convert-tile-to-gpu=compute-capability=90 -split-input-file -verify-diagnostics

#low = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [[32]]>
#high = #tile.layout<register = [], lane = [[2], [4], [8], [16], [32]], warp = [], block = [[1]]>
func.func @convert(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.make_range 0 to 64 : tensor<64xi32, #low>
  // expected-error @+1 {{'tile.convert_layout' op would move elements between the CTAs of a cluster, which is not supported yet}}
  %1 = tile.convert_layout %0 : tensor<64xi32, #low> -> tensor<64xi32, #high>
  return
}
