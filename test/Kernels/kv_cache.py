# The paged cache of keys and values: writing new tokens into their slots, copying blocks, and decoding attention of one
# query a head over the pages, products and sums by hand.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: reshape_and_cache
# TYPES: fp16
# SIZES: tokens=1 H=1 D=8 | tokens=9 H=3 D=80
# BENCH: tokens=8192 H=8 D=128 T=fp16
# ARG: key_ptr randn:T[tokens,H,D]
# ARG: value_ptr randn:T[tokens,H,D]
# ARG: key_cache_ptr zeros:T[cdiv(tokens,16),16,H,D]
# ARG: value_cache_ptr zeros:T[cdiv(tokens,16),16,H,D]
# ARG: slot_mapping_ptr permutation:i64[1,tokens]
# ARG: key_stride H*D
# ARG: value_stride H*D
# ARG: block_stride 16*H*D
# ARG: page_stride H*D
# CONST: num_heads H
# CONST: head_size D
# CONST: block_size 16
# CONST: TILE_SIZE next_power_of_2(H*D)
# GRID: tokens
# CHECK: key_cache_ptr value_cache_ptr
#
# KERNEL: copy_blocks
# TYPES: bf16
# SIZES: blocks=4 E=64 | blocks=9 E=1000
# BENCH: blocks=2048 E=16384 T=bf16
# ARG: src randn:T[blocks,E]
# ARG: dst zeros:T[blocks,E]
# ARG: mapping permutation:i64[2,blocks]
# ARG: n_blocks blocks
# CONST: ELEMENTS E
# CONST: BLOCK 1024
# GRID: blocks, cdiv(E, BLOCK)
# CHECK: dst
#
# KERNEL: paged_decode
# TYPES: fp16
# SIZES: B=1 H=1 D=16 L=5 | B=3 H=2 D=64 L=77
# BENCH: B=64 H=32 D=128 L=1024 T=fp16
# ARG: q randn:T[B,H,D]
# ARG: k_cache randn:T[B*cdiv(L,16),16,H,D]
# ARG: v_cache randn:T[B*cdiv(L,16),16,H,D]
# ARG: block_tables permutation:i32[1,B*cdiv(L,16)]
# ARG: seq_lens randint(1,L+1):i32[B]
# ARG: out empty:T[B,H,D]
# ARG: scale 0.125
# ARG: max_blocks cdiv(L,16)
# CONST: H H
# CONST: D D
# CONST: PAGE 16
# GRID: B, H
# TOLERANCE: out 3e-3 1e-3
import triton
import triton.language as tl


@triton.jit
def reshape_and_cache(key_ptr, value_ptr, key_cache_ptr, value_cache_ptr, slot_mapping_ptr, key_stride: tl.int64,
                      value_stride: tl.int64, block_stride: tl.int64, page_stride: tl.int64,
                      num_heads: tl.constexpr, head_size: tl.constexpr, block_size: tl.constexpr,
                      TILE_SIZE: tl.constexpr):
    token_idx = tl.program_id(axis=0)
    slot_idx = tl.load(slot_mapping_ptr + token_idx).to(tl.int64)
    if slot_idx < 0:
        # Padding token that should be ignored.
        return
    tile_i = tl.program_id(axis=1)
    tile_offs = tl.arange(0, TILE_SIZE)
    tile_pos = tile_i * TILE_SIZE + tile_offs
    block_idx = slot_idx // block_size
    block_offset = slot_idx % block_size
    src_key_idx = token_idx * key_stride
    src_value_idx = token_idx * value_stride
    tgt_idx = block_idx * block_stride + block_offset * page_stride
    inside = tile_pos < (num_heads * head_size)
    key_tile = tl.load(key_ptr + src_key_idx + tile_pos, mask=inside)
    value_tile = tl.load(value_ptr + src_value_idx + tile_pos, mask=inside)
    tl.store(key_cache_ptr + tgt_idx + tile_pos, key_tile, mask=inside)
    tl.store(value_cache_ptr + tgt_idx + tile_pos, value_tile, mask=inside)


@triton.jit
def copy_blocks(src, dst, mapping, n_blocks, ELEMENTS: tl.constexpr, BLOCK: tl.constexpr):
    pair = tl.program_id(0)
    source = tl.load(mapping + pair)
    target = tl.load(mapping + n_blocks + pair)
    offs = tl.program_id(1) * BLOCK + tl.max_contiguous(tl.arange(0, BLOCK), BLOCK)
    mask = offs < ELEMENTS
    tl.store(dst + target * ELEMENTS + offs, tl.load(src + source * ELEMENTS + offs, mask=mask), mask=mask)


@triton.jit
def paged_decode(q, k_cache, v_cache, block_tables, seq_lens, out, scale, max_blocks, H: tl.constexpr,
                 D: tl.constexpr, PAGE: tl.constexpr):
    seq = tl.program_id(0)
    head = tl.program_id(1)
    length = tl.load(seq_lens + seq)
    d = tl.arange(0, D)
    query = tl.load(q + (seq * H + head) * D + d).to(tl.float32) * scale
    best = float("-inf")
    total = 0.0
    acc = tl.zeros([D], dtype=tl.float32)
    for block in range(0, tl.cdiv(length, PAGE)):
        page = tl.load(block_tables + seq * max_blocks + block).to(tl.int64)
        rows = tl.arange(0, PAGE)
        at = ((page * PAGE + rows[:, None]) * H + head) * D + d[None, :]
        inside = block * PAGE + rows < length
        k = tl.load(k_cache + at, mask=inside[:, None], other=0.0).to(tl.float32)
        score = tl.where(inside, tl.sum(k * query[None, :], axis=1), float("-inf"))
        new_best = tl.maximum(best, tl.max(score, axis=0))
        alpha = tl.exp(best - new_best)
        p = tl.exp(score - new_best)
        v = tl.load(v_cache + at, mask=inside[:, None], other=0.0).to(tl.float32)
        acc = acc * alpha + tl.sum(p[:, None] * v, axis=0)
        total = total * alpha + tl.sum(p, axis=0)
        best = new_best
    tl.store(out + (seq * H + head) * D + d, acc / total)


def reshape_and_cache_reference(key_ptr, value_ptr, key_cache_ptr, value_cache_ptr, slot_mapping_ptr, H, D):
    key_cache_ptr.reshape(-1, H, D)[slot_mapping_ptr[0]] = key_ptr
    value_cache_ptr.reshape(-1, H, D)[slot_mapping_ptr[0]] = value_ptr
    return dict(key_cache_ptr=key_cache_ptr, value_cache_ptr=value_cache_ptr)


def copy_blocks_reference(src, dst, mapping):
    dst[mapping[1]] = src[mapping[0]]
    return dst


def paged_decode_reference(q, k_cache, v_cache, block_tables, seq_lens, scale, B, H, L):
    out = np.empty_like(q)
    pages = block_tables.reshape(B, -1)
    for b in range(B):
        k = k_cache[pages[b]].reshape(-1, H, q.shape[2])[:seq_lens[b]]
        v = v_cache[pages[b]].reshape(-1, H, q.shape[2])[:seq_lens[b]]
        score = np.exp(scale * np.einsum("hd,lhd->hl", q[b], k))
        out[b] = np.einsum("hl,lhd->hd", score / score.sum(1, keepdims=True), v)
    return out
