# What goes around attention in a server: rotary positions in three sections, norms of heads before rotation, a decode
# over a window with slopes and a sink, its parts put together, tables of cache places, places for new tokens.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: rotary_sections
# TYPES: fp32 bf16
# SIZES: N=1 QH=1 KH=1 D=8 TS=2 HS=1 | N=5 QH=4 KH=2 D=32 TS=4 HS=6
# BENCH: N=8192 QH=32 KH=8 D=128 TS=16 HS=24 T=bf16
# ARG: q randn:T[N,QH*D]
# ARG: k randn:T[N,KH*D]
# ARG: cos randn:T[3,N,D//2]
# ARG: sin randn:T[3,N,D//2]
# ARG: N N
# CONST: Q_HEADS QH
# CONST: K_HEADS KH
# CONST: D D
# CONST: TIMES TS
# CONST: HEIGHTS HS
# GRID: N
# CHECK: q k
# TOLERANCE: q 2e-2 2e-2
# TOLERANCE: k 2e-2 2e-2
#
# KERNEL: head_norm_rotary
# TYPES: fp32 bf16
# SIZES: N=1 H=1 D=8 R=4 | N=5 H=3 D=64 R=32
# BENCH: N=16384 H=32 D=128 R=64 T=bf16
# ARG: x randn:T[N,H,D]
# ARG: weight randn:T[D]
# ARG: positions randint(0,4096):i64[N]
# ARG: cache rand(-1,1):fp32[4096,R]
# ARG: out empty:T[N,H,D]
# ARG: eps 1e-6
# ARG: H H
# CONST: D D
# CONST: ROTARY R
# GRID: N, H
# TOLERANCE: out 2e-2 1e-2
#
# KERNEL: window_decode
# TYPES: fp32 fp16
# SIZES: B=1 H=1 G=1 S=5 D=16 SPLITS=1 | B=3 H=4 G=2 S=300 D=48 SPLITS=4
# BENCH: B=64 H=32 G=4 S=4096 D=128 SPLITS=8 T=fp16
# ARG: q randn:T[B,H,D]
# ARG: k randn:T[B,S,H//G,D]
# ARG: v randn:T[B,S,H//G,D]
# ARG: lengths randint(1,S+1):i32[B]
# ARG: slopes rand(0,0.1):fp32[H]
# ARG: sinks randn:fp32[H]
# ARG: parts empty:fp32[B,H,SPLITS,D]
# ARG: lse empty:fp32[B,H,SPLITS]
# ARG: scale 0.125
# ARG: soft_cap 30.0
# ARG: window 100
# ARG: S S
# ARG: H H
# CONST: GROUP G
# CONST: D D
# CONST: BLOCK_D next_power_of_2(D)
# CONST: BLOCK_S 32
# CONST: SPLITS SPLITS
# GRID: B, H, SPLITS
# TOLERANCE: parts 4e-3 4e-3
# TOLERANCE: lse 1e-3 1e-3
#
# KERNEL: join_splits
# TYPES: bf16
# SIZES: N=1 D=8 SPLITS=1 | N=7 D=80 SPLITS=5
# BENCH: N=32768 D=128 SPLITS=8 T=bf16
# ARG: parts randn:fp32[N,SPLITS,D]
# ARG: lse randint(-3,4):fp32[N,SPLITS]
# ARG: out empty:T[N,D]
# CONST: D D
# CONST: BLOCK_D next_power_of_2(D)
# CONST: SPLITS SPLITS
# GRID: N
#
# KERNEL: cache_places
# SIZES: B=1 L=4 SKIP=False | B=5 L=700 SKIP=False | B=5 L=700 SKIP=True
# BENCH: B=1024 L=4096 SKIP=False
# ARG: table randint(0,99999):i32[B,L]
# ARG: requests permutation:i64[B]
# ARG: lengths full(L-1):i32[B]
# ARG: places full(-1):i32[B,L]
# ARG: skipped full(3):i32[B]
# CONST: STRIDE L
# CONST: SKIPS SKIP
# CONST: BLOCK 512
# GRID: B
# CHECK: places
#
# KERNEL: extend_places
# SIZES: B=1 PAGE=4 | B=7 PAGE=16
# BENCH: B=4096 PAGE=64
# ARG: before randint(0,100):i64[B]
# ARG: more randint(1,100):i64[B]
# ARG: last_place randint(0,50):i64[B]
# ARG: free_pages permutation:i64[B*40]
# ARG: out full(-1):i64[B*100]
# ARG: total empty:i64[1]
# CONST: UPPER next_power_of_2(B)
# CONST: PAGE PAGE
# CONST: MOST 128
# GRID: B
# CHECK: out total
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def turn_heads(x, token, c, s, HEADS: tl.constexpr, D: tl.constexpr):
    """Turns the halves of a token's heads against each other, in place."""
    head = tl.arange(0, triton.next_power_of_2(HEADS))[:, None]
    at = (token * HEADS + head) * D + tl.arange(0, D // 2)[None, :]
    a = tl.load(x + at, mask=head < HEADS, other=0.0).to(tl.float32)
    b = tl.load(x + at + D // 2, mask=head < HEADS, other=0.0).to(tl.float32)
    tl.store(x + at, a * c - b * s, mask=head < HEADS)
    tl.store(x + at + D // 2, b * c + a * s, mask=head < HEADS)


@triton.jit
def rotary_sections(q, k, cos, sin, N, Q_HEADS: tl.constexpr, K_HEADS: tl.constexpr, D: tl.constexpr,
                    TIMES: tl.constexpr, HEIGHTS: tl.constexpr):
    """The first frequencies turn by the time of a token, the next by its height, the others by its width."""
    token = tl.program_id(0)
    frequency = tl.arange(0, D // 2)
    table = (frequency >= TIMES).to(tl.int32) + (frequency >= TIMES + HEIGHTS).to(tl.int32)
    at = (table * N + token) * (D // 2) + frequency
    c = tl.load(cos + at).to(tl.float32)[None, :]
    s = tl.load(sin + at).to(tl.float32)[None, :]
    turn_heads(q, token, c, s, Q_HEADS, D)
    turn_heads(k, token, c, s, K_HEADS, D)


@triton.jit
def head_norm_rotary(x, weight, positions, cache, out, eps, H, D: tl.constexpr, ROTARY: tl.constexpr):
    """RMS norm of a head, then its first ROTARY elements turn in neighbouring pairs."""
    n, h = tl.program_id(0).to(tl.int64), tl.program_id(1)
    o = tl.arange(0, D)
    base = (n * H + h) * D
    v = tl.load(x + base + o).to(tl.float32)
    v = v * tl.rsqrt(tl.sum(v * v, axis=0) / D + eps) * tl.load(weight + o).to(tl.float32)
    position = tl.load(positions + n)
    pair = tl.arange(0, D // 2)
    turns = pair < ROTARY // 2
    c = tl.load(cache + position * ROTARY + pair, mask=turns, other=1.0)
    s = tl.load(cache + position * ROTARY + ROTARY // 2 + pair, mask=turns, other=0.0)
    a, b = tl.split(v.reshape(D // 2, 2))
    turned = tl.interleave(a * c - b * s, b * c + a * s)
    tl.store(out + base + o, turned.to(out.dtype.element_ty))


@triton.jit
def capped(x, soft_cap):
    return soft_cap * libdevice.tanh(x / soft_cap)


@triton.jit
def window_decode(q, k, v, lengths, slopes, sinks, parts, lse, scale, soft_cap, window, S, H, GROUP: tl.constexpr,
                  D: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_S: tl.constexpr, SPLITS: tl.constexpr):
    b, h, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    length = tl.load(lengths + b)
    first = tl.maximum(length - window, 0)
    per_split = tl.cdiv(tl.cdiv(length - first, SPLITS), BLOCK_S) * BLOCK_S
    start = first + split * per_split
    end = tl.minimum(start + per_split, length)
    d = tl.arange(0, BLOCK_D)
    d_mask = d < D
    query = tl.load(q + (b * H + h) * D + d, mask=d_mask, other=0.0).to(tl.float32) * scale
    slope = tl.load(slopes + h)
    # The sink takes part in the first split only.
    m = tl.load(sinks + h) if split == 0 else float("-inf")
    l = 1.0 if split == 0 else 0.0
    acc = tl.zeros([BLOCK_D], dtype=tl.float32)
    for begin in tl.range(start, end, BLOCK_S, num_stages=2):
        s = begin + tl.arange(0, BLOCK_S)
        at = ((b * S + s) * (H // GROUP) + h // GROUP)[:, None] * D + d[None, :]
        mask = (s < end)[:, None] & d_mask[None, :]
        key = tl.load(k + at, mask=mask, other=0.0).to(tl.float32)
        score = capped(tl.sum(query[None, :] * key, axis=1), soft_cap)
        score += slope * (s - (length - 1)).to(tl.float32)
        score = tl.where(s < end, score, float("-inf"))
        new = tl.maximum(m, tl.max(score, axis=0))
        p = tl.exp(score - new)
        old = tl.exp(m - new)
        value = tl.load(v + at, mask=mask, other=0.0).to(tl.float32)
        acc = acc * old + tl.sum(p[:, None] * value, axis=0)
        l = l * old + tl.sum(p, axis=0)
        m = new
    out = (b * H + h) * SPLITS + split
    if l > 0.0:
        acc = acc / l
    tl.store(parts + out * D + d, acc, mask=d_mask)
    tl.store(lse + out, m + tl.log(l))


@triton.jit
def join_splits(parts, lse, out, D: tl.constexpr, BLOCK_D: tl.constexpr, SPLITS: tl.constexpr):
    n = tl.program_id(0)
    d = tl.arange(0, BLOCK_D)
    m = -float("inf")
    total = 0.0
    acc = tl.zeros([BLOCK_D], tl.float32)
    for split in tl.static_range(SPLITS):
        x = tl.load(lse + n * SPLITS + split)
        if x > -3.0:  # Less is an empty split here.
            part = tl.load(parts + (n * SPLITS + split) * D + d, mask=d < D, other=0.0)
            new = tl.maximum(x, m)
            acc = acc * tl.exp(m - new) + tl.exp(x - new) * part
            total = total * tl.exp(m - new) + tl.exp(x - new)
            m = new
    tl.store(out + n * D + d, acc / tl.maximum(total, 1e-30), mask=d < D)


@triton.jit
def cache_places(table, requests, lengths, places, skipped, STRIDE: tl.constexpr, SKIPS: tl.constexpr,
                 BLOCK: tl.constexpr):
    """Where a request keeps its tokens, one behind the other; a window skips the first of them."""
    i = tl.program_id(0)
    table += tl.load(requests + i) * STRIDE
    first = tl.load(skipped + i) if SKIPS else 0
    end = tl.load(lengths + i)
    for start in range(first, end, BLOCK):
        token = start + tl.arange(0, BLOCK)
        tl.store(places + i * STRIDE + token - first, tl.load(table + token, mask=token < end), mask=token < end)


@triton.jit
def pages_for(tokens, PAGE: tl.constexpr):
    return (tokens + PAGE - 1) // PAGE


@triton.jit
def extend_places(before, more, last_place, free_pages, out, total, UPPER: tl.constexpr, PAGE: tl.constexpr,
                  MOST: tl.constexpr):
    """Places for new tokens: behind the last one while its page has room, then in pages from the list of free ones."""
    pid = tl.program_id(0)
    lanes = tl.arange(0, UPPER)
    # A request starts where those before it end, in the places and in the list.
    old = tl.load(before + lanes, mask=lanes <= pid, other=0)
    new = tl.load(more + lanes, mask=lanes <= pid, other=0)
    taken = pages_for(old + new, PAGE) - pages_for(old, PAGE)
    count = tl.load(more + pid)
    start = tl.sum(tl.where(lanes < pid, new, 0))
    pages = free_pages + tl.sum(tl.where(lanes < pid, taken, 0))
    room = pages_for(tl.load(before + pid), PAGE) * PAGE - tl.load(before + pid)
    token = tl.arange(0, MOST)
    beyond = token - room
    page = tl.load(pages + beyond // PAGE, mask=(beyond >= 0) & (token < count), other=0)
    place = tl.where(beyond < 0, tl.load(last_place + pid) + 1 + token, page * PAGE + beyond % PAGE)
    tl.store(out + start + token, place, mask=token < count)
    if pid == tl.num_programs(0) - 1:
        tl.store(total, tl.sum(new) << 32 | tl.sum(taken))


def turned(x, c, s):
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * c - b * s, b * c + a * s], -1)


def rotary_sections_reference(q, k, cos, sin, N, QH, KH, D, TS, HS):
    section = np.where(np.arange(D // 2) < TS, 0, np.where(np.arange(D // 2) < TS + HS, 1, 2))
    pick = lambda table: np.take_along_axis(table, section[None, None, :], 0)[0][:, None, :]
    c, s = pick(cos), pick(sin)
    return {"q": turned(q.reshape(N, QH, D), c, s).reshape(q.shape),
            "k": turned(k.reshape(N, KH, D), c, s).reshape(k.shape)}


def head_norm_rotary_reference(x, weight, positions, cache, R, D):
    v = x / np.sqrt((x * x).mean(2, keepdims=True) + 1e-6) * weight
    rows = cache[positions.astype(int)][:, None]
    c, s = np.ones(v.shape[:1] + (1, D // 2)), np.zeros(v.shape[:1] + (1, D // 2))
    c[..., :R // 2], s[..., :R // 2] = rows[..., :R // 2], rows[..., R // 2:]
    a, b = v[..., 0::2], v[..., 1::2]
    return np.stack([a * c - b * s, b * c + a * s], -1).reshape(x.shape)


def window_decode_reference(q, k, v, lengths, slopes, sinks, B, H, G, D, SPLITS, window):
    parts, lse = np.zeros((B, H, SPLITS, D)), np.full((B, H, SPLITS), -np.inf)
    for b, length in enumerate(lengths.astype(int)):
        first = max(length - window, 0)
        per = -(-(-(-(length - first) // SPLITS)) // 32) * 32
        for h in range(H):
            for split in range(SPLITS):
                s = np.arange(first + split * per, max(min(first + (split + 1) * per, length), first + split * per))
                score = 30 * np.tanh(k[b, s, h // G] @ q[b, h] * 0.125 / 30) + slopes[h] * (s - (length - 1))
                weight = np.exp(score)
                sum_ = weight.sum() + (np.exp(sinks[h]) if split == 0 else 0)
                if sum_ > 0:
                    parts[b, h, split] = weight @ v[b, s, h // G] / sum_
                lse[b, h, split] = np.log(sum_)
    return {"parts": parts, "lse": lse}


def join_splits_reference(parts, lse):
    weight = np.where(lse > -3, np.exp(lse), 0)[..., None]
    return (parts * weight).sum(1) / np.maximum(weight.sum(1), 1e-30)


def cache_places_reference(table, requests, places, L, SKIP):
    first = 3 if SKIP else 0
    places[:, :L - 1 - first] = table[requests.astype(int), first:L - 1]
    return places


def extend_places_reference(before, more, last_place, free_pages, out, PAGE):
    at, used = 0, 0
    for old, new, last in zip(before.astype(int), more.astype(int), last_place.astype(int)):
        for i in range(new):
            if i < -old % PAGE:
                out[at] = last + 1 + i
            else:
                j = i - -old % PAGE
                out[at] = free_pages[used + j // PAGE] * PAGE + j % PAGE
            at += 1
        used += -(-(old + new) // PAGE) - -(-old // PAGE)
    return {"out": out, "total": np.array([at << 32 | used])}
