// RUN: tile-opt %s -tile-cpu-carry-bf16 | FileCheck %s

// Arguments, results, buffers, constants.

// CHECK-LABEL: func.func @values(%arg0: i16, %arg1: memref<4xi16>, %arg2: index) -> i16
// CHECK:         %[[ONE:.*]] = arith.constant 16256 : i16
// CHECK:         memref.store %[[ONE]], %arg1[%arg2] : memref<4xi16>
// CHECK:         memref.store %arg0, %arg1[%arg2] : memref<4xi16>
// CHECK:         %[[X:.*]] = memref.load %arg1[%arg2] : memref<4xi16>
// CHECK:         return %[[X]] : i16
func.func @values(%x: bf16, %buffer: memref<4xbf16>, %i: index) -> bf16 {
  %one = arith.constant 1.0 : bf16
  memref.store %one, %buffer[%i] : memref<4xbf16>
  memref.store %x, %buffer[%i] : memref<4xbf16>
  %y = memref.load %buffer[%i] : memref<4xbf16>
  return %y : bf16
}

// Bitcasts vanish, and nothing narrows a value on its way through a loop.

// CHECK-LABEL: func.func @bits(%arg0: i16, %arg1: index) -> i16
// CHECK-NOT:     bitcast
// CHECK:         scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %arg0) -> (i16)
// CHECK:           arith.addi %[[CARRIED]], %{{.*}} : i16
func.func @bits(%x: bf16, %n: index) -> bf16 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %step = arith.constant 1 : i16
  %r = scf.for %i = %zero to %n step %one iter_args(%carried = %x) -> (bf16) {
    %b = arith.bitcast %carried : bf16 to i16
    %c = arith.addi %b, %step : i16
    %d = arith.bitcast %c : i16 to bf16
    scf.yield %d : bf16
  }
  return %r : bf16
}

// Other floats stay.

// CHECK-LABEL: func.func @others(%arg0: f16, %arg1: f32)
func.func @others(%x: f16, %y: f32) {
  return
}
