// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#four = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
#eight = #tile.layout<register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
#one = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>
#apart = #tile.layout<register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>

//===----------------------------------------------------------------------===//
// Accesses without mask or hints are ordinary ones
//===----------------------------------------------------------------------===//

// What the functions for other accesses do to memory is declared.
// CHECK-DAG: llvm.func @tilec.ld.global.b32(!llvm.ptr<1> {llvm.nocapture}, i32, i1) -> i32 attributes {memory_effects = #llvm.memory_effects<other = none, argMem = read, inaccessibleMem = none, {{.*}}>, no_unwind, passthrough = ["nocallback"], will_return}
// CHECK-DAG: llvm.func @tilec.ld.global.ca.b32({{.*}} argMem = read, inaccessibleMem = none,
// CHECK-DAG: llvm.func @"tilec.ld.global.L1::evict_last.b32"({{.*}} argMem = read, inaccessibleMem = none,
// CHECK-DAG: llvm.func @tilec.ld.global.cg.b32({{.*}} argMem = readwrite, inaccessibleMem = readwrite,
// CHECK-DAG: llvm.func @tilec.ld.global.cv.b32({{.*}} argMem = readwrite, inaccessibleMem = readwrite,
// CHECK-DAG: llvm.func @tilec.ld.volatile.global.b32({{.*}} argMem = readwrite, inaccessibleMem = readwrite,
// CHECK-DAG: llvm.func @tilec.st.global.cs.b32(!llvm.ptr<1> {llvm.nocapture}, i32, i1) attributes {{.*}} argMem = write, inaccessibleMem = none,

// CHECK-LABEL: func.func @plain
// CHECK: %[[PTRS:.*]] = llvm.getelementptr {{.*}} -> vector<4x!llvm.ptr<1>>, f32
// CHECK: %[[PTR:.*]] = vector.extract %[[PTRS]][0]
// CHECK: %[[X:.*]] = llvm.load %[[PTR]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: llvm.store %[[X]], %[[PTR]] {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
func.func @plain(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 128 : tensor<128xi32, #four>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #four>
  %ptrs = tile.addptr %base, %r : tensor<128x!tile.ptr<f32>, #four>, tensor<128xi32, #four>
  %x = tile.load %ptrs : tensor<128x!tile.ptr<f32>, #four>
  tile.store %ptrs, %x : tensor<128x!tile.ptr<f32>, #four>
  return
}

// Registers that are apart in memory take an access each.
// CHECK-LABEL: func.func @severalAccesses
// CHECK: %[[FIRST:.*]] = vector.extract %{{.*}}[0] : !llvm.ptr<1>
// CHECK: llvm.load %[[FIRST]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: %[[SECOND:.*]] = vector.extract %{{.*}}[4] : !llvm.ptr<1>
// CHECK: llvm.load %[[SECOND]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: llvm.store %{{.*}}, %[[FIRST]] {alignment = 16 : i64} : vector<4xf32>
// CHECK: llvm.store %{{.*}}, %[[SECOND]] {alignment = 16 : i64} : vector<4xf32>
func.func @severalAccesses(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 256 : tensor<256xi32, #eight>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #eight>
  %ptrs = tile.addptr %base, %r : tensor<256x!tile.ptr<f32>, #eight>, tensor<256xi32, #eight>
  %x = tile.load %ptrs : tensor<256x!tile.ptr<f32>, #eight>
  tile.store %ptrs, %x : tensor<256x!tile.ptr<f32>, #eight>
  return
}

// Neighbours in memory that one thread holds are still single accesses when nothing aligns them.
// CHECK-LABEL: func.func @unaligned
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
// CHECK-NOT: llvm.load
func.func @unaligned(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 128 : tensor<128xi32, #four>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #four>
  %ptrs = tile.addptr %base, %r : tensor<128x!tile.ptr<f32>, #four>, tensor<128xi32, #four>
  %x = tile.load %ptrs : tensor<128x!tile.ptr<f32>, #four>
  tile.store %ptrs, %x : tensor<128x!tile.ptr<f32>, #four>
  return
}

// So are registers that are no neighbours, however well the pointer is aligned.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
func.func @apart(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 128 : tensor<128xi32, #apart>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #apart>
  %ptrs = tile.addptr %base, %r : tensor<128x!tile.ptr<f32>, #apart>, tensor<128xi32, #apart>
  %x = tile.load %ptrs : tensor<128x!tile.ptr<f32>, #apart>
  tile.store %ptrs, %x : tensor<128x!tile.ptr<f32>, #apart>
  return
}

// Lanes from 16 on hold each pair of neighbours the other way round, so only pairs are vectors.
#swapped = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [2]], warp = [], block = []>
// CHECK-LABEL: func.func @swappedPairs
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK-NOT: llvm.load
// CHECK: return
func.func @swappedPairs(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 64 : tensor<64xi32, #swapped>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #swapped>
  %ptrs = tile.addptr %base, %r : tensor<64x!tile.ptr<f32>, #swapped>, tensor<64xi32, #swapped>
  %x = tile.load %ptrs : tensor<64x!tile.ptr<f32>, #swapped>
  tile.store %ptrs, %x : tensor<64x!tile.ptr<f32>, #swapped>
  return
}

