# Values in eight and four bits with a scale a block: codes from a table by bisection, an optimiser whose states are
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
# codes, per token and per channel scales, powers of two as scales, rounding by the bits.
#
# KERNEL: quantize_by_table
# TYPES: fp32 bf16
# SIZES: n=4 BS=4 | n=1000 BS=64
# BENCH: n=16777216 BS=256 T=bf16
# ARG: a randn:T[n]
# ARG: code arange:fp32[256]
# ARG: absmax empty:fp32[cdiv(n, BS)]
# ARG: out empty:u8[n]
# ARG: n n
# CONST: CODE_SIZE 256
# CONST: BLOCK_SIZE BS
# CONST: SPLIT_NUM_BLOCKS 4
# GRID: cdiv(n, BS * SPLIT_NUM_BLOCKS)
# CHECK: absmax out
# TOLERANCE: out 0 1
#
# KERNEL: dequantize_four_bits
# TYPES: fp16 bf16
# SIZES: n=2 | n=1000
# BENCH: n=16777216 T=bf16
# ARG: packed randint(0,256):u8[n // 2]
# ARG: code randn:fp32[16]
# ARG: absmax rand(0.5,2):fp32[cdiv(n, 64)]
# ARG: out empty:T[n]
# ARG: n_packed n // 2
# CONST: QUANT_BLOCK 64
# CONST: SPLIT_SIZE 512
# GRID: cdiv(n // 2, SPLIT_SIZE)
#
# KERNEL: momentum_8bit
# TYPES: fp32
# SIZES: n=100 | n=1000
# BENCH: n=16777216 T=fp32
# ARG: p randn:T[n]
# ARG: g randn:T[n]
# ARG: state randint(0,256):u8[n]
# ARG: absmax rand(0.5,2):fp32[cdiv(n, 256)]
# ARG: beta1 0.9
# ARG: lr 0.01
# ARG: weight_decay 0.1
# ARG: n n
# CONST: BLOCK 256
# CONST: N_PER_TH 2
# GRID: cdiv(n, BLOCK * N_PER_TH)
# CHECK: p state absmax
# TOLERANCE: state 0 1
# TOLERANCE: absmax 1e-5 1e-6
#
# KERNEL: token_group_quant
# TYPES: bf16
# SIZES: M=1 N=128 | M=7 N=384
# BENCH: M=16384 N=7168 T=bf16
# ARG: y_ptr randn(0,3):T[M,N]
# ARG: y_q_ptr empty:fp8e4nv[M,N]
# ARG: y_s_ptr empty:fp32[N//128,M]
# ARG: y_num_columns N
# ARG: y_row_stride N
# ARG: y_s_col_stride M
# ARG: eps 1e-10
# CONST: fp8_min -448.0
# CONST: fp8_max 448.0
# CONST: SCALE_UE8M0 True
# CONST: GROUP 128
# CONST: BLOCK 128
# GRID: M * N // 128
# TOLERANCE: y_q_ptr 0 0
#
# KERNEL: channel_quant
# TYPES: fp32 fp16
# SIZES: M=1 N=1 | M=70 N=100
# BENCH: M=8192 N=4096 T=fp16
# ARG: x randn:T[M,N]
# ARG: q empty:i8[M,N]
# ARG: scales empty:fp32[N]
# ARG: M M
# ARG: N N
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# GRID: cdiv(N, BLOCK_N)
# TOLERANCE: q 0 1
#
# KERNEL: stochastic_round
# TYPES: fp32
# SIZES: n=1 | n=1000
# BENCH: n=16777216 T=fp32
# ARG: x randn:T[n]
# ARG: down empty:bf16[n]
# ARG: up empty:bf16[n]
# ARG: seed 7
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
# CHECK: down up
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def nearest_code(value, code, CODE_SIZE: tl.constexpr):
    """The index of the entry of an ascending table that is nearest to each value."""
    low = tl.zeros(value.shape, dtype=tl.int32)
    high = tl.full(value.shape, CODE_SIZE - 1, dtype=tl.int32)
    for _ in range(8):  # ceil(log2(code_size))
        pivot = (low + high) // 2
        is_higher = value > tl.load(code + pivot)
        low = tl.where(is_higher, pivot, low)
        high = tl.where(is_higher, high, pivot)
    low_distance = tl.abs(value - tl.load(code + low))
    high_distance = tl.abs(value - tl.load(code + high))
    return tl.where(low_distance <= high_distance, low, high).to(tl.uint8)


