; RUN: tilec-llvm-opt -passes='function(tilec-unroll-loops)' %s | FileCheck %s

; A running sum over an array, in place: each iteration with offsets of its own.
; CHECK-LABEL: define void @running_sum
; CHECK-COUNT-16: load i32
; CHECK-NOT: phi
; CHECK: ret void
define void @running_sum(ptr addrspace(1) %counts) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %new, %loop ]
  %place = getelementptr i32, ptr addrspace(1) %counts, i32 %i
  %count = load i32, ptr addrspace(1) %place
  %new = add i32 %sum, %count
  store i32 %new, ptr addrspace(1) %place
  %next = add i32 %i, 1
  %more = icmp ne i32 %next, 16
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Of as many iterations as an argument says, or too many, the loop stays.
; CHECK-LABEL: define void @any_number
; CHECK-COUNT-1: load i32
; CHECK-NOT: load
; CHECK: ret void
define void @any_number(ptr addrspace(1) %counts, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i32, ptr addrspace(1) %counts, i32 %i
  %count = load i32, ptr addrspace(1) %place
  %new = add i32 %i, %count
  store i32 %new, ptr addrspace(1) %place
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define void @many
; CHECK-COUNT-1: load i32
; CHECK-NOT: load
; CHECK: ret void
define void @many(ptr addrspace(1) %counts) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i32, ptr addrspace(1) %counts, i32 %i
  %count = load i32, ptr addrspace(1) %place
  %new = add i32 %i, %count
  store i32 %new, ptr addrspace(1) %place
  %next = add i32 %i, 1
  %more = icmp ne i32 %next, 4096
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Nor if it only loads: nothing keeps ptxas from unrolling it.
; CHECK-LABEL: define i32 @only_loads
; CHECK-COUNT-1: load i32
; CHECK-NOT: load
; CHECK: ret i32
define i32 @only_loads(ptr addrspace(1) %counts) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %new, %loop ]
  %place = getelementptr i32, ptr addrspace(1) %counts, i32 %i
  %count = load i32, ptr addrspace(1) %place
  %new = add i32 %sum, %count
  %next = add i32 %i, 1
  %more = icmp ne i32 %next, 16
  br i1 %more, label %loop, label %end
end:
  ret i32 %new
}

; Nor with tiles, or where threads wait for each other.
; CHECK-LABEL: define void @tiles
; CHECK-COUNT-1: load <2 x i32>
; CHECK-NOT: load
; CHECK: ret void
define void @tiles(ptr addrspace(1) %counts) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i32, ptr addrspace(1) %counts, i32 %i
  %count = load <2 x i32>, ptr addrspace(1) %place
  store <2 x i32> %count, ptr addrspace(1) %place
  %next = add i32 %i, 2
  %more = icmp ne i32 %next, 32
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: define void @barriers
; CHECK-COUNT-1: load i32
; CHECK-NOT: load
; CHECK: ret void
define void @barriers(ptr addrspace(1) %counts) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i32, ptr addrspace(1) %counts, i32 %i
  %count = load i32, ptr addrspace(1) %place
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %count, ptr addrspace(1) %place
  %next = add i32 %i, 1
  %more = icmp ne i32 %next, 16
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
