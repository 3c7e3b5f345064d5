# Tensor descriptors that the host makes: what kernels do with those of their own works with them as well.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


@triton.jit
def write(out, block):
    tl.store(out + tl.arange(0, block.numel), tl.ravel(block))


#: x = desc(fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47] as 6x8, [4, 8])
#: y = desc(fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47] as 6x8, [4, 4], nan)
#: out -> fp32[16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 36, 37, 38, 39, 0, 0, 0, 0, 44, 45, 46, 47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, nan, nan, nan, nan, nan, nan, 0, 1, nan, nan, 8, 9, nan, nan, 16, 17]
@triton.jit
def loads_of_two_axes(x, y, out):
    write(out, x.load([2, 0]))
    write(out + 32, tl.load_tensor_descriptor(x, (4, 4)))
    write(out + 64, y.load((-1, -2)))


#: a = desc(i32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] as 16, [4])
#: b = desc(i32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63] as 4x4x4, [2, 2, 4])
#: c = desc(i32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63] as 2x2x2x2x4, [1, 2, 2, 2, 4], zero)
#: out -> i32[14, 15, 0, 0, 28, 29, 30, 31, 0, 0, 0, 0, 44, 45, 46, 47, 0, 0, 0, 0, 40, 41, 42, 43, 44, 45, 46, 47, 0, 0, 0, 0, 0, 0, 0, 0, 56, 57, 58, 59, 60, 61, 62, 63, 0, 0, 0, 0, 0, 0, 0, 0]
@triton.jit
def loads_of_other_ranks(a, b, c, out):
    write(out, a.load([14]))
    write(out + 4, b.load([1, 3, 0]))
    write(out + 20, c.load([1, 0, 1, 0, 0]))


# What it tells of itself. All sizes and strides are values of the run time.
#: d = desc(fp16*64 as 4x16, [2, 8])
#: out -> i64[4, 16, 16, 1]
@triton.jit
def attributes(d, out):
    tl.static_assert(d.dtype == tl.float16)
    tl.static_assert(d.block_shape == [2, 8])
    tl.static_assert(d.block_type == tl.block_type(tl.float16, [2, 8]))
    tl.static_assert(len(d.shape) == 2 and len(d.strides) == 2)
    tl.static_assert(d.shape[0].dtype == tl.int32)
    tl.static_assert(d.strides[0].dtype == tl.int64)
    tl.static_assert(d.strides[1].dtype == tl.int64)
    tl.static_assert(isinstance(d, tl.tensor_descriptor))
    for i in tl.static_range(2):
        tl.store(out + i, d.shape[i])
        tl.store(out + 2 + i, d.strides[i])


# Sizes of the block by constants, of the grid by the descriptor.
#: x = desc(fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47] as 6x8, [ROWS, 4])
#: ROWS = 2
#: out -> fp32[4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31, 36, 37, 38, 39, 44, 45, 46, 47]
#: grid = cdiv(x.shape[0], ROWS)
@triton.jit
def sizes_by_names(x, out, ROWS: tl.constexpr):
    tl.static_assert(x.block_shape[0] == ROWS)
    row = tl.program_id(0) * ROWS
    write(out + row * 4, x.load([row, 4]))


# A descriptor of one row: the size stays a value of the run time, although it is 1.
#: x = desc(fp32[0, 1, 2, 3, 4, 5, 6, 7] as 1x8, [1, 8])
#: out -> i64[1, 8, 28]
@triton.jit
def one_row(x, out):
    tl.static_assert(x.shape[0].dtype == tl.int32)
    tl.store(out, x.shape[0])
    tl.store(out + 1, x.strides[0])
    tl.store(out + 2, tl.sum(x.load([0, 1])).to(tl.int64))


# What is outside is not written. The value is cast.
#: out = desc(i32*48 as 6x8, [4, 4]) -> i32[9, 10, 11, 0, 0, 0, 0, 0, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 0, 0, 0, 0, 0, 0, 7, 7] as 6x8
@triton.jit
def stores(out):
    out.store([4, 6], tl.full([4, 4], 7.75, tl.float32))
    tl.store_tensor_descriptor(out, [-2, -1], tl.arange(0, 16).reshape(4, 4).to(tl.int64))


# Carried through loops, chosen by branches, handed to helpers, returned by them, in tuples; together with those that
# the kernel makes.
@triton.jit
def other(d, e, flag):
    if flag:
        return e
    else:
        return d


@triton.jit(noinline=True)
def first_of(d, row):
    return tl.sum(d.load([row, 0]), 1)


#: x = desc(fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] as 4x4, [2, 4])
#: y = desc(fp32[100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115] as 4x4, [2, 4])
#: z = fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
#: n = 5
#: out -> fp32[108, 109, 110, 111, 112, 113, 114, 115, 0, 1, 2, 3, 4, 5, 6, 7, 100, 101, 102, 103, 104, 105, 106, 107, 0, 1, 2, 3, 4, 5, 6, 7, 406, 422]
@triton.jit
def through_control_flow(x, y, z, n, out):
    d = x
    if n > 3:
        d = y
    write(out, d.load([2, 0]))
    write(out + 8, other(d, x, n > 4).load([0, 0]))
    a, b = d, tl.make_tensor_descriptor(z, [n - 1, 4], [4, 1], [2, 4])
    for i in range(2):
        pair = (a, b)
        write(out + 16 + 8 * i, pair[0].load([0, 0]))
        a, b = pair[1], pair[0]
    i = 0
    while i < 1:
        write(out + 32, first_of(a, i))
        i += 1


