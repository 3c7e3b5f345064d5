# Numbers of four bits and fewer: codes of a table by a choice for each bit, integers in an order of their own,
# floats with shared exponents, and a bit a token for a grammar.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: dequantize_nf4
# TYPES: fp32 bf16
# SIZES: N=64 | N=1984
# BENCH: N=67108864 T=bf16
# ARG: packed randint(0,256):u8[N // 2]
# ARG: absmax rand(0.5,2):fp32[cdiv(N, 64)]
# ARG: out empty:T[N]
# ARG: n N // 2
# CONST: GROUP 64
# CONST: BLOCK 512
# GRID: cdiv(N, 2 * BLOCK)
#
# KERNEL: unpack_eights
# SIZES: R=32 C=4 | R=64 C=32
# BENCH: R=4096 C=512
# ARG: words randint(-2147483648,2147483648):i32[R,C]
# ARG: zero_words randint(-2147483648,2147483648):i32[R // 32,C]
# ARG: scales rand(0.01,0.1):fp16[R // 32,C * 8]
# ARG: out empty:fp16[R,C * 8]
# ARG: R R
# ARG: C C
# CONST: GROUP 32
# CONST: BR 16
# CONST: BC 32
# GRID: cdiv(R, BR), cdiv(C, BC)
#
# KERNEL: to_four_bit_floats
# TYPES: fp32 bf16
# SIZES: R=5 C=64 | R=33 C=192
# BENCH: R=8192 C=4096 T=bf16
# ARG: x randn(0,3):T[R,C]
# ARG: pairs empty:u8[R,C // 2]
# ARG: exponents empty:u8[R,C // 32]
# ARG: R R
# ARG: C C
# CONST: BR 32
# CONST: GROUPS 2
# GRID: C // (GROUPS * 32), cdiv(R, BR)
#
# KERNEL: forbid_by_bits
# SIZES: R=2 V=70 | R=3 V=5000
# BENCH: R=256 V=128256
# ARG: scores randn:fp32[R,V]
# ARG: allowed randint(-2147483648,2147483648):i32[R,cdiv(V, 32)]
# ARG: V V
# CONST: BLOCK 1024
# GRID: cdiv(V, BLOCK), R
# CHECK: scores
import triton
import triton.language as tl

# The levels of NF4: quantiles of a normal distribution, scaled to -1 .. 1.
NF4 = tl.constexpr((-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
                    -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
                    0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
                    0.7229568362236023, 1.0))


@triton.jit
def level(code, LEVELS: tl.constexpr, BIT: tl.constexpr = 3, FIRST: tl.constexpr = 0):
    """The level of a code: its highest bit chooses a half of the table, and so on."""
    if BIT < 0:
        return LEVELS[FIRST]
    else:
        low = level(code, LEVELS, BIT - 1, FIRST)
        high = level(code, LEVELS, BIT - 1, FIRST + (1 << BIT))
        return tl.where((code >> BIT) & 1 != 0, high, low)


