; Forms of code that LLVM's back end or ptxas would not compile to what they say are rewritten.
;
; RUN: tilec-llvm-opt -passes=tilec-avoid-back-end-faults %s | FileCheck %s

; CHECK-LABEL: @lowBits(
; CHECK:      %[[MOVED:.*]] = call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 %bits)
; CHECK-NEXT: %low = trunc i32 %[[MOVED]] to i16
define void @lowBits(float %x, ptr %p) {
  %bits = bitcast float %x to i32
  %low = trunc i32 %bits to i16
  store i16 %low, ptr %p
  ret void
}

; An atomic operation may return a float in a register of an integer; a load moves bits.
; CHECK-LABEL: @lowBitsOfAccesses(
; CHECK:      %[[MOVED:.*]] = call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 %old)
; CHECK-NEXT: %low = trunc i32 %[[MOVED]] to i16
; CHECK-NOT:  asm
; CHECK:      ret void
define void @lowBitsOfAccesses(ptr addrspace(1) %q, i32 %x, ptr %p) {
  %old = call i32 @tilec.atom.relaxed.gpu.global.add.f32(ptr addrspace(1) %q, i32 %x, i1 true)
  %low = trunc i32 %old to i16
  store i16 %low, ptr %p
  %bits = call i32 @tilec.ld.global.b32(ptr addrspace(1) %q, i32 %x, i1 true)
  %half = trunc i32 %bits to i16
  store i16 %half, ptr %p
  ret void
}
declare i32 @tilec.atom.relaxed.gpu.global.add.f32(ptr addrspace(1), i32, i1)
declare i32 @tilec.ld.global.b32(ptr addrspace(1), i32, i1)

