# Programs that are over sooner than a GPU starts CTAs: short rows, heads, groups of quantised values, tokens.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: short_softmax
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=37 N=100 | M=70 N=256 | M=3333 N=60
# BENCH: M=32768 N=256 T=bf16 num_warps=4
# ARG: y empty:T[M,N]
# ARG: x randn:T[M,N]
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# GRID: M
#
# KERNEL: head_norm
# TYPES: fp32 bf16
# SIZES: S=1 H=1 D=64 | S=9 H=5 D=128 | S=3 H=64 D=100 | S=701 H=5 D=32
# BENCH: S=4096 H=32 D=128 T=bf16 num_warps=4
# ARG: y empty:T[S,H,D]
# ARG: x randn:T[S,H,D]
# ARG: w randn:T[D]
# ARG: stride H*D
# ARG: D D
# ARG: eps 1e-6
# CONST: BLOCK next_power_of_2(D)
# GRID: S, H
#
# KERNEL: rotate_heads
# TYPES: fp32 bf16
# SIZES: S=1 H=1 HALF=16 | S=7 H=9 HALF=64
# BENCH: S=8192 H=16 HALF=64 T=bf16 num_warps=4
# ARG: y empty:T[S,H,2*HALF]
# ARG: x randn:T[S,H,2*HALF]
# ARG: cos randn:fp32[S,HALF]
# ARG: sin randn:fp32[S,HALF]
# ARG: heads H
# CONST: HALF HALF
# GRID: S, H
#
# KERNEL: quantize_groups
# TYPES: bf16 fp32
# SIZES: G=1 | G=131
# BENCH: G=131072 T=bf16 num_warps=1
# ARG: q empty:i8[G,128]
# ARG: scales empty:fp32[G]
# ARG: x randn:T[G,128]
# CONST: GROUP 128
# GRID: G
# TOLERANCE: q 0 1
#
# KERNEL: embed_tokens
# TYPES: fp32 fp16
# SIZES: S=1 D=64 V=3 | S=67 D=100 V=50
# BENCH: S=65536 D=128 V=32000 T=fp16 num_warps=4
# ARG: y empty:T[S,D]
# ARG: table randn:T[V,D]
# ARG: tokens randint(0,V):i64[S]
# ARG: D D
# CONST: BLOCK next_power_of_2(D)
# GRID: S
#
# KERNEL: best_expert
# TYPES: fp32 bf16
# SIZES: S=1 E=4 | S=99 E=60
# BENCH: S=65536 E=64 T=bf16 num_warps=1
# ARG: best empty:i32[S]
# ARG: weight empty:fp32[S]
# ARG: loads zeros:i32[E]
# ARG: x randn:T[S,E]
# ARG: E E
# CONST: BLOCK next_power_of_2(E)
# GRID: S
# CHECK: best weight loads
#
# KERNEL: numbered_programs
# SIZES: X=1 Y=1 Z=1 | X=65 Y=1 Z=2 | X=4 Y=3 Z=2 | X=1 Y=12 Z=3 | X=5 Y=7 Z=1 | X=1 Y=3501 Z=2 | X=3001 Y=1 Z=2
# BENCH: X=1 Y=16384 Z=4 num_warps=2
# ARG: out empty:i32[Z,Y,X,8]
# GRID: X, Y, Z
#
# KERNEL: smooth_columns
# SIZES: S=1 H=1 D=1 | S=5 H=3 D=64 | S=9 H=2 D=50
# BENCH: S=512 H=4096 D=64 num_warps=4
# ARG: y empty:fp32[S,H,D]
# ARG: x randn:fp32[S,H,D]
# ARG: S S
# ARG: H H
# ARG: D D
# ARG: keep 0.75
# CONST: BLOCK 64
# GRID: H
# TOLERANCE: y 1e-5 1e-5
#
# KERNEL: byte_checksum
# SIZES: R=1 N=1 | R=7 N=100
# BENCH: R=4096 N=256 num_warps=4
# ARG: sums empty:i32[R]
# ARG: x randint(0,256):u8[R,N]
# ARG: table randint(0,65536):i32[256]
# ARG: N N
# GRID: R

import triton
import triton.language as tl


@triton.jit
def short_softmax(y, x, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    scores = tl.load(x + row * N + cols, mask=mask, other=-float("inf")).to(tl.float32)
    weights = tl.exp(scores - tl.max(scores, axis=0))
    result = weights / tl.sum(weights, axis=0)
    tl.store(y + row * N + cols, result.to(y.dtype.element_ty), mask=mask)


@triton.jit
def head_norm(y, x, w, stride, D, eps, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    cols = tl.arange(0, BLOCK)
    mask = cols < D
    start = token * stride + head * D
    values = tl.load(x + start + cols, mask=mask, other=0.0).to(tl.float32)
    weight = tl.load(w + cols, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(values * values, axis=0) / D + eps)
    tl.store(y + start + cols, (values * scale * weight).to(y.dtype.element_ty), mask=mask)


@triton.jit
def rotate_heads(y, x, cos, sin, heads, HALF: tl.constexpr):
    token = tl.program_id(0)
    head = tl.program_id(1)
    cols = tl.arange(0, HALF)
    c = tl.load(cos + token * HALF + cols)
    s = tl.load(sin + token * HALF + cols)
    start = (token * heads + head) * 2 * HALF
    a = tl.load(x + start + cols).to(tl.float32)
    b = tl.load(x + start + HALF + cols).to(tl.float32)
    tl.store(y + start + cols, (a * c - b * s).to(y.dtype.element_ty))
    tl.store(y + start + HALF + cols, (b * c + a * s).to(y.dtype.element_ty))


@triton.jit
def quantize_groups(q, scales, x, GROUP: tl.constexpr):
    group = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, GROUP)
    values = tl.load(x + group * GROUP + cols).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(values), axis=0), 1e-10) / 127.0
    steps = tl.clamp(values / scale, -127.0, 127.0)
    tl.store(q + group * GROUP + cols, tl.floor(steps + 0.5).to(tl.int8))
    tl.store(scales + group, scale)


