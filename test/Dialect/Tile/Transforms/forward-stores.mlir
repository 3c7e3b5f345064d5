// RUN: tile-opt %s -tile-forward-stores | FileCheck %s

// What was stored by the same pointers is at hand.
// CHECK-LABEL: func.func @again
// CHECK-SAME: %[[P:[^:]*]]: tensor<64x!tile.ptr<f32>>, %[[X:[^:]*]]: tensor<64xf32>
// CHECK: tile.store %[[P]], %[[X]]
// CHECK-NOT: tile.load
// CHECK: return %[[X]]
func.func @again(%p: tensor<64x!tile.ptr<f32>>, %x: tensor<64xf32>) -> tensor<64xf32> {
  tile.store %p, %x : tensor<64x!tile.ptr<f32>>
  %y = tile.load %p : tensor<64x!tile.ptr<f32>>
  return %y : tensor<64xf32>
}

// Under one mask, too; elsewhere stands the load's other value. A number is as good as a tile.
// CHECK-LABEL: func.func @masked
// CHECK-SAME: %[[X:[^:]*]]: tensor<64xf32>, %[[M:[^:]*]]: tensor<64xi1>, %[[O:[^:]*]]: tensor<64xf32>
// CHECK: tile.store
// CHECK: %[[Y:.*]] = arith.select %[[M]], %[[X]], %[[O]]
// CHECK: return %[[Y]], %[[X]]
func.func @masked(%p: tensor<64x!tile.ptr<f32>>, %x: tensor<64xf32>, %m: tensor<64xi1>, %o: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  tile.store %p, %x mask %m : tensor<64x!tile.ptr<f32>>
  %y = tile.load %p mask %m other %o : tensor<64x!tile.ptr<f32>>
  %z = tile.load %p mask %m : tensor<64x!tile.ptr<f32>>
  return %y, %z : tensor<64xf32>, tensor<64xf32>
}

// CHECK-LABEL: func.func @scalar
// CHECK-SAME: %[[P:[^:]*]]: !tile.ptr<i32>, %[[X:[^:]*]]: i32
// CHECK: return %[[X]]
func.func @scalar(%p: !tile.ptr<i32>, %x: i32) -> i32 {
  tile.store %p, %x : !tile.ptr<i32>
  %y = tile.load %p : !tile.ptr<i32>
  return %y : i32
}

// Other pointers, other masks, and loads that ask memory itself.
// CHECK-LABEL: func.func @different
// CHECK-COUNT-3: tile.load
func.func @different(%p: tensor<64x!tile.ptr<f32>>, %q: tensor<64x!tile.ptr<f32>>, %x: tensor<64xf32>, %m: tensor<64xi1>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  tile.store %p, %x mask %m : tensor<64x!tile.ptr<f32>>
  %a = tile.load %p : tensor<64x!tile.ptr<f32>>
  %b = tile.load %q mask %m : tensor<64x!tile.ptr<f32>>
  %c = tile.load %p mask %m volatile : tensor<64x!tile.ptr<f32>>
  return %a, %b, %c : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// Something may have written between: a store by other pointers, a barrier behind which others have, a loop.
// CHECK-LABEL: func.func @overwritten
// CHECK-COUNT-3: tile.load
func.func @overwritten(%p: tensor<64x!tile.ptr<f32>>, %q: tensor<64x!tile.ptr<f32>>, %x: tensor<64xf32>, %n: i32) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tile.store %p, %x : tensor<64x!tile.ptr<f32>>
  tile.store %q, %x : tensor<64x!tile.ptr<f32>>
  %a = tile.load %p : tensor<64x!tile.ptr<f32>>
  tile.store %p, %a : tensor<64x!tile.ptr<f32>>
  tile.barrier
  %b = tile.load %p : tensor<64x!tile.ptr<f32>>
  tile.store %p, %b : tensor<64x!tile.ptr<f32>>
  scf.for %i = %zero to %n step %one : i32 {
    tile.store %q, %b : tensor<64x!tile.ptr<f32>>
  }
  %c = tile.load %p : tensor<64x!tile.ptr<f32>>
  return %a, %b, %c : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
