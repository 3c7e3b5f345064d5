# RUN: tilec %s --kernel=softmax --sig="*fp32:16,*fp32:16,i32:16,i32,1024" --emit=tile -o - | FileCheck %s

# The row softmax: pointer arithmetic stays scalar until it meets a block, approximate functions carry
# their flags, each reduction combines with one operation.

import triton
import triton.language as tl


@triton.jit
def softmax(out_ptr, in_ptr, stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(in_ptr + row * stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride + cols, e / tl.sum(e, axis=0), mask=mask)


# CHECK: func.func @softmax(
# CHECK-SAME: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "out_ptr"}
# CHECK-SAME: i32 {tile.divisibility = 16 : i32, tile.name = "stride"}
# CHECK-SAME: tile.kernel
# CHECK-DAG: %[[INF:.*]] = arith.constant dense<0xFF800000> : tensor<1024xf32>
# CHECK-DAG: %[[PID:.*]] = tile.program_id
# CHECK-DAG: %[[COLS:.*]] = tile.make_range 0 to 1024 : tensor<1024xi32>
# CHECK: %[[MASK:.*]] = arith.cmpi slt, %[[COLS]]
# CHECK: %[[OFFSET:.*]] = arith.muli %[[PID]], %{{.*}} : i32
# CHECK: %[[ROW:.*]] = tile.addptr %{{.*}}, %[[OFFSET]] : !tile.ptr<f32>, i32
# CHECK: tile.load %{{.*}} mask %[[MASK]] other %[[INF]]
# CHECK: tile.reduce
# CHECK: arith.maxnumf
# CHECK: arith.subf {{.*}} fastmath<contract>
# CHECK: math.exp {{.*}} fastmath<afn>
# CHECK: tile.reduce
# CHECK: arith.addf
# CHECK: arith.divf {{.*}} fastmath<arcp>
# CHECK: tile.store
