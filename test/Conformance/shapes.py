# Shapes of blocks and the order of their elements: functions and methods, in ranks 0 to 5.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


# Element i of x at its place in `shape`.
@triton.jit
def numbers(x, shape: tl.constexpr, count: tl.constexpr):
    return tl.reshape(tl.load(x + tl.arange(0, count)), shape)


@triton.jit
def write(out, block):
    tl.store(out + tl.arange(0, block.numel), tl.ravel(block))


#: x = i32[-5, -2, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34, 37, 40]
#: out -> i32[-5, 7, 19, 31, -2, 10, 22, 34, 1, 13, 25, 37, 4, 16, 28, 40, -5, 7, -2, 10, 1, 13, 4, 16, 19, 31, 22, 34, 25, 37, 28, 40, -5, 7, 19, 31, -2, 10, 22, 34, 1, 13, 25, 37, 4, 16, 28, 40, -5, 7, 1, 13, 19, 31, 25, 37, -2, 10, 4, 16, 22, 34, 28, 40, -5, 7, 19, 31, 1, 13, 25, 37, -2, 10, 22, 34, 4, 16, 28, 40]
@triton.jit
def permute_forms(x, out):
    a = numbers(x, [2, 2, 4], 16)
    p = tl.permute(a, (2, 0, 1))
    tl.static_assert(p.shape[0] == 4 and p.shape[1] == 2 and p.shape[2] == 2)
    write(out, p)
    write(out + 16, a.permute(0, 2, 1))
    write(out + 32, numbers(x, (4, 4), 16).T)
    write(out + 48, numbers(x, (2, 2, 2, 2), 16).permute([3, 0, 2, 1]))
    write(out + 64, tl.permute(numbers(x, (2, 1, 2, 2, 2), 16), 4, 1, 3, 0, 2))


#: x = i8[-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7]
#: out -> i8[-8, -4, -7, -3, -6, -2, -5, -1, 0, 4, 1, 5, 2, 6, 3, 7, -8, 0, -4, 4, -7, 1, -3, 5, -6, 2, -2, 6, -5, 3, -1, 7, -8, 0, -7, 1, -6, 2, -5, 3, -4, 4, -3, 5, -2, 6, -1, 7, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7]
@triton.jit
def trans_forms(x, out):
    a = numbers(x, [2, 2, 4], 16)
    t = tl.trans(a)
    tl.static_assert(t.shape[0] == 2 and t.shape[1] == 4 and t.shape[2] == 2)
    write(out, t)
    write(out + 16, a.trans(2, 1, 0))
    write(out + 32, tl.trans(numbers(x, [2, 8], 16), (1, 0)))
    write(out + 48, tl.trans(tl.load(x + tl.arange(0, 16)), 0))


#:
@triton.jit
def permute_errors(p):
    a = tl.zeros([2, 4], tl.int32)
    tl.permute(a, (0, -1))  #! tl.permute needs each axis
    tl.permute(a, (0, 0))  #! tl.permute needs each axis
    tl.permute(a, (0,))  #! tl.permute needs each axis
    tl.permute(a, 0, 1, 2)  #! tl.permute needs each axis
    tl.trans(tl.zeros([4], tl.int32))  #! a block with two axes or more
    tl.zeros([2, 2, 2], tl.int32).T  #! .T


#: x = fp16[1, 2, 3, 4, 5, 6, 7, 8]
#: out -> fp16[1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8]
@triton.jit
def reshape_forms(x, out):
    a = tl.load(x + tl.arange(0, 8))
    b = tl.reshape(a, (2, 2, 2))
    tl.static_assert(len(b.shape) == 3 and b.shape[2] == 2)
    write(out, b)
    write(out + 8, a.reshape(4, 2))
    write(out + 16, tl.reshape(a, [1, 8, 1], can_reorder=False))
    tl.store(out + 24 + tl.arange(0, 8), tl.ravel(b.reshape([2, 1, 4])))


# What may be reordered is a permutation; a sum does not see which one.
#: out -> i32[28, 28, 28, 8]
@triton.jit
def reshape_that_may_reorder(out):
    a = tl.arange(0, 8)
    tl.store(out, tl.sum(tl.sum(tl.view(a, (2, 4)), 0), 0))
    tl.store(out + 1, tl.sum(tl.sum(a.view(4, 2), 1), 0))
    tl.store(out + 2, tl.sum(tl.ravel(tl.reshape(a, (4, 2), can_reorder=True), can_reorder=True), 0))
    tl.store(out + 3, tl.view(a, 2, 2, 2).numel)


#: out -> fp32[2.5, 2.5, 2.5, 4, 4, 4, 7]
@triton.jit
def one_element(out):
    a = tl.full([1, 1], 2.5, tl.float32)
    s = tl.reshape(a, ())
    tl.static_assert(len(s.shape) == 0)
    tl.store(out, s)
    tl.store(out + 1, a.item())
    tl.store(out + 2, tl.core.item(a))
    n = tl.program_id(0) + 4
    tl.store(out + 3, n.item())
    r = tl.reshape(n, (1, 1, 1))
    tl.static_assert(len(r.shape) == 3)
    tl.store(out + 4 + tl.arange(0, 1), tl.ravel(r))
    tl.store(out + 5 + tl.arange(0, 1), tl.ravel(n))
    tl.store(out + 6, tl.reshape(tl.full([1], 7, tl.int32), []))


#:
@triton.jit
def reshape_errors(p, n):
    a = tl.zeros([8], tl.int32)
    tl.reshape(a, (4,))  #! cannot reshape int32[8] to [4]: 8 elements became 4
    tl.reshape(a, (4, n))  #! must be a constexpr integer
    tl.reshape(a, ())  #! cannot reshape int32[8] to []: 8 elements became 1
    a.item()  #! item() takes one element, found int32[8]
    a.reshape((4, 2), True)  #! must be a constexpr integer


#:
@triton.jit
def expand_dims_shapes(p, n):
    a = tl.zeros([4, 8], tl.int32)
    b = tl.expand_dims(a, 0)
    tl.static_assert(b.shape == (1, 4, 8))
    tl.static_assert(tl.expand_dims(a, 2).shape == (4, 8, 1))
    tl.static_assert(tl.expand_dims(a, -1).shape == (4, 8, 1))
    tl.static_assert(a.expand_dims(-3).shape == (1, 4, 8))
    tl.static_assert(tl.expand_dims(a, (0, 2)).shape == (1, 4, 1, 8))
    tl.static_assert(tl.expand_dims(a, [-1, 0]).shape == (1, 4, 8, 1))
    tl.static_assert(tl.expand_dims(a, axis=(1, 2, 3)).shape == (4, 1, 1, 1, 8))
    tl.static_assert(tl.expand_dims(n, 0).shape == (1,))
    tl.static_assert(n.expand_dims((0, 1)).shape == (1, 1))
    tl.static_assert(a[None, :, None, :].shape == (1, 4, 1, 8))
    tl.static_assert(a[:, None].shape == (4, 1, 8))
    tl.static_assert(n[None, None].shape == (1, 1))


# A scalar has no axis that ':' could stand for: [:, None] and [None, :] both give one axis.
#: x = i32[7, -3]
#: out -> i32[5, 6, 7, 8, 7, 0, 7, 0, 10, 11, 7, -3, 7, 7]
@triton.jit
def scalars_with_axes(x, out):
    n = tl.load(x)
    found = n > 0
    tl.static_assert(n[None].shape == (1,) and n[:, None].shape == (1,) and n[None, :].shape == (1,))
    tl.static_assert(n[None, None].shape == (1, 1) and n[:, :, None].shape == (1,))
    tl.static_assert(len(n[:].shape) == 0 and len(n[:, :].shape) == 0)
    tl.static_assert(found[:, None].dtype == tl.int1 and x[:, None].shape == (1,))
    tl.static_assert(tl.full((), 1, tl.int32)[:, None].shape == (1,))
    i = tl.arange(0, 2)
    block = i[:, None] * 2 + i[None, :]
    tl.store(out + block, block + 5, mask=(block < 4) & found[:, None])
    tl.store(out + 4 + block, tl.where(found[None, :] & (block % 2 == 0), n, 0))
    tl.store(out + 8 + i, i + tl.sum(i + 9, 0)[:, None] - 9)
    tl.store(out + 10 + i, tl.load(x[:, None] + i))
    tl.store(out + 12, n[:, None].item())
    tl.store(out[None, :] + 13, tl.sum(n.to(tl.float32)[:, None], 0).to(tl.int32))


