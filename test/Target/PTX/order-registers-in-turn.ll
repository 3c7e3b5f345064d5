; Where even then more values are live than a thread has registers, products move, too, and what the block leaves to others is
; computed one result after the other.
;
; RUN: tilec-llvm-opt -passes=tilec-order-registers %s | FileCheck %s

declare { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32, i32, i32, i32, i32, i32, float, float, float, float)

; CHECK-LABEL: @sums(
; CHECK: %a = load
; CHECK-NEXT: %x = fneg
; CHECK: %p = call {{.*}} @llvm.nvvm.mma
; CHECK: %b = load
; CHECK-NEXT: %y = fneg
; CHECK: %q = call {{.*}} @llvm.nvvm.mma
; CHECK: %c = load
; CHECK-NEXT: %z = fneg
; CHECK: %r = call {{.*}} @llvm.nvvm.mma
; CHECK: br label
define void @sums(ptr addrspace(3) %s, ptr addrspace(1) %g) {
entry:
  %second = getelementptr i8, ptr addrspace(3) %s, i32 400
  %third = getelementptr i8, ptr addrspace(3) %s, i32 800
  %a = load <100 x float>, ptr addrspace(3) %s
  %b = load <100 x float>, ptr addrspace(3) %second
  %c = load <100 x float>, ptr addrspace(3) %third
  %x = fneg <100 x float> %a
  %y = fneg <100 x float> %b
  %z = fneg <100 x float> %c
  %x0 = extractelement <100 x float> %x, i32 0
  %y0 = extractelement <100 x float> %y, i32 0
  %z0 = extractelement <100 x float> %z, i32 0
  %xi = bitcast float %x0 to i32
  %yi = bitcast float %y0 to i32
  %zi = bitcast float %z0 to i32
  %p = call { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32 %xi, i32 %xi, i32 %xi, i32 %xi, i32 %xi, i32 %xi, float 0.0, float 0.0, float 0.0, float 0.0)
  %q = call { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32 %yi, i32 %yi, i32 %yi, i32 %yi, i32 %yi, i32 %yi, float 0.0, float 0.0, float 0.0, float 0.0)
  %r = call { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32 %zi, i32 %zi, i32 %zi, i32 %zi, i32 %zi, i32 %zi, float 0.0, float 0.0, float 0.0, float 0.0)
  %p0 = extractvalue { float, float, float, float } %p, 0
  %q0 = extractvalue { float, float, float, float } %q, 0
  %r0 = extractvalue { float, float, float, float } %r, 0
  br label %behind

behind:
  store float %p0, ptr addrspace(1) %g
  store float %q0, ptr addrspace(1) %g
  store float %r0, ptr addrspace(1) %g
  ret void
}

; Where the fourth result has the first one's factors, these need not be kept for it.
; CHECK-LABEL: @shared(
; CHECK: %a = load
; CHECK: %p =
; CHECK-NOT: load
; CHECK: %t =
; CHECK: %b = load
; CHECK: %q =
; CHECK: %c = load
; CHECK: %r =
; CHECK: br label
define void @shared(ptr addrspace(3) %s, ptr addrspace(1) %g) {
entry:
  %second = getelementptr i8, ptr addrspace(3) %s, i32 400
  %third = getelementptr i8, ptr addrspace(3) %s, i32 800
  %a = load <100 x float>, ptr addrspace(3) %s
  %b = load <100 x float>, ptr addrspace(3) %second
  %c = load <100 x float>, ptr addrspace(3) %third
  %p = extractelement <100 x float> %a, i32 0
  %q = extractelement <100 x float> %b, i32 0
  %r = extractelement <100 x float> %c, i32 0
  %t = extractelement <100 x float> %a, i32 1
  br label %behind

behind:
  store float %p, ptr addrspace(1) %g
  store float %q, ptr addrspace(1) %g
  store float %r, ptr addrspace(1) %g
  store float %t, ptr addrspace(1) %g
  ret void
}
