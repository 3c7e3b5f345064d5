; A kernel that needs about as many registers as a thread of its block can have asks for one resident
; block; a small one, one of unknown block size, and one that has a bound are left alone.
;
; RUN: tilec-llvm-opt -passes=tilec-bound-resident-blocks %s | FileCheck %s

; CHECK: define ptx_kernel void @large({{.*}}) #[[LARGE:[0-9]+]]
define ptx_kernel void @large(ptr %p) "nvvm.reqntid"="1024" {
  %v = load <64 x float>, ptr %p
  %w = fadd <64 x float> %v, %v
  store <64 x float> %w, ptr %p
  ret void
}

; CHECK: define ptx_kernel void @small({{.*}}) #[[SMALL:[0-9]+]]
define ptx_kernel void @small(ptr %p) "nvvm.reqntid"="1024" "kernel"="small" {
  %v = load <4 x float>, ptr %p
  %w = fadd <4 x float> %v, %v
  store <4 x float> %w, ptr %p
  ret void
}

; CHECK: define ptx_kernel void @anyBlock({{.*}}) {
define ptx_kernel void @anyBlock(ptr %p) {
  %v = load <64 x float>, ptr %p
  store <64 x float> %v, ptr %p
  ret void
}

; CHECK: define ptx_kernel void @bounded({{.*}}) #[[BOUNDED:[0-9]+]]
define ptx_kernel void @bounded(ptr %p) "nvvm.reqntid"="1024" "nvvm.maxnreg"="40" {
  %v = load <64 x float>, ptr %p
  store <64 x float> %v, ptr %p
  ret void
}

; A kernel with matrix instructions has a limit of registers where that leaves room for a second block of 256 threads: by
; the estimate, and by its shared memory (64 KB, since the tool takes the first architecture).
;
; CHECK: define ptx_kernel void @product({{.*}}) #[[PRODUCT:[0-9]+]]
define ptx_kernel void @product(ptr %p) "nvvm.reqntid"="256" "tile.shared_bytes"="30720" {
  %v = load <120 x float>, ptr %p
  call void asm sideeffect "wgmma.mma_async.sync;", ""()
  store <120 x float> %v, ptr %p
  ret void
}

; CHECK: define ptx_kernel void @muchShared({{.*}}) #[[NOLIMIT:[0-9]+]]
define ptx_kernel void @muchShared(ptr %p) "nvvm.reqntid"="256" "tile.shared_bytes"="40960" {
  %v = load <120 x float>, ptr %p
  call void asm sideeffect "wgmma.mma_async.sync;", ""()
  store <120 x float> %v, ptr %p
  ret void
}

; CHECK: define ptx_kernel void @fewValues({{.*}}) #[[NOLIMIT]]
define ptx_kernel void @fewValues(ptr %p) "nvvm.reqntid"="256" "tile.shared_bytes"="30720" {
  %v = load <60 x float>, ptr %p
  call void asm sideeffect "wgmma.mma_async.sync;", ""()
  store <60 x float> %v, ptr %p
  ret void
}

; CHECK: define ptx_kernel void @manyValues({{.*}}) #[[NOLIMIT]]
define ptx_kernel void @manyValues(ptr %p) "nvvm.reqntid"="256" "tile.shared_bytes"="30720" {
  %v = load <160 x float>, ptr %p
  call void asm sideeffect "wgmma.mma_async.sync;", ""()
  store <160 x float> %v, ptr %p
  ret void
}

; What is computed with constants counts where it is no part of an address.
; CHECK: define ptx_kernel void @narrowValues({{.*}}) #[[NOLIMIT]]
define ptx_kernel void @narrowValues(ptr %p, ptr %q) "nvvm.reqntid"="256" "tile.shared_bytes"="30720" {
  %v = load <160 x float>, ptr %p
  %h = load i16, ptr %q
  %a = and i16 %h, 1
  %b = and i16 %h, 2
  %c = and i16 %h, 4
  call void asm sideeffect "wgmma.mma_async.sync;", ""()
  store <160 x float> %v, ptr %p
  store volatile i16 %a, ptr %q
  store volatile i16 %b, ptr %q
  store volatile i16 %c, ptr %q
  ret void
}

; A third block of 128 threads, but no fifth of 64.
; CHECK: define ptx_kernel void @third({{.*}}) #[[THIRD:[0-9]+]]
define ptx_kernel void @third(ptr %p) "nvvm.reqntid"="128" {
  %v = load <170 x float>, ptr %p
  call void asm sideeffect "wgmma.mma_async.sync;", ""()
  store <170 x float> %v, ptr %p
  ret void
}

; CHECK: define ptx_kernel void @fifth({{.*}}) #[[FIFTH:[0-9]+]]
define ptx_kernel void @fifth(ptr %p) "nvvm.reqntid"="64" {
  %v = load <190 x float>, ptr %p
  call void asm sideeffect "wgmma.mma_async.sync;", ""()
  store <190 x float> %v, ptr %p
  ret void
}

; A loop that loads 64 bytes at once is told how many blocks its values leave, so that ptxas keeps these loads together;
; not one that loads less, or from shared memory.
declare { i32, i32, i32, i32 } @tilec.ld.global.v4.b32(ptr addrspace(1), i32, i32, i32, i32, i1) nounwind willreturn memory(argmem: read)
declare { i32, i32, i32, i32 } @tilec.ld.shared.v4.b32(ptr addrspace(3), i32, i32, i32, i32, i1) nounwind willreturn memory(argmem: read)

; CHECK: define ptx_kernel void @manyLoads({{.*}}) #[[LOADS:[0-9]+]]
define ptx_kernel void @manyLoads(ptr addrspace(1) %p, ptr %out, i1 %c) "nvvm.reqntid"="128" {
entry:
  br label %loop
loop:
  %sum = phi <64 x float> [ zeroinitializer, %entry ], [ %next, %loop ]
  %a = load <8 x float>, ptr addrspace(1) %p
  %b = call { i32, i32, i32, i32 } @tilec.ld.global.v4.b32(ptr addrspace(1) %p, i32 0, i32 0, i32 0, i32 0, i1 %c)
  %d = call { i32, i32, i32, i32 } @tilec.ld.global.v4.b32(ptr addrspace(1) %p, i32 1, i32 0, i32 0, i32 0, i1 %c)
  %next = fadd <64 x float> %sum, %sum
  br i1 %c, label %loop, label %end
end:
  store <64 x float> %next, ptr %out
  ret void
}

; Nor one of which one block is resident: there is no less.
; CHECK: define ptx_kernel void @oneBlock({{.*}}) #[[NOLIMIT]]
define ptx_kernel void @oneBlock(ptr addrspace(1) %p, ptr %out, i1 %c) "nvvm.reqntid"="256" {
entry:
  br label %loop
loop:
  %sum = phi <128 x float> [ zeroinitializer, %entry ], [ %next, %loop ]
  %a = load <16 x float>, ptr addrspace(1) %p
  %next = fadd <128 x float> %sum, %sum
  br i1 %c, label %loop, label %end
end:
  store <16 x float> %a, ptr %out
  store <128 x float> %next, ptr %out
  ret void
}

; Straight code whose loads were brought together gets as many registers as that took at most: 60, rounded up.
; CHECK: define ptx_kernel void @straight({{.*}}) #[[STRAIGHT:[0-9]+]]
define ptx_kernel void @straight(ptr %p) "nvvm.reqntid"="128" "tile.loads_ahead"="straight" {
  %v = load <8 x float>, ptr %p
  store <8 x float> %v, ptr %p
  ret void
}

; A partition has registers for two warps of 200 registers a thread, a multiprocessor for four blocks of two warps, not for
; the five that all its registers together would do for.
; CHECK: define ptx_kernel void @partitions({{.*}}) #[[PARTITIONS:[0-9]+]]
define ptx_kernel void @partitions(ptr addrspace(1) %p, ptr %out, i1 %c) "nvvm.reqntid"="64" {
entry:
  br label %loop
loop:
  %sum = phi <160 x float> [ zeroinitializer, %entry ], [ %next, %loop ]
  %a = load <8 x float>, ptr addrspace(1) %p
  %b = call { i32, i32, i32, i32 } @tilec.ld.global.v4.b32(ptr addrspace(1) %p, i32 0, i32 0, i32 0, i32 0, i1 %c)
  %d = call { i32, i32, i32, i32 } @tilec.ld.global.v4.b32(ptr addrspace(1) %p, i32 1, i32 0, i32 0, i32 0, i1 %c)
  %next = fadd <160 x float> %sum, %sum
  br i1 %c, label %loop, label %end
end:
  store <160 x float> %next, ptr %out
  ret void
}

; CHECK: define ptx_kernel void @fewLoads({{.*}}) #[[NOLOADS:[0-9]+]]
define ptx_kernel void @fewLoads(ptr addrspace(1) %p, ptr addrspace(3) %s, ptr %out, i1 %c) "nvvm.reqntid"="128" {
entry:
  br label %loop
loop:
  %sum = phi <64 x float> [ zeroinitializer, %entry ], [ %next, %loop ]
  %a = load <8 x float>, ptr addrspace(1) %p
  %b = call { i32, i32, i32, i32 } @tilec.ld.global.v4.b32(ptr addrspace(1) %p, i32 0, i32 0, i32 0, i32 0, i1 %c)
  %d = call { i32, i32, i32, i32 } @tilec.ld.shared.v4.b32(ptr addrspace(3) %s, i32 0, i32 0, i32 0, i32 0, i1 %c)
  %next = fadd <64 x float> %sum, %sum
  br i1 %c, label %loop, label %end
end:
  store <64 x float> %next, ptr %out
  ret void
}

; CHECK-DAG: attributes #[[LARGE]] = { "nvvm.minctasm"="1" "nvvm.reqntid"="1024" }
; CHECK-DAG: attributes #[[SMALL]] = { "kernel"="small" "nvvm.reqntid"="1024" }
; CHECK-DAG: attributes #[[BOUNDED]] = { "nvvm.maxnreg"="40" "nvvm.reqntid"="1024" }
; CHECK-DAG: attributes #[[PRODUCT]] = { "nvvm.maxnreg"="128" "nvvm.reqntid"="256" }
; CHECK-DAG: attributes #[[NOLIMIT]] = { "nvvm.reqntid"="256" }
; CHECK-DAG: attributes #[[THIRD]] = { "nvvm.maxnreg"="168" "nvvm.reqntid"="128" }
; CHECK-DAG: attributes #[[FIFTH]] = { "nvvm.reqntid"="64" }
; CHECK-DAG: attributes #[[LOADS]] = { "nvvm.minctasm"="6" "nvvm.reqntid"="128" }
; CHECK-DAG: attributes #[[NOLOADS]] = { "nvvm.reqntid"="128" }
; CHECK-DAG: attributes #[[STRAIGHT]] = { "nvvm.minctasm"="8" "nvvm.reqntid"="128" }
; CHECK-DAG: attributes #[[PARTITIONS]] = { "nvvm.minctasm"="4" "nvvm.reqntid"="64" }
