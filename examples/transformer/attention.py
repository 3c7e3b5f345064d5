"""Attention for whole prompts, and for one new token of each sequence over the cache of keys and values."""

import triton
import triton.language as tl
from order import follow


@triton.jit
def over_keys(sums, total, top, query, k, v, places, first, last, scale, HEAD_DIM: tl.constexpr,
              BLOCK_N: tl.constexpr, IS_MASKED: tl.constexpr):
    """Goes over keys first to last: sums of weighted values, of weights, and the largest score, of each query.

    Where IS_MASKED, a query sees the keys up to its place; k and v are [keys, HEAD_DIM].
    """
    dims = tl.arange(0, HEAD_DIM)
    for start in range(first, last, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        k_at = k + keys[None, :] * HEAD_DIM + dims[:, None]
        v_at = v + keys[:, None] * HEAD_DIM + dims[None, :]
        if IS_MASKED:
            key = tl.load(k_at, mask=keys[None, :] < last, other=0.0)
        else:
            key = tl.load(k_at)
        scores = tl.dot(query, key) * scale
        if IS_MASKED:
            is_seen = (keys[None, :] < last) & (keys[None, :] <= places[:, None])
            scores = tl.where(is_seen, scores, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, axis=1))
        weights = tl.exp2(scores - new_top[:, None])
        fade = tl.exp2(top - new_top)
        total = total * fade + tl.sum(weights, axis=1)
        sums = sums * fade[:, None]
        if IS_MASKED:
            value = tl.load(v_at, mask=keys[:, None] < last, other=0.0)
        else:
            value = tl.load(v_at)
        sums = tl.dot(weights.to(value.dtype), value, sums)
        top = new_top
    return sums, total, top


