# The paged cache of keys and values: writing new tokens into their slots, copying blocks, and decoding attention of one
# query a head over the pages, products and sums by hand.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: keep_tokens
# TYPES: fp16
# SIZES: tokens=1 H=1 D=8 | tokens=9 H=3 D=80
# BENCH: tokens=8192 H=8 D=128 T=fp16
# ARG: keys randn:T[tokens,H,D]
# ARG: values randn:T[tokens,H,D]
# ARG: key_pages zeros:T[cdiv(tokens,16),16,H,D]
# ARG: value_pages zeros:T[cdiv(tokens,16),16,H,D]
# ARG: slots permutation:i64[1,tokens]
# ARG: page_stride 16*H*D
# ARG: slot_stride H*D
# CONST: H H
# CONST: D D
# CONST: PAGE 16
# GRID: tokens
# CHECK: key_pages value_pages
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
def keep_tokens(keys, values, key_pages, value_pages, slots, page_stride: tl.int64, slot_stride: tl.int64,
                H: tl.constexpr, D: tl.constexpr, PAGE: tl.constexpr):
    token = tl.program_id(axis=0)
    slot = tl.load(slots + token)
    # A token without a slot leaves nothing behind.
    if slot >= 0:
        head = tl.arange(0, triton.next_power_of_2(H))[:, None]
        d = tl.arange(0, triton.next_power_of_2(D))[None, :]
        inside = (head < H) & (d < D)
        within = head * D + d
        place = (slot // PAGE) * page_stride + (slot % PAGE) * slot_stride
        tl.store(key_pages + place + within, tl.load(keys + token * (H * D) + within, mask=inside), mask=inside)
        tl.store(value_pages + place + within, tl.load(values + token * (H * D) + within, mask=inside), mask=inside)


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
    seq, head = tl.program_id(0), tl.program_id(1)
    length = tl.load(seq_lens + seq)
    d = tl.arange(0, D)[None, :]
    token = tl.arange(0, PAGE)
    query = tl.load(q + (seq * H + head) * D + d).to(tl.float32) * scale
    # Every token of a page has a maximum, a sum and a row of its own; they meet after the last page.
    top = tl.full([PAGE], float("-inf"), tl.float32)
    total = tl.zeros([PAGE], tl.float32)
    mixed = tl.zeros([PAGE, D], tl.float32)
    for nth in range(0, tl.cdiv(length, PAGE)):
        page = tl.load(block_tables + seq * max_blocks + nth).to(tl.int64)
        inside = nth * PAGE + token < length
        at = ((page * PAGE + token[:, None]) * H + head) * D + d
        key = tl.load(k_cache + at, mask=inside[:, None], other=0.0).to(tl.float32)
        value = tl.load(v_cache + at, mask=inside[:, None], other=0.0).to(tl.float32)
        score = tl.sum(key * query, axis=1)
        higher = tl.where(inside, tl.maximum(top, score), top)
        fade = tl.where(inside, tl.exp(top - higher), 1.0)
        weight = tl.where(inside, tl.exp(score - higher), 0.0)
        mixed = mixed * fade[:, None] + weight[:, None] * value
        total = total * fade + weight
        top = higher
    share = tl.exp(top - tl.max(top, axis=0))
    mixed = tl.sum(mixed * share[:, None], axis=0, keep_dims=True)
    tl.store(out + (seq * H + head) * D + d, mixed / tl.sum(total * share, axis=0))


def keep_tokens_reference(keys, values, key_pages, value_pages, slots, H, D):
    key_pages.reshape(-1, H, D)[slots[0]] = keys
    value_pages.reshape(-1, H, D)[slots[0]] = values
    return dict(key_pages=key_pages, value_pages=value_pages)


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