@triton.jit
def quantize_by_table(a, code, absmax, out, n, CODE_SIZE: tl.constexpr, BLOCK_SIZE: tl.constexpr,
                      SPLIT_NUM_BLOCKS: tl.constexpr):
    block_start_idx = tl.program_id(0) * SPLIT_NUM_BLOCKS
    thread_idx = tl.arange(0, SPLIT_NUM_BLOCKS * BLOCK_SIZE)
    offsets = block_start_idx * BLOCK_SIZE + thread_idx
    mask = offsets < n
    value = tl.load(a + offsets, mask=mask, other=0.0).to(tl.float32)
    blocks = tl.reshape(value, (SPLIT_NUM_BLOCKS, BLOCK_SIZE))
    largest = tl.max(tl.abs(blocks), axis=1)
    # The table has the numbers 0 to 255 for -1 to 1.
    unit = tl.clamp(blocks / largest[:, None], -1.0, 1.0) * 127.5 + 127.5
    code_of = nearest_code(unit, code, CODE_SIZE)
    tl.store(out + offsets, tl.reshape(code_of, (SPLIT_NUM_BLOCKS * BLOCK_SIZE,)), mask=mask)
    block = block_start_idx + tl.arange(0, SPLIT_NUM_BLOCKS)
    tl.store(absmax + block, largest, mask=block < tl.cdiv(n, BLOCK_SIZE))


