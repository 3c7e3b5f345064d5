// RUN: tile-opt %s -verify-roundtrip | tile-opt | FileCheck %s
// RUN: tile-opt %s -mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s -emit-bytecode | tile-opt | FileCheck %s

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>
#halves = #tile.shared<[1, 2, 4, 8, 16, 32, 72]>

// CHECK-DAG: #[[LINES:.*]] = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

// CHECK-LABEL: func.func private @types
// CHECK-SAME: !tile.block<8x16xf32>, !tile.block<1x64xi8>, !tile.map_place, !tile.tensor_map<8x16xf32, #[[LINES]]>
func.func private @types(!tile.block<8x16xf32>, !tile.block<1x64xi8>, !tile.map_place, !tile.tensor_map<8x16xf32, #lines>)

// CHECK-LABEL: func.func @mappable
// CHECK: tile.block_pointers %{{.*}} guard [0, 1] mappable : tensor<8x16x!tile.ptr<f32>>
func.func @mappable(%base: !tile.ptr<f32>, %n: i64, %i: i32) -> tensor<8x16x!tile.ptr<f32>> {
  %p, %inside = tile.block_pointers %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] guard [0, 1] mappable : tensor<8x16x!tile.ptr<f32>>
  return %p : tensor<8x16x!tile.ptr<f32>>
}

// A load may have the block in another shape.
// CHECK-LABEL: func.func @load
// CHECK: %[[BLOCK:.*]] = tile.block %{{.*}} sizes[%{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}] offsets[%{{.*}}, %{{.*}}] : <8x16xf32>
// CHECK: tile.load %{{.*}} mask %{{.*}} block %[[BLOCK]] : !tile.block<8x16xf32> : tensor<8x16x!tile.ptr<f32>>
// CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} block %[[BLOCK]] : !tile.block<8x16xf32> cache = cg evict = last : tensor<128x!tile.ptr<f32>>
func.func @load(%base: !tile.ptr<f32>, %n: i64, %i: i32, %p: tensor<8x16x!tile.ptr<f32>>, %m: tensor<8x16xi1>,
                %flat: tensor<128x!tile.ptr<f32>>, %flatMask: tensor<128xi1>, %zeros: tensor<128xf32>) -> (tensor<8x16xf32>, tensor<128xf32>) {
  %block = tile.block %base sizes [%n, %n] strides [%n, %n] offsets [%i, %i] : !tile.block<8x16xf32>
  %x = tile.load %p mask %m block %block : !tile.block<8x16xf32> : tensor<8x16x!tile.ptr<f32>>
  %y = tile.load %flat mask %flatMask other %zeros block %block : !tile.block<8x16xf32> cache = cg evict = last : tensor<128x!tile.ptr<f32>>
  return %x, %y : tensor<8x16xf32>, tensor<128xf32>
}

// CHECK-LABEL: func.func @copies
// CHECK: %[[SCRATCH:.*]] = tile.alloc_buffer
// CHECK: %[[PLACE:.*]], %[[MAPS:.*]]:2 = tile.make_tensor_maps %{{.*}}, %{{.*}} : !tile.ptr<f32>, !tile.ptr<f16> sizes[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] strides[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] through %[[SCRATCH]] : <256xi8, #{{.*}}> -> !tile.tensor_map<8x16xf32, #[[LINES]]>, !tile.tensor_map<1x8x16xf16, #{{.*}}>
// CHECK: tile.prefetch_tensor_map %[[MAPS]]#1 : <1x8x16xf16, #{{.*}}>
// CHECK: tile.bulk_copy %[[MAPS]]#0[%{{.*}}, %{{.*}}] into %[[SLOTS:.*]][%[[SLOT:.*]]] arrive %[[FULL:.*]][%[[SLOT]]] : <8x16xf32, #[[LINES]]>, <8x16xf32, #[[LINES]], slots = 2>
// CHECK: tile.bulk_copy %[[MAPS]]#0[%{{.*}}, %{{.*}}] into %[[SLOTS]][%[[SLOT]]] : <8x16xf32
// CHECK: tile.bulk_copy %[[MAPS]]#0[%{{.*}}, %{{.*}}] into %{{.*}} arrive %{{[^ []*}} : <8x16xf32
// CHECK: tile.reset_mbarrier %[[FULL]]
// CHECK: tile.async_fence{{$}}
// CHECK-NEXT: tile.async_fence arrays
// CHECK: tile.release_tensor_maps %[[PLACE]]
func.func @copies(%a: !tile.ptr<f32>, %b: !tile.ptr<f16>, %n: i64, %i: i32, %slot: i32) {
  %full = tile.alloc_mbarrier slots 2 arrivals 1
  %once = tile.alloc_mbarrier arrivals 1
  %scratch = tile.alloc_buffer : !tile.buffer<256xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>>
  %slots = tile.alloc_buffer : !tile.buffer<8x16xf32, #lines, slots = 2>
  %one = tile.alloc_buffer : !tile.buffer<8x16xf32, #lines>
  %place, %maps:2 = tile.make_tensor_maps %a, %b : !tile.ptr<f32>, !tile.ptr<f16> sizes [%n, %n, %n, %n, %n] strides [%n, %n, %n, %n, %n]
    through %scratch : !tile.buffer<256xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>>
    -> !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<1x8x16xf16, #halves>
  tile.prefetch_tensor_map %maps#1 : !tile.tensor_map<1x8x16xf16, #halves>
  tile.bulk_copy %maps#0[%i, %i] into %slots[%slot] arrive %full[%slot] : !tile.tensor_map<8x16xf32, #lines>, !tile.buffer<8x16xf32, #lines, slots = 2>
  tile.bulk_copy %maps#0[%i, %i] into %slots[%slot] : !tile.tensor_map<8x16xf32, #lines>, !tile.buffer<8x16xf32, #lines, slots = 2>
  tile.bulk_copy %maps#0[%i, %i] into %one arrive %once : !tile.tensor_map<8x16xf32, #lines>, !tile.buffer<8x16xf32, #lines>
  tile.reset_mbarrier %full
  tile.async_fence
  tile.async_fence arrays
  tile.release_tensor_maps %place
  return
}

// CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} block %{{.*}} : !tile.block<8x16xf32> cache = cs : tensor<8x16x!tile.ptr<f32>>
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer
// CHECK: tile.bulk_store %[[BUFFER]] into %{{.*}}[%{{.*}}, %{{.*}}] : <8x16xf32, #shared>, <8x16xf32, #shared>
// CHECK-NEXT: tile.bulk_store_wait %[[BUFFER]] : <8x16xf32, #shared>
// CHECK-NEXT: tile.bulk_store_wait %[[BUFFER]] written : <8x16xf32, #shared>
func.func @stores(%map: !tile.tensor_map<8x16xf32, #lines>, %i: i32, %ptrs: tensor<8x16x!tile.ptr<f32>>, %values: tensor<8x16xf32>,
                  %mask: tensor<8x16xi1>, %block: !tile.block<8x16xf32>) {
  tile.store %ptrs, %values mask %mask block %block : !tile.block<8x16xf32> cache = cs : tensor<8x16x!tile.ptr<f32>>
  %buffer = tile.alloc_buffer : !tile.buffer<8x16xf32, #lines>
  tile.bulk_store %buffer into %map[%i, %i] : !tile.buffer<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>
  tile.bulk_store_wait %buffer : !tile.buffer<8x16xf32, #lines>
  tile.bulk_store_wait %buffer written : !tile.buffer<8x16xf32, #lines>
  return
}
