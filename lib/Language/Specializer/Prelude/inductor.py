# What kernels that torch.compile writes call from torch._inductor.runtime.triton_helpers. A function here
# is bound by its row in BuiltinsInductor.cpp, so it has no defaults.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def promote_to_tensor(x):
    # A block with one element at least: adding a false changes no value and no type.
    return x + tl.zeros([1], tl.int1)


@triton.jit
def is_floating(x):
    return tl.core.to_tensor(x).dtype.is_floating()


@triton.jit
def div_floor_integer(a, b):
    quotient = a // b
    opposite = (a < 0) != (b < 0)
    return tl.where(opposite & (a % b != 0), quotient - 1, quotient)


@triton.jit
def remainder_integer(a, b):
    rest = a % b
    opposite = (a < 0) != (b < 0)
    return tl.where(opposite & (rest != 0), rest + b, rest)


# NaN wins over numbers, as in torch.
@triton.jit
def minimum(a, b):
    left = tl.core.to_tensor(a)
    takes = left < b
    if left.dtype.is_floating():
        takes |= left != left
    return tl.where(takes, a, b)


@triton.jit
def maximum(a, b):
    left = tl.core.to_tensor(a)
    takes = left > b
    if left.dtype.is_floating():
        takes |= left != left
    return tl.where(takes, a, b)


@triton.jit
def both(a, b):
    return a | b


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def min2(a, dim):
    return tl.reduce(a, dim, minimum)


@triton.jit
def max2(a, dim):
    return tl.reduce(a, dim, maximum)


@triton.jit
def exp(x, use_fast_math: tl.constexpr):
    if use_fast_math:
        return tl.exp(x)
    return libdevice.exp(x)


# What the sum of exponentials relative to `old` is multiplied by, or an exponential relative to `largest` is. Before
# there is any number both are -inf, and the difference would be NaN.
@triton.jit
def softmax_scale(old, largest, use_fast_math: tl.constexpr):
    return tl.where(largest == float("-inf"), 1.0, exp(old - largest, use_fast_math))


# Adds one number to each running maximum and sum of exponentials relative to it.
@triton.jit
def online_softmax_combine(lhs_max, lhs_sum, rhs_max, use_fast_math: tl.constexpr):
    largest = maximum(lhs_max, rhs_max)
    total = lhs_sum * softmax_scale(lhs_max, largest, use_fast_math) + softmax_scale(rhs_max, largest, use_fast_math)
    return largest, total


@triton.jit
def online_softmax_reduce(lhs_max, lhs_sum, dim, use_fast_math: tl.constexpr):
    largest = max2(lhs_max, dim)
    scale = softmax_scale(lhs_max, tl.expand_dims(largest, dim), use_fast_math)
    return largest, tl.sum(lhs_sum * scale, dim)


@triton.jit
def prod(input, axis):
    return tl.reduce(input, axis, product)


@triton.jit
def any(a, dim):
    return tl.reduce(a, dim, both)


# The first of two values if `takes` holds, or it alone is NaN; of equals and of NaNs the one with the lower index.
@triton.jit
def choose_with_index(takes, a_value, a_index, b_value, b_index):
    equal = a_value == b_value
    if a_value.dtype.is_floating():
        a_nan = a_value != a_value
        b_nan = b_value != b_value
        takes |= a_nan & (b_value == b_value)
        equal |= a_nan & b_nan
    takes |= equal & (a_index < b_index)
    return tl.where(takes, a_value, b_value), tl.where(takes, a_index, b_index)


@triton.jit
def minimum_with_index(a_value, a_index, b_value, b_index):
    return choose_with_index(a_value < b_value, a_value, a_index, b_value, b_index)


@triton.jit
def maximum_with_index(a_value, a_index, b_value, b_index):
    return choose_with_index(a_value > b_value, a_value, a_index, b_value, b_index)


@triton.jit
def min_with_index(value, index, dim):
    return tl.reduce((value, index), dim, minimum_with_index)


