// RUN: tile-opt %s -convert-tile-to-gpu -tile-merge-packed | FileCheck %s

// CHECK-LABEL: func.func @k(%{{.*}}: !llvm.ptr<1>
// CHECK: %[[THREADS:.*]] = nvvm.read.ptx.sreg.ntid.x
// CHECK: %[[IS_PACKED:.*]] = arith.cmpi eq, %[[THREADS]], %c32_i32
// CHECK: scf.if %[[IS_PACKED]] {
// A program among those of a CTA, and whether there is one.
// CHECK: %[[CTA:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[OF_CTA:.*]] = nvvm.read.ptx.sreg.ntid.y
// CHECK: %[[FIRST:.*]] = arith.muli %[[CTA]], %[[OF_CTA]]
// CHECK: %[[IN_CTA:.*]] = nvvm.read.ptx.sreg.tid.y
// CHECK: %[[PROGRAM:.*]] = arith.addi %[[FIRST]], %[[IN_CTA]]
// CHECK: %[[CTAS:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK: %[[PLACES:.*]] = arith.muli %[[CTAS]]
// CHECK: %[[MISSING:.*]] = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.dynamic_smem_size"()
// CHECK: %[[COUNT:.*]] = arith.subi %[[PLACES]], %[[MISSING]]
// CHECK: %[[IS_PROGRAM:.*]] = arith.cmpi ult, %[[PROGRAM]], %[[COUNT]]
// CHECK: scf.if %[[IS_PROGRAM]] {
// CHECK: nvvm.read.ptx.sreg.tid.y
// CHECK: llvm.getelementptr
// CHECK: } else {
// A program that has the CTA to itself.
// CHECK-NOT: ntid
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: llvm.getelementptr
// CHECK: return
// CHECK-NOT: @k.packed
func.func @k(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.packing = array<i32: 32, 4, 16>} {
  %program = tile.program_id x
  %ptr = tile.addptr %p, %program : !tile.ptr<i32>, i32
  tile.store %ptr, %program : !tile.ptr<i32>
  return
}
func.func @k.packed(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.packed_form_of = @k} {
  %program = tile.program_id x
  %ptr = tile.addptr %p, %program : !tile.ptr<i32>, i32
  tile.store %ptr, %program : !tile.ptr<i32>
  return
}

// y is divided by z of the block, without a rest; z is not divided.
// CHECK-LABEL: func.func @same
// CHECK: scf.if
// CHECK: nvvm.read.ptx.sreg.ctaid.y
// CHECK: nvvm.read.ptx.sreg.ntid.z
// CHECK: nvvm.read.ptx.sreg.tid.z
// CHECK: nvvm.read.ptx.sreg.ctaid.z
// CHECK-NOT: ntid
// CHECK: nvvm.read.ptx.sreg.nctaid.y
// CHECK: nvvm.read.ptx.sreg.ntid.z
// CHECK-NOT: dynamic_smem_size
// CHECK: nvvm.read.ptx.sreg.nctaid.z
// CHECK-NOT: ntid
// CHECK: return
func.func @same(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.packing = array<i32: 32, 4, 16>} {
  %y = tile.program_id y
  %z = tile.program_id z
  %ny = tile.num_programs y
  %nz = tile.num_programs z
  %0 = arith.muli %y, %z : i32
  %1 = arith.muli %ny, %nz : i32
  %2 = arith.addi %0, %1 : i32
  tile.store %p, %2 : !tile.ptr<i32>
  return
}
