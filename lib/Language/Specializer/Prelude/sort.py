# Sorting along the last axis by bitonic networks. A block is seen as rows of one length; the partner at a
# distance 2^k is a flip between two reshapes, which stays in a thread or a warp where it can. Every step
# sorts upwards: runs that shall go downwards are inverted, bit by bit, which turns the order of integers.
import triton
import triton.language as tl


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
def _exchange(x, distance: tl.constexpr):
    # Orders each pair of elements of a row whose indices differ by `distance`.
    y = tl.reshape(x, (x.shape[0], x.shape[1] // (2 * distance), 2, distance))
    partner = tl.flip(y, 2)
    is_second = tl.arange(0, 2)[None, None, :, None] == 1
    return tl.reshape(tl.where(is_second, tl.maximum(y, partner), tl.minimum(y, partner)), x.shape)


@triton.jit
def _inverted(x, code, bit):
    # Inverts the elements of a row whose `code` has this bit.
    return x ^ ((code << (31 - bit)) >> 31).to(x.dtype)[None, :]


@triton.jit
def _merge(x, size: tl.constexpr):
    # Sorts the bitonic runs of `size` elements.
    for step in tl.static_range(_log2(size)):
        x = _exchange(x, size >> (step + 1))
    return x


@triton.jit
def _alternating(x, size: tl.constexpr):
    # Inverts every second run of `size` elements.
    if size < x.shape[1]:
        return _inverted(x, tl.arange(0, x.shape[1]), _log2(size))
    else:
        return x


@triton.jit
def _sort_runs(x, size: tl.constexpr):
    # Sorts runs of `size` elements, every second one downwards. A merge of 2^stage elements needs every
    # second of its runs turned: one step of Gray's code leads from the turns of a stage to those of the next.
    # The steps of all stages are the same code, so that it grows by the logarithm and not by its square.
    bits: tl.constexpr = _log2(size)
    index = tl.arange(0, x.shape[1])
    turns = index ^ (index >> 1)
    x = _inverted(x, index, 0)
    for stage in range(1, bits + 1):
        x = _inverted(x, turns, stage - 1)
        for step in tl.static_range(bits):
            if stage >= bits - step:
                x = _exchange(x, size >> (step + 1))
    return _alternating(x, size)


@triton.constexpr_function
def _is_sortable(rank, is_pointer):
    return rank > 0 and not is_pointer


@triton.jit
def _rows(x, dim: tl.constexpr):
    tl.static_assert(dim is None or dim == len(x.shape) - 1, "sorting is along the last axis only")
    return tl.reshape(x, (x.numel // x.shape[len(x.shape) - 1], x.shape[len(x.shape) - 1]))


@triton.jit
def _sorted(rows, is_bitonic: tl.constexpr):
    if rows.shape[1] == 1:
        return rows
    elif is_bitonic:
        return _merge(rows, rows.shape[1])
    else:
        return _sort_runs(rows, rows.shape[1])


@triton.jit
def _sort_of(x, dim, descending: tl.constexpr, is_bitonic: tl.constexpr):
    sortable: tl.constexpr = _is_sortable(len(x.shape), x.dtype.is_ptr())
    tl.static_assert(sortable, "sorting takes a block of numbers")
    if sortable:
        return _sort_block(x, dim, descending, is_bitonic)
    else:
        return x


@triton.jit
def _sort_block(x, dim, descending: tl.constexpr, is_bitonic: tl.constexpr):
    rows = _rows(_keys(x), dim)
    if descending:
        rows = ~_sorted(~rows, is_bitonic)
    else:
        rows = _sorted(rows, is_bitonic)
    return _of_keys(tl.reshape(rows, x.shape), x.dtype)


@triton.jit
def sort(x, dim, descending):
    return _sort_of(x, dim, descending, False)


@triton.jit
def bitonic_merge(x, dim, descending):
    return _sort_of(x, dim, descending, True)


@triton.jit
def topk(x, k, dim):
    return _extreme_of(x, k, dim, True)


@triton.jit
def _extreme_of(x, k, dim, largest):
    sortable: tl.constexpr = _is_sortable(len(x.shape), x.dtype.is_ptr())
    tl.static_assert(sortable, "sorting takes a block of numbers")
    tl.static_assert(isinstance(k, int), "tl.topk takes the number of elements as a constexpr integer")
    if sortable and isinstance(k, int):
        return _topk_checked(x, k, dim, largest)
    else:
        return x


@triton.jit
def _topk_checked(x, k: tl.constexpr, dim, largest):
    tl.static_assert(k > 0, "tl.topk takes at least one element")
    size: tl.constexpr = x.shape[len(x.shape) - 1]
    count: tl.constexpr = 1 << _log2(k)
    tl.static_assert(count <= size, "tl.topk takes at most as many elements as the axis has")
    if k > 0 and count < size:
        return _topk_of(_widened(x), count, dim, largest)
    elif k > 0 and count == size:
        return _topk_of(x, count, dim, largest)
    else:
        return x


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
def _inverted_if(rows, condition):
    if condition:
        return ~rows
    else:
        return rows


@triton.jit
def _topk_of(x, count: tl.constexpr, dim, largest):
    # For the largest the keys are inverted, so that the smallest come first.
    rows = _inverted_if(_rows(_keys(x), dim), largest)
    if count > 1:
        rows = _sort_runs(rows, count)
    # Of two neighbours that go up and down, the smaller ones are a bitonic run.
    for _ in tl.static_range(_log2(rows.shape[1] // count)):
        both = tl.reshape(rows, (rows.shape[0], rows.shape[1] // (2 * count), 2, count))
        rows = _alternating(tl.reshape(tl.min(both, 2), (rows.shape[0], rows.shape[1] // 2)), count)
        rows = _alternating(_merge(rows, count), count)
    return _of_keys(tl.reshape(_inverted_if(rows, largest), x.shape[:-1] + (count,)), x.dtype)
