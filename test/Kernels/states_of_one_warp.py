# Few warps and many steps: states of two axes that are reduced in each step, sums within chunks of scalars from either
# end and with a carry, and weights that are the softmax of a row.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: state_of_pairs
# TYPES: fp32 bf16
# SIZES: L=1 D=32 V=32 B=1 | L=5 D=64 V=32 B=2
# BENCH: L=2048 D=64 V=64 B=64 T=bf16 num_warps=1 num_stages=3
# ARG: q randn:T[B,L,D]
# ARG: k randn:T[B,L,D]
# ARG: v randn:T[B,L,V]
# ARG: g rand(0.8,1):fp32[B,L]
# ARG: o empty:fp32[B,L,V]
# ARG: L L
# CONST: D D
# CONST: V V
# CONST: BLOCK_V 32
# GRID: cdiv(V, BLOCK_V), B
# TOLERANCE: o 1e-3 1e-3
#
# KERNEL: delta_by_steps
# TYPES: fp32
# SIZES: L=1 D=32 V=16 B=1 | L=6 D=64 V=16 B=2
# BENCH: L=2048 D=128 V=128 B=16 T=fp32 num_warps=1 num_stages=3
# ARG: q randn:T[B,L,D]
# ARG: k rand(-0.1,0.1):T[B,L,D]
# ARG: v randn:T[B,L,V]
# ARG: beta rand(0,1):fp32[B,L]
# ARG: o empty:fp32[B,L,V]
# ARG: last empty:fp32[B,D,V]
# ARG: L L
# CONST: D D
# CONST: V V
# CONST: BLOCK_V 16
# GRID: cdiv(V, BLOCK_V), B
# TOLERANCE: o 1e-3 1e-3
# TOLERANCE: last 1e-3 1e-3
#
# KERNEL: chunk_sums
# TYPES: fp32
# SIZES: L=1 H=1 BACK=False | L=150 H=2 BACK=True
# BENCH: L=4096 H=4096 BACK=False T=fp32 num_warps=1
# ARG: x randn:T[H,L]
# ARG: out empty:fp32[H,L]
# ARG: L L
# CONST: CHUNK 64
# CONST: BACK BACK
# GRID: cdiv(L, CHUNK), H
# TOLERANCE: out 1e-5 1e-5
#
# KERNEL: chunk_sums_by_blocks
# TYPES: fp32
# SIZES: L=1 H=2 BACK=True | L=300 H=1 BACK=False
# BENCH: L=65536 H=64 BACK=True T=fp32 num_warps=2
# ARG: x randn:T[H,L]
# ARG: out empty:fp32[H,L]
# ARG: L L
# CONST: CHUNK 256
# CONST: BACK BACK
# GRID: cdiv(L, CHUNK), H
# TOLERANCE: out 1e-5 1e-5
#
# KERNEL: running_sums
# TYPES: fp32
# SIZES: L=1 H=1 BACK=False | L=300 H=2 BACK=True
# BENCH: L=8192 H=512 BACK=True T=fp32 num_warps=2
# ARG: x randn:T[H,L]
# ARG: out empty:fp32[H,L]
# ARG: L L
# CONST: BLOCK 128
# CONST: BACK BACK
# GRID: H
# TOLERANCE: out 1e-4 1e-4
#
# KERNEL: weighted_by_softmax
# TYPES: fp32 bf16
# SIZES: L=1 D=16 B=1 | L=50 D=64 B=3
# BENCH: L=128 D=64 B=16384 T=fp32 num_warps=1
# ARG: scores randn:T[B,L]
# ARG: values randn:T[B,L,D]
# ARG: out empty:fp32[B,D]
# ARG: L L
# CONST: D D
# CONST: BLOCK next_power_of_2(L)
# GRID: B
# TOLERANCE: out 1e-4 1e-4
import triton
import triton.language as tl


@triton.jit
def state_of_pairs(q, k, v, g, o, L, D: tl.constexpr, V: tl.constexpr, BLOCK_V: tl.constexpr):
    part, b = tl.program_id(0), tl.program_id(1)
    d = tl.arange(0, D)
    c = part * BLOCK_V + tl.arange(0, BLOCK_V)
    q += b * L * D
    k += b * L * D
    v += b * L * V
    o += b * L * V
    g += b * L
    state = tl.zeros([D, BLOCK_V], tl.float32)
    for _ in range(0, L):
        key = tl.load(k + d).to(tl.float32)
        value = tl.load(v + c).to(tl.float32)
        query = tl.load(q + d).to(tl.float32)
        state = state * tl.load(g) + key[:, None] * value[None, :]
        tl.store(o + c, tl.sum(state * query[:, None], axis=0))
        q += D
        k += D
        v += V
        o += V
        g += 1


