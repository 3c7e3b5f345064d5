# Reductions over every type of element and axis: result types, ties, NaN, combine functions.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


@triton.jit
def write(out, block):
    tl.store(out + tl.arange(0, block.numel), tl.ravel(block))


# Sums widen integers below 32 bits, int1 to uint32; floats stay what they are.
#: x = i32[200, 100, -7, 100, 55, 0, 1, 1]
#: out -> fp64[450, 194, 706, 450, 450, 450, 450, 450, 7, 450, 194, 450, 450]
@triton.jit
def sum_types(x, out):
    v = tl.load(x + tl.arange(0, 8))
    s8 = tl.sum(v.to(tl.int8), 0)
    u8 = tl.sum(v.to(tl.uint8))
    s16, u16 = tl.sum(v.to(tl.int16), axis=0), v.to(tl.uint16).sum(0)
    s32, u32 = v.sum(), tl.sum(v.to(tl.uint32), -1)
    s64, u64 = tl.sum(v.to(tl.int64), 0), tl.sum(v.to(tl.uint64), 0)
    b = tl.sum(v.to(tl.int1), 0)
    f16, bf16 = tl.sum(v.to(tl.float16), 0), tl.sum((v & 63).to(tl.bfloat16), 0)
    f32, f64 = tl.sum(v.to(tl.float32), 0), tl.sum(v.to(tl.float64), 0)
    tl.static_assert(s8.dtype == tl.int32 and u8.dtype == tl.uint32 and s16.dtype == tl.int32)
    tl.static_assert(u16.dtype == tl.uint32 and s32.dtype == tl.int32 and u32.dtype == tl.uint32)
    tl.static_assert(s64.dtype == tl.int64 and u64.dtype == tl.uint64 and b.dtype == tl.uint32)
    tl.static_assert(f16.dtype == tl.float16 and bf16.dtype == tl.bfloat16)
    tl.static_assert(f32.dtype == tl.float32 and f64.dtype == tl.float64)
    tl.store(out, s32)
    tl.store(out + 1, s8)
    tl.store(out + 2, u8)
    tl.store(out + 3, s16)
    tl.store(out + 4, u32.to(tl.int32))
    tl.store(out + 5, s64)
    tl.store(out + 6, u64.to(tl.int64))
    tl.store(out + 7, u16.to(tl.uint16).to(tl.int16))
    tl.store(out + 8, b)
    tl.store(out + 9, f16)
    tl.store(out + 10, bf16)
    tl.store(out + 11, f32)
    tl.store(out + 12, f64)


# `dtype` decides, before the sum: 300 elements of int8 do not fit int8, int64 holds sums of int32.
#: out -> fp64[4294967292, -128, 0.5, 3, 8589934584]
@triton.jit
def sum_dtype(out):
    i = tl.arange(0, 4)
    big = tl.full([4], 1073741823, tl.int32)
    tl.store(out, tl.sum(big, 0, dtype=tl.int64))
    c = tl.sum(tl.full([4], 32, tl.int32), axis=0, keep_dims=False, dtype=tl.int8)
    tl.static_assert(c.dtype == tl.int8)
    tl.store(out + 1, c)
    d = tl.sum(tl.full([4], 0.125, tl.float16), dtype=tl.float64)
    tl.static_assert(d.dtype == tl.float64)
    tl.store(out + 2, d)
    tl.store(out + 3, tl.sum(i > 0, 0, dtype=tl.float32))
    tl.store(out + 4, (big * 2).sum(dtype=tl.uint64))


