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

; CHECK-DAG: attributes #[[LARGE]] = { "nvvm.minctasm"="1" "nvvm.reqntid"="1024" }
; CHECK-DAG: attributes #[[SMALL]] = { "kernel"="small" "nvvm.reqntid"="1024" }
; CHECK-DAG: attributes #[[BOUNDED]] = { "nvvm.maxnreg"="40" "nvvm.reqntid"="1024" }
