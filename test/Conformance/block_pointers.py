# Block pointers: orders, boundary checks on each axis, padding, advancing, types, errors.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


@triton.jit
def write(out, block):
    tl.store(out + tl.arange(0, block.numel), tl.ravel(block))


#: x = fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47]
#: out -> fp32[16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 33, 41, 34, 42, 35, 43, 36, 44, 38, 39, 0, 0, 46, 47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, nan, nan, nan, nan, nan, nan, 0, 1, nan, nan, 8, 9, nan, nan, 16, 17, 0, 0, 0, 0, 3, 4, 5, 6, 11, 12, 13, 14, 19, 20, 21, 22, 27, 28, 29, 30, 35, 36, 37, 38, 43, 44, 45, 46, 0, 0, 0, 0]
@triton.jit
def loads_of_two_axes(x, out):
    a = tl.make_block_ptr(x, (6, 8), (8, 1), (2, 0), (4, 8), (1, 0))
    write(out, tl.load(a))
    b = tl.make_block_ptr(base=x, shape=[6, 8], strides=[8, 1], offsets=[2, 0], block_shape=[4, 8], order=[0, 1])
    write(out + 32, tl.load(b, boundary_check=(0, 1), padding_option="zero"))
    c = tl.make_block_ptr(x, (8, 6), (1, 8), (1, 4), (4, 2), (0, 1))
    write(out + 64, tl.load(c))
    d = tl.make_block_ptr(x, (6, 8), (8, 1), (4, 6), (4, 4), (1, 0))
    write(out + 72, tl.load(d, boundary_check=(1, 0), padding_option="zero"))
    e = tl.make_block_ptr(x, (6, 8), (8, 1), (-1, -2), (4, 4), (1, 0))
    write(out + 88, tl.load(e, boundary_check=(0, 1), padding_option="nan"))
    f = tl.make_block_ptr(x, (6, 8), (8, 1), (-1, 3), (8, 4), (1, 0))
    write(out + 104, tl.load(f, boundary_check=[0], padding_option="zero"))


#: x = i16[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]
#: out -> i16[3, 4, 5, 6, 7, 8, 9, 10, 14, 15, 0, 0, 6, 7, 10, 11, 22, 23, 26, 27, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 7]
@triton.jit
def loads_of_other_ranks(x, out):
    a = tl.make_block_ptr(x, (16,), (1,), (3,), (8,), (0,))
    write(out, tl.load(a))
    a = tl.make_block_ptr(x, (16,), (1,), (14,), (4,), (0,))
    write(out + 8, tl.load(a, boundary_check=(0,), padding_option="zero"))
    b = tl.make_block_ptr(x, (2, 4, 4), (16, 4, 1), (0, 1, 2), (2, 2, 2), (2, 1, 0))
    write(out + 12, tl.load(b))
    c = tl.make_block_ptr(x, (2, 4, 4), (16, 4, 1), (0, 0, 0), (1, 4, 4), (2, 1, 0))
    write(out + 20, tl.load(c.advance((1, 0, 0))))
    d = tl.make_block_ptr(x, (1, 1), (1, 1), (0, 0), (1, 1), (1, 0))
    write(out + 36, tl.load(tl.advance(d, [0, 7])))


# The argument of tl.advance stays where it was.
#: x = i32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
#: out -> i32[0, 1, 2, 3, 10, 11, 12, 13, 6, 7, 8, 9]
@triton.jit
def advance_makes_another(x, out, n):
    a = tl.make_block_ptr(x, (16,), (1,), (0,), (4,), (0,))
    b = a.advance((10,))
    c = tl.advance(b, (n - 9,))
    write(out, tl.load(a))
    write(out + 4, tl.load(b))
    write(out + 8, tl.load(c))


