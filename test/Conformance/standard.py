# Names with an underscore of triton.language.standard, and what triton.language.core has beside them: kernels that
# sort keys with their indices, or reduce in their own way, import them.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl
from triton.language import core
from triton.language.standard import _log2, _sum_combine, zeros_like


@triton.jit
def compare_and_swap(x, ids, flip, i: core.constexpr, n_dims: core.constexpr):
    n_outer: core.constexpr = x.numel >> n_dims
    shape: core.constexpr = [n_outer * 2**i, 2, 2**(n_dims - i - 1)]
    y = core.reshape(x, shape)
    z = core.reshape(ids, shape)
    second = core.arange(0, 2)[None, :, None]
    left = core.reshape(core.broadcast_to(tl.sum(y * (1 - second), 1)[:, None, :], shape), x.shape).to(x.dtype)
    right = core.reshape(core.broadcast_to(tl.sum(y * second, 1)[:, None, :], shape), x.shape).to(x.dtype)
    left_id = core.reshape(core.broadcast_to(tl.sum(z * (1 - second), 1)[:, None, :], shape), ids.shape)
    right_id = core.reshape(core.broadcast_to(tl.sum(z * second, 1)[:, None, :], shape), ids.shape)
    bits = core.get_int_dtype(bitwidth=x.dtype.primitive_bitwidth, signed=True)
    swap = (left > right) ^ flip
    moved = left.to(bits, bitcast=True) ^ right.to(bits, bitcast=True)
    key = x.to(bits, bitcast=True)
    key = key ^ core.where(swap, moved, zeros_like(key))
    return key.to(x.dtype, bitcast=True), ids ^ core.where(swap, left_id ^ right_id, zeros_like(ids))


@triton.jit
def merge(x, ids, stage: core.constexpr, order: core.constexpr, n_dims: core.constexpr):
    n_outer: core.constexpr = x.numel >> n_dims
    if order == 2:
        shape: core.constexpr = [n_outer * 2**(n_dims - 1 - stage), 2, 2**stage]
        flip = core.reshape(core.broadcast_to(core.arange(0, 2)[None, :, None], shape), x.shape)
    else:
        flip = order
    for i in core.static_range(stage):
        x, ids = compare_and_swap(x, ids, flip, i + (n_dims - stage), n_dims)
    return x, ids


@triton.jit
def argsort(x, ids, descending: core.constexpr = core.CONSTEXPR_0):
    n_dims: core.constexpr = tl.standard._log2(x.shape[len(x.shape) - 1])
    for i in core.static_range(1, n_dims + 1):
        x, ids = merge(x, ids, i, 2 if i < n_dims else descending, n_dims)
    return x, ids


#: x = fp32[3, -1, 7, 0.5, 2, -8, 4, 1]
#: up -> fp32[-8, -1, 0.5, 1, 2, 3, 4, 7]
#: down -> i32[2, 6, 0, 4, 7, 3, 1, 5]
@triton.jit
def sorts_with_indices(x, up, down):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    keys, _ = argsort(v, i)
    _, ids = argsort(v, i, descending=True)
    tl.store(up + i, keys)
    tl.store(down + i, ids)


#: out -> i32[0, 0, 1, 6, 9]
@triton.jit
def log2_of_sizes(out):
    tl.store(out, _log2(0))
    tl.store(out + 1, _log2(1))
    tl.store(out + 2, _log2(2))
    K: tl.constexpr = _log2(64)
    tl.store(out + 3, tl.max(tl.arange(0, 2 * K - 8), 0) + K - 3)
    tl.store(out + 4, _log2(1000))


#: x = fp32[3, -1, 7, 0.5, 7, -8, 4, -8]
#: out -> fp32[4.5, 7, -8, 7, 2, -8, 5, 4.5]
#: some -> i32[1, 1, 0, 15]
@triton.jit
def combines(x, out, some):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    tl.store(out, tl.reduce(v, 0, _sum_combine))
    tl.store(out + 1, tl.reduce(v, 0, tl.standard._elementwise_max))
    tl.store(out + 2, tl.reduce(v, 0, tl.standard._elementwise_min))
    value, at = tl.reduce((v, i), 0, tl.standard._argmax_combine_tie_break_left)
    tl.store(out + 3, value)
    tl.store(out + 4, at)
    value, at = tl.reduce((v, i), 0, tl.standard._argmin_combine_tie_break_left)
    tl.store(out + 5, value)
    tl.store(out + 6, at)
    tl.store(out + 7, tl.sum(tl.where(i == 7, tl.associative_scan(v, 0, tl.standard._sum_combine), 0.0)))
    # Which of equal ones is left open: that it is one of them is not.
    value, at = tl.reduce((v, i), 0, tl.standard._argmax_combine_tie_break_fast)
    tl.store(some, (at == 2) | (at == 4))
    value, at = tl.reduce((v, i), 0, tl.standard._argmin_combine_tie_break_fast)
    tl.store(some + 1, (at == 5) | (at == 7))
    # 0 ^ 1 ^ .. ^ 7 and 0 | 8 | ..
    tl.store(some + 2, tl.reduce(i, 0, tl.standard._xor_combine))
    tl.store(some + 3, tl.reduce(i | (i << 1), 0, tl.standard._or_combine))


