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
