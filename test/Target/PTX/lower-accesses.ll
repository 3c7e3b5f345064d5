; Calls that stand for memory accesses become inline PTX, and their declarations go.
;
; RUN: tilec-llvm-opt -passes=tilec-lower-accesses %s | FileCheck %s

; CHECK-NOT: declare {{.*}}@tilec.ld
; CHECK-NOT: declare {{.*}}@tilec.st.global.v4
declare i16 @tilec.ld.global.b8(ptr addrspace(1), i16, i1) nounwind willreturn memory(argmem: read)
declare i32 @tilec.ld.volatile.global.b32(ptr addrspace(1), i32, i1)
declare { i32, i32 } @tilec.ld.shared.v2.b32(ptr addrspace(3), i32, i32, i1)
declare { i64, i64 } @"tilec.ld.global.L1::evict_first.v2.b64"(ptr addrspace(1), i64, i64, i1)
declare void @tilec.st.global.b8(ptr addrspace(1), i16, i1)
declare void @tilec.st.global.cs.v4.b32(ptr addrspace(1), i32, i32, i32, i32, i1)
declare i32 @tilec.atom.relaxed.gpu.global.add.f32(ptr addrspace(1), i32, i1)
declare { i32, i32 } @tilec.atom.relaxed.gpu.global.add.v2.f32(ptr addrspace(1), i32, i32, i1)
declare i64 @tilec.atom.acq_rel.sys.global.cas.b64(ptr addrspace(1), i64, i64, i1)

