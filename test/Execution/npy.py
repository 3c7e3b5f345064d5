# Arrays go through files unchanged; bf16, which NumPy lacks, through float32.
#
# RUN: tilec-run %s --grid=1 --arg x=randn:fp32[3,5] --arg out=empty:fp32[3,5] --save x=%t.32.npy --save out=%t.out.npy
# RUN: tilec-run %s --grid=1 --arg x=@%t.32.npy --arg out=empty:fp32[3,5] --expect out=@%t.out.npy --rtol=0 --atol=0
# RUN: tilec-run %s --grid=1 --arg x=@%t.32.npy+1 --arg out=empty:fp32[3,5]+3 --expect out=@%t.out.npy --rtol=0 --atol=0
#
# RUN: tilec-run %s --grid=1 --arg x=@%t.32.npy:bf16 --arg out=empty:bf16[3,5] --save x=%t.bf16.npy --expect out=@%t.32.npy --rtol=4e-3
# RUN: tilec-run %s --grid=1 --arg x=@%t.32.npy:fp16 --arg out=empty:fp16[3,5] --expect out=@%t.32.npy --rtol=5e-4
# RUN: tilec-run %s --grid=1 --arg x=@%t.bf16.npy --arg out=empty:fp32[3,5] --expect out=@%t.32.npy --rtol=4e-3
# RUN: not tilec-run %s --grid=1 --arg x=@%t.bf16.npy --arg out=empty:fp32[3,5] --expect out=@%t.32.npy --rtol=1e-6
#
# Sixteen bits without a sign are taken as the bits of a bf16: 1, -2, infinity.
# RUN: tilec-run %s --grid=1 --arg x='values(16256,49152,32640,0,0,0,0,0,0,0,0,0,0,0,0):u16[15]' --arg out=empty:u16[15] --save out=%t.u16.npy
# RUN: tilec-run %s --grid=1 --arg x=@%t.u16.npy:bf16 --arg out=empty:bf16[15] --expect out='values(1,-2,inf,0,0,0,0,0,0,0,0,0,0,0,0):fp32[15]'
#
# RUN: tilec-run %s --grid=1 --arg x='values(0,1,1,0,1,0,0,1,1,1,0,0,0,1,0):i1[15]' --arg out=empty:i1[15] --save out=%t.bool.npy --expect out=@%t.bool.npy
# RUN: tilec-run %s --grid=1 --arg x='arange(-9223372036854775808,3):i64[15]' --arg out=empty:i64[15] --save out=%t.i64.npy
# RUN: tilec-run %s --grid=1 --arg x=@%t.i64.npy --arg out=empty:i64[15] --expect out=@%t.i64.npy
import triton
import triton.language as tl


@triton.jit
def copy(x, out):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i, mask=i < 15), mask=i < 15)
