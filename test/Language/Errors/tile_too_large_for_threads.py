# RUN: tilec %s --sig="x=*fp32:16,out=*fp32:16" -DN=524288 --num-warps=4 --arch=sm_90 --emit=layout -o /dev/null 2>&1 | FileCheck %s
# RUN: tilec %s --sig="x=*fp32:16,out=*fp32:16" -DN=262144 --num-warps=4 --arch=sm_90 --emit=layout -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
# RUN: tilec %s --sig="x=*fp32:16,out=*fp32:16" -DN=32768 --num-warps=1 --arch=sm_90 --emit=layout -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
# RUN: tilec %s --sig="x=*fp32:16,out=*fp32:16" -DN=524288 --num-warps=4 --arch=sm_90 --emit=layout -o /dev/null -w 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
# RUN: not tilec %s --sig="x=*fp32:16,out=*fp32:16" -DN=524288 --num-warps=4 --arch=sm_90 -Werror --emit=layout -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR
# RUN: not timeout 4 tilec %s --sig="x=*fp32:16,out=*fp32:16" -DN=1048576 --num-warps=1 --arch=sm_90 -o %t.o > %t.log 2>&1
# RUN: FileCheck %s --check-prefix=OBJECT --input-file=%t.log

# So many elements a thread that compiling takes minutes: a warning says so before, also in an object. Half as many take a
# quarter of the time, and 32768 elements are worked through in pieces.

import triton
import triton.language as tl


@triton.jit
def cubed(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out + i, v * v * v)

# A load, two products and a store for each of 4096 elements.
# CHECK: tile_too_large_for_threads.py:[[#]]:5: warning: each thread of kernel 'cubed' has 4096 of the 524288 elements of its largest tile, in at most 255 registers: about 16384 instructions, which may take minutes to compile; use more warps or smaller tiles
# CHECK-NOT: warning:
# QUIET-NOT: {{.}}
# ERROR: error: each thread of kernel 'cubed' has 4096 of the 524288 elements
# OBJECT: warning: each thread of kernel 'cubed' has 32768 of the 1048576 elements
