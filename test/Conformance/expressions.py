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


SIZE = tl.constexpr(4)


#:
@triton.jit
def more_python_arithmetic(p):
    tl.static_assert(-1 >> 1 == -1)
    tl.static_assert(not None)
    tl.static_assert(7.5 // 2 == 3.0)
    tl.static_assert(-7.5 % 2 == 0.5)
    tl.static_assert("a" + "b" == "ab")
    tl.static_assert("a" < "b")
    tl.static_assert("ab" * 2 == "abab")
    tl.static_assert("abc"[1] == "b")
    tl.static_assert("a" != 1)
    tl.static_assert(True + True == 2)
    tl.static_assert(1.0 == 1)
    tl.static_assert(float("nan") != float("nan"))
    tl.static_assert((3 if SIZE == 4 else 5) == 3)
    tl.static_assert(SIZE != None)
    tl.static_assert(not (SIZE == None))


#:
@triton.jit
def identity(p, n):
    tl.static_assert(True is True)
    tl.static_assert(1 is not None)
    tl.static_assert(tl.float32 is tl.float32)
    tl.static_assert(add3 is add3)
    tl.static_assert("x" is "x")
    tl.static_assert((n is None) == False)
    tl.static_assert((n is 5) == False)


#:
@triton.jit
def tuples_of_tuples(p, n):
    tl.static_assert(((1, 2), 3)[0][1] == 2)
    tl.static_assert((1, 2, 3, 4)[SIZE - 3] == 2)
    tl.static_assert(() == ())
    tl.static_assert((1,)[0] == 1)
    t = (n, (1, 2.0), tl.arange(0, 4))
    tl.static_assert(t[1][1].dtype == tl.float32)
    tl.static_assert(t[2].shape == (4,))
    u: tl.constexpr = (1, 2) * SIZE
    tl.static_assert(len(u) == 8)
    a = 2 * (1, 2)  #! cannot apply '*'
    b = (1, 2)[n]  #! a tuple is indexed by a constexpr integer
    c = (1, 2)["x"]  #! a tuple is indexed by a constexpr integer
    d = (1, 2)[None]  #! a tuple is indexed by a constexpr integer
    e = (1, 2)[:n]  #! a slice bound must be a constexpr integer
    f = *(1, 2), 3  #! '*' is allowed before an argument


#:
@triton.jit
def other_displays(p, n):
    a = {x for x in (1, 2)}  #! not supported
    b = {x: 1 for x in (1, 2)}  #! not supported
    c = [x for x, y in ((1, 2), (3, 4))]  #! must be a name
    d = n not in (1, 2)  #! 'not in'
    e = 0 < SIZE < 5  #! chained comparison
    f = (y := 5)  #! an assignment expression
    g = [[y for y in (x, 2)] for x in (1, n)]
    tl.static_assert(len(g[1]) == 2)


#:
@triton.jit
def more_tensor_indices(p, n):
    x = tl.arange(0, 8)
    a = x[n]  #! found int32
    b = x[:, :, None]  #! None at index 2 is beyond the axes of int32[8]
    c = x[::2]  #! a slice with bounds
    d = x[0, :]  #! found constexpr int
    e = p[0]  #! found constexpr int
    tl.static_assert(x[:].shape == (8,))
    tl.static_assert(x[:, None][None].shape == (1, 8, 1))


#:
@triton.jit
def more_f_strings(p, n):
    tl.static_assert(f"{(1, 2)} {1.5} {True} {None}" == "(1, 2) 1.5 True None")
    tl.static_assert(f"{'a'!s}{SIZE!r:>10}" == "a4")
    tl.static_assert(f"{n.shape}" == "()")
    a: tl.constexpr = f"{undefined}"  #! 'undefined' is not defined
    b: tl.constexpr = f"{n + 1}"  #! compile-time values only


#: out -> i32[7, 2, 6, 3, 4]
@triton.jit
def more_conditionals(out, n):
    tl.store(out, 7 if n else 8)
    tl.store(out + 1, 1 if None else 2)
    q = out if n < 0 else out + 2
    tl.store(q, 6)
    x = tl.arange(0, 4) if n > 0 else tl.arange(4, 8)
    tl.store(out + 3, tl.max(x, 0))
    tl.store(out + 4, 1 if n < 0 else 2 if n < 1 else 4)


#:
@triton.jit
def more_conditional_errors(p, n):
    a = (1, 2) if n > 0 else 3  #! expected a tensor or a number, found tuple
    b = None if n > 0 else 1  #! expected a tensor or a number, found None
    c = 1 if 1.5 else 2  #! must be a bool, an int or None
    d = 1 if "x" else 2  #! must be a bool, an int or None
    e = tl.arange(0, 4) if n > 0 else tl.arange(0, 8)  #! must have one type
    f = 1 if n > 0 else tl.arange(0, 4)  #! must have one type


#:
@triton.jit
def operands_of_other_kinds(p, n):
    a = n + "x"  #! cannot apply '+' to int32 and a string
    b = n + None  #! cannot apply '+' to int32 and None
    c = n + (1, 2)  #! cannot apply '+' to int32 and tuple
    d = n + add3  #! cannot apply '+' to int32 and function 'add3'
    e = -"x"  #! cannot apply unary '-' to a string
    f = p + p  #! cannot apply '+' to pointer<int32> and pointer<int32>
    g = 1 - p  #! cannot apply '-' to constexpr int and pointer<int32>
    h = p & 1  #! cannot apply '&'
    i = ~p  #! cannot apply unary '~'
    j = n < "x"  #! cannot compare
    k = n == (1, 2)  #! cannot compare


#: out -> i32[1, 5, 0, 7, 1, 0, 1]
@triton.jit
def boolean_operators(out, n):
    tl.store(out, ((n > 3) and (n < 10)).to(tl.int32))
    tl.store(out + 1, True and n)
    tl.store(out + 2, (n > 3) and 0)
    tl.store(out + 3, 0 or 7)
    tl.store(out + 4, ((n > 9) or (n > 3) and (n > 4)).to(tl.int32))
    tl.store(out + 5, (not (n > 3)).to(tl.int32))
    tl.store(out + 6, (out and (n > 3)).to(tl.int32))
    tl.static_assert((None or 3) == 3)
    tl.static_assert(("" or "x") == "x")
    tl.static_assert((1 and 2 and 3) == 3)
    tl.static_assert((0 and undefined) == 0)
    tl.static_assert((1 or undefined) == 1)
    a = n and True
    tl.static_assert(a.dtype == tl.int32)
    b = tl.arange(0, 4) > 2 and tl.arange(0, 4) > 1
    tl.static_assert(b.shape == (4,))
    c = (n > 3) and None
    tl.static_assert(c is None)


#:
@triton.jit
def boolean_operands(p, n, s, m):
    a = n and m  #! 'and' needs int1 operands, found int32
    b = n or (n > 3)  #! 'or' needs int1 operands, found int32
    c = s and (n > 3)  #! 'and' needs int1 operands, found float32
    d = not s  #! 'not' needs an int1, found float32
    e = (n > 3) and undefined  #! 'undefined' is not defined


#: out -> fp32[1, 3]
@triton.jit
def constexpr_of_a_tensor(out):
    one: tl.constexpr = tl.cast(0x3F800000, tl.float32, bitcast=True)
    tl.store(out, one)
    tl.store(out + 1, one + 2.0)