#: out -> i32[73, 46, 120, 93, 66, 140, 113, 86, 160, 32, 106, 79, 52, 126, 99, 72, 146, 119, 92, 166, 38, 112, 85, 58, 132, 105, 78, 152, 125, 98, 172, 44, 261, 106, 254, 200, 146, 294, 139, 186, 250, 196, 142, 290, 135, 182, 330, 74, 74, 84, 94, 77, 87, 97, 100, 90, 93, 83, 86, 76, 79, 96, 99, 89, 0, 10, 47, 20, 30, 3, 40, 13, 23, 60, 33, 6, 16, 53, 26, 36, 9, 46, 19, 29, 2, 39, 12, 22, 59, 32, 5, 15, 52, 25, 35, 8, 141, 188, 214, 160, 186, 233, 259, 205, 231, 177, 203, 149, 175, 222, 248, 194, 89, 60, 0, 50, 60, 96, 123, 4, 4, 50, 48, 100, 121, 0, 12, 12, 37, 74, 127, 61, 94, 67, 109, 63, 87, 125, 103, 47, 80, 127, 63, 100, 73, 127, 59, 93, 66, 111, 61, 86, 123, 101, 47, 79, 125, 63, 99, 72, 1, 0, 0, 2, 0, 0, 3, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 1, 3, 1, 3, 0, 2, 0, 2, 0, 2, 0, 2, 3, 1, 3, 3185, 100, 111]
@triton.jit
def rank_four(out):
    m = tl.reshape(tl.arange(0, 64) * 37 % 101, (2, 4, 4, 2))
    write(out, tl.sum(m, 0))
    write(out + 32, tl.sum(m, axis=-3))
    write(out + 48, tl.max(m, 2))
    write(out + 64, m.min(-1))
    write(out + 96, tl.sum(m, -2))
    write(out + 112, tl.xor_sum(m, 1))
    write(out + 128, tl.reduce_or(m, 3))
    write(out + 160, tl.argmax(m, 1))
    write(out + 176, tl.argmin(m, axis=-2))
    tl.store(out + 192, tl.sum(m))
    tl.store(out + 193, tl.max(m))
    tl.store(out + 194, tl.xor_sum(m))


#: out -> i32[0, 1, 2, 3]
@triton.jit
def keep_dims_shapes(out):
    m = tl.reshape(tl.arange(0, 32), (2, 4, 4))
    tl.static_assert(tl.sum(m, 1, keep_dims=True).shape == (2, 1, 4))
    tl.static_assert(tl.sum(m, -1, True).shape == (2, 4, 1))
    tl.static_assert(tl.sum(m, keep_dims=True).shape == (1, 1, 1))
    tl.static_assert(tl.max(m, keep_dims=True).shape == (1, 1, 1))
    tl.static_assert(tl.min(m, 0, keep_dims=True).shape == (1, 4, 4))
    tl.static_assert(tl.argmax(m, 2, keep_dims=True).shape == (2, 4, 1))
    v, i = tl.max(m, 1, return_indices=True, keep_dims=True)
    tl.static_assert(v.shape == (2, 1, 4) and i.shape == (2, 1, 4) and i.dtype == tl.int32)
    tl.static_assert(tl.xor_sum(m, 1, keep_dims=True).shape == (2, 1, 4))
    tl.static_assert(tl.reduce_or(m, 1, True).shape == (2, 1, 4))
    tl.static_assert(len(tl.sum(tl.arange(0, 4), 0).shape) == 0)
    tl.static_assert(tl.sum(tl.arange(0, 4), 0, keep_dims=True).shape == (1,))
    x = tl.arange(0, 4)
    write(out, x + tl.min(x, keep_dims=True) * tl.max(x, 0, keep_dims=True))