// CHECK-LABEL: func.func @volatilePlain
// CHECK: llvm.load volatile %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<1xf32>
func.func @volatilePlain(%ptrs: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %x = tile.load %ptrs volatile : !tile.ptr<f32>
  return
}

//===----------------------------------------------------------------------===//
// Masks, other values, hints
//===----------------------------------------------------------------------===//

// The first mask of a group stands for all of it; `other` is in the registers before the load.
// CHECK-LABEL: func.func @other
// CHECK-SAME: %{{.*}}: !llvm.ptr<1> {{.*}}, %[[C:.*]]: i1, %[[O:.*]]: vector<4xf32>
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[O]] : vector<4xf32> to vector<4xi32>
// CHECK: %[[O0:.*]] = vector.extract %[[BITS]][0]
// CHECK: %[[O1:.*]] = vector.extract %[[BITS]][1]
// CHECK: %[[O2:.*]] = vector.extract %[[BITS]][2]
// CHECK: %[[O3:.*]] = vector.extract %[[BITS]][3]
// CHECK: %[[RESULT:.*]] = llvm.call @tilec.ld.global.v4.b32(%{{[^,]*}}, %[[O0]], %[[O1]], %[[O2]], %[[O3]], %[[C]])
// CHECK: llvm.extractvalue %[[RESULT]][3]
func.func @other(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %c: i1, %other: tensor<128xf32, #four>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 128 : tensor<128xi32, #four>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #four>
  %ptrs = tile.addptr %base, %r : tensor<128x!tile.ptr<f32>, #four>, tensor<128xi32, #four>
  %mask = tile.splat %c : i1 -> tensor<128xi1, #four>
  %x = tile.load %ptrs mask %mask other %other : tensor<128x!tile.ptr<f32>, #four>
  tile.store %ptrs, %x : tensor<128x!tile.ptr<f32>, #four>
  return
}

// A mask that may change between neighbours allows one element at a time.
// CHECK-LABEL: func.func @anyMask
// CHECK-COUNT-4: llvm.call @tilec.ld.global.b32(
// CHECK-NOT: ld.global
func.func @anyMask(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %mask: tensor<128xi1, #four>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 128 : tensor<128xi32, #four>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #four>
  %ptrs = tile.addptr %base, %r : tensor<128x!tile.ptr<f32>, #four>, tensor<128xi32, #four>
  %x = tile.load %ptrs mask %mask : tensor<128x!tile.ptr<f32>, #four>
  return
}

// Cache operators and eviction priorities; PTX allows one of them, and the priority says more.
// CHECK-LABEL: func.func @loadHints
// CHECK-SAME: %{{.*}}: !llvm.ptr<1>, %[[C:.*]]: i1
// CHECK: llvm.call @tilec.ld.global.ca.b32(%{{[^,]*}}, %{{[^,]*}}, %true)
// CHECK: llvm.call @tilec.ld.global.cg.b32(%{{[^,]*}}, %{{[^,]*}}, %true)
// CHECK: llvm.call @tilec.ld.global.cv.b32(%{{[^,]*}}, %{{[^,]*}}, %true)
// CHECK: llvm.call @"tilec.ld.global.L1::evict_first.b32"(%{{[^,]*}}, %{{[^,]*}}, %true)
// CHECK: llvm.call @"tilec.ld.global.L1::evict_last.b32"(%{{[^,]*}}, %{{[^,]*}}, %true)
// CHECK: llvm.call @"tilec.ld.global.L1::evict_last.b32"(%{{[^,]*}}, %{{[^,]*}}, %true)
// CHECK: llvm.call @tilec.ld.global.cg.b32(%{{[^,]*}}, %{{[^,]*}}, %[[C]])
func.func @loadHints(%p: !tile.ptr<f32>, %c: i1)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.load %p cache = ca : !tile.ptr<f32>
  %1 = tile.load %p cache = cg : !tile.ptr<f32>
  %2 = tile.load %p cache = cv : !tile.ptr<f32>
  %3 = tile.load %p evict = first : !tile.ptr<f32>
  %4 = tile.load %p evict = last : !tile.ptr<f32>
  %5 = tile.load %p cache = cg evict = last : !tile.ptr<f32>
  %6 = tile.load %p mask %c cache = cg : !tile.ptr<f32>
  return
}

// A volatile access takes no hint.
// CHECK-LABEL: func.func @volatileHints
// CHECK-SAME: %{{.*}}: !llvm.ptr<1>, %[[C:.*]]: i1
// CHECK: llvm.call @tilec.ld.volatile.global.b32(%{{[^,]*}}, %{{[^,]*}}, %true)
// CHECK: llvm.call @tilec.ld.volatile.global.b32(%{{[^,]*}}, %{{[^,]*}}, %[[C]])
func.func @volatileHints(%p: !tile.ptr<f32>, %c: i1)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.load %p cache = cg volatile : !tile.ptr<f32>
  %1 = tile.load %p mask %c evict = first volatile : !tile.ptr<f32>
  return
}

