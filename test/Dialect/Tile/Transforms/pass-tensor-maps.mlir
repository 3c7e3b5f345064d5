// RUN: tile-opt %s -split-input-file -tile-attach-target=arch=sm_90a -tile-pass-tensor-maps | FileCheck %s

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>
#halves = #tile.shared<[1, 2, 4, 8, 16, 32, 72]>
!map = !tile.tensor_map<8x16xf32, #lines>
!map3 = !tile.tensor_map<1x8x16xf16, #halves>
!slot = !tile.buffer<8x16xf32, #lines>
!slot3 = !tile.buffer<1x8x16xf16, #halves>
!scratch2 = !tile.buffer<256xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>>

// What a map is of is on its parameter. What made it is gone.
// CHECK-LABEL: func.func @parameters
// CHECK-SAME: %[[A:[^:]*]]: !tile.ptr<f32>, %[[B:[^:]*]]: !tile.ptr<f16>, %{{[^:]*}}: i32, %{{[^:]*}}: i64,
// CHECK-SAME: %[[MAP:[^:]*]]: !tile.tensor_map<8x16xf32, #{{.*}}> {tile.map_of = ["@0", "@2 1 max", "64", "@3"]},
// CHECK-SAME: %[[MAP3:[^:]*]]: !tile.tensor_map<1x8x16xf16, #{{.*}}> {tile.map_of = ["@1 @2 4 mul sext32 2 mul add", "@2", "@3 8 add", "@2 zext32 @3 min", "@3 @3 mul", "@3 sext32"]})
// CHECK-DAG: tile.prefetch_tensor_map %[[MAP]]
// CHECK-DAG: tile.prefetch_tensor_map %[[MAP3]]
// CHECK-NOT: tile.make_tensor_maps
// CHECK-NOT: !tile.buffer<256xi8
// CHECK: tile.bulk_copy %[[MAP]][
// CHECK-NEXT: tile.bulk_copy %[[MAP3]][
// CHECK-NOT: tile.release_tensor_maps
func.func @parameters(%a: !tile.ptr<f32>, %b: !tile.ptr<f16>, %n: i32, %s: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %one = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %c64 = arith.constant 64 : i64
  %wide = arith.extsi %n : i32 to i64
  %rows = arith.maxsi %wide, %one : i64
  %offset = arith.muli %n, %c4 : i32
  %q = tile.addptr %b, %offset : !tile.ptr<f16>, i32
  %more = arith.addi %s, %c8 : i64
  %unsigned = arith.extui %n : i32 to i64
  %least = arith.minsi %unsigned, %s : i64
  %square = arith.muli %s, %s : i64
  %narrow = arith.trunci %s : i64 to i32
  %low = arith.extsi %narrow : i32 to i64
  %slot = tile.alloc_buffer : !slot
  %slot3 = tile.alloc_buffer : !slot3
  %full = tile.alloc_mbarrier slots 1 arrivals 1
  %scratch = tile.alloc_buffer : !scratch2
  %place, %maps:2 = tile.make_tensor_maps %a, %q : !tile.ptr<f32>, !tile.ptr<f16> sizes [%rows, %c64, %wide, %more, %least] strides [%s, %one, %square, %low, %one]
    through %scratch : !scratch2 -> !map, !map3
  tile.bulk_copy %maps#0[%c0, %c0] into %slot arrive %full : !map, !slot
  tile.bulk_copy %maps#1[%c0, %c0, %c0] into %slot3 arrive %full : !map3, !slot3
  tile.release_tensor_maps %place
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>
!map = !tile.tensor_map<8x16xf32, #lines>
!slot = !tile.buffer<8x16xf32, #lines>
!scratch = !tile.buffer<128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>

// Two loops that read one tensor share the parameter. Warps with roles are all there from the start.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: %[[MAP:[^:]*]]: !tile.tensor_map<8x16xf32, #{{.*}}> {tile.map_of = ["@0", "@1", "@1", "@1"]})
// CHECK-NOT: tile.make_tensor_maps
// CHECK: tile.bulk_copy %[[MAP]][
// CHECK: tile.warp_roles role 4
// CHECK: role 4
// CHECK: tile.bulk_copy %[[MAP]][
func.func @shared(%a: !tile.ptr<f32>, %n: i64) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %slot = tile.alloc_buffer : !slot
  %full = tile.alloc_mbarrier slots 1 arrivals 1
  %scratch = tile.alloc_buffer : !scratch
  %place, %map = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n, %n] strides [%n, %n] through %scratch : !scratch -> !map
  tile.bulk_copy %map[%c0, %c0] into %slot arrive %full : !map, !slot
  tile.release_tensor_maps %place
  tile.warp_roles role 4 registers 40 {
  } role 4 registers 40 {
    %zero = arith.constant 0 : i32
    %own = tile.alloc_buffer : !scratch
    %place2, %map2 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n, %n] strides [%n, %n] through %own : !scratch -> !map
    tile.bulk_copy %map2[%zero, %zero] into %slot arrive %full : !map, !slot
    tile.release_tensor_maps %place2
  }
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>
!map = !tile.tensor_map<8x16xf32, #lines>
!slot = !tile.buffer<8x16xf32, #lines>
!scratch = !tile.buffer<128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>
!scratch2 = !tile.buffer<256xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>>

