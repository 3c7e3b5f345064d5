// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @grid
func.func @grid() -> (i32, i32, i32, i32, i32, i32) {
  // CHECK: tile.program_id x
  // CHECK: tile.program_id y
  // CHECK: tile.program_id z
  %0 = tile.program_id x
  %1 = tile.program_id y
  %2 = tile.program_id z
  // CHECK: tile.num_programs x
  // CHECK: tile.num_programs y
  // CHECK: tile.num_programs z
  %3 = tile.num_programs x
  %4 = tile.num_programs y
  %5 = tile.num_programs z
  return %0, %1, %2, %3, %4, %5 : i32, i32, i32, i32, i32, i32
}

// CHECK-LABEL: func.func @assertions
func.func @assertions(%one: i1, %many: tensor<4x8xi1>) {
  // CHECK: tile.assert %{{.*}}, "one" : i1
  tile.assert %one, "one" : i1
  // CHECK: tile.assert %{{.*}}, "many \22quoted\22\0A" {note = 1 : i32} : tensor<4x8xi1>
  tile.assert %many, "many \"quoted\"\n" {note = 1 : i32} : tensor<4x8xi1>
  return
}
