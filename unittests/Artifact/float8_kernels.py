# Kernels with 8-bit floats in memory, for CpuTest.
import triton
import triton.language as tl


@triton.jit
def narrow(e5, e4, b15, x, n):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    value = tl.load(x + i, mask=i < n)
    tl.store(e5 + i, value.to(tl.float8e5), mask=i < n)
    tl.store(e4 + i, value.to(tl.float8e4nv), mask=i < n)
    tl.store(b15 + i, value.to(tl.float8e4b15), mask=i < n)


@triton.jit
def widen(out, e5, e4, b15, s5, s4, s15):
    i = tl.arange(0, 256)
    tl.store(out + i, tl.load(e5 + i).to(tl.float32))
    tl.store(out + 256 + i, tl.load(e4 + i).to(tl.float32))
    tl.store(out + 512 + i, tl.load(b15 + i).to(tl.float32))
    tl.store(out + 768, s5.to(tl.float32))
    tl.store(out + 769, s4.to(tl.float32))
    tl.store(out + 770, s15.to(tl.float32))
