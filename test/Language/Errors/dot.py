# RUN: not tilec %s --kernel=k --sig="p=*fp32" --emit=tile -o - 2>&1 | FileCheck %s

# What tl.dot does not take.

import triton
import triton.language as tl


@triton.jit
def k(p):
    a = tl.zeros([16, 16], tl.float32)
    h = tl.zeros([16, 16], tl.float16)
    i = tl.zeros([16, 16], tl.int8)
    u = tl.zeros([32, 32], tl.uint8)
    d = tl.zeros([16, 16], tl.float64)
    q = tl.zeros([32, 32], tl.float8e5)
    # CHECK: dot.py:[[@LINE+1]]:12: error: argument 'input' of tl.dot must be a block with two axes or more
    tl.dot(1.0, a)
    # CHECK: dot.py:[[@LINE+1]]:15: error: argument 'other' of tl.dot must be a block with two axes or more
    tl.dot(a, tl.zeros([16], tl.float32))
    # CHECK: dot.py:[[@LINE+1]]:5: error: tl.dot takes blocks of one rank, found float32[16, 16] and float32[1, 16, 16]
    tl.dot(a, a[None])
    # CHECK: dot.py:[[@LINE+1]]:5: error: tl.dot takes stacks of one size, found float32[1, 16, 16] and float32[2, 16, 16]
    tl.dot(a[None], tl.zeros([2, 16, 16], tl.float32))
    # CHECK: dot.py:[[@LINE+1]]:5: error: tl.dot multiplies as many columns as rows, found float32[16, 16] and float32[32, 16]
    tl.dot(a, tl.zeros([32, 16], tl.float32))
    # CHECK: dot.py:[[@LINE+1]]:5: error: tl.dot of float32 needs at least 16 columns on the left, found float32[16, 8] and float32[8, 16]
    tl.dot(tl.zeros([16, 8], tl.float32), tl.zeros([8, 16], tl.float32))
    # CHECK: dot.py:[[@LINE+1]]:5: error: tl.dot of int8 needs at least 32 columns on the left, found int8[16, 16] and int8[16, 16]
    tl.dot(i, i)
    # CHECK: dot.py:[[@LINE+1]]:12: error: argument 'input' of tl.dot must be a block of int8 or of floats
    tl.dot(u, u)
    # CHECK: dot.py:[[@LINE+1]]:5: error: tl.dot takes operands of one type, or two of 8-bit floats, found float32 and float16
    tl.dot(a, h)
    # CHECK: dot.py:[[@LINE+1]]:28: error: 'out_dtype' cannot be bfloat16; take float32 and convert the result: .to(tl.bfloat16)
    tl.dot(h, h, out_dtype=tl.bfloat16)
    # CHECK: dot.py:[[@LINE+1]]:28: error: argument 'out_dtype' of tl.dot must be float16 or float32
    tl.dot(h, h, out_dtype=tl.int32)
    # CHECK: dot.py:[[@LINE+1]]:34: error: argument 'input_precision' of tl.dot must be 'tf32', 'tf32x3', 'ieee', 'bf16x3' or 'bf16x6'
    tl.dot(a, a, input_precision="tf16")
    # CHECK: dot.py:[[@LINE+1]]:53: error: give one of 'input_precision' and 'allow_tf32', they say the same
    tl.dot(a, a, input_precision="ieee", allow_tf32=False)
    # CHECK: dot.py:[[@LINE+1]]:40: error: 'max_num_imprecise_acc' is 64, but there are only 32 products to add
    tl.dot(q, q, max_num_imprecise_acc=64)
    # CHECK: dot.py:[[@LINE+1]]:18: error: argument 'acc' of tl.dot must be float32[16, 16]
    tl.dot(a, a, h)
    # CHECK: dot.py:[[@LINE+1]]:18: error: argument 'acc' of tl.dot must be float32[16, 16]
    tl.dot(a, a, tl.zeros([16, 32], tl.float32))
    # CHECK: dot.py:[[@LINE+1]]:5: error: tl.dot with an accumulator of float64 needs out_dtype=tl.float64
    tl.dot(d, d, d)

# CHECK-NOT: error:
