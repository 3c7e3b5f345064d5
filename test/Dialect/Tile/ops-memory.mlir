// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @pointers
func.func @pointers(%ptr: !tile.ptr<f32>, %ptrs: tensor<4x8x!tile.ptr<f16>>, %one: i32,
                    %many: tensor<4x8xi64>, %small: i8, %address: i64) {
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : !tile.ptr<f32>, i32
  %0 = tile.addptr %ptr, %one : !tile.ptr<f32>, i32
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : !tile.ptr<f32>, i8
  %1 = tile.addptr %ptr, %small : !tile.ptr<f32>, i8
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : tensor<4x8x!tile.ptr<f16>>, tensor<4x8xi64>
  %2 = tile.addptr %ptrs, %many : tensor<4x8x!tile.ptr<f16>>, tensor<4x8xi64>
  // CHECK: tile.ptr_to_int %{{.*}} : !tile.ptr<f32> -> i64
  %3 = tile.ptr_to_int %ptr : !tile.ptr<f32> -> i64
  // CHECK: tile.ptr_to_int %{{.*}} : tensor<4x8x!tile.ptr<f16>> -> tensor<4x8xi64>
  %4 = tile.ptr_to_int %ptrs : tensor<4x8x!tile.ptr<f16>> -> tensor<4x8xi64>
  // CHECK: tile.int_to_ptr %{{.*}} : i64 -> !tile.ptr<!tile.ptr<i8>>
  %5 = tile.int_to_ptr %address : i64 -> !tile.ptr<!tile.ptr<i8>>
  // CHECK: tile.int_to_ptr %{{.*}} : tensor<4x8xi64> -> tensor<4x8x!tile.ptr<f64>>
  %6 = tile.int_to_ptr %many : tensor<4x8xi64> -> tensor<4x8x!tile.ptr<f64>>
  // CHECK: tile.ptr_cast %{{.*}} : !tile.ptr<f32> -> !tile.ptr<i8>
  %7 = tile.ptr_cast %ptr : !tile.ptr<f32> -> !tile.ptr<i8>
  // CHECK: tile.ptr_cast %{{.*}} : tensor<4x8x!tile.ptr<f16>> -> tensor<4x8x!tile.ptr<bf16>>
  %8 = tile.ptr_cast %ptrs : tensor<4x8x!tile.ptr<f16>> -> tensor<4x8x!tile.ptr<bf16>>
  // CHECK: tile.promise %{{.*}} divisibility [16] contiguity [1] constancy [1] : !tile.ptr<f32>
  %known = tile.promise %ptr divisibility [16] contiguity [1] constancy [1] : !tile.ptr<f32>
  // CHECK: tile.promise %{{.*}} divisibility [1, 16] contiguity [1, 8] constancy [4, 1] : tensor<4x8x!tile.ptr<f16>>
  %allKnown = tile.promise %ptrs divisibility [1, 16] contiguity [1, 8] constancy [4, 1] : tensor<4x8x!tile.ptr<f16>>
  return
}

// CHECK-LABEL: func.func @loads
func.func @loads(%ptr: !tile.ptr<f32>, %on: i1, %value: f32, %ptrs: tensor<8x!tile.ptr<f32>>,
                 %mask: tensor<8xi1>, %other: tensor<8xf32>, %table: !tile.ptr<!tile.ptr<i8>>) {
  // CHECK: tile.load %{{.*}} : !tile.ptr<f32>
  %0 = tile.load %ptr : !tile.ptr<f32>
  // CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} : !tile.ptr<f32>
  %1 = tile.load %ptr mask %on other %value : !tile.ptr<f32>
  // CHECK: tile.load %{{.*}} : !tile.ptr<!tile.ptr<i8>>
  %2 = tile.load %table : !tile.ptr<!tile.ptr<i8>>
  // CHECK: tile.load %{{.*}} : tensor<8x!tile.ptr<f32>>
  %3 = tile.load %ptrs : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}} mask %{{[a-z0-9]+}} : tensor<8x!tile.ptr<f32>>
  %4 = tile.load %ptrs mask %mask : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}} mask %{{[a-z0-9]+}} other %{{[a-z0-9]+}} cache = ca evict = first volatile {hint} : tensor<8x!tile.ptr<f32>>
  %5 = tile.load %ptrs mask %mask other %other cache = ca evict = first volatile {hint} : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %{{[a-z0-9]+}} cache = cg : tensor<8x!tile.ptr<f32>>
  %6 = tile.load %ptrs cache = cg : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %{{[a-z0-9]+}} cache = cv evict = last : tensor<8x!tile.ptr<f32>>
  %7 = tile.load %ptrs cache = cv evict = last : tensor<8x!tile.ptr<f32>>
  // Defaults are not printed.
  // CHECK: tile.load %{{[a-z0-9]+}} : tensor<8x!tile.ptr<f32>>
  %8 = tile.load %ptrs cache = none evict = normal : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %{{[a-z0-9]+}} volatile : tensor<8x!tile.ptr<f32>>
  %9 = tile.load %ptrs volatile : tensor<8x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: func.func @stores
func.func @stores(%ptr: !tile.ptr<f32>, %on: i1, %value: f32, %ptrs: tensor<8x!tile.ptr<f32>>,
                  %mask: tensor<8xi1>, %values: tensor<8xf32>) {
  // CHECK: tile.store %{{.*}}, %{{[a-z0-9]+}} : !tile.ptr<f32>
  tile.store %ptr, %value : !tile.ptr<f32>
  // CHECK: tile.store %{{.*}}, %{{[a-z0-9]+}} mask %{{[a-z0-9]+}} : !tile.ptr<f32>
  tile.store %ptr, %value mask %on : !tile.ptr<f32>
  // CHECK: tile.store %{{.*}}, %{{[a-z0-9]+}} : tensor<8x!tile.ptr<f32>>
  tile.store %ptrs, %values : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{[a-z0-9]+}} mask %{{[a-z0-9]+}} cache = wb evict = first : tensor<8x!tile.ptr<f32>>
  tile.store %ptrs, %values mask %mask cache = wb evict = first : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{[a-z0-9]+}} cache = cg : tensor<8x!tile.ptr<f32>>
  tile.store %ptrs, %values cache = cg : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{[a-z0-9]+}} cache = cs evict = last : tensor<8x!tile.ptr<f32>>
  tile.store %ptrs, %values cache = cs evict = last : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{[a-z0-9]+}} cache = wt {hint} : tensor<8x!tile.ptr<f32>>
  tile.store %ptrs, %values cache = wt {hint} : tensor<8x!tile.ptr<f32>>
  return
}
