# Points where programs often expect something else; numbered as the rules they test.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


BLOCK = 64


#:
@triton.jit
def p01_assigned_literals(p, h):
    x = tl.load(h)
    s = 0.5
    tl.static_assert((x * s).dtype == tl.float32)
    tl.static_assert((x * 0.5).dtype == tl.float16)


#:
@triton.jit
def p02_maximum_materialises(p, h):
    x = tl.load(h)
    tl.static_assert(tl.maximum(x, 0.0).dtype == tl.float32)
    tl.static_assert(tl.where(x > 0, x, 0.0).dtype == tl.float16)


#:
@triton.jit
def p03_bf16_minimum(p, b):
    x = tl.load(b)
    tl.static_assert(tl.maximum(x, x).dtype == tl.float32)
    tl.static_assert((x + x).dtype == tl.bfloat16)


#:
@triton.jit
def p04_p05_p06_half_types(p, h, b, n):
    x = tl.load(h)
    y = tl.load(b)
    tl.static_assert((n * y).dtype == tl.float32)
    tl.static_assert((n * x).dtype == tl.float16)
    tl.static_assert((x + y).dtype == tl.float16)
    tl.static_assert((x / x).dtype == tl.float32)
    tl.static_assert((x % 2).dtype == tl.float32)


#: n = -7
#: out -> i32[-3, -1]
@triton.jit
def p07_division(out, n):
    tl.store(out, n // 2)
    tl.store(out + 1, n % 2)
    C: tl.constexpr = -7 // 2
    tl.static_assert(C == -4)


#: n = 3000000000
#: out -> fp32[1]
@triton.jit
def p08_integer_quotient(out, n):
    a = n / n
    tl.static_assert(a.dtype == tl.float32)
    tl.store(out, a)


#: BLOCK = 128
@triton.jit
def p09_constexpr_quotient(p, BLOCK: tl.constexpr):
    H: tl.constexpr = BLOCK / 2
    x = tl.arange(0, H)  #! 


#:
@triton.jit
def p10_p11_p12_unsigned(p, u, n):
    x = tl.load(u)
    tl.static_assert((x + n).dtype == tl.uint32)
    a = x // n  #! sign
    b = x + (-1)  #! negative
    m = x == -1
    i = tl.zeros([], tl.int8)
    c = i + 200  #! out of range
    d = i < 200


#: out -> i32[1, 1]
@triton.jit
def p11_p12_comparisons_wrap(out, n):
    x = (n * 0).to(tl.uint32) + 4294967295
    tl.store(out, (x == -1).to(tl.int32))
    tl.store(out + 1, (n.to(tl.int8) < 200).to(tl.int32))


#: big = 3000000000
#: out -> i32[0]
@triton.jit
def p13_big_literals(out, n, big):
    k = 3000000000
    tl.static_assert(k.dtype == tl.uint32)
    tl.static_assert(big.dtype == tl.int64)
    tl.store(out, ((n * 0 - 1) < k).to(tl.int32))


#:
@triton.jit
def p14_tiny_floats(p, f):
    x = tl.load(f)
    e = 1e-40
    tl.static_assert((x + e).dtype == tl.float64)
    tl.static_assert((x + 1e-40).dtype == tl.float32)


#:
@triton.jit
def p16_not_and_or(p, n, m):
    if not n:  #! 'not' needs an int1
        pass
    if n and m:  #! 'and' needs int1
        pass
    if n:
        pass


#: out -> i32[4]
@triton.jit
def p17_and_is_eager(out, n):
    ok = (n > 7) and (tl.load(out + 0 * n) > 0)
    tl.store(out, tl.where(ok, 1, 4))


#:
@triton.jit
def p18_p19_operators(p, n, m):
    a = n**2  #! '**'
    b = +n  #! unary '+'
    c = 0 <= n < m  #! chained comparison


#:
@triton.jit
def p20_branch_local(p, n):
    if n > 0:
        y = 1
    z = y  #! 'y' is not defined


#: out -> i32[1]
@triton.jit
def p21_none_stays(out, n):
    y = None
    if n > 0:
        y = n
    tl.static_assert(y is None)
    tl.store(out, 1)


#:
@triton.jit
def p22_branch_type(p, n):
    acc = 0
    if n > 0:  #! the initial value of 'acc'
        acc = 1.5


#:
@triton.jit
def p23_dead_returns(p, n):
    x = either(n, 1.5, True)


@triton.jit
def either(n, s, FLAG: tl.constexpr):
    if FLAG:
        return s
    return n  #! inconsistent return types


#:
@triton.jit
def p24_returning_branch(p, n):
    if n > 0:
        return
    else:
        y = n
    tl.store(p, y)  #! 'y' is not defined


#:
@triton.jit
def p25_loop_shape(p, n):
    acc = 0.0
    for i in range(n):  #! loop-carried variable 'acc'
        acc += tl.load(p + tl.arange(0, 64))


#:
@triton.jit
def p26_loop_target(p):
    t: tl.constexpr = (1, 2, 3, 4)
    for i in range(4):
        x = t[i]  #! constexpr


#: stride = 1
#: out -> i64[1]
@triton.jit
def p27_folded_argument(out, stride):
    tl.store(out, tl.cast(stride, tl.int64))


#: n = 1
@triton.jit
def p28_typed_annotation(p, n: tl.int64):
    tl.static_assert(n.dtype == tl.int64)
    tl.static_assert(isinstance(n, tl.tensor))


#:
@triton.jit
def p30_plain_global(p):
    x = tl.arange(0, BLOCK)  #! cannot read the global 'BLOCK'


#: out -> i32[3]
@triton.jit
def p32_mask_enlarges_loads(out, p):
    p1 = p + tl.arange(0, 8)[:, None]
    m = tl.arange(0, 4)[None, :] < 2
    x = tl.load(p1, m)
    tl.static_assert(x.shape == (8, 4))
    tl.store(out, 3)


#:
@triton.jit
def p32_mask_of_a_store(p):
    p1 = p + tl.arange(0, 8)[:, None]
    m = tl.arange(0, 4)[None, :] < 2
    tl.store(p1, 1, m)  #! shape


#:
@triton.jit
def p33_other_alone(p):
    x = tl.load(p, other=0.0)  #! mask


#: out -> i32[0]
@triton.jit
def p35_offsets_wrap(out, n):
    off = n * 65536 * 65536
    tl.store(out + off, 0)


#: out -> i64[17179869180]
@triton.jit
def p36_unsigned_offsets(out):
    o = tl.full([], 4294967295, tl.uint32)
    q = out.to(tl.pointer_type(tl.int32))
    tl.store(out, (q + o).to(tl.int64) - q.to(tl.int64))


#:
@triton.jit
def p37_pointers(p):
    if p == 0:  #! pointers cannot be compared
        pass
    tl.static_assert(p is not None)


#: x = fp32[3]
#: y = fp32[7]
#: out -> fp32[0.4285714328289032] ~2e-7
@triton.jit
def p40_fdiv(out, x, y):
    tl.store(out, tl.fdiv(tl.load(x), tl.load(y), ieee_rounding=True))


#: x = fp32[3]
#: y = fp32[7]
#: out -> fp32[0.4285714328289032]
@triton.jit
def p40_div_rn(out, x, y):
    tl.store(out, tl.div_rn(tl.load(x), tl.load(y)))


#:
@triton.jit
def p41_half_transcendentals(p, h):
    x = tl.load(h)
    y = tl.exp(x)  #! takes float32 or float64
    z = tl.exp(x.to(tl.float32))
    w = x.exp()  #! takes float32 or float64


#:
@triton.jit
def p42_p43_reductions_widen(p):
    i = tl.zeros([4], tl.int8)
    o = tl.zeros([4], tl.int1)
    b = tl.zeros([4], tl.bfloat16)
    u = tl.zeros([4], tl.uint8)
    tl.static_assert(tl.sum(i, 0).dtype == tl.int32)
    tl.static_assert(tl.sum(o, 0).dtype == tl.uint32)
    tl.static_assert(tl.sum(b, 0).dtype == tl.bfloat16)
    tl.static_assert(tl.max(u, 0).dtype == tl.int32)
    v, k = tl.max(u, 0, return_indices=True)
    tl.static_assert(v.dtype == tl.uint8)
    tl.static_assert(k.dtype == tl.int32)


#: x = fp32[nan, 1]
#: out -> fp32[1, nan]
@triton.jit
def p44_nan(out, x):
    v = tl.load(x + tl.arange(0, 2))
    tl.store(out, tl.max(v, 0))
    tl.store(out + 1, tl.maximum(tl.load(x), 1.0, propagate_nan=tl.PropagateNan.ALL))


#: x = i32[3, 7, 7, 1]
#: out -> i32[1]
@triton.jit
def p45_ties(out, x):
    tl.store(out, tl.argmax(tl.load(x + tl.arange(0, 4)), 0))


#: x = fp32[2.9, -2.9]
#: out -> i32[2, -2]
@triton.jit
def p47_store_casts(out, x):
    o = tl.arange(0, 2)
    tl.store(out + o, tl.load(x + o))


#: x = fp32[nan]
#: out -> i32[0, 1]
@triton.jit
def p49_nan_comparisons(out, x):
    v = tl.load(x)
    tl.store(out, (v == v).to(tl.int32))
    tl.store(out + 1, (v != v).to(tl.int32))


#: out -> i32[0, 3]
@triton.jit
def p51_int1_arithmetic(out, n):
    c = (n > 0) + (n > 1)
    tl.static_assert(c.dtype == tl.int1)
    tl.store(out, c.to(tl.int32))
    tl.store(out + 1, tl.sum((tl.arange(0, 4) < 3).to(tl.int32), 0))


#: out -> i32[43210]
@triton.jit
def p52_negative_step(out, n):
    acc = 0
    for i in range(n - 1, -1, -1):
        acc = acc * 10 + i
    tl.store(out, acc)


#: options = --debug
@triton.jit
def p53_static_assert(p, n):
    assert n > 0, "bad"
    tl.static_assert(BLOCK_SIZE >= 128)  #! static assertion failed
    tl.static_assert(1, "an int")  #! constexpr bool


BLOCK_SIZE = tl.constexpr(64)


#:
@triton.jit
def p54_ternary(p, n):
    a = 1.0 if n > 0 else 0  #! must have one type


#: N = 100
#: BLOCK = 16
@triton.jit
def p55_cdiv(p, N: tl.constexpr, BLOCK: tl.constexpr):
    nb = tl.cdiv(N, BLOCK)
    tl.static_assert(nb.dtype == tl.int32)
    for k in tl.static_range(triton.cdiv(N, BLOCK)):
        pass
    for k in tl.static_range(tl.cdiv(N, BLOCK)):  #! constexpr
        pass


#:
@triton.jit
def p56_shapes(p):
    x = tl.zeros([8], tl.int32)
    y = tl.arange(0, x.shape[0])
    m = x.shape[0]
    z = tl.arange(0, m)  #! constexpr


#:
@triton.jit
def p57_return_none(p):
    x = returns_none()


@triton.jit
def returns_none():
    return None  #! cannot return None


#: m = True
@triton.jit
def p58_bool_annotation(p, n, m: bool):  #! 'bool' is not defined
    pass


#: out -> i64[17179869180]
@triton.jit
def p59_subtracted_unsigned(out):
    u = tl.full([], 1, tl.uint32)
    q = out.to(tl.pointer_type(tl.int32))
    tl.store(out, (q - u).to(tl.int64) - q.to(tl.int64))


#:
@triton.jit
def p60_loop_widths(p, n):
    for i in range(n):
        pass
    for j in range(n):  #! 'i'
        for i in range(n.to(tl.int64)):
            pass


#: out -> fp32[0.7980929017066956, 0.7167209386825562, 0.7167209386825562]
@triton.jit
def p62_random(out, n):
    zero = n * 0
    tl.store(out, tl.rand(0, zero))
    tl.store(out + 1, tl.rand(42, zero + 7))
    tl.store(out + 2, tl.rand(42, (zero + 7).to(tl.int64)))


#:
@triton.jit
def p64_tuple_targets(p):
    a, b = (1, 2, 3)
    a, (b, c) = (1, (2, 3))  #! only names can be unpacked into


#:
@triton.jit
def p65_single_operand(p, n):
    v = True and n
    tl.static_assert(v.dtype == tl.int32)
    w = False or n
    tl.static_assert(w.dtype == tl.int32)
    x = False and undefined
    y = 1 or undefined


#: N = 4
@triton.jit
def p66_isinstance(p, N: tl.constexpr):
    tl.static_assert(not isinstance(N, tl.constexpr))
    tl.static_assert(isinstance(N, int))


#: x = fp32[0]
#: out -> u32[0, 0, 0]
@triton.jit
def p15_negative_zero(out, x):
    z = tl.full([8], -0.0, tl.float32)
    w = -tl.zeros([8], tl.float32)
    tl.store(out, tl.max(z.to(tl.uint32, bitcast=True), 0))
    tl.store(out + 1, tl.max(w.to(tl.uint32, bitcast=True), 0))
    tl.store(out + 2, (-tl.load(x)).to(tl.uint32, bitcast=True))


#: out -> i32[496, 32]
@triton.jit
def p29_helper_arguments_stay_constexpr(out):
    x = zeros_of(32)
    tl.store(out, tl.sum(x + tl.arange(0, 32), 0))
    tl.store(out + 1, x.numel)


@triton.jit
def zeros_of(v):
    return tl.zeros([v], tl.int32)


#: x = i32[1, 2, 3, 4, 5, 6, 7, 8]
#: out -> i32[15, 22]
@triton.jit
def p31_masked_loads(out, x, n):
    o = tl.arange(0, 8)
    tl.store(out, tl.sum(tl.load(x + o, mask=o < n, other=0), 0))
    tl.store(out + 1, tl.sum(tl.load(x + o, mask=o < n, other=n - 3) + 0 * o, 0) + 1)


#:
@triton.jit
def p46_casts_to_fp8(p, n):
    y = n.to(tl.float8e5)  #! go through float32
    z = n.to(tl.float32).to(tl.float8e5)


#:
@triton.jit
def p48_atomic_cas(p: "*i64"):
    a = tl.atomic_cas(p, 0, 1)  #! converts nothing
    b = tl.atomic_add(p, 1)
    tl.static_assert(b.dtype == tl.int64)


#: out -> u32[3221225472, 1073741824]
@triton.jit
def p50_shifts(out, n):
    x = n * 0 + (-2147483648)
    tl.store(out, (x >> 1).to(tl.uint32))
    tl.store(out + 1, x.to(tl.uint32) >> 1)


#: n = 1
#: out -> i32[1, 2]
@triton.jit
def p54_static_ternary(out, n):
    b = 1 if n == 1 else 0.5
    tl.static_assert(b.dtype == tl.int32)
    tl.store(out, b)
    tl.store(out + 1, 2 if out is not None else undefined)


#:
@triton.jit
def p61_block_pointer_stores(h):
    acc = tl.zeros([8], tl.float32)
    q = tl.make_block_ptr(h, (64,), (1,), (0,), (8,), (0,))
    tl.store(q, acc)  #! converts nothing
    tl.store(q, acc.to(tl.float16))


#:
@triton.jit
def p63_topk_widens(p):
    x = tl.zeros([64], tl.float16)
    tl.static_assert(tl.topk(x, 8).dtype == tl.float32)
    tl.static_assert(tl.sort(x).dtype == tl.float16)


#:
@triton.jit
def p68_atomic_masks(p):
    a = tl.atomic_add(p, 1, mask=True)  #! a tensor of int1 or None
    b = tl.load(p, mask=True)


# A run-time value that is called a constexpr stays what it is.
#: out -> i32[0, 0, 1, 1, 1, 1, 1, 1]
@triton.jit
def constexpr_of_a_tensor(out, n):
    i = tl.arange(0, 8)
    late = tl.constexpr(i - 7 + n)
    for j in range(0, n, 8):
        tl.store(out + i, tl.where(late >= j, 1, 0))


#:
@triton.jit
def constexpr_of_a_number(p, n):
    x = tl.zeros([tl.constexpr(n)], tl.int32)  #! must be a constexpr integer, found int32
