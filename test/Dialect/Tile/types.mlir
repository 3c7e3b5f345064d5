// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -emit-bytecode | tile-opt | FileCheck %s

// Every pointee, as a scalar and in a tile.

// CHECK-LABEL: func.func private @pointees(
// CHECK-SAME: !tile.ptr<i8>
// CHECK-SAME: !tile.ptr<i16>
// CHECK-SAME: !tile.ptr<i32>
// CHECK-SAME: !tile.ptr<i64>
// CHECK-SAME: !tile.ptr<f16>
// CHECK-SAME: !tile.ptr<bf16>
// CHECK-SAME: !tile.ptr<f32>
// CHECK-SAME: !tile.ptr<f64>
// CHECK-SAME: !tile.ptr<!tile.ptr<f32>>
// CHECK-SAME: !tile.ptr<!tile.ptr<!tile.ptr<i8>>>
func.func private @pointees(!tile.ptr<i8>, !tile.ptr<i16>, !tile.ptr<i32>, !tile.ptr<i64>, !tile.ptr<f16>,
                    !tile.ptr<bf16>, !tile.ptr<f32>, !tile.ptr<f64>, !tile.ptr<!tile.ptr<f32>>,
                    !tile.ptr<!tile.ptr<!tile.ptr<i8>>>)

// CHECK-LABEL: func.func private @tiles(
// CHECK-SAME: tensor<1x!tile.ptr<i8>>
// CHECK-SAME: tensor<8x16x!tile.ptr<bf16>>
// CHECK-SAME: tensor<2x1x4x!tile.ptr<!tile.ptr<f32>>>
// CHECK-SAME: tensor<1048576x!tile.ptr<f64>>
func.func private @tiles(tensor<1x!tile.ptr<i8>>, tensor<8x16x!tile.ptr<bf16>>,
                 tensor<2x1x4x!tile.ptr<!tile.ptr<f32>>>, tensor<1048576x!tile.ptr<f64>>)
