# RUN: tilec %s --sig='out=*i32,n=i32' -DFLAT=True --arch=sm_90a --emit=tile -o - | FileCheck %s
# RUN: tilec %s --sig='out=*i32,n=i32' -DFLAT=False --arch=sm_90a --emit=tile -o - | FileCheck %s --check-prefix=NONE
# RUN: not tilec %s --sig='out=*i32,n=i32' -DFLAT=2.5 --arch=sm_90a --emit=tile 2>&1 | FileCheck %s --check-prefix=ERROR

# What the author says of a loop becomes its attributes.

import triton
import triton.language as tl


# CHECK: } {tile.flatten}
# CHECK: } {tile.num_stages = 2 : i32, tile.warp_specialize}
# NONE-NOT: tile.flatten
# ERROR: loop_hints.py:[[#@LINE+4]]:[[#]]: error: {{.*}}flatten
@triton.jit
def hints(out, n, FLAT: tl.constexpr):
    acc = 0
    for i in tl.range(0, n, flatten=FLAT):
        acc += i
    for i in tl.range(0, n, num_stages=2, warp_specialize=True):
        acc += i * acc
    tl.store(out, acc)
