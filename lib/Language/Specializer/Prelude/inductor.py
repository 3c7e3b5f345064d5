# What kernels that torch.compile writes call from torch._inductor.runtime.triton_helpers. A function here
# is bound by its row in BuiltinsInductor.cpp, so it has no defaults.
import triton
import triton.language as tl


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