; CHECK-LABEL: @negation(
; CHECK-NEXT:  call i16 asm "sub.u16 $0, 0, $1;", "=h,h"(i16 %x)
define i16 @negation(i16 %x) {
  %r = sub i16 0, %x
  ret i16 %r
}

; CHECK-LABEL: @negationOfUpperBits(
; CHECK-NEXT:  %[[SHIFTED:.*]] = shl i16 %x, 8
; CHECK-NEXT:  call i16 asm "sub.u16 $0, 0, $1;", "=h,h"(i16 %[[SHIFTED]])
define i16 @negationOfUpperBits(i16 %x) {
  %r = mul i16 %x, -256
  ret i16 %r
}

; CHECK-LABEL: @negationOfByte(
; CHECK-NEXT:  %[[WIDE:.*]] = zext i8 %x to i16
; CHECK-NEXT:  %[[NEGATED:.*]] = call i16 asm "sub.u16 $0, 0, $1;", "=h,h"(i16 %[[WIDE]])
; CHECK-NEXT:  trunc i16 %[[NEGATED]] to i8
define i8 @negationOfByte(i8 %x) {
  %r = sub i8 0, %x
  ret i8 %r
}

; CHECK-LABEL: @absolute(
; CHECK-NEXT:  call i32 asm "{ .reg .b32 negated; sub.u32 negated, 0, $1; max.s32 $0, $1, negated; }", "=r,r"(i32 %x)
define i32 @absolute(i32 %x) {
  %r = call i32 @llvm.abs.i32(i32 %x, i1 false)
  ret i32 %r
}

; CHECK-LABEL: @truthAsBFloat(
; CHECK-NEXT:  select i1 %c, bfloat 0xRBF80, bfloat 0xR0000
define bfloat @truthAsBFloat(i1 %c) {
  %r = sitofp i1 %c to bfloat
  ret bfloat %r
}

; CHECK-LABEL: @truthAsUnsigned(
; CHECK:      %[[NEGATIVE:.*]] = fcmp olt float %f, 0.000000e+00
; CHECK-NEXT: %[[RAISED:.*]] = select i1 %[[NEGATIVE]], float 0.000000e+00, float %f
; CHECK-NEXT: call i32 @llvm.nvvm.f2ui.rz(float %[[RAISED]])
define i32 @truthAsUnsigned(i1 %c) {
  %f = sitofp i1 %c to float
  %r = call i32 @llvm.nvvm.f2ui.rz(float %f)
  ret i32 %r
}

; Of two instructions with the same factors one has a register that ptxas does not know; another place in memory is
; difference enough.
; CHECK-LABEL: @products(
; CHECK:      %[[MASK:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
; CHECK-NEXT: %[[ZERO:.*]] = lshr i32 %[[MASK]], 31
; CHECK-NEXT: %[[ZEROS:.*]] = mul i32 %[[ZERO]], 1
; CHECK-NEXT: %[[SAME:.*]] = add i32 %a, %[[ZEROS]]
; CHECK-NEXT: call { i32, i32, i32 } asm {{.*}}(i64 %d, i32 %a, i32 %b, i32 %b, i32 %b, i32 %[[SAME]], i32 %b, i32 %b, i32 %b, i32 %a, i32 %b, i32 %b, i32 %b)
define void @products(i64 %d, i32 %a, i32 %b, ptr %p) {
  %sums = call { i32, i32, i32 } asm sideeffect "{\0Aadd.s64 r, $3, 0;\0Awgmma.mma_async.sync {$0}, {$4, $5, $6, $7}, r, z;\0Aadd.s64 r, $3, 0;\0Awgmma.mma_async.sync {$1}, {$8, $9, $10, $11}, r, z;\0Aadd.s64 r, $3, 2;\0Awgmma.mma_async.sync {$2}, {$12, $13, $14, $15}, r, z;\0A}", "=r,=r,=r,l,r,r,r,r,r,r,r,r,r,r,r,r"(i64 %d, i32 %a, i32 %b, i32 %b, i32 %b, i32 %a, i32 %b, i32 %b, i32 %b, i32 %a, i32 %b, i32 %b, i32 %b)
  %sum = extractvalue { i32, i32, i32 } %sums, 1
  store i32 %sum, ptr %p
  ret void
}

; The same product once more, of places that were written in between; one of other places is another.
; CHECK-LABEL: @again(
; CHECK:      call float asm {{.*}}(i64 %l, i64 %r)
; CHECK:      %[[MASK:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
; CHECK-NEXT: %[[ZERO:.*]] = lshr i32 %[[MASK]], 31
; CHECK-NEXT: %[[ZEROS:.*]] = mul i32 %[[ZERO]], 1
; CHECK-NEXT: %[[WIDE:.*]] = zext i32 %[[ZEROS]] to i64
; CHECK-NEXT: %[[SAME:.*]] = add i64 %l, %[[WIDE]]
; CHECK-NEXT: call float asm {{.*}}(i64 %[[SAME]], i64 %r)
; CHECK:      call float asm {{.*}}(i64 %r, i64 %r)
define void @again(i64 %l, i64 %r, ptr addrspace(3) %s, ptr %p) {
  %x = call float asm sideeffect "{\0Awgmma.mma_async.sync {$0}, $1, $2, z;\0A}", "=f,l,l"(i64 %l, i64 %r)
  store float %x, ptr addrspace(3) %s
  %y = call float asm sideeffect "{\0Awgmma.mma_async.sync {$0}, $1, $2, z;\0A}", "=f,l,l"(i64 %l, i64 %r)
  %z = call float asm sideeffect "{\0Awgmma.mma_async.sync {$0}, $1, $2, z;\0A}", "=f,l,l"(i64 %r, i64 %r)
  %sum = fadd float %y, %z
  store float %sum, ptr %p
  ret void
}

; Each iteration has the same product: ptxas must not unroll the loop. A product that adds to the last one's sum is
; another in each iteration.
; CHECK-LABEL: @repeated(
; CHECK:      br i1 %{{.*}}, label %loop, label %then, !llvm.loop ![[ROLLED:.*]]
; CHECK:      br i1 %{{.*}}, label %carrying, label %end
; CHECK-NOT:  !llvm.loop
; CHECK:      ret void
define void @repeated(i64 %l, i64 %r, ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = call float asm sideeffect "{\0Awgmma.mma_async.sync {$0}, $1, $2, z;\0A}", "=f,l,l"(i64 %l, i64 %r)
  store float %x, ptr %p
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 3
  br i1 %more, label %loop, label %then
then:
  br label %carrying
carrying:
  %j = phi i32 [ 0, %then ], [ %after, %carrying ]
  %sum = phi float [ 0.0, %then ], [ %y, %carrying ]
  %y = call float asm sideeffect "{\0Awgmma.mma_async.sync {$0}, $1, $2, p;\0A}", "=f,l,l,0"(i64 %l, i64 %r, float %sum)
  %after = add i32 %j, 1
  %again = icmp slt i32 %after, 3
  br i1 %again, label %carrying, label %end
end:
  store float %y, ptr %p
  ret void
}

declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) readonly captures(none)) convergent nocallback nounwind memory(argmem: read)

; Nor is a loop unrolled that loads the left factor from one place: it holds something else in each iteration.
; CHECK-LABEL: @reloaded(
; CHECK:      br i1 %{{.*}}, label %loop, label %other, !llvm.loop ![[RELOADED:.*]]
; CHECK:      br i1 %{{.*}}, label %other, label %end
; CHECK-NOT:  !llvm.loop
; CHECK:      ret void
define void @reloaded(i64 %r, ptr addrspace(3) %s, ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %factor = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %s)
  %part = extractvalue { i32, i32, i32, i32 } %factor, 1
  %bytes = bitcast i32 %part to <4 x i8>
  %turned = shufflevector <4 x i8> %bytes, <4 x i8> poison, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %left = bitcast <4 x i8> %turned to i32
  %x = call float asm sideeffect "{\0Awgmma.mma_async.sync {$0}, {$1}, $2, z;\0A}", "=f,r,l"(i32 %left, i64 %r)
  store float %x, ptr %p
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 3
  br i1 %more, label %loop, label %other
other:
  %j = phi i32 [ 0, %loop ], [ %after, %other ]
  %place = getelementptr i32, ptr addrspace(3) %s, i32 %j
  %slot = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %place)
  %of = extractvalue { i32, i32, i32, i32 } %slot, 1
  %y = call float asm sideeffect "{\0Awgmma.mma_async.sync {$0}, {$1}, $2, z;\0A}", "=f,r,l"(i32 %of, i64 %r)
  store float %y, ptr %p
  %after = add i32 %j, 1
  %again = icmp slt i32 %after, 3
  br i1 %again, label %other, label %end
end:
  ret void
}

; The same without a loop: the second product's place is another number to ptxas; not one with another left factor.
; CHECK-LABEL: @reloadedOnce(
; CHECK:      call float asm {{.*}}(i32 %left, i64 %r)
; CHECK:      %[[AGAIN:.*]] = add i64 %r, %{{.*}}
; CHECK-NEXT: call float asm {{.*}}(i32 %again, i64 %[[AGAIN]])
; CHECK:      call float asm {{.*}}(i32 %other, i64 %r)
define void @reloadedOnce(i64 %r, ptr addrspace(3) %s, ptr %p) {
  %first = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %s)
  %left = extractvalue { i32, i32, i32, i32 } %first, 1
  %x = call float asm sideeffect "{\0Awgmma.mma_async.sync {$0}, {$1}, $2, z;\0A}", "=f,r,l"(i32 %left, i64 %r)
  store float %x, ptr %p
  %second = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %s)
  %again = extractvalue { i32, i32, i32, i32 } %second, 1
  %y = call float asm sideeffect "{\0Awgmma.mma_async.sync {$0}, {$1}, $2, z;\0A}", "=f,r,l"(i32 %again, i64 %r)
  store float %y, ptr %p
  %other = extractvalue { i32, i32, i32, i32 } %second, 2
  %z = call float asm sideeffect "{\0Awgmma.mma_async.sync {$0}, {$1}, $2, z;\0A}", "=f,r,l"(i32 %other, i64 %r)
  store float %z, ptr %p
  ret void
}

declare { float, float, float, float } @llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32(i32, i32, i32, i32, i32, i32, float, float, float, float)

; Factors of fp8 that come of constants or under a mask; others are not known.
; CHECK-LABEL: @factors(
; CHECK:      %masked = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
; CHECK-NEXT: %whole = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 poison, i1 true)
; CHECK-NEXT: %bytes = call i32 @llvm.nvvm.prmt(i32 %whole, i32 %masked, i32 29538)
; CHECK:      %[[MASKED:.*]] = add i32 %masked, %{{.*}}
; CHECK:      %[[BYTES:.*]] = add i32 %bytes, %{{.*}}
; CHECK:      %[[ZERO:.*]] = add i32 0, %{{.*}}
; CHECK-NEXT: call { float, float, float, float } @llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32(i32 %a, i32 %whole, i32 %[[MASKED]], i32 %[[BYTES]], i32 %shared, i32 %[[ZERO]], float
define void @factors(ptr addrspace(1) %p, i1 %c, i32 %a, ptr addrspace(3) %s) {
  %masked = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 0, i1 %c)
  %whole = call i32 @tilec.ld.global.b32(ptr addrspace(1) %p, i32 poison, i1 true)
  %bytes = call i32 @llvm.nvvm.prmt(i32 %whole, i32 %masked, i32 29538)
  %shared = load i32, ptr addrspace(3) %s
  %sums = call { float, float, float, float } @llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32(i32 %a, i32 %whole, i32 %masked, i32 %bytes, i32 %shared, i32 0, float 0.0, float 0.0, float 0.0, float 0.0)
  %sum = extractvalue { float, float, float, float } %sums, 0
  store float %sum, ptr addrspace(1) %p
  ret void
}

; Of what is not negative only NaN is not above a negative number.
; CHECK-LABEL: @notNegative(
; CHECK: %above = fcmp ord float %size, 0.000000e+00
; CHECK: %atLeast = fcmp ord float %square, 0.000000e+00
; CHECK: %[[POWER:.*]] = call float @llvm.nvvm.ex2.approx.f32(float %x)
; CHECK: %ofPower = fcmp ord float %[[POWER]], 0.000000e+00
; CHECK: %positive = fcmp ogt float %size, 0.000000e+00
; CHECK: %unordered = fcmp ugt float %size, -1.000000e+00
; CHECK: %any = fcmp ogt float %x, -1.000000e+00
define void @notNegative(float %x, ptr %p) {
  %size = call float @llvm.fabs.f32(float %x)
  %above = fcmp ogt float %size, -1.0
  store i1 %above, ptr %p
  %square = fmul float %x, %x
  %atLeast = fcmp oge float %square, 0.0
  store i1 %atLeast, ptr %p
  %power = call float @llvm.nvvm.ex2.approx.f32(float %x)
  %ofPower = fcmp ogt float %power, -1.0
  store i1 %ofPower, ptr %p
  %positive = fcmp ogt float %size, 0.0
  store i1 %positive, ptr %p
  %unordered = fcmp ugt float %size, -1.0
  store i1 %unordered, ptr %p
  %any = fcmp ogt float %x, -1.0
  store i1 %any, ptr %p
  ret void
}
declare float @llvm.fabs.f32(float)
declare float @llvm.nvvm.ex2.approx.f32(float)

; Conversions of fp8 bytes that ptxas may know, as factors have them where the hardware multiplies halves.
; CHECK-LABEL: @knownConversion(
; CHECK: %[[ZEROS:.*]] = trunc i32 %{{.*}} to i16
; CHECK: %[[HIDDEN:.*]] = add i16 14392, %[[ZEROS]]
; CHECK: call <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16 %[[HIDDEN]])
; CHECK: call <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16 %x)
define void @knownConversion(i16 %x, ptr %p) {
  %known = call <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16 14392)
  store <2 x half> %known, ptr %p
  %read = call <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16 %x)
  store <2 x half> %read, ptr %p
  ret void
}
declare <2 x half> @llvm.nvvm.e4m3x2.to.f16x2.rn(i16)

; CHECK: ![[ROLLED]] = distinct !{![[ROLLED]], ![[NOT:.*]]}
; CHECK: ![[NOT]] = !{!"llvm.loop.unroll.disable"}
