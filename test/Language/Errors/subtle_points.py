# Errors that the points of test/Execution/Conformance/subtle_points.py and their neighbours promise.
#
# RUN: not tilec %s --kernel=p9 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P9
# RUN: not tilec %s --kernel=p10 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P10
# RUN: not tilec %s --kernel=p11 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P11
# RUN: not tilec %s --kernel=p12 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P12
# RUN: not tilec %s --kernel=p16 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P16
# RUN: not tilec %s --kernel=p16b --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P16B
# RUN: not tilec %s --kernel=p18 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P18
# RUN: not tilec %s --kernel=p18b --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P18B
# RUN: not tilec %s --kernel=p19 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P19
# RUN: not tilec %s --kernel=p20 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P20
# RUN: not tilec %s --kernel=p22 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P22
# RUN: not tilec %s --kernel=p24 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P24
# RUN: not tilec %s --kernel=p25 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P25
# RUN: not tilec %s --kernel=p26 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P26
# RUN: not tilec %s --kernel=p29 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P29
# RUN: not tilec %s --kernel=p30 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P30
# RUN: not tilec %s --kernel=p32 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P32
# RUN: not tilec %s --kernel=p33 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P33
# RUN: not tilec %s --kernel=p37 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P37
# RUN: not tilec %s --kernel=p38 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P38
# RUN: not tilec %s --kernel=p41 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P41
# RUN: not tilec %s --kernel=p46 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P46
# RUN: not tilec %s --kernel=p48 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P48
# RUN: not tilec %s --kernel=p53 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P53
# RUN: not tilec %s --kernel=p54 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P54
# RUN: not tilec %s --kernel=p55 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P55
# RUN: not tilec %s --kernel=p56 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P56
# RUN: not tilec %s --kernel=p57 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P57
# RUN: not tilec %s --kernel=p60 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P60
# RUN: not tilec %s --kernel=p61 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P61
# RUN: not tilec %s --kernel=p61b --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P61B
# RUN: not tilec %s --kernel=p64 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P64
# RUN: not tilec %s --kernel=p68 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P68
# RUN: not tilec %s --kernel=p23 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=P23
# RUN: not tilec %s --kernel=b1 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=B1
# RUN: not tilec %s --kernel=b2 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=B2
# RUN: not tilec %s --kernel=b3 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=B3
# RUN: not tilec %s --kernel=b4 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=B4
# RUN: not tilec %s --kernel=b5 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=B5
# RUN: not tilec %s --kernel=b6 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=B6
# RUN: not tilec %s --kernel=b7 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=B7
# RUN: not tilec %s --kernel=b8 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=B8
# RUN: not tilec %s --kernel=a1 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=A1
# RUN: not tilec %s --kernel=a2 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=A2
# RUN: not tilec %s --kernel=a3 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=A3
# RUN: not tilec %s --kernel=s1 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=S1
# RUN: not tilec %s --kernel=s2 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=S2
# RUN: not tilec %s --kernel=s3 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=S3
# RUN: not tilec %s --kernel=s4 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=S4
# RUN: not tilec %s --kernel=s5 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=S5
# RUN: not tilec %s --kernel=s6 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=S6
# RUN: not tilec %s --kernel=s7 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=S7
# RUN: not tilec %s --kernel=s8 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=S8
# RUN: not tilec %s --kernel=s9 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=S9
# RUN: not tilec %s --kernel=m1 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=M1
# RUN: not tilec %s --kernel=m2 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=M2
# RUN: not tilec %s --kernel=m3 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=M3
# RUN: not tilec %s --kernel=c1 --sig='p=*i32,q=*i64,n=i32' --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=C1
#
# P9: error: argument 'end' of tl.arange must be a constexpr integer, found constexpr float
# P10: error: cannot divide uint32 by int32 because they differ in signedness; cast one of them
# P11: error: the negative literal -1 cannot become uint32
# P12: error: the literal 200 is out of range for int8
# P16: error: 'not' needs an int1, found int32; compare with 0 instead
# P16B: error: 'and' needs int1 operands, found int32; compare with 0 instead
# P18: error: the operator '**' does not exist for tensors
# P18B: error: cannot apply unary '+' to int32[16]
# P19: error: a chained comparison is not supported; write (a < b) & (b < c)
# P20: error: 'y' is not defined here
# P22: error: the initial value of 'acc' is of type int32, but the then block redefines it as float32
# P24: error: 'y' is not defined here
# P25: error: the loop-carried variable 'acc' is of type float32 before the loop but becomes float32[64] in it
# P26: error: a tuple is indexed by a constexpr integer, found int32; the variable of a run-time loop is no constexpr, use tl.static_range
# P29: error: argument 'shape' of tl.zeros must be a constexpr integer, found int32
# P30: error: cannot read the global 'BLOCK' in a kernel: it is not a tl.constexpr
# P32: error: the pointer has the shape [8, 1], but the mask needs [8, 4]; only a load broadcasts the pointer
# P33: error: 'other' needs a mask
# P37: error: pointers cannot be compared; cast them to int64 first
# P38: error: argument 'input' of tl.dot must be a block with two axes or more
# P41: error: tl.exp takes float32 or float64, found float16[16]; cast with .to(tl.float32)
# P46: error: cannot cast int32[16] to float8e5; go through float32
# P48: error: tl.atomic_cas converts nothing: expected int64, found int32
# P53: error: static assertion failed
# P54: error: both sides of a run-time conditional must have one type, found float32 and int32
# P55: error: argument 'arg1' of tl.static_range must be a constexpr integer, found int32
# P56: error: argument 'end' of tl.arange must be a constexpr integer, found int32
# P57: error: a jit function cannot return None; write 'return' alone
# P60: error: {{.*}}'j'
# P61: error: a store through a block pointer converts nothing: expected int32[8], found float32[8]
# P61B: error: a store through a block pointer converts nothing: expected int32[8], found float32
# P64: error: only names can be unpacked into
# P68: error: argument 'mask' of tl.atomic_add must be a tensor of int1 or None, found constexpr bool
# P23: error: inconsistent return types: float32 here, int32 before
# B1: error: this block pointer is not used; a block pointer never changes, tl.advance returns a new one
# B2: error: a block pointer takes no mask and no other; use boundary_check and padding_option
# B3: error: argument 'offsets' of tl.make_block_ptr must be scalar integers of 32 bits, found tuple (int64,)
# B4: error: argument 'order' of tl.make_block_ptr must be each axis of the block once, found tuple (constexpr int,)
# B5: error: argument 'boundary_check' of tl.load must be different axes from 0 to 0, found tuple (constexpr int,)
# B6: error: only floats can be padded with NaN, found int32
# B7: error: unknown padding 'one'; expected '', 'zero' or 'nan'
# B8: error: argument 'shape' of tl.make_block_ptr must be a tuple of 1 integers, found tuple (constexpr int, constexpr int)
# A1: error: unknown name 'strong'; expected one of 'relaxed', 'acquire', 'release', 'acq_rel'
# A2: error: tl.atomic_max does not work on elements of type float16
# A3: error: tl.atomic_and does not work on elements of type float32
# S1: error: static assertion failed: sorting is along the last axis only
# S2: error: static assertion failed: tl.topk takes at most as many elements as the axis has
# S3: error: tl.cat needs can_reorder=True: the order of the elements is not promised
# S4: error: argument 'a' of tl.split must be a block whose last axis has the size 2, found int32[16]
# S5: error: tl.permute needs each axis of int32[16, 1] once, found [0, 0]
# S6: error: tl.join takes blocks of one type, found int32[16] and uint32[16]
# S7: error: '.T' needs a block with two axes, found int32[16]
# S8: error: tl.gather takes an index in the shape of the source but along the axis, found int32[16, 1] and int32[16]
# S9: error: inconsistent return types: float32 here, int32 before
# M1: error: a function for tl.map_elementwise must not access memory
# M2: error: argument 'pack' of tl.map_elementwise must be a power of two, at most the number of elements, found constexpr int
# M3: error: argument 'args' of tl.inline_asm_elementwise must be a tuple or list, found int32[16]
# C1: error: argument 'prefix' of tl.device_print must be a constexpr string, found int32
import triton
import triton.language as tl

