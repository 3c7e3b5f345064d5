# Products: every type, precision, parameter, rank and shape. All numbers are small integers, so that
# results are exact whatever the order and the precision of sums. Random numbers, and the errors that
# precisions have, are in test/Kernels/products.py.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


@triton.jit
def left(M: tl.constexpr, K: tl.constexpr, DTYPE: tl.constexpr, shift=0):
    return ((tl.arange(0, M)[:, None] * 7 + tl.arange(0, K)[None, :] * 3 + shift) % 5 - 2).to(tl.float32).to(DTYPE)


@triton.jit
def right(K: tl.constexpr, N: tl.constexpr, DTYPE: tl.constexpr, shift=0):
    return ((tl.arange(0, K)[:, None] * 5 + tl.arange(0, N)[None, :] * 11 + shift) % 7 - 3).to(tl.float32).to(DTYPE)


# A number for each row: the columns count once, twice and three times in turns.
@triton.jit
def write(out, c):
    weights = tl.arange(0, c.shape[1]) % 3 + 1
    rows = tl.sum(c.to(tl.float32) * weights[None, :], 1)
    tl.store(out + tl.arange(0, c.shape[0]), rows)


#: out -> fp32[34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34]
@triton.jit
def types(out):
    c = tl.dot(left(16, 16, tl.float16), right(16, 16, tl.float16))
    tl.static_assert(c.dtype == tl.float32)
    write(out, c)
    c = tl.dot(left(16, 16, tl.bfloat16), right(16, 16, tl.bfloat16))
    tl.static_assert(c.dtype == tl.float32)
    write(out + 16, c)
    c = tl.dot(left(16, 16, tl.float32), right(16, 16, tl.float32))
    tl.static_assert(c.dtype == tl.float32)
    write(out + 32, c)
    c = tl.dot(left(16, 16, tl.float64), right(16, 16, tl.float64))
    tl.static_assert(c.dtype == tl.float64)
    write(out + 48, c)


#: out -> fp32[-6, -11, 9, 4, 4, -6, -11, 9, 4, 4, -6, -11, 9, 4, 4, -6]
@triton.jit
def bytes(out):
    c = tl.dot(left(16, 32, tl.int8), right(32, 16, tl.int8))
    tl.static_assert(c.dtype == tl.int32)
    write(out, c)


# Any two types of 8-bit floats. Sums in between change nothing where all is exact.
#: out -> fp32[-6, -11, 9, 4, 4, -6, -11, 9, 4, 4, -6, -11, 9, 4, 4, -6, -6, -11, 9, 4, 4, -6, -11, 9, 4, 4, -6, -11, 9, 4, 4, -6, -6, -11, 9, 4, 4, -6, -11, 9, 4, 4, -6, -11, 9, 4, 4, -6, -6, -11, 9, 4, 4, -6, -11, 9, 4, 4, -6, -11, 9, 4, 4, -6]
@triton.jit
def small(out):
    write(out, tl.dot(left(16, 32, tl.float8e5), right(32, 16, tl.float8e5)))
    write(out + 16, tl.dot(left(16, 32, tl.float8e4nv), right(32, 16, tl.float8e4nv)))
    write(out + 32, tl.dot(left(16, 32, tl.float8e4nv), right(32, 16, tl.float8e5), max_num_imprecise_acc=0))
    write(out + 48, tl.dot(left(16, 32, tl.float8e5), right(32, 16, tl.float8e4nv), max_num_imprecise_acc=32))


#: out -> fp32[34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34]
@triton.jit
def precisions(out):
    a = left(16, 16, tl.float32)
    b = right(16, 16, tl.float32)
    write(out, tl.dot(a, b, input_precision="tf32"))
    write(out + 16, tl.dot(a, b, input_precision="tf32x3"))
    write(out + 32, tl.dot(a, b, input_precision="ieee"))
    write(out + 48, tl.dot(a, b, input_precision="bf16x3"))
    write(out + 64, tl.dot(a, b, input_precision="bf16x6"))
    write(out + 80, tl.dot(a, b, allow_tf32=True))
    write(out + 96, tl.dot(a, b, allow_tf32=False))


