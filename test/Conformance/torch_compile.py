# What kernels written by torch.compile call.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import torch
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math


#: a = fp32[1, nan, 3, nan]
#: b = fp32[2, 2, nan, nan]
#: low -> fp32[1, nan, nan, nan]
#: high -> fp32[2, nan, nan, nan]
@triton_heuristics.pointwise(size_hints={"x": 4}, filename=__file__)
@triton.jit
def nan_wins(a, b, low, high):
    x = tl.arange(0, 4)
    tmp0 = tl.load(a + (x), None)
    tmp1 = tl.load(b + (x), None)
    tl.store(low + (x), triton_helpers.minimum(tmp0, tmp1), None)
    tl.store(high + (x), triton_helpers.maximum(tmp0, tmp1), None)


#: a = i32[7, -7, 7, -7, 6, -6, 0, 5]
#: b = i32[2, 2, -2, -2, 3, 3, 3, -5]
#: q -> i32[3, -4, -4, 3, 2, -2, 0, -1]
#: r -> i32[1, 1, -1, -1, 0, 0, 0, 0]
@triton.jit
def division(a, b, q, r):
    x = tl.arange(0, 8)
    tmp0 = tl.load(a + x)
    tmp1 = tl.load(b + x)
    tl.store(q + x, triton_helpers.div_floor_integer(tmp0, tmp1))
    tl.store(r + x, triton_helpers.remainder_integer(tmp0, tmp1))


#: a = fp32[3, 1, nan, 1, 5, 2, 5, 0]
#: v -> fp32[nan, 5, 1, 0]
#: i -> i64[2, 4, 2, 7]
#: o -> fp32[nan, 0]
@triton.jit
def reductions(a, v, i, o):
    r = tl.arange(0, 2)[:, None]
    c = tl.arange(0, 4)[None, :]
    tmp0 = tl.load(a + (c + 4 * r))
    index = tl.broadcast_to((c + 4 * r).to(tl.int64), [2, 4])
    high, at = triton_helpers.max_with_index(tmp0, index, 1)
    tl.store(v + tl.arange(0, 2), high)
    tl.store(i + tl.arange(0, 2), at)
    low, at = triton_helpers.min_with_index(tl.where(tmp0 == tmp0, tmp0, 1.0), index, 1)
    tl.store(v + 2 + tl.arange(0, 2), low)
    tl.store(i + 2 + tl.arange(0, 2), tl.where(low == 1, 2, at))
    row = tl.load(a + tl.arange(0, 8))
    tl.store(o, triton_helpers.max2(row, 0))
    tl.store(o + 1, triton_helpers.min2(tl.where(row == row, row, 1.0), 0))


@triton.jit
def merge(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    return triton_helpers.welford_combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2)


@triton.jit
def larger(a, i, b, j):
    return triton_helpers.maximum_with_index(a, i, b, j)


@triton.jit
def smaller(a, i, b, j):
    return triton_helpers.minimum_with_index(a, i, b, j)


#: o -> fp32[7, 2, 1, 0]
@triton.jit
def combiners(o):
    i = tl.arange(0, 4)
    x = tl.where(i == 2, 7.0, i + 1.0)
    tl.static_assert(triton_helpers.is_floating(x).dtype == tl.int1)
    value, at = tl.reduce((x, i), 0, larger)
    tl.store(o, value)
    tl.store(o + 1, at)
    value, at = tl.reduce((x, i), 0, smaller)
    tl.store(o + 2, value)
    tl.store(o + 3, at)


#: o -> fp32[2.5, 5, 4, 24, 1]
@triton.jit
def over_a_row(o):
    x = tl.arange(0, 4).to(tl.float32) + 1.0
    mean = tl.zeros([4], tl.float32)
    mean, m2, weight = triton_helpers.welford_reduce(x, mean, mean, mean, True)
    mean, m2, weight = triton_helpers.welford(mean, m2, weight, 0)
    tl.store(o, mean)
    tl.store(o + 1, m2)
    tl.store(o + 2, weight)
    again, spread, size = tl.reduce((x, x * 0.0, x * 0.0 + 1.0), 0, merge)
    tl.device_assert((again == mean) & (spread == m2) & (size == weight))
    tl.store(o + 3, triton_helpers.prod(x, 0))
    tl.store(o + 4, triton_helpers.any(x > 3.0, 0).to(tl.float32))


