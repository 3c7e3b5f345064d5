# Each iteration copies a block of `b` into the next slot: where that is, is a sum of a number of the thread and one of the iteration.
# ptxas makes the illegal instruction where registers are few, as in weights_in_training of test/Kernels/chunk_gradients.py.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
# COMPILE: --sig=a=*fp16:16,b=*fp16:16,out=*i32,n=i32 --arch=sm_90a --num-warps=4
# SHOWS-BY: ptx cp\.async\.c[ag]\.shared\.global\.L2::cache_hint \[%rd
import triton
import triton.language as tl


#: a = fp16*16384
#: b = fp16*65536
#: out = i32[7] -> i32[0]
#: n = 1024
#: options = --num-warps=4
@triton.jit
def copy_policy(a, b, out, n):
    i, j, k = tl.arange(0, 16), tl.arange(0, 64), tl.arange(0, 64)
    sums = tl.zeros((16, 64), tl.float32)
    for start in tl.range(0, n, 64, num_stages=3):
        left = tl.load(a + i[:, None] * 1024 + start + k[None, :])
        right = tl.load(b + (start + k)[:, None] * 64 + j[None, :])
        sums = tl.dot(left, right, sums)
    tl.store(out, tl.sum(tl.sum((sums != 0).to(tl.int32), axis=1), axis=0))
