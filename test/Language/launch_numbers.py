# A tl.constexpr parameter that is called num_warps, num_ctas or num_stages is that number of the kernel.
#
# DEFINE: %{tilec} = tilec %s --sig='out=*fp32' --arch=sm_90 --emit=tile
# RUN: %{tilec} --kernel=warps --num-warps=2 | FileCheck %s
# RUN: %{tilec} --kernel=warps -Dnum_warps=2 | FileCheck %s
# RUN: %{tilec} --kernel=warps --sig='*fp32,2' --num-warps=2 | FileCheck %s
# RUN: %{tilec} --kernel=warps --sig='*fp32' --num-warps=2 | FileCheck %s
# CHECK: func.func @warps({{.*}}tile.num_warps = 2 : i32
# CHECK: arith.constant 2.000000e+00 : f32
# RUN: not %{tilec} --kernel=warps 2>&1 | FileCheck %s --check-prefix=NONE
# NONE: launch_numbers.py:[[#]]:16: error: the tl.constexpr parameter 'num_warps' has no value; -Dnum_warps=VALUE gives it one

# RUN: %{tilec} --kernel=default --num-warps=2 | FileCheck %s --check-prefix=GIVEN
# RUN: %{tilec} --kernel=default | FileCheck %s --check-prefix=DEFAULT
# GIVEN: tile.num_warps = 2 : i32
# GIVEN: arith.constant 2.000000e+00 : f32
# DEFAULT-NOT: tile.num_warps
# DEFAULT: arith.constant 8.000000e+00 : f32

# No stages are a number that kernels compute with; loops have none unless they are told.
# RUN: %{tilec} --kernel=stages --num-stages=3 | FileCheck %s --check-prefix=STAGES
# STAGES: tile.num_stages = 3 : i32
# RUN: %{tilec} --kernel=stages -Dnum_stages=0 | FileCheck %s --check-prefix=ZERO
# ZERO-NOT: tile.num_stages

# Of two numbers the kernel has that of the option, and the parameter its own.
# RUN: %{tilec} --kernel=warps -Dnum_warps=8 --num-warps=4 | FileCheck %s --check-prefix=DIFFER
# DIFFER: func.func @warps({{.*}}tile.num_warps = 4 : i32
# DIFFER: arith.constant 8.000000e+00 : f32
# RUN: not %{tilec} --kernel=warps -Dnum_warps=3 2>&1 | FileCheck %s --check-prefix=THREE
# THREE: launch_numbers.py:[[#]]:16: error: expected 'num_warps' to be a power of two up to 32, found 3

# Configurations and heuristics give it, too, in objects and in runs.
# RUN: tilec %s --kernel=tuned --sig='out=*fp32' --arch=compute_90 --spec=none -o %t.o
# RUN: tilec --inspect %t.o | FileCheck %s --check-prefix=OBJECT
# OBJECT: {{^}}  num_warps=2{{$}}
# OBJECT: ptx sm_90 {{.*}} 64 threads
# OBJECT: {{^}}  num_warps=8{{$}}
# OBJECT: ptx sm_90 {{.*}} 256 threads
# DEFINE: %{run} = tilec-run %s --grid=1 --arg out=zeros:fp32[1] --target=cpu --print=out
# RUN: %{run} --kernel=tuned | FileCheck %s --check-prefix=TWO
# RUN: %{run} --kernel=computed | FileCheck %s --check-prefix=TWO
# RUN: %{run} --kernel=warps --num-warps=2 | FileCheck %s --check-prefix=TWO
# TWO: out: fp32[1] = 2

import triton
import triton.language as tl


@triton.jit
def warps(out, num_warps: tl.constexpr):
    tl.store(out, num_warps)


@triton.jit
def default(out, num_warps: tl.constexpr = 8):
    tl.store(out, num_warps)


@triton.jit
def stages(out, num_stages: tl.constexpr):
    for i in tl.range(4, num_stages=num_stages):
        tl.store(out + i, num_stages)


@triton.autotune(configs=[triton.Config({}, num_warps=n) for n in (2, 8)], key=[])
@triton.jit
def tuned(out, num_warps: tl.constexpr):
    tl.store(out, num_warps)


@triton.heuristics({"num_warps": lambda args: 2})
@triton.jit
def computed(out, num_warps: tl.constexpr):
    tl.store(out, num_warps)