#: x = i32[3, 7, 7, 1, -128, 127, 200, 7]
#: out -> fp64[127, -128, 255, 1, 200, -128, 1, 0, 200, 1, 200, -128, 200, 4294967168, 0]
@triton.jit
def extremes_widen(x, out):
    v = tl.load(x + tl.arange(0, 8))
    a, b = tl.max(v.to(tl.int8), 0), tl.min(v.to(tl.int8))
    c, d = tl.max(v.to(tl.uint8) | 55, 0), tl.min(v.to(tl.uint8))
    e, f = tl.max(v.to(tl.int16)), v.to(tl.int16).min(0)
    g, h = tl.max(v > 5, 0), tl.min(v > 5, 0)
    tl.static_assert(a.dtype == tl.int32 and c.dtype == tl.int32 and e.dtype == tl.int32 and g.dtype == tl.int32)
    i, j = tl.max(v.to(tl.float16), 0), tl.min(tl.abs(v).to(tl.bfloat16), 0)
    tl.static_assert(i.dtype == tl.float32 and j.dtype == tl.float32)
    k, l = tl.max(v.to(tl.float32), 0), tl.min(v.to(tl.float64), 0)
    tl.static_assert(k.dtype == tl.float32 and l.dtype == tl.float64)
    n, o = tl.max(v.to(tl.int64), 0), tl.max(v.to(tl.uint32), 0)
    tl.static_assert(n.dtype == tl.int64 and o.dtype == tl.uint32)
    p = tl.max(tl.zeros([8], tl.float8e5), 0)
    tl.static_assert(p.dtype == tl.float32)
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)
    tl.store(out + 4, e)
    tl.store(out + 5, f)
    tl.store(out + 6, g)
    tl.store(out + 7, h)
    tl.store(out + 8, i)
    tl.store(out + 9, j)
    tl.store(out + 10, k)
    tl.store(out + 11, l)
    tl.store(out + 12, n)
    tl.store(out + 13, o)
    tl.store(out + 14, p)


# With an index only bfloat16 widens. Of equal elements the first wins.
#: x = i32[3, 7, 7, 1, 1, 127, 200, 7]
#: out -> fp64[200, 6, 1, 3, 127, 5, 200, 6, 200, 6, 1, 3, 1, 1, 0, 0, 1, 3, 200, 6]
@triton.jit
def extremes_with_indices(x, out):
    v = tl.load(x + tl.arange(0, 8))
    a, ai = tl.max(v.to(tl.uint8), 0, return_indices=True)
    b, bi = tl.min(v.to(tl.uint16), 0, return_indices=True)
    c, ci = tl.max(v.to(tl.int8), axis=0, return_indices=True, return_indices_tie_break_left=True)
    d, di = v.max(0, True)
    e, ei = tl.max(v.to(tl.bfloat16), 0, return_indices=True)
    f, fi = tl.min(v.to(tl.float16), 0, return_indices=True)
    g, gi = tl.max(v > 5, 0, return_indices=True)
    h, hi = tl.min(v > 5, 0, return_indices=True)
    i, ii = tl.min(v.to(tl.int64), 0, return_indices=True)
    j, ji = tl.max(v.to(tl.float64), 0, return_indices=True)
    tl.static_assert(a.dtype == tl.uint8 and b.dtype == tl.uint16 and c.dtype == tl.int8)
    tl.static_assert(e.dtype == tl.float32 and f.dtype == tl.float16 and g.dtype == tl.int1)
    tl.static_assert(i.dtype == tl.int64 and j.dtype == tl.float64 and ai.dtype == tl.int32)
    tl.store(out, a)
    tl.store(out + 1, ai)
    tl.store(out + 2, b)
    tl.store(out + 3, bi)
    tl.store(out + 4, c)
    tl.store(out + 5, ci)
    tl.store(out + 6, d)
    tl.store(out + 7, di)
    tl.store(out + 8, e)
    tl.store(out + 9, ei)
    tl.store(out + 10, f)
    tl.store(out + 11, fi)
    tl.store(out + 12, g.to(tl.int32))
    tl.store(out + 13, gi)
    tl.store(out + 14, h.to(tl.int32))
    tl.store(out + 15, hi)
    tl.store(out + 16, i)
    tl.store(out + 17, ii)
    tl.store(out + 18, j)
    tl.store(out + 19, ji)


