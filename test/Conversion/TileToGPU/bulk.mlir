// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>
#halves = #tile.shared<[1, 2, 4, 8, 16, 32, 72]>
#long = #tile.shared<[1, 2, 4, 8, 16, 32, 512, 72, 144, 288]>
!map = !tile.tensor_map<8x16xf32, #lines>
!scratch = !tile.buffer<128xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>
!scratch2 = !tile.buffer<256xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>>

// Memory for each multiprocessor's CTAs, with a line of 128 bytes before the maps of each.
// CHECK-DAG: llvm.mlir.global internal @__tilec_maps_2(dense<0> : tensor<3145728xi8>) {addr_space = 1 : i32, alignment = 128 : i64}
// CHECK-DAG: llvm.mlir.global internal @__tilec_maps_1(dense<0> : tensor<3145728xi8>) {addr_space = 1 : i32, alignment = 128 : i64}
// CHECK-DAG: llvm.mlir.global internal @__tilec_maps_0(dense<0> : tensor<2097152xi8>) {addr_space = 1 : i32, alignment = 128 : i64}
// Boxes lie where the address says how they are swizzled.
// CHECK-DAG: llvm.mlir.global internal @__tilec_shared_copies() {addr_space = 3 : i32, alignment = 1024 : i64}

// The first warp claims a place, composes the map in shared memory meanwhile, and publishes it there.
// CHECK-LABEL: func.func @one
// CHECK-SAME: %[[P:[^:]*]]: !llvm.ptr<1>, %[[N:[^:]*]]: i64, %[[S:[^:]*]]: i64
// CHECK-DAG: %[[MAPS:.*]] = llvm.mlir.addressof @__tilec_maps_0
// CHECK-DAG: %[[SCRATCH:.*]] = llvm.getelementptr %{{.*}}[1024]
// CHECK-DAG: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[WARP:.*]] = arith.cmpi ult, %[[THREAD]], %c32_i32
// CHECK: %[[PLACE:.*]] = scf.if %[[WARP]]
// What hardware would misread stops the kernel. The stride of an axis with one element does not count.
// CHECK-NEXT: %[[ADDRESS:.*]] = llvm.ptrtoint %[[P]]
// CHECK-NEXT: %[[LOW:.*]] = arith.andi %[[ADDRESS]], %c15_i64
// CHECK: arith.shrui %[[N]], %c32_i64
// CHECK: %[[BYTES:.*]] = arith.muli %[[S]], %c4_i64
// CHECK-NEXT: %[[COUNTS:.*]] = arith.cmpi sgt, %[[N]], %c1_i64
// CHECK-NEXT: %[[STRIDE:.*]] = arith.select %[[COUNTS]], %[[BYTES]], %c16_i64
// CHECK-NEXT: arith.andi %[[STRIDE]], %c15_i64
// CHECK: arith.shrui %[[STRIDE]], %c40_i64
// CHECK: scf.if
// CHECK-NEXT: llvm.intr.trap
// CHECK: nvvm.read.ptx.sreg.smid
// CHECK: %[[FIRSTPLACE:.*]] = llvm.getelementptr %[[MAPS]][%{{.*}}]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD]], %c0_i32
// CHECK: %[[TRY:.*]] = scf.if %[[FIRST]]
// CHECK: llvm.atomicrmw xchg %[[FIRSTPLACE]], %c1_i32 syncscope("device") acquire
// CHECK: llvm.store %c0_i32, %{{.*}} : i32, !llvm.ptr<3>
// CHECK: %[[SIZE:.*]] = arith.trunci %[[N]] : i64 to i32
// CHECK: nvvm.bar.warp.sync
// CHECK: scf.if %[[FIRST]]
// CHECK: "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [$0], $1;", "l,l,~{memory}" %[[MAP:.*]], %[[ADDRESS]]
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.rank.shared::cta.b1024.b32 [$0], 1;", "l,~{memory}" %[[MAP]]
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [$0], 0, $1;", "l,r,~{memory}" %[[MAP]], %c16_i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [$0], 0, $1;", "l,r,~{memory}" %[[MAP]], %[[SIZE]]
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [$0], 0, $1;", "l,r,~{memory}" %[[MAP]], %c1_i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [$0], 1, $1;", "l,r,~{memory}" %[[MAP]], %c8_i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [$0], 1, $1;", "l,r,~{memory}" %[[MAP]], %[[SIZE]]
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [$0], 1, $1;", "l,r,~{memory}" %[[MAP]], %c1_i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [$0], 0, $1;", "l,l,~{memory}" %[[MAP]], %[[STRIDE]]
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [$0], 2;"
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [$0], 0;"
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [$0], 2;"
// CHECK-NEXT: llvm.inline_asm has_side_effects "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [$0], 0;"
// CHECK-NEXT: {{^ *}$}}
// CHECK-NEXT: nvvm.bar.warp.sync
// Only then is the place asked for, and others, until one is free.
// CHECK-NEXT: %[[FOUND:.*]] = scf.while (%[[FAILED:.*]] = %[[TRY]], %[[NUMBER:.*]] = %c0_i32)
// CHECK: arith.cmpi ne, %[[FAILED]], %c0_i32
// CHECK: llvm.atomicrmw xchg
// CHECK: nvvm.shfl.sync idx %{{.*}}, %[[FOUND]], %c0_i32
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[TARGET:.*]] = llvm.getelementptr %{{.*}}[128] : (!llvm.ptr<1>)
// CHECK: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;", "l,l,~{memory}" %[[TARGET]], %[[SCRATCH]]
// CHECK-NEXT: llvm.inline_asm has_side_effects "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;", "l,~{memory}" %[[TARGET]]
// CHECK: scf.yield
// It is given back by the same thread.
// CHECK: scf.if
// CHECK-NEXT: llvm.atomicrmw xchg %[[PLACE]], %c0_i32 syncscope("device") release
func.func @one(%p: !tile.ptr<f32>, %n: i64, %s: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 2048 : i32} {
  %one = arith.constant 1 : i64
  %scratch = tile.alloc_buffer at 1024 : !scratch
  %place, %map = tile.make_tensor_maps %p : !tile.ptr<f32> sizes [%n, %n] strides [%s, %one] through %scratch : !scratch -> !map
  tile.release_tensor_maps %place
  return
}
// Maps that differ in numbers alone are composed by as many threads at once.
// CHECK-LABEL: func.func @alike
// CHECK-SAME: %[[P:[^:]*]]: !llvm.ptr<1>, %[[Q:[^:]*]]: !llvm.ptr<1>
// CHECK-DAG: %[[FIRST:.*]] = arith.cmpi eq, %[[THREAD:.*]], %c0_i32
// CHECK-DAG: %[[ONE:.*]] = llvm.ptrtoint %[[P]]
// CHECK-DAG: %[[OTHER:.*]] = llvm.ptrtoint %[[Q]]
// CHECK: %[[SECOND:.*]] = arith.cmpi eq, %[[THREAD]], %c1_i32
// CHECK: %[[EITHER:.*]] = arith.ori %[[FIRST]], %[[SECOND]]
// CHECK: scf.if %[[EITHER]]
// CHECK: arith.muli %[[THREAD]], %c128_i32
// CHECK: %[[ADDRESS:.*]] = arith.select %[[SECOND]], %[[OTHER]], %[[ONE]]
// CHECK-NEXT: llvm.inline_asm {{.*}}global_address{{.*}}, %[[ADDRESS]]
// CHECK-NOT: global_address
// CHECK-COUNT-2: tensormap.cp_fenceproxy
// CHECK-COUNT-2: fence.proxy.tensormap::generic.acquire
func.func @alike(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: i64, %s: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 2048 : i32} {
  %one = arith.constant 1 : i64
  %scratch = tile.alloc_buffer at 1024 : !scratch2
  %place, %maps:2 = tile.make_tensor_maps %p, %q : !tile.ptr<f32>, !tile.ptr<f32> sizes [%n, %n, %n, %n] strides [%s, %one, %s, %one] through %scratch : !scratch2 -> !map, !map
  return
}
// Others one after the other: of another width, rank or swizzle.
// CHECK-LABEL: func.func @different
// CHECK-SAME: %[[P:[^:]*]]: !llvm.ptr<1>, %[[Q:[^:]*]]: !llvm.ptr<1>
// CHECK: scf.if %[[FIRST:.*]] {
// CHECK: tile.rank.shared::cta.b1024.b32 [$0], 1;
// CHECK: tile.elemtype.shared::cta.b1024.b32 [$0], 2;
// CHECK: tile.swizzle_mode.shared::cta.b1024.b32 [$0], 2;
// CHECK: {{^ *}$}}
// CHECK-NEXT: %[[SECOND:.*]] = arith.cmpi eq, %{{.*}}, %c1_i32
// CHECK-NEXT: scf.if %[[SECOND]] {
// CHECK: tile.rank.shared::cta.b1024.b32 [$0], 2;
// CHECK: tile.box_dim.shared::cta.b1024.b32 [$0], 2, $1;{{.*}} %c1_i32
// CHECK: tile.global_stride.shared::cta.b1024.b64 [$0], 1, $1;
// CHECK: tile.elemtype.shared::cta.b1024.b32 [$0], 1;
// CHECK: tile.swizzle_mode.shared::cta.b1024.b32 [$0], 1;
// CHECK: {{^ *}$}}
func.func @different(%p: !tile.ptr<f32>, %q: !tile.ptr<f16>, %n: i64, %s: i64) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 2048 : i32} {
  %one = arith.constant 1 : i64
  %scratch = tile.alloc_buffer at 1024 : !scratch2
  %place, %maps:2 = tile.make_tensor_maps %p, %q : !tile.ptr<f32>, !tile.ptr<f16> sizes [%n, %n, %n, %n, %n] strides [%s, %one, %s, %s, %one] through %scratch : !scratch2 -> !map, !tile.tensor_map<1x8x16xf16, #halves>
  return
}
// One thread asks for a map.
// CHECK-LABEL: func.func @prefetch
// CHECK-SAME: %[[MAP:[^:]*]]: !llvm.ptr)
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK-NEXT: scf.if %[[FIRST]]
// CHECK-NEXT: llvm.inline_asm has_side_effects "prefetch.tensormap [$0];", "l,~{memory}" %[[MAP]]
func.func @prefetch(%map: !map) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 0 : i32} {
  tile.prefetch_tensor_map %map : !map
  return
}
// One thread says how much lands and starts the boxes; its warp goes on together. Lines of 256 bytes are two boxes. The
// innermost axis comes first.
// CHECK-LABEL: func.func @copies
// CHECK-SAME: %[[MAP:[^:]*]]: !llvm.ptr, %[[LONG:[^:]*]]: !llvm.ptr, %[[BOX:[^:]*]]: !llvm.ptr, %[[I:[^:]*]]: i32, %[[J:[^:]*]]: i32, %[[SLOT:[^:]*]]: i32
// CHECK-DAG: %[[POLICY:.*]] = llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l" : () -> i64
// CHECK-DAG: %[[SHARED:.*]] = llvm.mlir.addressof @__tilec_shared_copies
// CHECK-DAG: %[[FULL:.*]] = llvm.getelementptr %[[SHARED]][8000]
// CHECK-DAG: %[[ONCE:.*]] = llvm.getelementptr %[[SHARED]][8016]
// CHECK-DAG: %[[WIDE:.*]] = llvm.getelementptr %[[SHARED]][2048]
// CHECK-DAG: %[[NARROW:.*]] = llvm.getelementptr %[[SHARED]][4096]
// CHECK: %[[BYTES:.*]] = arith.muli %[[SLOT]], %c512_i32
// CHECK: %[[TARGET:.*]] = llvm.getelementptr %[[SHARED]][%[[BYTES]]]
// CHECK: %[[LANDED:.*]] = llvm.getelementptr %[[FULL]][%[[SLOT]]]
// CHECK: scf.if
// CHECK-NEXT: llvm.inline_asm has_side_effects "mbarrier.arrive.expect_tx.shared.b64 _, [$0], $1;", "l,r,~{memory}" %[[LANDED]], %c512_i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$3, $4}], [$2];", "l,l,l,r,r,~{memory}" %[[TARGET]], %[[MAP]], %[[LANDED]], %[[J]], %[[I]]
// CHECK-NEXT: {{^ *}$}}
// CHECK-NEXT: nvvm.bar.warp.sync
// CHECK: "mbarrier.arrive.expect_tx.shared.b64 _, [$0], $1;", "l,r,~{memory}" %[[ONCE]], %c2048_i32
// CHECK-NEXT: llvm.inline_asm {{.*}}cp.async.bulk.tensor.2d{{.*}} %[[WIDE]], %[[LONG]], %[[ONCE]], %[[J]], %[[I]]
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[WIDE]][1024]
// CHECK: %[[COLUMN:.*]] = arith.addi %[[J]], %c64_i32
// CHECK: cp.async.bulk.tensor.2d{{.*}} %[[NEXT]], %[[LONG]], %[[ONCE]], %[[COLUMN]], %[[I]]
// CHECK: "mbarrier.arrive.expect_tx.shared.b64 _, [$0], $1;", "l,r,~{memory}" %[[ONCE]], %c256_i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [$0], [$1, {$3, $4, $5}], [$2], $6;", "l,l,l,r,r,r,l,~{memory}" %[[NARROW]], %[[BOX]], %[[ONCE]], %[[J]], %[[I]], %[[I]], %[[POLICY]]
// CHECK: nvvm.barrier
// CHECK-NEXT: scf.if
// CHECK-NEXT: nvvm.mbarrier.inval %[[FULL]]
// CHECK-NEXT: nvvm.mbarrier.init %[[FULL]], %c1_i32
// CHECK: nvvm.mbarrier.inval
// CHECK-NEXT: nvvm.mbarrier.init
// CHECK-NEXT: {{^ *}$}}
// CHECK-NEXT: llvm.inline_asm has_side_effects "fence.proxy.async.shared::cta;"
// CHECK: llvm.inline_asm has_side_effects "fence.proxy.async;"
// CHECK-NEXT: nvvm.barrier
func.func @copies(%map: !map, %long: !tile.tensor_map<8x128xf16, #long>, %box: !tile.tensor_map<1x8x16xf16, #halves>, %i: i32, %j: i32, %slot: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 8192 : i32} {
  %full = tile.alloc_mbarrier at 8000 slots 2 arrivals 1
  %once = tile.alloc_mbarrier at 8016 arrivals 1
  %slots = tile.alloc_buffer at 0 : !tile.buffer<8x16xf32, #lines, slots = 2>
  %wide = tile.alloc_buffer at 2048 : !tile.buffer<8x128xf16, #long>
  %narrow = tile.alloc_buffer at 4096 : !tile.buffer<8x16xf16, #halves>
  tile.bulk_copy %map[%i, %j] into %slots[%slot] arrive %full[%slot] : !map, !tile.buffer<8x16xf32, #lines, slots = 2>
  tile.bulk_copy %long[%i, %j] into %wide arrive %once : !tile.tensor_map<8x128xf16, #long>, !tile.buffer<8x128xf16, #long>
  tile.bulk_copy %box[%i, %i, %j] into %narrow arrive %once evict = first : !tile.tensor_map<1x8x16xf16, #halves>, !tile.buffer<8x16xf16, #halves>
  tile.barrier
  tile.reset_mbarrier %full
  tile.async_fence
  tile.async_fence arrays
  tile.barrier
  return
}

