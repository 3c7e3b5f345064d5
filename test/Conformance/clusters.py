# Programs that are clusters of CTAs: what moves elements between them. A kernel counts what is wrong.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


@triton.jit
def wrong(found, expected):
    return tl.sum(tl.ravel((found != expected).to(tl.int32)), 0)


@triton.jit
def add_pair(a, b, c, d):
    return a * c, b * c + d


#: out -> i32[0, 0, 0, 0]
#: options = --num-ctas=2
@triton.jit
def scans_of_one_axis(out):
    i = tl.arange(0, 512)
    tl.store(out, wrong(tl.cumsum(i, 0), i * (i + 1) // 2))
    tl.store(out + 1, wrong(tl.cumsum(i, 0, reverse=True), (511 * 512 - i * (i - 1)) // 2))
    tl.store(out + 2, wrong(tl.cumprod(tl.where(i == 300, 3, 1), 0), tl.where(i < 300, 1, 3)))
    a, b = tl.associative_scan((tl.full([512], 1, tl.int32), i % 7), 0, add_pair)
    tl.store(out + 3, wrong(a, 1) + wrong(b, tl.cumsum(i % 7, 0)))


#: out -> i32[0, 0, 0, 0]
#: options = --num-ctas=8 --num-warps=2
@triton.jit
def scans_in_eight(out):
    i = tl.arange(0, 4096)
    tl.store(out, wrong(tl.cumsum(i & 15, 0), (i >> 4) * 120 + (i & 15) * ((i & 15) + 1) // 2))
    x = tl.reshape(i & 3, (2048, 2))
    row = tl.arange(0, 2048)[:, None]
    column = tl.arange(0, 2)[None, :]
    tl.store(out + 1, wrong(tl.cumsum(x, 0), row // 2 * (2 + 2 * column) + column + (row % 2) * (2 + column)))
    tl.store(out + 2, wrong(tl.cumsum(x, 1), ((row & 1) * 2 + 0) * (column + 1) + column))
    tl.store(out + 3, wrong(tl.cumsum(tl.full([16], 1, tl.int64), 0), tl.arange(0, 16) + 1))


#: x = fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63] -> fp32[0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105, 120, 136, 153, 171, 190, 210, 231, 253, 276, 300, 325, 351, 378, 406, 435, 465, 496, 528, 561, 595, 630, 666, 703, 741, 780, 820, 861, 903, 946, 990, 1035, 1081, 1128, 1176, 1225, 1275, 1326, 1378, 1431, 1485, 1540, 1596, 1653, 1711, 1770, 1830, 1891, 1953, 2016]
#: options = --num-ctas=2 --num-warps=1
@triton.jit
def scan_in_place(x):
    i = tl.arange(0, 64)
    tl.store(x + i, tl.cumsum(tl.load(x + i), 0))


#: out -> i32[0, 0, 0, 0]
#: options = --num-ctas=4
@triton.jit
def flips(out):
    i = tl.arange(0, 512)
    tl.store(out, wrong(tl.flip(i, 0), 511 - i))
    x = tl.reshape(tl.arange(0, 2048), (64, 32))
    row, column = tl.arange(0, 64)[:, None], tl.arange(0, 32)[None, :]
    tl.store(out + 1, wrong(tl.flip(x, 0), (63 - row) * 32 + column))
    tl.store(out + 2, wrong(tl.flip(x, 1), row * 32 + 31 - column))
    tl.store(out + 3, wrong(tl.flip(i.to(tl.int8), 0), (511 - i).to(tl.int8)))


#: out -> i32[0, 0, 0]
#: options = --num-ctas=2
@triton.jit
def sorts(out):
    i = tl.arange(0, 256)
    x = (i * 37 + 11) & 255
    tl.store(out, wrong(tl.sort(x), i))
    tl.store(out + 1, wrong(tl.sort(x, descending=True), 255 - i))
    tl.store(out + 2, wrong(tl.topk(x, 8), 255 - tl.arange(0, 8)))


#: out -> i32[0, 0, 0, 0]
#: options = --num-ctas=4 --num-warps=2
@triton.jit
def gathers(out):
    i = tl.arange(0, 512)
    x = i * i
    at = (i * 197 + 5) & 511
    tl.store(out, wrong(tl.gather(x, at, 0), at * at))
    few = tl.arange(0, 4) * 100
    tl.store(out + 1, wrong(tl.gather(x, few, 0), few * few))
    y = tl.reshape(tl.arange(0, 2048), (128, 16))
    row, column = tl.arange(0, 128)[:, None], tl.arange(0, 16)[None, :]
    index = (row * 3 + column * 5) & 127
    tl.store(out + 2, wrong(tl.gather(y, index, 0), index * 16 + column))
    index = (row + column * 3) & 15
    tl.store(out + 3, wrong(tl.gather(y.to(tl.float64), index, 1), (row * 16 + index).to(tl.float64)))


#: out -> i32[0, 0, 0, 0]
#: options = --num-ctas=2
@triton.jit
def histograms(out):
    i = tl.arange(0, 2048)
    bins = tl.arange(0, 64)
    tl.store(out, wrong(tl.histogram(i & 63, 64), 32))
    # Only what the bins hold, and what the mask admits.
    tl.store(out + 1, wrong(tl.histogram(i, 64), 1))
    tl.store(out + 2, wrong(tl.histogram(i & 63, 64, mask=i < 100), tl.where(bins < 36, 2, 1)))
    tl.store(out + 3, wrong(tl.histogram(tl.arange(0, 16) & 1, 2), 8))


#: count = i32[5] -> i32[12]
#: counts = i32[0, 10, 20, 30, 40, 50, 60, 70] -> i32[1, 11, 21, 31, 41, 51, 61, 71]
#: flag = i32[0] -> i32[9]
#: out -> i32[5, 0, 10, 20, 30, 40, 50, 60, 70, 0]
#: options = --num-ctas=2
@triton.jit
def results_of_atomic_operations(count, counts, flag, out):
    tl.store(out, tl.atomic_add(count, 7))
    i = tl.arange(0, 8)
    tl.store(out + 1 + i, tl.atomic_add(counts + i, 1))
    tl.store(out + 9, tl.atomic_cas(flag, 0, 9))


# The value decides which way all CTAs go.
#: turn = i32[0] -> i32[6]
#: out -> i32[0, 1, 2, 3, 4, 5]
#: grid = 6
#: options = --num-ctas=4 --threads=6
@triton.jit
def takes_turns(turn, out):
    at = tl.atomic_add(turn, 1)
    tl.store(out + at, at)


#: data = i32*256
#: out -> i32[0]
#: options = --num-ctas=4
@triton.jit
def results_of_many(data, out):
    i = tl.arange(0, 256)
    old = tl.atomic_xchg(data + i, i)
    again = tl.atomic_max(data + i, 100)
    tl.store(out, wrong(old, 0) + wrong(again, i))


# Behind a barrier, CTAs see what others have stored.
#: data = i32*1024
#: out -> i32[0, 0]
#: options = --num-ctas=4 --num-warps=2
@triton.jit
def stores_and_loads(data, out):
    i = tl.arange(0, 1024)
    tl.store(data + i, i * 3)
    tl.debug_barrier()
    tl.store(out, wrong(tl.load(data + 1023 - i), (1023 - i) * 3))
    bad = tl.zeros([1024], tl.int32)
    for step in range(4):
        tl.debug_barrier()
        tl.store(data + i, i + step)
        tl.debug_barrier()
        bad += (tl.load(data + (i ^ 512)) != (i ^ 512) + step).to(tl.int32)
    tl.store(out + 1, tl.sum(bad, 0))


# Each CTA multiplies its half of the columns by warp groups, whose factor takes several rows of swizzled atoms: the
# address in its descriptor is one in the CTA's own memory.
#: b = fp16*16384 as 64x256
#: out -> fp32*16384 as 64x256
#: options = --num-ctas=2 --num-warps=4
@triton.jit
def products_of_halves(b, out):
    rows, cols, depth = tl.arange(0, 64), tl.arange(0, 256), tl.arange(0, 64)
    at = depth[:, None] * 256 + cols[None, :]
    tl.store(b + at, (cols[None, :] % 64 + depth[:, None]).to(tl.float16))
    tl.debug_barrier()
    right = tl.load(b + at)
    left = (rows[:, None] == depth[None, :]).to(tl.float16)
    found = tl.dot(left, right)
    expected = (cols[None, :] % 64 + rows[:, None]).to(tl.float32)
    tl.store(out + rows[:, None] * 256 + cols[None, :], found - expected)