#: x = fp32[3, -1, 7, 0.5]
#: out -> fp32[-10.5, 7, 2, -1, 1]
@triton.jit
def combines_called(x, out):
    v = tl.load(x + tl.arange(0, 4))
    tl.store(out, tl.reduce(v, 0, tl.standard._prod_combine))
    value, at = tl.reduce((v, tl.arange(0, 4)), 0, best)
    tl.store(out + 1, value)
    tl.store(out + 2, at)
    value, at = tl.reduce((v, tl.arange(0, 4)), 0, least)
    tl.store(out + 3, value)
    tl.store(out + 4, at)


@triton.jit
def best(a, i, b, j):
    return tl.standard._argmax_combine(a, i, b, j, True)


@triton.jit
def least(a, i, b, j):
    return tl.standard._argmin_combine(a, i, b, j, tie_break_left=False)


#: x = fp16[1, -2]
#: out -> i32[15360, 49152]
@triton.jit
def types_of_bits(x, out):
    i = tl.arange(0, 2)
    v = tl.load(x + i)
    unsigned = core.get_int_dtype(v.dtype.primitive_bitwidth, False)
    tl.static_assert(unsigned == tl.uint16)
    tl.static_assert(core.get_int_dtype(64, True) == tl.int64 and core.get_int_dtype(1, True) == tl.int1)
    tl.store(out + i, v.to(unsigned, bitcast=True).to(tl.int32))


# The names that the language's own sorts, sums and flips are made of.
#: x = i16[5, -3, 8, 1, 9, -7, 2, 6]
#: up -> i16[-7, -3, 1, 2, 5, 6, 8, 9]
#: out -> i32[5, 8, -3, 1, 2, 9, -7, 6, 9, 8, -7, -3, 1, 1]
@triton.jit
def steps_of_networks(x, up, out):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    h = tl.reshape(v, [2] * tl.standard._log2(v.numel))
    # Neighbours at distance 2 in order.
    once = tl.standard._compare_and_swap(tl.trans(h, 0, 2, 1), 0, 0)
    pairs = tl.reshape(once, (2, 2, 2))
    tl.store(out + i, tl.reshape(pairs, [8]))
    for stage in tl.static_range(1, 4):
        h = tl.standard._bitonic_merge_hypercube(h, stage, 2 if stage < 3 else 0)
    tl.store(up + i, tl.reshape(h, [8]))
    tl.store(out + 8 + tl.arange(0, 2), tl.standard.sort_impl(v, k=2, descending=True))
    tl.store(out + 10 + tl.arange(0, 2), tl.standard.sort_impl(v, k=2))
    tl.static_assert(tl.standard._indicator(3, 1).shape == (1, 2, 1))
    rising = tl.where(i < 4, i, 11 - i)
    tl.store(out + 12, tl.min((tl.standard._bitonic_merge(rising, 3, 0, 3) == i).to(tl.int32), 0))
    tl.store(out + 13, tl.min((tl.standard.sort_impl(rising, None, 0) == i).to(tl.int32), 0))


#: x = bf16[1, 8, -3, 8, 2, 9, 4, 0]
#: out -> fp32[8, 9, 8, 9, 1, 1]
@triton.jit
def with_indices(x, out):
    i = tl.arange(0, 8)
    v = core._promote_bfloat16_to_float32(tl.load(x + i))
    tl.static_assert(v.dtype == tl.float32 and core._promote_bfloat16_to_float32(i).dtype == tl.int32)
    value, index = core._reduce_with_indices(tl.reshape(v, (2, 4)), 1, tl.standard._argmax_combine_tie_break_left)
    tl.store(out + tl.arange(0, 2), value)
    kept, _ = tl.standard.core._reduce_with_indices(tl.reshape(v, (2, 4)), -1, tl.standard._argmax_combine_tie_break_left, keep_dims=True)
    tl.store(out + 2 + tl.arange(0, 2)[:, None], kept)
    tl.store(out + 4 + tl.arange(0, 2), index.to(tl.float32))


#: out -> i32[1]
@triton.jit
def compile_time_helpers(out):
    tl.static_assert(tl.standard._is_power_of_two(64) and not tl.standard._is_power_of_two(0))
    tl.static_assert(not tl.standard._is_power_of_two(12))
    tl.static_assert(tl.standard._get_int_dtype(16, signed=False) == tl.uint16)
    tl.static_assert(tl.standard._pick_sum_dtype(tl.int8, None) == tl.int32)
    tl.static_assert(tl.standard._pick_sum_dtype(tl.uint16, None) == tl.uint32)
    tl.static_assert(tl.standard._pick_sum_dtype(tl.int64, None) is None)
    tl.static_assert(tl.standard._pick_sum_dtype(tl.float16, None) is None)
    tl.static_assert(tl.standard._pick_sum_dtype(tl.int8, tl.int64) == tl.int64)
    dim: tl.constexpr = tl.standard._get_flip_dim(-1, [4, 8])
    last: tl.constexpr = tl.standard._get_flip_dim(None, [4, 8, 2])
    tl.static_assert(dim == 1 and last == 2)
    tl.store(out, dim)


#: n = 5
@triton.jit
def wrong(p, n):
    k = core.get_int_dtype(24, True) #! there is no integer of 24 bits
    tl.store(p, _log2(n)) #! must be a constexpr
