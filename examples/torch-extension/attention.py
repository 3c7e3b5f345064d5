"""Attention, softmax(scale * Q K^T) V, and its gradients, with no matrix of scores in memory.

Arrays are [heads of all batches, length, HEAD_DIM] without gaps and start at multiples of 16 bytes. With CAUSAL, a
query sees the keys up to its own place. Products of float32 are exact to its last bits ("ieee"), since that is what
their users ask for.
"""

import triton
import triton.language as tl


@triton.jit
def attention_forward(out, logs, q, k, v, length, scale, HEAD_DIM: tl.constexpr, CAUSAL: tl.constexpr,
                      BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, PRECISION: tl.constexpr):
    """A program takes a block of queries; logs are the binary logarithms of the sums of their weights."""
    out, q = tl.multiple_of(out, 16), tl.multiple_of(q, 16)
    k, v = tl.multiple_of(k, 16), tl.multiple_of(v, 16)
    # Under the causal mask the last queries have the most keys, so they start first.
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, HEAD_DIM)
    q_at = head * length * HEAD_DIM + rows[:, None] * HEAD_DIM + dims[None, :]
    query = tl.load(q + q_at, mask=rows[:, None] < length, other=0.0)
    k += head * length * HEAD_DIM
    v += head * length * HEAD_DIM

    top = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    sums = tl.zeros((BLOCK_M, HEAD_DIM), tl.float32)
    scale *= 1.4426950408889634  # exp(x) is exp2(x * log2(e))
    end = length
    if CAUSAL:
        end = tl.minimum((block + 1) * BLOCK_M, length)
    for start in range(0, end, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        key = tl.load(k + keys[None, :] * HEAD_DIM + dims[:, None], mask=keys[None, :] < length, other=0.0)
        scores = tl.dot(query, key, input_precision=PRECISION) * scale
        is_seen = keys[None, :] < length
        if CAUSAL:
            is_seen = is_seen & (keys[None, :] <= rows[:, None])
        scores = tl.where(is_seen, scores, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, axis=1))
        weights = tl.exp2(scores - new_top[:, None])
        fade = tl.exp2(top - new_top)
        total = total * fade + tl.sum(weights, axis=1)
        value = tl.load(v + keys[:, None] * HEAD_DIM + dims[None, :], mask=keys[:, None] < length, other=0.0)
        sums = tl.dot(weights.to(value.dtype), value, sums * fade[:, None], input_precision=PRECISION)
        top = new_top
    tl.store(out + q_at, (sums / total[:, None]).to(out.dtype.element_ty), mask=rows[:, None] < length)
    tl.store(logs + head * length + rows, top + tl.log2(total), mask=rows < length)


