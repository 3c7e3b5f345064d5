# Kernels inside of functions, as libraries write them that import Triton late.
#
# RUN: tilec %s --kernel=scale --sig='x=*fp32,n=i32' --emit=tile -o - 2>%t.log | FileCheck %s
# RUN: FileCheck %s --check-prefix=WARNING --input-file=%t.log
#
# The host function of that name at module level hides no kernel. Lists that are not written out are not read.
# CHECK: func.func @scale(%arg0: !tile.ptr<f32>
# WARNING: kernels_in_functions.py:[[#]]:35: warning: 'do_not_specialize' is not written out here, as a list of names or numbers of parameters: launches specialize for all of them
_ARGUMENTS = {"scale": ("n",)}


def _kernels():
    import triton
    import triton.language as tl

    @triton.jit(do_not_specialize=_ARGUMENTS["scale"])
    def scale(x, n):
        i = tl.program_id(0) * 64 + tl.arange(0, 64)
        tl.store(x + i, tl.load(x + i, mask=i < n) * 2.0, mask=i < n)

    return scale


def scale(x):
    _kernels()[(1,)](x, x.numel())
