# Decoding with a draft: rejection of drafted tokens against the target's probabilities, nucleus sampling by
# bisection, counts of tokens for penalties, the mask of a tree of drafts, positions for the next step, rotary
# positions in three sections, attention states merged, windows with slopes.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: accept_greedy
# SIZES: B=1 K=1 | B=9 K=5
# BENCH: B=16384 K=8
# ARG: drafted randint(0,2):i64[B,K]
# ARG: best randint(0,2):i64[B,K]
# ARG: extra randint(5,9):i64[B]
# ARG: chosen randint(0,4):i1[B]
# ARG: out full(-1):i64[B,K+1]
# ARG: K K
# CONST: BLOCK next_power_of_2(K)
# GRID: B
# CHECK: out
#
# KERNEL: accept_random
# SIZES: B=1 K=1 V=3 | B=9 K=4 V=300
# BENCH: B=1024 K=4 V=32000
# ARG: drafted randint(0,V):i64[B,K]
# ARG: q rand(0.1,1):fp32[B,K,V]
# ARG: p rand(0.1,1):fp32[B,K,V]
# ARG: fallback randint(0,V):i64[B,K]
# ARG: coin rand:fp64[B,K]
# ARG: out full(-1):i64[B,K+1]
# ARG: K K
# ARG: V V
# CONST: HAS_Q True
# GRID: B
# CHECK: out
#
# KERNEL: sample_excess
# SIZES: B=1 K=1 V=3 | B=3 K=4 V=300 | B=1 K=2 V=20001
# BENCH: B=256 K=4 V=32000
# ARG: p rand:fp32[B,K,V]
# ARG: q rand:fp32[B,K,V]
# ARG: noise rand(0.5,2):fp32[B,V]
# ARG: out empty:i64[B,K]
# ARG: K K
# ARG: V V
# CONST: BLOCK next_power_of_2(V)
# GRID: B * K
#
# KERNEL: top_p_threshold
# TYPES: fp32
# SIZES: B=1 V=2 | B=4 V=500
# BENCH: B=512 V=32000 T=fp32
# ARG: logits randn(0,3):T[B,V]
# ARG: p rand(0.3,0.9):fp32[B]
# ARG: kept empty:i32[B]
# ARG: mass empty:fp32[B]
# ARG: V V
# CONST: BLOCK next_power_of_2(V)
# GRID: B
# TOLERANCE: kept 0 0
# TOLERANCE: mass 1e-4 1e-5
#
# KERNEL: token_bins
# SIZES: B=1 V=1 L=3 | B=3 V=50 L=700
# BENCH: B=256 V=32000 L=4096
# ARG: tokens randint(0,V):i64[B,L]
# ARG: lengths randint(0,L+1):i32[B]
# ARG: counts zeros:i32[B,V]
# ARG: seen zeros:i8[B,V]
# ARG: stride L
# ARG: V V
# CONST: BLOCK 256
# GRID: B, cdiv(L, BLOCK)
# CHECK: counts seen
#
# KERNEL: tree_mask
# SIZES: B=1 N=1 S=1 | B=2 N=7 S=20
# BENCH: B=256 N=64 S=2048
# ARG: parents arange:i32[B,N]
# ARG: mask empty:i1[B,N,S+N]
# ARG: depth empty:i32[B,N]
# ARG: N N
# ARG: S S
# CONST: BLOCK_N next_power_of_2(N)
# CONST: BLOCK_S 128
# GRID: B, N
#
# KERNEL: join_pair
# TYPES: fp32 bf16
# SIZES: N=1 H=1 D=8 | N=5 H=3 D=80
# BENCH: N=8192 H=32 D=128 T=bf16
# ARG: a randn:T[N,H,D]
# ARG: a_lse randint(-2,3):fp32[H,N]
# ARG: b randn:T[N,H,D]
# ARG: b_lse randint(-2,3):fp32[H,N]
# ARG: out empty:T[N,H,D]
# ARG: out_lse empty:fp32[H,N]
# ARG: D D
# CONST: BLOCK next_power_of_2(D)
# GRID: N, H
# TOLERANCE: out_lse 1e-5 1e-5
import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["K"])
def accept_greedy(drafted, best, extra, chosen, out, K, BLOCK: tl.constexpr):
    """Drafted tokens count up to the first that is not the best one, which replaces it; one more if all are."""
    row = tl.program_id(0)
    if not tl.load(chosen + row):
        return
    count = K - row % 2
    at = tl.arange(0, BLOCK)
    mask = at < count
    guess = tl.load(drafted + row * K + at, mask=mask, other=-1)
    right = tl.load(best + row * K + at, mask=mask, other=-1)
    stop = tl.min(tl.where(guess != right, at, count), 0)
    tl.store(out + row * (K + 1) + at, right, mask=mask & (at <= stop))
    if stop == count:
        tl.store(out + row * (K + 1) + count, tl.load(extra + row))