#: o -> fp32[2, 3, 1]
#: s = 4.0
@triton.jit
def the_rest(o, s):
    one = triton_helpers.promote_to_tensor(s)
    tl.static_assert(one.shape == (1,))
    tl.store(o + tl.arange(0, 1), libdevice.sqrt(one))
    checked = triton_helpers.device_assert_then(one > 0.0, "positive", tl_math.abs(one - 7.0))
    tl.store(o + 1 + tl.arange(0, 1), checked)
    word = triton_helpers.randint64(7, tl.arange(0, 1), 5, 9)
    tl.store(o + 2 + tl.arange(0, 1), ((word >= 5) & (word < 9)).to(tl.float32))


#: x = fp32[0, 8, -0.75, 1e-40, inf, -inf, nan, 3]
#: m -> fp32[0, 0.5, -0.75, 0.5444488525390625, inf, -inf, nan, 0.75]
#: e -> i32[0, 4, 0, -132, 0, 0, 0, 2]
@triton.jit
def mantissas_and_exponents(x, m, e):
    r = tl.arange(0, 8)
    tmp0, tmp1 = triton_helpers.frexp(tl.load(x + r))
    tl.store(m + r, tmp0)
    tl.store(e + r, tmp1)


#: x = fp32[-1, 1, 1.5, 2, 3, 4, 100, nan]
#: b = fp32[1, 2, 2, 4, 50]
#: left -> i64[0, 0, 1, 1, 3, 3, 5, 0]
#: right -> i32[0, 1, 1, 3, 3, 4, 5, 0]
@triton.jit
def buckets(x, b, left, right):
    xindex = tl.arange(0, 8)
    tmp0 = tl.load(x + xindex)
    tmp1 = triton_helpers.bucketize_binary_search(tmp0, b, 5, 5, 1, 0, tl.int64, False, None, None, None)
    tmp2 = triton_helpers.bucketize_binary_search(tmp0, b, 5, 5, 1, 0, tl.int32, True, None, None, None)
    tl.store(left + xindex, tmp1)
    tl.store(right + xindex, tmp2)


