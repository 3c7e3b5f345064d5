// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-expand-blocks | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-expand-blocks | FileCheck %s --check-prefix=NONE
// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-expand-blocks | FileCheck %s --check-prefix=NONE
// RUN: tile-opt %s -tile-expand-blocks | FileCheck %s --check-prefix=NONE

// Loads keep the block beside pointers and mask where hardware takes maps that kernels make.
// NONE-NOT: tile.block
// NONE-NOT: block %

// CHECK-LABEL: func.func @whole
// CHECK-SAME: %[[BASE:[^:]*]]: !tile.ptr<f16>, %[[N:[^:]*]]: i64, %[[K:[^:]*]]: i64, %[[I:[^:]*]]: i32, %[[J:[^:]*]]: i32
// CHECK: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-COUNT-1: %[[BLOCK:.*]] = tile.block %[[BASE]] sizes[%[[N]], %[[K]]] strides[%[[K]], %[[ONE]]] offsets[%[[I]], %[[J]]] : <8x16xf16>
// CHECK-NOT: tile.block
// CHECK: tile.load %[[P:.*]] mask %[[M:.*]] block %[[BLOCK]] : !tile.block<8x16xf16> : tensor<8x16x!tile.ptr<f16>>
// CHECK: tile.load %[[P]] mask %[[M]] block %[[BLOCK]] : !tile.block<8x16xf16> cache = cg
func.func @whole(%base: !tile.ptr<f16>, %n: i64, %k: i64, %i: i32, %j: i32) -> (tensor<8x16xf16>, tensor<8x16xf16>) attributes {tile.kernel} {
  %one = arith.constant 1 : i64
  %p, %inside = tile.block_pointers %base sizes [%n, %k] strides [%k, %one] offsets [%i, %j] guard [0, 1] mappable : tensor<8x16x!tile.ptr<f16>>
  %x = tile.load %p mask %inside : tensor<8x16x!tile.ptr<f16>>
  %y = tile.load %p mask %inside cache = cg : tensor<8x16x!tile.ptr<f16>>
  return %x, %y : tensor<8x16xf16>, tensor<8x16xf16>
}

// Block pointers may have any strides.
// CHECK-LABEL: func.func @anyStrides
// CHECK-NOT: tile.block
// CHECK: tile.load %{{[^ ]*}} mask %{{[^ ]*}} :
func.func @anyStrides(%base: !tile.ptr<f16>, %n: i64, %i: i32) -> tensor<8x16xf16> attributes {tile.kernel} {
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] guard [0, 1] : tensor<8x16x!tile.ptr<f16>>
  %x = tile.load %p mask %inside : tensor<8x16x!tile.ptr<f16>>
  return %x : tensor<8x16xf16>
}

// Hardware compares every axis.
// CHECK-LABEL: func.func @oneAxis
// CHECK-NOT: tile.block
// CHECK: tile.load %{{[^ ]*}} mask %{{[^ ]*}} :
func.func @oneAxis(%base: !tile.ptr<f16>, %n: i64, %i: i32) -> tensor<8x16xf16> attributes {tile.kernel} {
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] guard [1] mappable : tensor<8x16x!tile.ptr<f16>>
  %x = tile.load %p mask %inside : tensor<8x16x!tile.ptr<f16>>
  return %x : tensor<8x16xf16>
}

// CHECK-LABEL: func.func @rows
// CHECK-NOT: tile.block
// CHECK: tile.load %{{[^ ]*}} mask %{{[^ ]*}} :
func.func @rows(%base: !tile.ptr<f16>, %n: i64, %i: i32, %rows: tensor<8xi32>) -> tensor<8x16xf16> attributes {tile.kernel} {
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] rows %rows : tensor<8xi32> guard [0, 1] mappable : tensor<8x16x!tile.ptr<f16>>
  %x = tile.load %p mask %inside : tensor<8x16x!tile.ptr<f16>>
  return %x : tensor<8x16xf16>
}

// A load of other elements than those inside, and what is no load.
// CHECK-LABEL: func.func @otherMask
// CHECK-NOT: tile.block
// CHECK: tile.load %{{[^ ]*}} mask %{{[^ ]*}} :
// CHECK-NEXT: tile.load %{{[^ ]*}} :
// CHECK-NEXT: tile.store
func.func @otherMask(%base: !tile.ptr<f16>, %n: i64, %i: i32, %m: tensor<8x16xi1>) -> tensor<8x16xf16> attributes {tile.kernel} {
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] guard [0, 1] mappable : tensor<8x16x!tile.ptr<f16>>
  %x = tile.load %p mask %m : tensor<8x16x!tile.ptr<f16>>
  %y = tile.load %p : tensor<8x16x!tile.ptr<f16>>
  tile.store %p, %y mask %inside : tensor<8x16x!tile.ptr<f16>>
  return %x : tensor<8x16xf16>
}

// Who uses the block asks what is to stand for elements outside.
// CHECK-LABEL: func.func @replaced
// CHECK: tile.load %{{[^ ]*}} mask %{{[^ ]*}} other %{{[^ ]*}} block %{{[^ ]*}} :
func.func @replaced(%base: !tile.ptr<f16>, %n: i64, %i: i32, %other: tensor<8x16xf16>) -> tensor<8x16xf16> attributes {tile.kernel} {
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] guard [0, 1] mappable : tensor<8x16x!tile.ptr<f16>>
  %x = tile.load %p mask %inside other %other : tensor<8x16x!tile.ptr<f16>>
  return %x : tensor<8x16xf16>
}

// Stores keep it where launches make maps.
// CHECK-LABEL: func.func @stored
// CHECK: %[[BLOCK:.*]] = tile.block
// CHECK: tile.store %{{[^ ]*}}, %{{[^ ]*}} mask %{{[^ ]*}} block %[[BLOCK]] : !tile.block<8x16xf16> : tensor<8x16x!tile.ptr<f16>>
// CHECK: tile.store %{{[^ ]*}}, %{{[^ ]*}} mask %{{[^ ]*}} : tensor<8x16x!tile.ptr<f16>>
func.func @stored(%base: !tile.ptr<f16>, %n: i64, %i: i32, %x: tensor<8x16xf16>, %other: tensor<8x16xi1>) attributes {tile.kernel, tile.tensor_maps = "launcher"} {
  %one = arith.constant 1 : i64
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %one] offsets [%i, %i] guard [0, 1] mappable : tensor<8x16x!tile.ptr<f16>>
  tile.store %p, %x mask %inside : tensor<8x16x!tile.ptr<f16>>
  tile.store %p, %x mask %other : tensor<8x16x!tile.ptr<f16>>
  return
}

// CHECK-LABEL: func.func @storedByKernel
// CHECK-NOT: tile.block
// CHECK: tile.store %{{[^ ]*}}, %{{[^ ]*}} mask %{{[^ ]*}} : tensor<8x16x!tile.ptr<f16>>
func.func @storedByKernel(%base: !tile.ptr<f16>, %n: i64, %i: i32, %x: tensor<8x16xf16>) attributes {tile.kernel, tile.tensor_maps = "kernel"} {
  %one = arith.constant 1 : i64
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %one] offsets [%i, %i] guard [0, 1] mappable : tensor<8x16x!tile.ptr<f16>>
  tile.store %p, %x mask %inside : tensor<8x16x!tile.ptr<f16>>
  return
}
