# Parameters, defaults, helpers, and what they return.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


@triton.jit
def scale(x, factor=2, dtype: tl.constexpr = tl.float32, name: tl.constexpr = "x"):
    return tl.cast(x * factor, dtype)


@triton.jit
def apply(f, x, y: tl.constexpr):
    return f(x, y)


@triton.jit
def add(x, y):
    return x + y


@triton.jit
def sized(v):
    return tl.zeros([v], tl.int32) + v


@triton.jit
def constant():
    return 8


#: out -> fp32[6, 9, 12]
@triton.jit
def defaults_and_keywords(out):
    tl.store(out, scale(3))
    tl.store(out + 1, scale(3, factor=3))
    tl.store(out + 2, scale(factor=4, x=3, dtype=tl.int32))


#: out -> i32[9, 9]
@triton.jit
def functions_as_arguments(out):
    tl.store(out, apply(add, 4, 5))
    tl.store(out + 1, apply(y=5, x=4, f=add))


#: out -> i32[32]
@triton.jit
def arguments_stay_constexpr(out):
    tl.store(out, tl.max(sized(32), 0))


#:
@triton.jit
def runtime_argument_is_no_shape(p, n):
    x = shaped(n)


@triton.jit
def shaped(v):
    return tl.zeros([v], tl.int32)  #! constexpr


#:
@triton.jit
def result_is_not_constexpr(p):
    x = tl.arange(0, constant())  #! arange


#:
@triton.jit
def missing_argument(p):
    x = add(1)  #! missing argument 'y'


#:
@triton.jit
def too_many_arguments(p):
    x = add(1, 2, 3)  #! too many arguments


#:
@triton.jit
def unknown_keyword(p):
    x = add(1, z=2)  #! no parameter 'z'


#:
@triton.jit
def argument_twice(p):
    x = add(1, 2, x=3)  #! given twice


#:
@triton.jit
def recursion_without_end(p, n):
    x = the_same(n, 3)


@triton.jit
def the_same(x, depth: tl.constexpr):
    return the_same(x + 1, depth)  #! calls itself without end


#:
@triton.jit
def recursion_too_deep(p, n):
    x = deeper(n, 3)


@triton.jit
def deeper(x, depth: tl.constexpr):
    return deeper(x, depth + 1) + deeper(x, depth + 2)  #! nested calls


#: n = 5
#: out -> i32[405, 7, 10]
@triton.jit
def recursion_by_constants(out, n):
    tl.store(out, threefold(n, 4))
    tl.store(out + 1, width_of_tree(tl.arange(0, 8), 0))
    tl.store(out + 2, sum_of((4, 3, 2, 1)))


@triton.jit
def threefold(x, times: tl.constexpr):
    if times == 0:
        return x
    else:
        return threefold(x, times - 1) + 2 * threefold(x, times - 1)


