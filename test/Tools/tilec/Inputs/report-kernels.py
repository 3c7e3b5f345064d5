import triton
import triton.language as tl


@triton.jit
def half(x):
    return x * 0.5


@triton.jit
def transposed(out, x, width, SIZE: tl.constexpr):
    """</script><b id="broken">not HTML</b>"""
    i = tl.arange(0, SIZE)
    tile = tl.load(x + i[:, None] * width + i[None, :])  # <!-- <script> & "quotes" -->
    top = tl.max(tile, axis=1)
    tl.store(out + i[:, None] * width + i[None, :], half(tl.trans(tile - top[:, None])))


@triton.jit
def product(out, x, y, depth, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    sums = tl.zeros((SIZE, SIZE), tl.float32)
    for start in range(0, depth, SIZE):
        left = tl.load(x + i[:, None] * depth + start + i[None, :])
        right = tl.load(y + (start + i[:, None]) * SIZE + i[None, :])
        sums = tl.dot(left, right, sums)
    tl.store(out + i[:, None] * SIZE + i[None, :], sums)
