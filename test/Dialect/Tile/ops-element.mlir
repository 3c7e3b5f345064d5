// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @map
func.func @map(%x: tensor<8xf32>, %n: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: tile.map(%{{.*}}, %{{.*}}) : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xi32> {
  %0 = tile.map(%x, %n) : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xi32> {
  ^bb0(%a: f32, %b: i32):
    %zero = arith.constant 0.0 : f32
    %less = arith.cmpf olt, %a, %zero : f32
    // CHECK: scf.if
    %c = scf.if %less -> i32 {
      %d = arith.addi %b, %b : i32
      scf.yield %d : i32
    } else {
      scf.yield %b : i32
    }
    tile.yield %c : i32
  }
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: func.func @assembly
func.func @assembly(%x: tensor<8xi8>, %s: i32) {
  // CHECK: tile.inline_asm "not.b32 $0, $1;" constraints "=r,r" pack 4 pure(%{{.*}}) : (tensor<8xi8>) -> tensor<8xi8>
  %0 = tile.inline_asm "not.b32 $0, $1;" constraints "=r,r" pack 4 pure (%x) : (tensor<8xi8>) -> tensor<8xi8>
  // CHECK: tile.inline_asm "mov.u32 $0, %laneid;" constraints "=r" pack 1() : () -> i32
  %1 = tile.inline_asm "mov.u32 $0, %laneid;" constraints "=r" pack 1 () : () -> i32
  // CHECK: %{{.*}}:2 = tile.inline_asm "mov.b32 $0, $2; mov.b32 $1, $2;" constraints "=r,=r,r" pack 1 pure(%{{.*}}) : (i32) -> (i32, i32)
  %2:2 = tile.inline_asm "mov.b32 $0, $2; mov.b32 $1, $2;" constraints "=r,=r,r" pack 1 pure (%s) : (i32) -> (i32, i32)
  return
}

// CHECK-LABEL: func.func @prints
func.func @prints(%x: tensor<8xi8>, %s: f32) {
  // CHECK: tile.print "here"{{$}}
  tile.print "here"
  // CHECK: tile.print " s: " hex %{{.*}} : f32
  tile.print " s: " hex %s : f32
  // CHECK: tile.print " x: " unsigned %{{.*}} : tensor<8xi8>
  tile.print " x: " unsigned %x : tensor<8xi8>
  return
}

// Impure assembly stays, pure assembly without a user goes.
// RUN: tile-opt %s -canonicalize | FileCheck %s --check-prefix=CLEAN
// CLEAN-LABEL: func.func @assembly
// CLEAN-NOT: not.b32
// CLEAN: tile.inline_asm "mov.u32 $0, %laneid;"
// CLEAN-NOT: tile.inline_asm
// CLEAN-LABEL: func.func @prints
