# Assignments, annotations, expression statements and the statements that kernels cannot have.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


#: out -> i32[7]
@triton.jit
def assigned_constexpr_is_runtime(out):
    """Docstrings are ignored."""
    x = 7
    tl.static_assert(x.dtype == tl.int32)
    tl.store(out, x)


#: out -> i32[0]
@triton.jit
def shape_becomes_runtime(out):
    x = tl.zeros([8], tl.int32)
    m = x.shape[0]
    tl.static_assert(m.dtype == tl.int32)
    tl.store(out, tl.sum(tl.arange(0, m)))  #! arange


#: out -> i32[28]
@triton.jit
def shape_kept_by_annotation(out):
    x = tl.zeros([8], tl.int32)
    m: tl.constexpr = x.shape[0]
    tl.store(out, tl.sum(tl.arange(0, m), 0))


#:
@triton.jit
def several_targets(p):
    a = b = 1  #! several targets


#:
@triton.jit
def string_needs_constexpr(p):
    a: tl.constexpr = "text"
    tl.static_assert(a == "text")
    b = "text"  #! cannot assign a string


#:
@triton.jit
def function_needs_constexpr(p):
    a: tl.constexpr = helper
    tl.store(p, a(1))
    b = helper  #! cannot assign function 'helper'


@triton.jit
def helper(x):
    return x + 1


#:
@triton.jit
def tuple_with_dtype(p):
    a = (1, tl.int32)  #! a tuple that contains a type


#: out -> i32[3]
@triton.jit
def dtype_and_none_are_kept(out):
    t = tl.int64
    none = None
    tl.static_assert(none is None)
    x = tl.full([], 3, t)
    tl.static_assert(x.dtype == tl.int64)
    tl.store(out, x)


#:
@triton.jit
def constexpr_twice(p):
    a: tl.constexpr = 1
    a: tl.constexpr = 2  #! cannot be reassigned


#:
@triton.jit
def constexpr_in_static_range(p):
    for i in tl.static_range(2):
        a: tl.constexpr = i  #! cannot be reassigned


#: out -> i32[4]
@triton.jit
def other_annotations(out):
    a: tl.int64 = 4
    tl.static_assert(a.dtype == tl.int32)
    tl.store(out, a)


#:
@triton.jit
def unknown_annotation(p):
    a: bool = True  #! 'bool' is not defined


#: out -> i32[3, 4]
@triton.jit
def unpack(out):
    a, b = (3, 4)
    tl.static_assert(a.dtype == tl.int32)
    tl.store(out, a)
    tl.store(out + 1, b)


#: out -> i32[1, 2]
@triton.jit
def unpack_drops_surplus(out):
    a, b = (1, 2, 3)
    tl.store(out, a)
    tl.store(out + 1, b)


#:
@triton.jit
def unpack_too_few(p):
    a, b, c = (1, 2)  #! expected a tuple of at least 3


#:
@triton.jit
def unpack_no_tuple(p):
    a, b = 1  #! cannot unpack


#:
@triton.jit
def nested_target(p):
    a, (b, c) = (1, (2, 3))  #! only names can be unpacked into
    tl.store(p, a + b + c)


#:
@triton.jit
def list_target(p):
    [a, b] = (1, 2)  #! target


#:
@triton.jit
def starred_target(p):
    a, *b = (1, 2, 3)  #! only names can be unpacked into


#: out -> i32[9]
@triton.jit
def augmented(out):
    x: tl.constexpr = 10
    x -= 1
    tl.static_assert(x.dtype == tl.int32)
    tl.store(out, x)


#: out -> i32[-10]
@triton.jit
def augmented_operators(out):
    x = 5
    x += 3
    x *= 4
    x //= 3
    x <<= 2
    x >>= 1
    x %= 11
    x |= 8
    x &= 15
    x ^= -1
    tl.store(out, x)


#:
@triton.jit
def set_item(p):
    x = tl.zeros([4], tl.int32)
    x[0] = 1  #! elements cannot be assigned
    pair = (1, 2)
    pair[0] = 3  #! elements of a tuple cannot be assigned, as in Triton; make a new tuple