// CHECK-LABEL: func.func @storeHints
// CHECK: llvm.call @tilec.st.global.wb.b32(%{{[^,]*}}, %{{[^,]*}}, %true)
// CHECK: llvm.call @tilec.st.global.cg.b32(%{{[^,]*}}, %{{[^,]*}}, %true)
// CHECK: llvm.call @tilec.st.global.cs.b32(%{{[^,]*}}, %{{[^,]*}}, %true)
// CHECK: llvm.call @tilec.st.global.wt.b32(%{{[^,]*}}, %{{[^,]*}}, %true)
// CHECK: llvm.call @"tilec.st.global.L1::evict_first.b32"(%{{[^,]*}}, %{{[^,]*}}, %true)
// CHECK: llvm.call @"tilec.st.global.L1::evict_last.b32"(%{{[^,]*}}, %{{[^,]*}}, %true)
func.func @storeHints(%p: !tile.ptr<f32>, %v: tensor<32xf32, #one>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 32 : tensor<32xi32, #one>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #one>
  %ptrs = tile.addptr %base, %r : tensor<32x!tile.ptr<f32>, #one>, tensor<32xi32, #one>
  tile.store %ptrs, %v cache = wb : tensor<32x!tile.ptr<f32>, #one>
  tile.store %ptrs, %v cache = cg : tensor<32x!tile.ptr<f32>, #one>
  tile.store %ptrs, %v cache = cs : tensor<32x!tile.ptr<f32>, #one>
  tile.store %ptrs, %v cache = wt : tensor<32x!tile.ptr<f32>, #one>
  tile.store %ptrs, %v evict = first : tensor<32x!tile.ptr<f32>, #one>
  tile.store %ptrs, %v cache = cs evict = last : tensor<32x!tile.ptr<f32>, #one>
  return
}

//===----------------------------------------------------------------------===//
// Registers that are one element are loaded once
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @onceForAGroup
// CHECK-COUNT-1: llvm.load {{.*}} -> vector<1xf32>
// CHECK-NOT: llvm.load
// CHECK: vector.broadcast %{{.*}} : f32 to vector<4xf32>
// CHECK: return
func.func @onceForAGroup(%p: !tile.ptr<f32>, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 128 : tensor<128xi32, #four>
  %eight = arith.constant dense<8> : tensor<128xi32, #four>
  %group = arith.divui %r, %eight : tensor<128xi32, #four>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #four>
  %ptrs = tile.addptr %base, %group : tensor<128x!tile.ptr<f32>, #four>, tensor<128xi32, #four>
  %x = tile.load %ptrs : tensor<128x!tile.ptr<f32>, #four>
  %qbase = tile.splat %q : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #four>
  %qs = tile.addptr %qbase, %r : tensor<128x!tile.ptr<f32>, #four>, tensor<128xi32, #four>
  tile.store %qs, %x : tensor<128x!tile.ptr<f32>, #four>
  return
}

// If any of them wants it; the others have what they asked for, or 0.
// CHECK-LABEL: func.func @onceUnderAMask
// CHECK: %[[ANY:.*]] = arith.ori %{{.*}}, %{{.*}} : i1
// CHECK: %[[MORE:.*]] = arith.ori %[[ANY]], %{{.*}} : i1
// CHECK: %[[WANTED:.*]] = arith.ori %[[MORE]], %{{.*}} : i1
// CHECK: llvm.call @tilec.ld.global.b32(%{{[^,]*}}, %{{[^,]*}}, %[[WANTED]])
// CHECK-NOT: ld.global
// CHECK: %[[ALL:.*]] = vector.broadcast %{{.*}} : f32 to vector<4xf32>
// CHECK: arith.select %{{.*}}, %[[ALL]], %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK: return
func.func @onceUnderAMask(%p: !tile.ptr<f32>, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r = tile.make_range 0 to 128 : tensor<128xi32, #four>
  %eight = arith.constant dense<8> : tensor<128xi32, #four>
  %group = arith.divui %r, %eight : tensor<128xi32, #four>
  %ns = tile.splat %n : i32 -> tensor<128xi32, #four>
  %mask = arith.cmpi slt, %r, %ns : tensor<128xi32, #four>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #four>
  %ptrs = tile.addptr %base, %group : tensor<128x!tile.ptr<f32>, #four>, tensor<128xi32, #four>
  %x = tile.load %ptrs mask %mask : tensor<128x!tile.ptr<f32>, #four>
  %qbase = tile.splat %q : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #four>
  %qs = tile.addptr %qbase, %r : tensor<128x!tile.ptr<f32>, #four>, tensor<128xi32, #four>
  tile.store %qs, %x : tensor<128x!tile.ptr<f32>, #four>
  return
}