@triton.jit(do_not_specialize=["K"])
def accept_random(drafted, q, p, fallback, coin, out, K, V, HAS_Q: tl.constexpr):
    """A drafted token is taken with probability p / q; the first refusal takes another one, and ends it."""
    row = tl.program_id(0)
    i = 0
    going = True
    while going and i < K:
        place = row * K + i
        token = tl.load(drafted + place)
        chance = tl.load(p + place * V + token)
        if HAS_Q:
            chance = chance / tl.load(q + place * V + token)
        going = chance >= tl.load(coin + place)
        tl.store(out + row * (K + 1) + i, token if going else tl.load(fallback + place))
        i += 1
    if going:
        tl.store(out + row * (K + 1) + K, V)


@triton.jit
def sample_excess(p, q, noise, out, K, V, BLOCK: tl.constexpr):
    """The token that is drawn, by exponential noise, from what p has more than q."""
    place = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < V
    excess = tl.load(p + place * V + at, mask=mask, other=0.0) - tl.load(q + place * V + at, mask=mask, other=0.0)
    key = tl.where(excess > 0, excess, 0.0) / tl.load(noise + place // K * V + at, mask=mask, other=1.0)
    tl.store(out + place, tl.argmax(tl.where(mask, key, -1.0), 0))


@triton.jit
def top_p_threshold(logits, p, kept, mass, V, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(logits + row * V + cols, mask=cols < V, other=-float("inf"))
    probs = tl.exp(x - tl.max(x, 0))
    probs = probs / tl.sum(probs, 0)
    target = tl.load(p + row)
    low, high = 0.0, tl.max(probs, 0)
    for _ in range(32):
        middle = 0.5 * (low + high)
        above = tl.sum(tl.where(probs >= middle, probs, 0.0), 0)
        enough = above >= target
        low = tl.where(enough, middle, low)
        high = tl.where(enough, high, middle)
    chosen = probs >= low
    tl.store(kept + row, tl.sum(chosen.to(tl.int32), 0))
    tl.store(mass + row, tl.sum(tl.where(chosen, probs, 0.0), 0))


@triton.jit
def token_bins(tokens, lengths, counts, seen, stride, V, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    length = tl.load(lengths + b)
    start = tl.program_id(1) * BLOCK
    if start >= length:
        return
    at = start + tl.arange(0, BLOCK)
    mask = at < length
    token = tl.load(tokens + b * stride + at, mask=mask, other=0)
    tl.atomic_add(counts + b.to(tl.int64) * V + token, 1, mask=mask, sem="relaxed")
    tl.store(seen + b.to(tl.int64) * V + token, tl.full((BLOCK,), 1, tl.int8), mask=mask)


@triton.jit
def tree_mask(parents, mask, depth, N, S, BLOCK_N: tl.constexpr, BLOCK_S: tl.constexpr):
    """Node i sees the whole prefix and its ancestors; the parent of node i > 0 is (i - 1) // 2."""
    b, i = tl.program_id(0), tl.program_id(1)
    row = mask + (b * N + i) * (S + N)
    for s in range(0, S, BLOCK_S):
        at = s + tl.arange(0, BLOCK_S)
        tl.store(row + at, tl.full([BLOCK_S], True, tl.int1), mask=at < S)
    nodes = tl.arange(0, BLOCK_N)
    sees = nodes == i
    node = i
    steps = 0
    while node > 0:
        node = (tl.load(parents + b * N + node) - b * N - 1) // 2
        sees = sees | (nodes == node)
        steps += 1
    tl.store(row + S + nodes, sees, mask=nodes < N)
    tl.store(depth + b * N + i, steps)


@triton.jit
def join_pair(a, a_lse, b, b_lse, out, out_lse, D, BLOCK: tl.constexpr):
    """Two parts of an attention by the logarithms of their weights; 2 stands for a first part that is empty."""
    n, h = tl.program_id(0), tl.program_id(1)
    place = h * tl.num_programs(0) + n
    first, second = tl.load(a_lse + place), tl.load(b_lse + place)
    first = float("-inf") if first == 2 else first
    share = tl.sigmoid(second - first)
    tl.store(out_lse + place, second - tl.log(share))
    d = tl.arange(0, BLOCK)
    at = (n * tl.num_programs(1) + h) * D + d
    x, y = tl.load(a + at, mask=d < D), tl.load(b + at, mask=d < D)
    tl.store(out + at, x * (1.0 - share) + y * share, mask=d < D)


def accept_greedy_reference(drafted, best, extra, chosen, out, B, K):
    for b in np.flatnonzero(chosen):
        count = K - b % 2
        wrong = np.flatnonzero(drafted[b, :count] != best[b, :count])
        stop = wrong[0] + 1 if len(wrong) else count
        out[b, :stop] = best[b, :stop]
        if not len(wrong):
            out[b, count] = extra[b]
    return out


def accept_random_reference(drafted, q, p, fallback, coin, out, B, K, V):
    for b in range(B):
        for i in range(K):
            token = int(drafted[b, i])
            if np.float32(p[b, i, token]) / np.float32(q[b, i, token]) < coin[b, i]:
                out[b, i] = fallback[b, i]
                break
            out[b, i] = token
        else:
            out[b, K] = V
    return out


def sample_excess_reference(p, q, noise):
    return (np.maximum(p - q, 0) / noise[:, None]).argmax(2)


def top_p_threshold_reference(logits, p):
    probs = np.exp(logits - logits.max(1, keepdims=True))
    probs = -np.sort(-probs / probs.sum(1, keepdims=True), axis=1)
    kept = (probs.cumsum(1) < p[:, None]).sum(1) + 1
    return {"kept": kept, "mass": [row[:count].sum() for row, count in zip(probs, kept)]}


def token_bins_reference(tokens, lengths, V):
    counts = np.stack([np.bincount(row[:int(n)].astype(int), minlength=V) for row, n in zip(tokens, lengths)])
    return {"counts": counts, "seen": counts > 0}


def tree_mask_reference(B, N, S):
    mask, depth = np.zeros((N, S + N), bool), np.zeros(N)
    mask[:, :S] = True
    for i in range(N):
        node = i
        mask[i, S + node] = True
        while node > 0:
            node = (node - 1) // 2
            mask[i, S + node] = True
            depth[i] += 1
    return {"mask": np.broadcast_to(mask, (B, N, S + N)), "depth": np.broadcast_to(depth, (B, N))}


def join_pair_reference(a, a_lse, b, b_lse):
    first = np.where(a_lse == 2, -np.inf, a_lse)
    lse = np.logaddexp(first, b_lse)
    return {"out": np.exp(first - lse).T[..., None] * a + np.exp(b_lse - lse).T[..., None] * b, "out_lse": lse}
