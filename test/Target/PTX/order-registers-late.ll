; Where more values would be live than a thread has registers, loads from shared memory move to what needs them.
;
; RUN: tilec-llvm-opt -passes=tilec-order-registers %s | FileCheck %s

; CHECK-LABEL: @moved(
; CHECK-NEXT:  %a = load
; CHECK-NEXT:  %x = fneg <100 x float> %a
; CHECK-NEXT:  store <100 x float> %x
; CHECK-NEXT:  %next = getelementptr
; CHECK-NEXT:  %b = load
; CHECK-NEXT:  %y = fneg <100 x float> %b
; CHECK-NEXT:  store <100 x float> %y
; CHECK-NEXT:  %c = load
; CHECK-NEXT:  %z = fneg <100 x float> %c
; CHECK-NEXT:  store <100 x float> %z
; CHECK-NEXT:  ret void
define void @moved(ptr addrspace(3) %s, ptr addrspace(1) %g) {
  %next = getelementptr i8, ptr addrspace(3) %s, i32 400
  %a = load <100 x float>, ptr addrspace(3) %s
  %b = load <100 x float>, ptr addrspace(3) %next
  %c = load <100 x float>, ptr addrspace(3) %s
  %x = fneg <100 x float> %a
  %y = fneg <100 x float> %b
  %z = fneg <100 x float> %c
  store <100 x float> %x, ptr addrspace(1) %g
  store <100 x float> %y, ptr addrspace(1) %g
  store <100 x float> %z, ptr addrspace(1) %g
  ret void
}

; But over no write to shared memory, and volatile ones not at all.
; CHECK-LABEL: @ordered(
; CHECK-NEXT:  %a = load volatile
; CHECK-NEXT:  %x = fneg <100 x float> %a
; CHECK-NEXT:  store <100 x float> %x
; CHECK-NEXT:  %b = load
; CHECK-NEXT:  %y = fneg <100 x float> %b
; CHECK-NEXT:  store <100 x float> %y
; CHECK-NEXT:  %c = load
; CHECK-NEXT:  store i32 0, ptr addrspace(3) %s
; CHECK-NEXT:  %z = fneg <100 x float> %c
; CHECK-NEXT:  store <100 x float> %z
; CHECK-NEXT:  ret void
define void @ordered(ptr addrspace(3) %s, ptr addrspace(1) %g) {
  %a = load volatile <100 x float>, ptr addrspace(3) %s
  %b = load <100 x float>, ptr addrspace(3) %s
  %c = load <100 x float>, ptr addrspace(3) %s
  %x = fneg <100 x float> %a
  store <100 x float> %x, ptr addrspace(1) %g
  %y = fneg <100 x float> %b
  store <100 x float> %y, ptr addrspace(1) %g
  store i32 0, ptr addrspace(3) %s
  %z = fneg <100 x float> %c
  store <100 x float> %z, ptr addrspace(1) %g
  ret void
}

; Arithmetic for a later store moves up to the values that it is the last user of; but not over the write that its load is behind.
; CHECK-LABEL: @shared(
; CHECK: store i32 0, ptr addrspace(3) %s
; CHECK: %b = load
; CHECK-NEXT: %sum = fadd <100 x float> %a, %b
define void @shared(ptr addrspace(3) %s, ptr addrspace(1) %g) {
  %a = load <100 x float>, ptr addrspace(3) %s
  %c = load <100 x float>, ptr addrspace(3) %s
  %d = load <100 x float>, ptr addrspace(3) %s
  %x = fneg <100 x float> %a
  store <100 x float> %x, ptr addrspace(1) %g
  store i32 0, ptr addrspace(3) %s
  %b = load <100 x float>, ptr addrspace(3) %s
  %sum = fadd <100 x float> %a, %b
  %half = fptrunc <100 x float> %sum to <100 x half>
  store <100 x half> %half, ptr addrspace(1) %g
  %y = fneg <100 x float> %c
  store <100 x float> %y, ptr addrspace(1) %g
  %z = fneg <100 x float> %d
  store <100 x float> %z, ptr addrspace(1) %g
  ret void
}

; What is computed from loads stands next to them also where a write or the end of the block comes before its user: sums
; of products, each load next to the first product that needs it.
; CHECK-LABEL: @sums(
; CHECK:       %a = load
; CHECK-NEXT:  %b = load
; CHECK-NEXT:  %p = call <100 x float> @llvm.fma
; CHECK-NEXT:  %c = load
; CHECK-NEXT:  %q = call <100 x float> @llvm.fma
; CHECK-NEXT:  store i32 0, ptr addrspace(3) %s
; CHECK-NEXT:  %d = load
; CHECK-NEXT:  %r = call <100 x float> @llvm.fma
; CHECK-NEXT:  %e = load
; CHECK-NEXT:  %t = call <100 x float> @llvm.fma
; CHECK-NEXT:  br label %out
define void @sums(ptr addrspace(3) %s, ptr addrspace(1) %g, <100 x float> %start) {
  %a = load <100 x float>, ptr addrspace(3) %s
  %b = load <100 x float>, ptr addrspace(3) %s
  %c = load <100 x float>, ptr addrspace(3) %s
  %p = call <100 x float> @llvm.fma(<100 x float> %a, <100 x float> %b, <100 x float> %start)
  %q = call <100 x float> @llvm.fma(<100 x float> %a, <100 x float> %c, <100 x float> %p)
  store i32 0, ptr addrspace(3) %s
  %d = load <100 x float>, ptr addrspace(3) %s
  %e = load <100 x float>, ptr addrspace(3) %s
  %r = call <100 x float> @llvm.fma(<100 x float> %d, <100 x float> %d, <100 x float> %q)
  %t = call <100 x float> @llvm.fma(<100 x float> %e, <100 x float> %e, <100 x float> %r)
  br label %out
out:
  store <100 x float> %t, ptr addrspace(1) %g
  ret void
}

; Nor where that would hardly take fewer: before @carried's second part is extracted from what @product returns, 384
; registers are live in any order, and in the other block 386.
; CHECK-LABEL: @carried(
; CHECK:       next:
; CHECK:       %a = load
; CHECK-NEXT:  %b = load
; CHECK-NEXT:  %x = fneg
define void @carried(ptr addrspace(3) %s, ptr addrspace(1) %g) {
  %both = call { <128 x float>, <128 x float> } @product()
  %p = extractvalue { <128 x float>, <128 x float> } %both, 0
  %q = extractvalue { <128 x float>, <128 x float> } %both, 1
  br label %next

next:
  %a = load <65 x float>, ptr addrspace(3) %s
  %b = load <65 x float>, ptr addrspace(3) %s
  %x = fneg <65 x float> %a
  %y = fneg <65 x float> %b
  store <65 x float> %x, ptr addrspace(1) %g
  store <65 x float> %y, ptr addrspace(1) %g
  store <128 x float> %p, ptr addrspace(1) %g
  store <128 x float> %q, ptr addrspace(1) %g
  ret void
}

declare { <128 x float>, <128 x float> } @product()
