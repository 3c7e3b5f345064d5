"""Attention of many queries at once, softmax(Q K^T / sqrt(D)) V, with no matrix of scores in memory."""

import triton
import triton.language as tl


@triton.jit
def over_keys(sums, total, top, query, k, v, row_stride, rows, first, last, length, scale, HEAD_DIM: tl.constexpr,
              BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, IS_MASKED: tl.constexpr):
    """Goes over keys first to last: sums of weighted values, of weights, and the largest score, of each query."""
    dims = tl.arange(0, HEAD_DIM)
    for start in range(first, last, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        k_at = k + keys[None, :] * row_stride + dims[:, None]
        v_at = v + keys[:, None] * row_stride + dims[None, :]
        if IS_MASKED:
            key = tl.load(k_at, mask=keys[None, :] < length, other=0.0)
        else:
            key = tl.load(k_at)
        scores = tl.dot(query, key) * scale
        if IS_MASKED:
            is_seen = keys[None, :] < length
            if CAUSAL:
                is_seen = is_seen & (keys[None, :] <= rows[:, None])
            scores = tl.where(is_seen, scores, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, axis=1))
        weights = tl.exp2(scores - new_top[:, None])
        fade = tl.exp2(top - new_top)
        total = total * fade + tl.sum(weights, axis=1)
        sums = sums * fade[:, None]
        if IS_MASKED:
            value = tl.load(v_at, mask=keys[:, None] < length, other=0.0)
        else:
            value = tl.load(v_at)
        sums = tl.dot(weights.to(value.dtype), value, sums)
        top = new_top
    return sums, total, top


@triton.jit
def attention(out, q, k, v, length, heads, kv_heads, scale, HEAD_DIM: tl.constexpr, CAUSAL: tl.constexpr,
              BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """out and q are [batch, length, heads, HEAD_DIM], k and v have kv_heads, each for heads / kv_heads heads of q.

    Programs: blocks of queries, heads, batch. With CAUSAL, a query sees the keys up to its own place. Arrays start at
    multiples of 16 bytes, and so do the rows of all heads, as HEAD_DIM is one of 8.
    """
    out, q = tl.multiple_of(out, 16), tl.multiple_of(q, 16)
    k, v = tl.multiple_of(k, 16), tl.multiple_of(v, 16)
    # Under the causal mask the last queries have the most keys, so they start first.
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    head = tl.program_id(1)
    batch = tl.program_id(2).to(tl.int64)
    rows = block * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, HEAD_DIM)

    q_stride, kv_stride = heads * HEAD_DIM, kv_heads * HEAD_DIM
    q_base = batch * length * q_stride + head * HEAD_DIM
    kv_base = batch * length * kv_stride + head // (heads // kv_heads) * HEAD_DIM
    q_at = q_base + rows[:, None] * q_stride + dims[None, :]
    query = tl.load(q + q_at, mask=rows[:, None] < length, other=0.0)

    top = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    sums = tl.zeros((BLOCK_M, HEAD_DIM), tl.float32)
    # Whole blocks of keys that all queries see need no mask; the others come last.
    if CAUSAL:
        end = tl.minimum((block + 1) * BLOCK_M, length)
        whole = block * BLOCK_M // BLOCK_N * BLOCK_N
    else:
        end = length
        whole = length // BLOCK_N * BLOCK_N
    scale *= 1.4426950408889634  # exp(x) is exp2(x * log2(e))
    sums, total, top = over_keys(sums, total, top, query, k + kv_base, v + kv_base, kv_stride, rows, 0, whole,
                                 length, scale, HEAD_DIM, BLOCK_N, CAUSAL, False)
    sums, total, top = over_keys(sums, total, top, query, k + kv_base, v + kv_base, kv_stride, rows, whole, end,
                                 length, scale, HEAD_DIM, BLOCK_N, CAUSAL, True)
    result = sums / total[:, None]
    tl.store(out + q_at, result.to(out.dtype.element_ty), mask=rows[:, None] < length)