// What is only in memory, or differs between programs, is known to the kernel alone: then it makes
// all maps of the operation.
// CHECK-LABEL: func.func @memory
// CHECK-SAME: %{{[^:]*}}: !tile.ptr<f32>, %{{[^:]*}}: i64) attributes
// CHECK: tile.make_tensor_maps
func.func @memory(%a: !tile.ptr<f32>, %n: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  %program = tile.program_id x
  %b = tile.addptr %a, %program : !tile.ptr<f32>, i32
  %scratch = tile.alloc_buffer : !scratch2
  %place, %maps:2 = tile.make_tensor_maps %a, %b : !tile.ptr<f32>, !tile.ptr<f32> sizes [%n, %n, %n, %n] strides [%n, %n, %n, %n]
    through %scratch : !scratch2 -> !map, !map
  tile.release_tensor_maps %place
  return
}

// Where only some launches need a map, there may be none for the arguments of the others: which ones is on the parameter,
// and nobody asks for it before.
// CHECK-LABEL: func.func @branch
// CHECK-SAME: %{{[^:]*}}: !tile.ptr<f32>, %{{[^:]*}}: i64, %{{[^:]*}}: i1,
// CHECK-SAME: %[[EVEN:[^:]*]]: !tile.tensor_map<8x16xf32, #{{.*}}> {tile.map_of = ["@0", "@1", "@1", "@1"], tile.map_when = "@1 7 and 0 eq"},
// CHECK-SAME: %[[ODD:[^:]*]]: !tile.tensor_map<8x16xf32, #{{.*}}> {tile.map_of = ["@0", "@1", "@1", "@1"], tile.map_when = "@2 1 xor @1 64 lt 1 xor and @1 7 and 0 eq 1 xor and"})
// CHECK-NOT: tile.prefetch_tensor_map
// CHECK: scf.if
// CHECK-NEXT: tile.bulk_copy %[[EVEN]][
// CHECK: tile.bulk_copy %[[ODD]][
func.func @branch(%a: !tile.ptr<f32>, %n: i64, %is: i1) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %seven = arith.constant 7 : i64
  %c64 = arith.constant 64 : i64
  %true = arith.constant true
  %slot = tile.alloc_buffer : !slot
  %full = tile.alloc_mbarrier slots 1 arrivals 1
  %low = arith.andi %n, %seven : i64
  %even = arith.cmpi eq, %low, %zero : i64
  %isNot = arith.xori %is, %true : i1
  %large = arith.cmpi sge, %n, %c64 : i64
  %both = arith.andi %isNot, %large : i1
  scf.if %even {
    %scratch = tile.alloc_buffer : !scratch
    %place, %map = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n, %n] strides [%n, %n] through %scratch : !scratch -> !map
    tile.bulk_copy %map[%c0, %c0] into %slot arrive %full : !map, !slot
    tile.release_tensor_maps %place
  } else {
    scf.if %both {
      %scratch = tile.alloc_buffer : !scratch
      %place, %map = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n, %n] strides [%n, %n] through %scratch : !scratch -> !map
      tile.bulk_copy %map[%c0, %c0] into %slot arrive %full : !map, !slot
      tile.release_tensor_maps %place
    }
  }
  return
}

// Nobody knows beforehand which programs there are.
// CHECK-LABEL: func.func @programs
// CHECK-SAME: %{{[^:]*}}: !tile.ptr<f32>, %{{[^:]*}}: i64) attributes
// CHECK: tile.make_tensor_maps
func.func @programs(%a: !tile.ptr<f32>, %n: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  %c0 = arith.constant 0 : i32
  %program = tile.program_id x
  %first = arith.cmpi eq, %program, %c0 : i32
  scf.if %first {
    %scratch = tile.alloc_buffer : !scratch
    %place, %map = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n, %n] strides [%n, %n] through %scratch : !scratch -> !map
    tile.release_tensor_maps %place
  }
  return
}