# What functions make of a scalar, and of the block of one element that it becomes.
#: n = 6
#: s = 2.5
#: out -> i32[6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 0, 1, 0, 6, 6, 6, 2]
@triton.jit
def functions_of_scalars(out, n, s):
    one = n[:, None]
    tl.static_assert(tl.expand_dims(n, ()).shape == () and tl.expand_dims(n, -1).shape == (1,))
    tl.static_assert(tl.broadcast_to(n, ()).shape == () and tl.zeros_like(n).shape == ())
    tl.static_assert(one.to(tl.float32).shape == (1,) and one.to(tl.float32).dtype == tl.float32)
    tl.static_assert(tl.join(one, one).shape == (1, 2) and tl.cumsum(one, 0).shape == (1,))
    write(out, tl.broadcast_to(one, (2,)))
    write(out + 2, tl.broadcast_to(n, 2))
    a, b = tl.broadcast(n, one)
    write(out + 4, a)
    write(out + 5, b)
    tl.store(out + 6, tl.sum(one, 0))
    tl.store(out + 7, tl.max(one, axis=0))
    write(out + 8, tl.cumsum(one, 0))
    write(out + 9, tl.sort(one))
    write(out + 10, tl.flip(one, 0))
    write(out + 11, tl.histogram(one - 5, 2))
    tl.store(out + 13, tl.argmax(one, 0))
    write(out + 14, tl.cat(one, one, can_reorder=True))
    tl.store(out + 16, n.item())
    tl.store(out + 17, s.to(tl.int32))


#:
@triton.jit
def errors_of_scalars(p, n):
    v = tl.arange(0, 4)
    tl.expand_dims(n, 1)  #! axis 1 is out of range for rank 1
    tl.reshape(n, (2,))  #! cannot reshape int32 to [2]: 1 elements became 2
    tl.permute(n, 0)  #! tl.permute needs each axis of int32 once
    tl.trans(n)  #! a block with two axes or more
    n.T  #! '.T' needs a block with two axes
    tl.broadcast_to(n[:, None], (4, 4))  #! cannot broadcast int32[1] to [4, 4]
    tl.sum(n[:, None], 1)  #! axis 1 is out of range
    tl.sum(n)  #! tl.sum takes a block, found int32
    tl.cumsum(n, 0)  #! tl.cumsum takes a block, found int32
    tl.flip(n, 0)  #! must be a block, found int32
    tl.split(n[None])  #! a block whose last axis has the size 2, found int32[1]
    tl.cat(n, n, can_reorder=True)  #! tl.cat takes two blocks of one length
    tl.cat(v, n[None], can_reorder=True)  #! tl.cat takes two blocks of one length
    tl.histogram(n, 4)  #! must be a block of integers with one dimension, found int32


#:
@triton.jit
def colons_behind_the_last_axis(p):
    a = tl.zeros([4], tl.int32)
    tl.static_assert(a[:, :].shape == (4,) and a[:, None, :].shape == (4, 1))
    a[:, :, None]  #! None at index 2 is beyond the axes of int32[4]


#:
@triton.jit
def expand_dims_errors(p, n):
    a = tl.zeros([4], tl.int32)
    tl.expand_dims(a, 2)  #! axis 2 is out of range for rank 2
    tl.expand_dims(a, -3)  #! axis -3 is out of range for rank 2
    tl.expand_dims(a, (0, 0))  #! an axis is given twice
    tl.expand_dims(a, (0, -3))  #! an axis is given twice
    tl.expand_dims(a, n)  #! must be a constexpr integer


