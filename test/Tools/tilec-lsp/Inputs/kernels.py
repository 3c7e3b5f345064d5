# Kernels of many forms with the types of their parameters, for edits.
#
# tilec: --sig=attention:q=*fp16:16,k=*fp16:16,v=*fp16:16,out=*fp16:16,length=i32,scale=fp32
# tilec: --sig=scan:x=*fp32,out=*fp32,shape=(i32,i32) -D attention.BLOCK=64 -D attention.D=64 -D scan.BLOCK=128
# tilec: --sig='described:a=tensordesc<fp16[64, 64]>,b=*i32' --num-warps=4 --arch=sm_90a
from typing import NamedTuple

import triton
import triton.language as tl
from triton.language.extra import libdevice

LOG2E = tl.constexpr(1.4426950408889634)


class Shape(NamedTuple):
    rows: tl.tensor
    columns: tl.tensor


@triton.constexpr_function
def rounded(number, step=16):
    """The next multiple."""
    steps = [n for n in range(number) if n % step == 0]
    return len(steps) * step


@triton.jit
def larger(a, b):
    return tl.where(a > b, a, b)


@triton.jit
def attention(q, k, v, out, length, scale, BLOCK: tl.constexpr, D: tl.constexpr = 64):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + columns[None, :], mask=rows[:, None] < length, other=0.0)
    total = tl.zeros([BLOCK, D], tl.float32)
    norm = tl.zeros([BLOCK], tl.float32)
    most = tl.full([BLOCK], float("-inf"), tl.float32)
    for start in range(0, length, BLOCK):
        places = start + tl.arange(0, BLOCK)
        inside = places < length
        keys = tl.load(k + places[None, :] * D + columns[:, None], mask=inside[None, :], other=0.0)
        scores = tl.dot(query, keys) * (scale * LOG2E)
        scores = tl.where(inside[None, :], scores, float("-inf"))
        now = larger(most, tl.max(scores, axis=1))
        weights = libdevice.exp2(scores - now[:, None])
        factor = tl.math.exp2(most - now)
        norm = norm * factor + tl.sum(weights, axis=1)
        values = tl.load(v + places[:, None] * D + columns[None, :], mask=inside[:, None], other=0.0)
        total = tl.dot(weights.to(tl.float16), values, total * factor[:, None])
        most = now
    if length > 0:
        total = total / norm[:, None]
    tl.device_print(f"row {BLOCK!r} of {D:>{BLOCK}}", rows)
    tl.store(out + rows[:, None] * D + columns[None, :], total.to(tl.float16), mask=rows[:, None] < length)


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def scan(x, out, shape, BLOCK: tl.constexpr):
    size: tl.constexpr = rounded(BLOCK)
    width, _ = shape
    lane = tl.arange(0, BLOCK)
    line = tl.load(x + lane, mask=lane < width)
    sums = tl.associative_scan(line, 0, add)
    for i in tl.static_range(3):
        sums += i
        while tl.max(sums, axis=0) > 100:
            sums = sums - 1
    left, right = tl.split(tl.reshape(sums, [BLOCK // 2, 2]))
    both = tl.join(left, right).reshape([BLOCK])
    assert size >= 0, "never"
    tl.store(out + lane, both, mask=lane < width)


@triton.jit
def described(a, b):
    tile = a.load([0, 64])
    tl.atomic_add(b, tl.sum(tile.to(tl.int32)))


def launch(x, out):
    scan[(1,)](x, out, (x.shape[0], 1), BLOCK=128)
    print(f"{x} {out!r}")
