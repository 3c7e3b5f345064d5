# RUN: tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - | FileCheck %s

# Control flow becomes scf: an early return moves the rest into the else branch, a loop carries what its
# body changes and nothing else, a descending range counts up and mirrors the counter.

import triton
import triton.language as tl


@triton.jit
def clip(x, low):
    if x < low:
        return low
    return x


@triton.jit
def k(p, n):
    if n == 0:
        return
    unchanged = n + 1
    total = 0.0
    for i in range(n - 1, -1, -1):
        total += tl.load(p + i * unchanged)
    while total > 100.0:
        total *= 0.5
    tl.store(p, clip(total, 1.0))


# CHECK: %[[ZERO:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
# CHECK: scf.if %[[ZERO]] {
# CHECK-NEXT: } else {
# CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32)
# CHECK: arith.subi %{{.*}}, %[[I]] : i32
# CHECK: scf.yield %{{.*}} : f32
# CHECK: %[[HALVED:.*]] = scf.while (%{{.*}} = %[[SUM]]) : (f32) -> f32
# CHECK: %[[LOW:.*]] = arith.cmpf olt, %[[HALVED]]
# CHECK: tile.store