#: x = i16[3, -4]
#: out -> i16[3, 3, 3, 3, -4, -4, -4, -4, 3, -4, 3, -4, 3, -4, 3, -4, 3, 3, -4, -4, 3, 3, -4, -4, 3, 3, 3, 3]
@triton.jit
def broadcast_to_forms(x, out):
    a = tl.load(x + tl.arange(0, 2))
    write(out, tl.broadcast_to(a[:, None], (2, 4)))
    write(out + 8, a[None, :].broadcast_to(4, 2))
    write(out + 16, tl.broadcast_to(a[None, :, None], 2, 2, 2))
    s = tl.broadcast_to(tl.load(x), [2, 2])
    write(out + 24, s)


#: out -> i32[1, 1, 2, 2, 3, 3, 4, 4, 10, 20, 10, 20, 10, 20, 10, 20, 1, 1, 1, 1, 10, 20, 10, 20]
@triton.jit
def broadcast_of_two(out):
    a = tl.arange(0, 4) + 1
    b = tl.arange(0, 2) * 10 + 10
    c, d = tl.broadcast(a[:, None], b)
    write(out, c)
    write(out + 8, d)
    one = tl.program_id(0) + 1
    e, f = tl.broadcast(one, a)
    write(out + 16, e)
    g, h = tl.broadcast(b, tl.zeros([2, 1], tl.int8))
    tl.static_assert(h.dtype == tl.int8 and h.shape == (2, 2))
    write(out + 20, g)


#:
@triton.jit
def broadcast_errors(p):
    a = tl.zeros([4], tl.int32)
    tl.broadcast(a, 1)  #! argument 'other' of tl.broadcast must be a tensor
    tl.broadcast(a, tl.zeros([2], tl.int32))  #! cannot broadcast the shapes [4] and [2]: dimension 0 is 4 and 2
    tl.broadcast_to(a, (2, 4))  #! cannot broadcast int32[4] to [2, 4]
    tl.broadcast_to(a, 8)  #! cannot broadcast int32[4] to [8]
    tl.broadcast_to(a, (1,))  #! cannot broadcast int32[4] to [1]
    tl.zeros([512, 1, 512], tl.int32) + tl.zeros([16, 1], tl.int32)  #! a block holds at most 1048576 elements


#: x = fp64[0, 1.5, 3, 4.5, -0.25, 0.75, 1.75, 2.75]
#: out -> fp64[0, -0.25, 1.5, 0.75, 3, 1.75, 4.5, 2.75, 0, 1.5, 3, 4.5, -0.25, 0.75, 1.75, 2.75, 0, -0.25, 1.5, 0.75, 3, 1.75, 4.5, 2.75, 0, -0.25, 1.5, 0.75, 3, 1.75, 4.5, 2.75, 0, -0.25, 1.5, 0.75, 3, 1.75, 4.5, 2.75]
@triton.jit
def join_split_interleave(x, out):
    i = tl.arange(0, 4)
    a, b = tl.load(x + i), tl.load(x + 4 + i)
    j = tl.join(a, b)
    tl.static_assert(j.shape == (4, 2))
    write(out, j)
    c, d = tl.split(j)
    tl.store(out + 8 + i, c)
    tl.store(out + 12 + i, d)
    a2, b2 = a.reshape(2, 2), b.reshape(2, 2)
    tl.static_assert(tl.join(a2, b2).shape == (2, 2, 2))
    write(out + 16, tl.join(a2, b2))
    tl.static_assert(tl.interleave(a, b).shape == (8,))
    write(out + 24, tl.interleave(a, b))
    tl.static_assert(tl.interleave(a2, b2).shape == (2, 4))
    write(out + 32, tl.interleave(a2, b2))


