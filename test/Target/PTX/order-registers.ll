; Arithmetic moves down to the store that needs it. Loads stay where they are, so they come together.
;
; RUN: tilec-llvm-opt -passes=tilec-order-registers %s | FileCheck %s

; CHECK-LABEL: @f(
; CHECK-NEXT:  %a = load float, ptr %p
; CHECK-NEXT:  %b = load float, ptr %q
; CHECK-NEXT:  %x0 = fadd float %a, 1.000000e+00
; CHECK-NEXT:  %y0 = fmul float %x0, 2.000000e+00
; CHECK-NEXT:  store float %y0, ptr %p
; CHECK-NEXT:  %x1 = fadd float %b, 1.000000e+00
; CHECK-NEXT:  %y1 = fmul float %x1, 2.000000e+00
; CHECK-NEXT:  store float %y1, ptr %q
; CHECK-NEXT:  ret void
define void @f(ptr %p, ptr %q) {
  %a = load float, ptr %p
  %x0 = fadd float %a, 1.0
  %b = load float, ptr %q
  %x1 = fadd float %b, 1.0
  %y0 = fmul float %x0, 2.0
  %y1 = fmul float %x1, 2.0
  store float %y0, ptr %p
  store float %y1, ptr %q
  ret void
}

; What one condition selects stands together, as the number and the position of argmax do, although the positions are stored
; later: conditions have few registers.
; CHECK-LABEL: @argmax(
; CHECK:       %c0 = fcmp
; CHECK-NEXT:  %v0 = select i1 %c0
; CHECK-NEXT:  %i0 = select i1 %c0
; CHECK-NEXT:  %c1 = fcmp
; CHECK-NEXT:  %v1 = select i1 %c1
; CHECK-NEXT:  %i1 = select i1 %c1
; CHECK-NEXT:  store float %v1
; CHECK-NEXT:  store i32 %i1
define void @argmax(ptr %p, ptr %q, float %x, float %y, float %z) {
  %c0 = fcmp oge float %x, %y
  %v0 = select i1 %c0, float %x, float %y
  %i0 = select i1 %c0, i32 0, i32 1
  %c1 = fcmp oge float %v0, %z
  %v1 = select i1 %c1, float %v0, float %z
  %i1 = select i1 %c1, i32 %i0, i32 2
  store float %v1, ptr %p
  store i32 %i1, ptr %q
  ret void
}

; Not what needs something that cannot move and comes later, nor where a condition selects much, as a mask does.
; CHECK-LABEL: @others(
; CHECK:       %v = select i1 %c
; CHECK-NEXT:  store float %v
; CHECK-NEXT:  %late = load
; CHECK-NEXT:  %w = select i1 %c, float %late
define void @others(ptr %p, ptr %q, float %x, float %y) {
  %c = fcmp oge float %x, %y
  %v = select i1 %c, float %x, float %y
  store float %v, ptr %p
  %late = load float, ptr %q
  %w = select i1 %c, float %late, float %y
  store float %w, ptr %q
  ret void
}

; CHECK-LABEL: @mask(
; CHECK:       %a = select
; CHECK-NEXT:  store volatile float %a
; CHECK-NEXT:  %b = select
; CHECK-NEXT:  store volatile float %b
define void @mask(ptr %p, float %x, float %y, float %z) {
  %c = fcmp oge float %x, %y
  %a = select i1 %c, float %x, float 0.0
  %b = select i1 %c, float %y, float 0.0
  %d = select i1 %c, float %z, float 0.0
  %e = select i1 %c, float %z, float 1.0
  store volatile float %a, ptr %p
  store volatile float %b, ptr %p
  store volatile float %d, ptr %p
  store volatile float %e, ptr %p
  ret void
}