@triton.jit
def delta_by_steps(q, k, v, beta, o, last, L, D: tl.constexpr, V: tl.constexpr, BLOCK_V: tl.constexpr):
    part, b = tl.program_id(0), tl.program_id(1)
    d = tl.arange(0, D)
    c = part * BLOCK_V + tl.arange(0, BLOCK_V)
    p_q = q + b * L * D + d
    p_k = k + b * L * D + d
    p_v = v + b * L * V + c
    p_o = o + b * L * V + c
    state = tl.zeros([BLOCK_V, D], tl.float32)
    for t in range(0, L):
        key = tl.load(p_k).to(tl.float32)
        rest = tl.load(p_v).to(tl.float32) - tl.sum(state * key[None, :], axis=1)
        state += (rest * tl.load(beta + b * L + t))[:, None] * key[None, :]
        out = tl.sum(state * tl.load(p_q).to(tl.float32)[None, :], axis=1)
        tl.store(p_o, out.to(p_o.dtype.element_ty))
        p_q += D
        p_k += D
        p_v += V
        p_o += V
    tl.store(last + b * D * V + d[None, :] * V + c[:, None], state)


@triton.jit
def chunk_sums(x, out, L, CHUNK: tl.constexpr, BACK: tl.constexpr):
    chunk, head = tl.program_id(0), tl.program_id(1)
    at = chunk * CHUNK + tl.arange(0, CHUNK)
    values = tl.load(x + head * L + at, mask=at < L, other=0.0).to(tl.float32)
    sums = tl.cumsum(values, axis=0)
    if BACK:
        sums = -sums + tl.sum(values, axis=0)[None] + values
    tl.store(out + head * L + at, sums, mask=at < L)


@triton.jit
def chunk_sums_by_blocks(x, out, L, CHUNK: tl.constexpr, BACK: tl.constexpr):
    chunk, head = tl.program_id(0), tl.program_id(1)
    p_x = tl.make_block_ptr(x + head * L, (L,), (1,), (chunk * CHUNK,), (CHUNK,), (0,))
    p_out = tl.make_block_ptr(out + head * L, (L,), (1,), (chunk * CHUNK,), (CHUNK,), (0,))
    values = tl.load(p_x, boundary_check=(0,)).to(tl.float32)
    sums = tl.cumsum(values, axis=0)
    if BACK:
        sums = -sums + tl.sum(values, axis=0)[None] + values
    tl.store(p_out, sums.to(p_out.dtype.element_ty), boundary_check=(0,))


@triton.jit
def running_sums(x, out, L, BLOCK: tl.constexpr, BACK: tl.constexpr):
    head = tl.program_id(0)
    carry = tl.zeros([], tl.float32)
    blocks = tl.cdiv(L, BLOCK)
    for i in range(blocks):
        block = blocks - 1 - i if BACK else i
        at = block * BLOCK + tl.arange(0, BLOCK)
        values = tl.load(x + head * L + at, mask=at < L, other=0.0)
        total = tl.sum(values, 0)
        sums = tl.cumsum(values, axis=0)
        if BACK:
            sums = total - sums + values
        tl.store(out + head * L + at, sums + carry, mask=at < L)
        carry += total


@triton.jit
def weighted_by_softmax(scores, values, out, L, D: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    score = tl.load(scores + row * L + at, mask=at < L, other=float("-inf")).to(tl.float32)
    weight = tl.exp(score - tl.max(score, 0))
    weight /= tl.sum(weight, 0)
    tile = tl.load(values + row * L * D + at[:, None] * D + d[None, :], mask=(at < L)[:, None], other=0.0)
    tl.store(out + row * D + d, tl.sum(weight[:, None] * tile.to(tl.float32), axis=0))


def state_of_pairs_reference(q, k, v, g):
    o = np.zeros_like(v)
    state = np.zeros((len(q), q.shape[2], v.shape[2]))
    for t in range(q.shape[1]):
        state = state * g[:, t, None, None] + k[:, t, :, None] * v[:, t, None, :]
        o[:, t] = np.einsum("bd,bdv->bv", q[:, t], state)
    return o


def delta_by_steps_reference(q, k, v, beta):
    o = np.zeros_like(v)
    state = np.zeros((len(q), q.shape[2], v.shape[2]))
    for t in range(q.shape[1]):
        rest = v[:, t] - np.einsum("bd,bdv->bv", k[:, t], state)
        state += k[:, t, :, None] * (rest * beta[:, t, None])[:, None, :]
        o[:, t] = np.einsum("bd,bdv->bv", q[:, t], state)
    return dict(o=o, last=state)


def sums_in_chunks(x, size, back):
    chunks = [x[:, t:t + size] for t in range(0, x.shape[1], size)]
    return np.concatenate([np.flip(np.flip(c, 1).cumsum(1), 1) if back else c.cumsum(1) for c in chunks], 1)


def chunk_sums_reference(x, BACK):
    return sums_in_chunks(x, 64, BACK)


def chunk_sums_by_blocks_reference(x, BACK):
    return sums_in_chunks(x, 256, BACK)


def running_sums_reference(x, BACK):
    return sums_in_chunks(x, x.shape[1], BACK)


def weighted_by_softmax_reference(scores, values):
    weight = np.exp(scores - scores.max(1, keepdims=True))
    return np.einsum("bl,bld->bd", weight / weight.sum(1, keepdims=True), values)