# Scalars join to a pair, and a pair splits into scalars; join broadcasts.
#: n = 7
#: m = 9
#: out -> i32[7, 9, 7, 9, 7, 9, 1, 7, 2, 7, 0, 1, 1, 1]
@triton.jit
def join_of_scalars(out, n, m):
    j = tl.join(n, m)
    tl.static_assert(j.shape == (2,))
    write(out, j)
    a, b = j.split()
    tl.static_assert(len(a.shape) == 0)
    tl.store(out + 2, a)
    tl.store(out + 3, b)
    k = tl.interleave(n, m)
    tl.static_assert(k.shape == (2,))
    write(out + 4, k)
    i = tl.arange(0, 2)
    write(out + 6, tl.join(i + 1, n))
    e, o = tl.split(tl.join(i, tl.full([2], 1, tl.int32)))
    tl.store(out + 10 + i, e)
    tl.store(out + 12 + i, o)


#:
@triton.jit
def join_errors(p):
    a = tl.zeros([4], tl.int32)
    tl.split(a)  #! a block whose last axis has the size 2
    tl.split(tl.program_id(0))  #! a block whose last axis has the size 2
    tl.join(a, tl.zeros([2], tl.int32))  #! cannot broadcast the shapes [4] and [2]
    tl.cat(a, a)  #! tl.cat needs can_reorder=True
    tl.cat(a, tl.zeros([2, 2], tl.int32), can_reorder=True)  #! tl.cat takes two blocks of one length
    tl.cat(a, tl.zeros([4], tl.int8), can_reorder=True)  #! one type


# The order is that of the arguments here.
#: out -> i32[0, 1, 2, 3, 10, 11, 12, 13]
@triton.jit
def cat_keeps_the_order(out):
    a = tl.arange(0, 4)
    write(out, tl.cat(a, a + 10, can_reorder=True))


#: x = i64[0, 7, 14, 21, 5, 12, 19, 3, 10, 17, 1, 8, 15, 22, 6, 13]
#: out -> i64[13, 6, 22, 15, 8, 1, 17, 10, 3, 19, 12, 5, 21, 14, 7, 0, 15, 22, 6, 13, 10, 17, 1, 8, 5, 12, 19, 3, 0, 7, 14, 21, 21, 14, 7, 0, 3, 19, 12, 5, 8, 1, 17, 10, 13, 6, 22, 15, 5, 12, 19, 3, 0, 7, 14, 21, 15, 22, 6, 13, 10, 17, 1, 8, 21, 14, 7, 0, 3, 19, 12, 5, 8, 1, 17, 10, 13, 6, 22, 15, 10, 17, 1, 8, 15, 22, 6, 13, 0, 7, 14, 21, 5, 12, 19, 3]
@triton.jit
def flip_axes(x, out):
    write(out, tl.flip(numbers(x, [16], 16), 0))
    a = numbers(x, [4, 4], 16)
    write(out + 16, tl.flip(a, 0))
    write(out + 32, a.flip(-1))
    write(out + 48, tl.flip(numbers(x, [2, 2, 4], 16), dim=1))
    write(out + 64, tl.flip(numbers(x, [2, 1, 2, 4], 16), -1))
    write(out + 80, tl.flip(numbers(x, [2, 2, 2, 2], 16), -4))


