# How libraries import what may not be there: Triton itself under names that are None before, a function from
# where the version of Triton has it, another vendor's libdevice.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
triton = None
tl = None
try:
    import triton
    import triton.language as tl

    HAS_TRITON = True
except ImportError:
    HAS_TRITON = False

import operator

from some_library import compare_version, is_npu_available

if compare_version("triton", operator.ge, "3.0.0") and not is_npu_available():
    try:
        from triton.language.extra.libdevice import rsqrt
    except ModuleNotFoundError:
        from triton.language.extra.cuda.libdevice import rsqrt
else:
    from triton.language.math import rsqrt

if is_npu_available():
    from triton.language.extra.hip import libdevice
else:
    from triton.language.extra.cuda import libdevice


if HAS_TRITON:

    @triton.jit
    def power(x, n):
        return tl.extra.hip.libdevice.pow(x, n)


#: x = fp32[4, 16]
#: out -> fp32[0.5, 0.25, 16, 256]
@triton.jit
def functions_of_libraries(x, out):
    i = tl.arange(0, 2)
    tl.store(out + i, rsqrt(tl.load(x + i)))
    tl.store(out + 2 + i, power(tl.load(x + i), 2.0))


def jit_if_there(f):
    """What is there decides, not the call."""
    if triton is None:
        return f
    return triton.jit(f)


def jit_or_not(f):
    return triton.jit(f) if HAS_TRITON else f


@jit_or_not
def doubled(x):
    return x * 2


#: SIZES = (2, 3)
#: out -> i32[6]
@jit_if_there
def kernel_of_a_decorator(out, SIZES: tl.constexpr):
    tl.store(out, doubled(tl.constexpr(SIZES).value[1]))


#: x = fp32[-1.5]
#: out -> fp32[1.5]
@triton.jit
def one_libdevice(x, out):
    tl.store(out, libdevice.abs(tl.load(x, cache_modifier=False)))