; The destination holds what the load returns where its predicate is false.
; CHECK-LABEL: @loads(
; CHECK: call i16 asm sideeffect "mov.b16 $0, 0; @$2 ld.global.b8 $0, [$1];", "=&h,l,b"(ptr addrspace(1) %p, i1 %c)
; CHECK: call { i32, i32 } asm sideeffect "mov.b32 $0, $4; mov.b32 $1, $5; @$3 ld.shared.v2.b32 {$0, $1}, [$2];", "=&r,=&r,l,b,r,r"(ptr addrspace(3) %s, i1 %c, i32 %x, i32 0)
; CHECK: call { i64, i64 } asm sideeffect "mov.b64 $0, 0; mov.b64 $1, $4; @$3 ld.global.L1::evict_first.v2.b64 {$0, $1}, [$2];", "=&l,=&l,l,b,l"(ptr addrspace(1) %p, i1 %c, i64 7)
; CHECK: ret i16 %{{.*}}
define i16 @loads(ptr addrspace(1) %p, ptr addrspace(3) %s, i1 %c, i32 %x) {
  %byte = call i16 @tilec.ld.global.b8(ptr addrspace(1) %p, i16 poison, i1 %c)
  %pair = call { i32, i32 } @tilec.ld.shared.v2.b32(ptr addrspace(3) %s, i32 %x, i32 0, i1 %c)
  %wide = call { i64, i64 } @"tilec.ld.global.L1::evict_first.v2.b64"(ptr addrspace(1) %p, i64 poison, i64 7, i1 %c)
  ret i16 %byte
}

; CHECK-LABEL: @stores(
; CHECK: call void asm sideeffect "@$2 st.global.b8 [$0], $1;", "l,h,b,~{memory}"(ptr addrspace(1) %p, i16 %v, i1 %c)
; CHECK: call void asm sideeffect "@$5 st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,b,~{memory}"(ptr addrspace(1) %p, i32 %x, i32 0, i32 %x, i32 1, i1 %c)
define void @stores(ptr addrspace(1) %p, i1 %c, i16 %v, i32 %x) {
  call void @tilec.st.global.b8(ptr addrspace(1) %p, i16 %v, i1 %c)
  call void @tilec.st.global.cs.v4.b32(ptr addrspace(1) %p, i32 %x, i32 0, i32 %x, i32 1, i1 %c)
  ret void
}

; CHECK-LABEL: @atomics(
; CHECK: call i32 asm sideeffect "mov.b32 $0, 0; @$3 atom.relaxed.gpu.global.add.f32 $0, [$1], $2;", "=&r,l,r,b,~{memory}"(ptr addrspace(1) %p, i32 %x, i1 %c)
; CHECK: call { i32, i32 } asm sideeffect "mov.b32 $0, 0; mov.b32 $1, 0; @$5 atom.relaxed.gpu.global.add.v2.f32 {$0, $1}, [$2], {$3, $4};", "=&r,=&r,l,r,r,b,~{memory}"(ptr addrspace(1) %p, i32 %x, i32 %x, i1 %c)
; CHECK: call i64 asm sideeffect "atom.acq_rel.sys.global.cas.b64 $0, [$1], $2, $3;", "=&l,l,l,l,~{memory}"(ptr addrspace(1) %p, i64 %y, i64 1)
define void @atomics(ptr addrspace(1) %p, i1 %c, i32 %x, i64 %y) {
  call i32 @tilec.atom.relaxed.gpu.global.add.f32(ptr addrspace(1) %p, i32 %x, i1 %c)
  call { i32, i32 } @tilec.atom.relaxed.gpu.global.add.v2.f32(ptr addrspace(1) %p, i32 %x, i32 %x, i1 %c)
  call i64 @tilec.atom.acq_rel.sys.global.cas.b64(ptr addrspace(1) %p, i64 %y, i64 1, i1 true)
  ret void
}

; Without predicate nothing else defines the result.
; CHECK-LABEL: @always(
; CHECK: call i32 asm sideeffect "ld.volatile.global.b32 $0, [$1];", "=&r,l"(ptr addrspace(1) %p)
; CHECK: call void asm sideeffect "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,~{memory}"
define void @always(ptr addrspace(1) %p, i32 %x) {
  %v = call i32 @tilec.ld.volatile.global.b32(ptr addrspace(1) %p, i32 %x, i1 true)
  call void @tilec.st.global.cs.v4.b32(ptr addrspace(1) %p, i32 %v, i32 %v, i32 %v, i32 %v, i1 true)
  ret void
}

; What has the name but not the form is left alone: too few registers, of several widths, a pair that
; the operands do not fill, a definition.
; CHECK-LABEL: @others(
; CHECK-NEXT: call i32 @tilec.ld.global.b32(
; CHECK-NEXT: call void @tilec.st.global.v2.b32(
; CHECK-NEXT: call { i32, i32 } @tilec.atom.relaxed.gpu.global.add.v2.u32(
; CHECK-NEXT: call i32 @tilec.prefetch.global.L1(
; CHECK-NEXT: call i32 @tilec.ld.global.cg.b32(
declare i32 @tilec.ld.global.b32(ptr addrspace(1), i1)
declare void @tilec.st.global.v2.b32(ptr addrspace(1), i32, i16, i1)
declare { i32, i32 } @tilec.atom.relaxed.gpu.global.add.v2.u32(ptr addrspace(1), i32, i32, i32, i1)
declare i32 @tilec.prefetch.global.L1(ptr addrspace(1), i32, i1)
define i32 @tilec.ld.global.cg.b32(ptr addrspace(1) %p, i32 %x, i1 %c) {
  ret i32 %x
}
define void @others(ptr addrspace(1) %p, i1 %c, i32 %x, i16 %v) {
  call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i1 %c)
  call void @tilec.st.global.v2.b32(ptr addrspace(1) %p, i32 %x, i16 %v, i1 %c)
  call { i32, i32 } @tilec.atom.relaxed.gpu.global.add.v2.u32(ptr addrspace(1) %p, i32 %x, i32 %x, i32 %x, i1 %c)
  call i32 @tilec.prefetch.global.L1(ptr addrspace(1) %p, i32 %x, i1 %c)
  call i32 @tilec.ld.global.cg.b32(ptr addrspace(1) %p, i32 %x, i1 %c)
  ret void
}

; Accesses with a cache policy share the one of their priority, which is made where the function begins.
declare i32 @"tilec.ld.global.L1::evict_first.L2::cache_hint.b32"(ptr addrspace(1), i32, i1)
declare void @"tilec.st.global.L1::evict_last.L2::cache_hint.b32"(ptr addrspace(1), i32, i1)
; CHECK-LABEL: @policies(
; CHECK-DAG: %[[FIRST:.*]] = call i64 asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l"()
; CHECK-DAG: %[[LAST:.*]] = call i64 asm "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l"()
; CHECK: br i1
; CHECK: asm sideeffect "ld.global.L1::evict_first.L2::cache_hint.b32 $0, [$1], $2;", "=&r,l,l"(ptr addrspace(1) %p, i64 %[[FIRST]])
; CHECK: asm sideeffect "mov.b32 $0, 0; @$3 ld.global.L1::evict_first.L2::cache_hint.b32 $0, [$1], $2;", "=&r,l,l,b"(ptr addrspace(1) %p, i64 %[[FIRST]], i1 %c)
; CHECK: asm sideeffect "@$3 st.global.L1::evict_last.L2::cache_hint.b32 [$0], $1, $2;", "l,r,l,b,~{memory}"(ptr addrspace(1) %p, i32 %{{.*}}, i64 %[[LAST]], i1 %c)
define void @policies(ptr addrspace(1) %p, i1 %c) {
  br i1 %c, label %then, label %done
then:
  %x = call i32 @"tilec.ld.global.L1::evict_first.L2::cache_hint.b32"(ptr addrspace(1) %p, i32 poison, i1 true)
  %y = call i32 @"tilec.ld.global.L1::evict_first.L2::cache_hint.b32"(ptr addrspace(1) %p, i32 poison, i1 %c)
  %z = add i32 %x, %y
  call void @"tilec.st.global.L1::evict_last.L2::cache_hint.b32"(ptr addrspace(1) %p, i32 %z, i1 %c)
  br label %done
done:
  ret void
}
