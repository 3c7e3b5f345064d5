# Values in eight and four bits with a scale a block: codes from a table bit by bit, an optimiser whose states are
# codes, per token and per channel scales, powers of two as scales, rounding by the bits.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: quantize_by_table
# TYPES: fp32 bf16
# SIZES: n=4 BS=4 | n=1000 BS=64
# BENCH: n=16777216 BS=256 T=bf16
# ARG: x randn:T[n]
# ARG: table arange:fp32[256]
# ARG: codes empty:u8[n]
# ARG: scales empty:fp32[cdiv(n, BS)]
# ARG: n n
# CONST: BITS 8
# CONST: ROWS 4
# CONST: BLOCK BS
# GRID: cdiv(n, ROWS * BLOCK)
# CHECK: codes scales
# TOLERANCE: codes 0 1
#
# KERNEL: dequantize_four_bits
# TYPES: fp16 bf16
# SIZES: n=2 | n=1000
# BENCH: n=16777216 T=bf16
# ARG: packed randint(0,256):u8[n // 2]
# ARG: table randn:fp32[16]
# ARG: scales rand(0.5,2):fp32[cdiv(n, 64)]
# ARG: out empty:T[n]
# ARG: n_packed n // 2
# CONST: PER_SCALE 64
# CONST: BLOCK 512
# GRID: cdiv(n // 2, BLOCK)
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
# CONST: BLOCKS 2
# GRID: cdiv(n, BLOCK * BLOCKS)
# CHECK: p state absmax
# TOLERANCE: state 0 1
# TOLERANCE: absmax 1e-5 1e-6
#
# KERNEL: group_quant
# TYPES: bf16
# SIZES: M=1 N=128 | M=7 N=384
# BENCH: M=16384 N=7168 T=bf16
# ARG: x randn(0,3):T[M,N]
# ARG: q empty:fp8e4nv[M,N]
# ARG: scales empty:fp32[N//128,M]
# ARG: M M
# ARG: N N
# ARG: least 1e-10
# CONST: MOST 448.0
# CONST: POWERS True
# CONST: GROUP 128
# GRID: M, N // 128
# TOLERANCE: q 0 0
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
def nearest_entry(value, table, BITS: tl.constexpr):
    """The place of the nearest entry in an ascending table of 2**BITS, for each value: bit by bit from the top."""
    index = tl.zeros(value.shape, tl.int32)
    for level in tl.static_range(BITS):
        further = index + 2 ** (BITS - 1 - level)
        index = tl.where(tl.load(table + further) <= value, further, index)
    after = tl.minimum(index + 1, 2**BITS - 1)
    is_nearer = tl.load(table + after) - value < value - tl.load(table + index)
    return tl.where(is_nearer, after, index)