# Ties over many threads and warps; along both axes.
#: out -> i32[5, 517, 1, 1, 0, 0, 0, 0, 5, 1029]
@triton.jit
def ties(out):
    i = tl.arange(0, 2048)
    v = tl.where((i % 512 == 5) & (i > 5), 9, tl.minimum(i % 512, 3))
    tl.store(out, tl.argmax(tl.where(i % 512 == 5, 9, 1), 0))
    tl.store(out + 1, tl.argmax(v, 0, tie_break_left=True))
    # Any of the equal ones: the index has the value.
    r = tl.argmax(v, 0, tie_break_left=False)
    tl.store(out + 2, (r % 512 == 5).to(tl.int32))
    w, j = tl.max(v, 0, return_indices=True, return_indices_tie_break_left=False)
    tl.store(out + 3, ((j % 512 == 5) & (w == 9)).to(tl.int32))
    m = tl.zeros([4, 4], tl.float32)
    write(out + 4, tl.argmin(m, 1))
    tl.store(out + 8, tl.argmin(tl.where(i % 1024 == 5, -1.0, 0.5).to(tl.float16), 0))
    tl.store(out + 9, tl.argmax(tl.where((i % 1024 == 5) & (i > 5), 2.0, 0.5).to(tl.float64), 0))


# A NaN beside numbers is ignored; nothing but NaN gives NaN.
#: x = fp32[nan, 1, -3, nan, nan, nan, nan, nan]
#: out -> fp32[1, -3, nan, nan, 1, -3, 1, -3]
@triton.jit
def nan_is_ignored(x, out):
    v = tl.load(x + tl.arange(0, 4))
    n = tl.load(x + 4 + tl.arange(0, 4))
    tl.store(out, tl.max(v, 0))
    tl.store(out + 1, tl.min(v, 0))
    tl.store(out + 2, tl.max(n, 0))
    tl.store(out + 3, tl.min(n, 0))
    tl.store(out + 4, tl.max(v.to(tl.float64), 0))
    tl.store(out + 5, tl.min(v.to(tl.float16), 0))
    tl.store(out + 6, tl.max(v.to(tl.bfloat16)))
    tl.store(out + 7, tl.min(v.to(tl.float8e5)))


# Bitwise reductions keep every integer type.
#: x = i32[5, 9, 255, 64, 1, 2, 4, 128]
#: out -> i64[52, 52, 52, 52, 223338299392, -1, 255, 255, 1095216660480, 1, 1, 1]
@triton.jit
def bits(x, out):
    v = tl.load(x + tl.arange(0, 8))
    a, b = tl.xor_sum(v.to(tl.int8), 0), tl.xor_sum(v.to(tl.uint8), 0)
    c, d = tl.xor_sum(v.to(tl.int16), axis=0), tl.xor_sum(v.to(tl.uint32))
    e = (v.to(tl.int64) << 32).xor_sum(0)
    f, g = tl.reduce_or(v.to(tl.int8), 0), tl.reduce_or(v.to(tl.uint16), 0)
    h, i = v.reduce_or(axis=0), tl.reduce_or(v.to(tl.uint64) << 32, 0)
    j, k, l = tl.reduce_or(v > 200, 0), tl.xor_sum((v & 3) > 0), tl.xor_sum(v > 200, 0)
    tl.static_assert(a.dtype == tl.int8 and b.dtype == tl.uint8 and f.dtype == tl.int8 and j.dtype == tl.int1)
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)
    tl.store(out + 4, e)
    tl.store(out + 5, f)
    tl.store(out + 6, g)
    tl.store(out + 7, h)
    tl.store(out + 8, i)
    tl.store(out + 9, j)
    tl.store(out + 10, k)
    tl.store(out + 11, l)


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def welford(mean_a, m2_a, weight_a, mean_b, m2_b, weight_b):
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    share = tl.where(weight == 0.0, 0.0, weight_b / weight)
    return mean_a + delta * share, m2_a + m2_b + delta * delta * weight_a * share, weight


@triton.jit
def later(value_a, index_a, value_b, index_b):
    first = (value_a > value_b) | ((value_a == value_b) & (index_a > index_b))
    if first:
        value, index = value_a, index_a
    else:
        value, index = value_b, index_b
    return value, index


@triton.jit
def constant(a, b):
    return 7