# A product of blocks of a matrix, row by row: carried through loops, stored with checks.
#: x = fp32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59]
#: out = fp16*60 -> fp16[0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64, 66, 68, 70, 72, 74, 76, 78, 80, 82, 84, 86, 88, 90, 92, 94, 96, 98, 100, 102, 104, 106, 108, 110, 112, 114, 116, 118]
@triton.jit
def copy_through_loops(x, out):
    src = tl.make_block_ptr(x, (6, 10), (10, 1), (0, 0), (4, 4), (1, 0))
    dst = tl.make_block_ptr(out, (6, 10), (10, 1), (0, 0), (4, 4), (1, 0))
    for i in range(2):
        for j in range(3):
            v = tl.load(src, boundary_check=(0, 1), padding_option="zero")
            tl.store(dst, (v * 2).to(tl.float16), boundary_check=(0, 1))
            src = tl.advance(src, (0, 4))
            dst = tl.advance(dst, (0, 4))
        src = tl.advance(src, (4, -12))
        dst = tl.advance(dst, (4, -12))


# Without a check the block must be inside; with one, elements outside are left alone. A scalar fills it.
#: out = i32*24 -> i32[5, 5, 5, 5, 0, 0, 5, 5, 5, 5, 0, 0, 0, 0, 0, 0, 7, 7, 0, 0, 0, 0, 7, 7]
@triton.jit
def stores(out):
    a = tl.make_block_ptr(out, (4, 6), (6, 1), (0, 0), (2, 4), (1, 0))
    tl.store(a, 5)
    b = tl.make_block_ptr(out, (4, 6), (6, 1), (2, 4), (4, 4), (1, 0))
    b.store(tl.full([4, 4], 7, tl.int32), boundary_check=(0, 1), cache_modifier=".cs", eviction_policy="evict_first")


# Behind a pointer to int1 are int8 values.
#: x = i8[3, 0, -5, 1]
#: out = i8*8 -> i8[3, 0, -5, 1, 9, 9, 0, 0]
@triton.jit
def booleans_are_int8(x, out):
    a = tl.make_block_ptr(x.to(tl.pointer_type(tl.int1)), (4,), (1,), (0,), (4,), (0,))
    v = tl.load(a)
    tl.static_assert(v.dtype == tl.int8)
    b = tl.make_block_ptr(out.to(tl.pointer_type(tl.int1)), (6,), (1,), (0,), (4,), (0,))
    tl.store(b, v)
    tl.store(tl.advance(b, (4,)), tl.full([4], 9, tl.int8), boundary_check=(0,))


# Sizes, strides and offsets at run time, in any integer type for sizes and strides.
#: x = i32[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]
#: rows = 4
#: stride = 8
#: out -> i32[10, 11, 18, 19, 24, 25, 0, 0]
@triton.jit
def run_time_geometry(x, out, rows, stride):
    one = tl.program_id(0) + 1
    a = tl.make_block_ptr(x, (rows.to(tl.int64), 8), (stride.to(tl.int16), one.to(tl.uint8)), (one, one + 1), (2, 2), (1, 0))
    write(out, tl.load(a))
    b = tl.make_block_ptr(x, (rows, 8), (stride, 1), (one.to(tl.uint32) + 2, 0), (2, 2), (1, 0))
    write(out + 4, tl.load(b, boundary_check=(0,), padding_option="zero"))


# Offsets count in int32, addresses in int64: a stride may reach beyond.
#: x = i8[1, 2, 3, 4]
#: out -> i32[3, 4]
@triton.jit
def wide_strides(x, out):
    a = tl.make_block_ptr(x - 4294967296, (4, 4294967296), (2147483648, 1), (2, 2), (1, 2), (1, 0))
    write(out, tl.load(a, boundary_check=(0, 1)).to(tl.int32))


