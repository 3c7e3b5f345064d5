import triton
import triton.language as tl

SIZES = [64]


@triton.autotune(
    configs=[triton.Config({"BLOCK": size}) for size in SIZES]
    + [triton.Config({"BLOCK": 512}, num_warps=8), triton.Config({"BLOCK": 100}, num_stages=2)],
    key=["n"],
    restore_value=["y"],
)
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def add(y, x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(y + i, tl.load(y + i) + tl.load(x + i))
    else:
        tl.store(y + i, tl.load(y + i, mask=i < n) + tl.load(x + i, mask=i < n), mask=i < n)


@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_stages=s) for b in (8, 16) for s in (2, 3, 4)], key=[])
@triton.jit
def staged(y, BLOCK: tl.constexpr):
    tl.store(y, BLOCK)


def make_configs():
    return [3]

@triton.autotune(configs=make_configs(), key=[])
@triton.jit
def broken(y):
    tl.store(y, 1)
