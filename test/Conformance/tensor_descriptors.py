# Tensor descriptors: ranks, edges, paddings, rows anywhere, atomic operations, through loops, branches and helpers.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


@triton.jit
def write(out, block):
    tl.store(out + tl.arange(0, block.numel), tl.ravel(block))


#: x = fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47]
#: out -> fp32[16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 36, 37, 38, 39, 0, 0, 0, 0, 44, 45, 46, 47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, nan, nan, nan, nan, nan, nan, 0, 1, nan, nan, 8, 9, nan, nan, 16, 17, nan, nan, nan, nan, 0, 0, 0, 0, 0, 0, 0, 0]
@triton.jit
def loads_of_two_axes(x, out):
    a = tl.make_tensor_descriptor(x, [6, 8], [8, 1], [4, 8])
    write(out, a.load([2, 0]))
    write(out + 32, tl.load_tensor_descriptor(a, (4, 4)))
    b = tl.make_tensor_descriptor(base=x, shape=(6, 8), strides=(8, 1), block_shape=(4, 4), padding_option="nan")
    write(out + 64, b.load((-1, -2)))
    c = tl.make_tensor_descriptor(x, [6, 8], [8, 1], [1, 4], padding_option="nan")
    write(out + 80, c.load([7, 0]))
    d = tl.make_tensor_descriptor(x, [6, 8], [8, 1], [2, 4], padding_option="zero")
    write(out + 84, d.load([100, -100]))


#: x = i32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]
#: out -> i32[14, 15, 0, 0, 28, 29, 30, 31, 0, 0, 0, 0, 44, 45, 46, 47, 0, 0, 0, 0, 40, 41, 42, 43, 44, 45, 46, 47, 0, 0, 0, 0, 0, 0, 0, 0, 56, 57, 58, 59, 60, 61, 62, 63, 0, 0, 0, 0, 0, 0, 0, 0]
@triton.jit
def loads_of_other_ranks(x, out):
    a = tl.make_tensor_descriptor(x, [16], [1], [4])
    write(out, a.load([14]))
    b = tl.make_tensor_descriptor(x, [4, 4, 4], [16, 4, 1], [2, 2, 4])
    write(out + 4, b.load([1, 3, 0]))
    c = tl.make_tensor_descriptor(x, [2, 2, 2, 2, 4], [32, 16, 8, 4, 1], [1, 2, 2, 2, 4])
    write(out + 20, c.load([1, 0, 1, 0, 0]))


# Sizes and strides at run time, of any width. A parameter that is folded to 1 is the last stride.
#: x = fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47]
#: rows = 5
#: stride = 8
#: one = 1
#: out -> fp32[36, 37, 38, 39, 0, 0, 0, 0]
@triton.jit
def run_time_geometry(x, out, rows, stride, one):
    a = tl.make_tensor_descriptor(x, [rows.to(tl.int64), stride], [stride.to(tl.int16), one], [2, 4])
    write(out, a.load([rows - 1, tl.program_id(0) + 4]))


# What it tells of itself.
#: x = fp16*64
#: rows = 4
#: stride = 16
#: out -> i64[4, 16, 16, 1]
@triton.jit
def attributes(x, out, rows, stride):
    d = tl.make_tensor_descriptor(x, [rows, 16], [stride, 1], [2, 8])
    tl.static_assert(d.dtype == tl.float16)
    tl.static_assert(d.block_shape == [2, 8])
    tl.static_assert(d.block_shape[1] == 8)
    tl.static_assert(d.block_type == tl.block_type(tl.float16, [2, 8]))
    tl.static_assert(len(d.shape) == 2 and len(d.strides) == 2)
    tl.static_assert(d.shape[0].dtype == tl.int32)
    tl.static_assert(d.strides[0].dtype == tl.int64)
    tl.static_assert(isinstance(d, tl.tensor_descriptor))
    tl.static_assert(not isinstance(x, tl.tensor_descriptor))
    tl.store(out, d.shape[0])
    tl.store(out + 1, d.shape[1])
    tl.store(out + 2, d.strides[0])
    tl.store(out + 3, d.strides[1])