@triton.autotune(configs=[triton.Config({"BLOCK_M": 128, "BLOCK_N": 64}, num_warps=8, num_stages=3)], key=["heads"])
@triton.jit
def attend_prompt(out, qkv, k_cache, v_cache, starts, heads, kv_heads, capacity, scale, HEAD_DIM: tl.constexpr,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Attention of all tokens of the prompts, whose keys and values are in the cache.

    Prompts follow each other: the tokens of number i are starts[i] to starts[i + 1]. Programs: blocks of queries
    of the longest prompt, heads, prompts. `scale` includes log2(e).
    """
    out, qkv = tl.multiple_of(out, 16), tl.multiple_of(qkv, 16)
    k_cache, v_cache = tl.multiple_of(k_cache, 16), tl.multiple_of(v_cache, 16)
    head, prompt = tl.program_id(1), tl.program_id(2)
    begin = tl.load(starts + prompt)
    length = tl.load(starts + prompt + 1) - begin
    # The last queries have the most keys, so they start first.
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    if block * BLOCK_M >= length:
        return
    places = block * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, HEAD_DIM)
    tokens = (begin + places)[:, None].to(tl.int64)
    inside = places[:, None] < length
    query_at = qkv + (tokens * (heads + 2 * kv_heads) + head) * HEAD_DIM + dims[None, :]
    query = tl.load(query_at, mask=inside, other=0.0)
    cache = (prompt.to(tl.int64) * kv_heads + head // (heads // kv_heads)) * capacity * HEAD_DIM

    top = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    sums = tl.zeros((BLOCK_M, HEAD_DIM), tl.float32)
    # Blocks of keys that all queries see need no mask; those around the diagonal come last.
    whole = block * BLOCK_M // BLOCK_N * BLOCK_N
    end = tl.minimum((block + 1) * BLOCK_M, length)
    sums, total, top = over_keys(sums, total, top, query, k_cache + cache, v_cache + cache, places, 0, whole, scale,
                                 HEAD_DIM, BLOCK_N, False)
    sums, total, top = over_keys(sums, total, top, query, k_cache + cache, v_cache + cache, places, whole, end,
                                 scale, HEAD_DIM, BLOCK_N, True)
    result = (sums / total[:, None]).to(out.dtype.element_ty)
    tl.store(out + (tokens * heads + head) * HEAD_DIM + dims[None, :], result, mask=inside)


@triton.autotune(configs=[triton.Config({"QUERIES": 16, "BLOCK_N": 64}, num_warps=4, num_stages=2)], key=["heads"])
@triton.jit
def attend_cache(out, parts, tops, totals, qkv, k_cache, v_cache, position, heads, kv_heads, capacity, splits,
                 chunk, scale, HEAD_DIM: tl.constexpr, QUERIES: tl.constexpr, BLOCK_N: tl.constexpr):
    """Attention of one token of each sequence over `chunk` of its keys: the sums that `merge_parts` puts together.

    One chunk is all there is to an answer, which goes to `out` then. A program's queries are the heads that share a
    head of keys, at most QUERIES. Programs: chunks, heads of keys, sequences.
    """
    follow()
    qkv = tl.multiple_of(qkv, 16)
    k_cache, v_cache = tl.multiple_of(k_cache, 16), tl.multiple_of(v_cache, 16)
    split, kv_head, row = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    length = tl.load(position + row) + 1
    first = split * chunk
    if first >= length:
        return
    group = heads // kv_heads
    member = tl.arange(0, QUERIES)
    dims = tl.arange(0, HEAD_DIM)
    head = kv_head * group + member
    query_at = qkv + (row * (heads + 2 * kv_heads) + head)[:, None] * HEAD_DIM + dims[None, :]
    query = tl.load(query_at, mask=member[:, None] < group, other=0.0)
    cache = (row.to(tl.int64) * kv_heads + kv_head) * capacity * HEAD_DIM

    top = tl.full((QUERIES,), float("-inf"), tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    sums = tl.zeros((QUERIES, HEAD_DIM), tl.float32)
    places = tl.full((QUERIES,), 0, tl.int32) + length
    sums, total, top = over_keys(sums, total, top, query, k_cache + cache, v_cache + cache, places, first,
                                 tl.minimum(first + chunk, length), scale, HEAD_DIM, BLOCK_N, True)
    if splits == 1:
        at = out + (row * heads + head)[:, None] * HEAD_DIM + dims[None, :]
        tl.store(at, (sums / total[:, None]).to(out.dtype.element_ty), mask=member[:, None] < group)
        return
    part = (row * heads + head) * splits + split
    tl.store(tops + part, top, mask=member < group)
    tl.store(totals + part, total, mask=member < group)
    tl.store(parts + part[:, None] * HEAD_DIM + dims[None, :], sums, mask=member[:, None] < group)


@triton.jit
def merge_parts(out, parts, tops, totals, position, heads, splits, chunk, HEAD_DIM: tl.constexpr,
                BLOCK: tl.constexpr):
    """Puts the parts of a head together, which were weighted for different largest scores. Programs: heads, rows."""
    follow()
    head, row = tl.program_id(0), tl.program_id(1)
    dims = tl.arange(0, HEAD_DIM)
    used = tl.load(position + row) // chunk + 1
    at = (row * heads + head) * splits
    top = float("-inf")
    total = 0.0
    sums = tl.zeros((HEAD_DIM,), tl.float32)
    for start in range(0, used, BLOCK):
        split = start + tl.arange(0, BLOCK)
        tops_here = tl.load(tops + at + split, mask=split < used, other=float("-inf"))
        new_top = tl.maximum(top, tl.max(tops_here, axis=0))
        weights = tl.exp2(tops_here - new_top)
        fade = tl.exp2(top - new_top)
        total = total * fade + tl.sum(weights * tl.load(totals + at + split, mask=split < used, other=0.0), axis=0)
        part = tl.load(parts + (at + split)[:, None] * HEAD_DIM + dims[None, :], mask=split[:, None] < used, other=0.0)
        sums = sums * fade + tl.sum(part * weights[:, None], axis=0)
        top = new_top
    tl.store(out + (row * heads + head) * HEAD_DIM + dims, (sums / total).to(out.dtype.element_ty))