// Who launches bare PTX passes what the source says.
// CHECK-LABEL: func.func @plain
// CHECK-SAME: %{{[^:]*}}: !tile.ptr<f32>, %{{[^:]*}}: i64) attributes
// CHECK: tile.make_tensor_maps
func.func @plain(%a: !tile.ptr<f32>, %n: i64) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %scratch = tile.alloc_buffer : !scratch
  %place, %map = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n, %n] strides [%n, %n] through %scratch : !scratch -> !map
  tile.release_tensor_maps %place
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>
!map = !tile.tensor_map<8x16xf32, #lines>
!scratch = !tile.buffer<128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>

// Parameters end at 4 KB: behind 31 maps there is no room for another one, whose sizes differ.
// CHECK-LABEL: func.func @full
// CHECK-SAME: ["@0", "@1 30 add", "@1", "@1"]})
// CHECK: tile.make_tensor_maps
// CHECK-NOT: tile.make_tensor_maps
// CHECK: return
func.func @full(%a: !tile.ptr<f32>, %n: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.tensor_maps = "launcher"} {
  %s0 = tile.alloc_buffer : !scratch
  %place0, %map0 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n, %n] strides [%n, %n] through %s0 : !scratch -> !map
  %c1 = arith.constant 1 : i64
  %n1 = arith.addi %n, %c1 : i64
  %s1 = tile.alloc_buffer : !scratch
  %place1, %map1 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n1, %n] strides [%n, %n] through %s1 : !scratch -> !map
  %c2 = arith.constant 2 : i64
  %n2 = arith.addi %n, %c2 : i64
  %s2 = tile.alloc_buffer : !scratch
  %place2, %map2 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n2, %n] strides [%n, %n] through %s2 : !scratch -> !map
  %c3 = arith.constant 3 : i64
  %n3 = arith.addi %n, %c3 : i64
  %s3 = tile.alloc_buffer : !scratch
  %place3, %map3 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n3, %n] strides [%n, %n] through %s3 : !scratch -> !map
  %c4 = arith.constant 4 : i64
  %n4 = arith.addi %n, %c4 : i64
  %s4 = tile.alloc_buffer : !scratch
  %place4, %map4 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n4, %n] strides [%n, %n] through %s4 : !scratch -> !map
  %c5 = arith.constant 5 : i64
  %n5 = arith.addi %n, %c5 : i64
  %s5 = tile.alloc_buffer : !scratch
  %place5, %map5 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n5, %n] strides [%n, %n] through %s5 : !scratch -> !map
  %c6 = arith.constant 6 : i64
  %n6 = arith.addi %n, %c6 : i64
  %s6 = tile.alloc_buffer : !scratch
  %place6, %map6 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n6, %n] strides [%n, %n] through %s6 : !scratch -> !map
  %c7 = arith.constant 7 : i64
  %n7 = arith.addi %n, %c7 : i64
  %s7 = tile.alloc_buffer : !scratch
  %place7, %map7 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n7, %n] strides [%n, %n] through %s7 : !scratch -> !map
  %c8 = arith.constant 8 : i64
  %n8 = arith.addi %n, %c8 : i64
  %s8 = tile.alloc_buffer : !scratch
  %place8, %map8 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n8, %n] strides [%n, %n] through %s8 : !scratch -> !map
  %c9 = arith.constant 9 : i64
  %n9 = arith.addi %n, %c9 : i64
  %s9 = tile.alloc_buffer : !scratch
  %place9, %map9 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n9, %n] strides [%n, %n] through %s9 : !scratch -> !map
  %c10 = arith.constant 10 : i64
  %n10 = arith.addi %n, %c10 : i64
  %s10 = tile.alloc_buffer : !scratch
  %place10, %map10 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n10, %n] strides [%n, %n] through %s10 : !scratch -> !map
  %c11 = arith.constant 11 : i64
  %n11 = arith.addi %n, %c11 : i64
  %s11 = tile.alloc_buffer : !scratch
  %place11, %map11 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n11, %n] strides [%n, %n] through %s11 : !scratch -> !map
  %c12 = arith.constant 12 : i64
  %n12 = arith.addi %n, %c12 : i64
  %s12 = tile.alloc_buffer : !scratch
  %place12, %map12 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n12, %n] strides [%n, %n] through %s12 : !scratch -> !map
  %c13 = arith.constant 13 : i64
  %n13 = arith.addi %n, %c13 : i64
  %s13 = tile.alloc_buffer : !scratch
  %place13, %map13 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n13, %n] strides [%n, %n] through %s13 : !scratch -> !map
  %c14 = arith.constant 14 : i64
  %n14 = arith.addi %n, %c14 : i64
  %s14 = tile.alloc_buffer : !scratch
  %place14, %map14 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n14, %n] strides [%n, %n] through %s14 : !scratch -> !map
  %c15 = arith.constant 15 : i64
  %n15 = arith.addi %n, %c15 : i64
  %s15 = tile.alloc_buffer : !scratch
  %place15, %map15 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n15, %n] strides [%n, %n] through %s15 : !scratch -> !map
  %c16 = arith.constant 16 : i64
  %n16 = arith.addi %n, %c16 : i64
  %s16 = tile.alloc_buffer : !scratch
  %place16, %map16 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n16, %n] strides [%n, %n] through %s16 : !scratch -> !map
  %c17 = arith.constant 17 : i64
  %n17 = arith.addi %n, %c17 : i64
  %s17 = tile.alloc_buffer : !scratch
  %place17, %map17 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n17, %n] strides [%n, %n] through %s17 : !scratch -> !map
  %c18 = arith.constant 18 : i64
  %n18 = arith.addi %n, %c18 : i64
  %s18 = tile.alloc_buffer : !scratch
  %place18, %map18 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n18, %n] strides [%n, %n] through %s18 : !scratch -> !map
  %c19 = arith.constant 19 : i64
  %n19 = arith.addi %n, %c19 : i64
  %s19 = tile.alloc_buffer : !scratch
  %place19, %map19 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n19, %n] strides [%n, %n] through %s19 : !scratch -> !map
  %c20 = arith.constant 20 : i64
  %n20 = arith.addi %n, %c20 : i64
  %s20 = tile.alloc_buffer : !scratch
  %place20, %map20 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n20, %n] strides [%n, %n] through %s20 : !scratch -> !map
  %c21 = arith.constant 21 : i64
  %n21 = arith.addi %n, %c21 : i64
  %s21 = tile.alloc_buffer : !scratch
  %place21, %map21 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n21, %n] strides [%n, %n] through %s21 : !scratch -> !map
  %c22 = arith.constant 22 : i64
  %n22 = arith.addi %n, %c22 : i64
  %s22 = tile.alloc_buffer : !scratch
  %place22, %map22 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n22, %n] strides [%n, %n] through %s22 : !scratch -> !map
  %c23 = arith.constant 23 : i64
  %n23 = arith.addi %n, %c23 : i64
  %s23 = tile.alloc_buffer : !scratch
  %place23, %map23 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n23, %n] strides [%n, %n] through %s23 : !scratch -> !map
  %c24 = arith.constant 24 : i64
  %n24 = arith.addi %n, %c24 : i64
  %s24 = tile.alloc_buffer : !scratch
  %place24, %map24 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n24, %n] strides [%n, %n] through %s24 : !scratch -> !map
  %c25 = arith.constant 25 : i64
  %n25 = arith.addi %n, %c25 : i64
  %s25 = tile.alloc_buffer : !scratch
  %place25, %map25 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n25, %n] strides [%n, %n] through %s25 : !scratch -> !map
  %c26 = arith.constant 26 : i64
  %n26 = arith.addi %n, %c26 : i64
  %s26 = tile.alloc_buffer : !scratch
  %place26, %map26 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n26, %n] strides [%n, %n] through %s26 : !scratch -> !map
  %c27 = arith.constant 27 : i64
  %n27 = arith.addi %n, %c27 : i64
  %s27 = tile.alloc_buffer : !scratch
  %place27, %map27 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n27, %n] strides [%n, %n] through %s27 : !scratch -> !map
  %c28 = arith.constant 28 : i64
  %n28 = arith.addi %n, %c28 : i64
  %s28 = tile.alloc_buffer : !scratch
  %place28, %map28 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n28, %n] strides [%n, %n] through %s28 : !scratch -> !map
  %c29 = arith.constant 29 : i64
  %n29 = arith.addi %n, %c29 : i64
  %s29 = tile.alloc_buffer : !scratch
  %place29, %map29 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n29, %n] strides [%n, %n] through %s29 : !scratch -> !map
  %c30 = arith.constant 30 : i64
  %n30 = arith.addi %n, %c30 : i64
  %s30 = tile.alloc_buffer : !scratch
  %place30, %map30 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n30, %n] strides [%n, %n] through %s30 : !scratch -> !map
  %c31 = arith.constant 31 : i64
  %n31 = arith.addi %n, %c31 : i64
  %s31 = tile.alloc_buffer : !scratch
  %place31, %map31 = tile.make_tensor_maps %a : !tile.ptr<f32> sizes [%n31, %n] strides [%n, %n] through %s31 : !scratch -> !map
  return
}