# In a tuple, and for a parameter that is annotated.
#: both = (desc(fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47] as 6x8, [1, 8]), 3, fp32*8)
#: both.2 -> fp32[24, 25, 26, 27, 28, 29, 30, 31]
@triton.jit
def in_a_tuple(both):
    write(both[2], both[0].load([both[1], 0]))


#: x = desc(fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47] as 6x8, [2, 8])
#: out -> fp32[8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]
@triton.jit
def annotated(x: tl.tensor_descriptor, out):
    write(out, x.load([1, 0]))


# Rows outside, and columns, are padded, or not written.
#: x = desc(fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47] as 6x8, [1, 8])
#: rows = i32[3, 0, 7, -1, 5, 6, 2, 2]
#: out -> fp32[26, 27, 28, 29, 30, 31, 0, 0, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 42, 43, 44, 45, 46, 47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 18, 19, 20, 21, 22, 23, 0, 0, 18, 19, 20, 21, 22, 23, 0, 0]
@triton.jit
def gathers(x, rows, out):
    write(out, x.gather(tl.load(rows + tl.arange(0, 8)), 2))


#: rows = i32[5, 9, 0, -3, 2, 7, 4, 6]
#: out = desc(i32*48 as 6x8, [1, 8]) -> i32[0, 0, 0, 0, 16, 17, 18, 19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 33, 34, 35, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 48, 49, 50, 51, 0, 0, 0, 0, 0, 1, 2, 3] as 6x8
@triton.jit
def scatters(rows, out):
    out.scatter(tl.arange(0, 64).reshape(8, 8), tl.load(rows + tl.arange(0, 8)), 4)


#: x = desc(fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] as 4x8, [4, 8]) -> fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 30, 31, 32, 33, 24, 25, 26, 27, 38, 39, 40, 41] as 4x8
#: h = desc(fp16*16, [16]) -> fp16[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
#: u = desc(u64*16, [16]) -> u64[2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
#: grid = 2
@triton.jit
def atomic_sums(x, h, u):
    x.atomic_add([2, 4], tl.full([4, 8], 5.0, tl.float32))
    h.atomic_add([0], tl.full([16], 1.0, tl.float16))
    u.atomic_add([0], tl.full([16], 1, tl.uint64))


#: least = desc(i32[-3, 5, 7, 9], [4]) -> i32[-3, 1, 2, 3]
#: most = desc(u32[4294967295, 5, 0, 1], [4]) -> u32[4294967295, 5, 2, 3]
#: some = desc(i32[1, 2, 4, 8], [4]) -> i32[1, 3, 6, 11]
@triton.jit
def atomic_extremes_and_bits(least, most, some):
    i = tl.arange(0, 4)
    least.atomic_min([0], i)
    most.atomic_max([0], i.to(tl.uint32))
    some.atomic_or([0], i)


#: d = desc(fp32*64 as 8x8, [4, 4])
@triton.jit
def users(d, n):
    d.load([0])  #! expected 2 offsets, one an axis, found 1
    d.store([0, 0], 1.0)  #! argument 'value' of tensor_descriptor.store must be a block of shape [4, 4], found constexpr float
    d.gather(tl.arange(0, 8), 0)  #! tensor_descriptor.gather needs a descriptor of blocks with two axes and one row, found tensor descriptor of float32[4, 4]
    tl.load(d)  #! argument 'pointer' of tl.load must be a pointer or a block of pointers, found tensor descriptor of float32[4, 4]
    d + 1  #! cannot apply '+' to tensor descriptor of float32[4, 4] and constexpr int


#: d = desc(fp32*64 as 8x8, [4, 4])
@triton.jit
def no_store_through_const(d: "const"):
    d.store([0, 0], tl.zeros([4, 4], tl.float32))  #! cannot write through a descriptor of a pointer to const
    d.atomic_add([0, 0], tl.zeros([4, 4], tl.float32))  #! cannot write through a descriptor of a pointer to const


#: d = desc(fp32*64 as 8x8, [4, 4])
@triton.jit
def no_number(d: tl.int32):  #! parameter 'd' is declared as i32, but the argument is a tensor descriptor
    pass


#: d = desc(fp32*64 as 8x8, [4, 4])
@triton.jit
def no_constant(d: tl.constexpr):  #! parameter 'd' is tl.constexpr: expected a value, found a tensor descriptor
    pass


#: d = desc(fp32*64 as 8x8)
@triton.jit
def no_block(d):  #! the descriptor for 'd' has no block: 'd=desc(ARRAY, [64, 32])' or a type in --sig gives it one
    pass
