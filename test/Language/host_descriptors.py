# A tensor descriptor as a parameter is a pointer, a size for each axis, and a stride for each but the last, which is 1.
#
# RUN: tilec %s --kernel=copy -DROWS=8 -DCOLUMNS=32 --arch=sm_90 --emit=tile \
# RUN:   --sig='x=tensordesc<fp16[ROWS, COLUMNS], nan>:16, y=tensordesc< fp16 [8,32] >' | FileCheck %s
# RUN: tilec %s --kernel=copy --arch=sm_90 --emit=tile \
# RUN:   --sig='tensordesc<fp16[ROWS, 32], nan>:16, tensordesc<fp16[8, COLUMNS], zero>, 8, 32' | FileCheck %s
# RUN: tilec %s --kernel=copy -DROWS=8 -DCOLUMNS=32 --arch=sm_90 --emit=ptx \
# RUN:   --sig='x=tensordesc<fp16[ROWS, COLUMNS]>:16, y=tensordesc<fp16[8, 32]>:16' | FileCheck %s --check-prefix=PTX
# RUN: tilec %s --kernel=vector --arch=sm_90 --emit=tile --sig='x=tensordesc<fp32[4]>' | FileCheck %s --check-prefix=VECTOR

# CHECK: func.func @copy(%[[X:.*]]: !tile.ptr<f16> {tile.name = "x.base"}, %[[ROWS:.*]]: i32 {tile.name = "x.shape.0"},
# CHECK-SAME: %[[COLUMNS:.*]]: i32 {tile.divisibility = 16 : i32, tile.name = "x.shape.1"},
# CHECK-SAME: %[[STRIDE:.*]]: i64 {tile.divisibility = 16 : i32, tile.name = "x.strides.0"},
# CHECK-SAME: !tile.ptr<f16> {tile.name = "y.base"}, %{{[^:]*}}: i32 {tile.name = "y.shape.0"},
# CHECK-SAME: i32 {tile.name = "y.shape.1"}, %{{[^:]*}}: i64 {tile.name = "y.strides.0"})
# CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
# CHECK-DAG: %[[BASE:.*]] = tile.promise %[[X]] divisibility [16]
# CHECK-DAG: %[[PITCH:.*]] = tile.promise %[[STRIDE]] divisibility [8]
# CHECK-DAG: %[[HEIGHT:.*]] = arith.extsi %[[ROWS]]
# CHECK-DAG: %[[WIDTH:.*]] = arith.extsi %[[COLUMNS]]
# CHECK: tile.block_pointers %[[BASE]] sizes[%[[HEIGHT]], %[[WIDTH]]] strides[%[[PITCH]], %[[ONE]]]
# CHECK-SAME: tensor<8x32x!tile.ptr<f16>>

# With the promise, an access moves 16 bytes.
# PTX: .param .u64 {{.*}}copy_param_0,
# PTX: ld.global.v4.b32

# VECTOR: func.func @vector(%{{.*}}: !tile.ptr<f32> {tile.name = "x.base"}, %{{.*}}: i32 {tile.name = "x.shape.0"})

import triton
import triton.language as tl


@triton.jit
def copy(x, y, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0) * ROWS
    y.store([row, 0], x.load([row, 0]))


@triton.jit
def vector(x):
    x.store([0], x.load([4]))