// One warp, together, starts the stores of all parts of a block, as one group. Nobody else has one to wait for.
//
// CHECK-LABEL: func.func @stores
// CHECK-SAME: %[[LONG:[^:]*]]: !llvm.ptr, %[[BOX:[^:]*]]: !llvm.ptr, %[[I:[^:]*]]: i32, %[[J:[^:]*]]: i32
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[START:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[THREAD]], %c0_i32
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[START]], %c0_i32
// CHECK-NEXT: scf.if %[[FIRST]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %[[LONG]], %[[WIDE:.*]], box[%[[J]], %[[I]]] : !llvm.ptr, <3>
// CHECK-NEXT: %[[COLUMN:.*]] = arith.addi %[[J]], %c64_i32
// CHECK-NEXT: %[[NEXT:.*]] = llvm.getelementptr %[[WIDE]][1024]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %[[LONG]], %[[NEXT]], box[%[[COLUMN]], %[[I]]] : !llvm.ptr, <3>
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK-NEXT: {{^ *}$}}
// CHECK-NEXT: scf.if %[[FIRST]]
// CHECK-NEXT: nvvm.cp.async.bulk.tensor.global.shared.cta %[[BOX]], %{{.*}}, box[%[[J]], %[[I]], %[[I]]] : !llvm.ptr, <3>
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK-NEXT: {{^ *}$}}
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0{{$}}
func.func @stores(%long: !tile.tensor_map<8x128xf16, #long>, %box: !tile.tensor_map<1x8x16xf16, #halves>, %i: i32, %j: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 3072 : i32} {
  %wide = tile.alloc_buffer at 0 : !tile.buffer<8x128xf16, #long>
  %narrow = tile.alloc_buffer at 2048 : !tile.buffer<8x16xf16, #halves>
  tile.bulk_store %wide into %long[%i, %j] : !tile.buffer<8x128xf16, #long>, !tile.tensor_map<8x128xf16, #long>
  tile.bulk_store %narrow into %box[%i, %i, %j] : !tile.buffer<8x16xf16, #halves>, !tile.tensor_map<1x8x16xf16, #halves>
  tile.bulk_store_wait %wide : !tile.buffer<8x128xf16, #long>
  tile.bulk_store_wait %narrow written : !tile.buffer<8x16xf16, #halves>
  return
}
