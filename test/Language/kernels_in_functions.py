# Kernels inside of functions, as libraries write them that import Triton late.
#
# RUN: tilec %s --kernel=scale --sig='x=*fp32,n=i32' --emit=tile -o - 2>%t.log | FileCheck %s
# RUN: FileCheck %s --check-prefix=WARNING --input-file=%t.log
#
# The host function of that name at module level hides no kernel. Lists that are not written out are not read.
# CHECK: func.func @scale(%arg0: !tile.ptr<f32>
# RUN: tilec %s --kernel=shift --sig='x=*fp32,n=i32,first=i32' --emit=tile -o %t.mlir 2>&1 | FileCheck %s --check-prefix=ELEMENT
# ELEMENT: kernels_in_functions.py:[[#]]:41: warning: 'do_not_specialize' is not written out here, as a list of names or numbers of parameters: launches specialize for all of those that this may name
# WARNING: kernels_in_functions.py:[[#]]:35: warning: 'do_not_specialize' is not written out here, as a list of names or numbers of parameters: launches specialize for all of them
_ARGUMENTS = {"scale": ("n",), "shift": ("first",)}


def _kernels():
    import triton
    import triton.language as tl

    @triton.jit(do_not_specialize=_ARGUMENTS["scale"])
    def scale(x, n):
        i = tl.program_id(0) * 64 + tl.arange(0, 64)
        tl.store(x + i, tl.load(x + i, mask=i < n) * 2.0, mask=i < n)

    @triton.jit(do_not_specialize=["n", *_ARGUMENTS["shift"]])
    def shift(x, n, first):
        i = first + tl.arange(0, 64)
        tl.store(x + i, tl.load(x + i + 1, mask=i < n), mask=i < n)

    return scale, shift


def scale(x):
    _kernels()[0][(1,)](x, x.numel())
