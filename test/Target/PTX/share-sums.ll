; An address with the terms of an earlier one is that one plus a constant or a multiple of a stride.
;
; RUN: tilec-llvm-opt -passes=tilec-share-sums,adce %s | FileCheck %s

declare range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Rows of a constant length: the bits of a register's number move through the shift.
; CHECK-LABEL: @constants(
; CHECK:       %[[SHIFTED:.*]] = shl i32 %row, 7
; CHECK-NEXT:  %[[WIDE:.*]] = sext i32 %[[SHIFTED]] to i64
; CHECK-NEXT:  %[[FIRST:.*]] = getelementptr half, ptr %p, i64 %[[WIDE]]
; CHECK-NEXT:  store i32 0, ptr %[[FIRST]]
; CHECK-NEXT:  %[[SECOND:.*]] = getelementptr i8, ptr %[[FIRST]], i64 4096
; CHECK-NEXT:  store i32 0, ptr %[[SECOND]]
; CHECK-NEXT:  ret void
define void @constants(ptr %p, i32 %start) {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %thread, 15
  %row = or i32 %start, %lane
  %shifted = shl i32 %row, 7
  %wide = sext i32 %shifted to i64
  %first = getelementptr half, ptr %p, i64 %wide
  store i32 0, ptr %first
  %row.1 = or disjoint i32 %row, 16
  %shifted.1 = shl i32 %row.1, 7
  %wide.1 = sext i32 %shifted.1 to i64
  %second = getelementptr half, ptr %p, i64 %wide.1
  store i32 0, ptr %second
  ret void
}

; The order of additions does not matter, nor where the constant is, nor how often.
; CHECK-LABEL: @orders(
; CHECK:       %[[FIRST:.*]] = getelementptr float, ptr %{{.*}}, i64 %b
; CHECK:       %[[SECOND:.*]] = getelementptr i8, ptr %[[FIRST]], i64 -20
; CHECK-NEXT:  store i32 1, ptr %[[SECOND]]
; CHECK-NEXT:  store i32 2, ptr %[[FIRST]]
define void @orders(ptr %p, i64 %a, i64 %b) {
  %row = getelementptr float, ptr %p, i64 %a
  %first = getelementptr float, ptr %row, i64 %b
  store i32 0, ptr %first
  %less = sub i64 %b, 5
  %column = getelementptr float, ptr %p, i64 %less
  %second = getelementptr float, ptr %column, i64 %a
  store i32 1, ptr %second
  %sum = add i64 %a, %less
  %more = add i64 %sum, 5
  %third = getelementptr float, ptr %p, i64 %more
  store i32 2, ptr %third
  ret void
}

; Rows whose stride is an argument.
; CHECK-LABEL: @strides(
; CHECK:       %[[FIRST:.*]] = getelementptr float, ptr %p, i64 %{{.*}}
; CHECK:       %[[STRIDE:.*]] = sext i32 %stride to i64
; CHECK-NEXT:  %[[ROWS:.*]] = mul i64 %[[STRIDE]], 32
; CHECK-NEXT:  %[[SECOND:.*]] = getelementptr i8, ptr %[[FIRST]], i64 %[[ROWS]]
; CHECK-NEXT:  store i32 0, ptr %[[SECOND]]
; CHECK-NEXT:  %[[THIRD:.*]] = getelementptr i8, ptr %[[FIRST]], i64 4
; CHECK-NEXT:  store i32 0, ptr %[[THIRD]]
define void @strides(ptr %p, i32 %row, i32 %column, i32 %stride) {
  %start = mul i32 %row, %stride
  %offset = add i32 %start, %column
  %wide = sext i32 %offset to i64
  %first = getelementptr float, ptr %p, i64 %wide
  store i32 0, ptr %first
  %row.8 = add i32 %row, 8
  %start.8 = mul i32 %row.8, %stride
  %offset.8 = add i32 %start.8, %column
  %wide.8 = sext i32 %offset.8 to i64
  %second = getelementptr float, ptr %p, i64 %wide.8
  store i32 0, ptr %second
  %column.1 = add i32 %column, 1
  %offset.1 = add i32 %start, %column.1
  %wide.1 = sext i32 %offset.1 to i64
  %third = getelementptr float, ptr %p, i64 %wide.1
  store i32 0, ptr %third
  ret void
}

; What is no offset may overflow: only sums whose flags exclude that are sums when extended.
; CHECK-LABEL: @overflow(
; CHECK:       %b = mul i64 %wide.1, 3
; CHECK:       %[[D:.*]] = add i64 %c, 15
; CHECK-NEXT:  store i64 %[[D]], ptr %p
define void @overflow(ptr %p, i32 %x) {
  %wide = sext i32 %x to i64
  %a = mul i64 %wide, 3
  store i64 %a, ptr %p
  %x.1 = add i32 %x, 5
  %wide.1 = sext i32 %x.1 to i64
  %b = mul i64 %wide.1, 3
  store i64 %b, ptr %p
  %y = and i32 %x, 4095
  %zero = zext i32 %y to i64
  %c = mul i64 %zero, 3
  store i64 %c, ptr %p
  %y.1 = add nsw i32 %y, 5
  %wide.2 = sext i32 %y.1 to i64
  %d = mul i64 %wide.2, 3
  store i64 %d, ptr %p
  ret void
}

; What overflows is the same modulo 2^32. An integer of 64 bits is nothing to an integer of 32.
; CHECK-LABEL: @words(
; CHECK:       %[[B:.*]] = add i32 %a, 35
; CHECK-NEXT:  store i32 %[[B]], ptr %p
; CHECK:       %c = mul i64 %{{.*}}, 7
define void @words(ptr %p, i32 %x) {
  %a = mul i32 %x, 7
  store i32 %a, ptr %p
  %x.1 = add i32 %x, 5
  %b = mul i32 %x.1, 7
  store i32 %b, ptr %p
  %wide = sext i32 %x to i64
  %c = mul i64 %wide, 7
  store i64 %c, ptr %p
  ret void
}

; Flags of what is shared do not hold where it is used now: the first address need not be one.
; CHECK-LABEL: @flags(
; CHECK:       %first = getelementptr float, ptr %p, i64 %a
; CHECK-NEXT:  store i32 0, ptr %first
; CHECK-NEXT:  getelementptr i8, ptr %first, i64 4
define void @flags(ptr %p, i64 %a) {
  %first = getelementptr inbounds float, ptr %p, i64 %a
  store i32 0, ptr %first
  %b = add i64 %a, 1
  %second = getelementptr float, ptr %p, i64 %b
  store i32 0, ptr %second
  ret void
}

; Neither branch dominates the other. What comes before both serves both.
; CHECK-LABEL: @branches(
; CHECK:       left:
; CHECK-NEXT:  getelementptr i8, ptr %first, i64 4
; CHECK:       %odd = mul i64 %a, %a
; CHECK:       right:
; CHECK-NEXT:  getelementptr i8, ptr %first, i64 8
; CHECK:       %even = mul i64 %a, %a
define void @branches(ptr %p, i64 %a, i1 %condition) {
  %first = getelementptr float, ptr %p, i64 %a
  store i32 0, ptr %first
  br i1 %condition, label %left, label %right
left:
  %b = add i64 %a, 1
  %second = getelementptr float, ptr %p, i64 %b
  store i32 0, ptr %second
  %odd = mul i64 %a, %a
  store i64 %odd, ptr %p
  br label %end
right:
  %c = add i64 %a, 2
  %third = getelementptr float, ptr %p, i64 %c
  store i32 0, ptr %third
  %even = mul i64 %a, %a
  store i64 %even, ptr %p
  br label %end
end:
  ret void
}

; In a loop a row is one addition already: no address waits for that of another row.
; CHECK-LABEL: @loop(
; CHECK:         %first = getelementptr float, ptr %row, i64 %k
; CHECK:         getelementptr float, ptr %{{.*}}, i64 %k
define void @loop(ptr %p, i32 %start, i32 %stride, i64 %n) {
entry:
  %index = mul i32 %start, %stride
  %wide = sext i32 %index to i64
  %row = getelementptr float, ptr %p, i64 %wide
  %start.8 = add i32 %start, 8
  %index.8 = mul i32 %start.8, %stride
  %wide.8 = sext i32 %index.8 to i64
  %row.8 = getelementptr float, ptr %p, i64 %wide.8
  store i32 1, ptr %row.8
  br label %body
body:
  %k = phi i64 [ 0, %entry ], [ %next, %body ]
  %first = getelementptr float, ptr %row, i64 %k
  store i32 0, ptr %first
  %second = getelementptr float, ptr %row.8, i64 %k
  store i32 0, ptr %second
  %next = add i64 %k, 64
  %more = icmp slt i64 %next, %n
  br i1 %more, label %body, label %exit
exit:
  ret void
}