@triton.jit
def quantize_by_table(x, table, codes, scales, n, BITS: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """ROWS blocks a program; the largest value of a block is its scale. The table stands for -1 to 1."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = row[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    v = tl.load(x + at, mask=at < n, other=0.0).to(tl.float32)
    scale = tl.max(tl.abs(v), axis=1)
    unit = (v / tl.maximum(scale, 1e-30)[:, None] + 1.0) * 127.5
    tl.store(codes + at, nearest_entry(unit, table, BITS).to(tl.uint8), mask=at < n)
    tl.store(scales + row, scale, mask=row * BLOCK < n)


@triton.jit
def dequantize_four_bits(packed, table, scales, out, n_packed, PER_SCALE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    byte = tl.load(packed + i, mask=i < n_packed, other=0).to(tl.int32)
    # The upper half of a byte comes first.
    half = tl.arange(0, 2)[None, :]
    code = (byte[:, None] >> (4 - 4 * half)) & 15
    at = 2 * i[:, None] + half
    mask = (i < n_packed)[:, None]
    scale = tl.load(scales + at // PER_SCALE, mask=mask, other=0.0)
    tl.store(out + at, tl.load(table + code) * scale, mask=mask)


@triton.jit
def momentum_8bit(p, g, state, absmax, beta1, lr, weight_decay, n, BLOCK: tl.constexpr, BLOCKS: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK * BLOCKS + tl.arange(0, BLOCK * BLOCKS)
    mask = offsets < n
    block = pid * BLOCKS + tl.arange(0, BLOCKS)
    block_mask = block < tl.cdiv(n, BLOCK)
    scale = tl.load(absmax + block, mask=block_mask, other=0.0)
    code = tl.load(state + offsets, mask=mask, other=0).to(tl.float32)
    grad = tl.load(g + offsets, mask=mask, other=0.0).to(tl.float32)
    param = tl.load(p + offsets, mask=mask, other=0.0).to(tl.float32)
    if weight_decay > 0.0:
        grad += param * weight_decay
    m = tl.reshape((code - 128.0) / 127.0, (BLOCKS, BLOCK)) * scale[:, None]
    m = m * beta1 + tl.reshape(grad, (BLOCKS, BLOCK))
    param -= lr * tl.reshape(m, (BLOCKS * BLOCK,))
    largest = tl.max(tl.abs(m), axis=1)
    codes = libdevice.rint(m / tl.maximum(largest, 1e-30)[:, None] * 127.0) + 128.0
    tl.store(p + offsets, param, mask=mask)
    tl.store(state + offsets, tl.reshape(codes, (BLOCKS * BLOCK,)).to(tl.uint8), mask=mask)
    tl.store(absmax + block, largest, mask=block_mask)


@triton.jit
def group_quant(x, q, scales, M, N, least, MOST: tl.constexpr, POWERS: tl.constexpr, GROUP: tl.constexpr):
    """A scale for GROUP elements of a row; those of one group of columns are adjacent."""
    row, group = tl.program_id(0).to(tl.int64), tl.program_id(1)
    at = row * N + group * GROUP + tl.arange(0, GROUP)
    v = tl.load(x + at).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(v)), least) / MOST
    if POWERS:
        scale = tl.exp2(tl.ceil(tl.log2(scale)))
    tl.store(scales + group * M + row, scale)
    tl.store(q + at, tl.clamp(v / scale, -MOST, MOST).to(q.dtype.element_ty))


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


def quantize_by_table_reference(x, n, BS):
    blocks = np.pad(x, (0, -n % BS)).reshape(-1, BS)
    largest = abs(blocks).max(1)
    codes = np.rint((blocks / largest[:, None] * 127.5 + 127.5).reshape(-1)[:n])
    return {"codes": codes, "scales": largest}


def dequantize_four_bits_reference(packed, table, scales, n):
    nibbles = np.stack([packed.astype(int) >> 4, packed.astype(int) & 15], 1).reshape(-1)
    return table[nibbles] * np.repeat(scales, 64)[:n]


def momentum_8bit_reference(p, g, state, absmax, beta1, lr, weight_decay, n):
    m = (state - 128) / 127 * np.repeat(absmax, 256)[:n] * beta1 + g + p * weight_decay
    blocks = np.pad(m, (0, -n % 256)).reshape(-1, 256)
    largest = abs(blocks).max(1)
    codes = np.rint(blocks / largest[:, None] * 127) + 128
    return {"p": p - lr * m, "state": codes.reshape(-1)[:n], "absmax": largest}


def group_quant_reference(x, M, N):
    groups = x.reshape(M, N // 128, 128)
    scale = 2 ** np.ceil(np.log2((abs(groups).max(2) / np.float32(448)).astype(np.float32)))
    value = groups / scale[..., None]
    exponent = np.maximum(np.floor(np.log2(np.maximum(abs(value), 1e-30))), -6)
    step = 2.0 ** (exponent - 3)
    return {"q": (np.rint(value / step) * step).reshape(M, N), "scales": scale.T}


def channel_quant_reference(x):
    scale = abs(x).max(0) / 127
    return {"q": np.round(x / scale), "scales": scale}


def stochastic_round_reference(x):
    bits = x.astype(np.float32).view(np.uint32)
    low, high = bits & np.uint32(0xFFFF0000), (bits + np.uint32(0xFFFF)) & np.uint32(0xFFFF0000)
    return {"down": low.view(np.float32), "up": high.view(np.float32)}
