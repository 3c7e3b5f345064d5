; Comparisons of the registers of one tile with one bound share a difference, and elements that were
; loaded one by one are extended from bf16 one by one.
;
; RUN: tilec-llvm-opt -passes=tilec-simplify-registers %s | FileCheck %s

; CHECK-LABEL: @mask(
; CHECK:      %[[BOUND:.*]] = call i32 @llvm.smax.i32(i32 %n, i32 -1)
; CHECK-NEXT: %[[REST:.*]] = sub nsw i32 %[[BOUND]], %t
; CHECK-DAG:  icmp sgt i32 %[[REST]], 0
; CHECK-DAG:  icmp sgt i32 %[[REST]], 128
; CHECK-DAG:  icmp sgt i32 %[[REST]], 256
; CHECK-DAG:  icmp sgt i32 %[[REST]], 384
; CHECK-NOT:  icmp slt
; CHECK:      ret void
define void @mask(i32 %x, i32 %n, ptr %p) {
  %t = and i32 %x, 127
  %e1 = or disjoint i32 %t, 128
  %e2 = or disjoint i32 %t, 256
  %e3 = or disjoint i32 %t, 384
  %c0 = icmp slt i32 %t, %n
  %c1 = icmp slt i32 %e1, %n
  %c2 = icmp slt i32 %e2, %n
  %c3 = icmp slt i32 %e3, %n
  store i1 %c0, ptr %p
  store i1 %c1, ptr %p
  store i1 %c2, ptr %p
  store i1 %c3, ptr %p
  ret void
}

; The base may be negative here: n - x could overflow.
; CHECK-LABEL: @mayOverflow(
; CHECK-NOT:   sub
; CHECK:       ret void
define void @mayOverflow(i32 %x, i32 %n, ptr %p) {
  %e1 = add nsw i32 %x, 1
  %e2 = add nsw i32 %x, 2
  %e3 = add nsw i32 %x, 3
  %c0 = icmp slt i32 %x, %n
  %c1 = icmp slt i32 %e1, %n
  %c2 = icmp slt i32 %e2, %n
  %c3 = icmp slt i32 %e3, %n
  store i1 %c0, ptr %p
  store i1 %c1, ptr %p
  store i1 %c2, ptr %p
  store i1 %c3, ptr %p
  ret void
}

; CHECK-LABEL: @extend(
; CHECK-DAG:  %[[A:.*]] = zext i16 %a to i32
; CHECK-DAG:  %[[LOW:.*]] = shl i32 %[[A]], 16
; CHECK-DAG:  %[[B:.*]] = zext i16 %b to i32
; CHECK-DAG:  %[[HIGH:.*]] = shl i32 %[[B]], 16
; CHECK-DAG:  store i32 %[[LOW]]
; CHECK-DAG:  store i32 %[[HIGH]]
define void @extend(i16 %a, i16 %b, ptr %p, ptr %q) {
  %va = bitcast i16 %a to <1 x bfloat>
  %vb = bitcast i16 %b to <1 x bfloat>
  %ea = extractelement <1 x bfloat> %va, i64 0
  %eb = extractelement <1 x bfloat> %vb, i64 0
  %first = insertelement <2 x bfloat> poison, bfloat %ea, i64 0
  %pair = insertelement <2 x bfloat> %first, bfloat %eb, i64 1
  %word = bitcast <2 x bfloat> %pair to i32
  %low = shl i32 %word, 16
  %high = and i32 %word, -65536
  store i32 %low, ptr %p
  store i32 %high, ptr %q
  ret void
}
