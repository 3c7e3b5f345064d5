# Numbers of four bits and fewer: NF4 by a tree of choices, AWQ's order of nibbles, e2m1 with
# shared exponents, and a bit a token for a grammar.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: dequantize_nf4
# TYPES: fp32 bf16
# SIZES: N=64 | N=1984
# BENCH: N=67108864 T=bf16
# ARG: packed randint(0,256):u8[N // 2]
# ARG: absmax rand(0.5,2):fp32[cdiv(N, 64)]
# ARG: out empty:T[N]
# ARG: n N // 2
# CONST: GROUP 64
# CONST: BLOCK 512
# GRID: cdiv(N, 2 * BLOCK)
#
# KERNEL: dequantize_awq
# SIZES: R=32 C=4 | R=64 C=32
# BENCH: R=4096 C=512
# ARG: qweight randint(-2147483648,2147483648):i32[R,C]
# ARG: zeros randint(-2147483648,2147483648):i32[R // 32,C]
# ARG: scales rand(0.01,0.1):fp16[R // 32,C * 8]
# ARG: out empty:fp16[R,C * 8]
# ARG: num_rows R
# ARG: num_cols C
# CONST: GROUP 32
# CONST: BX 32
# CONST: BY 16
# GRID: cdiv(C, BX), cdiv(R, BY)
#
# KERNEL: quantize_e2m1
# TYPES: fp32 bf16
# SIZES: R=5 C=64 | R=33 C=192
# BENCH: R=8192 C=4096 T=bf16
# ARG: x randn(0,3):T[R,C]
# ARG: q empty:u8[R,C // 2]
# ARG: exponents empty:u8[R,C // 32]
# ARG: n_rows R
# ARG: n_cols C
# CONST: BM 32
# CONST: BN 64
# GRID: cdiv(R, BM), C // BN
#
# KERNEL: mask_by_bits
# SIZES: R=2 V=70 | R=3 V=5000
# BENCH: R=256 V=128256
# ARG: logits randn:fp32[R,V]
# ARG: bits randint(-2147483648,2147483648):i32[R,cdiv(V, 32)]
# ARG: n_rows R
# ARG: vocab V
# ARG: words cdiv(V, 32)
# CONST: PROGRAMS 4
# CONST: BLOCK 1024
# GRID: PROGRAMS
# CHECK: logits
import torch
import triton
import triton.language as tl


@triton.jit
def nf4(code):
    bit3 = (code & 0b1000) == 8
    bit2 = (code & 0b0100) == 4
    bit1 = (code & 0b0010) == 2
    bit0 = (code & 0b0001) == 1
    a = tl.where(bit1, tl.where(bit0, 1.0, 0.7229568362236023), tl.where(bit0, 0.5626170039176941, 0.44070982933044434))
    b = tl.where(bit1, tl.where(bit0, 0.33791524171829224, 0.24611230194568634),
                 tl.where(bit0, 0.16093020141124725, 0.07958029955625534))
    c = tl.where(bit1, tl.where(bit0, 0.0, -0.09105003625154495),
                 tl.where(bit0, -0.18477343022823334, -0.28444138169288635))
    d = tl.where(bit1, tl.where(bit0, -0.39491748809814453, -0.5250730514526367),
                 tl.where(bit0, -0.6961928009986877, -1.0))
    return tl.where(bit3, tl.where(bit2, a, b), tl.where(bit2, c, d))


