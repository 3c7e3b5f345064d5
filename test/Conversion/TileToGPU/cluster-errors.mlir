// RUN: tile-opt %s -tile-expand-exchanges -split-input-file -verify-diagnostics

#low = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [[32]]>
#high = #tile.layout<register = [], lane = [[2], [4], [8], [16], [32]], warp = [], block = [[1]]>
func.func @convert(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.make_range 0 to 64 : tensor<64xi32, #low>
  // expected-error @+1 {{'tile.convert_layout' op would move elements between the CTAs of a cluster, which is not supported yet}}
  %1 = tile.convert_layout %0 : tensor<64xi32, #low> -> tensor<64xi32, #high>
  return
}

// -----

#low = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [[32]]>
func.func @scan(%x: tensor<64xi32, #low>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  // expected-error @+1 {{'tile.scan' op would move elements along the axis between the CTAs of a cluster, which is not supported yet}}
  %0 = tile.scan(%x) axis 0 : (tensor<64xi32, #low>) -> tensor<64xi32, #low> {
  ^bb0(%a: i32, %b: i32):
    tile.yield %b : i32
  }
  return
}

// -----

#low = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [[32]]>
func.func @flip(%x: tensor<64xi32, #low>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  // expected-error @+1 {{'tile.flip' op would move elements along the axis between the CTAs of a cluster, which is not supported yet}}
  %0 = tile.flip %x axis 0 : tensor<64xi32, #low>
  return
}

// -----

#low = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [[32]]>
func.func @gather(%x: tensor<64xi32, #low>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  // expected-error @+1 {{'tile.gather' op would move elements of the source between the CTAs of a cluster, which is not supported yet}}
  %0 = tile.gather %x[%x] axis 0 : tensor<64xi32, #low>, tensor<64xi32, #low> -> tensor<64xi32, #low>
  return
}

// -----

func.func @atomic(%p: !tile.ptr<i32>, %v: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  // expected-error @+1 {{'tile.atomic_rmw' op would move the result between the CTAs of a cluster, which is not supported yet}}
  %0 = tile.atomic_rmw add %p, %v sem = relaxed scope = gpu : !tile.ptr<i32>
  tile.store %p, %0 : !tile.ptr<i32>
  return
}

// -----

// Without a user, the first CTA's is enough.
func.func @atomicUnused(%p: !tile.ptr<i32>, %v: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %0 = tile.atomic_rmw add %p, %v sem = relaxed scope = gpu : !tile.ptr<i32>
  return
}
