# The plainest kernel, on the GPU if there is one.
#
# RUN: tilec-run %s --grid='cdiv(n, BLOCK)' --arg x=arange:fp32[1000] --arg y='full(2):fp32[1000]' \
# RUN:   --arg out=empty:fp32[1000] --arg n=1000 -D BLOCK=256 --expect out='arange(2,1):fp32[1000]' --rtol=0
# RUN: tilec-run %s --grid='cdiv(n, BLOCK)' --arg x=arange:fp32[1000]+1 --arg y='full(2):fp32[1000]+3' \
# RUN:   --arg out=empty:fp32[1000]+2 --arg n=999 -D BLOCK=1024 --num-warps=8 --save out=%t.npy
# RUN: not tilec-run %s --grid='cdiv(n, BLOCK)' --arg x=arange:fp32[1000] --arg y='full(2):fp32[1000]' \
# RUN:   --arg out=empty:fp32[1000] --arg n=1000 -D BLOCK=256 --expect out=@%t.npy
# RUN: tilec-run %s --grid=0 --arg x=arange:fp32[1] --arg y=ones:fp32[1] --arg out='full(7):fp32[1]' --arg n=1 \
# RUN:   -D BLOCK=1 --expect out='full(7):fp32[1]'
#
# The same on the processor, with one thread and with many.
# RUN: tilec-run %s --target=cpu --threads=1 --grid='cdiv(n, BLOCK)' --arg x='arange(0,2):i64[100000]' \
# RUN:   --arg y='full(4294967296):i64[100000]' --arg out=empty:i64[100000] --arg n=100000 -D BLOCK=64 \
# RUN:   --expect out='arange(4294967296,2):i64[100000]'
# RUN: tilec-run %s --target=cpu --threads=16 --grid='cdiv(n, BLOCK)' --arg x='arange(0,2):u8[100000]' \
# RUN:   --arg y='full(3):u8[100000]' --arg out=empty:u8[100000] --arg n=100000 -D BLOCK=64 \
# RUN:   --expect out='arange(3,2):u8[100000]'
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
