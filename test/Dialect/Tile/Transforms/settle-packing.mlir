// RUN: tile-opt %s -tile-settle-packing | FileCheck %s
// RUN: tile-opt %s -tile-settle-packing=remarks=true -verify-diagnostics -o /dev/null

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

// CHECK: func.func @exchanges() attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 0 : i32} {
// CHECK-NOT: @exchanges.packed
func.func @exchanges() attributes {tile.kernel, tile.num_warps = 4 : i32, tile.packing = array<i32: 32, 4, 16>, tile.shared_bytes = 0 : i32} {
  return
}
func.func @exchanges.packed() attributes {tile.kernel, tile.num_warps = 1 : i32, tile.packed_form_of = @exchanges, tile.shared_bytes = 512 : i32} {
  return
}

// What other launches do matters not.
// CHECK: func.func @reduces() attributes {{.*}}tile.packing = array<i32: 32, 4, 16>, tile.shared_bytes = 16 : i32}
// CHECK: func.func @reduces.packed()
// expected-remark @+1 {{kernel 'reduces' shares CTAs in launches of 16 programs or more for each multiprocessor: 4 programs of 32 threads}}
func.func @reduces() attributes {tile.kernel, tile.num_warps = 4 : i32, tile.packing = array<i32: 32, 4, 16>, tile.shared_bytes = 16 : i32} {
  return
}
func.func @reduces.packed() attributes {tile.kernel, tile.num_warps = 1 : i32, tile.packed_form_of = @reduces, tile.shared_bytes = 0 : i32} {
  return
}

// Two warps of one program would wait for those of others; a single one waits for nobody.
// CHECK: func.func @waits() attributes {tile.kernel, tile.num_warps = 2 : i32, tile.shared_bytes = 0 : i32} {
func.func @waits() attributes {tile.kernel, tile.num_warps = 2 : i32, tile.packing = array<i32: 64, 2, 16>, tile.shared_bytes = 0 : i32} {
  tile.barrier
  return
}

// CHECK: func.func @alone() attributes {tile.kernel, tile.num_warps = 1 : i32, tile.packing = array<i32: 32, 4, 16>, tile.shared_bytes = 0 : i32} {
// expected-remark @+1 {{kernel 'alone' shares CTAs}}
func.func @alone() attributes {tile.kernel, tile.num_warps = 1 : i32, tile.packing = array<i32: 32, 4, 16>, tile.shared_bytes = 0 : i32} {
  tile.barrier
  return
}

// Launches pass maps, and say nothing of programs that are missing.
// CHECK: func.func @maps(%{{.*}}) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 0 : i32} {
// CHECK-NOT: @maps.packed
func.func @maps(%map: !tile.tensor_map<8x16xf32, #lines>) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.packing = array<i32: 32, 4, 16>, tile.shared_bytes = 0 : i32} {
  return
}
func.func @maps.packed() attributes {tile.kernel, tile.num_warps = 1 : i32, tile.packed_form_of = @maps, tile.shared_bytes = 0 : i32} {
  return
}
