// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-expand-blocks -canonicalize -cse -tile-assign-layouts -cse -loop-invariant-code-motion -tile-pipeline-loads -canonicalize -cse | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-expand-blocks -canonicalize -cse -tile-assign-layouts -cse -loop-invariant-code-motion -tile-pipeline-loads | FileCheck %s --check-prefix=NONE
// NONE-NOT: tile.bulk_copy

// Hardware copies blocks whose slots boxes fill. The maps are made, and the barrier is, before the loop; what threads wrote
// before comes first. In an empty tensor, whose size is one in the map, blocks are moved to where nothing is.
// CHECK-LABEL: func.func @simple
// CHECK-SAME: %[[A:[^:]*]]: !tile.ptr<f16> {{{.*}}}, %[[B:[^:]*]]: !tile.ptr<f16> {{{.*}}}, %{{[^:]*}}: !tile.ptr<f32>, %[[M:[^:]*]]: i64, %[[K:[^:]*]]: i64 {{{.*}}}, %[[N:[^:]*]]: i32, %[[ROW:[^:]*]]: i32
// CHECK: %[[LANDED:.*]] = tile.alloc_mbarrier slots 4 arrivals 2
// CHECK: %[[ROWS:.*]] = arith.maxsi %[[M]], %c1_i64
// CHECK: %[[DEPTH:.*]] = arith.maxsi %[[K]], %c1_i64
// CHECK: %[[SCRATCH:.*]] = tile.alloc_buffer : <256xi8
// CHECK: %[[PLACE:.*]], %[[MAPS:.*]]:2 = tile.make_tensor_maps %[[A]], %[[B]] : !tile.ptr<f16>, !tile.ptr<f16> sizes[%[[ROWS]], %[[DEPTH]], %[[DEPTH]], %[[DEPTH]]] strides[%[[K]], %c1_i64, %[[K]], %c1_i64] through %[[SCRATCH]]
// CHECK-NEXT: tile.async_fence
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: %[[LEFT:.*]] = tile.alloc_buffer : <64x64xf16, #{{.*}}, slots = 4>
// CHECK-NEXT: %[[RIGHT:.*]] = tile.alloc_buffer : <64x64xf16, #{{.*}}, slots = 4>
// CHECK-NOT: tile.load
// CHECK-NOT: tile.block
// CHECK: scf.if
// CHECK-DAG: %[[NOROWS:.*]] = arith.cmpi sle, %[[M]], %c0_i64
// CHECK-DAG: %[[NODEPTH:.*]] = arith.cmpi sle, %[[K]], %c0_i64
// CHECK: %[[EMPTY:.*]] = arith.ori %[[NOROWS]], %[[NODEPTH]]
// CHECK: %[[FIRST:.*]] = arith.select %[[EMPTY]], %c-1073741824_i32, %[[ROW]]
// CHECK: tile.bulk_copy %[[MAPS]]#0[%[[FIRST]], %c0_i32] into %[[LEFT]][%c0_i32] arrive %[[LANDED]][%c0_i32]
// CHECK: tile.bulk_copy %[[MAPS]]#1[%{{.*}}, %c0_i32] into %[[RIGHT]][%c0_i32] arrive %[[LANDED]][%c0_i32]
// CHECK: }
// CHECK-NOT: tile.async
// CHECK: scf.for {{.*}} iter_args(%{{[^ ]*}} = %{{[^ ]*}}, %[[PARITY:[^ ]*]] = %c0_i32, %[[SLOT:[^ ]*]] = %c0_i32)
// CHECK: tile.mbarrier_wait %[[LANDED]][%[[SLOT]]], %[[PARITY]]
// CHECK: %[[FREE:.*]] = arith.select
// CHECK: scf.if
// CHECK: tile.bulk_copy %[[MAPS]]#0[%{{.*}}, %{{.*}}] into %[[LEFT]][%[[FREE]]] arrive %[[LANDED]][%[[FREE]]]
// CHECK: tile.bulk_copy %[[MAPS]]#1[%{{.*}}, %c0_i32] into %[[RIGHT]][%[[FREE]]] arrive %[[LANDED]][%[[FREE]]]
// CHECK-NEXT: }
// CHECK: tile.buffer_load %[[LEFT]][%[[SLOT]]]
// CHECK: tile.buffer_load %[[RIGHT]][%[[SLOT]]]
// CHECK: tile.dot
// CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[SLOT]], %c3_i32
// CHECK: %[[CHANGE:.*]] = arith.extui %[[WRAPS]]
// CHECK: %[[NEXT:.*]] = arith.xori %[[PARITY]], %[[CHANGE]]
// CHECK: scf.yield %{{.*}}, %[[NEXT]], %{{.*}}
// CHECK-NEXT: }
// CHECK-NEXT: tile.release_tensor_maps %[[PLACE]]
// CHECK-NOT: tile.async
func.func @simple(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i64,
                 %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
    %q, %qIn = tile.block_pointers %b sizes [%k, %k] strides [%k, %one] offsets [%i, %zero] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %right = tile.load %q mask %qIn : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// The other factor is no block of a tensor that hardware takes: threads copy it, and are waited for as they were.
// CHECK-LABEL: func.func @beside
// CHECK: tile.alloc_mbarrier slots 4 arrivals 1
// CHECK: %{{.*}}, %[[MAP:.*]] = tile.make_tensor_maps
// CHECK: tile.bulk_copy %[[MAP]]
// CHECK: tile.buffer_copy
// CHECK-NEXT: }
// CHECK-NEXT: tile.async_commit
// CHECK: scf.for
// CHECK: tile.async_wait 1
// CHECK-NEXT: tile.mbarrier_wait
// CHECK: tile.bulk_copy %[[MAP]]
// CHECK: tile.buffer_copy
// CHECK: tile.async_commit
// CHECK: tile.dot
// CHECK: tile.release_tensor_maps
func.func @beside(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i64,
                 %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
    %q, %qIn = tile.block_pointers %b sizes [%k, %k] strides [%k, %one] offsets [%i, %zero] guard [0, 1] : tensor<64x64x!tile.ptr<f16>>
    %right = tile.load %q mask %qIn : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// In another loop the barrier starts anew; the maps are made once.
// CHECK-LABEL: func.func @nested
// CHECK: %[[LANDED:.*]] = tile.alloc_mbarrier slots 4 arrivals 2
// CHECK: %[[PLACE:.*]], %[[MAPS:.*]]:2 = tile.make_tensor_maps
// CHECK: scf.for
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.reset_mbarrier %[[LANDED]]
// CHECK-NEXT: tile.async_fence
// CHECK-NEXT: tile.barrier
// CHECK: tile.bulk_copy
// CHECK: scf.for
// CHECK: tile.mbarrier_wait %[[LANDED]]
// CHECK: tile.bulk_copy
// CHECK: tile.dot
// CHECK-NOT: tile.release_tensor_maps
// CHECK: scf.yield %{{[0-9]+}}#0 : tensor
// CHECK-NEXT: }
// CHECK-NEXT: tile.release_tensor_maps %[[PLACE]]
func.func @nested(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i64,
                 %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %tile = %zero to %row step %step iter_args(%old = %zeros) -> (tensor<64x64xf32>) : i32 {
    %part = scf.for %i = %zero to %n step %step iter_args(%acc = %old) -> (tensor<64x64xf32>) : i32 {
      %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%tile, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
      %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
      %q, %qIn = tile.block_pointers %b sizes [%k, %k] strides [%k, %one] offsets [%i, %zero] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
      %right = tile.load %q mask %qIn : tensor<64x64x!tile.ptr<f16>>
      %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    scf.yield %part : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// A tensor that begins elsewhere in each iteration would need as many maps.
// CHECK-LABEL: func.func @changed
// CHECK: tile.make_tensor_maps %{{.*}} : !tile.ptr<f16> sizes
// CHECK: tile.buffer_copy
// CHECK: tile.bulk_copy
// CHECK: scf.for
func.func @changed(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i64,
                 %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %a2 = tile.addptr %a, %i : !tile.ptr<f16>, i32
    %p, %pIn = tile.block_pointers %a2 sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
    %q, %qIn = tile.block_pointers %b sizes [%k, %k] strides [%k, %one] offsets [%i, %zero] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %right = tile.load %q mask %qIn : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// One that the loop around changes gets its map there.
// CHECK-LABEL: func.func @between
// CHECK-NOT: tile.make_tensor_maps
// CHECK: scf.for
// CHECK: %[[PLACE:.*]], %{{.*}} = tile.make_tensor_maps
// CHECK: tile.reset_mbarrier
// CHECK: scf.for
// CHECK: scf.yield {{.*}} : tensor<64x64xf32, #{{.*}}>, i32, i32
// CHECK-NEXT: }
// CHECK-NEXT: tile.release_tensor_maps %[[PLACE]]
// CHECK-NEXT: scf.yield
func.func @between(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i64,
                 %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %tile = %zero to %row step %step iter_args(%old = %zeros) -> (tensor<64x64xf32>) : i32 {
    %size = arith.extsi %tile : i32 to i64
    %part = scf.for %i = %zero to %n step %step iter_args(%acc = %old) -> (tensor<64x64xf32>) : i32 {
      %p, %pIn = tile.block_pointers %a sizes [%size, %k] strides [%k, %one] offsets [%tile, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
      %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
      %q, %qIn = tile.block_pointers %b sizes [%k, %k] strides [%k, %one] offsets [%i, %zero] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
      %right = tile.load %q mask %qIn : tensor<64x64x!tile.ptr<f16>>
      %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    scf.yield %part : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Hardware fills up with zeros: anything else outside of the tensor is put in by threads.
// CHECK-LABEL: func.func @nans
// CHECK: tile.make_tensor_maps %{{.*}} : !tile.ptr<f16> sizes
// CHECK: tile.buffer_copy
// CHECK: tile.bulk_copy
// CHECK: tile.buffer_load %{{.*}} mask %{{.*}} previous
func.func @nans(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i64,
                 %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %nans = arith.constant dense<0x7E00> : tensor<64x64xf16>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %left = tile.load %p mask %pIn other %nans : tensor<64x64x!tile.ptr<f16>>
    %q, %qIn = tile.block_pointers %b sizes [%k, %k] strides [%k, %one] offsets [%i, %zero] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %right = tile.load %q mask %qIn : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Others may read the slots too.
// CHECK-LABEL: func.func @summed
// CHECK: tile.make_tensor_maps
// CHECK: %[[SLOTS:.*]] = tile.alloc_buffer : <64x64xf16, #{{.*}}, slots
// CHECK: scf.for
// CHECK: %[[LEFT:.*]] = tile.buffer_load %[[SLOTS]]
// CHECK: tile.dot %[[LEFT]],
// CHECK: arith.extf %[[LEFT]]
func.func @summed(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i64,
                 %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x64xf32>) : i32 {
    %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %left = tile.load %p mask %pIn : tensor<64x64x!tile.ptr<f16>>
    %q, %qIn = tile.block_pointers %b sizes [%k, %k] strides [%k, %one] offsets [%i, %zero] guard [0, 1] mappable : tensor<64x64x!tile.ptr<f16>>
    %right = tile.load %q mask %qIn : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %wide = arith.extf %left : tensor<64x64xf16> to tensor<64x64xf32>
    %both = arith.addf %next, %wide : tensor<64x64xf32>
    scf.yield %both : tensor<64x64xf32>
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Lines of 16 bytes are not swizzled, and boxes of such lines do not fill the slot.
// CHECK-LABEL: func.func @narrow
// CHECK: tile.make_tensor_maps %{{.*}} : !tile.ptr<i8> sizes
// CHECK: tile.bulk_copy %{{.*}} : <64x32xi8
// CHECK: tile.buffer_copy %{{.*}} : tensor<32x16x!tile.ptr<i8>
func.func @narrow(%a: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %b: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %c: !tile.ptr<i32>, %m: i64,
                  %k: i64 {tile.divisibility = 16 : i32}, %n: i32, %row: i32)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %zeros = arith.constant dense<0> : tensor<64x16xi32>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<64x16xi32>) : i32 {
    %p, %pIn = tile.block_pointers %a sizes [%m, %k] strides [%k, %one] offsets [%row, %i] guard [0, 1] mappable : tensor<64x32x!tile.ptr<i8>>
    %left = tile.load %p mask %pIn : tensor<64x32x!tile.ptr<i8>>
    %q, %qIn = tile.block_pointers %b sizes [%k, %k] strides [%k, %one] offsets [%i, %zero] guard [0, 1] mappable : tensor<32x16x!tile.ptr<i8>>
    %right = tile.load %q mask %qIn : tensor<32x16x!tile.ptr<i8>>
    %next = tile.dot %left, %right, %acc : tensor<64x32xi8>, tensor<32x16xi8> -> tensor<64x16xi32>
    scf.yield %next : tensor<64x16xi32>
  }
  %out = tile.splat %c : !tile.ptr<i32> -> tensor<64x16x!tile.ptr<i32>>
  tile.store %out, %sum : tensor<64x16x!tile.ptr<i32>>
  return
}
