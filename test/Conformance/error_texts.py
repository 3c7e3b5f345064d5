# Errors that no other file is about: each is at its line, with its text.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s

import functools
import itertools
import math

import packaging.version
import triton
import triton.language as tl
from triton.language.extra import libdevice


#:
@triton.jit
def constants(p, n):
    a: tl.constexpr = 0 ** -1  #! 0 cannot be raised to a negative power
    b: tl.constexpr = 0.0 ** -1.0  #! 0.0 cannot be raised to a negative power
    c: tl.constexpr = (-8.0) ** 0.5  #! a negative number cannot be raised to a fractional power
    d: tl.constexpr = 1 << -1  #! negative shift count
    e: tl.constexpr = 1 @ 2  #! the operator '@' does not exist in the kernel language; use tl.dot
    f: tl.constexpr = "abc"[3]  #! expected an index into the string
    g: tl.constexpr = (1, 2, 3)[::0]  #! a slice step cannot be zero
    h: tl.constexpr = triton.next_power_of_2(1 << 62)  #! the number is too large
    j: tl.constexpr = triton.cdiv(n, 2)  #! triton.cdiv takes compile-time values, found int32; use tl.cdiv
    k: tl.constexpr = min(float("nan"), 1.0)  #! of constants takes no NaN and no -0.0, whose order is not defined
    l: tl.constexpr = (0,) * 100000000  #! the result has more than
    p[0]: tl.constexpr = 1  #! only a name can be annotated in a kernel


#:
@triton.jit
def values(p, n, s):
    i = tl.arange(0, 8)
    helper[(1,)](p)  #! a kernel cannot launch another kernel
    a = helper  #! to a variable; annotate the variable with tl.constexpr
    b = (1, helper)  #! cannot assign a tuple that contains
    c = min(n, m=3)  #! min has no parameter 'm'
    d = max(n, "s")  #! takes numbers and tensors, found a string
    e = n.to(tl.float32, fp_downcast_rounding="up")  #! unknown rounding 'up'; expected 'rtne' or 'rtz'
    f = tl.load(p + i, eviction_policy="evict_never")  #! unknown eviction policy 'evict_never'; expected '', 'evict_first' or 'evict_last'
    g = libdevice.fma(s, s, n)  #! takes operands of one type, float32 or float64, found int32
    y = min(n, 3, default=2)  #! min takes no keywords in a kernel
    z = tl.full([4], 0, tl.void)  #! a value cannot have the type void
    v = tl.block_type(tl.int32, [])  #! a block has at least one dimension
    h = n == None  #! cannot compare int32 with None; write 'is None'
    k = tl.range(0, n)  #! can be used in the header of a 'for' only
    for j in tl.static_range(0, 1 << 30):  #! tl.static_range would unroll 1073741824 iterations
        pass
    x = helper(*n)  #! '*' unpacks a tuple, found int32


@triton.jit
def helper(p):
    pass


#:
@triton.jit
def with_default(p, q=tl.full([4], 0, tl.int32)):  #! expected a compile-time value, found int32
    pass


@tl.core._aggregate
class Counter:
    value: tl.tensor

    def __init__(self, value):
        self.value = value

    def host(self):
        return 1


#:
@triton.jit
def host_method(n):
    c = Counter(n)
    c.host()  #! is host code; kernels call methods that are @triton.jit or @triton.constexpr_function


#:
@triton.jit
def branches(n):
    if n > 2:  #! in both blocks, which a run-time 'if' cannot merge; assign it before
        t = None
    else:
        t = None


#:
@triton.jit
def loops(p, n):
    q: tl.constexpr = 1
    for i in range(n):  #! in it; assign it to a variable before the loop
        q = p


#:
@triton.jit
def elements(p):
    i = tl.arange(0, 8)
    a = tl.map_elementwise(in_a_block, i)  #! the function must return scalars, found
    b = tl.map_elementwise(two_values, i, pack=4)  #! the function must return 4 values for each result, found 2


@triton.jit
def in_a_block(x):
    return tl.arange(0, 4)


@triton.jit
def two_values(a, b, c, d):
    return a, b


#:
@triton.jit
def of_math(p):
    a: tl.constexpr = log_of_zero()
    b: tl.constexpr = factorial_of(-1)
    c: tl.constexpr = comb_of(-1)
    d: tl.constexpr = isqrt_of(-1)
    e: tl.constexpr = no_elements()
    f: tl.constexpr = sorted_types()
    g: tl.constexpr = of_no_class()
    h: tl.constexpr = long_range()
    i: tl.constexpr = range_that_stands()
    j: tl.constexpr = version()
    k: tl.constexpr = reduced()
    l: tl.constexpr = product()
    m: tl.constexpr = chained()


@triton.constexpr_function
def log_of_zero():
    return math.log(0.0)  #! math.log is not defined for this argument