@triton.jit
def width_of_tree(x, depth: tl.constexpr):
    """The types differ at each level, the compile-time values need not."""
    if x.shape[0] == 1:
        return tl.sum(x)
    else:
        return width_of_tree(tl.max(tl.reshape(x, x.shape[0] // 2, 2), axis=1), depth)


@triton.jit
def sum_of(values):
    if len(values) == 0:
        return 0
    else:
        return values[0] + sum_of(values[1:])


#:
@triton.jit
def calls_a_number(p, n):
    x = n(1)  #! 


#: n = 7
#: out -> i64[7]
@triton.jit
def type_annotations(out, n: tl.int64):
    tl.static_assert(n.dtype == tl.int64)
    tl.store(out, n)


#: n = 1
#: out -> i32[1]
@triton.jit
def annotation_disables_folding(out, n: int):
    tl.static_assert(n.dtype == tl.int32)
    tl.store(out, n)


#: stride = 1
#: out -> i32[1]
@triton.jit
def one_is_constexpr(out, stride):
    tl.static_assert(stride == 1)
    x = tl.arange(0, stride)
    tl.store(out, stride)


#: stride = 1
@triton.jit
def one_has_no_methods(p, stride):
    x = stride.to(tl.int64)  #! use tl.cast


#: q = None
#: out -> i32[1]
@triton.jit
def none_is_static(out, q):
    if q is not None:
        tl.store(q, 1)
    tl.store(out, 1)


#: flag = True
#: f = 0.5
#: x = fp16[1]
@triton.jit
def argument_types(p, flag, f, x):
    tl.static_assert(flag.dtype == tl.int1)
    tl.static_assert(f.dtype == tl.float32)
    tl.static_assert(x.dtype.element_ty == tl.float16)
    tl.static_assert(p.dtype == tl.pointer_type(tl.int32))
    tl.static_assert(p.dtype.is_ptr())


#:
@triton.jit
def string_annotations(p: "*i32", n: "i64", m: "fp32", h: "*fp16"):
    tl.static_assert(n.dtype == tl.int64)
    tl.static_assert(m.dtype == tl.float32)
    tl.static_assert(h.dtype.element_ty == tl.float16)


#:
@triton.jit
def constant_pointer(p: "*ki32", n):
    x = tl.load(p)
    tl.store(p, x)  #! const


#: t = (2, 4)
#: out -> i32[2, 4]
@triton.jit
def tuple_argument(out, t: tl.constexpr):
    x = tl.zeros((t[0], t[1]), tl.int32)
    y = zeros_of((t[0], t[1]))
    tl.static_assert(x.shape == (2, 4))
    tl.static_assert(y.shape == (2, 4))
    tl.store(out, t[0])
    tl.store(out + 1, t[1])


@triton.jit
def zeros_of(shape):
    return tl.zeros(shape, tl.int32)


#: out -> i32[3, 30]
@triton.jit
def tuple_to_helper(out, n):
    r = swap((n, 3))
    tl.store(out, r[0])
    tl.store(out + 1, swap((n * 6, (1, 2)))[1])


@triton.jit
def swap(t):
    return t[1] if isinstance(t[1], int) else 0, t[0]


#: out -> i32[16]
@triton.jit
def list_argument(out):
    x = zeros_of([4, 4])
    tl.store(out, x.numel)


#:
@triton.jit
def variadic(p, n):
    x = many(1, 2)


@triton.jit
def many(*args):  #! only plain parameters
    return args[0]


HOST = 3


@triton.jit
def all_defaults(a, i=1, f=2.0, b=True, n=None, t=tl.int32, c=tl.constexpr(4), g=HOST, h=add, k=(1, 2)):
    tl.static_assert(i == 1)
    tl.static_assert(f == 2.0)
    tl.static_assert(b)
    tl.static_assert(n is None)
    tl.static_assert(t == tl.int32)
    tl.static_assert(c == 4)
    tl.static_assert(g == 3)
    return h(a, k[1])


#: out -> i32[3, 15, 7, 321]
@triton.jit
def defaults_of_every_kind(out):
    tl.store(out, all_defaults(1))
    tl.store(out + 1, all_defaults(10, k=(1, 5)))
    tl.store(out + 2, annotated(7, 1, 2, 3, 4))
    tl.store(out + 3, digits(3, *(2, 1)))


@triton.jit
def annotated(a: tl.tensor, b: int, c: tl.constexpr, d: "int", e: "Optional[int]") -> tl.tensor:
    return a


@triton.jit
def digits(a, b, c):
    return a * 100 + b * 10 + c


#:
@triton.jit
def keyword_only(p):
    x = with_keyword_only(1)


@triton.jit
def with_keyword_only(a, *, c=3):  #! only plain parameters
    return a


#:
@triton.jit
def positional_only(p):
    x = with_positional_only(1)


@triton.jit
def with_positional_only(a, /):  #! only plain parameters
    return a


#:
@triton.jit
def keywords_of_any_name(p):
    x = with_keywords(1)


@triton.jit
def with_keywords(a, **others):  #! only plain parameters
    return a


#:
@triton.jit
def returned_numbers(p, n):
    a, b, c = mixed_tuple(n)
    tl.static_assert(b.dtype == tl.int32)
    tl.static_assert(c[0].dtype == tl.float32)
    tl.static_assert(c[1].dtype == tl.int1)
    tl.static_assert(large().dtype == tl.uint32)
    tl.static_assert(by_flag(True).dtype == tl.int32)
    tl.static_assert(by_flag(False).dtype == tl.float32)
    tl.static_assert(len(listed(n)) == 2)
    x = on_one_path(n)
    tl.static_assert(x.dtype == tl.int32)


@triton.jit
def mixed_tuple(n):
    return n, 1, (2.0, True)


@triton.jit
def large():
    return 3000000000


@triton.jit
def by_flag(F: tl.constexpr):
    if F:
        return 1
    else:
        return 2.0


@triton.jit
def listed(n):
    return [n, n + 1]


@triton.jit
def on_one_path(n):
    if n > 100:
        return 1


#:
@triton.jit
def returned_function(p):
    x = gives_function()


@triton.jit
def gives_function():
    return add  #! cannot return function 'add'


#:
@triton.jit
def returned_tuple_with_string(p):
    x = gives_string()


@triton.jit
def gives_string():
    return 1, "x"  #! a tuple that contains a string


#:
@triton.jit
def returned_tuple_with_none(p, n):
    x = gives_none(n)


@triton.jit
def gives_none(n):
    return n, (1, None)  #! a tuple that contains None


#:
@triton.jit
def returned_tuples_differ(p, n):
    x = two_tuples(n)


@triton.jit
def two_tuples(n):
    if n > 3:
        return 1, 2
    return 1, 2.0  #! inconsistent return types


@triton.jit
def store_one(p):
    tl.store(p, 1)


@triton.jit
def returns_its_result(p, n):
    if n > 4:
        return store_one(p)
    nothing = store_one(p + 1)
    tl.static_assert(nothing is None)
    return store_one(p + 2)


# What a function returns that returns nothing may be returned, from a kernel, too.
#: out -> i32[1, 0, 0, 0, 1, 1]
@triton.jit
def nothing_is_returned(out, n):
    tl.store(out + tl.arange(0, 4), 0)
    returns_its_result(out, n)
    return returns_its_result(out + 3, n - 4)


#:
@triton.jit
def nothing_or_a_number(p, n):
    sometimes_nothing(p, n)


@triton.jit
def sometimes_nothing(p, n):
    if n > 4:
        return store_one(p)
    return n  #! inconsistent return types
