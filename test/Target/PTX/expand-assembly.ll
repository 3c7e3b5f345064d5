; Assembly on vectors, which is a call until here, gets an operand and a result for each element. A structure of vectors
; is returned by the wait for several products.
;
; RUN: tilec-llvm-opt -passes=tilec-expand-assembly %s | FileCheck %s

declare <2 x float> @tilec.asm.0(<2 x float>, i64) "tilec-asm"="add $0, $1, $4;" "tilec-constraints"="=f,=f,0,1,l,~{memory}"
declare { <2 x float>, <1 x i32> } @tilec.asm.1(<2 x float>, <1 x i32>) "tilec-asm"="wait;" "tilec-constraints"="=f,=f,=r,0,1,2"
declare i32 @tilec.asm.2() "tilec-asm"="one $0;" "tilec-constraints"="=r"

; CHECK-LABEL: @vector(
; CHECK-NEXT: %[[A:.*]] = extractelement <2 x float> %x, i64 0
; CHECK-NEXT: %[[B:.*]] = extractelement <2 x float> %x, i64 1
; CHECK-NEXT: %[[ALL:.*]] = call { float, float } asm sideeffect "add $0, $1, $4;", "=f,=f,0,1,l,~{memory}"(float %[[A]], float %[[B]], i64 %y)
; CHECK-NEXT: %[[C:.*]] = extractvalue { float, float } %[[ALL]], 0
; CHECK-NEXT: %[[D:.*]] = insertelement <2 x float> poison, float %[[C]], i64 0
; CHECK-NEXT: %[[E:.*]] = extractvalue { float, float } %[[ALL]], 1
; CHECK-NEXT: %[[F:.*]] = insertelement <2 x float> %[[D]], float %[[E]], i64 1
; CHECK-NEXT: ret <2 x float> %[[F]]
define <2 x float> @vector(<2 x float> %x, i64 %y) {
  %sum = call <2 x float> @tilec.asm.0(<2 x float> %x, i64 %y)
  ret <2 x float> %sum
}

; CHECK-LABEL: @several(
; CHECK: call { float, float, i32 } asm sideeffect "wait;"
; CHECK: extractvalue { float, float, i32 } %{{.*}}, 2
; CHECK: insertelement <1 x i32>
; CHECK-NOT: call
define <1 x i32> @several(<2 x float> %x, <1 x i32> %y) {
  %both = call { <2 x float>, <1 x i32> } @tilec.asm.1(<2 x float> %x, <1 x i32> %y)
  %second = extractvalue { <2 x float>, <1 x i32> } %both, 1
  ret <1 x i32> %second
}

; CHECK-LABEL: @scalar(
; CHECK-NEXT: %[[ONE:.*]] = call i32 asm sideeffect "one $0;", "=r"()
; CHECK-NEXT: ret i32 %[[ONE]]
define i32 @scalar() {
  %one = call i32 @tilec.asm.2()
  ret i32 %one
}

declare float @tilec.asm.3(float) "tilec-asm"="wait;" "tilec-constraints"="=f,0" "tilec-take-up"

; What is to be taken up right behind it says so of the call.
; CHECK-LABEL: @takenUp(
; CHECK-NEXT: call float asm sideeffect "wait;", "=f,0"(float %x) #[[ATTRIBUTES:[0-9]+]]
; CHECK: attributes #[[ATTRIBUTES]] = { nounwind "tilec-take-up" }
define float @takenUp(float %x) {
  %done = call float @tilec.asm.3(float %x)
  ret float %done
}
