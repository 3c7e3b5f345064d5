// RUN: tile-opt %s -convert-tile-to-cpu -split-input-file | FileCheck %s

// Dimensions in another order, a reversed one and a choice along one are positions, not loops of their own.
// CHECK:       #[[AT:.*]] = affine_map<(d0, d1) -> (-d1 + 3, 1, d0)>
// CHECK-LABEL: func.func @positions
// CHECK:       %[[X:.*]] = memref.view {{.*}} to memref<4x2x8xf32>
// CHECK:       linalg.generic
// CHECK:       linalg.generic
// CHECK-SAME:    indexing_maps = [#[[AT]],
// CHECK-SAME:    ins(%[[X]],
// CHECK:         llvm.store
// CHECK-NOT:   linalg.generic
func.func @positions(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 64 : tensor<64xi32>
  %b = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %ps = tile.addptr %b, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %cube = tile.reshape %ps : tensor<64x!tile.ptr<f32>> -> tensor<4x2x8x!tile.ptr<f32>>
  %x = tile.load %cube : tensor<4x2x8x!tile.ptr<f32>>
  %flipped = tile.flip %x axis 0 : tensor<4x2x8xf32>
  %part = tile.take %flipped axis 1 index 1 : tensor<4x2x8xf32> -> tensor<4x8xf32>
  %turned = tile.permute %part order [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<8x4x!tile.ptr<f32>>
  tile.store %qs, %turned : tensor<8x4x!tile.ptr<f32>>
  return
}

// -----

// A scan is one loop nest with an accumulator across the axis; with `reverse` it runs from the end.
// CHECK-DAG:   #[[OWN:.*]] = affine_map<(d0, d1) -> (-d0 + 15, d1)>
// CHECK-DAG:   #[[ACROSS:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @scan
// CHECK:       linalg.generic
// CHECK:       linalg.generic
// CHECK-SAME:    indexing_maps = [#[[OWN]], #{{.*}}, #[[OWN]], #[[ACROSS]]]
// CHECK-SAME:    iterator_types = ["reduction", "parallel"]
// CHECK-SAME:    : memref<16x8xf32>, memref<8xf32>)
// CHECK:       ^bb0(%[[X:.*]]: f32, %{{.*}}: i1, %{{.*}}: f32, %[[BEFORE:.*]]: f32):
// CHECK:         %[[NEXT:.*]] = arith.subf %[[BEFORE]], %[[X]]
// CHECK:         %[[I:.*]] = linalg.index 0
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %c0
// CHECK:         %[[NEW:.*]] = arith.select %[[FIRST]], %[[X]], %[[NEXT]]
// CHECK:         linalg.yield %[[NEW]], %[[NEW]]
func.func @scan(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>>
  %x = tile.load %ps : tensor<16x8x!tile.ptr<f32>>
  %s = tile.scan(%x) axis 0 reverse : (tensor<16x8xf32>) -> tensor<16x8xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.subf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %ps, %s : tensor<16x8x!tile.ptr<f32>>
  return
}

// -----

// CHECK-LABEL: func.func @histogram
// CHECK:       %[[COUNTS:.*]] = memref.view {{.*}} to memref<16xi32>
// CHECK:       linalg.generic
// CHECK:       linalg.generic
// CHECK-SAME:    outs(%[[COUNTS]]
// CHECK:       linalg.generic
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %c16_i32
// CHECK:         scf.if %[[INSIDE]]
// CHECK:           %[[OLD:.*]] = memref.load %[[COUNTS]]
// CHECK:           %[[NEW:.*]] = arith.addi %[[OLD]], %c1_i32
// CHECK:           memref.store %[[NEW]], %[[COUNTS]]
func.func @histogram(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %x = tile.load %ps : tensor<64x!tile.ptr<i32>>
  %h = tile.histogram %x : tensor<64xi32> -> tensor<16xi32>
  %qs = tile.splat %p : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  tile.store %qs, %h : tensor<16x!tile.ptr<i32>>
  return
}

// -----

// The source is kept, whatever it costs to compute; an index never leaves it.
// CHECK-LABEL: func.func @gather
// CHECK:       %[[X:.*]] = memref.view {{.*}} to memref<64xi32>
// CHECK:       linalg.generic
// CHECK-SAME:    outs(%[[X]]
// CHECK:       linalg.generic
// CHECK:         %[[IN:.*]] = arith.minui %{{.*}}, %c63_i32
// CHECK:         %[[AT:.*]] = arith.index_castui %[[IN]]
// CHECK:         memref.load %[[X]][%[[AT]]]
func.func @gather(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %i = tile.load %ps : tensor<64x!tile.ptr<i32>>
  %r = tile.make_range 5 to 69 : tensor<64xi32>
  %g = tile.gather %r[%i] axis 0 : tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>
  tile.store %ps, %g : tensor<64x!tile.ptr<i32>>
  return
}

// -----

// A map's region is part of the loop that asks for the element.
// CHECK-LABEL: func.func @map
// CHECK:       linalg.generic
// CHECK:         llvm.load
// CHECK:       linalg.generic
// CHECK:         scf.if
// CHECK:         llvm.store
func.func @map(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %x = tile.load %ps : tensor<64x!tile.ptr<f32>>
  %y = tile.map(%x) : (tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %less = arith.cmpf olt, %a, %zero : f32
    %c = scf.if %less -> f32 {
      scf.yield %zero : f32
    } else {
      scf.yield %a : f32
    }
    tile.yield %c : f32
  }
  tile.store %ps, %y : tensor<64x!tile.ptr<f32>>
  return
}
