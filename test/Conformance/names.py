# Imports, globals, and what a name may mean.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


import math
import triton as T
from triton import language as L
from triton.language import arange, load as get
from triton.language.math import exp
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as nv
from triton.language.extra.libdevice import floor as dfloor

GLOBAL = tl.constexpr(16)
DERIVED = tl.constexpr(GLOBAL.value * 2)
DTYPE = tl.float16
NOTHING = None
PLAIN = 16
ANNOTATED: tl.constexpr = 16
LIST = [1, 2]


@triton.jit
def increment(x):
    return x + 1


alias = increment


def host(x):
    return x


class Unrelated:
    value = 1


@triton.constexpr_function
def log2_floor(n, base=2):
    result = 0
    while n >= base:
        n //= base
        result += 1
    return result


@triton.constexpr_function
def width_of(x):
    if x.dtype.primitive_bitwidth > 16:
        return x.shape[0]
    return 0


#: out -> i32[120]
@triton.jit
def aliases(out):
    x = arange(0, 16)
    y = L.arange(0, GLOBAL)
    tl.static_assert(T.cdiv(100, 16) == 7)
    tl.static_assert(triton.next_power_of_2(100) == 128)
    tl.store(out, L.sum(x + y, 0) // 2)


#: x = fp32[2.75]
#: out -> fp32[1, 2, 2, 2, 2]
@triton.jit
def imported_functions(out, x):
    v = get(x)
    tl.store(out, exp(v - v))
    tl.store(out + 1, libdevice.floor(v))
    tl.store(out + 2, nv.floor(v))
    tl.store(out + 3, dfloor(v))
    tl.store(out + 4, tl.extra.cuda.libdevice.floor(v))


#: out -> i32[32, 7]
@triton.jit
def usable_globals(out):
    tl.static_assert(DTYPE == tl.float16)
    tl.static_assert(NOTHING is None)
    tl.store(out, DERIVED)
    tl.store(out + 1, alias(6))


#:
@triton.jit
def plain_global(p):
    x = tl.arange(0, PLAIN)  #! cannot read the global 'PLAIN'


#:
@triton.jit
def annotated_global(p):
    x = tl.arange(0, ANNOTATED)  #! cannot read the global 'ANNOTATED'


#:
@triton.jit
def list_global(p):
    x: tl.constexpr = LIST  #! cannot read the global 'LIST'


#:
@triton.jit
def host_function(p, n):
    x = host(n)  #! host function 'host'


#:
@triton.jit
def unrelated_class(p, n):
    x = Unrelated()  #! class 'Unrelated'


#:
@triton.jit
def python_builtins(p, n):
    a = abs(n)  #! 'abs' is not defined
    b = sum((1, 2))  #! 'sum' is not defined
    c = round(n)  #! 'round' is not defined
    d: tl.constexpr = str(1)  #! 'str' is not defined
    e: tl.constexpr = bool(1)  #! 'bool' is not defined


#:
@triton.jit
def constexpr_functions(p):
    tl.static_assert(log2_floor(128) == 7)
    tl.static_assert(log2_floor(81, base=3) == 4)
    tl.static_assert(log2_floor(GLOBAL) == 4)
    x = tl.zeros([8], tl.float32)
    tl.static_assert(width_of(x) == 8)
    tl.static_assert(width_of(x.to(tl.float16)) == 0)
    y = tl.arange(0, triton.next_power_of_2(width_of(x) + 1))
    tl.static_assert(y.shape == (16,))


#:
@triton.jit
def constexpr_function_of_runtime(p, n):
    x = triton.cdiv(n, 2)  #! 


#: out -> fp32[3.1415927410125732]
@triton.jit
def host_math(out):
    tl.static_assert(math.log2(8) == 3)
    tl.static_assert(math.ceil(2.5) == 3)
    tl.static_assert(math.inf == float("inf"))
    tl.static_assert(math.log10(1000) == 3 and math.log(8, 2) == 3 and math.exp(0) == 1 and math.sqrt(16) == 4)
    tl.static_assert(math.sin(0) == 0 and math.cos(0) == 1 and math.tan(0) == 0 and math.tanh(0) == 0)
    tl.static_assert(math.erf(0) == 0 and math.fabs(-2) == 2 and math.floor(-2.5) == -3 and math.trunc(-2.5) == -2)
    tl.static_assert(math.acos(1) == 0 and math.asin(0) == 0 and math.atan(0) == 0 and math.radians(180) == math.pi)
    tl.static_assert(math.acosh(1) == 0 and math.asinh(0) == 0 and math.atanh(0) == 0 and math.cosh(0) == 1)
    tl.static_assert(math.sinh(0) == 0 and math.fabs(math.cbrt(27) - 3) < 1e-15 and math.expm1(0) == 0 and math.log1p(0) == 0)
    tl.static_assert(math.erfc(0) == 1 and math.gamma(5) == 24 and math.lgamma(1) == 0 and math.remainder(7, 4) == -1)
    tl.static_assert(math.pow(2, 10) == 1024 and math.tau == 2 * math.pi and math.e > 2.718)
    tl.store(out, math.pi)


#:
@triton.jit
def host_math_of_tensor(p, s):
    x = math.exp(s)  #! 


#:
@triton.jit
def python_functions(p, n):
    t: tl.constexpr = (1, 2, 3)
    tl.static_assert(len(t) == 3)
    tl.static_assert(len(list((1, 2, 3))) == 3 and list(t)[1] == 2)
    tl.static_assert(int(2.75) == 2)
    tl.static_assert(float(2) == 2.0)
    tl.static_assert(float("-inf") < 0)
    tl.static_assert(isinstance(n, tl.tensor))
    tl.static_assert(isinstance(t, tl.tuple))
    tl.static_assert(not isinstance(t, int))
    tl.static_assert(not isinstance(t, (tl.tuple_type, tl.constexpr_type, tl.slice, tl.tensor_descriptor_type)))
    tl.static_assert(isinstance(1.5, (int, float)))
    tl.static_assert(getattr(n, "dtype") == tl.int32)
    tl.static_assert(getattr(n, "missing", 4) == 4)
    tl.static_assert(hasattr(n, "shape"))
    tl.static_assert(not hasattr(n, "missing"))
    tl.static_assert(min(3, 1, 2) == 1)
    tl.static_assert(max(3, 1.5) == 3)


#: out -> i32[2, 7]
@triton.jit
def min_of_tensors(out, n):
    tl.store(out, min(n, 4, 2))
    tl.store(out + 1, max(n, 7))


#:
@triton.jit
def min_errors(p, n):
    a = min(n)  #! two or more
    b: tl.constexpr = max((1, 2))  #! 


#:
@triton.jit
def length_of_tensor(p):
    x: tl.constexpr = len(tl.arange(0, 4))  #! 


#:
@triton.jit
def unknown_member(p, n):
    x = tl.tanh(n)  #! no member 'tanh'
    y = tl.pow(n, n)  #! no member 'pow'
    z = tl.isnan(n)  #! no member 'isnan'
    w = tl.squeeze(n)  #! no member 'squeeze'
    v = tl.math.tanh(n)  #! no member 'tanh'


A1 = A2 = tl.constexpr(3)
B1, B2 = tl.constexpr(4), tl.constexpr(5)
CHOSEN = tl.constexpr(GLOBAL.value // 2) if True else None
COMPUTED = -(GLOBAL * 2)
TUPLE = tl.constexpr((1, 2))
POINTER = tl.pointer_type(tl.int32)
DICT = {"a": 1}
FLAG = True
FUNCTION = lambda x: x


#: out -> i32[3, 3, 4, 5, 8, -32]
@triton.jit
def globals_of_any_form(out):
    tl.store(out, A1)
    tl.store(out + 1, A2)
    tl.store(out + 2, B1)
    tl.store(out + 3, B2)
    tl.store(out + 4, CHOSEN)
    tl.store(out + 5, COMPUTED)
    tl.static_assert(TUPLE[1] == 2)
    tl.static_assert(out.dtype == POINTER)


#:
@triton.jit
def more_plain_globals(p):
    a: tl.constexpr = FLAG  #! cannot read the global 'FLAG'
    b: tl.constexpr = DICT["a"]  #! cannot read the global 'DICT'
    c: tl.constexpr = FUNCTION(1)  #! cannot call


#:
@triton.jit
def more_python_builtins(p, n):
    a: tl.constexpr = zip((1,), (2,))  #! 'zip' is not defined
    b: tl.constexpr = enumerate((1,))  #! 'enumerate' is not defined
    c: tl.constexpr = type(n)  #! 'type' is not defined
    d = pow(n, 2)  #! 'pow' is not defined
    e: tl.constexpr = tuple((1, 2))  #! 'tuple' is not defined
    f: tl.constexpr = sorted((1, 2))  #! 'sorted' is not defined
    g: tl.constexpr = __name__  #! '__name__' is not defined
    h: tl.constexpr = divmod(7, 2)  #! 'divmod' is not defined


#:
@triton.jit
def python_functions_of_other_things(p, n):
    a = int(n)  #! a compile-time number
    b = float(n)  #! a string or a compile-time number
    c = len(n)  #! a tuple
    d: tl.constexpr = int("x")  #! a compile-time number
    e: tl.constexpr = float("x")  #! cannot read 'x' as a float
    f = isinstance(n)  #! missing argument
    g = isinstance(n, 5)  #! does not know constexpr int as a class
    h = getattr(n, "missing")  #! no attribute 'missing'
    i = range(5)  #! in the header of a 'for' only
    j = min()  #! two or more


#:
@triton.jit
def classes_of_types(p, n):
    tl.static_assert(isinstance(n.dtype, tl.dtype))
    tl.static_assert(isinstance(p.dtype, tl.pointer_type))
    tl.static_assert(not isinstance(n.dtype, tl.pointer_type))
    tl.static_assert(isinstance(tl.arange(0, 4).type, tl.block_type))
    tl.static_assert(isinstance(True, int))
    tl.static_assert(int("12") == 12)
    tl.static_assert(int(-2.5) == -2)
    tl.static_assert(len("abc") == 3)
    tl.static_assert(getattr(tl, "float16") == tl.float16)
    tl.static_assert(not hasattr(tl, "float17"))


#:
@triton.jit
def functions_of_math(p):
    tl.static_assert(math.gcd(12, 18, 8) == 2)
    tl.static_assert(math.lcm(4, -6) == 12)
    tl.static_assert(math.factorial(25) == 15511210043330985984000000)
    tl.static_assert(math.comb(10, 3) == 120)
    tl.static_assert(math.isqrt(9223372036854775807) == 3037000499)
    tl.static_assert(math.prod((1, 2, 3)) == 6)
    tl.static_assert(math.isnan(math.nan) and math.isinf(-math.inf) and math.isfinite(1))
    tl.static_assert(math.fmod(-7, 3) == -1.0)
    tl.static_assert(math.copysign(1, -0.0) == -1.0)
    tl.static_assert(math.hypot(3, 4) == 5.0)
    tl.static_assert(math.atan2(0, 1) == 0.0)
    tl.static_assert(math.degrees(math.pi) == 180.0)
    tl.static_assert(math.exp2(GLOBAL) == 65536.0)
    tl.static_assert(math.log(8, 2) == 3.0)


#:
@triton.jit
def errors_of_math(p, n):
    a: tl.constexpr = math.exp(1000)  #! no finite value
    b: tl.constexpr = math.log(0)  #! not defined
    c: tl.constexpr = math.log2(0)  #! no finite value
    d: tl.constexpr = math.sqrt(-1)  #! not defined for -1
    e: tl.constexpr = math.factorial(-1)  #! negative
    f: tl.constexpr = math.factorial(100000)  #! too many factors
    g: tl.constexpr = math.gcd(n)  #! constexpr integers
    h: tl.constexpr = math.lcm(9223372036854775807, 9223372036854775806)  #! 64 bits
    i: tl.constexpr = math.ceil(math.inf)  #! cannot convert inf
    j: tl.constexpr = math.pow(-8, 1 / 3)  #! not defined
    k: tl.constexpr = math.nosuch(1)  #! no member 'nosuch'


#:
@triton.jit
def misspelt_names(p, n):
    tl.stor(p, 1)  #! did you mean 'store'?
    lt.load(p)  #! did you mean 'tl'?
    tl.float_16  #! did you mean 'float16'?
    tl.maths.exp(1.0)  #! did you mean 'math'?
    tl.math.expp(1.0)  #! did you mean 'exp
    n.tto(tl.int32)  #! did you mean 'to'?
    Increment(n)  #! did you mean 'increment'?
    tl.max(tl.arange(0, 4), axs=0)  #! did you mean 'axis'?
    trition.cdiv(1, 2)  #! did you mean 'triton'?
    triton.cdvi(1, 2)  #! did you mean 'cdiv'?
    tl.zeros([4], tl.flaot32)  #! did you mean 'float32'?


#:
@triton.jit
def things_that_are_not_callable(p, n):
    n()  #! int32 is not callable
    (1, 2)()  #! is not callable
    tl()  #! is not callable
    tl.int32(n)  #! convert with x.to(tl.int32)
    tl.tensor(n, n)  #! tl.tensor is not callable in a kernel
    "x".missing()  #! has no attribute 'missing'
    None.x  #! has no attribute 'x'
    tl.static_range(3)  #! in the header of a 'for' only
    tl.condition(n > 1)  #! in the header of a 'while' only


#:
@triton.jit
def names_of_other_languages(p, n):
    a = true  #! did you mean 'True'?
    b = false  #! did you mean 'False'?
    c = none  #! did you mean 'None'?
    d = null  #! 'null' is not defined