#: h = fp16*64
#: w = i64*8
@triton.jit
def block_pointer_errors(p, h, w, n):
    a = tl.make_block_ptr(h, (8, 8), (8, 1), (0, 0), (4, 4), (1, 0))
    tl.store(a, 0.0)  #! a store through a block pointer converts nothing
    tl.store(a, tl.zeros([4], tl.float16))  #! a store through a block pointer converts nothing
    tl.store(a, tl.zeros([4, 4], tl.float32))  #! a store through a block pointer converts nothing
    tl.store(a, tl.zeros([4, 4], tl.float16), mask=n > 0)  #! a block pointer takes no mask
    tl.load(a, mask=n > 0)  #! a block pointer takes no mask and no other
    tl.load(a, other=0.0)  #! a block pointer takes no mask and no other
    tl.load(a, boundary_check=(2,))  #! different axes from 0 to 1
    tl.load(a, boundary_check=(0, 0))  #! different axes from 0 to 1
    tl.load(a, boundary_check=(-1,))  #! different axes from 0 to 1
    tl.load(a, boundary_check=(0,), padding_option="one")  #! unknown padding 'one'
    tl.advance(a, (1,))  #! a tuple of 2 integers
    tl.advance(a, (1, tl.load(w)))  #! scalar integers of 32 bits
    tl.advance(p, (1,))  #! a block pointer
    tl.atomic_add(a, 1.0)  #! a pointer or a block of pointers
    tl.make_block_ptr(p, (8,), (1,), (tl.load(w),), (4,), (0,))  #! scalar integers of 32 bits
    b = tl.make_block_ptr(p, (8,), (1,), (0,), (4,), (0,))
    tl.load(b, boundary_check=(0,), padding_option="nan")  #! only floats can be padded with NaN


#:
@triton.jit
def make_block_ptr_errors(p: tl.const, f, n):
    tl.make_block_ptr(f, (8, 8), (8,), (0, 0), (4, 4), (1, 0))  #! a tuple of 2 integers
    tl.make_block_ptr(f, (8, 8), (8, 1), (0, 0), (4, 4), (1, 1))  #! order
    tl.make_block_ptr(f, (8, 8), (8, 1), (0, 0), (4, 4), (0,))  #! order
    tl.make_block_ptr(f, (8, 8), (8, 1), (0, 0), (4, 3), (1, 0))  #! must be a power of two, found 3
    tl.make_block_ptr(f, (8, 8), (8, 1), (0, 0), (4, n), (1, 0))  #! must be a constexpr integer
    tl.make_block_ptr(f + tl.arange(0, 4), (8,), (1,), (0,), (4,), (0,))  #! a scalar pointer
    tl.make_block_ptr(n, (8,), (1,), (0,), (4,), (0,))  #! a scalar pointer
    tl.make_block_ptr(f, (8.0,), (1,), (0,), (4,), (0,))  #! scalar integers
    tl.store(tl.make_block_ptr(p, (8,), (1,), (0,), (4,), (0,)), 1)  #! cannot store through a pointer to const


#: out -> i32[0, 1, 2, 3, 4, 5, 6, 7]
@triton.jit
def type_of_a_block_behind(out):
    block = tl.make_block_ptr(out, (8,), (1,), (0,), (8,), (0,))
    tl.static_assert(block.type.is_ptr() and block.dtype == block.type and block.type.scalar == block.type)
    tl.static_assert(isinstance(block.type, tl.pointer_type) and not isinstance(block.type, tl.block_type))
    tl.static_assert(block.type.element_ty == tl.block_type(tl.int32, [8]))
    tl.static_assert(block.type.element_ty != tl.int32 and block.type != out.type)
    tl.static_assert(block.type == tl.pointer_type(tl.block_type(tl.int32, [8])))
    tl.static_assert(block.type.element_ty.shape[0] == 8 and block.type.element_ty.is_block())
    tl.static_assert(block.type.element_ty.element_ty == tl.int32)
    tl.static_print(block.type)
    tl.store(block, tl.arange(0, 8).to(block.type.element_ty.element_ty))
    tl.store(block, tl.arange(0, 8).to(tl.float32).to(block.dtype.element_ty))


#:
@triton.jit
def type_beyond_a_block(p):
    block = tl.make_block_ptr(p, (8,), (1,), (0,), (8,), (0,))
    x = block.type.element_ty.element_ty.element_ty  #! a type has no attribute 'element_ty'
