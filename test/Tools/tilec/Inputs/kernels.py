import triton
import triton.language as tl


@triton.jit
def double(x):
    return x + x


@triton.jit
def scale(out, x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out + offsets, double(tl.load(x + offsets, mask=inside)), mask=inside)


@triton.jit
def total(out, x, BLOCK: tl.constexpr):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, BLOCK)), axis=0))


def host(x):
    return scale[(1,)](x, x, x.numel(), BLOCK=64)
