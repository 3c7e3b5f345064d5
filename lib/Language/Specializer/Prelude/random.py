# Counter-based random numbers: Philox 4x32 and 4x64.
import triton
import triton.language as tl


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds):
    tl.static_assert(isinstance(n_rounds, int), "the number of rounds must be a constexpr integer")
    if c0.dtype == tl.uint32:
        round_a: tl.constexpr = 0xD2511F53
        round_b: tl.constexpr = 0xCD9E8D57
        key_a: tl.constexpr = 0x9E3779B9
        key_b: tl.constexpr = 0xBB67AE85
    else:
        tl.static_assert(c0.dtype == tl.uint64, "the counters must be uint32 or uint64")
        round_a: tl.constexpr = 0xD2E7470EE14C6C93
        round_b: tl.constexpr = 0xCA5A826395121157
        key_a: tl.constexpr = 0x9E3779B97F4A7C15
        key_b: tl.constexpr = 0xBB67AE8584CAA73B
    for _ in tl.static_range(n_rounds):
        old0, old2 = c0, c2
        c0 = tl.umulhi(round_b, old2) ^ c1 ^ k0
        c2 = tl.umulhi(round_a, old0) ^ c3 ^ k1
        c1 = round_b * old2
        c3 = round_a * old0
        k0 = k0 + key_a
        k1 = k1 + key_b
    return c0, c1, c2, c3


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds):
    wide = tl.cast(seed, tl.uint64)
    counter0 = tl.core.to_tensor(c0)
    if counter0.dtype.primitive_bitwidth == 32:
        word: tl.constexpr = tl.uint32
        key0 = (wide & 0xFFFFFFFF).to(tl.uint32)
        key1 = (wide >> 32).to(tl.uint32)
    else:
        tl.static_assert(counter0.dtype.primitive_bitwidth == 64, "the counters must have 32 or 64 bits")
        word: tl.constexpr = tl.uint64
        key0 = wide
        key1 = tl.zeros([1], tl.uint64)
    return philox_impl(
        tl.cast(c0, word, bitcast=True),
        tl.cast(c1, word, bitcast=True),
        tl.cast(c2, word, bitcast=True),
        tl.cast(c3, word, bitcast=True),
        key0,
        key1,
        n_rounds,
    )


@triton.jit
def randint4x(seed, offset, n_rounds):
    tl.static_assert(isinstance(offset, tl.tensor), "the offset must be a tensor, found a constant")
    low = offset.to(tl.uint32)
    if offset.dtype.primitive_bitwidth > 32:
        high = (offset >> 32).to(tl.uint32)
    else:
        high = low * 0
    none = low * 0
    return philox(seed, low, high, none, none, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds):
    word0, word1, word2, word3 = randint4x(seed, offset, n_rounds)
    return word0


@triton.jit
def uint_to_uniform_float(x):
    if x.dtype.primitive_bitwidth == 32:
        signed = x.to(tl.int32, bitcast=True)
        scale: tl.constexpr = 4.6566127342e-10
    else:
        tl.static_assert(x.dtype.primitive_bitwidth == 64, "the words must have 32 or 64 bits")
        signed = x.to(tl.int64, bitcast=True)
        scale: tl.constexpr = 1.0842020432385337e-19
    folded = tl.where(signed < 0, -signed - 1, signed)
    return folded.to(tl.float32) * scale


@triton.jit
def rand(seed, offset, n_rounds):
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@triton.jit
def rand4x(seed, offset, n_rounds):
    word0, word1, word2, word3 = randint4x(seed, offset, n_rounds)
    return (
        uint_to_uniform_float(word0),
        uint_to_uniform_float(word1),
        uint_to_uniform_float(word2),
        uint_to_uniform_float(word3),
    )


@triton.jit
def pair_uniform_to_normal(u1, u2):
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn(seed, offset, n_rounds):
    word0, word1, word2, word3 = randint4x(seed, offset, n_rounds)
    first, second = pair_uniform_to_normal(uint_to_uniform_float(word0), uint_to_uniform_float(word1))
    return first


@triton.jit
def randn4x(seed, offset, n_rounds):
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(u1, u2)
    n3, n4 = pair_uniform_to_normal(u3, u4)
    return n1, n2, n3, n4
