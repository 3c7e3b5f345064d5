# Sorting along the last axis by bitonic networks. A block is seen as rows of one length; the partner at a
# distance 2^k is a flip between two reshapes, which stays in a thread or a warp where it can.


@triton.constexpr_function
def _log2(n):
    bits = 0
    while n > 1:
        n = n // 2
        bits = bits + 1
    return bits


@triton.jit
def _reversed_if_negative(bits):
    # Bits of floats are in the order of the numbers, but for those with a sign. Its own inverse.
    if bits.dtype == tl.int64:
        return bits ^ ((bits >> 63) & 0x7FFFFFFFFFFFFFFF)
    elif bits.dtype == tl.int32:
        return bits ^ ((bits >> 31) & 0x7FFFFFFF)
    elif bits.dtype == tl.int16:
        return bits ^ ((bits >> 15) & 0x7FFF)
    else:
        return bits ^ ((bits >> 7) & 0x7F)


@triton.jit
def _keys(x):
    # Integers in the order of x. Every NaN has a place of its own, so none gets lost.
    if x.dtype.is_floating():
        width: tl.constexpr = x.dtype.primitive_bitwidth
        if width == 64:
            return _reversed_if_negative(x.to(tl.int64, bitcast=True))
        elif width == 32:
            return _reversed_if_negative(x.to(tl.int32, bitcast=True))
        elif width == 16:
            return _reversed_if_negative(x.to(tl.int16, bitcast=True))
        else:
            return _reversed_if_negative(x.to(tl.int8, bitcast=True))
    elif x.dtype.is_bool():
        return x.to(tl.uint8)
    else:
        return x


@triton.jit
def _of_keys(keys, type: tl.constexpr):
    if type.is_floating():
        return _reversed_if_negative(keys).to(type, bitcast=True)
    elif type.is_bool():
        return keys != 0
    else:
        return keys


@triton.jit
def _exchange(x, stage: tl.constexpr, distance: tl.constexpr, descending: tl.constexpr):
    # Orders each pair of elements of a row whose indices differ by `distance`: upwards where the index has
    # no bit `stage`, downwards elsewhere, or the reverse.
    size: tl.constexpr = x.shape[1]
    pairs: tl.constexpr = (size // (2 * distance), 2, distance)
    y = tl.reshape(x, (x.shape[0], pairs[0], pairs[1], pairs[2]))
    partner = tl.flip(y, 2)
    index = tl.reshape(tl.arange(0, size), pairs)
    turned = ((index & distance) != 0) ^ ((index & stage) != 0) ^ descending
    ordered = tl.where(turned[None, :, :, :], tl.maximum(y, partner), tl.minimum(y, partner))
    return tl.reshape(ordered, x.shape)


@triton.jit
def _merge(x, size: tl.constexpr, stage: tl.constexpr, descending: tl.constexpr):
    # Sorts the bitonic runs of `size` elements.
    for step in tl.static_range(_log2(size)):
        x = _exchange(x, stage, size >> (step + 1), descending)
    return x


@triton.jit
def _sort_runs(x, size: tl.constexpr, stage: tl.constexpr, descending: tl.constexpr):
    # Sorts runs of `size` elements; the last merge is by `stage`.
    for bits in tl.static_range(1, _log2(size)):
        x = _merge(x, 2 << (bits - 1), 2 << (bits - 1), descending)
    return _merge(x, size, stage, descending)


@triton.jit
def _rows(x, dim: tl.constexpr):
    tl.static_assert(len(x.shape) > 0, "sorting takes a block")
    tl.static_assert(dim is None or dim == len(x.shape) - 1, "sorting is along the last axis only")
    return tl.reshape(x, (x.numel // x.shape[len(x.shape) - 1], x.shape[len(x.shape) - 1]))


@triton.jit
def sort(x, dim, descending):
    rows = _rows(_keys(x), dim)
    rows = _sort_runs(rows, rows.shape[1], rows.shape[1], descending)
    return _of_keys(tl.reshape(rows, x.shape), x.dtype)


@triton.jit
def bitonic_merge(x, dim, descending):
    rows = _rows(_keys(x), dim)
    rows = _merge(rows, rows.shape[1], rows.shape[1], descending)
    return _of_keys(tl.reshape(rows, x.shape), x.dtype)


@triton.jit
def topk(x, k, dim):
    tl.static_assert(k > 0, "tl.topk takes at least one element")
    tl.static_assert(len(x.shape) > 0, "sorting takes a block")
    size: tl.constexpr = x.shape[len(x.shape) - 1]
    count: tl.constexpr = 1 << _log2(k)
    tl.static_assert(count <= size, "tl.topk takes at most as many elements as the axis has")
    if count < size:
        return _topk_of(_widened(x), count, dim)
    else:
        return _topk_of(x, count, dim)


@triton.jit
def _widened(x):
    # As the results of tl.max.
    if x.dtype.is_floating() and x.dtype.primitive_bitwidth < 32:
        return x.to(tl.float32)
    elif x.dtype.is_int() and x.dtype.primitive_bitwidth < 32:
        return x.to(tl.int32)
    else:
        return x


@triton.jit
def _topk_of(x, count: tl.constexpr, dim):
    rows = _rows(_keys(x), dim)
    # Runs of `count` elements in alternating order: the larger ones of two neighbours are a bitonic run.
    rows = _sort_runs(rows, count, count, True)
    for _ in tl.static_range(_log2(rows.shape[1] // count)):
        both = tl.reshape(rows, (rows.shape[0], rows.shape[1] // (2 * count), 2, count))
        larger = tl.max(both, 2)
        rows = _merge(tl.reshape(larger, (rows.shape[0], rows.shape[1] // 2)), count, count, True)
    return _of_keys(tl.reshape(rows, x.shape[:-1] + (count,)), x.dtype)
