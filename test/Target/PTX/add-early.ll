; Sums of exponentials are made as soon as their operands are there.
;
; RUN: tilec-llvm-opt -passes=tilec-add-early %s | FileCheck %s

; CHECK-LABEL: @sum(
; CHECK-NEXT:  %[[A:.*]] = call float @llvm.nvvm.ex2.approx.ftz.f32(float %a)
; CHECK-NEXT:  %[[B:.*]] = call float @llvm.nvvm.ex2.approx.ftz.f32(float %b)
; CHECK-NEXT:  %[[AB:.*]] = fadd float %[[A]], %[[B]]
; CHECK-NEXT:  %[[C:.*]] = call float @llvm.nvvm.ex2.approx.ftz.f32(float %c)
; CHECK-NEXT:  %[[D:.*]] = call float @llvm.nvvm.ex2.approx.ftz.f32(float %d)
; CHECK-NEXT:  %[[CD:.*]] = fadd contract float %[[C]], %[[D]]
; CHECK-NEXT:  %[[ALL:.*]] = fadd float %[[AB]], %[[CD]]
; CHECK-NEXT:  %other = fmul
; CHECK-NEXT:  ret float %[[ALL]]
define float @sum(float %a, float %b, float %c, float %d) {
  %ea = call float @llvm.nvvm.ex2.approx.ftz.f32(float %a)
  %eb = call float @llvm.nvvm.ex2.approx.ftz.f32(float %b)
  %ec = call float @llvm.nvvm.ex2.approx.ftz.f32(float %c)
  %ed = call float @llvm.nvvm.ex2.approx.ftz.f32(float %d)
  %other = fmul float %a, %b
  %cd = fadd contract float %ec, %ed
  %ab = fadd float %ea, %eb
  %all = fadd float %ab, %cd
  ret float %all
}

; One operand is no exponential, or comes from another block.
; CHECK-LABEL: @others(
; CHECK:       %eb = call
; CHECK-NEXT:  %product = fmul
; CHECK-NEXT:  %x = fadd float %eb, %a
; CHECK-NEXT:  %y = fadd float %eb, %ea
define float @others(float %a, float %b) {
  %ea = call float @llvm.nvvm.ex2.approx.ftz.f32(float %a)
  br label %next
next:
  %eb = call float @llvm.nvvm.ex2.approx.ftz.f32(float %b)
  %product = fmul float %a, %b
  %x = fadd float %eb, %a
  %y = fadd float %eb, %ea
  %z = fadd float %x, %y
  %all = fadd float %z, %product
  ret float %all
}

declare float @llvm.nvvm.ex2.approx.ftz.f32(float)
