# Pointwise activations that models use: GELU with erf and with tanh, its gradient, SiLU backward, squared ReLU, leaky
# ReLU, clip, softplus with a threshold, ELU and mish.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: gelu_none
# TYPES: fp32 bf16
# SIZES: n=1 | n=1000 | n=4096
# BENCH: n=16777216 T=bf16
# ARG: x randn(0,2):T[n]
# ARG: out empty:T[n]
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
#
# KERNEL: gelu_tanh_backward
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
# KERNEL: silu_backward
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
def gelu_none(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offsets, mask=offsets < n)
    scale: tl.constexpr = 0.7071067811
    wide = value.to(tl.float32)
    output = 0.5 * wide * (1 + tl.math.erf(wide * scale))
    tl.store(out + offsets, output.to(value.dtype), mask=offsets < n)


@triton.jit
def gelu_tanh_backward(dy, x, dx, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    grad = tl.load(dy + offsets, mask=mask)
    x_fp32 = tl.load(x + offsets, mask=mask).to(tl.float32)
    inner = 0.79788456 * x_fp32 * (1 + 0.044715 * x_fp32 * x_fp32)
    tanh_out = libdevice.tanh(inner)
    d = 0.5 * x_fp32 * ((1 - tanh_out * tanh_out) * (0.79788456 + 0.1070322243 * x_fp32 * x_fp32)) + 0.5 * (1 + tanh_out)
    tl.store(dx + offsets, d * grad, mask=mask)


@triton.jit
def silu_backward(dy, x, dx, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    dy_fp32 = tl.load(dy + offsets, mask=mask).to(tl.float32)
    x_fp32 = tl.load(x + offsets, mask=mask).to(tl.float32)
    sigma = tl.fdiv(1.0, 1.0 + tl.exp(-x_fp32))
    tl.store(dx + offsets, dy_fp32 * sigma * (1.0 + x_fp32 * (1.0 - sigma)), mask=mask)


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


def gelu_none_reference(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def gelu_tanh_backward_reference(dy, x):
    t = np.tanh(0.7978845608 * (x + 0.044715 * x**3))
    return dy * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608 * (1 + 3 * 0.044715 * x * x))


def silu_backward_reference(dy, x):
    s = 1 / (1 + np.exp(-x))
    return dy * s * (1 + x * (1 - s))


def pointwise_reference(x, a, b, KIND):
    return [np.maximum(x, 0)**2, np.where(x > 0, x, a * x), np.clip(x, -a, b),
            np.where(x * b > 4, x, np.log1p(np.exp(x * b)) / b), np.where(x > 0, x, a * np.expm1(x)),
            x * np.tanh(np.log1p(np.exp(x)))][KIND]