@triton.jit
def embed_tokens(y, table, tokens, D, BLOCK: tl.constexpr):
    place = tl.program_id(0)
    token = tl.load(tokens + place)
    cols = tl.arange(0, BLOCK)
    mask = cols < D
    row = tl.load(table + token * D + cols, mask=mask)
    tl.store(y + place * D + cols, row, mask=mask)


@triton.jit
def best_expert(best, weight, loads, x, E, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    scores = tl.load(x + token * E + cols, mask=cols < E, other=-float("inf")).to(tl.float32)
    expert = tl.argmax(scores, axis=0)
    peak = tl.max(scores, axis=0)
    tl.store(best + token, expert)
    tl.store(weight + token, 1.0 / tl.sum(tl.exp(scores - peak), axis=0))
    tl.atomic_add(loads + expert, 1)


@triton.jit
def numbered_programs(out):
    x = tl.program_id(0)
    y = tl.program_id(1)
    z = tl.program_id(2)
    nx = tl.num_programs(0)
    ny = tl.num_programs(1)
    nz = tl.num_programs(2)
    out += ((z * ny + y) * nx + x) * 8
    lanes = tl.arange(0, 8)
    value = tl.where(lanes == 0, x, tl.where(lanes == 1, y, tl.where(lanes == 2, z, lanes)))
    value = tl.where(lanes == 3, nx, tl.where(lanes == 4, ny, tl.where(lanes == 5, nz, value)))
    tl.store(out + lanes, value)


def short_softmax_reference(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return {"y": e / e.sum(1, keepdims=True)}


def head_norm_reference(x, w, eps):
    return {"y": x / np.sqrt((x * x).mean(2, keepdims=True) + eps) * w}


def rotate_heads_reference(x, cos, sin):
    half = x.shape[2] // 2
    a, b = x[:, :, :half], x[:, :, half:]
    cos, sin = cos[:, None], sin[:, None]
    return {"y": np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=2)}


def quantize_groups_reference(x):
    scale = np.maximum(np.abs(x).max(1), 1e-10) / 127.0
    return {"q": np.floor(x / scale[:, None] + 0.5), "scales": scale}


def embed_tokens_reference(table, tokens):
    return {"y": table[tokens.astype(np.int64)]}


def best_expert_reference(x):
    chosen = x.argmax(1)
    peak = x.max(1, keepdims=True)
    return {"best": chosen, "weight": 1.0 / np.exp(x - peak).sum(1), "loads": np.bincount(chosen, minlength=x.shape[1])}


def numbered_programs_reference(X, Y, Z):
    nz, ny, nx = Z, Y, X
    z, y, x = np.meshgrid(np.arange(nz), np.arange(ny), np.arange(nx), indexing="ij")
    rest = [np.full(x.shape, value) for value in (nx, ny, nz, 6, 7)]
    return {"out": np.stack([x, y, z] + rest, axis=3)}


@triton.jit
def smooth_columns(y, x, S, H, D, keep, BLOCK: tl.constexpr):
    """Each step reads what the one before stored."""
    at = tl.program_id(0) * D + tl.arange(0, BLOCK)
    mask = tl.arange(0, BLOCK) < D
    tl.store(y + at, tl.load(x + at, mask=mask), mask=mask)
    for step in range(1, S):
        last = tl.load(y + at, mask=mask)
        at += H * D
        tl.store(y + at, keep * last + (1 - keep) * tl.load(x + at, mask=mask), mask=mask)


def smooth_columns_reference(x, keep):
    y = x.copy()
    for step in range(1, len(x)):
        y[step] = keep * y[step - 1] + (1 - keep) * x[step]
    return y


@triton.jit
def byte_checksum(sums, x, table, N):
    """Without a tile: all threads would do the same."""
    row = tl.program_id(0)
    value = tl.full((), 0, tl.int32)
    for i in range(N):
        byte = tl.load(x + row * N + i).to(tl.int32)
        value = (value >> 8) ^ tl.load(table + ((value ^ byte) & 255))
    tl.store(sums + row, value)


def byte_checksum_reference(x, table):
    values = np.zeros(len(x), np.int32)
    for column in np.asarray(x, np.int32).T:
        values = values >> 8 ^ np.asarray(table, np.int32)[(values ^ column) & 255]
    return values
