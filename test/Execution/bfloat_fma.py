# fma of bfloat16 is rounded once, with and without an instruction for it: products halfway between two floats, and a
# term that decides.
#
# DEFINE: %{arguments} = --arg 'x=values(129,129,131,131):fp32[4]' --arg 'z=values(1,-1,1,-1):fp32[4]' --arg out=empty:fp32[4] --expect 'out=values(388,386,394,392):fp32[4]' --rtol=0 --atol=0
# RUN: tilec-run %s --kernel=halfway --grid=1 --target=cpu %{arguments}
# RUN: tilec-run %s --kernel=halfway --grid=1 --target=simulator --arch=sm_75 %{arguments}
# RUN: tilec-run %s --kernel=halfway --grid=1 --target=simulator --arch=sm_80 %{arguments}
import triton
import triton.language as tl


@triton.jit
def halfway(x, z, out):
    i = tl.arange(0, 4)
    three = tl.full([4], 3458764513820540928.0, tl.bfloat16)  # 3 * 2^60
    total = tl.fma(tl.load(x + i).to(tl.bfloat16), three, tl.load(z + i).to(tl.bfloat16))
    tl.store(out + i, total.to(tl.float32) / 1152921504606846976.0)
