; Forms of code that LLVM's back end or ptxas would not compile to what they say are rewritten.
;
; RUN: tilec-llvm-opt -passes=tilec-avoid-back-end-faults %s | FileCheck %s

; CHECK-LABEL: @lowBits(
; CHECK:      %[[MOVED:.*]] = call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 %bits)
; CHECK-NEXT: %low = trunc i32 %[[MOVED]] to i16
define void @lowBits(float %x, ptr %p) {
  %bits = bitcast float %x to i32
  %low = trunc i32 %bits to i16
  store i16 %low, ptr %p
  ret void
}

; An atomic operation may return a float in a register of an integer; a load moves bits.
; CHECK-LABEL: @lowBitsOfAccesses(
; CHECK:      %[[MOVED:.*]] = call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 %old)
; CHECK-NEXT: %low = trunc i32 %[[MOVED]] to i16
; CHECK-NOT:  asm
; CHECK:      ret void
define void @lowBitsOfAccesses(ptr addrspace(1) %q, i32 %x, ptr %p) {
  %old = call i32 @tilec.atom.relaxed.gpu.global.add.f32(ptr addrspace(1) %q, i32 %x, i1 true)
  %low = trunc i32 %old to i16
  store i16 %low, ptr %p
  %bits = call i32 @tilec.ld.global.b32(ptr addrspace(1) %q, i32 %x, i1 true)
  %half = trunc i32 %bits to i16
  store i16 %half, ptr %p
  ret void
}
declare i32 @tilec.atom.relaxed.gpu.global.add.f32(ptr addrspace(1), i32, i1)
declare i32 @tilec.ld.global.b32(ptr addrspace(1), i32, i1)

; CHECK-LABEL: @negation(
; CHECK-NEXT:  call i16 asm "sub.u16 $0, 0, $1;", "=h,h"(i16 %x)
define i16 @negation(i16 %x) {
  %r = sub i16 0, %x
  ret i16 %r
}

; CHECK-LABEL: @absolute(
; CHECK-NEXT:  call i32 asm "{ .reg .b32 negated; sub.u32 negated, 0, $1; max.s32 $0, $1, negated; }", "=r,r"(i32 %x)
define i32 @absolute(i32 %x) {
  %r = call i32 @llvm.abs.i32(i32 %x, i1 false)
  ret i32 %r
}

; CHECK-LABEL: @truthAsBFloat(
; CHECK-NEXT:  select i1 %c, bfloat 0xRBF80, bfloat 0xR0000
define bfloat @truthAsBFloat(i1 %c) {
  %r = sitofp i1 %c to bfloat
  ret bfloat %r
}

; CHECK-LABEL: @truthAsUnsigned(
; CHECK:      %[[NEGATIVE:.*]] = fcmp olt float %f, 0.000000e+00
; CHECK-NEXT: %[[RAISED:.*]] = select i1 %[[NEGATIVE]], float 0.000000e+00, float %f
; CHECK-NEXT: call i32 @llvm.nvvm.f2ui.rz(float %[[RAISED]])
define i32 @truthAsUnsigned(i1 %c) {
  %f = sitofp i1 %c to float
  %r = call i32 @llvm.nvvm.f2ui.rz(float %f)
  ret i32 %r
}
