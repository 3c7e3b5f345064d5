; Arithmetic on vectors becomes arithmetic on registers: one element each, two of f16 and bf16. Memory
; accesses keep their vectors.
;
; RUN: tilec-llvm-opt -passes=tilec-split-vectors %s | FileCheck %s

; CHECK-LABEL: @singles(
; CHECK:      %[[X:.*]] = load <2 x float>, ptr %p
; CHECK-DAG:  %[[A:.*]] = extractelement <2 x float> %[[X]], i64 0
; CHECK-DAG:  %[[B:.*]] = extractelement <2 x float> %[[X]], i64 1
; CHECK-DAG:  %[[C:.*]] = fmul contract float %[[A]], 2.000000e+00
; CHECK-DAG:  %[[D:.*]] = fmul contract float %[[B]], 3.000000e+00
; CHECK:      %[[E:.*]] = insertelement <2 x float> poison, float %[[C]], i64 0
; CHECK:      %[[F:.*]] = insertelement <2 x float> %[[E]], float %[[D]], i64 1
; CHECK-NEXT: store <2 x float> %[[F]], ptr %p
define void @singles(ptr %p) {
  %x = load <2 x float>, ptr %p
  %y = fmul contract <2 x float> %x, <float 2.0, float 3.0>
  store <2 x float> %y, ptr %p
  ret void
}

; The odd one is alone.
; CHECK-LABEL: @pairs(
; CHECK-COUNT-1: fadd <2 x half>
; CHECK:         fadd half
; CHECK-NOT:     fadd
; CHECK:         ret void
define void @pairs(ptr %p) {
  %x = load <3 x half>, ptr %p
  %y = fadd <3 x half> %x, %x
  store <3 x half> %y, ptr %p
  ret void
}

; A value that a loop carries is one register an element.
; CHECK-LABEL: @carried(
; CHECK-COUNT-2: phi i32 [ 0, %entry ]
; CHECK-NOT:     phi <2 x i32>
define <2 x i32> @carried(i1 %again) {
entry:
  br label %loop
loop:
  %x = phi <2 x i32> [ zeroinitializer, %entry ], [ %y, %loop ]
  %y = add <2 x i32> %x, <i32 1, i32 2>
  br i1 %again, label %loop, label %end
end:
  ret <2 x i32> %y
}

; Bits of halves stay in pairs until they are words.
; CHECK-LABEL: @bits(
; CHECK:     %[[LOW:.*]] = phi <2 x i16>
; CHECK:     %[[HIGH:.*]] = phi <2 x i16>
; CHECK-NOT: phi
; CHECK-NOT: extractelement <2 x i16>
; CHECK:     bitcast <2 x i16> %[[LOW]] to i32
; CHECK:     bitcast <2 x i16> %[[HIGH]] to i32
define i32 @bits(i1 %is, <4 x float> %x) {
entry:
  br i1 %is, label %then, label %end
then:
  %halves = fptrunc <4 x float> %x to <4 x bfloat>
  %cast = bitcast <4 x bfloat> %halves to <4 x i16>
  br label %end
end:
  %bits = phi <4 x i16> [ zeroinitializer, %entry ], [ %cast, %then ]
  %words = bitcast <4 x i16> %bits to <2 x i32>
  %low = extractelement <2 x i32> %words, i64 0
  %pair = shufflevector <4 x i16> %bits, <4 x i16> poison, <2 x i32> <i32 2, i32 3>
  %high = bitcast <2 x i16> %pair to i32
  %sum = add i32 %low, %high
  ret i32 %sum
}

; A phi of integers has a phi for each, also where its user wants their bits in pairs.
; CHECK-LABEL: define void @pairs_of_phi
; CHECK: end:
; CHECK-NEXT: phi i16
; CHECK-NEXT: phi i16
; CHECK-NEXT: phi i16
; CHECK-NEXT: phi i16
; CHECK-NOT: phi
; CHECK-COUNT-2: fadd <2 x half>
define void @pairs_of_phi(i1 %c, ptr %p, ptr %q) {
entry:
  %a = load <4 x i16>, ptr %p
  br i1 %c, label %then, label %end
then:
  %b = load <4 x i16>, ptr %q
  br label %end
end:
  %x = phi <4 x i16> [ %a, %entry ], [ %b, %then ]
  %h = bitcast <4 x i16> %x to <4 x half>
  %s = fadd <4 x half> %h, %h
  store <4 x half> %s, ptr %p
  ret void
}
