# How a launch types its arguments: what becomes a constant, what a run-time value and of which type.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


@triton.jit
def increment(x):
    return x + 1


also = increment


#: x = 0
@triton.jit
def zero(p, x):
    tl.static_assert(x.dtype == tl.int32)


#: x = -1
@triton.jit
def negative(p, x):
    tl.static_assert(x.dtype == tl.int32)


#: x = 2147483647
@triton.jit
def largest_i32(p, x):
    tl.static_assert(x.dtype == tl.int32)


#: x = 2147483648
@triton.jit
def above_i32(p, x):
    tl.static_assert(x.dtype == tl.int64)


#: x = 4294967295
@triton.jit
def largest_u32(p, x):
    tl.static_assert(x.dtype == tl.int64)


#: x = -2147483648
@triton.jit
def least_i32(p, x):
    tl.static_assert(x.dtype == tl.int32)


#: x = -2147483649
@triton.jit
def below_i32(p, x):
    tl.static_assert(x.dtype == tl.int64)


#: x = 9223372036854775807
@triton.jit
def largest_i64(p, x):
    tl.static_assert(x.dtype == tl.int64)


#: x = 9223372036854775808
@triton.jit
def above_i64(p, x):
    tl.static_assert(x.dtype == tl.uint64)


#: x = True
@triton.jit
def boolean(p, x):
    tl.static_assert(x.dtype == tl.int1)


#: x = 1.0
@triton.jit
def real(p, x):
    tl.static_assert(x.dtype == tl.float32)


#: x = 1e300
@triton.jit
def real_beyond_fp32(p, x):
    tl.static_assert(x.dtype == tl.float32)


#: x = 18446744073709551615
#: out -> u64[18446744073709551615]
@triton.jit
def largest_u64(out, x):
    tl.static_assert(x.dtype == tl.uint64)
    tl.store(out, x)


#: x = 18446744073709551616
@triton.jit
def above_u64(p, x):  #! needs more than 64 bits
    pass


#: x = -9223372036854775809
@triton.jit
def below_i64(p, x):  #! needs more than 64 bits
    pass


#: x = inf
#: y = nan
#: z = -inf
#: out -> fp32[inf, nan, -inf]
@triton.jit
def no_numbers(out, x, y, z):
    tl.store(out, x)
    tl.store(out + 1, y)
    tl.store(out + 2, z)


#: x = 1
#: out -> i32[1]
@triton.jit
def one_folds(out, x):
    tl.static_assert(isinstance(x, int))
    if x == 1:
        tl.store(out, 1)
    else:
        undefined(1)


#: x = None
#: out -> i32[1]
@triton.jit(do_not_specialize=["x"])
def none_folds_always(out, x):
    tl.static_assert(x is None)
    tl.store(out, 1)


#: x = "s"
@triton.jit
def string_needs_constexpr(p, x):  #! is not tl.constexpr
    pass


#: x = tl.float16
@triton.jit
def type_needs_constexpr(p, x):  #! is not tl.constexpr
    pass


#: x = (1, "s", tl.float16, None, True, 2.5, (3,))
@triton.jit
def constexpr_tuple(p, x: tl.constexpr):
    tl.static_assert(x[1] == "s")
    tl.static_assert(x[2] == tl.float16)
    tl.static_assert(x[3] is None)
    tl.static_assert(x[4])
    tl.static_assert(x[5] == 2.5)
    tl.static_assert(x[6][0] == 3)


#: x = [1, 2]
#: y = "s"
#: z = tl.bfloat16
#: w = -inf
@triton.jit
def constexprs_of_other_kinds(p, x: tl.constexpr, y: tl.constexpr, z: tl.constexpr, w: tl.constexpr):
    tl.static_assert(len(x) == 2)
    tl.static_assert(y == "s")
    tl.static_assert(z == tl.bfloat16)
    tl.static_assert(w == float("-inf"))


#: x = increment
#: y = also
#: out -> i32[3, 4]
@triton.jit
def functions(out, x: tl.constexpr, y):
    tl.store(out, x(2))
    tl.store(out + 1, y(3))


#: x = fp32[1]
@triton.jit
def array_for_a_constexpr(p, x: tl.constexpr):  #! is tl.constexpr: expected a value, found an array
    pass


#: x = 1
#: y = 5
#: z = True
@triton.jit
def declared_types(p, x: tl.int64, y: "fp16", z: tl.int32):
    tl.static_assert(x.dtype == tl.int64)
    tl.static_assert(y.dtype == tl.float16)
    tl.static_assert(z.dtype == tl.int32)


#: x = None
@triton.jit
def none_for_a_declared_type(p, x: tl.int32):  #! is declared as i32, but the argument is None
    pass


#: x = "s"
@triton.jit
def string_for_a_declared_type(p, x: tl.int32):  #! is not tl.constexpr
    pass


#:
@triton.jit
def defaults(p, x=5, y: tl.constexpr = "s", z=None, w=tl.float16, v=1.5, t=(1, 2), g=True):
    tl.static_assert(x == 5)
    tl.static_assert(y == "s")
    tl.static_assert(z is None)
    tl.static_assert(w == tl.float16)
    tl.static_assert(v == 1.5)
    tl.static_assert(t[1] == 2)
    tl.static_assert(g)


#: x = 7
@triton.jit
def default_with_argument(p, x=5):
    tl.static_assert(x.dtype == tl.int32)


#:
@triton.jit
def missing_argument(p, absent):  #! no argument is given for the parameter 'absent'
    pass


#: out -> i32[5]
@triton.jit
def annotations_without_a_type(out: torch.Tensor, n: "whatever"):
    tl.static_assert(n.dtype == tl.int32)
    tl.store(out, n)


#: n = 16
#: m = 2
#: N = 3
#: M = 4
@triton.jit
def annotations_in_quotes(p, n: "tl.int64", m: "double", N: "tl.constexpr", M: "constexpr[int]"):
    tl.static_assert(n.dtype == tl.int64)
    tl.static_assert(m.dtype == tl.float64)
    tl.static_assert(N == 3)
    tl.static_assert(M == 4)


#: a = 1
#: b = 2
#: c = 3
#: d = 4
#: e = 5
#: f = 6
@triton.jit
def spellings_of_types(p, a: "int32_t", b: "uint8", c: "half", d: "bf16", e: tl.uint16, f: float):
    tl.static_assert(a.dtype == tl.int32)
    tl.static_assert(b.dtype == tl.uint8)
    tl.static_assert(c.dtype == tl.float16)
    tl.static_assert(d.dtype == tl.bfloat16)
    tl.static_assert(e.dtype == tl.uint16)
    tl.static_assert(f.dtype == tl.float32)


#:
@triton.jit
def const_pointers(p: tl.const, u: "const uint32*", f: "*kfp32", h: "tl.const", b: "const"):
    tl.store(p, 1)  #! pointer to const
    tl.store(u, 1)  #! pointer to const
    tl.store(f, 1.0)  #! pointer to const
    tl.store(h, 1.0)  #! pointer to const
    tl.store(b, 1.0)  #! pointer to const


#: q = i32[0] -> i32[1]
@triton.jit
def annotation_that_loses_const(q: tl.pointer_type(tl.int32, const=True)):
    tl.store(q, 1)


#:
@triton.jit
def undefined_annotation(p, n: Missing):  #! 'Missing' is not defined
    pass
