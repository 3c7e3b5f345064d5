import triton
import triton.language as tl


@triton.jit
def row(out, x, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n + cols
    tl.store(out + at, tl.load(x + at, mask=cols < n), mask=cols < n)


@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (32, 64, 128)], key=[])
@triton.jit
def tuned(out, x, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    at = tl.program_id(0) * n + cols
    tl.store(out + at, tl.load(x + at, mask=cols < n), mask=cols < n)
