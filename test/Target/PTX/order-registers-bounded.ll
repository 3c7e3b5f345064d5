; Loads of straight code come together until they fill 48 registers; then what becomes of them frees these.
;
; RUN: tilec-llvm-opt -passes=tilec-order-registers %s | FileCheck %s

; The old order takes 16, 8 of the sum and 8 of a load, so that 4 loads of 8 fit.
; CHECK-LABEL: @sums(
; CHECK-COUNT-4: load <8 x float>
; CHECK-NEXT:    %{{.*}} = fadd
; CHECK-NEXT:    %{{.*}} = fadd
; CHECK-NEXT:    %{{.*}} = fadd
; CHECK-NEXT:    %{{.*}} = fadd
; CHECK-COUNT-3: load <8 x float>
; CHECK-NEXT:    %{{.*}} = fadd
; CHECK-NEXT:    %{{.*}} = fadd
; CHECK-NEXT:    %{{.*}} = fadd
; CHECK-NEXT:    store
; CHECK: attributes #[[AHEAD:.*]] = { "tile.loads_ahead"="straight" }
define void @sums(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %a = load <8 x float>, ptr addrspace(1) %p
  %1 = fadd <8 x float> %a, %a
  %b = load <8 x float>, ptr addrspace(1) %p
  %2 = fadd <8 x float> %1, %b
  %c = load <8 x float>, ptr addrspace(1) %p
  %3 = fadd <8 x float> %2, %c
  %d = load <8 x float>, ptr addrspace(1) %p
  %4 = fadd <8 x float> %3, %d
  %e = load <8 x float>, ptr addrspace(1) %p
  %5 = fadd <8 x float> %4, %e
  %f = load <8 x float>, ptr addrspace(1) %p
  %6 = fadd <8 x float> %5, %f
  %g = load <8 x float>, ptr addrspace(1) %p
  %7 = fadd <8 x float> %6, %g
  store <8 x float> %7, ptr addrspace(1) %q
  ret void
}