#: out -> fp64[720, 2400, 2880, 1200, 40, 30, 24, 120, 60, 40, 30, 24, 5971968000000, 7, -30336]
@triton.jit
def reduce_with_a_function(out):
    m = tl.reshape(tl.arange(0, 32) % 5 + 1, (4, 8))
    write(out, tl.reduce(m, 1, multiply))
    write(out + 4, m.reduce(0, multiply))
    tl.store(out + 12, tl.reduce(m.to(tl.float64), None, multiply))
    tl.store(out + 13, tl.reduce(m, axis=None, combine_fn=constant))
    k = tl.reduce((tl.arange(0, 8) + 2).to(tl.int16), -1, multiply, keep_dims=True)
    tl.static_assert(k.shape == (1,) and k.dtype == tl.int16)
    tl.store(out + 14, k.item())


#: out -> fp64[4.015625, 3.96875, 200.7421875, 185.46875, 32, 32] ~1e-6
@triton.jit
def reduce_of_three(out):
    x = (tl.reshape(tl.arange(0, 64) * 29 % 17, (2, 32)) * 0.5).to(tl.float32)
    mean, m2, weight = tl.reduce((x, tl.zeros_like(x), tl.zeros_like(x) + 1), 1, welford)
    i = tl.arange(0, 2)
    tl.store(out + i, mean)
    tl.store(out + 2 + i, m2)
    tl.store(out + 4 + i, weight)


#: out -> i64[9, 1541]
@triton.jit
def reduce_of_mixed_types(out):
    i = tl.arange(0, 2048)
    v, index = tl.reduce((tl.where(i % 512 == 5, 9, 1).to(tl.int8), i.to(tl.int64)), 0, later)
    tl.static_assert(v.dtype == tl.int8 and index.dtype == tl.int64)
    tl.store(out, v)
    tl.store(out + 1, index)


@triton.jit
def wider(a, b):
    return a.to(tl.int64) + b


@triton.jit
def promoted(x):
    return x + tl.zeros((1,), tl.int1)


@triton.jit
def larger_or_nan(a, b):
    takes = a > b
    if promoted(a).dtype.is_floating():
        takes |= a != a
    return tl.where(takes, a, b)


# A tensor in a combine function of which the type alone is used.
#: x = fp32[3, -1, 7, 2]
#: out -> fp32[7, 3, 3, 7, 7]
@triton.jit
def reduce_by_type(x, out):
    i = tl.arange(0, 4)
    values = tl.load(x + i)
    tl.store(out, tl.reduce(values, 0, larger_or_nan))
    tl.store(out + 1 + i, tl.associative_scan(values, 0, larger_or_nan))


@triton.jit
def pair_of(a, b):
    return a, b


#:
@triton.jit
def reduce_errors(p, n):
    x = tl.zeros([4], tl.int32)
    tl.sum(n, 0)  #! tl.sum takes a block
    tl.max(n)  #! tl.max takes a block
    tl.sum(x, 1)  #! axis 1 is out of range for a block of rank 1
    tl.sum(x, -2)  #! axis -2 is out of range for a block of rank 1
    tl.argmax(x)  #! argument 'axis'
    tl.argmax(x, None)  #! needs an axis
    tl.max(x, return_indices=True)  #! needs an axis
    tl.xor_sum(x.to(tl.float32), 0)  #! a block of integers
    tl.reduce_or(x.to(tl.float32), 0)  #! a block of integers
    tl.sum(x, n)  #! must be a constexpr integer
    tl.sum(p + x)  #! a block of numbers
    tl.reduce(x, 0, wider)  #! the combine function must return
    tl.reduce(x, 0, pair_of)  #! the combine function must return
    tl.reduce(x, 0, 5)  #! argument 'combine_fn' of tl.reduce must be a jit function
    tl.reduce((x, tl.zeros([8], tl.int32)), 0, pair_of)  #! takes blocks of one shape
    tl.reduce(n, 0, multiply)  #! a block or a tuple of blocks
