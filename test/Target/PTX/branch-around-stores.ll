; Stores to shared memory that some threads leave out get a branch, one for all that follow each other under one predicate.
;
; RUN: tilec-llvm-opt -passes=tilec-branch-around-stores %s | FileCheck %s

declare void @tilec.st.shared.b8(ptr addrspace(3), i16, i1) nounwind willreturn memory(argmem: write)
declare void @tilec.st.shared.v2.b32(ptr addrspace(3), i32, i32, i1) nounwind willreturn memory(argmem: write)
declare void @"tilec.st.shared::cluster.b64"(ptr addrspace(7), i64, i1) nounwind willreturn memory(argmem: write)
declare void @tilec.st.global.b32(ptr addrspace(1), i32, i1) nounwind willreturn memory(argmem: write)

; CHECK-LABEL: @together(
; CHECK-NEXT: %next = getelementptr
; CHECK-NEXT: %sum = add i32 %x, %y
; CHECK-NEXT: br i1 %c, label %[[STORES:.*]], label %[[BEHIND:.*]]
; CHECK: [[STORES]]:
; CHECK-NEXT: %[[BYTE:.*]] = trunc i16 %v to i8
; CHECK-NEXT: store i8 %[[BYTE]], ptr addrspace(3) %s, align 1
; CHECK-NEXT: %[[FIRST:.*]] = insertelement <2 x i32> poison, i32 %x, i64 0
; CHECK-NEXT: %[[BOTH:.*]] = insertelement <2 x i32> %[[FIRST]], i32 %sum, i64 1
; CHECK-NEXT: store <2 x i32> %[[BOTH]], ptr addrspace(3) %next, align 8
; CHECK-NEXT: br label %[[BEHIND]]
; CHECK: [[BEHIND]]:
; CHECK-NEXT: ret void
define void @together(ptr addrspace(3) %s, i16 %v, i32 %x, i32 %y, i1 %c) {
  call void @tilec.st.shared.b8(ptr addrspace(3) %s, i16 %v, i1 %c)
  %next = getelementptr i8, ptr addrspace(3) %s, i32 8
  %sum = add i32 %x, %y
  call void @tilec.st.shared.v2.b32(ptr addrspace(3) %next, i32 %x, i32 %sum, i1 %c)
  ret void
}

; Another access in between stays there, and each predicate has its own branch.
; CHECK-LABEL: @apart(
; CHECK: br i1 %c
; CHECK: store i8
; CHECK: store i32 %x, ptr addrspace(1) %g
; CHECK: br i1 %c
; CHECK: store i8
; CHECK: br i1 %d
; CHECK: store i64 %w, ptr addrspace(7) %p, align 8
; CHECK: ret void
define void @apart(ptr addrspace(3) %s, ptr addrspace(1) %g, ptr addrspace(7) %p, i16 %v, i32 %x, i64 %w, i1 %c, i1 %d) {
  call void @tilec.st.shared.b8(ptr addrspace(3) %s, i16 %v, i1 %c)
  store i32 %x, ptr addrspace(1) %g
  call void @tilec.st.shared.b8(ptr addrspace(3) %s, i16 %v, i1 %c)
  call void @"tilec.st.shared::cluster.b64"(ptr addrspace(7) %p, i64 %w, i1 %d)
  ret void
}

; CHECK-LABEL: @others(
; CHECK-NEXT: call void @tilec.st.global.b32(
; CHECK-NEXT: call void @tilec.st.shared.b8({{.*}} i1 true)
; CHECK-NEXT: ret void
define void @others(ptr addrspace(3) %s, ptr addrspace(1) %g, i16 %v, i32 %x, i1 %c) {
  call void @tilec.st.global.b32(ptr addrspace(1) %g, i32 %x, i1 %c)
  call void @tilec.st.shared.b8(ptr addrspace(3) %s, i16 %v, i1 true)
  ret void
}
