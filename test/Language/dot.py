# RUN: tilec %s --kernel=k --sig="p=*fp32" --emit=tile -o - | FileCheck %s

# An accumulator is the same thing in both spellings, and numbers of other types have their own ways.

import triton
import triton.language as tl


@triton.jit
def k(p):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    a = tl.load(p + at)
    acc = tl.load(p + 256 + at)
    # CHECK: %[[A:.*]] = tile.load
    # CHECK: %[[ACC:.*]] = tile.load
    # CHECK: %[[FIRST:.*]] = tile.dot %[[A]], %[[A]], %[[ACC]] precision tf32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    acc += tl.dot(a, a)
    # CHECK: %[[SECOND:.*]] = tile.dot %[[A]], %[[A]], %[[FIRST]] : tensor
    acc = tl.dot(a, a, acc, allow_tf32=False)
    # CHECK: %[[THIRD:.*]] = tile.dot %[[A]], %[[A]], %[[SECOND]] precision bf16x6 : tensor
    acc = tl.dot(a, a, acc, input_precision="BF16x6")
    # CHECK: %[[H:.*]] = arith.truncf %[[A]] : tensor<16x16xf32> to tensor<16x16xf16>
    # CHECK: tile.dot %[[H]], %[[H]], %[[THIRD]] : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    h = a.to(tl.float16)
    acc = tl.dot(h, h, acc)
    # CHECK: tile.dot %[[H]], %[[H]], %{{.*}} : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
    acc += tl.dot(h, h, out_dtype=tl.float16)
    tl.store(p + at, acc)
