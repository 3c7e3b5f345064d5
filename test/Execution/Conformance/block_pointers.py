# Block pointers: sizes and offsets that leave blocks half outside, in both directions, padding, loops that
# advance, branches and helpers that return them.
#
# RUN: tilec-run %s --kernel=copy --grid='cdiv(M, BM)' --arg x='arange:fp32[5,7]' --arg out=empty:fp32[5,7] --arg M=5 --arg N=7 \
# RUN:   -D BM=4 -D BN=4 --expect out='arange(1,1):fp32[5,7]'
# RUN: tilec-run %s --kernel=copy --grid='cdiv(M, BM)' --arg x='arange:i64[64,96]' --arg out=empty:i64[64,96] --arg M=64 --arg N=96 \
# RUN:   -D BM=16 -D BN=32 --expect out='arange(1,1):i64[64,96]'
# RUN: tilec-run %s --kernel=edges --grid=1 --arg x='arange(1,1):fp16[6]' --arg out=empty:fp16[32] \
# RUN:   --expect out='values(0,0,1,2,3,4,5,6,5,6,0,0,0,0,0,0,nan,nan,1,2,3,4,5,6,0,0,0,0,0,0,0,0):fp16[32]'
# RUN: tilec-run %s --kernel=transposed --grid=1 --arg x='arange:i32[4,8]' --arg out=empty:i32[8,4] \
# RUN:   --expect out='values(0,8,16,24,1,9,17,25,2,10,18,26,3,11,19,27,4,12,20,28,5,13,21,29,6,14,22,30,7,15,23,31):i32[8,4]'
# RUN: tilec-run %s --kernel=bytes --grid=1 --arg x='values(1,0,1,1):i1[4]' --arg out=empty:i1[4] --expect out='values(1,0,1,1):i1[4]'
# RUN: tilec-run %s --kernel=chosen --grid=1 --arg x='arange:i32[8]' --arg y='arange(100,1):i32[8]' --arg out=empty:i32[8] --arg n=3 \
# RUN:   --expect out='values(102,103,104,105,4,5,6,7):i32[8]'
# RUN: tilec-run %s --kernel=extremes --grid=9 --arg ones=ones:i32[1] --arg sizes='values(2147483647,2147483647,2147483647,2147483647,-5,-5,0,5,3):i32[9]' \
# RUN:   --arg starts='values(2147483640,-2147483648,-3,0,-2147483648,-8,0,2147483647,-1):i32[9]' --arg out=empty:i32[9,8] --arg wide=empty:i32[9,8] \
# RUN:   --arg single=empty:i32[9] --expect single='values(1,0,0,1,0,0,0,0,0):i32[9]' \
# RUN:   --expect out='values(1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,0,0,0,0):i32[9,8]' \
# RUN:   --expect wide='values(1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,0,0,0,0):i32[9,8]'
import triton
import triton.language as tl


@triton.jit
def copy(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    p = tl.make_block_ptr(x, shape=(M, N), strides=(N, 1), offsets=(tl.program_id(0) * BM, 0), block_shape=(BM, BN), order=(1, 0))
    q = tl.make_block_ptr(out, (M, N), [N, 1], (tl.program_id(0) * BM, 0), [BM, BN], (1, 0))
    for _ in range(tl.cdiv(N, BN)):
        v = tl.load(p, boundary_check=(0, 1), padding_option="zero")
        tl.store(q, (v + 1).to(q.dtype.element_ty), boundary_check=(0, 1))
        p = tl.advance(p, (0, BN))
        q = q.advance([0, BN])


@triton.jit
def block(x, start):
    return tl.make_block_ptr(x, (6,), (1,), (start,), (8,), (0,))


@triton.jit
def edges(x, out):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.load(block(x, -2), boundary_check=(0,), padding_option="zero"))
    p = tl.advance(block(x, 0), (4,))
    tl.store(out + 8 + i, tl.load(p, boundary_check=0, padding_option="zero"))
    tl.store(out + 16 + i, tl.load(block(x, -2), boundary_check=[0], padding_option="nan"))
    tl.store(out + 24 + i, i * 0)
    tl.store(tl.make_block_ptr(out + 24, (8,), (1,), (6,), (8,), (0,)), 0.0 * i.to(tl.float16), boundary_check=(0,))


@triton.jit
def transposed(x, out):
    p = tl.make_block_ptr(x, (8, 4), (1, 8), (0, 0), (8, 4), (0, 1))
    q = tl.make_block_ptr(out, (8, 4), (4, 1), (0, 0), (8, 4), (1, 0))
    tl.store(q, tl.load(p))


@triton.jit
def bytes(x, out):
    v = tl.load(tl.make_block_ptr(x, (4,), (1,), (0,), (4,), (0,)))
    tl.static_assert(v.dtype == tl.int8)
    tl.store(tl.make_block_ptr(out, (4,), (1,), (0,), (4,), (0,)), v)


@triton.jit
def chosen(x, y, out, n):
    p = tl.make_block_ptr(x, (8,), (1,), (0,), (4,), (0,))
    if n > 2:
        p = tl.make_block_ptr(y, (8,), (1,), (2,), (4,), (0,))
    q = tl.make_block_ptr(out, (8,), (1,), (0,), (4,), (0,))
    tl.store(q, tl.load(p))
    r = tl.make_block_ptr(x, (8,), (1,), (0,), (4,), (0,))
    k = 0
    while k < n - 2:
        r = tl.advance(r, (4,))
        q = tl.advance(q, (4,))
        k += 1
    tl.store(q, tl.load(r))


# Sizes and offsets at the ends of 32 bits. A stride of 0 keeps every element inside the array.
@triton.jit
def extremes(ones, sizes, starts, out, wide, single):
    row = tl.program_id(0)
    n, start = tl.load(sizes + row), tl.load(starts + row)
    i = row * 8 + tl.arange(0, 8)
    tl.store(out + i, tl.load(tl.make_block_ptr(ones, (n,), (0,), (start,), (8,), (0,)), boundary_check=(0,), padding_option="zero"))
    sum = n.to(tl.int64) + row - row
    tl.store(wide + i, tl.load(tl.make_block_ptr(ones, (sum,), (0,), (start,), (8,), (0,)), boundary_check=(0,), padding_option="zero"))
    one = tl.load(tl.make_block_ptr(ones, (n,), (0,), (start,), (1,), (0,)), boundary_check=(0,), padding_option="zero")
    tl.store(single + row + tl.arange(0, 1), one)
