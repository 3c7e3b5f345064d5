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

; Bits of many elements are put together, and taken apart, a register at a time: the code generator
; would look for each of them in the whole vector.
; CHECK-LABEL: define void @many_bits
; CHECK-NOT: <256 x i16>
; CHECK: insertelement <2 x i16> poison
; CHECK: bitcast <2 x i16> %{{.*}} to i32
; CHECK: bitcast i32 %{{.*}} to <2 x i16>
; CHECK-NOT: <256 x i16>
; CHECK: ret void
define void @many_bits(<128 x i16> %a, <128 x i16> %b, ptr %p) {
  %both = shufflevector <128 x i16> %a, <128 x i16> %b, <256 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63, i32 64, i32 65, i32 66, i32 67, i32 68, i32 69, i32 70, i32 71, i32 72, i32 73, i32 74, i32 75, i32 76, i32 77, i32 78, i32 79, i32 80, i32 81, i32 82, i32 83, i32 84, i32 85, i32 86, i32 87, i32 88, i32 89, i32 90, i32 91, i32 92, i32 93, i32 94, i32 95, i32 96, i32 97, i32 98, i32 99, i32 100, i32 101, i32 102, i32 103, i32 104, i32 105, i32 106, i32 107, i32 108, i32 109, i32 110, i32 111, i32 112, i32 113, i32 114, i32 115, i32 116, i32 117, i32 118, i32 119, i32 120, i32 121, i32 122, i32 123, i32 124, i32 125, i32 126, i32 127, i32 128, i32 129, i32 130, i32 131, i32 132, i32 133, i32 134, i32 135, i32 136, i32 137, i32 138, i32 139, i32 140, i32 141, i32 142, i32 143, i32 144, i32 145, i32 146, i32 147, i32 148, i32 149, i32 150, i32 151, i32 152, i32 153, i32 154, i32 155, i32 156, i32 157, i32 158, i32 159, i32 160, i32 161, i32 162, i32 163, i32 164, i32 165, i32 166, i32 167, i32 168, i32 169, i32 170, i32 171, i32 172, i32 173, i32 174, i32 175, i32 176, i32 177, i32 178, i32 179, i32 180, i32 181, i32 182, i32 183, i32 184, i32 185, i32 186, i32 187, i32 188, i32 189, i32 190, i32 191, i32 192, i32 193, i32 194, i32 195, i32 196, i32 197, i32 198, i32 199, i32 200, i32 201, i32 202, i32 203, i32 204, i32 205, i32 206, i32 207, i32 208, i32 209, i32 210, i32 211, i32 212, i32 213, i32 214, i32 215, i32 216, i32 217, i32 218, i32 219, i32 220, i32 221, i32 222, i32 223, i32 224, i32 225, i32 226, i32 227, i32 228, i32 229, i32 230, i32 231, i32 232, i32 233, i32 234, i32 235, i32 236, i32 237, i32 238, i32 239, i32 240, i32 241, i32 242, i32 243, i32 244, i32 245, i32 246, i32 247, i32 248, i32 249, i32 250, i32 251, i32 252, i32 253, i32 254, i32 255>
  %words = bitcast <256 x i16> %both to <128 x i32>
  %more = add <128 x i32> %words, splat (i32 1)
  %parts = bitcast <128 x i32> %more to <256 x i16>
  %one = extractelement <256 x i16> %parts, i64 255
  store i16 %one, ptr %p
  ret void
}
