; LLVM's own passes treat calls that stand for accesses as they treat loads and stores: by the
; attributes of the called functions, those that the conversion from tiles gives them.
;
; RUN: tilec-llvm-opt -passes='function(early-cse<memssa>,loop-mssa(licm),adce)' %s | FileCheck %s

declare i32 @tilec.ld.global.b32(ptr addrspace(1) captures(none), i32, i1) nocallback nounwind willreturn memory(argmem: read)
declare i32 @tilec.ld.volatile.global.b32(ptr addrspace(1) captures(none), i32, i1) nocallback nounwind willreturn memory(argmem: readwrite, inaccessiblemem: readwrite)
declare void @tilec.st.global.b32(ptr addrspace(1) captures(none), i32, i1) nocallback nounwind willreturn memory(argmem: write)
declare i32 @tilec.atom.relaxed.gpu.global.add.u32(ptr addrspace(1) captures(none), i32, i1) nocallback nounwind willreturn memory(argmem: readwrite)
declare i32 @tilec.atom.acq_rel.gpu.global.add.u32(ptr addrspace(1) captures(none), i32, i1) nocallback nounwind willreturn
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; Equal loads are one; with another mask or other value they are not.
; CHECK-LABEL: @share(
; CHECK: %a = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
; CHECK-NEXT: %d = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %m)
; CHECK-NEXT: %e = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 1, i1 %c)
; CHECK-NEXT: %s = add i32 %a, %a
define i32 @share(ptr addrspace(1) %p, i1 %c, i1 %m) {
  %a = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
  %b = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
  %d = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %m)
  %e = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 1, i1 %c)
  %s = add i32 %a, %b
  %t = add i32 %s, %d
  %u = add i32 %t, %e
  ret i32 %u
}

; What may have been written between them is loaded again: by a store, by other threads before a
; barrier, by whoever an atomic operation synchronizes with.
; CHECK-LABEL: @again(
; CHECK-COUNT-4: call i32 @tilec.ld.global.b32(
define i32 @again(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c) {
  %a = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
  call void @tilec.st.global.b32(ptr addrspace(1) %q, i32 1, i1 %c)
  %b = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %d = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
  %x = call i32 @tilec.atom.acq_rel.gpu.global.add.u32(ptr addrspace(1) %q, i32 1, i1 %c)
  %e = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
  %s = add i32 %a, %b
  %t = add i32 %s, %d
  %u = add i32 %t, %e
  ret i32 %u
}

; Where it cannot have been written, it is not.
; CHECK-LABEL: @elsewhere(
; CHECK-COUNT-1: call i32 @tilec.ld.global.b32(
; CHECK-NOT: call i32 @tilec.ld.global.b32(
; CHECK: ret
define i32 @elsewhere(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %q, i1 %c) {
  %a = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
  call void @tilec.st.global.b32(ptr addrspace(1) %q, i32 1, i1 %c)
  %x = call i32 @tilec.atom.relaxed.gpu.global.add.u32(ptr addrspace(1) %q, i32 1, i1 %c)
  %b = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
  %s = add i32 %a, %b
  ret i32 %s
}

; Nothing but a volatile load stays without a user.
; CHECK-LABEL: @dead(
; CHECK-NEXT: call i32 @tilec.ld.volatile.global.b32(
; CHECK-NEXT: call i32 @tilec.ld.volatile.global.b32(
; CHECK-NEXT: ret void
define void @dead(ptr addrspace(1) %p, i1 %c) {
  %a = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
  %b = call i32 @tilec.ld.volatile.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
  %d = call i32 @tilec.ld.volatile.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
  ret void
}

; A loop that loads the same in every iteration loads it before. One that does so under a condition
; does not: the address need not be valid where the condition is false.
; CHECK-LABEL: @invariant(
; CHECK: entry:
; CHECK-NEXT: %v = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p
; CHECK-NEXT: br label %loop
; CHECK: then:
; CHECK-NEXT: %w = call i32 @tilec.ld.global.b32(ptr addrspace(1) %r
define i32 @invariant(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %q, ptr addrspace(1) noalias %r, i1 %c, i1 %m, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %more, %latch ]
  %v = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
  call void @tilec.st.global.b32(ptr addrspace(1) %q, i32 %i, i1 %c)
  br i1 %m, label %then, label %latch
then:
  %w = call i32 @tilec.ld.global.b32(ptr addrspace(1) %r, i32 0, i1 %c)
  br label %latch
latch:
  %x = phi i32 [ %v, %loop ], [ %w, %then ]
  %more = add i32 %sum, %x
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %more
}