BLOCK = 64
BAD = tl.constexpr(8)


@triton.jit
def make(v):
    return tl.zeros([v], tl.int32)


@triton.jit
def returns_none():
    return None


@triton.jit
def two_types(n, b=0):
    if n > 0:
        return n
    return 1.5


@triton.jit
def touches(p):
    return tl.load(p)


@triton.jit
def p9(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    H: tl.constexpr = 128 / 2
    tl.arange(0, H)


@triton.jit
def p10(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    x = u // i


@triton.jit
def p11(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    x = u + (-1)


@triton.jit
def p12(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    x = i.to(tl.int8) + 200


@triton.jit
def p16(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    if not n:
        pass


@triton.jit
def p16b(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    if n and n:
        pass


@triton.jit
def p18(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    a = i ** 2


@triton.jit
def p18b(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    a = +i


@triton.jit
def p19(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    m = 0 <= i < n


@triton.jit
def p20(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    if n > 0:
        y = 1
    z = y


@triton.jit
def p22(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    acc = 0
    if n > 0:
        acc = 1.5


@triton.jit
def p24(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    if n > 0:
        return
    else:
        y = n
    z = y


@triton.jit
def p25(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    acc = 0.0
    for k in range(n):
        acc += tl.load(p + tl.arange(0, 64))


@triton.jit
def p26(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    for k in range(4):
        t = (1, 2, 3, 4)[k]


@triton.jit
def p29(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    x = make(n)


@triton.jit
def p30(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    x = tl.arange(0, BLOCK)


@triton.jit
def p32(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.store(p + tl.arange(0, 8)[:, None], 1, tl.arange(0, 4)[None, :] < 2)


@triton.jit
def p33(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.load(p, other=0.0)


@triton.jit
def p37(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    if p == 0:
        pass


@triton.jit
def p38(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    a = tl.dot(i, i)


@triton.jit
def p41(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    y = tl.exp(i.to(tl.float16))


@triton.jit
def p46(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    y = i.to(tl.float8e5)


@triton.jit
def p48(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.atomic_cas(q, 0, 1)


@triton.jit
def p53(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.static_assert(BAD >= 16)


@triton.jit
def p54(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    a = 1.0 if n > 0 else 0


@triton.jit
def p55(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    for k in tl.static_range(tl.cdiv(100, 16)):
        pass


@triton.jit
def p56(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    m = i.shape[0]
    tl.arange(0, m)


@triton.jit
def p57(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    returns_none()


@triton.jit
def p60(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    for j in range(n):
        pass
    for k in range(n):
        for j in range(n.to(tl.int64)):
            pass


@triton.jit
def p61(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.store(tl.make_block_ptr(p, (8,), (1,), (0,), (8,), (0,)), tl.zeros([8], tl.float32))


@triton.jit
def p61b(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.store(tl.make_block_ptr(p, (8,), (1,), (0,), (8,), (0,)), 0.0)


@triton.jit
def p64(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    a, (b, c) = (1, (2, 3))


@triton.jit
def p68(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.atomic_add(p, 1, mask=True)


@triton.jit
def p23(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    y = two_types(n)


@triton.jit
def b1(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.advance(tl.make_block_ptr(p, (8,), (1,), (0,), (8,), (0,)), (4,))


@triton.jit
def b2(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.load(tl.make_block_ptr(p, (8,), (1,), (0,), (8,), (0,)), mask=n > 0)


@triton.jit
def b3(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.load(tl.make_block_ptr(p, (8,), (1,), (n.to(tl.int64),), (8,), (0,)))


@triton.jit
def b4(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.load(tl.make_block_ptr(p, (8,), (1,), (0,), (8,), (1,)))


@triton.jit
def b5(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.load(tl.make_block_ptr(p, (8,), (1,), (0,), (8,), (0,)), boundary_check=(1,))


@triton.jit
def b6(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.load(tl.make_block_ptr(p, (8,), (1,), (0,), (8,), (0,)), boundary_check=(0,), padding_option='nan')


@triton.jit
def b7(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.load(tl.make_block_ptr(p, (8,), (1,), (0,), (8,), (0,)), padding_option='one')


@triton.jit
def b8(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.make_block_ptr(p, (8, 8), (1,), (0,), (8,), (0,))


@triton.jit
def a1(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.atomic_add(p, 1, sem='strong')


@triton.jit
def a2(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.atomic_max(p.to(tl.pointer_type(tl.float16)), 1.0)


@triton.jit
def a3(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.atomic_and(p.to(tl.pointer_type(tl.float32)), 1.0)


@triton.jit
def s1(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.sort(i[:, None], dim=0)


@triton.jit
def s2(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.topk(i, 64)


@triton.jit
def s3(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.cat(i, i)


@triton.jit
def s4(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.split(i)


@triton.jit
def s5(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.permute(i[:, None], (0, 0))


@triton.jit
def s6(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.join(i, u)


@triton.jit
def s7(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    i.T


@triton.jit
def s8(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.gather(i, i[:, None], 0)


@triton.jit
def s9(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.associative_scan(i, 0, two_types)


@triton.jit
def m1(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.map_elementwise(touches, p + i)


@triton.jit
def m2(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.map_elementwise(make, i, pack=3)


@triton.jit
def m3(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.inline_asm_elementwise('mov.b32 $0, $1;', '=r,r', i, tl.int32, True, 1)


@triton.jit
def c1(p, q, n):
    i = tl.arange(0, 16)
    u = i.to(tl.uint32)
    tl.device_print(n)
