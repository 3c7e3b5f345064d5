# Definitions that the module chooses by the version, the environment or what the language has.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import cmath
import functools
import importlib
import inspect
import operator
import os
import sys

import numpy as np
import packaging.version
import torch
import triton
import triton.language as tl
from packaging import version
from packaging.version import Version
from triton.language import core

MAJOR, MINOR = (int(part) for part in triton.__version__.split(".")[:2])
THREE = version.parse(triton.__version__) >= version.parse("3.0.0")
NUMBERS = tuple(map(int, triton.__version__.split(".")))


def has(name):
    return hasattr(tl, name)


if Version(triton.__version__) >= Version("3.0.0"):
    cast = tl.cast

    @triton.jit
    def newest(x):
        return x + 1
else:
    @triton.jit
    def cast(x, dtype):
        return x.to(dtype)

    @triton.jit
    def newest(x):
        return x + 2


if MAJOR < 2 or (MAJOR == 2 and MINOR < 2):
    SEVEN = tl.constexpr(6)
elif THREE and NUMBERS >= (3, 1):
    SEVEN = tl.constexpr(7)
else:
    SEVEN = tl.constexpr(8)

if os.environ.get("NOBODY_SETS_THIS", "0") == "1" or os.getenv("NOR_THIS"):
    fast_exp = tl.exp2
else:
    fast_exp = tl.exp

if torch.version.hip:
    from triton.language.extra.hip.libdevice import log1p
else:
    from triton.language.extra.cuda.libdevice import log1p

if not has("gather"):
    @triton.jit
    def pick(x, i):
        return 0
else:
    @triton.jit
    def pick(x, i):
        return i

# What a name was before the condition goes into what it is behind it.
integer_type = core.get_int_dtype
if version.parse(triton.__version__) >= version.parse("3.5.0"):
    integer_type = triton.constexpr_function(integer_type)

DOT_TAKES = inspect.signature(tl.dot).parameters
if "input_precision" in DOT_TAKES and "precision" not in DOT_TAKES and "x" in inspect.signature(newest).parameters:
    @triton.jit
    def by_parameters(x):
        return x * 3
else:
    @triton.jit
    def by_parameters(x):
        return x * 4


# In the order of the file: the last one that is executed counts.
CHOICE = tl.constexpr(3) if THREE else tl.constexpr(4)
LATER = tl.constexpr(1)
if packaging.version.parse("3.10") > packaging.version.parse("3.9.1"):
    LATER = tl.constexpr(2)

if torch.somebody.knows():
    UNKNOWN = tl.constexpr(1)
else:
    UNKNOWN = tl.constexpr(2)


#: out -> i32[11, 7, 5, 2, 3]
@triton.jit
def chosen(out):
    tl.store(out, newest(10))
    tl.store(out + 1, SEVEN)
    tl.store(out + 2, pick(1, 5))
    tl.store(out + 3, LATER)
    tl.store(out + 4, CHOICE)


#: out -> fp32[3, 1, 0, 12]
@triton.jit
def chosen_functions(out):
    tl.store(out, cast(3, tl.float32))
    tl.store(out + 1, fast_exp(0.0))
    tl.store(out + 2, log1p(0.0))
    tl.store(out + 3, by_parameters(tl.program_id(0) + 4).to(integer_type(bitwidth=8, signed=True)).to(tl.float32))


MOST = tl.constexpr(sys.maxsize)
LARGEST = tl.constexpr(sys.float_info.max)


#: out -> fp32[3.1415927, inf, 3.1415927]
#: most -> i64[9223372036854775807]
#: largest -> fp64[1.7976931348623157e308]
@triton.jit
def numbers_of_modules(out, most, largest):
    tl.store(out, np.pi)
    tl.store(out + 1, torch.inf)
    tl.store(out + 2, cmath.pi)
    tl.store(most, MOST)
    tl.store(largest, LARGEST)


#:
@triton.jit
def not_known(p):
    tl.store(p, UNKNOWN)  #! several definitions under conditions


#:
@triton.jit
def host_functions_stay_out(p):
    x = has("gather")  #! only @triton.jit functions can be called


#:
@triton.jit
def other_modules_stay_out(p):
    x = os.getenv("A")  #! 'getenv' cannot be used in a kernel


#:
@triton.jit
def generators_stay_out(p):
    x = (i for i in (1, 2))  #! a generator expression is not supported in a kernel


def version_of(package):
    try:
        return Version(importlib.import_module(package).__version__)
    except ImportError:
        return None


@functools.cache
def has_other_device():
    try:
        from somewhere.devices import is_other_device

        return is_other_device()
    except Exception:
        return False


IS_NVIDIA = triton.runtime.driver.active.get_current_target().backend == "cuda"

if operator.ge(version_of("triton"), Version("3.0.0")) and not has_other_device():

    @triton.jit
    def chosen_by_functions():
        return 1

else:

    @triton.jit
    def chosen_by_functions():
        return 2


if IS_NVIDIA:

    @triton.jit
    def chosen_by_target():
        return 3

else:

    @triton.jit
    def chosen_by_target():
        return 4


#: out -> i32[1, 3]
@triton.jit
def tries_and_targets(out):
    tl.store(out, chosen_by_functions())
    tl.store(out + 1, chosen_by_target())


# Types of torch are none of the language, as in Python.
#: h -> fp16[2, 0, 4]
@triton.jit
def types_of_torch(h):
    dtype = h.dtype.element_ty
    if (dtype == tl.float16) & (dtype != torch.float16):
        tl.store(h, 2.0)
    if (dtype == torch.float16) | (torch.float32 == dtype):
        tl.store(h + 1, 3.0)
    else:
        tl.store(h + 1, 0.0)
    tl.static_assert(dtype != np.float16)
    tl.store(h + 2, 4.0)


#:
@triton.jit
def order_of_types(h):
    tl.static_assert(h.dtype.element_ty < torch.float16)  #! cannot use a type of the host program