# What is outside is not written. The value is cast.
#: out = i32*48 -> i32[9, 10, 11, 0, 0, 0, 0, 0, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 0, 0, 0, 0, 0, 0, 7, 7]
@triton.jit
def stores(out):
    d = tl.make_tensor_descriptor(out, [6, 8], [8, 1], [4, 4])
    d.store([4, 6], tl.full([4, 4], 7.75, tl.float32))
    tl.store_tensor_descriptor(d, [-2, -1], tl.arange(0, 16).reshape(4, 4).to(tl.int64))


# Carried through loops, chosen by branches, handed to helpers, returned by them, in tuples.
@triton.jit
def moved(d, out, x):
    return tl.make_tensor_descriptor(x + 4, [2, 4], [4, 1], [2, 4])


@triton.jit(noinline=True)
def first_of(d, row):
    return tl.sum(d.load([row, 0]), 1)


#: x = fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
#: y = fp32[100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115]
#: n = 5
#: out -> fp32[108, 109, 110, 111, 112, 113, 114, 115, 4, 5, 6, 7, 8, 9, 10, 11, 100, 101, 102, 103, 104, 105, 106, 107, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
@triton.jit
def through_control_flow(x, y, n, out):
    d = tl.make_tensor_descriptor(x, [4, 4], [4, 1], [2, 4])
    if n > 3:
        d = tl.make_tensor_descriptor(y, [4, 4], [4, 1], [2, 4])
    write(out, d.load([2, 0]))
    write(out + 8, moved(d, out, x).load([0, 0]))
    a, b = d, tl.make_tensor_descriptor(x, [n - 1, 4], [4, 1], [2, 4])
    for i in range(2):
        pair = (a, b)
        write(out + 16 + 8 * i, pair[0].load([0, 0]))
        a, b = pair[1], pair[0]
    i = 0
    while i < 1:
        write(out + 32, a.load([i, 0]) + (b.load([2, 0]) - a.load([0, 0])))
        i += 1


#: x = fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
#: out -> fp32[22, 38]
@triton.jit
def in_a_helper_that_is_not_inlined(x, out):
    d = tl.make_tensor_descriptor(x, [4, 4], [4, 1], [1, 4])
    write(out, first_of(d, 1))
    write(out + 1, first_of(d, 2))


# A block that was loaded is a block like any other.
#: x = fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
#: out -> fp32[0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]
@triton.jit
def transposed(x, out):
    d = tl.make_tensor_descriptor(x, [1, 4, 4], [16, 4, 1], [1, 4, 4])
    o = tl.make_tensor_descriptor(out, [4, 4], [4, 1], [4, 4])
    o.store([0, 0], d.load([0, 0, 0]).reshape(4, 4).T)


#: x = fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
#: out = fp16*60 -> fp16[0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64, 66, 68, 70, 72, 74, 76, 78, 80, 82, 84, 86, 88, 90, 92, 94, 96, 98, 100, 102, 104, 106, 108, 110, 112, 114, 116, 118]
#: grid = 2
@triton.jit
def copies_through_a_loop(x, out):
    src = tl.make_tensor_descriptor(x, [15, 4], [4, 1], [4, 4])
    dst = tl.make_tensor_descriptor(out, [60], [1], [16])
    for i in tl.range(tl.program_id(0), 4, tl.num_programs(0)):
        dst.store([i * 16], tl.ravel(src.load([i * 4, 0])) * 2)


# Rows outside, and columns, are padded.
#: x = fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47]
#: rows = i32[3, 0, 7, -1, 5, 6, 2, 2]
#: out -> fp32[26, 27, 28, 29, 30, 31, 0, 0, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 42, 43, 44, 45, 46, 47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 18, 19, 20, 21, 22, 23, 0, 0, 18, 19, 20, 21, 22, 23, 0, 0]
@triton.jit
def gathers(x, rows, out):
    d = tl.make_tensor_descriptor(x, [6, 8], [8, 1], [1, 8])
    write(out, d.gather(tl.load(rows + tl.arange(0, 8)), 2))


