import triton
import triton.language as tl


@triton.jit
def column_sums(x, sums, flipped, n_blocks, ROWS: tl.constexpr, COLS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    total = tl.zeros([ROWS, COLS], tl.float32)
    for block in tl.range(0, n_blocks, num_stages=3):
        total += tl.load(x + block * ROWS * COLS + at)
    tl.store(flipped + at, tl.flip(total, 1))
    tl.store(sums + tl.arange(0, COLS), tl.sum(total, 0))
