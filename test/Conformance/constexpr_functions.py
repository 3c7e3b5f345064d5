# Functions of compile time: what of Python they may use.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import os

import triton
import triton.language as tl

PLAIN = 7


#:
@triton.jit
def loops(p):
    tl.static_assert(last_root(10) == 3)
    tl.static_assert(count_down(5) == 15)
    tl.static_assert(found(3) == "no")


@triton.constexpr_function
def last_root(n):
    """The integer part of the root, 2 passed over."""
    r: int = 0
    for i in range(100):
        if i * i > n:
            break
        if i == 2:
            continue
        r = i
    else:
        return -1
    return r


@triton.constexpr_function
def count_down(n):
    total = 0
    while True:
        total += n
        n -= 1
        if n < 0:
            break
    return total


@triton.constexpr_function
def found(n):
    while n > 0:
        n -= 1
    else:
        return "no"
    return "yes"


#:
@triton.jit
def comparisons(p):
    tl.static_assert(between(3))
    tl.static_assert(not between(5))
    tl.static_assert(is_small(2) and not is_small(4))
    tl.static_assert(looked_up("b") == 2)
    tl.static_assert(wider(tl.float16) == tl.float32)
    tl.static_assert(wider(tl.int8) == tl.int8)


@triton.constexpr_function
def between(n):
    return 1 < n < 5


@triton.constexpr_function
def is_small(n):
    return n in (1, 2, 3) and n not in [7] and "b" in "abc"


@triton.constexpr_function
def looked_up(key):
    return {"a": 1, "b": 2}[key] if key in {"a": 1, "b": 2} else 0


@triton.constexpr_function
def wider(dtype):
    if dtype == tl.float16 or dtype is tl.bfloat16:
        return tl.float32
    return dtype


#:
@triton.jit
def sequences(p):
    tl.static_assert(evens(5) == (0, 4, 8))
    tl.static_assert(products((1, 2), (3, 4)) == 12)
    tl.static_assert(pairs(3) == ((0, 1), (0, 2), (1, 2)))
    tl.static_assert(ends((1, 2, 3, 4)) == (1, (2, 3), 4))
    tl.static_assert(ordered((3, 1, 2)) == (3, 2, 1))


@triton.constexpr_function
def evens(n):
    i = 5
    t = [i * 2 for i in range(n) if i % 2 == 0]
    assert i == 5
    return t


@triton.constexpr_function
def products(a, b):
    r = 0
    for x, y in zip(a, b):
        r += x * y
    for i, x in enumerate(a):
        r += i
    return r


@triton.constexpr_function
def pairs(n):
    return [(i, j) for i in range(n) for j in range(n) if i < j]


@triton.constexpr_function
def ends(t):
    first, *rest, last = t
    return first, rest, last


@triton.constexpr_function
def ordered(t):
    assert reversed(sorted(t)) == sorted(t, reverse=True)
    return sorted(t, reverse=True)


#:
@triton.jit
def functions_and_parameters(p, n):
    tl.static_assert(python_functions(6))
    tl.static_assert(texts("abc") == "ABC")
    tl.static_assert(keyword_only(1, b=3) == 4)
    tl.static_assert(keyword_only(1) == 3)
    tl.static_assert(variadic(1, 2, 3) == 12)
    tl.static_assert(variadic() == 0)
    tl.static_assert(shape_of(tl.arange(0, 8)[None, :]) == 8)
    tl.static_assert(several_targets(3) == 12)
    x = keyword_only(1, 2)  #! too many arguments
    y = of_tensor(n)


@triton.constexpr_function
def of_tensor(n):
    return 1 < n < 5  #! cannot compare


@triton.constexpr_function
def python_functions(n):
    return (any((n > 9, n > 5)) and all((n > 1, n > 2)) and abs(-3) == 3 and round(2.5) == 2
            and divmod(7, 2) == (3, 1) and pow(2, 3) == 8 and triton.cdiv(n, 4) == 2)


@triton.constexpr_function
def texts(text):
    assert text.startswith("a") and text.endswith("c") and "AbC".lower() == "abc" and "a.b".split(".")[1] == "b"
    return text.upper()


@triton.constexpr_function
def keyword_only(a, *, b=2):
    return a + b


@triton.constexpr_function
def variadic(*args):
    ...
    return sum(args) + (max(args) if args else 0) + len(args)


@triton.constexpr_function
def shape_of(x):
    return x.shape[-1]


@triton.constexpr_function
def several_targets(n):
    a = b = n
    a += 1
    return a * b * PLAIN // PLAIN


#:
@triton.jit
def conditions_that_are_not_known(p, n):
    x: tl.constexpr = by_tensor(n)
    y: tl.constexpr = by_environment(1)


@triton.constexpr_function
def by_tensor(n):
    if n:  #! expected a compile-time condition, found int32
        return 1
    return 2


@triton.constexpr_function
def by_environment(n):
    return 1 if os.environ else n  #! host code is not executed


#:
@triton.jit
def raises(p):
    x: tl.constexpr = checked(5)


@triton.constexpr_function
def checked(n):
    if n > 3:
        raise ValueError(f"n is {n}")  #! raises an exception here
    return n


#:
@triton.jit
def asserts(p):
    x: tl.constexpr = asserted(5)


@triton.constexpr_function
def asserted(n):
    assert n < 3, f"{n} is too large"  #! assertion failed: 5 is too large
    return n


#:
@triton.jit
def never_ends(p):
    x: tl.constexpr = endless(1)


@triton.constexpr_function
def endless(n):
    while n:
        n += 1  #! runs for more than
    return n


#:
@triton.jit
def unsupported(p):
    x: tl.constexpr = with_try(5)
    y: tl.constexpr = with_match(5)
    z: tl.constexpr = looked_up_wrongly(5)
    w: tl.constexpr = with_decorator(5)
    v: tl.constexpr = with_set(5)


@triton.constexpr_function
def with_try(n):
    try:
        return n // 0  #! integer division by zero
    except ZeroDivisionError:
        return 0


@triton.constexpr_function
def with_match(n):
    match n:  #! not supported in a function of compile time
        case _:
            return 1


@triton.constexpr_function
def looked_up_wrongly(n):
    return {1: 2}[n]  #! the dictionary has no key 5


@triton.constexpr_function
def with_decorator(n):
    @os.cache
    def f(x):  #! a decorator is not supported
        return x

    return f(n)


@triton.constexpr_function
def with_set(n):
    return {n, 1}  #! a set is not supported