@triton.jit
def max_with_index(value, index, dim):
    return tl.reduce((value, index), dim, maximum_with_index)


# Mean, sum of squared distances from it, and number of elements of a part.
@triton.jit
def welford_combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    delta = mean_2 - mean_1
    weight = weight_1 + weight_2
    share = tl.where(weight == 0.0, 0.0, weight_2 / weight)
    return mean_1 + delta * share, m2_1 + m2_2 + delta * delta * weight_1 * share, weight


@triton.jit
def welford_reduce(value, mean, m2, weight, first_iteration):
    if first_iteration:
        new_weight = tl.full(weight.shape, 1, weight.dtype)
        new_mean = value
        new_m2 = tl.zeros_like(m2)
    else:
        delta = value - mean
        new_weight = weight + 1
        new_mean = mean + delta / new_weight
        new_m2 = m2 + delta * (value - new_mean)
    return new_mean, new_m2, new_weight


@triton.jit
def welford(mean, m2, weight, dim):
    return tl.reduce((mean, m2, weight), dim, welford_combine)


@triton.jit
def device_assert_then(cond, msg, r):
    tl.device_assert(cond, msg)
    return r


@triton.jit
def randint64(seed, offset, low, high):
    word0, word1, word2, word3 = tl.randint4x(seed, offset)
    bits = word0.to(tl.uint64) | (word1.to(tl.uint64) << 32)
    return (bits % tl.cast(high - low, tl.uint64)).to(tl.int64) + low


@triton.jit
def frexp(x):
    # Zero, infinities and NaN are their own mantissas, as in C.
    has_exponent = (x != 0) & (libdevice.finitef(x) if x.dtype == tl.float32 else libdevice.isfinited(x)).to(tl.int1)
    exponent = tl.where(has_exponent, libdevice.ilogb(x) + 1, 0)
    return tl.where(has_exponent, libdevice.ldexp(x, -exponent), x), exponent


@triton.constexpr_function
def unsigned_of(width):
    return {8: tl.uint8, 16: tl.uint16, 32: tl.uint32, 64: tl.uint64}[width]


@triton.jit
def select_one(x, mask, dim, keep_dims):
    bits = x.to(unsigned_of(x.dtype.primitive_bitwidth), bitcast=True)
    return tl.sum(bits * mask, dim, keep_dims=keep_dims).to(bits.dtype).to(x.dtype, bitcast=True)


# How many of the boundaries of its row each value has passed; a row starts at `boundary_indices`. With a sorter,
# boundaries are read through it.
@triton.jit
def bucketize_binary_search(values, boundaries_ptr, BOUNDARIES_SIZE, BOUNDARIES_UNDERLYING_NUMEL, BOUNDARIES_STRIDE,
                            boundary_indices, indexing_dtype, right, sorter_ptr, SORTER_STRIDE, sorter_indices):
    low = tl.zeros(values.shape, indexing_dtype)
    high = low + tl.cast(BOUNDARIES_SIZE, indexing_dtype)
    unknown = tl.cast(BOUNDARIES_SIZE, tl.int64) + 1
    while unknown > 1:
        middle = low + (high - low) // 2
        inside = (middle < BOUNDARIES_SIZE) & (middle * BOUNDARIES_STRIDE + boundary_indices < BOUNDARIES_UNDERLYING_NUMEL)
        if sorter_ptr is None or SORTER_STRIDE is None:
            boundary = tl.load(boundaries_ptr + boundary_indices + BOUNDARIES_STRIDE * middle, mask=inside, other=0)
        else:
            place = tl.load(sorter_ptr + sorter_indices + SORTER_STRIDE * middle, mask=inside, other=0)
            boundary = tl.load(boundaries_ptr + boundary_indices + BOUNDARIES_STRIDE * place, mask=inside, other=0)
        if right:
            passed = inside & (values >= boundary)
        else:
            passed = inside & (values > boundary)
        low = tl.where(passed, middle + 1, low)
        high = tl.where(passed, high, middle)
        unknown = (unknown + 1) // 2
    return low


