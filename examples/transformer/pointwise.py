"""What a layer does between its products: rows of a table, RMSNorm, rotary embedding; and random weights."""

import triton
import triton.language as tl
from order import follow


@triton.jit
def take_rows(out, table, index, width, BLOCK: tl.constexpr):
    """Row i of out is row index[i] of the table. Programs: rows, blocks of columns."""
    follow()
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    source = tl.load(index + row).to(tl.int64)
    value = tl.load(table + source * width + cols, mask=cols < width)
    tl.store(out + row.to(tl.int64) * width + cols, value.to(tl.float32), mask=cols < width)


@triton.jit
def rms_norm(out, x, weight, width, epsilon, BLOCK: tl.constexpr):
    """x / sqrt(mean(x^2) + epsilon) * weight, of each row; a program a row, which BLOCK covers."""
    follow()
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    inside = cols < width
    value = tl.load(x + row * width + cols, mask=inside, other=0.0)
    factor = tl.rsqrt(tl.sum(value * value, axis=0) / width + epsilon)
    value *= factor * tl.load(weight + cols, mask=inside).to(tl.float32)
    tl.store(out + row * width + cols, value.to(out.dtype.element_ty), mask=inside)


@triton.jit
def rotate_and_keep(qkv, k_cache, v_cache, sequence, position, heads, kv_heads, capacity, log2_base,
                    HEAD_DIM: tl.constexpr, HEADS: tl.constexpr):
    """Rotates queries and keys by their position, and puts keys and values into the cache.

    A row of qkv is a token's heads of queries, of keys, of values. A cache is [batch, kv_heads, capacity, HEAD_DIM].
    Programs: tokens, groups of HEADS heads.
    """
    follow()
    token = tl.program_id(0)
    head = (tl.program_id(1) * HEADS + tl.arange(0, HEADS))[:, None]
    pair = tl.arange(0, HEAD_DIM // 2)[None, :]
    all_heads = heads + 2 * kv_heads
    at = qkv + (token.to(tl.int64) * all_heads + head) * HEAD_DIM + pair
    low = tl.load(at, mask=head < all_heads, other=0.0).to(tl.float32)
    high = tl.load(at + HEAD_DIM // 2, mask=head < all_heads, other=0.0).to(tl.float32)

    place = tl.load(position + token)
    # The base to the power of -2 pair / HEAD_DIM.
    angle = place * tl.exp2(pair.to(tl.float32) * (-2 * log2_base / HEAD_DIM))
    is_value = head >= heads + kv_heads
    cosine, sine = tl.where(is_value, 1.0, tl.cos(angle)), tl.where(is_value, 0.0, tl.sin(angle))
    new_low = (low * cosine - high * sine).to(qkv.dtype.element_ty)
    new_high = (high * cosine + low * sine).to(qkv.dtype.element_ty)

    is_query = head < heads
    tl.store(at, new_low, mask=is_query)
    tl.store(at + HEAD_DIM // 2, new_high, mask=is_query)
    is_key = (head >= heads) & (head < heads + kv_heads)
    base = tl.load(sequence + token).to(tl.int64) * kv_heads
    k_at = k_cache + ((base + head - heads) * capacity + place) * HEAD_DIM + pair
    tl.store(k_at, new_low, mask=is_key)
    tl.store(k_at + HEAD_DIM // 2, new_high, mask=is_key)
    v_at = v_cache + ((base + head - heads - kv_heads) * capacity + place) * HEAD_DIM + pair
    tl.store(v_at, new_low, mask=is_value & (head < all_heads))
    tl.store(v_at + HEAD_DIM // 2, new_high, mask=is_value & (head < all_heads))


@triton.jit
def fill_uniform(out, n, seed, low, high, BLOCK: tl.constexpr):
    """n random numbers from low to high, the same on every device."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = low + (high - low) * tl.rand(seed, i)
    tl.store(out + i, value.to(out.dtype.element_ty), mask=i < n)