#:
@triton.jit
def set_attribute(p):
    x = tl.zeros([4], tl.int32)
    x.field = 1  #! attributes cannot be assigned


#: options = --debug
#: out -> i32[1]
@triton.jit
def assertion(out, n):
    assert n == 5, "n must be 5"
    assert n > 0
    tl.store(out, 1)


#: out -> i32[1]
@triton.jit
def assertion_is_removed(out, n):
    assert n == 6, "n must be 6"
    tl.store(out, 1)


#:
@triton.jit
def pass_statement(p):
    pass


#:
@triton.jit
def break_statement(p, n):
    for i in range(n):
        break  #! 'break' is not supported


#:
@triton.jit
def continue_statement(p, n):
    for i in range(n):
        continue  #! 'continue' is not supported


#:
@triton.jit
def try_statement(p):
    try:  #! 'try'
        pass
    finally:
        pass


#:
@triton.jit
def raise_statement(p):
    raise ValueError  #! 'raise'


#:
@triton.jit
def import_statement(p):
    import math  #! 'import'


#:
@triton.jit
def global_statement(p):
    global x  #! 'global'


#:
@triton.jit
def del_statement(p, n):
    del n  #! 'del'


#:
@triton.jit
def nested_function(p):
    def inner(x):  #! a nested function
        return x


#:
@triton.jit
def nested_class(p):
    class C:  #! a class is not supported
        pass


#:
@triton.jit
def lambda_expression(p):
    f: tl.constexpr = lambda x: x  #! lambda


#:
@triton.jit
def with_statement(p):
    with open(p):  #! 'with'
        pass


#: out -> i32[1]
@triton.jit
def after_return_is_not_compiled(out):
    tl.store(out, 1)
    return
    undefined_name(1)


#:
@triton.jit
def tuples_with_things_that_are_no_values(p, n):
    a = (1, "x")  #! a tuple that contains a string
    b = (1, (helper, 2))  #! a tuple that contains function 'helper'
    c = (1, None)
    tl.static_assert(c[1] is None)
    d = ((1, 2), (3.0, True))
    tl.static_assert(d[1][0].dtype == tl.float32)
    e = n.to  #! cannot assign function 'tl.to'
    f = tl  #! cannot assign module
    g = 2**70  #! does not fit 64 bits


#:
@triton.jit
def kinds_of_constexprs(p, n):
    a: tl.constexpr = (1, "x", tl.int32, None)
    b: tl.constexpr = tl.int32
    c: tl.constexpr = None
    d: tl.constexpr = 2**70
    e: "tl.constexpr" = 5
    tl.static_assert(a[1] == "x")
    tl.static_assert(d == 1 << 70)
    f: tl.constexpr = n
    g: tl.constexpr  #! a declaration without a value
    n: tl.constexpr = 2  #! 'n' is already defined


#: x = i32[0] -> i32[1]
@triton.jit
def annotated_value_is_computed_once(x):
    old: tl.int32 = tl.atomic_add(x, 1)


#: out -> i32[2, 1, 5]
@triton.jit
def swapped(out):
    a, b = 1, 2
    a, b = b, a
    (c,) = (5,)
    tl.store(out, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)


#:
@triton.jit
def targets_of_other_kinds(p, n):
    a, n.b = (1, 2)  #! only names can be unpacked into
    c, p[0] = (1, 2)  #! only names can be unpacked into
    d, e = e, d = (1, 2)  #! several targets
    p[0] += 1  #! elements cannot be assigned
    n.x += 1  #! attributes cannot be assigned
    z += 1  #! 'z' is not defined
    t = (1, 2)
    t += (3,)
    tl.static_assert(len(t) == 3)


#: options = --debug
#:
@triton.jit
def assertions_of_other_things(p, n):
    assert True
    assert (n == 5), f"n is {5}"
    assert tl.arange(0, 4) < 4
    assert n, 5  #! a constexpr string
    assert None  #! a tensor or a number
