// RUN: tile-opt %s -convert-tile-to-cpu -split-input-file | FileCheck %s

// The load and the store may overlap, so they do not share a loop; all arithmetic is inside one.
// CHECK-LABEL: func.func @scale(
// CHECK-SAME:    %[[X:[^ ]*]]: !llvm.ptr, %[[Y:[^ ]*]]: !llvm.ptr, %[[F:[^ ]*]]: f32,
// CHECK-SAME:    i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32,
// CHECK-SAME:    %[[SCRATCH:[^ ]*]]: memref<512xi8> {llvm.noalias}, %{{.*}}: !llvm.ptr)
// CHECK-SAME:    tile.scratch_bytes = 512
// CHECK:       %[[BUFFER:.*]] = memref.view %[[SCRATCH]][%{{.*}}][] : memref<512xi8> to memref<128xf32>
// CHECK:       linalg.generic
// CHECK-SAME:    outs(%[[BUFFER]] : memref<128xf32>)
// CHECK:         linalg.index 0
// CHECK:         llvm.load
// CHECK:         linalg.yield
// CHECK:       linalg.generic
// CHECK-SAME:    ins(%[[BUFFER]] : memref<128xf32>)
// CHECK:         %[[P:.*]] = arith.mulf %{{.*}}, %[[F]] : f32
// CHECK:         llvm.store %[[P]]
// CHECK-NOT:   linalg.generic
// CHECK:       return
func.func @scale(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %f: f32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %xb = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %xp = tile.addptr %xb, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %xp : tensor<128x!tile.ptr<f32>>
  %fb = tile.splat %f : f32 -> tensor<128xf32>
  %w = arith.mulf %v, %fb : tensor<128xf32>
  %yb = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %yp = tile.addptr %yb, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %yp, %w : tensor<128x!tile.ptr<f32>>
  return
}

// -----

// Two loads and no store between: one loop. A masked access is a branch around the access alone.
// CHECK-LABEL: func.func @masked(
// CHECK-SAME:    %[[X:[^ ]*]]: !llvm.ptr, %[[Y:[^ ]*]]: !llvm.ptr, %[[N:[^ ]*]]: i32
// CHECK:       linalg.generic
// CHECK:         %[[M:.*]] = arith.cmpi slt, %{{.*}}, %[[N]] : i32
// CHECK:         scf.if %[[M]] -> (f32) {
// CHECK-NEXT:      llvm.load
// CHECK:         } else {
// CHECK-NEXT:      scf.yield %[[ZERO:.*]] : f32
// CHECK:         scf.if %[[M]] -> (f32) {
// CHECK:         linalg.yield
// CHECK:       linalg.generic
// CHECK:         scf.if
// CHECK-NEXT:      llvm.store
// CHECK-NOT:   linalg.generic
func.func @masked(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<128xi32>
  %xb = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %xp = tile.addptr %xb, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %yb = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %yp = tile.addptr %yb, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %xp mask %m : tensor<128x!tile.ptr<f32>>
  %w = tile.load %yp mask %m : tensor<128x!tile.ptr<f32>>
  %s = arith.addf %v, %w : tensor<128xf32>
  tile.store %yp, %s mask %m : tensor<128x!tile.ptr<f32>>
  return
}

// -----

// f16, bf16 and booleans are integers in memory.
// CHECK-LABEL: func.func @halves
// CHECK:       memref.view {{.*}} to memref<16xi16>
// CHECK:       %[[BITS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK-NEXT:  arith.bitcast %[[BITS]] : i16 to bf16
func.func @halves(%x: !tile.ptr<bf16>, %y: !tile.ptr<bf16>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 16 : tensor<16xi32>
  %xb = tile.splat %x : !tile.ptr<bf16> -> tensor<16x!tile.ptr<bf16>>
  %xp = tile.addptr %xb, %r : tensor<16x!tile.ptr<bf16>>, tensor<16xi32>
  %v = tile.load %xp : tensor<16x!tile.ptr<bf16>>
  %yb = tile.splat %y : !tile.ptr<bf16> -> tensor<16x!tile.ptr<bf16>>
  %yp = tile.addptr %yb, %r : tensor<16x!tile.ptr<bf16>>, tensor<16xi32>
  tile.store %yp, %v : tensor<16x!tile.ptr<bf16>>
  return
}

// -----

// A constant whose elements differ is a global.
// CHECK: memref.global "private" constant @tile_constant_0 : memref<4xi32> = dense<[1, 3, 2, 7]>
// CHECK-LABEL: func.func @table
// CHECK: memref.get_global @tile_constant_0
func.func @table(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %t = arith.constant dense<[1, 3, 2, 7]> : tensor<4xi32>
  %r = tile.make_range 0 to 4 : tensor<4xi32>
  %xb = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %xp = tile.addptr %xb, %r : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  tile.store %xp, %t : tensor<4x!tile.ptr<i32>>
  return
}

// -----

// Both halves of a product come from one of twice the width.
// CHECK-LABEL: func.func @product(
// CHECK:         arith.extui %{{.*}} : i32 to i64
// CHECK:         arith.extui %{{.*}} : i32 to i64
// CHECK:         %[[P:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK:         %[[H:.*]] = arith.shrui %[[P]], %{{.*}} : i64
// CHECK:         arith.trunci %[[H]] : i64 to i32
func.func @product(%x: !tile.ptr<i32>, %y: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %b = tile.splat %y : i32 -> tensor<128xi32>
  %low, %high = arith.mului_extended %r, %b : tensor<128xi32>
  %base = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %p = tile.addptr %base, %r : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %p, %high : tensor<128x!tile.ptr<i32>>
  return
}