@triton.jit
def dequantize_nf4(packed, absmax, out, n, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    """A byte has two codes, the first in its upper half."""
    byte = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    codes = tl.load(packed + byte, mask=byte < n)
    most = tl.load(absmax + byte // (GROUP // 2), mask=byte < n, eviction_policy="evict_last")
    values = tl.interleave(level(codes >> 4, NF4) * most, level(codes, NF4) * most)
    place = tl.program_id(0) * (2 * BLOCK) + tl.arange(0, 2 * BLOCK)
    tl.store(out + place, values, mask=place < 2 * n)


@triton.jit
def eights(words, BR: tl.constexpr, BC: tl.constexpr):
    """Eight columns from a word: the even ones from its lower half, the odd ones from its upper half."""
    column = tl.arange(0, 8)
    shift = 4 * (column // 2) + 16 * (column % 2)
    return ((words[:, :, None] >> shift[None, None, :]) & 15).reshape(BR, 8 * BC)


@triton.jit
def unpack_eights(words, zero_words, scales, out, R, C, GROUP: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr):
    """All rows of a tile are of one group, and share its zeros and scales."""
    tl.static_assert(GROUP % BR == 0)
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    wide = tl.program_id(1) * (8 * BC) + tl.arange(0, 8 * BC)
    group = tl.program_id(0) * BR // GROUP
    values = eights(tl.load(words + r[:, None] * C + c[None, :], (r < R)[:, None] & (c < C)[None, :], other=0), BR, BC)
    zeros = eights(tl.load(zero_words + group * C + c[None, :], (c < C)[None, :], other=0), 1, BC)
    scale = tl.load(scales + group * (8 * C) + wide, wide < 8 * C)
    tl.store(out + r[:, None] * (8 * C) + wide, (values - zeros) * scale, (r < R)[:, None] & (wide < 8 * C)[None, :])


@triton.jit
def four_bits(size):
    """The code of the nearest of 0, 0.5, 1, 1.5, 2, 3, 4, 6: how many midpoints lie below; at one, the even code."""
    low = (size > 0.25).to(tl.uint8) + (size >= 0.75).to(tl.uint8) + (size > 1.25).to(tl.uint8)
    middle = (size >= 1.75).to(tl.uint8) + (size > 2.5).to(tl.uint8)
    return low + middle + (size >= 3.5).to(tl.uint8) + (size > 5.0).to(tl.uint8)


@triton.jit
def to_four_bit_floats(x, pairs, exponents, R, C, BR: tl.constexpr, GROUPS: tl.constexpr):
    """Groups of 32 share a power of two, such that the largest of them comes near to 6."""
    row = tl.program_id(1) * BR + tl.arange(0, BR)[:, None]
    col = tl.program_id(0) * (GROUPS * 32) + tl.arange(0, GROUPS * 32)[None, :]
    v = tl.load(x + row.to(tl.int64) * C + col, row < R, other=0.0).to(tl.float32).reshape(BR, GROUPS, 32)
    most = tl.max(tl.abs(v), axis=2, keep_dims=True).to(tl.int32, bitcast=True)
    # From 7/4 of a power of two on, the next one. The exponent is kept with float32's bias, less log2(4).
    exponent = ((most + 0x200000) >> 23) - 2
    scale = ((254 - exponent) << 23).to(tl.float32, bitcast=True)
    negative = (v.to(tl.int32, bitcast=True) < 0).to(tl.uint8)
    codes = four_bits(tl.abs(v) * scale) | (negative << 3)
    first, second = tl.split(codes.reshape(BR, GROUPS * 16, 2))
    pair = tl.program_id(0) * (GROUPS * 16) + tl.arange(0, GROUPS * 16)[None, :]
    tl.store(pairs + row * (C // 2) + pair, (second << 4) | first, row < R)
    group = tl.program_id(0) * GROUPS + tl.arange(0, GROUPS)[None, :]
    tl.store(exponents + row * (C // 32) + group, exponent.reshape(BR, GROUPS).to(tl.uint8), row < R)


@triton.jit
def forbid_by_bits(scores, allowed, V, BLOCK: tl.constexpr):
    """Scores of tokens whose bit is not set become -inf; the others are not touched."""
    token = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(1)
    words = tl.load(allowed + row * tl.cdiv(V, 32) + token // 32, mask=token < V, other=-1)
    off = (words >> (token % 32)) & 1 == 0
    tl.store(scores + row * V + token, float("-inf"), mask=off & (token < V))


def dequantize_nf4_reference(packed, absmax):
    table = np.array([-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
                      -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
                      0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
                      0.7229568362236023, 1.0])
    codes = packed.astype(int)
    values = table[np.stack([codes >> 4, codes & 15], 1).reshape(-1)]
    return values * np.repeat(absmax, 64)[:len(values)]


def eight_columns(words):
    shifts = 4 * np.array([0, 4, 1, 5, 2, 6, 3, 7])
    return (words.astype(np.int64)[:, :, None] >> shifts & 15).reshape(len(words), -1)


def unpack_eights_reference(words, zero_words, scales):
    zeros, scales = (np.repeat(a, 32, 0) for a in (eight_columns(zero_words), scales))
    return (eight_columns(words) - zeros) * scales


def to_four_bit_floats_reference(x):
    groups = x.reshape(len(x), -1, 32)
    fraction, exponent = np.frexp(np.abs(groups).max(2))
    exponent += np.where(fraction >= 0.875, -2, -3)
    scaled = groups / 2.0**exponent[:, :, None]
    grid = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    # Halfway cases go to the even code.
    distance = np.abs(np.abs(scaled)[..., None] - grid) + (np.arange(8) & 1) * 1e-9
    code = (distance.argmin(-1) + 8 * np.signbit(scaled)).reshape(len(x), -1)
    return {"pairs": code[:, ::2] + 16 * code[:, 1::2], "exponents": exponent + 127}


def forbid_by_bits_reference(scores, allowed):
    bits = (allowed.astype(np.int64)[:, :, None] >> np.arange(32) & 1).reshape(len(allowed), -1)
    return np.where(bits[:, :scores.shape[1]] == 1, scores, -np.inf)