#: rows = i32[5, 9, 0, -3, 2, 7, 4, 6]
#: out = i32*48 -> i32[0, 0, 0, 0, 16, 17, 18, 19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 33, 34, 35, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 48, 49, 50, 51, 0, 0, 0, 0, 0, 1, 2, 3]
@triton.jit
def scatters(rows, out):
    d = tl.make_tensor_descriptor(out, [6, 8], [8, 1], [1, 8])
    d.scatter(tl.arange(0, 64).reshape(8, 8), tl.load(rows + tl.arange(0, 8)), 4)


#: x = fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] -> fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 30, 31, 32, 33, 24, 25, 26, 27, 38, 39, 40, 41]
#: h = fp16*16 -> fp16[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
#: g = bf16*16 -> bf16[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
#: u = u64*16 -> u64[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
#: grid = 2
@triton.jit
def atomic_sums(x, h, g, u):
    d = tl.make_tensor_descriptor(x, [4, 8], [8, 1], [4, 8])
    d.atomic_add([2, 4], tl.full([4, 8], 5.0, tl.float32))
    a = tl.make_tensor_descriptor(h, [16], [1], [16])
    a.atomic_add([0], tl.full([16], 1.0, tl.float16))
    b = tl.make_tensor_descriptor(g, [16], [1], [16])
    b.atomic_add([0], tl.full([16], 1.0, tl.bfloat16))
    c = tl.make_tensor_descriptor(u, [16], [1], [16])
    c.atomic_add([0], tl.full([16], 1, tl.uint64))


#: least = i32[-3, 5, 7, 9] -> i32[-3, 1, 2, 3]
#: most = u32[4294967295, 5, 0, 1] -> u32[4294967295, 5, 2, 3]
#: both = i64[1, 3, 5, 7] -> i64[0, 1, 0, 3]
#: some = i32[1, 2, 4, 8] -> i32[1, 3, 6, 11]
#: other = u32[1, 2, 4, 8] -> u32[1, 3, 6, 11]
@triton.jit
def atomic_extremes_and_bits(least, most, both, some, other):
    i = tl.arange(0, 4)
    tl.make_tensor_descriptor(least, [4], [1], [4]).atomic_min([0], i)
    tl.make_tensor_descriptor(most, [4], [1], [4]).atomic_max([0], i.to(tl.uint32))
    tl.make_tensor_descriptor(both, [4], [1], [4]).atomic_and([0], i.to(tl.int64))
    tl.make_tensor_descriptor(some, [4], [1], [4]).atomic_or([0], i)
    tl.make_tensor_descriptor(other, [4], [1], [4]).atomic_xor([0], i.to(tl.uint32))


# Of 16-bit floats, a number wins over NaN, and blocks may reach beyond the tensor.
#: h = fp16[1, -2, nan, 4, 5, inf, -7, 8] -> fp16[2.5, 2.5, 2.5, 4, 5, inf, 2.5, 8]
#: b = bf16[1, -2, nan, 4, 5, -inf, -7, 8] -> bf16[-0.5, -2, -0.5, -0.5, -0.5, -inf, -7, -0.5]
#: many = fp16*16 as 2x8 -> fp16[0, 0, 0, 0, 2, 3, 4, 5, 0, 0, 0, 0, 10, 11, 12, 13] as 2x8
#: least = bf16*16 as 1x1x1x1x16 -> bf16[0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15] as 1x1x1x1x16
#: one = fp16*1 -> fp16[7]
#: grid = 4
@triton.jit
def atomic_extremes_of_halves(h, b, many, least, one):
    # Programs with smaller ids ask for less.
    p = tl.program_id(0)
    tl.make_tensor_descriptor(h, [8], [1], [8]).atomic_max([0], tl.full([8], 2.5, tl.float16) - (3 - p).to(tl.float16))
    tl.make_tensor_descriptor(b, [8], [1], [8]).atomic_min([0], tl.full([8], -0.5, tl.bfloat16) + p.to(tl.bfloat16))
    i = tl.arange(0, 32).reshape(4, 8).to(tl.float16)
    tl.make_tensor_descriptor(many, [2, 8], [8, 1], [4, 8]).atomic_max([0, 4], i + 2)
    i = tl.arange(0, 16).reshape(1, 1, 1, 1, 16).to(tl.bfloat16)
    d = tl.make_tensor_descriptor(least, [1, 1, 1, 1, 16], [16, 16, 16, 16, 1], [1, 1, 1, 1, 16])
    d.atomic_min([0, 0, 0, 0, 0], -i)
    d = tl.make_tensor_descriptor(one, [1], [1], [8])
    d.atomic_max([0], tl.where(tl.arange(0, 8) == 0, 7.0, 99.0).to(tl.float16))
    d.atomic_max([0], tl.full([8], float("nan"), tl.float16))