@triton.jit
def attention_deltas(deltas, out, dout, count, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr):
    """The sum of result times gradient of each of `count` queries, which all its scores' gradients need."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    at = rows[:, None].to(tl.int64) * HEAD_DIM + tl.arange(0, HEAD_DIM)[None, :]
    result = tl.load(out + at, mask=rows[:, None] < count, other=0.0).to(tl.float32)
    upstream = tl.load(dout + at, mask=rows[:, None] < count, other=0.0).to(tl.float32)
    tl.store(deltas + rows, tl.sum(result * upstream, axis=1), mask=rows < count)


@triton.jit
def attention_dkeys(dk, dv, q, k, v, dout, logs, deltas, length, scale, HEAD_DIM: tl.constexpr, CAUSAL: tl.constexpr,
                    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, PRECISION: tl.constexpr):
    """A program takes a block of keys and goes over the queries that see any of them."""
    dk, dv, dout = tl.multiple_of(dk, 16), tl.multiple_of(dv, 16), tl.multiple_of(dout, 16)
    q, k, v = tl.multiple_of(q, 16), tl.multiple_of(k, 16), tl.multiple_of(v, 16)
    block = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    keys = block * BLOCK_N + tl.arange(0, BLOCK_N)
    dims = tl.arange(0, HEAD_DIM)
    k_at = head * length * HEAD_DIM + keys[:, None] * HEAD_DIM + dims[None, :]
    key = tl.load(k + k_at, mask=keys[:, None] < length, other=0.0)
    value = tl.load(v + k_at, mask=keys[:, None] < length, other=0.0)
    q += head * length * HEAD_DIM
    dout += head * length * HEAD_DIM
    logs += head * length
    deltas += head * length

    dkey = tl.zeros((BLOCK_N, HEAD_DIM), tl.float32)
    dvalue = tl.zeros((BLOCK_N, HEAD_DIM), tl.float32)
    factor = scale * 1.4426950408889634
    first = 0
    if CAUSAL:
        first = block * BLOCK_N // BLOCK_M * BLOCK_M
    for start in range(first, length, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        at = rows[:, None] * HEAD_DIM + dims[None, :]
        query = tl.load(q + at, mask=rows[:, None] < length, other=0.0)
        upstream = tl.load(dout + at, mask=rows[:, None] < length, other=0.0)
        # Queries beyond the end have no weights.
        log = tl.load(logs + rows, mask=rows < length, other=float("inf"))
        delta = tl.load(deltas + rows, mask=rows < length, other=0.0)
        scores = tl.dot(key, tl.trans(query), input_precision=PRECISION)
        weights = tl.exp2(scores * factor - log[None, :])
        if CAUSAL:
            weights = tl.where(keys[:, None] <= rows[None, :], weights, 0.0)
        dvalue = tl.dot(weights.to(upstream.dtype), upstream, dvalue, input_precision=PRECISION)
        dweights = tl.dot(value, tl.trans(upstream), input_precision=PRECISION)
        dscores = weights * (dweights - delta[None, :])
        dkey = tl.dot(dscores.to(query.dtype), query, dkey, input_precision=PRECISION)
    tl.store(dk + k_at, (dkey * scale).to(dk.dtype.element_ty), mask=keys[:, None] < length)
    tl.store(dv + k_at, dvalue.to(dv.dtype.element_ty), mask=keys[:, None] < length)


@triton.jit
def attention_dqueries(dq, q, k, v, dout, logs, deltas, length, scale, HEAD_DIM: tl.constexpr, CAUSAL: tl.constexpr,
                       BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, PRECISION: tl.constexpr):
    """A program takes a block of queries and goes over the keys that any of them sees."""
    dq, dout = tl.multiple_of(dq, 16), tl.multiple_of(dout, 16)
    q, k, v = tl.multiple_of(q, 16), tl.multiple_of(k, 16), tl.multiple_of(v, 16)
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, HEAD_DIM)
    q_at = head * length * HEAD_DIM + rows[:, None] * HEAD_DIM + dims[None, :]
    query = tl.load(q + q_at, mask=rows[:, None] < length, other=0.0)
    upstream = tl.load(dout + q_at, mask=rows[:, None] < length, other=0.0)
    log = tl.load(logs + head * length + rows, mask=rows < length, other=float("inf"))
    delta = tl.load(deltas + head * length + rows, mask=rows < length, other=0.0)
    k += head * length * HEAD_DIM
    v += head * length * HEAD_DIM

    dquery = tl.zeros((BLOCK_M, HEAD_DIM), tl.float32)
    factor = scale * 1.4426950408889634
    end = length
    if CAUSAL:
        end = tl.minimum((block + 1) * BLOCK_M, length)
    for start in range(0, end, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        at = keys[:, None] * HEAD_DIM + dims[None, :]
        key = tl.load(k + at, mask=keys[:, None] < length, other=0.0)
        value = tl.load(v + at, mask=keys[:, None] < length, other=0.0)
        scores = tl.dot(query, tl.trans(key), input_precision=PRECISION)
        is_seen = keys[None, :] < length
        if CAUSAL:
            is_seen = is_seen & (keys[None, :] <= rows[:, None])
        weights = tl.where(is_seen, tl.exp2(scores * factor - log[:, None]), 0.0)
        dweights = tl.dot(upstream, tl.trans(value), input_precision=PRECISION)
        dscores = weights * (dweights - delta[:, None])
        dquery = tl.dot(dscores.to(key.dtype), key, dquery, input_precision=PRECISION)
    tl.store(dq + q_at, (dquery * scale).to(dq.dtype.element_ty), mask=rows[:, None] < length)