# Every width goes through an exchange between threads and warps.
#: out -> fp64[1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 63.75, 63.5, 63.25, 63, 62.75, 62.5, 62.25, 62, 61.75, 61.5, 61.25, 61, 60.75, 60.5, 60.25, 60, 59.75, 59.5, 59.25, 59, 58.75, 58.5, 58.25, 58, 57.75, 57.5, 57.25, 57, 56.75, 56.5, 56.25, 56, 55.75, 55.5, 55.25, 55, 54.75, 54.5, 54.25, 54, 53.75, 53.5, 53.25, 53, 52.75, 52.5, 52.25, 52, 51.75, 51.5, 51.25, 51, 50.75, 50.5, 50.25, 50, 49.75, 49.5, 49.25, 49, 48.75, 48.5, 48.25, 48, 47.75, 47.5, 47.25, 47, 46.75, 46.5, 46.25, 46, 45.75, 45.5, 45.25, 45, 44.75, 44.5, 44.25, 44, 43.75, 43.5, 43.25, 43, 42.75, 42.5, 42.25, 42, 41.75, 41.5, 41.25, 41, 40.75, 40.5, 40.25, 40, 39.75, 39.5, 39.25, 39, 38.75, 38.5, 38.25, 38, 37.75, 37.5, 37.25, 37, 36.75, 36.5, 36.25, 36, 35.75, 35.5, 35.25, 35, 34.75, 34.5, 34.25, 34, 33.75, 33.5, 33.25, 33, 32.75, 32.5, 32.25, 32, 31.75, 31.5, 31.25, 31, 30.75, 30.5, 30.25, 30, 29.75, 29.5, 29.25, 29, 28.75, 28.5, 28.25, 28, 27.75, 27.5, 27.25, 27, 26.75, 26.5, 26.25, 26, 25.75, 25.5, 25.25, 25, 24.75, 24.5, 24.25, 24, 23.75, 23.5, 23.25, 23, 22.75, 22.5, 22.25, 22, 21.75, 21.5, 21.25, 21, 20.75, 20.5, 20.25, 20, 19.75, 19.5, 19.25, 19, 18.75, 18.5, 18.25, 18, 17.75, 17.5, 17.25, 17, 16.75, 16.5, 16.25, 16, 15.75, 15.5, 15.25, 15, 14.75, 14.5, 14.25, 14, 13.75, 13.5, 13.25, 13, 12.75, 12.5, 12.25, 12, 11.75, 11.5, 11.25, 11, 10.75, 10.5, 10.25, 10, 9.75, 9.5, 9.25, 9, 8.75, 8.5, 8.25, 8, 7.75, 7.5, 7.25, 7, 6.75, 6.5, 6.25, 6, 5.75, 5.5, 5.25, 5, 4.75, 4.5, 4.25, 4, 3.75, 3.5, 3.25, 3, 2.75, 2.5, 2.25, 2, 1.75, 1.5, 1.25, 1, 0.75, 0.5, 0.25, 0, 127, 126, 125, 124, 123, 122, 121, 120, 119, 118, 117, 116, 115, 114, 113, 112, 111, 110, 109, 108, 107, 106, 105, 104, 103, 102, 101, 100, 99, 98, 97, 96, 95, 94, 93, 92, 91, 90, 89, 88, 87, 86, 85, 84, 83, 82, 81, 80, 79, 78, 77, 76, 75, 74, 73, 72, 71, 70, 69, 68, 67, 66, 65, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16, -17, -18, -19, -20, -21, -22, -23, -24, -25, -26, -27, -28, -29, -30, -31, -32, -33, -34, -35, -36, -37, -38, -39, -40, -41, -42, -43, -44, -45, -46, -47, -48, -49, -50, -51, -52, -53, -54, -55, -56, -57, -58, -59, -60, -61, -62, -63, -64, -65, -66, -67, -68, -69, -70, -71, -72, -73, -74, -75, -76, -77, -78, -79, -80, -81, -82, -83, -84, -85, -86, -87, -88, -89, -90, -91, -92, -93, -94, -95, -96, -97, -98, -99, -100, -101, -102, -103, -104, -105, -106, -107, -108, -109, -110, -111, -112, -113, -114, -115, -116, -117, -118, -119, -120, -121, -122, -123, -124, -125, -126, -127, -128, 2190433320960, 2181843386368, 2173253451776, 2164663517184, 2156073582592, 2147483648000, 2138893713408, 2130303778816, 2121713844224, 2113123909632, 2104533975040, 2095944040448, 2087354105856, 2078764171264, 2070174236672, 2061584302080, 2052994367488, 2044404432896, 2035814498304, 2027224563712, 2018634629120, 2010044694528, 2001454759936, 1992864825344, 1984274890752, 1975684956160, 1967095021568, 1958505086976, 1949915152384, 1941325217792, 1932735283200, 1924145348608, 1915555414016, 1906965479424, 1898375544832, 1889785610240, 1881195675648, 1872605741056, 1864015806464, 1855425871872, 1846835937280, 1838246002688, 1829656068096, 1821066133504, 1812476198912, 1803886264320, 1795296329728, 1786706395136, 1778116460544, 1769526525952, 1760936591360, 1752346656768, 1743756722176, 1735166787584, 1726576852992, 1717986918400, 1709396983808, 1700807049216, 1692217114624, 1683627180032, 1675037245440, 1666447310848, 1657857376256, 1649267441664, 1640677507072, 1632087572480, 1623497637888, 1614907703296, 1606317768704, 1597727834112, 1589137899520, 1580547964928, 1571958030336, 1563368095744, 1554778161152, 1546188226560, 1537598291968, 1529008357376, 1520418422784, 1511828488192, 1503238553600, 1494648619008, 1486058684416, 1477468749824, 1468878815232, 1460288880640, 1451698946048, 1443109011456, 1434519076864, 1425929142272, 1417339207680, 1408749273088, 1400159338496, 1391569403904, 1382979469312, 1374389534720, 1365799600128, 1357209665536, 1348619730944, 1340029796352, 1331439861760, 1322849927168, 1314259992576, 1305670057984, 1297080123392, 1288490188800, 1279900254208, 1271310319616, 1262720385024, 1254130450432, 1245540515840, 1236950581248, 1228360646656, 1219770712064, 1211180777472, 1202590842880, 1194000908288, 1185410973696, 1176821039104, 1168231104512, 1159641169920, 1151051235328, 1142461300736, 1133871366144, 1125281431552, 1116691496960, 1108101562368, 1099511627776, 1090921693184, 1082331758592, 1073741824000, 1065151889408, 1056561954816, 1047972020224, 1039382085632, 1030792151040, 1022202216448, 1013612281856, 1005022347264, 996432412672, 987842478080, 979252543488, 970662608896, 962072674304, 953482739712, 944892805120, 936302870528, 927712935936, 919123001344, 910533066752, 901943132160, 893353197568, 884763262976, 876173328384, 867583393792, 858993459200, 850403524608, 841813590016, 833223655424, 824633720832, 816043786240, 807453851648, 798863917056, 790273982464, 781684047872, 773094113280, 764504178688, 755914244096, 747324309504, 738734374912, 730144440320, 721554505728, 712964571136, 704374636544, 695784701952, 687194767360, 678604832768, 670014898176, 661424963584, 652835028992, 644245094400, 635655159808, 627065225216, 618475290624, 609885356032, 601295421440, 592705486848, 584115552256, 575525617664, 566935683072, 558345748480, 549755813888, 541165879296, 532575944704, 523986010112, 515396075520, 506806140928, 498216206336, 489626271744, 481036337152, 472446402560, 463856467968, 455266533376, 446676598784, 438086664192, 429496729600, 420906795008, 412316860416, 403726925824, 395136991232, 386547056640, 377957122048, 369367187456, 360777252864, 352187318272, 343597383680, 335007449088, 326417514496, 317827579904, 309237645312, 300647710720, 292057776128, 283467841536, 274877906944, 266287972352, 257698037760, 249108103168, 240518168576, 231928233984, 223338299392, 214748364800, 206158430208, 197568495616, 188978561024, 180388626432, 171798691840, 163208757248, 154618822656, 146028888064, 137438953472, 128849018880, 120259084288, 111669149696, 103079215104, 94489280512, 85899345920, 77309411328, 68719476736, 60129542144, 51539607552, 42949672960, 34359738368, 25769803776, 17179869184, 8589934592, 0]
@triton.jit
def flip_types(out):
    i = tl.arange(0, 256)
    tl.store(out + i, tl.flip(i % 2 == 1, 0).to(tl.float64))
    tl.store(out + 256 + i, tl.flip((i / 4).to(tl.float16), 0))
    tl.store(out + 512 + i, tl.flip((i - 128).to(tl.int8), 0))
    tl.store(out + 768 + i, tl.flip(i.to(tl.int64) << 33, 0))


#:
@triton.jit
def flip_errors(p, n):
    a = tl.zeros([4, 4], tl.int32)
    tl.flip(a)  #! argument 'dim'
    tl.flip(a, None)  #! must be a constexpr integer
    tl.flip(a, 2)  #! axis 2 is out of range for a block of rank 2
    tl.flip(a, -3)  #! axis -3 is out of range for a block of rank 2
    tl.flip(n, 0)  #! must be a block
