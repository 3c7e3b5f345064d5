# A positional signature has one item a parameter, or one for each parameter that -D leaves open.
#
# RUN: tilec %s --sig='*fp32:16,64,i32' --emit=tile | FileCheck %s
# RUN: tilec %s --sig='*fp32:16,i32' -DBLOCK=64 --emit=tile | FileCheck %s
# RUN: not tilec %s --sig='*fp32:16' -DBLOCK=64 --emit=tile 2>&1 | FileCheck %s --check-prefix=SHORT

# CHECK: func.func @k(%{{.*}}: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "x"}, %{{.*}}: i32 {tile.name = "n"})
# CHECK: tile.make_range 0 to 64
# SHORT: --sig:1:1: error: the signature has 1 items, but kernel 'k' has 3 parameters

import triton
import triton.language as tl


@triton.jit
def k(x, BLOCK: tl.constexpr, n):
    offsets = tl.arange(0, BLOCK)
    tl.store(x + offsets, 0.0, mask=offsets < n)