@triton.constexpr_function
def factorial_of(n):
    return math.factorial(n)  #! math.factorial is not defined for negative numbers


@triton.constexpr_function
def comb_of(n):
    return math.comb(n, 1)  #! math.comb is not defined for negative numbers


@triton.constexpr_function
def isqrt_of(n):
    return math.isqrt(n)  #! math.isqrt is not defined for negative numbers


@triton.constexpr_function
def no_elements():
    return max([], key=abs)  #! max of nothing


@triton.constexpr_function
def sorted_types():
    return sorted([1, "a"])  #! sorted takes numbers, strings or tuples of them


@triton.constexpr_function
def of_no_class():
    return isinstance(1, tl.load)  #! isinstance does not know


@triton.constexpr_function
def long_range():
    return list(range(10000000000))  #! the range has too many elements


@triton.constexpr_function
def range_that_stands():
    return list(range(0, 10, 0))  #! the step of a range cannot be zero


@triton.constexpr_function
def version():
    return packaging.version.parse("x")  #! expected a version such as "3.1.0", found 'x'


@triton.constexpr_function
def reduced():
    return functools.reduce(max, [])  #! reduce of nothing needs a start


@triton.constexpr_function
def product():
    return list(itertools.product(range(1000), range(1000), range(1000)))  #! the product has too many elements


@triton.constexpr_function
def chained():
    return list(itertools.chain(range(60000), range(60000)))  #! the chain has too many elements


#:
@triton.jit
def of_containers(p):
    a: tl.constexpr = append_two()
    b: tl.constexpr = insert_at_text()
    c: tl.constexpr = pop_of_nothing()
    d: tl.constexpr = remove_missing()
    e: tl.constexpr = two_dicts()
    f: tl.constexpr = no_pairs()
    g: tl.constexpr = unpacked_number()
    h: tl.constexpr = update_two()
    i: tl.constexpr = search_number()
    j: tl.constexpr = keywords_of_number()
    k: tl.constexpr = numbers_as_keywords()
    l: tl.constexpr = joined_numbers()
    m: tl.constexpr = fewer_places()
    n: tl.constexpr = wrong_place()
    q: tl.constexpr = many_elements()
    r: tl.constexpr = many_entries()
    s: tl.constexpr = many_parts()


@triton.constexpr_function
def append_two():
    items = []
    items.append(1, 2)  #! wrong number of arguments for 'append'
    return 0


@triton.constexpr_function
def insert_at_text():
    items = [1]
    items.insert("a", 2)  #! expected an index, found
    return 0


@triton.constexpr_function
def pop_of_nothing():
    items = []
    return items.pop()  #! the list has no such element


@triton.constexpr_function
def remove_missing():
    items = [1]
    items.remove(2)  #! the list has no element 2
    return 0


@triton.constexpr_function
def two_dicts():
    return len(dict({}, {}))  #! dict takes one argument and keywords


@triton.constexpr_function
def no_pairs():
    return len(dict([1, 2]))  #! expected pairs of keys and values, found


@triton.constexpr_function
def unpacked_number():
    return len({**1})  #! '**' unpacks a dictionary, found


@triton.constexpr_function
def update_two():
    items = {}
    items.update({}, {})  #! wrong number of arguments for 'update'
    return 0


@triton.constexpr_function
def search_number():
    return 1 in 2  #! cannot search


@triton.constexpr_function
def keywords_of_number():
    return dict(**1)  #! '**' unpacks a dictionary, found


@triton.constexpr_function
def numbers_as_keywords():
    return search_number(**{1: 2})  #! the keys of keyword arguments are strings, found 1


@triton.constexpr_function
def joined_numbers():
    return ",".join([1, 2])  #! join takes strings, found


@triton.constexpr_function
def fewer_places():
    return "%d" % (1, 2)  #! there are more values than the format has places


@triton.constexpr_function
def wrong_place():
    return "%d" % ("a",)  #! as the format says


@triton.constexpr_function
def many_elements():
    items = list(range(60000))
    items.extend(range(60000))  #! the list has too many elements
    return 0


@triton.constexpr_function
def many_entries():
    return len({1: list(range(60000)), 2: list(range(60000))})  #! the dictionary has too many elements


@triton.constexpr_function
def many_parts():
    return len(("," * 65536).split(","))  #! the string has too many parts


#:
@triton.jit
def of_functions(p, n):
    a: tl.constexpr = tensor_of(1)  #! must return a compile-time value, found int32
    b: tl.constexpr = unknown_import()
    c: tl.constexpr = import_without_handler()


@triton.constexpr_function
def tensor_of(n):
    return tl.full([4], n, tl.int32)


@triton.constexpr_function
def unknown_import():
    import no_such_module  #! is not known in a function of compile time
    return no_such_module.x


@triton.constexpr_function
def import_without_handler():
    try:
        import no_such_module  #! the function imports what is not known here
    except ValueError:
        pass
    return 1
