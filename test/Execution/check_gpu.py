# What compute-sanitizer finds on a GPU is said in the kernel's terms. There are GPUs, virtual ones for instance, that it refuses.
#
# REQUIRES: gpu, compute-sanitizer
# RUN: tilec-run %s --kernel=copy --target=cuda --check --grid=4 -D BLOCK=16 -D SHIFT=0 --arg n=64 --arg x=arange:fp32[64] \
# RUN:   --arg y=empty:fp32[64] --expect y=arange:fp32[64] > %t.txt 2>&1 || grep "Device not supported" %t.txt
# RUN: not tilec-run %s --kernel=copy --target=cuda --check --grid=4 -D BLOCK=16 -D SHIFT=2 --arg n=64 --arg x=arange:fp32[64] \
# RUN:   --arg y=empty:fp32[64] > %t.txt 2>&1
# RUN: grep -E "13: error: reads.4.bytes right behind the end of 'x' .fp32.64.., where element 64 would be; in program .3, 0, 0., warp 0|Device not supported" %t.txt
# RUN: not tilec-run %s --kernel=copy --target=cuda --check --grid=4 -D BLOCK=16 -D SHIFT=0 --arg n=64 --arg x=empty:fp32[64] \
# RUN:   --arg y=empty:fp32[64] > %t.txt 2>&1
# RUN: grep -E "13: error: reads.element .[0-9]+. of 'x' .fp32.64.., which nothing.has written.* in program|Device not supported" %t.txt
# RUN: not tilec-run %s --kernel=rows --target=cuda --check=memcheck --grid=40000 -D BLOCK=64 --arg x=ones:fp32[39999,64] \
# RUN:   --arg y=empty:fp32[40000,64] > %t.txt 2>&1
# RUN: grep -E "13: error: reads .* the end of 'x' .fp32.39999,64.., where element .* in program .39999, 0, 0., warp 0|Device not supported" %t.txt
import triton
import triton.language as tl


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr, SHIFT: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets + SHIFT, mask=offsets < n)
    tl.store(y + offsets, value, mask=offsets < n)


@triton.jit
def rows(x, y, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at)
    tl.store(y + at, value / tl.sum(value, 0))
