; The upper word of a product of two words is one instruction, and so is all of it where both are extended
; alike.
;
; RUN: tilec-llvm-opt -passes=tilec-narrow-products %s | FileCheck %s

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

; A stride may be negative, an index of a thread is not.
; CHECK-LABEL: @distance(
; CHECK-NEXT:  call i64 asm "mul.wide.s32 $0, $1, $2;", "=l,r,r"(i32 %stride, i32 %index)
; CHECK-NEXT:  %[[WIDE:.*]] = zext nneg i32 %other to i64
; CHECK-NEXT:  call i64 asm "mul.wide.s32 $0, $1, $2;", "=l,r,r"(i32 %other, i32 %otherStride)
; CHECK-NEXT:  add i64 {{.*}}, %[[WIDE]]
define i64 @distance(i32 %stride, i32 %otherStride, i32 range(i32 0, 1024) %index, i32 %other) {
  %wide = sext i32 %stride to i64
  %indexWide = zext i32 %index to i64
  %distance = mul nsw i64 %wide, %indexWide
  %otherWide = zext nneg i32 %other to i64
  %otherStrideWide = sext i32 %otherStride to i64
  %otherDistance = mul i64 %otherWide, %otherStrideWide
  %also = add i64 %otherDistance, %otherWide
  %sum = add i64 %distance, %also
  ret i64 %sum
}

; Multiples of one stride are sums.
; CHECK-LABEL: @rows(
; CHECK-NOT:   asm
; CHECK:       ret i64
define i64 @rows(i32 %stride, i32 range(i32 0, 8) %row) {
  %wide = sext i32 %stride to i64
  %first = zext nneg i32 %row to i64
  %distance = mul i64 %wide, %first
  %next = or disjoint i32 %row, 8
  %second = zext nneg i32 %next to i64
  %further = mul i64 %wide, %second
  %sum = add i64 %distance, %further
  ret i64 %sum
}

; This index may have its highest bit set, these factors have other widths, and those are extended alike.
; CHECK-LABEL: @unsigned(
; CHECK-NOT:   asm
; CHECK:       ret i64
define i64 @unsigned(i32 %stride, i32 %index, i16 %short) {
  %wide = sext i32 %stride to i64
  %indexWide = zext i32 %index to i64
  %distance = mul i64 %wide, %indexWide
  %shortWide = zext nneg i16 %short to i64
  %shortDistance = mul i64 %shortWide, %wide
  %sum = add i64 %distance, %shortDistance
  %square = mul i64 %wide, %wide
  %whole = add i64 %sum, %square
  ret i64 %whole
}
