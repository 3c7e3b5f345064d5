# Literals, tuples, comprehensions, operators on constants, subscripts, f-strings.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


#:
@triton.jit
def literals(p):
    tl.static_assert(0x10 == 16)
    tl.static_assert(0b101 == 5)
    tl.static_assert(0o17 == 15)
    tl.static_assert(1_000 == 1000)
    tl.static_assert(1e3 == 1000.0)
    tl.static_assert("a" "b" == "ab")
    tl.static_assert(True == 1)


#:
@triton.jit
def python_arithmetic(p):
    tl.static_assert(-7 // 2 == -4)
    tl.static_assert(-7 % 3 == 2)
    tl.static_assert(7 / 2 == 3.5)
    tl.static_assert(2**100 // 2**98 == 4)
    tl.static_assert(2**-1 == 0.5)
    tl.static_assert((1 << 70) >> 69 == 2)
    tl.static_assert(-(-3) == +3)
    tl.static_assert(~5 == -6)
    tl.static_assert((6 & 3) == 2)
    tl.static_assert((6 | 3) == 7)
    tl.static_assert((6 ^ 3) == 5)
    tl.static_assert(not 0)


#:
@triton.jit
def tuples(p):
    t: tl.constexpr = (1, 2, 3, 4)
    tl.static_assert(len(t) == 4)
    tl.static_assert(t[0] == 1)
    tl.static_assert(t[-1] == 4)
    tl.static_assert(t[1:3] == (2, 3))
    tl.static_assert(t[::-1] == (4, 3, 2, 1))
    tl.static_assert(t[::2] == (1, 3))
    tl.static_assert((1, 2) + (3,) == (1, 2, 3))
    tl.static_assert((1, 2) * 2 == (1, 2, 1, 2))
    tl.static_assert([1, 2] == (1, 2))
    tl.static_assert((1, 2) != (1, 3))


#:
@triton.jit
def tuple_index_out_of_range(p):
    t: tl.constexpr = (1, 2)
    u: tl.constexpr = t[2]  #! out of range


#: out -> i32[2, 4, 6, 6]
@triton.jit
def comprehension(out):
    t = [x * 2 for x in (1, 2, 3)]
    tl.store(out, t[0])
    tl.store(out + 1, t[1])
    tl.store(out + 2, t[2])
    tl.store(out + 3, x * 2)


#:
@triton.jit
def comprehension_with_condition(p):
    t = [x for x in (1, 2, 3) if x > 1]  #! condition in a comprehension


#:
@triton.jit
def comprehension_over_two(p):
    t = [x for x in (1, 2) for y in (3, 4)]  #! two 'for'


#:
@triton.jit
def comprehension_over_tensor(p, n):
    t = [x for x in n]  #! runs over a tuple


#:
@triton.jit
def set_display(p):
    t: tl.constexpr = {1, 2}  #! not supported


#:
@triton.jit
def dict_display(p):
    t: tl.constexpr = {1: 2}  #! not supported


#:
@triton.jit
def walrus(p):
    if x := 1:  #! not supported
        pass


#:
@triton.jit
def generator(p):
    t: tl.constexpr = (x for x in (1, 2))  #! not supported


#:
@triton.jit
def chained_comparison(p, n, m):
    a = 0 <= n < m  #! chained comparison


#:
@triton.jit
def membership(p, n):
    a = n in (1, 2)  #! 'in'


#:
@triton.jit
def equals_none(p, n):
    a = n == None  #! cannot compare


#: q = None
@triton.jit
def is_none(p, q, n):
    tl.static_assert(q is None)
    tl.static_assert(p is not None)
    tl.static_assert(n is not None)


#:
@triton.jit
def matmul_operator(p):
    x = tl.zeros([16, 16], tl.float32)
    y = x @ x  #! '@'


#:
@triton.jit
def power_operator(p, n):
    y = n**2  #! '**'


#:
@triton.jit
def unary_plus(p, n):
    y = +n  #! unary '+'


#: out -> i32[3, -4, 4]
@triton.jit
def unary_operators(out, m):
    tl.store(out, -(-m))
    tl.store(out + 1, ~m)
    tl.store(out + 2, tl.where(not (m == 2), 4, 5))


#: out -> i32[1, 5]
@triton.jit
def conditional(out, n):
    tl.store(out, 1 if n > 0 else 2)
    tl.store(out + 1, n if True else undefined)


#: FLAG = True
@triton.jit
def static_conditional_types(p, FLAG: tl.constexpr):
    b = 1 if FLAG else 0.5
    tl.static_assert(b.dtype == tl.int32)


#:
@triton.jit
def conditional_types(p, n):
    a = 1.0 if n > 0 else 0  #! must have one type


#:
@triton.jit
def conditional_on_block(p):
    c = tl.arange(0, 4) > 1
    a = 1 if c else 2  #! a condition must be a scalar


#: out -> i32[0]
@triton.jit
def conditional_does_not_load(out, n):
    wild = (tl.cast(8, tl.int64)).to(tl.pointer_type(tl.int32))
    tl.store(out, tl.load(wild) if n < 0 else 0)


#:
@triton.jit
def new_axes(p):
    x = tl.arange(0, 8)
    tl.static_assert(x[:, None].shape == (8, 1))
    tl.static_assert(x[None, :].shape == (1, 8))
    tl.static_assert(x[None].shape == (1, 8))
    tl.static_assert(x[None, :, None].shape == (1, 8, 1))
    y = x[:, None] + x[None, :]
    tl.static_assert(y[None].shape == (1, 8, 8))
    tl.static_assert(y[:, None].shape == (8, 1, 8))
    tl.static_assert(y[:].shape == (8, 8))


#:
@triton.jit
def scalar_new_axis(p, n):
    tl.static_assert(n[None].shape == (1,))
    tl.static_assert(n[None, None].shape == (1, 1))


#:
@triton.jit
def tensor_index(p):
    x = tl.arange(0, 8)
    a = x[0]  #! index


#:
@triton.jit
def tensor_slice(p):
    x = tl.arange(0, 8)
    a = x[0:4]  #! index


#:
@triton.jit
def tensor_ellipsis(p):
    x = tl.arange(0, 8)
    a = x[...]  #! '...'


#:
@triton.jit
def f_strings(p):
    N: tl.constexpr = 4
    tl.static_assert(f"n={N}" == "n=4")
    tl.static_assert(f"{'a'!r}" == "'a'")
    tl.static_assert(f"{N:>5}" == "4")
    tl.static_assert(f"{{}}" == "{}")


#:
@triton.jit
def f_string_of_tensor(p, n):
    a: tl.constexpr = f"{n}"  #! compile-time values only


#: out -> i32[6]
@triton.jit
def splat_arguments(out):
    t = (1, 2, 3)
    tl.store(out, add3(*t))


@triton.jit
def add3(a, b, c):
    return a + b + c


#:
@triton.jit
def double_star(p):
    x = add3(**p)  #! **


#:
@triton.jit
def constant_errors(p):
    a: tl.constexpr = 1 / 0  #! division by zero
    b: tl.constexpr = 1 << -1  #! negative
    c: tl.constexpr = "a" + 1  #! 
