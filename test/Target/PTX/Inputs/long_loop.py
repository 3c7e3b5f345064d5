"""Writes a kernel whose loop reads 64 bytes and makes so many additions."""
import sys

count = int(sys.argv[1])
print('define ptx_kernel void @k(ptr addrspace(1) %p, ptr %out, i1 %c) "nvvm.reqntid"="128" {')
print("entry:\n  br label %loop\nloop:")
print("  %sum = phi <64 x float> [ zeroinitializer, %entry ], [ %next, %loop ]")
print("  %a = load <16 x float>, ptr addrspace(1) %p")
print("  %v0 = extractelement <16 x float> %a, i32 0")
for i in range(count):
    print("  %%v%d = fadd float %%v%d, %%v%d" % (i + 1, i, i))
print("  %%next = insertelement <64 x float> %%sum, float %%v%d, i32 0" % count)
print("  br i1 %c, label %loop, label %end\nend:")
print("  store <64 x float> %next, ptr %out\n  ret void\n}")
