# GEGLU with the tanh approximation, tanh from libdevice: forward, and backward over the inputs.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: geglu_forward
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
# KERNEL: geglu_backward
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
# TOLERANCE: gate 2e-2 2e-2
# TOLERANCE: up 2e-2 1e-2
import triton
import triton.language as tl
from triton.language.extra.libdevice import tanh

ROOT_TWO_OVER_PI = tl.constexpr(0.7978845608028654)
CUBIC = tl.constexpr(0.044715)


@triton.jit
def gelu_and_slope(x):
    square = x * x
    t = tanh(ROOT_TWO_OVER_PI * x * (CUBIC * square + 1.0))
    share = 0.5 * t + 0.5
    steep = ROOT_TWO_OVER_PI * (3 * CUBIC * square + 1.0)
    return x * share, share + 0.5 * x * steep * (1.0 - t * t)


@triton.jit
def geglu_forward(gate, up, out, stride, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    col = tl.arange(0, BLOCK)
    at = tl.program_id(0).to(tl.int64) * stride + col
    g = tl.load(gate + at, col < WIDTH, other=0)
    u = tl.load(up + at, col < WIDTH, other=0)
    activated, _ = gelu_and_slope(g.to(tl.float32))
    tl.store(out + at, activated.cast(u.dtype) * u, col < WIDTH)


@triton.jit
def geglu_backward(upstream, gate, up, stride, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """The gradients take the places of the inputs."""
    col = tl.arange(0, BLOCK)
    at = tl.program_id(0).to(tl.int64) * stride + col
    d = tl.load(upstream + at, col < WIDTH, other=0).to(tl.float32)
    g = tl.load(gate + at, col < WIDTH, other=0).to(tl.float32)
    u = tl.load(up + at, col < WIDTH, other=0).to(tl.float32)
    activated, slope = gelu_and_slope(g)
    tl.store(gate + at, d * u * slope, col < WIDTH)
    tl.store(up + at, d * activated, col < WIDTH)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def geglu_forward_reference(gate, up):
    return gelu(gate) * up


def geglu_backward_reference(upstream, gate, up):
    h = 1e-5
    slope = (gelu(gate + h) - gelu(gate - h)) / (2 * h)
    return dict(gate=upstream * up * slope, up=upstream * gelu(gate))
