# Casts to and from eight-bit floats with a scale for each row or group.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: quantize_fp8_rows
# TYPES: bf16
# SIZES: M=1 N=1 | M=5 N=200
# BENCH: M=8192 N=4096 T=bf16
# ARG: x randn:T[M,N]
# ARG: q empty:fp8e4nv[M,N]
# ARG: scale empty:fp32[M]
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# GRID: M
#
# KERNEL: dequantize_fp8
# TYPES: fp8e4nv fp8e5
# SIZES: n=1 | n=1000
# BENCH: n=16777216 T=fp8e4nv
# ARG: x randn:T[n]
# ARG: scale 0.25
# ARG: out empty:fp16[n]
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
import triton
import triton.language as tl

FP8_MAX = tl.constexpr(448.0)


@triton.jit
def quantize_fp8_rows(x, q, scale, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    value = tl.load(x + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    s = tl.maximum(tl.max(tl.abs(value), 0), 1e-12) / FP8_MAX
    tl.store(q + row * N + cols, tl.clamp(value / s, -FP8_MAX, FP8_MAX).to(q.dtype.element_ty), mask=mask)
    tl.store(scale + row, s)


@triton.jit
def dequantize_fp8(x, scale, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offs, mask=offs < n).to(tl.float32)
    tl.store(out + offs, value * scale, mask=offs < n)


def quantize_fp8_rows_reference(x):
    scale = np.maximum(np.abs(x).max(1), 1e-12) / 448
    y = x / scale[:, None]
    step = 2.0 ** (np.maximum(np.floor(np.log2(np.abs(y) + 1e-300)), -6) - 3)
    return dict(q=np.rint(y / step) * step, scale=scale)


def dequantize_fp8_reference(x, scale):
    return x * scale
