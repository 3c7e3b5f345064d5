# RUN: tilec %s --sig="x=*fp32:16,out=*fp32:16" -DN=524288 -DFLIP=True --num-warps=4 --arch=sm_90 --emit=layout -o /dev/null 2>&1 | FileCheck %s
# RUN: tilec %s --sig="x=*fp32:16,out=*fp32:16" -DN=131072 -DFLIP=True --num-warps=4 --arch=sm_90 --emit=layout -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
# RUN: tilec %s --sig="x=*fp32:16,out=*fp32:16" -DN=1048576 -DFLIP=False --num-warps=4 --arch=sm_90 --emit=layout -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
# RUN: tilec %s --sig="x=*fp32:16,out=*fp32:16" -DN=524288 -DFLIP=True --num-warps=4 --arch=sm_90 --emit=layout -o /dev/null -w 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
# RUN: not tilec %s --sig="x=*fp32:16,out=*fp32:16" -DN=524288 -DFLIP=True --num-warps=4 --arch=sm_90 -Werror --emit=layout -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR
# RUN: not timeout 4 tilec %s --sig="x=*fp32:16,out=*fp32:16" -DN=1048576 -DFLIP=True --num-warps=1 --arch=sm_90 -o %t.o > %t.log 2>&1
# RUN: FileCheck %s --check-prefix=OBJECT --input-file=%t.log

# So many elements a thread that compiling takes minutes: a warning says so before, also in an object. Half as many take a
# quarter of the time. Where the thread works on them in a loop, there is nothing to say.

import triton
import triton.language as tl


@triton.jit
def turned(x, out, N: tl.constexpr, FLIP: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    if FLIP:
        v = tl.flip(v, 0)
    tl.store(out + i, v * v * v)

# A load, an exchange, two products and a store for each of 4096 elements, and ranges.
# CHECK: tile_too_large_for_threads.py:[[#]]:5: warning: each thread of kernel 'turned' has 4096 of the 524288 elements of its largest tile, in at most 255 registers: about {{[0-9]+}} instructions, which may take minutes to compile; use more warps or smaller tiles
# CHECK-NOT: warning:
# QUIET-NOT: {{.}}
# ERROR: error: each thread of kernel 'turned' has 4096 of the 524288 elements
# OBJECT: warning: each thread of kernel 'turned' has 32768 of the 1048576 elements
