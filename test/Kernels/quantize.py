# int8 per row and per block with scales, and the way back.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: quantize_rows
# TYPES: fp16 fp32
# SIZES: M=1 N=1 | M=3 N=781 | M=4 N=2048
# BENCH: M=8192 N=4096 T=fp16
# ARG: x_ptr randn:T[M,N]
# ARG: output_ptr empty:i8[M,N]
# ARG: output_maxs empty:fp32[M]
# ARG: n_elements M*N
# CONST: BLOCK_SIZE N
# CONST: P2 next_power_of_2(N)
# GRID: M
# TOLERANCE: output_ptr 0 1
#
# KERNEL: dequantize_blocks
# TYPES: bf16 fp32
# SIZES: M=3 N=40 | M=64 N=256 | M=130 N=300
# BENCH: M=4096 N=4096 T=bf16
# ARG: x_ptr randint(-128,128):i8[M,N]
# ARG: s_ptr rand(0.001,0.1):fp32[cdiv(M,32),cdiv(N,32)]
# ARG: y_ptr empty:T[M,N]
# ARG: M M
# ARG: N N
# CONST: BLOCK_SIZE 32
# GRID: cdiv(M, BLOCK_SIZE), cdiv(N, BLOCK_SIZE)
#
# KERNEL: quantize_groups
# TYPES: bf16
# SIZES: n=128 | n=1280
# BENCH: n=16777216 T=bf16
# ARG: y_ptr randn:T[n]
# ARG: y_q_ptr empty:i8[n]
# ARG: y_s_ptr empty:fp32[n//128]
# ARG: eps 1e-10
# ARG: int8_min -128.0
# ARG: int8_max 127.0
# CONST: group_size 128
# CONST: BLOCK 128
# GRID: n//128
# WARPS: 1
# TOLERANCE: y_q_ptr 0 1
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def quantize_rows(x_ptr, output_ptr, output_maxs, n_elements, BLOCK_SIZE: tl.constexpr, P2: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    arange = tl.arange(0, P2)
    offsets = block_start + arange
    row_mask = arange < BLOCK_SIZE
    x = tl.load(x_ptr + offsets, mask=row_mask)
    abs_x = tl.abs(x)
    max_val = tl.max(tl.where(row_mask, abs_x, 0), axis=0)
    output = libdevice.llrint(127.0 * (x / max_val))
    tl.store(output_ptr + offsets, output, mask=row_mask)
    tl.store(output_maxs + pid, max_val)


@triton.jit
def dequantize_blocks(x_ptr, s_ptr, y_ptr, M, N, BLOCK_SIZE: tl.constexpr):
    pid_m = tl.program_id(axis=0)
    pid_n = tl.program_id(axis=1)
    n = tl.cdiv(N, BLOCK_SIZE)
    offs_m = pid_m * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    offs_n = pid_n * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    offs = offs_m[:, None] * N + offs_n[None, :]
    mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    x = tl.load(x_ptr + offs, mask=mask).to(tl.float32)
    s = tl.load(s_ptr + pid_m * n + pid_n)
    y = x * s
    tl.store(y_ptr + offs, y, mask=mask)


@triton.jit
def quantize_groups(y_ptr, y_q_ptr, y_s_ptr, eps, int8_min, int8_max, group_size: tl.constexpr, BLOCK: tl.constexpr):
    g_id = tl.program_id(0).to(tl.int64)
    y_ptr += g_id * group_size
    y_q_ptr += g_id * group_size
    y_s_ptr += g_id
    cols = tl.arange(0, BLOCK)
    mask = cols < group_size
    y = tl.load(y_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    _absmax = tl.maximum(tl.max(tl.abs(y)), eps)
    y_s = _absmax / int8_max
    y_q = tl.clamp(y / y_s, int8_min, int8_max).to(y_q_ptr.dtype.element_ty)
    tl.store(y_q_ptr + cols, y_q, mask=mask)
    tl.store(y_s_ptr, y_s)


def quantize_rows_reference(x_ptr):
    largest = np.abs(x_ptr).max(1)
    return dict(output_ptr=np.rint(127 * x_ptr / largest[:, None]), output_maxs=largest)


def dequantize_blocks_reference(x_ptr, s_ptr, M, N):
    return x_ptr * np.repeat(np.repeat(s_ptr, 32, 0), 32, 1)[:M, :N]


def quantize_groups_reference(y_ptr):
    groups = y_ptr.reshape(-1, 128)
    scale = np.maximum(np.abs(groups).max(1), 1e-10) / 127
    return dict(y_q_ptr=np.trunc(groups / scale[:, None]).reshape(-1), y_s_ptr=scale)
