# The promise about memory: a row of contiguous fp32 moves in 16-byte accesses, each element costs one
# ex2.approx, and neither a library nor local memory is needed.
#
# RUN: tilec %s -DBLOCK=4096 --num-warps=8 --arch=sm_90 --emit=ptx --sig='out=*fp32:16,x=*fp32:16,stride=i32:16,n=i32:16' -o %t.ptx
# RUN: FileCheck %s --input-file=%t.ptx
# RUN: FileCheck %s --input-file=%t.ptx --check-prefix=NONE
# RUN: FileCheck %s --input-file=%t.ptx --check-prefix=COUNT

# CHECK: .entry softmax(
# CHECK-COUNT-4: ld.global.v4.b32
# CHECK: bar.sync
# CHECK-COUNT-16: ex2.approx
# CHECK: bar.sync
# CHECK: rcp.approx
# CHECK-NOT: div.full
# CHECK-COUNT-4: st.global.v4.b32

# No more of each than that, no call, no local memory, no byte or word access to global memory.
# NONE-NOT: call
# NONE-NOT: .local
# NONE-NOT: ld.global.b32
# NONE-NOT: st.global.b32
# COUNT-COUNT-16: ex2.approx
# COUNT-NOT: ex2.approx

import triton
import triton.language as tl


@triton.jit
def softmax(out, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < n
    value = tl.load(x + row * stride + cols, mask=inside, other=float("-inf"))
    weight = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * stride + cols, weight / tl.sum(weight, axis=0), mask=inside)
