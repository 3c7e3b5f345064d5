// RUN: tile-opt %s -convert-tile-to-cpu -split-input-file | FileCheck %s

// Along the last dimension: 64 lanes, which start neutral and are folded by halves. The load happens
// in the same loop and is not kept.
// CHECK-LABEL: func.func @sum
// CHECK-SAME:    tile.scratch_bytes = 0
// CHECK:       %[[LANES:.*]] = memref.alloca() {{.*}} : memref<64xf32>
// CHECK:       linalg.generic
// CHECK-SAME:    outs(%[[LANES]] : memref<64xf32>)
// CHECK:         arith.constant -0.000000e+00 : f32
// CHECK:       linalg.generic
// CHECK-SAME:    iterator_types = ["reduction", "parallel"]
// CHECK-SAME:    outs(%[[LANES]] : memref<64xf32>)
// CHECK:         llvm.load
// CHECK:         arith.addf {{.*}} : f32
// CHECK:       linalg.generic
// CHECK:         %[[ALL:.*]] = vector.load %[[LANES]]{{.*}} : memref<64xf32>, vector<64xf32>
// CHECK:         arith.addf {{.*}} : vector<32xf32>
// CHECK:         arith.addf {{.*}} : vector<16xf32>
// CHECK:         arith.addf {{.*}} : vector<8xf32>
// CHECK:         arith.addf {{.*}} : vector<4xf32>
// CHECK:         arith.addf {{.*}} : vector<2xf32>
// CHECK:         arith.addf {{.*}} : vector<1xf32>
// CHECK:         vector.extract
// CHECK:       %[[SUM:.*]] = memref.load
// CHECK:       llvm.store %[[SUM]]
func.func @sum(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 1024 : tensor<1024xi32>
  %xb = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xb, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %s = tile.reduce(%v) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %y, %s : !tile.ptr<f32>
  return
}

// -----

// A promise that there is no infinity or NaN forbids them as neutral elements: the first chunk starts.
// CHECK-LABEL: func.func @finite_max
// CHECK:       linalg.generic
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK:         %[[MAX:.*]] = arith.maxnumf %{{.*}}, %{{.*}} fastmath<nnan> : f32
// CHECK:         arith.select %[[FIRST]], %{{.*}}, %[[MAX]] : f32
func.func @finite_max(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 1024 : tensor<1024xi32>
  %v = arith.sitofp %r : tensor<1024xi32> to tensor<1024xf32>
  %s = tile.reduce(%v) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b fastmath<nnan> : f32
    tile.yield %c : f32
  }
  tile.store %y, %s : !tile.ptr<f32>
  return
}

// -----

// Along another dimension: straight into the result.
// CHECK-DAG:   #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:   #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @columns
// CHECK:       linalg.generic {{.*}}#[[COLUMN]]], iterator_types = ["reduction", "parallel"]
// CHECK-SAME:    outs(%[[RESULT:.*]] : memref<32xi32>)
// CHECK:         arith.addi {{.*}} : i32
// CHECK:       linalg.generic
// CHECK-SAME:    ins(%[[RESULT]] : memref<32xi32>)
// CHECK:         llvm.store
func.func @columns(%y: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 32 : tensor<32xi32>
  %e = tile.expand_dims %r axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %b = tile.broadcast %e : tensor<1x32xi32> -> tensor<16x32xi32>
  %s = tile.reduce(%b) axis 0 : (tensor<16x32xi32>) -> tensor<32xi32> {
  ^bb0(%u: i32, %v: i32):
    %c = arith.addi %u, %v : i32
    tile.yield %c : i32
  }
  %yb = tile.splat %y : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %yp = tile.addptr %yb, %r : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  tile.store %yp, %s : tensor<32x!tile.ptr<i32>>
  return
}

// -----

// Two tiles at once; comparisons and selections are vectors in the fold, too.
// CHECK-LABEL: func.func @argmax
// CHECK:       linalg.generic
// CHECK-SAME:    outs(%{{.*}}, %{{.*}} : memref<64xf32>, memref<64xi32>)
// CHECK:       arith.cmpf ogt, {{.*}} : vector<32xf32>
// CHECK:       arith.select {{.*}} : vector<32xi1>, vector<32xi32>
func.func @argmax(%y: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %v = arith.sitofp %r : tensor<256xi32> to tensor<256xf32>
  %s:2 = tile.reduce(%v, %r) axis 0 : (tensor<256xf32>, tensor<256xi32>) -> (f32, i32) {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %g = arith.cmpf ogt, %a, %b : f32
    %c = arith.select %g, %a, %b : f32
    %k = arith.select %g, %i, %j : i32
    tile.yield %c, %k : f32, i32
  }
  tile.store %y, %s#1 : !tile.ptr<i32>
  return
}

// -----

// What vectors lack is folded element by element, in two steps.
// CHECK-LABEL: func.func @gcd_like
// CHECK-NOT:   vector
// CHECK:       memref<64xi32>
// CHECK:       memref<8xi32>
// CHECK:       arith.remsi {{.*}} : i32
func.func @gcd_like(%y: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %s = tile.reduce(%r) axis 0 : (tensor<256xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.remsi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %y, %s : !tile.ptr<i32>
  return
}
