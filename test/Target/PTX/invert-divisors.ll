; RUN: tilec-llvm-opt -passes='function(tilec-invert-divisors)' %s | FileCheck %s

; The inverse is computed before the loop. In the loop remain a product, whose upper half is the quotient or one less, and
; what tells which.
; CHECK-LABEL: define i32 @unsigned
; CHECK: entry:
; CHECK-NEXT: %[[SAME:.*]] = freeze i32 %d
; CHECK-NEXT: %[[SOME:.*]] = call i32 @llvm.umax.i32(i32 %[[SAME]], i32 1)
; CHECK-NEXT: %[[INVERSE:.*]] = udiv i32 -1, %[[SOME]]
; CHECK-NEXT: br label %loop
; CHECK: loop:
; CHECK: %[[N:.*]] = zext i32 %i to i64
; CHECK-NEXT: %[[Z:.*]] = zext i32 %[[INVERSE]] to i64
; CHECK-NEXT: %[[PRODUCT:.*]] = mul nuw i64 %[[N]], %[[Z]]
; CHECK-NEXT: %[[UPPER:.*]] = lshr i64 %[[PRODUCT]], 32
; CHECK-NEXT: %[[GUESS:.*]] = trunc i64 %[[UPPER]] to i32
; CHECK-NEXT: %[[TIMES:.*]] = mul i32 %[[GUESS]], %d
; CHECK-NEXT: %[[REST:.*]] = sub i32 %i, %[[TIMES]]
; CHECK-NEXT: %[[LESS:.*]] = icmp uge i32 %[[REST]], %d
; CHECK-NEXT: %[[MORE:.*]] = add i32 %[[GUESS]], 1
; CHECK-NEXT: %[[QUOTIENT:.*]] = select i1 %[[LESS]], i32 %[[MORE]], i32 %[[GUESS]]
; CHECK-NEXT: %[[REDUCED:.*]] = sub i32 %[[REST]], %d
; CHECK-NEXT: %[[REMAINDER:.*]] = select i1 %[[LESS]], i32 %[[REDUCED]], i32 %[[REST]]
; CHECK-NEXT: %both = xor i32 %[[QUOTIENT]], %[[REMAINDER]]
define i32 @unsigned(i32 %n, i32 %d) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %new, %loop ]
  %quotient = udiv i32 %i, %d
  %remainder = urem i32 %i, %d
  %both = xor i32 %quotient, %remainder
  %new = add i32 %sum, %both
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %new
}

; Of numbers with sign the sizes are divided. The divisor's is known before the loop.
; CHECK-LABEL: define i32 @signed
; CHECK: %[[OF_D:.*]] = ashr i32 %d, 31
; CHECK: udiv i32 -1
; CHECK: loop:
; CHECK: %[[OF_N:.*]] = ashr i32 %x, 31
; CHECK: mul nuw i64
; CHECK: %[[BOTH:.*]] = xor i32 %[[OF_N]], %[[OF_D]]
; CHECK: %[[FLIPPED:.*]] = xor i32 %{{.*}}, %[[BOTH]]
; CHECK: sub i32 %[[FLIPPED]], %[[BOTH]]
; CHECK-NOT: sdiv
; CHECK: end:
define i32 @signed(ptr addrspace(1) %p, i32 %n, i32 %d) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %new, %loop ]
  %place = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %x = load i32, ptr addrspace(1) %place
  %quotient = sdiv i32 %x, %d
  %new = add i32 %sum, %quotient
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %new
}

; Divisions before the loop by the same number use its inverse, too, which is computed before all of them.
; CHECK-LABEL: define i32 @before
; CHECK: udiv i32 -1
; CHECK-NEXT: br i1 %early
; CHECK-NOT: udiv
; CHECK: ret i32
define i32 @before(i32 %n, i32 %d, i1 %early) {
entry:
  br i1 %early, label %first, label %enter
first:
  %ahead = udiv i32 256, %d
  br label %enter
enter:
  %start = phi i32 [ 0, %entry ], [ %ahead, %first ]
  br label %loop
loop:
  %i = phi i32 [ 0, %enter ], [ %next, %loop ]
  %sum = phi i32 [ %start, %enter ], [ %new, %loop ]
  %quotient = udiv i32 %i, %d
  %new = add i32 %sum, %quotient
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %new
}

; Without a loop, by what the loop changes, and around another loop, whose work had better have the registers, divisions
; stay.
; CHECK-LABEL: define i32 @others
; CHECK: udiv i32 %n, %d
; CHECK: udiv i32 %outer, %d
; CHECK: udiv i32 %n, %i
define i32 @others(i32 %n, i32 %d) {
entry:
  %once = udiv i32 %n, %d
  br label %around
around:
  %outer = phi i32 [ %once, %entry ], [ %after, %latch ]
  %some = udiv i32 %outer, %d
  br label %loop
loop:
  %i = phi i32 [ 1, %around ], [ %next, %loop ]
  %sum = phi i32 [ %some, %around ], [ %new, %loop ]
  %quotient = udiv i32 %n, %i
  %new = add i32 %sum, %quotient
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %latch
latch:
  %after = add i32 %outer, %new
  %again = icmp ult i32 %after, %n
  br i1 %again, label %around, label %end
end:
  ret i32 %after
}
