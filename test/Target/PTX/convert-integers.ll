; Integers of few bits become floats by the bits of these: the mantissa of a power of two, which is taken away.
;
; RUN: tilec-llvm-opt -passes=tilec-convert-integers %s | FileCheck %s

; 1024 is 0x6400 in half: its bytes are 100. The mask is of four bits, of which the fourth is a sign.
; CHECK-LABEL: @halves_of_bytes(
; CHECK:       %[[WORDS:.*]] = bitcast <4 x i8> %bytes to i32
; CHECK-NEXT:  %[[KEPT:.*]] = and i32 %[[WORDS]], 252645135
; CHECK-NEXT:  %[[BITS:.*]] = xor i32 %[[KEPT]], 134744072
; CHECK-NEXT:  %[[NUMBER:.*]] = call i32 @llvm.nvvm.prmt(i32 %[[BITS]], i32 1684300900, i32 17218)
; CHECK-NEXT:  %[[HALVES:.*]] = bitcast i32 %[[NUMBER]] to <2 x half>
; CHECK-NEXT:  fsub <2 x half> %[[HALVES]], splat (half 0xH6408)
; CHECK-NOT:   sitofp
define <2 x half> @halves_of_bytes(<4 x i8> %bytes) {
  %a = extractelement <4 x i8> %bytes, i64 2
  %b = extractelement <4 x i8> %bytes, i64 3
  %a4 = shl i8 %a, 4
  %b4 = shl i8 %b, 4
  %low = ashr i8 %a4, 4
  %high = ashr i8 %b4, 4
  %v = insertelement <2 x i8> poison, i8 %low, i64 0
  %w = insertelement <2 x i8> %v, i8 %high, i64 1
  %f = sitofp <2 x i8> %w to <2 x half>
  ret <2 x half> %f
}

; Upper halves of bytes are moved down first, all four of a word at once.
; CHECK-LABEL: @upper_halves(
; CHECK:       %[[WORD:.*]] = extractelement <2 x i32> %{{.*}}, i64 1
; CHECK-NEXT:  lshr i32 %[[WORD]], 4
; CHECK:       @llvm.nvvm.prmt
define <2 x half> @upper_halves(<8 x i8> %bytes) {
  %a = extractelement <8 x i8> %bytes, i64 4
  %b = extractelement <8 x i8> %bytes, i64 5
  %low = lshr i8 %a, 4
  %high = lshr i8 %b, 4
  %v = insertelement <2 x i8> poison, i8 %low, i64 0
  %w = insertelement <2 x i8> %v, i8 %high, i64 1
  %f = uitofp <2 x i8> %w to <2 x half>
  ret <2 x half> %f
}

; A bfloat has seven bits beside its power of two. The eighth one makes that 256 instead of 128.
; CHECK-LABEL: @bfloats(
; CHECK:       and i32 %{{.*}}, 2139062143
; CHECK:       %[[LOW:.*]] = bitcast i32 %{{.*}} to <2 x bfloat>
; CHECK:       and i32 %{{.*}}, -2139062144
; CHECK:       %[[HIGH:.*]] = bitcast i32 %{{.*}} to <2 x bfloat>
; CHECK-NEXT:  call <2 x bfloat> @llvm.fma.v2bf16(<2 x bfloat> %[[HIGH]], <2 x bfloat> splat (bfloat 0xRBF80), <2 x bfloat> %[[LOW]])
; CHECK-NEXT:  ret
define <2 x bfloat> @bfloats(<4 x i8> %bytes) {
  %v = shufflevector <4 x i8> %bytes, <4 x i8> poison, <2 x i32> <i32 0, i32 1>
  %f = sitofp <2 x i8> %v to <2 x bfloat>
  ret <2 x bfloat> %f
}

; The same bytes of two words: what is gathered has the next pair, too.
; CHECK-LABEL: @two_words(
; CHECK:       call i32 @llvm.nvvm.prmt(i32 %{{.*}}, i32 %{{.*}}, i32 20800)
; CHECK:       call i32 @llvm.nvvm.prmt(i32 %{{.*}}, i32 %{{.*}}, i32 20800)
define void @two_words(<4 x i8> %one, <4 x i8> %other, ptr %out) {
  %a0 = extractelement <4 x i8> %one, i64 0
  %b0 = extractelement <4 x i8> %other, i64 0
  %a1 = extractelement <4 x i8> %one, i64 1
  %b1 = extractelement <4 x i8> %other, i64 1
  %v = insertelement <2 x i8> poison, i8 %a0, i64 0
  %w = insertelement <2 x i8> %v, i8 %b0, i64 1
  %f = uitofp <2 x i8> %w to <2 x half>
  %x = insertelement <2 x i8> poison, i8 %a1, i64 0
  %y = insertelement <2 x i8> %x, i8 %b1, i64 1
  %g = uitofp <2 x i8> %y to <2 x half>
  store <2 x half> %f, ptr %out
  %next = getelementptr <2 x half>, ptr %out, i64 1
  store <2 x half> %g, ptr %next
  ret void
}

; 8388608 is 0x4b000000.
; CHECK-LABEL: @float(
; CHECK:       %[[SIGN:.*]] = xor i32 %{{.*}}, -2139062144
; CHECK-NEXT:  %[[NUMBER:.*]] = call i32 @llvm.nvvm.prmt(i32 %[[SIGN]], i32 1258291200, i32 29763)
; CHECK-NEXT:  %[[FLOAT:.*]] = bitcast i32 %[[NUMBER]] to float
; CHECK-NEXT:  fsub float %[[FLOAT]], 0x4160001000000000
define float @float(<4 x i8> %bytes) {
  %a = extractelement <4 x i8> %bytes, i64 3
  %f = sitofp i8 %a to float
  ret float %f
}

; Words have an instruction for f32; so do not all of those that bfloat has to round.
; CHECK-LABEL: @words(
; CHECK-COUNT-2: sitofp i32 %{{.*}} to float
; CHECK:       fptrunc <2 x float> %{{.*}} to <2 x bfloat>
; CHECK:       sitofp <2 x i32> %both to <2 x bfloat>
define <2 x bfloat> @words(i32 %a, i32 %b) {
  %low = ashr i32 %a, 10
  %high = ashr i32 %b, 10
  %v = insertelement <2 x i32> poison, i32 %low, i64 0
  %w = insertelement <2 x i32> %v, i32 %high, i64 1
  %f = sitofp <2 x i32> %w to <2 x bfloat>
  %all = insertelement <2 x i32> poison, i32 %a, i64 0
  %both = insertelement <2 x i32> %all, i32 %b, i64 1
  %g = sitofp <2 x i32> %both to <2 x bfloat>
  %sum = fadd <2 x bfloat> %f, %g
  ret <2 x bfloat> %sum
}

; Eight permutations share the word of the powers of two, in a register whose value nobody knows.
; CHECK-LABEL: @many(
; CHECK:       %[[NUMBER:.*]] = call i32 asm "mov.u32 $0, %smid;", "=r"()
; CHECK-NEXT:  %[[ZERO:.*]] = lshr i32 %[[NUMBER]], 31
; CHECK-NEXT:  %[[POWER:.*]] = add i32 %[[ZERO]], 1684300900
; CHECK-COUNT-8: call i32 @llvm.nvvm.prmt(i32 %{{.*}}, i32 %[[POWER]], i32 {{[0-9]+}})
define <16 x half> @many(<4 x i8> %a, <4 x i8> %b, <4 x i8> %c, <4 x i8> %d) {
  %a0 = shufflevector <4 x i8> %a, <4 x i8> poison, <2 x i32> <i32 0, i32 1>
  %a1 = shufflevector <4 x i8> %a, <4 x i8> poison, <2 x i32> <i32 2, i32 3>
  %b0 = shufflevector <4 x i8> %b, <4 x i8> poison, <2 x i32> <i32 0, i32 1>
  %b1 = shufflevector <4 x i8> %b, <4 x i8> poison, <2 x i32> <i32 2, i32 3>
  %c0 = shufflevector <4 x i8> %c, <4 x i8> poison, <2 x i32> <i32 0, i32 1>
  %c1 = shufflevector <4 x i8> %c, <4 x i8> poison, <2 x i32> <i32 2, i32 3>
  %d0 = shufflevector <4 x i8> %d, <4 x i8> poison, <2 x i32> <i32 0, i32 1>
  %d1 = shufflevector <4 x i8> %d, <4 x i8> poison, <2 x i32> <i32 2, i32 3>
  %fa0 = uitofp <2 x i8> %a0 to <2 x half>
  %fa1 = uitofp <2 x i8> %a1 to <2 x half>
  %fb0 = uitofp <2 x i8> %b0 to <2 x half>
  %fb1 = uitofp <2 x i8> %b1 to <2 x half>
  %fc0 = uitofp <2 x i8> %c0 to <2 x half>
  %fc1 = uitofp <2 x i8> %c1 to <2 x half>
  %fd0 = uitofp <2 x i8> %d0 to <2 x half>
  %fd1 = uitofp <2 x i8> %d1 to <2 x half>
  %ab0 = shufflevector <2 x half> %fa0, <2 x half> %fa1, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %ab1 = shufflevector <2 x half> %fb0, <2 x half> %fb1, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %cd0 = shufflevector <2 x half> %fc0, <2 x half> %fc1, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %cd1 = shufflevector <2 x half> %fd0, <2 x half> %fd1, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %low = shufflevector <4 x half> %ab0, <4 x half> %ab1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %high = shufflevector <4 x half> %cd0, <4 x half> %cd1, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %all = shufflevector <8 x half> %low, <8 x half> %high, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  ret <16 x half> %all
}
