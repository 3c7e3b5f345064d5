; A float that is a bitcast of a float of another kind is hidden from LLVM's optimizer.
;
; RUN: tilec-llvm-opt -passes=tilec-avoid-optimizer-faults %s | FileCheck %s

; CHECK-LABEL: @recast(
; CHECK-NEXT:  %bits = bitcast half %h to i16
; CHECK-NEXT:  %[[MOVED:.*]] = call i16 asm "mov.b16 $0, $1;", "=h,h"(i16 %bits)
; CHECK-NEXT:  %b = bitcast i16 %[[MOVED]] to bfloat
define i1 @recast(half %h) {
  %bits = bitcast half %h to i16
  %b = bitcast i16 %bits to bfloat
  %r = fcmp une bfloat %b, 0.0
  ret i1 %r
}

; CHECK-LABEL: @same(
; CHECK-NOT:   asm
; CHECK:       ret half
define half @same(half %h) {
  %bits = bitcast half %h to i16
  %b = bitcast i16 %bits to half
  ret half %b
}
