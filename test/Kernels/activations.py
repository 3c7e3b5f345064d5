# Pointwise activations that models use: GELU with erf and with tanh, its gradient, SiLU backward, squared ReLU, leaky
# ReLU, clip, softplus with a threshold, ELU and mish.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: gelu_erf
# TYPES: fp32 bf16
# SIZES: n=1 | n=1000 | n=4096
# BENCH: n=16777216 T=bf16
# ARG: x randn(0,2):T[n]
# ARG: out empty:T[n]
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
#
# KERNEL: gelu_tanh_slope
# TYPES: fp32 fp16
# SIZES: n=1 | n=1000 | n=4096
# BENCH: n=16777216 T=fp16
# ARG: dy randn:T[n]
# ARG: x randn(0,2):T[n]
# ARG: dx empty:T[n]
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
# TOLERANCE: dx 1e-3 1e-4
#
# KERNEL: silu_slope
# TYPES: fp32 bf16
# SIZES: n=1 | n=1000 | n=4096
# BENCH: n=16777216 T=bf16
# ARG: dy randn:T[n]
# ARG: x randn(0,2):T[n]
# ARG: dx empty:T[n]
# ARG: n n
# CONST: BLOCK 512
# GRID: cdiv(n, BLOCK)
#
# KERNEL: pointwise
# TYPES: fp32 fp16
# SIZES: n=1 KIND=0 | n=1000 KIND=0 | n=1000 KIND=1 | n=1000 KIND=2 | n=1000 KIND=3 | n=4096 KIND=4 | n=4096 KIND=5
# BENCH: n=16777216 KIND=5 T=fp16
# ARG: x randn(0,3):T[n]
# ARG: out empty:T[n]
# ARG: a 0.2
# ARG: b 1.5
# ARG: n n
# CONST: KIND KIND
# CONST: BLOCK 2048
# GRID: cdiv(n, BLOCK)
# TOLERANCE: out 2e-3 2e-4
import triton
import triton.language as tl
from triton.language.extra import libdevice

RELU2 = tl.constexpr(0)
LEAKY = tl.constexpr(1)
CLIP = tl.constexpr(2)
SOFTPLUS = tl.constexpr(3)
ELU = tl.constexpr(4)
MISH = tl.constexpr(5)


@triton.jit
def gelu_erf(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n).to(tl.float32)
    ROOT_HALF: tl.constexpr = 0.5**0.5
    below = 0.5 + 0.5 * tl.erf(ROOT_HALF * v)
    tl.store(out + i, (v * below).to(out.dtype.element_ty), mask=i < n)


@triton.jit
def gelu_tanh_slope(dy, x, dx, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n).to(tl.float32)
    ROOT_TWO_OVER_PI: tl.constexpr = (2 / 3.141592653589793)**0.5
    t = libdevice.tanh(ROOT_TWO_OVER_PI * tl.fma(0.044715 * v * v, v, v))
    steep = ROOT_TWO_OVER_PI * tl.fma(3 * 0.044715 * v, v, 1.0)
    # d/dv of v (1 + t) / 2, where t' = (1 - t)(1 + t) times the inner slope.
    slope = 0.5 * (1 + t) * (1 + v * (1 - t) * steep)
    tl.store(dx + i, tl.load(dy + i, mask=i < n) * slope, mask=i < n)


@triton.jit
def silu_slope(dy, x, dx, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0).to(tl.float32)
    share = tl.fdiv(1.0, tl.exp(-v) + 1.0)
    slope = tl.fma(v * share, 1.0 - share, share)
    tl.store(dx + i, slope * tl.load(dy + i, mask=i < n, other=0).to(tl.float32), mask=i < n)


@triton.jit
def apply(x, a, b, KIND: tl.constexpr):
    if KIND == RELU2:
        y = tl.maximum(x, 0.0)
        y = y * y
    elif KIND == LEAKY:
        y = tl.where(x > 0, x, x * a)
    elif KIND == CLIP:
        y = tl.clamp(x, -a, b)
    elif KIND == SOFTPLUS:
        y = tl.where(x * b > 4.0, x, libdevice.log1p(tl.exp(x * b)) / b)
    elif KIND == ELU:
        y = tl.where(x > 0, x, a * libdevice.expm1(x))
    else:
        tl.static_assert(KIND == MISH, "unknown kind")
        y = x * libdevice.tanh(tl.log(1 + tl.exp(x)))
    return y


@triton.jit
def pointwise(x, out, a, b, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    value = tl.load(x + offsets, mask=mask, other=0.0)
    tl.store(out + offsets, apply(value.to(tl.float32), a, b, KIND).to(out.dtype.element_ty), mask=mask)


def gelu_erf_reference(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def gelu_tanh_slope_reference(dy, x):
    t = np.tanh(0.7978845608 * (x + 0.044715 * x**3))
    return dy * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608 * (1 + 3 * 0.044715 * x * x))


def silu_slope_reference(dy, x):
    s = 1 / (1 + np.exp(-x))
    return dy * s * (1 + x * (1 - s))


def pointwise_reference(x, a, b, KIND):
    return [np.maximum(x, 0)**2, np.where(x > 0, x, a * x), np.clip(x, -a, b),
            np.where(x * b > 4, x, np.log1p(np.exp(x * b)) / b), np.where(x > 0, x, a * np.expm1(x)),
            x * np.tanh(np.log1p(np.exp(x)))][KIND]