@triton.constexpr_function
def bits_below(n):
    return n.bit_length() - 1


# Whether the first of two elements belongs behind the second. NaN is larger than all numbers, indices from `count` on
# are behind all others, and of equals the lower index comes first, so there is one order only.
@triton.jit
def is_behind(a_value, a_index, b_value, b_index, count, descending: tl.constexpr):
    if descending:
        behind = a_value < b_value
    else:
        behind = a_value > b_value
    equal = a_value == b_value
    if a_value.dtype.is_floating():
        a_nan = a_value != a_value
        b_nan = b_value != b_value
        equal |= a_nan & b_nan
        if descending:
            behind |= b_nan & (a_value == a_value)
        else:
            behind |= a_nan & (b_value == b_value)
    behind |= equal & (a_index > b_index)
    if count is None:
        return behind
    else:
        a_counts = a_index < count
        b_counts = b_index < count
        return (b_counts & (a_index >= count)) | ((a_counts == b_counts) & behind)


# Orders each pair of elements of a row whose places differ by `distance`; upwards, or downwards where `turned`.
@triton.jit
def exchange_with_index(values, indices, turned, count, distance: tl.constexpr, descending: tl.constexpr):
    pairs: tl.constexpr = (values.shape[0], values.shape[1] // (2 * distance), 2, distance)
    value = tl.reshape(values, pairs)
    index = tl.reshape(indices, pairs)
    other_value = tl.flip(value, 2)
    other_index = tl.flip(index, 2)
    is_second = tl.arange(0, 2)[None, None, :, None] == 1
    is_larger = is_second ^ tl.reshape(turned, (1, values.shape[1] // (2 * distance), 2, distance))
    takes = tl.where(is_larger, is_behind(other_value, other_index, value, index, count, descending),
                     is_behind(value, index, other_value, other_index, count, descending))
    return (tl.reshape(tl.where(takes, other_value, value), values.shape),
            tl.reshape(tl.where(takes, other_index, index), values.shape))


# Bitonic sort of the rows of a tile of rank 2. The steps of all stages are the same code, so that it grows by the
# logarithm and not by its square.
@triton.jit
def sort_rows_with_index(values, indices, count, descending: tl.constexpr):
    size: tl.constexpr = values.shape[1]
    bits: tl.constexpr = bits_below(size)
    place = tl.arange(0, size)
    for stage in range(1, bits + 1):
        turned = ((place >> stage) & 1) == 1
        for step in tl.static_range(bits):
            if stage >= bits - step:
                values, indices = exchange_with_index(values, indices, turned, count, size >> (step + 1), descending)
    return values, indices


# A word for each value and its index, in the order that is_behind says: behind the end or not, the value, the index, and
# the sign of a zero or NaN, which the order does not see.
@triton.jit
def words_of_pairs(values, indices, count, descending: tl.constexpr):
    width: tl.constexpr = values.dtype.primitive_bitwidth
    index_width: tl.constexpr = indices.dtype.primitive_bitwidth
    word_type: tl.constexpr = unsigned_of(width)
    top: tl.constexpr = 1 << (width - 1)
    bits = values.to(word_type, bitcast=True)
    sign = tl.zeros(values.shape, tl.uint64)
    if values.dtype.is_floating():
        nan = tl.full([], float("nan"), values.dtype).to(word_type, bitcast=True)
        is_nan = values != values
        sign = tl.where(is_nan | (values == 0), bits >> (width - 1), 0).to(tl.uint64)
        bits = tl.where(is_nan, nan, tl.where(values == 0, 0, bits)).to(word_type)
        bits = tl.where(bits >= top, ~bits, bits | top).to(word_type)
    elif values.dtype.is_int_signed():
        bits = bits ^ top
    if descending:
        bits = ~bits
    index = indices.to(unsigned_of(index_width), bitcast=True) ^ (1 << (index_width - 1))
    words = (bits.to(tl.uint64) << index_width) | index.to(tl.uint64)
    if count is None:
        return (words << 1) | sign
    else:
        return (tl.where(indices >= count, words | (1 << (width + index_width)), words) << 1) | sign


# The values and indices of such words.
@triton.jit
def pairs_of_words(words, dtype: tl.constexpr, index_type: tl.constexpr, descending: tl.constexpr):
    width: tl.constexpr = dtype.primitive_bitwidth
    index_width: tl.constexpr = index_type.primitive_bitwidth
    word_type: tl.constexpr = unsigned_of(width)
    top: tl.constexpr = 1 << (width - 1)
    bits = (words >> (index_width + 1)).to(word_type)
    if descending:
        bits = ~bits
    if dtype.is_floating():
        bits = tl.where(bits >= top, bits ^ top, ~bits).to(word_type)
        bits = bits | ((words & 1) << (width - 1)).to(word_type)
    elif dtype.is_int_signed():
        bits = bits ^ top
    index = (words >> 1).to(unsigned_of(index_width)) ^ (1 << (index_width - 1))
    return bits.to(dtype, bitcast=True), index.to(index_type, bitcast=True)


# Orders each pair of words of a row whose places differ by `distance`; upwards, or downwards where `turned`.
@triton.jit
def exchange_words(words, turned, distance: tl.constexpr):
    pairs: tl.constexpr = (words.shape[0], words.shape[1] // (2 * distance), 2, distance)
    word = tl.reshape(words, pairs)
    other = tl.flip(word, 2)
    is_second = tl.arange(0, 2)[None, None, :, None] == 1
    is_larger = is_second ^ tl.reshape(turned, (1, words.shape[1] // (2 * distance), 2, distance))
    return tl.reshape(tl.where((word < other) == is_larger, other, word), words.shape)


# Bitonic sort of the rows of a tile of rank 2, each as one number.
@triton.jit
def sort_rows_of_words(words):
    size: tl.constexpr = words.shape[1]
    bits: tl.constexpr = bits_below(size)
    place = tl.arange(0, size)
    for stage in range(1, bits + 1):
        turned = ((place >> stage) & 1) == 1
        for step in tl.static_range(bits):
            if stage >= bits - step:
                words = exchange_words(words, turned, size >> (step + 1))
    return words


@triton.jit
def sort_with_index(x, idxs, rnumel, dim, stable, descending):
    x, idxs = tl.broadcast(x, idxs)
    rank: tl.constexpr = len(x.shape)
    tl.static_assert(dim is None or dim == rank - 1 or dim == -1, "sorting is along the last axis only")
    size: tl.constexpr = x.shape[rank - 1]
    rows: tl.constexpr = (x.numel // size, size)
    values = tl.reshape(x, rows)
    indices = tl.reshape(idxs, rows)
    width: tl.constexpr = x.dtype.primitive_bitwidth
    # A word of 64 bits has two more than value and index.
    if width >= 8 and width + idxs.dtype.primitive_bitwidth <= 62:
        words = sort_rows_of_words(words_of_pairs(values, indices, rnumel, descending))
        values, indices = pairs_of_words(words, x.dtype, idxs.dtype, descending)
    else:
        values, indices = sort_rows_with_index(values, indices, rnumel, descending)
    return tl.reshape(values, x.shape), tl.reshape(indices, x.shape)


# A value and what is known of it in one word, so that both are seen at once.
@triton.jit
def pack_value_flag(value, flag, DTYPE_VALUE_AS_UINT, DTYPE_PACK):
    bits = value.to(DTYPE_VALUE_AS_UINT, bitcast=True).to(DTYPE_PACK)
    return (bits << DTYPE_VALUE_AS_UINT.primitive_bitwidth) | flag.to(DTYPE_PACK)


@triton.jit
def unpack_value(pack, DTYPE_VALUE, DTYPE_VALUE_AS_UINT):
    bits = (pack >> DTYPE_VALUE_AS_UINT.primitive_bitwidth).to(DTYPE_VALUE_AS_UINT)
    return bits.to(DTYPE_VALUE, bitcast=True)


@triton.jit
def unpack_flag(pack, DTYPE_FLAG):
    return pack.to(DTYPE_FLAG)


# A scan over programs by decoupled look-back. Each program shows first its own value (1), then that of all programs up
# to it (2). It looks back over those before it, adding up, until one has shown the latter.
@triton.jit
def exclusive_scan_decoupled_lookback(scratch_base, block_value, index, combine_fn, DTYPE_VALUE_AS_UINT, DTYPE_PACK):
    own = tl.full([], 1, DTYPE_VALUE_AS_UINT)
    if index > 0:
        shown = pack_value_flag(block_value, own, DTYPE_VALUE_AS_UINT, DTYPE_PACK)
        tl.atomic_xchg(scratch_base + index, shown, sem="relaxed")
    before = tl.zeros([], block_value.dtype)
    at = tl.cast(index, tl.int32) - 1
    is_first = True
    while at >= 0:
        state = tl.full([], 0, DTYPE_VALUE_AS_UINT)
        word = tl.full([], 0, DTYPE_PACK)
        while state == 0:
            word = tl.atomic_add(scratch_base + at, 0, sem="relaxed")
            state = unpack_flag(word, DTYPE_VALUE_AS_UINT)
        value = unpack_value(word, block_value.dtype, DTYPE_VALUE_AS_UINT)
        if is_first:
            before = value
        else:
            before = combine_fn(value, before).to(block_value.dtype)
        is_first = False
        at = tl.where(state == 2, -1, at - 1)
    total = block_value
    if index > 0:
        total = combine_fn(before, block_value).to(block_value.dtype)
    tl.atomic_xchg(scratch_base + index, pack_value_flag(total, own + 1, DTYPE_VALUE_AS_UINT, DTYPE_PACK), sem="relaxed")
    return before


# The same for values of 64 bits, which have words of their own: state, own value, that of all.
@triton.jit
def exclusive_scan_decoupled_lookback_64(scratch_base, block_value, index, combine_fn):
    one = tl.full([], 1, tl.uint64)
    if index > 0:
        tl.store(scratch_base + 3 * index + 1, block_value.to(tl.uint64, bitcast=True))
        tl.debug_barrier()
        tl.atomic_xchg(scratch_base + 3 * index, one, sem="release")
    before = tl.zeros([], block_value.dtype)
    at = tl.cast(index, tl.int32) - 1
    is_first = True
    while at >= 0:
        state = tl.full([], 0, tl.uint64)
        while state == 0:
            state = tl.atomic_add(scratch_base + 3 * at, 0, sem="acquire")
        value = tl.load(scratch_base + 3 * at + state.to(tl.int32), volatile=True).to(block_value.dtype, bitcast=True)
        if is_first:
            before = value
        else:
            before = combine_fn(value, before).to(block_value.dtype)
        is_first = False
        at = tl.where(state == 2, -1, at - 1)
    total = block_value
    if index > 0:
        total = combine_fn(before, block_value).to(block_value.dtype)
    tl.store(scratch_base + 3 * index + 2, total.to(tl.uint64, bitcast=True))
    tl.debug_barrier()
    tl.atomic_xchg(scratch_base + 3 * index, one + 1, sem="release")
    return before


# Waits until all programs of a row of the grid are here. What they add flips the highest bit, and nothing below it.
@triton.jit
def x_grid_barrier(sem):
    tl.debug_barrier()
    others = tl.num_programs(0).to(tl.uint32) - 1
    share = tl.where(tl.program_id(0) == 0, 0x80000000 - others, 1).to(sem.dtype.element_ty)
    before = tl.atomic_add(sem, share, sem="release")
    now = before
    while ((before ^ now) & 0x80000000) == 0:
        now = tl.atomic_add(sem, 0, sem="acquire")
    tl.debug_barrier()
