; The upper word of a product of two words is one instruction.
;
; RUN: tilec-llvm-opt -passes=tilec-take-high-halves %s | FileCheck %s

; CHECK-LABEL: @high(
; CHECK-NEXT:  %[[HIGH:.*]] = call i32 @llvm.nvvm.mulhi.ui(i32 %a, i32 -766435501)
; CHECK-NEXT:  ret i32 %[[HIGH]]
define i32 @high(i32 %a) {
  %wide = zext i32 %a to i64
  %product = mul i64 %wide, 3528531795
  %upper = lshr i64 %product, 32
  %high = trunc i64 %upper to i32
  ret i32 %high
}

; The product has another user, or its factors have more bits.
; CHECK-LABEL: @both(
; CHECK-NOT:   mulhi
; CHECK:       ret i64
define i64 @both(i32 %a, i64 %b, ptr %p) {
  %wide = zext i32 %a to i64
  %product = mul i64 %wide, 3528531795
  %upper = lshr i64 %product, 32
  %high = trunc i64 %upper to i32
  store i32 %high, ptr %p
  %other = mul i64 %wide, %b
  %otherUpper = lshr i64 %other, 32
  %otherHigh = trunc i64 %otherUpper to i32
  store i32 %otherHigh, ptr %p
  ret i64 %product
}