# Two rows of three boundaries each, in an order that the sorter knows.
#: x = i64[5, 15, 25, 35, 5, 15, 25, 35]
#: b = i64[30, 10, 20, 12, 3, 7]
#: order = i64[1, 2, 0, 1, 2, 0]
#: o -> i32[0, 1, 2, 3, 1, 3, 3, 3]
@triton.jit
def buckets_of_rows(x, b, order, o):
    xindex = tl.arange(0, 8)
    row = 3 * (xindex // 4)
    tmp0 = tl.load(x + xindex)
    tmp1 = triton_helpers.bucketize_binary_search(tmp0, b, 3, 6, 1, row, tl.int32, False, order, 1, row)
    tl.store(o + xindex, tmp1)


#: x = fp32[3, nan, 1, 2, 1, 9, 9, 9, 5, 5, 5, 0, 0, -1, 9, 9]
#: v -> fp32[1, 1, 2, 3, nan, -1, 0, 5, 5, 5]
#: i -> i16[2, 4, 3, 0, 1, 4, 3, 0, 1, 2]
#: d -> fp32[nan, 3, 2, 1, 1, 5, 5, 5, 0, -1]
@triton.jit
def sorted_with_index(x, v, i, d):
    r = tl.arange(0, 2)[:, None]
    c = tl.arange(0, 8)[None, :]
    mask = c < 5
    at = 8 * r + c
    tmp0 = tl.load(x + at + tl.where(r == 1, 0, 0), mask, other=0.0)
    tmp0 = tl.where((r == 1) & (c == 3), 0.0, tl.where((r == 1) & (c == 4), -1.0, tmp0))
    index = tl.broadcast_to(c.to(tl.int16), [2, 8])
    tmp1, tmp2 = triton_helpers.sort_with_index(tmp0, index, 5, 1, stable=True, descending=False)
    tl.store(v + 5 * r + c, tmp1, mask)
    tl.store(i + 5 * r + c, tmp2, mask)
    tmp3, tmp4 = triton_helpers.sort_with_index(tmp0, index, 5, 1, stable=False, descending=True)
    tl.store(d + 5 * r + c, tmp3, mask)


#: x = i32[3, 1, 2, 0]
#: o -> i32[0, 1, 2, 3, 3, 1, 2, 0]
@triton.jit
def sorted_without_end(x, o):
    r = tl.arange(0, 4)
    tmp0, tmp1 = triton_helpers.sort_with_index(tl.load(x + r), r, None)
    tl.store(o + r, tmp0)
    tl.store(o + 4 + r, tmp1)


#: x = fp32[1, 2, 3, 4]
#: o -> fp32[3]
@triton.jit
def one_of_a_block(x, o):
    r = tl.arange(0, 4)
    tl.store(o, triton_helpers.select_one(tl.load(x + r), (r == 2).to(tl.uint32), 0))


@triton.jit
def added(a, b):
    return a + b


@triton.jit
def last_of(a, b):
    return b


#: grid = 6
#: w = u64*6
#: o -> fp32[0, 1, 3, 6, 10, 15]
#: e -> fp32[0, 1, 2, 3, 4, 5]
#: w2 = u64*6
@triton.jit
def scan_of_programs(w, o, w2, e):
    pid = tl.program_id(0)
    value = (pid + 1).to(tl.float32)
    before = triton_helpers.exclusive_scan_decoupled_lookback(
        w, value, pid, added, DTYPE_VALUE_AS_UINT=tl.uint32, DTYPE_PACK=tl.uint64)
    tl.store(o + pid, before)
    previous = triton_helpers.exclusive_scan_decoupled_lookback(
        w2, value, pid, last_of, DTYPE_VALUE_AS_UINT=tl.uint32, DTYPE_PACK=tl.uint64)
    tl.store(e + pid, previous)


#: x = fp32[-1.5]
#: o -> fp32[-1.5, 2]
@triton.jit
def packed_words(x, o):
    flag = tl.full([], 2, tl.uint32)
    word = triton_helpers.pack_value_flag(tl.load(x), flag, tl.uint32, tl.uint64)
    tl.store(o, triton_helpers.unpack_value(word, tl.float32, tl.uint32))
    tl.store(o + 1, triton_helpers.unpack_flag(word, tl.uint32))


#: grid = 2
#: options = --threads=2
#: sem = u32*1
#: shared = i32*2
#: out -> i32[30, 30]
@triton.jit
def programs_that_meet(sem, shared, out):
    pid = tl.program_id(0)
    count: tl.constexpr = triton_helpers.constexpr_next_power_of_2(2)
    tl.store(shared + pid, pid * 10 + 10)
    triton_helpers.x_grid_barrier(sem)
    tl.store(out + pid, tl.sum(tl.load(shared + tl.arange(0, count))))


#: x = i32[5, 6]
#: out -> i32[5, 0]
@triton.jit
def loads_with_and_without_masks(x, out):
    i = tl.arange(0, 2)
    mask: tl.constexpr = None
    whole = tl.load(x + i, mask, other=triton_helpers.if_mask(mask, 0))
    tl.store(out + i, tl.load(x + i, i < 1, other=triton_helpers.if_mask(i < 1, 0)), whole > 0)


#: grid = 6
#: w = u64*18
#: o -> i64[0, 4294967297, 8589934595, 12884901894, 17179869194, 21474836495]
@triton.jit
def scan_of_wide_values(w, o):
    pid = tl.program_id(0)
    value = (pid + 1).to(tl.int64) + 4294967296
    before = triton_helpers.exclusive_scan_decoupled_lookback_64(w, value, pid, added)
    tl.store(o + pid, before)


#:
@triton.jit
def misspelt(p):
    x = triton_helpers.maxmum(tl.load(p), 1)  #! did you mean 'maximum'


# Two rows of maxima and sums of exponentials, number by number and then across: the second row has no numbers.
#: x = fp32[0, 1, 2, 3, -inf, -inf, -inf, -inf, 4, 1, 2, 0, -inf, -inf, -inf, -inf]
#: m -> fp32[4, -inf]
#: s -> fp32[1.7747554, 8] ~4e-6
#: e -> fp32[1, 2.7182817, 1, 2.7182817] ~4e-6
@triton.jit
def softmax_on_line(x, m, s, e):
    at = tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :]
    largest = tl.full([2, 4], float("-inf"), tl.float32)
    total = tl.zeros([2, 4], tl.float32)
    for start in range(0, 16, 8):
        largest, total = triton_helpers.online_softmax_combine(largest, total, tl.load(x + start + at), False)
    row_max, row_sum = triton_helpers.online_softmax_reduce(largest, total, 1, False)
    tl.store(m + tl.arange(0, 2), row_max)
    tl.store(s + tl.arange(0, 2), row_sum)
    i = tl.arange(0, 2)
    tl.store(e + i, triton_helpers.exp(i.to(tl.float32), True))
    tl.store(e + 2 + i, triton_helpers.exp(i.to(tl.float32), False))
