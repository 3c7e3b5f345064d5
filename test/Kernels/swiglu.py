# SwiGLU, forward and backward over rows, with a helper for SiLU and its slope; and the product of the two halves
# of one array, gate first.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: swiglu_forward
# TYPES: fp32 bf16
# SIZES: rows=1 n=1 | rows=3 n=781 | rows=2 n=4096
# BENCH: rows=4096 n=11008 T=bf16
# ARG: gate randn:T[rows,n]
# ARG: up randn:T[rows,n]
# ARG: out empty:T[rows,n]
# ARG: stride n
# CONST: WIDTH n
# CONST: BLOCK next_power_of_2(n)
# GRID: rows
# WARPS: 16
# TOLERANCE: out 2e-2 1e-3
#
# KERNEL: swiglu_backward
# TYPES: fp32 bf16
# SIZES: rows=1 n=1 | rows=3 n=781 | rows=2 n=4096
# BENCH: rows=4096 n=11008 T=bf16
# ARG: upstream randn:T[rows,n]
# ARG: gate randn:T[rows,n]
# ARG: up randn:T[rows,n]
# ARG: stride n
# CONST: WIDTH n
# CONST: BLOCK next_power_of_2(n)
# GRID: rows
# WARPS: 16
# CHECK: gate up
# TOLERANCE: gate 2e-2 1e-2
# TOLERANCE: up 2e-2 1e-2
#
# KERNEL: swiglu_halves
# TYPES: fp16
# SIZES: rows=1 d=8 | rows=5 d=781 | rows=3 d=2048
# BENCH: rows=8192 d=4096 T=fp16
# ARG: x randn:T[rows,2*d]
# ARG: out empty:T[rows,d]
# ARG: d d
# CONST: BLOCK 1024
# GRID: cdiv(d, BLOCK), rows
# TOLERANCE: out 2e-3 1e-4
import triton
import triton.language as tl


@triton.jit
def silu_and_slope(x):
    s = tl.sigmoid(x)
    y = x * s
    return y, s + y * (1 - s)


@triton.jit
def swiglu_forward(gate, up, out, stride, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    col = tl.arange(0, BLOCK)
    at = tl.program_id(0).to(tl.int64) * stride + col
    y, _ = silu_and_slope(tl.load(gate + at, mask=col < WIDTH).to(tl.float32))
    y *= tl.load(up + at, mask=col < WIDTH).to(tl.float32)
    tl.store(out + at, y, mask=col < WIDTH)


@triton.jit
def swiglu_backward(upstream, gate, up, stride, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """The gradients take the places of the inputs."""
    col = tl.arange(0, BLOCK)
    at = tl.program_id(0).to(tl.int64) * stride + col
    d = tl.load(upstream + at, mask=col < WIDTH).to(tl.float32)
    y, slope = silu_and_slope(tl.load(gate + at, mask=col < WIDTH).to(tl.float32))
    u = tl.load(up + at, mask=col < WIDTH).to(tl.float32)
    tl.store(up + at, d * y, mask=col < WIDTH)
    tl.store(gate + at, d * u * slope, mask=col < WIDTH)


@triton.jit
def swiglu_halves(x, out, d, BLOCK: tl.constexpr):
    col = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(1).to(tl.int64)
    x += 2 * row * d + col
    y, _ = silu_and_slope(tl.load(x, col < d).to(tl.float32))
    tl.store(out + row * d + col, y.to(out.dtype.element_ty) * tl.load(x + d, col < d), col < d)


def silu(x):
    return x / (1 + np.exp(-x))


def swiglu_forward_reference(gate, up):
    return silu(gate) * up


def swiglu_backward_reference(upstream, gate, up):
    s = 1 / (1 + np.exp(-gate))
    return dict(gate=upstream * up * s * (1 + gate * (1 - s)), up=upstream * silu(gate))


def swiglu_halves_reference(x, d):
    return silu(x[:, :d]) * x[:, d:]