@triton.jit
def dequantize_nf4(packed, absmax, out, n, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    codes = tl.load(packed + offsets, mask=offsets < n)
    HALF: tl.constexpr = GROUP // 2
    scale = tl.load(absmax + offsets // HALF, mask=offsets < n, other=1.0, eviction_policy="evict_last")
    values = tl.interleave(nf4(codes >> 4) * scale, nf4(codes & 0xF) * scale)
    places = pid * BLOCK * 2 + tl.arange(0, BLOCK * 2)
    tl.store(out + places, values, mask=places < 2 * n)


@triton.jit
def eight_each(x):
    x = tl.interleave(x, x)
    x = tl.interleave(x, x)
    return tl.interleave(x, x)


@triton.jit
def dequantize_awq(qweight, zeros, scales, out, num_rows, num_cols, GROUP: tl.constexpr, BX: tl.constexpr,
                   BY: tl.constexpr):
    pid_x, pid_y = tl.program_id(0), tl.program_id(1)
    y = pid_y * BY + tl.arange(0, BY)
    x = pid_x * BX + tl.arange(0, BX)
    inside = (y < num_rows)[:, None] & (x < num_cols)[None, :]
    words = eight_each(tl.load(qweight + num_cols * y[:, None] + x[None, :], inside, 0))
    # The nibbles of a word are those of columns 0, 2, 4, 6, 1, 3, 5, 7.
    order = ((tl.arange(0, 2) * 4)[None, :] + tl.arange(0, 4)[:, None]).reshape(8)
    shifts = tl.broadcast_to((order * 4)[None, :], (BY * BX, 8))
    shifts = tl.reshape(shifts, (BY, BX * 8))
    group = pid_y * BY // GROUP + tl.arange(0, 1)
    zero = eight_each(tl.load(zeros + num_cols * group[:, None] + x[None, :], (x < num_cols)[None, :], 0))
    zero = (tl.broadcast_to(zero, (BY, BX * 8)) >> shifts) & 0xF
    wide = pid_x * BX * 8 + tl.arange(0, BX * 8)
    scale = tl.load(scales + num_cols * 8 * group[:, None] + wide[None, :], (wide < num_cols * 8)[None, :], 0.0)
    value = (((words >> shifts) & 0xF) - zero) * tl.broadcast_to(scale, (BY, BX * 8))
    mask = (y < num_rows)[:, None] & (wide < num_cols * 8)[None, :]
    tl.store(out + 8 * num_cols * y[:, None] + wide[None, :], value.to(out.type.element_ty), mask)


@triton.jit
def quantize_e2m1(x, q, exponents, n_rows, n_cols, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    inside = (rows < n_rows)[:, None]
    value = tl.load(x + rows[:, None].to(tl.int64) * n_cols + cols[None, :], inside, 0.0).to(tl.float32)
    value = tl.reshape(value, (BM, BN // 32, 32))
    most = tl.max(tl.abs(value), axis=2, keep_dims=True)
    # The exponent of what is left after rounding to one bit behind the point.
    most = (most.to(tl.uint32, bitcast=True) + 0x200000) & 0x7F800000
    exponent = tl.log2(most.to(tl.float32, bitcast=True)).floor() - 2
    exponent = tl.clamp(exponent, min=-127, max=127)
    scaled = value * tl.exp2(-exponent)
    bits = scaled.to(tl.uint32, bitcast=True)
    sign = bits & 0x80000000
    bits = bits ^ sign
    size = bits.to(tl.float32, bitcast=True)
    is_large = size >= 6
    is_small = (size < 1) & (size < 6)
    # Adding a power of two rounds a small number to a multiple of a half.
    magic: tl.constexpr = ((127 - 1) + (23 - 1) + 1) << 23
    magic_float: tl.constexpr = tl.cast(magic, tl.float32, bitcast=True)
    small = ((size + magic_float).to(tl.uint32, bitcast=True) - magic).to(tl.uint8)
    to_add = ((1 - 127) << 23) + (1 << 21) - 1
    normal = bits + to_add + ((bits >> 22) & 1)
    code = tl.where(is_large, 7, tl.where(is_small, small, (normal >> 22).to(tl.uint8))).to(tl.uint8)
    code |= (sign >> 28).to(tl.uint8)
    even, odd = tl.split(tl.reshape(code, (BM, BN // 2, 2)))
    places = tl.program_id(1) * (BN // 2) + tl.arange(0, BN // 2)
    tl.store(q + rows[:, None] * (n_cols // 2) + places[None, :], even | (odd << 4), inside)
    places = tl.program_id(1) * (BN // 32) + tl.arange(0, BN // 32)
    stored = (exponent + 127).to(tl.uint8).reshape(BM, BN // 32)
    tl.store(exponents + rows[:, None] * (n_cols // 32) + places[None, :], stored, inside)


@triton.jit
def mask_by_bits(logits, bits, n_rows, vocab, words, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    blocks = tl.cdiv(vocab, BLOCK)
    for work in tl.range(tl.program_id(0), n_rows * blocks, PROGRAMS):
        row = work // blocks
        start = (work % blocks) * BLOCK
        offsets = start + tl.arange(0, BLOCK)
        at = start // 32 + tl.arange(0, BLOCK // 32)
        packed = tl.load(bits + row * words + at, at < words, 0)
        off = ((packed[:, None] >> (tl.arange(0, 32)[None, :])) & 1) == 0
        off = off.reshape(BLOCK)
        tl.store(logits + row * vocab + offsets, -float("inf"), (offsets < vocab) & off)


def dequantize_nf4_reference(packed, absmax):
    table = np.array([-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
                      -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
                      0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
                      0.7229568362236023, 1.0])
    codes = packed.astype(int)
    values = table[np.stack([codes >> 4, codes & 15], 1).reshape(-1)]
    return values * np.repeat(absmax, 64)[:len(values)]


def nibbles(words):
    return (words.astype(np.int64)[:, :, None] >> (np.array([0, 4, 1, 5, 2, 6, 3, 7]) * 4) & 15).reshape(len(words), -1)


def dequantize_awq_reference(qweight, zeros, scales):
    return (nibbles(qweight) - np.repeat(nibbles(zeros), 32, 0)) * np.repeat(scales, 32, 0)


def quantize_e2m1_reference(x):
    groups = x.reshape(len(x), -1, 32)
    most = np.abs(groups).max(2)
    fraction, exponent = np.frexp(most)
    exponent = exponent - 1 + (fraction * 2 >= 1.75) - 2
    scaled = groups / 2.0 ** exponent[:, :, None]
    grid = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    size = np.minimum(np.abs(scaled), 6)
    distance = np.abs(size[..., None] - grid)
    # Halfway cases go to the even code.
    code = np.argmin(distance + (np.arange(8) & 1) * 1e-9, axis=-1)
    code = (code | (np.signbit(scaled) << 3)).reshape(len(x), -1)
    return {"q": code[:, ::2] | code[:, 1::2] << 4, "exponents": exponent + 127}


def mask_by_bits_reference(logits, bits):
    on = (bits.astype(np.int64)[:, :, None] >> np.arange(32) & 1).reshape(len(bits), -1)[:, :logits.shape[1]]
    return np.where(on == 1, logits, -np.inf)
