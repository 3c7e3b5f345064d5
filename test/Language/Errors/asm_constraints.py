# Assembly that asks for something other than a register or a number: one error, at the call.
#
# RUN: not tilec %s --sig='x=*i32' --emit=ptx 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def shift(x):
    i = tl.arange(0, 32)
    # CHECK: asm_constraints.py:[[#@LINE+1]]:21: error: inline assembly needs a constraint (h, r, l, f, d or n) that holds each of its 3 registers, results with '=' first, found '=r,r,m'
    tl.store(x + i, tl.inline_asm_elementwise("shl.b32 $0, $1, $2;", "=r,r,m", [i, 5], dtype=tl.int32, is_pure=True, pack=1))
    # CHECK-NOT: error
