# Errors in kernels that only a call or an enclosing function shows to be kernels.
#
# RUN: not tilec %s --kernel=made --sig='out=*i32' --emit=tile -o - 2>&1 | FileCheck %s
import triton
import triton.language as tl


def body(out):
    # CHECK: nested_syntax.py:[[#@LINE+1]]:15: error: expected ')' before the end of the statement
    x = (1 + 2
    tl.store(out, x)


made = triton.jit(body)


def make():
    @triton.jit
    def inside(out):
        # CHECK: nested_syntax.py:[[#@LINE+1]]:23: error: expected ':' after the condition of 'if'
        if out is None
            return

    return inside
