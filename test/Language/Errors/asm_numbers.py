# Assembly whose text needs a number that is not known while compiling.
#
# RUN: not tilec %s --sig='x=*i32,n=i32' --emit=ptx 2>&1 | FileCheck %s
import triton
import triton.language as tl


@triton.jit
def shift(x, n):
    i = tl.arange(0, 32)
    # CHECK: asm_numbers.py:[[#@LINE+1]]:21: error: the constraint 'n' of inline assembly takes an operand that is known while compiling
    tl.store(x + i, tl.inline_asm_elementwise("shl.b32 $0, $1, $2;", "=r,r,n", [i, n], dtype=tl.int32, is_pure=True, pack=1))
    # CHECK-NOT: error