# The third argument is what is added to; `acc +=` and `acc = acc +` are the same.
#: out -> fp32[189, 107, 170, 168, 141, 189, 107, 170, 168, 141, 189, 107, 170, 168, 141, 189, 189, 107, 170, 168, 141, 189, 107, 170, 168, 141, 189, 107, 170, 168, 141, 189, 189, 107, 170, 168, 141, 189, 107, 170, 168, 141, 189, 107, 170, 168, 141, 189, 189, 107, 170, 168, 141, 189, 107, 170, 168, 141, 189, 107, 170, 168, 141, 189]
@triton.jit
def sums(out):
    a = left(16, 16, tl.float16)
    b = right(16, 16, tl.float16)
    five = tl.full((16, 16), 5.0, tl.float32)
    write(out, tl.dot(a, b, five))
    write(out + 16, tl.dot(input=a, other=b, acc=five))
    acc = five
    acc += tl.dot(a, b)
    write(out + 32, acc)
    write(out + 48, tl.dot(left(16, 32, tl.int8), right(32, 16, tl.int8) * (tl.arange(0, 32) < 16)[:, None].to(tl.int8),
                           acc=tl.full((16, 16), 5, tl.int32), out_dtype=tl.int32))


#: out -> fp32[34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 0]
@triton.jit
def results(out):
    c = tl.dot(left(16, 16, tl.float16), right(16, 16, tl.float16), out_dtype=tl.float16)
    tl.static_assert(c.dtype == tl.float16)
    write(out, c)
    tl.store(out + 16, tl.max(tl.dot(tl.zeros((16, 16), tl.bfloat16), right(16, 16, tl.bfloat16))))


#: out -> fp32[34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 7, 20, -27, 36, -36, 7, 20, -27, 36, -36, 7, 20, -27, 36, -36, 7, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 7, 20, -27, 36, -36, 7, 20, -27, 36, -36, 7, 20, -27, 36, -36, 7]
@triton.jit
def ranks(out):
    i = tl.arange(0, 2)[:, None, None]
    m = tl.arange(0, 16)
    a = ((m[None, :, None] * 7 + m[None, None, :] * 3 + i) % 5 - 2).to(tl.float16)
    b = ((m[None, :, None] * 5 + m[None, None, :] * 11 + 2 * i) % 7 - 3).to(tl.float16)
    write(out, tl.reshape(tl.dot(a, b), (32, 16)))
    c = tl.dot(a.to(tl.float32), b.to(tl.float32), input_precision="ieee")
    write(out + 32, tl.reshape(c, (32, 16)))


# Rows and columns from one on.
#: out -> fp32[8, -4, 19, -63, 8, -9, -1, 12, -10, 8, -9, -1, 12, -10, 8, -9, -1, 12, -10, 8, -9, -1, 12, -10, 8, -9, -1, 12, -10, 8, -9, -1, 12, -10, 8, -9, -1, 12, -10, 8, -9, -1, 12, -10, 8, -9, -1, 12, -10, 8, -9, -1, 12, -10, 8, -9, -1, 12, -10, 8, -9, -1, 12, -10, 8, -9, -1, 12]
@triton.jit
def shapes(out):
    write(out, tl.dot(left(1, 16, tl.float16), right(16, 1, tl.float16)))
    write(out + 1, tl.dot(left(1, 64, tl.float16), right(64, 8, tl.float16)))
    write(out + 2, tl.dot(left(2, 16, tl.float16), right(16, 32, tl.float16)))
    write(out + 4, tl.dot(left(64, 16, tl.float16), right(16, 1, tl.float16)))


#: out -> fp32[34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34, -48, 15, 13, -14, 34]
@triton.jit
def transposed(out):
    a = left(16, 16, tl.float16)
    b = right(16, 16, tl.float16)
    write(out, tl.dot(tl.trans(tl.trans(a)), b))
    write(out + 16, tl.dot(a, tl.trans(b.T)))
    write(out + 32, tl.trans(tl.dot(b.T, a.T)))


# Masks come before the product, and iterations add to one tile.
#: out -> fp32[31, -53, 8, 34, -20, 31, -53, 8, 34, -20, 31, -53, 8, 34, -20, 31, 31, -53, 8, 34, -20, 31, -53, 8, 34, -20, 31, -53, 8, 34, -20, 31]
@triton.jit
def loops(out):
    acc = tl.zeros((16, 16), tl.float32)
    for k in range(3):
        acc = tl.dot(left(16, 16, tl.bfloat16, k), right(16, 16, tl.bfloat16, k), acc)
    write(out, acc)
    acc = tl.zeros((16, 16), tl.float32)
    for k in range(5):
        b = right(16, 16, tl.bfloat16, k)
        acc += tl.dot(left(16, 16, tl.bfloat16, k), tl.where(k < 3, b, 0.0).to(tl.bfloat16))
    write(out + 16, acc)


