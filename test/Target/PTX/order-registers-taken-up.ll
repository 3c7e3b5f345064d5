; What a part of a product gives is taken up before the next part starts, by a sum that only the end of the block needs;
; what a later access gives is not there yet.
;
; RUN: tilec-llvm-opt -passes=tilec-order-registers %s | FileCheck %s

; CHECK-LABEL: @parts(
; CHECK: loop:
; CHECK:      %first = call { float, float } asm sideeffect "wait;"
; CHECK-NEXT: %a = extractvalue { float, float } %first, 0
; CHECK-NEXT: %scaledA = fmul float %a, %scale
; CHECK-NEXT: %nextA = fadd float %sumA, %scaledA
; CHECK-NEXT: %b = extractvalue { float, float } %first, 1
; CHECK-NEXT: %second = call { float, float } asm sideeffect "wait;"
; CHECK-NEXT: %c = extractvalue { float, float } %second, 0
; CHECK-NEXT: %scaledC = fmul float %c, %scale
; CHECK-NEXT: %nextC = fadd float %sumC, %scaledC
; CHECK:      %late = load float
; CHECK-NEXT: %scaledB = fmul float %b, %late
define void @parts(ptr addrspace(1) %p, float %scale, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sumA = phi float [ 0.0, %entry ], [ %nextA, %loop ]
  %sumB = phi float [ 0.0, %entry ], [ %nextB, %loop ]
  %sumC = phi float [ 0.0, %entry ], [ %nextC, %loop ]
  %first = call { float, float } asm sideeffect "wait;", "=f,=f,~{memory}"() "tilec-take-up"
  %second = call { float, float } asm sideeffect "wait;", "=f,=f,~{memory}"() "tilec-take-up"
  %a = extractvalue { float, float } %first, 0
  %b = extractvalue { float, float } %first, 1
  %c = extractvalue { float, float } %second, 0
  %scaledA = fmul float %a, %scale
  %late = load float, ptr addrspace(1) %p
  %scaledB = fmul float %b, %late
  %scaledC = fmul float %c, %scale
  %nextA = fadd float %sumA, %scaledA
  %nextB = fadd float %sumB, %scaledB
  %nextC = fadd float %sumC, %scaledC
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  store float %nextA, ptr addrspace(1) %p
  store float %nextB, ptr addrspace(1) %p
  store float %nextC, ptr addrspace(1) %p
  ret void
}
