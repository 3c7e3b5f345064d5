# What files of libraries do around and in their kernels: names that are bound twice, decorators that only wrap a
# launch, texts for assembly that functions make, types by their names.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import importlib.util
import os

import torch
import triton
import triton.language as tl
from some_library import HAS_TRITON as there_is_triton
from some_library import IS_HIP, Version, backend, current_platform

# Code of the module sees what is bound before it, kernels see what is bound last.
platform = "nvidia"
IS_NVIDIA = platform == "nvidia"
platform = "cuda"
platform = platform + "!"
LAST = tl.constexpr(len(platform))


def length():
    return len(platform)


platform = "rocm and more"
LENGTH = tl.constexpr(length())

if IS_NVIDIA:
    CHOSEN = tl.constexpr(1)
else:
    CHOSEN = tl.constexpr(2)

HAS_TRITON = importlib.util.find_spec("triton") is not None

if HAS_TRITON:

    @triton.jit
    def one():
        return 1

else:

    @triton.jit
    def one():
        return 2


TRITON3 = there_is_triton and (Version(triton.__version__) >= Version("3.0.0"))

if TRITON3:

    @triton.jit
    def of_release():
        return 3

else:

    @triton.jit
    def of_release():
        return 2


if current_platform.is_rocm():

    @triton.jit
    def of_platform():
        return 1

elif not IS_HIP:

    @triton.jit
    def of_platform():
        return 2

else:

    @triton.jit
    def of_platform():
        return 3


try:
    shim = backend.functions()
except ImportError:
    try:
        shim = triton.language.extra.libdevice
    except AttributeError:
        shim = triton.language.math

popc = shim.popc

if Version(triton.__version__) >= Version("3.0.0"):

    @triton.jit
    def of_version():
        return 4

else:

    @triton.jit
    def of_version():
        return 5


@triton.jit
def of_nobody():
    return 6


if backend.vendor_name == "somebody":
    of_vendor = of_nobody
else:
    of_vendor = of_version


SIZE = 5


@triton.jit
def default_of_then(x: tl.constexpr = SIZE):
    return x


SIZE = 6


#: out -> i32[1, 5, 13, 1, 2, 4, 4, 3, 5, 5, 3]
@triton.jit
def bound_twice(out, size: tl.constexpr = SIZE - 1):
    tl.store(out + 8, default_of_then())
    tl.store(out + 10, of_release())
    tl.store(out + 9, size)
    tl.store(out + 5, of_version())
    tl.store(out + 6, of_vendor())
    tl.store(out + 7, popc(tl.program_id(0) + 7))
    tl.store(out + 4, of_platform())
    tl.store(out, CHOSEN)
    tl.store(out + 1, LAST)
    tl.store(out + 2, LENGTH)
    tl.store(out + 3, one())


def wrapped(p):
    tl.store(p, 3)


def tuner():
    if os.environ.get("NOBODY_SETS_THIS"):
        return triton.autotune(configs=[triton.Config({})], key=[])

    def wrapper(function):
        print("a launch")
        return triton.heuristics({})(function)

    return wrapper


wrapped = triton.jit(wrapped)
wrapped = tuner()(wrapped)


def assembly(n):
    text = ""
    for i in range(n):
        text += "{{ " + "add.s32 ${to}, ${{left}}, {by};".replace("{{", "{").replace("}}", "}").format(
            to=i, left=i + n, by=3) + " }}\n"
    return " ".join(text.split("\n"))


ADD: tl.constexpr = tl.constexpr(assembly(2))


#: out -> i32[1]
@triton.jit
def text_for_assembly(out):
    tl.static_assert(ADD == "{{ add.s32 $0, $2, 3; }} {{ add.s32 $1, $3, 3; }} ")
    tl.store(out, 1)


@tl.constexpr
def wide(dtype):
    return tl.float32 if dtype.is_fp16() or dtype.is_bf16() else dtype


@triton.jit
def lowest(dtype: tl.constexpr):
    kind = dtype.value
    if kind.is_floating():
        value: tl.constexpr = float("-inf")
        return value
    if kind.is_int_signed():
        bits: tl.constexpr = kind.int_bitwidth
        value: tl.constexpr = -1 * 2**(bits - 1)
        return value


#: x = fp16[0.5, 2]
#: n = i32[3]
#: out -> fp32[2.5, -inf]
#: more -> i32[-2147483648, 14336, 3]
@triton.jit
def types(x, n, out, more):
    kind: tl.constexpr = wide(x.dtype.element_ty)
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, 2)).to(kind), 0))
    tl.store(out + 1, lowest(x.dtype.element_ty))
    tl.store(more, lowest(n.dtype.element_ty))
    size: tl.constexpr = x.dtype.element_ty.primitive_bitwidth
    word: tl.constexpr = tl.dtype(f"uint{size}")
    tl.store(more + 1, tl.load(x).to(word, bitcast=True).to(tl.int32))
    tl.store(more + 2, tl.load(n, cache_modifier=None, eviction_policy=None))


#: out -> fp32[-3.4028234663852886e38, 1.1920928955078125e-07]
@triton.jit
def limits(out):
    tl.store(out, -torch.finfo(torch.float32).max)
    tl.store(out + 1, torch.finfo(torch.float32).eps)


#: lock = u32[0] -> u32[7]
@triton.jit
def unsigned_lock(lock):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.atomic_xchg(lock, 7)


SIZE = 7
SIZES = ["n"]


#: out -> i32[8, 8, 8]
#: n = 5
#: m = 3
@triton.jit(do_not_specialize=SIZES + ["m"])
def unspecialized_by_sum(out, n, m):
    tl.store(out + tl.arange(0, 4), n + m, tl.arange(0, 4) < 3)


#: out -> i32[8]
#: n = 5
#: m = 3
@triton.jit(do_not_specialize=["n", "m"] if backend.wants() else ["n"])
def unspecialized_by_condition(out, n, m):
    tl.store(out, n + m)


#: out -> i32[5]
#: n = 5
@triton.jit(do_not_specialize=SIZES)
def unspecialized_by_name(out, n):
    tl.store(out, n)


#:
@triton.jit
def no_such_type(f):
    tl.store(f, tl.zeros([1], tl.dtype("uint31")).sum(0))  #! there is no type 'uint31'


#:
@triton.jit
def type_of_torch(f):
    tl.store(f, tl.zeros([1], tl.dtype("float32")).sum(0))  #! there is no type 'float32'


#:
@triton.jit
def torch_type(f):
    tl.store(f, tl.zeros([], torch.float32))  #! must be a type such as tl.float32
