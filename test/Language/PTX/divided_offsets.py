# Offsets taken apart by divisions keep wide accesses as far as rows are multiples of them.
#
# RUN: tilec %s --kernel=rows --sig='x=*fp16:16,out=*fp16:16,stride=i32:16,numel=i32:16' -DN=768 --num-warps=4 --arch=sm_90 -o - | FileCheck %s
# RUN: tilec %s --kernel=rows --sig='x=*fp16:16,out=*fp16:16,stride=i32:16,N=i32:16,numel=i32:16' --num-warps=4 --arch=sm_90 -o - | FileCheck %s
# RUN: tilec %s --kernel=loop --sig='x=*fp16:16,out=*fp16:16,stride=i32:16,N=i32:16,numel=i32:16' --num-warps=4 --arch=sm_90 -o - | FileCheck %s
# RUN: tilec %s --kernel=rows --sig='x=*fp16:16,out=*fp16:16,stride=i32:16,N=i32,numel=i32:16' --num-warps=4 --arch=sm_90 -o - | FileCheck %s --check-prefix=NARROW
# RUN: tilec %s --kernel=negative --sig='x=*fp16:16,out=*fp16:16,stride=i32:16,numel=i32:16' -DN=768 --num-warps=4 --arch=sm_90 -o - | FileCheck %s --check-prefix=NARROW
import triton
import triton.language as tl

# CHECK-NOT: ld.global.b16
# CHECK: ld.global.v4.b32
# CHECK-NOT: ld.global.b16

# NARROW-NOT: ld.global.v
# NARROW: ld.global.b16
# NARROW-NOT: ld.global.v


@triton.jit
def rows(x, out, stride, N, numel):
    i = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    mask = i < numel
    tl.store(out + i, tl.load(x + i // N * stride + i % N, mask=mask), mask=mask)


@triton.jit
def loop(x, out, stride, N, numel):
    for start in range(tl.program_id(0) * 1024, numel, tl.num_programs(0) * 1024):
        i = start + tl.arange(0, 1024)
        mask = i < numel
        tl.store(out + i, tl.load(x + i // N * stride + i % N, mask=mask), mask=mask)


@triton.jit
def negative(x, out, stride, N, numel):
    # Division rounds toward zero: elements around it are no row.
    i = tl.program_id(0) * 1024 + tl.arange(0, 1024)
    j = i - 512
    tl.store(out + i, tl.load(x + 4096 + j // N * stride + j % N, mask=i < numel), mask=i < numel)