# 8-bit floats are padded with a NaN of theirs.
#: x = u8[56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56, 56]
#: out -> fp32[1, 1, 1, 1, 1, 1, 1, 1, nan, nan, nan, nan, nan, nan, nan, nan]
@triton.jit
def padding_of_small_floats(x, out):
    d = tl.make_tensor_descriptor(x.to(tl.pointer_type(tl.float8e4nv)), [16], [1], [16], padding_option="nan")
    write(out, d.load([8]).to(tl.float32))


#: n = 5
@triton.jit
def makers(f, p, n):
    tl.make_tensor_descriptor(f, [], [], [])  #! a tensor descriptor has 1 to 5 axes, found none
    tl.make_tensor_descriptor(f, [1, 1, 1, 1, 1, 4], [4, 4, 4, 4, 4, 1], [1, 1, 1, 1, 1, 4])  #! a tensor descriptor has 1 to 5 axes, found 6
    tl.make_tensor_descriptor(f, [8, 8], [1], [4, 4])  #! expected 2 strides, one an axis, found 1
    tl.make_tensor_descriptor(f, [8, 8], [8, 1], [4])  #! expected a block shape with 2 axes, found 1
    tl.make_tensor_descriptor(f, 8, [1], [4])  #! argument 'shape' of tl.make_tensor_descriptor must be a tuple of integers, found constexpr int
    tl.make_tensor_descriptor(f, [8], [1], [2])  #! the last axis of a descriptor's block needs at least 16 bytes, found 2 * 4 = 8 bytes
    tl.make_tensor_descriptor(f, [8], [1], [6])  #! power of
    tl.make_tensor_descriptor(f, [8], [n], [4])  #! the last stride of a tensor descriptor must be the constexpr 1, found int32
    tl.make_tensor_descriptor(f, [8], [2], [4])  #! the last stride of a tensor descriptor must be the constexpr 1, found 2
    tl.make_tensor_descriptor(f, [8, 6], [6, 1], [4, 4])  #! strides of a tensor descriptor must be multiples of 16 bytes, which are 4 elements of float32, found 6
    tl.make_tensor_descriptor(p, [8], [1], [4], "nan")  #! only floats can be padded with NaN, found int32
    tl.make_tensor_descriptor(f, [8], [1], [4], "one")  #! unknown padding 'one'; expected 'zero' or 'nan'
    tl.make_tensor_descriptor(n, [8], [1], [4])  #! argument 'base' of tl.make_tensor_descriptor must be a scalar pointer, found int32
    tl.make_tensor_descriptor(f, [8.5], [1], [4])  #! argument 'shape' of tl.make_tensor_descriptor must be scalar integers
    tl.make_tensor_descriptor(f, [4294967296], [1], [4])  #! sizes of a tensor descriptor are int32, found 4294967296
    tl.make_tensor_descriptor(f, [8, 8], [8.0, 1], [4, 4])  #! argument 'strides' of tl.make_tensor_descriptor must be scalar integers


#: n = 5
@triton.jit
def users(f, n):
    d = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [4, 4])
    d.load([0])  #! expected 2 offsets, one an axis, found 1
    d.load(0)  #! argument 'offsets' of tensor_descriptor.load must be a tuple of 2 integers
    d.load([0, n.to(tl.int64)])  #! argument 'offsets' of tensor_descriptor.load must be scalar integers of 32 bits
    d.load([0, 4294967296])  #! argument 'offsets' of tensor_descriptor.load must be scalar integers of 32 bits
    d.store([0, 0], 1.0)  #! argument 'value' of tensor_descriptor.store must be a block of shape [4, 4], found constexpr float
    d.store([0, 0], tl.zeros([4], tl.float32))  #! argument 'value' of tensor_descriptor.store must be a block of shape [4, 4], found float32[4]
    tl.load_tensor_descriptor(f, [0, 0])  #! argument 'desc' of tl.load_tensor_descriptor must be a tensor descriptor, found pointer<float32>
    tl.store_tensor_descriptor(f, [0, 0], 1.0)  #! argument 'desc' of tl.store_tensor_descriptor must be a tensor descriptor, found pointer<float32>
    tl.load(d)  #! argument 'pointer' of tl.load must be a pointer or a block of pointers, found tensor descriptor of float32[4, 4]
    d.advance([0, 0])  #! tensor descriptor of float32[4, 4] has no attribute 'advance'


