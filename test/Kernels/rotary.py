# Rotary embedding in three conventions: halves with tables of cosines, interleaved pairs, and in place over
# heads of queries and keys in one program.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: rotate_halves
# TYPES: fp32 bf16
# SIZES: L=1 H=1 D=2 BACK=False | L=5 H=3 D=64 BACK=False | L=7 H=4 D=80 BACK=True
# BENCH: L=8192 H=32 D=128 BACK=False T=bf16
# ARG: x randn:T[L,H,D]
# ARG: table rand(-1,1):fp32[L,2,D//2]
# ARG: heads H
# CONST: HALF D//2
# CONST: BACK BACK
# CONST: EACH 4
# CONST: LANES next_power_of_2(D//2)
# GRID: cdiv(H, EACH), L
# CHECK: x
# TOLERANCE: x 1.7e-2 1e-2
#
# KERNEL: rotate_pairs
# TYPES: fp32 fp16
# SIZES: L=1 H=1 D=2 | L=5 H=3 D=64 | L=7 H=4 D=80
# BENCH: L=4096 H=32 D=128 T=fp16
# ARG: x_ptr randn:T[L,H,D]
# ARG: out_ptr empty:T[L,H,D]
# ARG: base 10000.0
# ARG: stride_t H*D
# ARG: stride_h D
# CONST: D D
# CONST: BLOCK_D next_power_of_2(D//2)
# GRID: L, H
# TOLERANCE: out_ptr 2e-3 1e-3
#
# KERNEL: rotate_queries_and_keys
# TYPES: bf16
# SIZES: B=1 S=3 QH=4 KH=2 D=64 | B=2 S=5 QH=3 KH=1 D=32
# BENCH: B=4 S=2048 QH=32 KH=8 D=128 T=bf16
# ARG: queries randn:T[B,S,QH,D]
# ARG: keys randn:T[B,S,KH,D]
# ARG: cosines rand(-1,1):T[S,D//2]
# ARG: sines rand(-1,1):T[S,D//2]
# ARG: length S
# CONST: QH QH
# CONST: KH KH
# CONST: D D
# GRID: B*S
# CHECK: queries keys
# TOLERANCE: queries 1.7e-2 2e-2
# TOLERANCE: keys 1.7e-2 2e-2
import triton
import triton.language as tl


@triton.jit
def rotate_halves(x, table, heads, HALF: tl.constexpr, BACK: tl.constexpr, EACH: tl.constexpr, LANES: tl.constexpr):
    """A few heads of a token; the table has the cosines of a position, then its sines."""
    lane = tl.arange(0, LANES)
    inside = lane < HALF
    token = tl.program_id(1)
    c = tl.load(table + 2 * token * HALF + lane, inside)
    s = tl.load(table + 2 * token * HALF + HALF + lane, inside)
    s = -s if BACK else s
    begin = tl.program_id(0) * EACH
    for head in range(begin, tl.minimum(begin + EACH, heads)):
        low = x + (token.to(tl.int64) * heads + head) * (2 * HALF) + lane
        high = low + HALF
        a, b = tl.load(low, inside), tl.load(high, inside)
        tl.store(low, a * c - b * s, inside)
        tl.store(high, a * s + b * c, inside)


@triton.jit
def rotate_pairs(x_ptr, out_ptr, base, stride_t, stride_h, D: tl.constexpr, BLOCK_D: tl.constexpr):
    position = tl.program_id(0)
    head = tl.program_id(1)
    pair = tl.arange(0, BLOCK_D)
    mask = pair < D // 2
    # base ** (-2 i / D) by exp2, since tensors have no power operator.
    frequency = tl.exp2(-(2 * pair).to(tl.float32) / D * tl.log2(base))
    angle = position.to(tl.float32) * frequency
    c, s = tl.cos(angle), tl.sin(angle)
    at = x_ptr + position * stride_t + head * stride_h
    even = tl.load(at + 2 * pair, mask=mask).to(tl.float32)
    odd = tl.load(at + 2 * pair + 1, mask=mask).to(tl.float32)
    to = out_ptr + position * stride_t + head * stride_h
    tl.store(to + 2 * pair, even * c - odd * s, mask=mask)
    tl.store(to + 2 * pair + 1, odd * c + even * s, mask=mask)


@triton.jit
def rotate_heads(x, c, s, HEADS: tl.constexpr, D: tl.constexpr):
    """All heads of one token, each by the same angles."""
    ROWS: tl.constexpr = triton.next_power_of_2(HEADS)
    LANES: tl.constexpr = triton.next_power_of_2(D // 2)
    head = tl.arange(0, ROWS).expand_dims(1)
    lane = tl.arange(0, LANES).expand_dims(0)
    inside = (head < HEADS) & (lane < D // 2)
    low = x + head * D + lane
    a = tl.load(low, mask=inside).to(tl.float32)
    b = tl.load(low + D // 2, mask=inside).to(tl.float32)
    tl.store(low, a * c - b * s, mask=inside)
    tl.store(low + D // 2, a * s + b * c, mask=inside)


@triton.jit
def rotate_queries_and_keys(queries, keys, cosines, sines, length, QH: tl.constexpr, KH: tl.constexpr, D: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    lane = tl.arange(0, triton.next_power_of_2(D // 2))
    angle = (token % length) * (D // 2) + lane
    c = tl.load(cosines + angle, mask=lane < D // 2).to(tl.float32)[None, :]
    s = tl.load(sines + angle, mask=lane < D // 2).to(tl.float32)[None, :]
    rotate_heads(queries + token * (QH * D), c, s, QH, D)
    rotate_heads(keys + token * (KH * D), c, s, HEADS=KH, D=D)


def turned(x, c, s):
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * c - b * s, a * s + b * c], -1)


def rotate_halves_reference(x, table, BACK):
    return turned(x, table[:, None, 0], -table[:, None, 1] if BACK else table[:, None, 1])


def rotate_pairs_reference(x_ptr, base, D):
    angle = np.arange(len(x_ptr))[:, None, None] * base ** (-2 * np.arange(D // 2) / D)
    even, odd = x_ptr[..., 0::2], x_ptr[..., 1::2]
    out = np.empty_like(x_ptr)
    out[..., 0::2] = even * np.cos(angle) - odd * np.sin(angle)
    out[..., 1::2] = odd * np.cos(angle) + even * np.sin(angle)
    return out


def rotate_queries_and_keys_reference(queries, keys, cosines, sines):
    c, s = cosines[None, :, None], sines[None, :, None]
    return dict(queries=turned(queries, c, s), keys=turned(keys, c, s))