@triton.jit
def dequantize_four_bits(packed, code, absmax, out, n_packed, QUANT_BLOCK: tl.constexpr, SPLIT_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * SPLIT_SIZE + tl.arange(0, SPLIT_SIZE)
    mask = offsets < n_packed
    byte = tl.load(packed + offsets, mask, other=0)
    scale = tl.load(absmax + offsets // (QUANT_BLOCK // 2), mask=mask, other=1.0, eviction_policy="evict_last")
    first = tl.load(code + (byte >> 4)) * scale
    second = tl.load(code + (byte & 0xF)) * scale
    values = tl.interleave(first, second)
    out_offsets = pid * SPLIT_SIZE * 2 + tl.arange(0, SPLIT_SIZE * 2)
    tl.store(out + out_offsets, values, mask=out_offsets < n_packed * 2)


@triton.jit
def momentum_8bit(p, g, state, absmax, beta1, lr, weight_decay, n, BLOCK: tl.constexpr, N_PER_TH: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK * N_PER_TH + tl.arange(0, BLOCK * N_PER_TH)
    mask = offsets < n
    block = pid * N_PER_TH + tl.arange(0, N_PER_TH)
    block_mask = block < tl.cdiv(n, BLOCK)
    scale = tl.load(absmax + block, mask=block_mask, other=0.0)
    code = tl.load(state + offsets, mask=mask, other=0).to(tl.float32)
    grad = tl.load(g + offsets, mask=mask, other=0.0).to(tl.float32)
    param = tl.load(p + offsets, mask=mask, other=0.0).to(tl.float32)
    if weight_decay > 0.0:
        grad += param * weight_decay
    m = tl.reshape((code - 128.0) / 127.0, (N_PER_TH, BLOCK)) * scale[:, None]
    m = m * beta1 + tl.reshape(grad, (N_PER_TH, BLOCK))
    param -= lr * tl.reshape(m, (N_PER_TH * BLOCK,))
    largest = tl.max(tl.abs(m), axis=1)
    codes = libdevice.rint(m / tl.maximum(largest, 1e-30)[:, None] * 127.0) + 128.0
    tl.store(p + offsets, param, mask=mask)
    tl.store(state + offsets, tl.reshape(codes, (N_PER_TH * BLOCK,)).to(tl.uint8), mask=mask)
    tl.store(absmax + block, largest, mask=block_mask)


@triton.jit
def token_group_quant(y_ptr, y_q_ptr, y_s_ptr, y_num_columns, y_row_stride, y_s_col_stride, eps,
                      fp8_min: tl.constexpr, fp8_max: tl.constexpr, SCALE_UE8M0: tl.constexpr, GROUP: tl.constexpr,
                      BLOCK: tl.constexpr):
    groups_per_row = y_num_columns // GROUP
    g_id = tl.program_id(0)
    row = g_id // groups_per_row
    row_g_id = g_id % groups_per_row
    # Rows may be far apart.
    y_ptr += (row.to(tl.int64) * y_row_stride) + (row_g_id.to(tl.int64) * GROUP)
    y_q_ptr += g_id.to(tl.int64) * GROUP
    y_s_ptr += row_g_id.to(tl.int64) * y_s_col_stride + row
    cols = tl.arange(0, BLOCK)
    mask = cols < GROUP
    y = tl.load(y_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    largest = tl.maximum(tl.max(tl.abs(y)), eps)
    scale = largest / fp8_max
    y_s = tl.math.exp2(tl.ceil(tl.log2(scale))) if SCALE_UE8M0 else scale
    y_q = tl.clamp(y / y_s, fp8_min, fp8_max).to(y_q_ptr.dtype.element_ty)
    tl.store(y_q_ptr + cols, y_q, mask=mask)
    tl.store(y_s_ptr, y_s)


@triton.jit
def channel_quant(x, q, scales, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    largest = tl.full([BLOCK_M, BLOCK_N], 0.0, tl.float32)
    for start in tl.range(0, M, BLOCK_M, num_stages=2):
        m = start + tl.arange(0, BLOCK_M)
        mask = (m[:, None] < M) & (n[None, :] < N)
        value = tl.load(x + m[:, None] * N + n[None, :], mask=mask, other=0.0)
        largest = tl.maximum(largest, tl.abs(value.to(tl.float32)))
    scale = tl.maximum(tl.max(largest, axis=0), 1e-12) / 127.0
    tl.store(scales + n, scale, mask=n < N)
    for start in tl.range(0, M, BLOCK_M):
        m = start + tl.arange(0, BLOCK_M)
        mask = (m[:, None] < M) & (n[None, :] < N)
        at = m[:, None] * N + n[None, :]
        value = tl.load(x + at, mask=mask, other=0.0).to(tl.float32) / scale[None, :]
        tl.store(q + at, libdevice.round(value).to(tl.int8), mask=mask)


@triton.jit
def stochastic_round(x, down, up, seed, n, BLOCK: tl.constexpr):
    """With the bits of a float and random ones below those that are kept; here the least and the most of them."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    bits = tl.load(x + offsets, mask=mask, other=0.0).to(tl.uint32, bitcast=True)
    noise = tl.randint(seed, offsets) & 0xFFFF
    kept = (bits + noise) & 0xFFFF0000
    low = bits & 0xFFFF0000
    high = (bits + 0xFFFF) & 0xFFFF0000
    is_either = (kept == low) | (kept == high)
    low = tl.where(is_either, low, 0x7FC00000)
    tl.store(down + offsets, low.to(tl.float32, bitcast=True).to(tl.bfloat16), mask=mask)
    tl.store(up + offsets, (high >> 16).to(tl.uint16).to(tl.bfloat16, bitcast=True), mask=mask)


def quantize_by_table_reference(a, n, BS):
    blocks = np.pad(a, (0, -n % BS)).reshape(-1, BS)
    largest = abs(blocks).max(1)
    codes = np.rint((blocks / largest[:, None] * 127.5 + 127.5).reshape(-1)[:n])
    return {"absmax": largest, "out": codes}


def dequantize_four_bits_reference(packed, code, absmax, n):
    nibbles = np.stack([packed.astype(int) >> 4, packed.astype(int) & 15], 1).reshape(-1)
    return code[nibbles] * np.repeat(absmax, 64)[:n]


def momentum_8bit_reference(p, g, state, absmax, beta1, lr, weight_decay, n):
    m = (state - 128) / 127 * np.repeat(absmax, 256)[:n] * beta1 + g + p * weight_decay
    blocks = np.pad(m, (0, -n % 256)).reshape(-1, 256)
    largest = abs(blocks).max(1)
    codes = np.rint(blocks / largest[:, None] * 127) + 128
    return {"p": p - lr * m, "state": codes.reshape(-1)[:n], "absmax": largest}


def token_group_quant_reference(y_ptr, M, N):
    groups = y_ptr.reshape(M, N // 128, 128)
    scale = 2 ** np.ceil(np.log2((abs(groups).max(2) / np.float32(448)).astype(np.float32)))
    value = groups / scale[..., None]
    exponent = np.maximum(np.floor(np.log2(np.maximum(abs(value), 1e-30))), -6)
    step = 2.0 ** (exponent - 3)
    return {"y_q_ptr": (np.rint(value / step) * step).reshape(M, N), "y_s_ptr": scale.T}


def channel_quant_reference(x):
    scale = abs(x).max(0) / 127
    return {"q": np.round(x / scale), "scales": scale}


def stochastic_round_reference(x):
    bits = x.astype(np.float32).view(np.uint32)
    low, high = bits & np.uint32(0xFFFF0000), (bits + np.uint32(0xFFFF)) & np.uint32(0xFFFF0000)
    return {"down": low.view(np.float32), "up": high.view(np.float32)}