#: h = fp16*64
@triton.jit
def users_of_rows(f, h, n):
    d = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [4, 4])
    rows = tl.arange(0, 8)
    d.gather(rows, 0)  #! tensor_descriptor.gather needs a descriptor of blocks with two axes and one row, found tensor descriptor of float32[4, 4]
    e = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [1, 8])
    e.gather(3, 0)  #! argument 'x_offsets' of tensor_descriptor.gather must be a block of int32 with one axis, found constexpr int
    e.gather(rows.to(tl.int64), 0)  #! argument 'x_offsets' of tensor_descriptor.gather must be a block of int32 with one axis, found int64[8]
    e.gather(tl.arange(0, 4), 0)  #! tensor_descriptor.gather takes at least 8 rows, found 4
    e.gather(rows, n.to(tl.int64))  #! argument 'y_offset' of tensor_descriptor.gather must be a scalar integer of 32 bits, found int64
    tl.make_tensor_descriptor(h, [8, 8], [8, 1], [1, 8]).gather(rows, 0)  #! tensor_descriptor.gather of float16 takes at least 16 columns, found 8
    e.scatter(tl.zeros([8, 8], tl.int32), rows, 0)  #! tensor_descriptor.scatter converts nothing: expected float32[8, 8], found int32[8, 8]
    e.scatter(tl.zeros([1, 8], tl.float32), rows, 0)  #! argument 'value' of tensor_descriptor.scatter must be a block of shape [8, 8], found float32[1, 8]


#: w = i64*8
@triton.jit
def users_of_atomics(f, w):
    d = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [4, 4])
    d.atomic_add([0, 0], tl.zeros([4, 4], tl.int32))  #! tensor_descriptor.atomic_add converts nothing: expected float32[4, 4], found int32[4, 4]
    d.atomic_max([0, 0], tl.zeros([4, 4], tl.float32))  #! tensor_descriptor.atomic_max does not work on elements of type float32
    d.atomic_and([0, 0], tl.zeros([4, 4], tl.float32))  #! tensor_descriptor.atomic_and does not work on elements of type float32
    c = tl.make_tensor_descriptor(w, [8], [1], [4])
    c.atomic_add([0], tl.zeros([4], tl.int64))  #! tensor_descriptor.atomic_add does not work on elements of type int64
    k = tl.make_tensor_descriptor(f.to(tl.pointer_type(tl.float32, 1, True)), [8], [1], [4])
    k.store([0], tl.zeros([4], tl.float32))  #! cannot write through a descriptor of a pointer to const


#: n = 5
@triton.jit
def no_choice_of_descriptors(f, n):
    d = tl.make_tensor_descriptor(f, [8, 8], [8, 1], [4, 4])
    e = d if n > 3 else 0  #! expected a tensor or a number, found tensor descriptor of float32[4, 4]


#: n = 5
@triton.jit
def paddings_are_types(f, n):
    d = tl.make_tensor_descriptor(f, [16], [1], [16])
    for i in range(n):  #! the loop-carried variable 'd' is of type tensor descriptor of float32[16] before the loop but becomes tensor descriptor of float32[16] padded with NaN in it
        d = tl.make_tensor_descriptor(f, [16], [1], [16], "nan")


#: n = 5
@triton.jit
def no_operators(f, n):
    d = tl.make_tensor_descriptor(f, [16], [1], [16])
    d + 1  #! cannot apply '+' to tensor descriptor of float32[16] and constexpr int
    d[0]  #! cannot index tensor descriptor of float32[16]
