# Decoding with a draft: rejection of drafted tokens against the target's probabilities, nucleus sampling by
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
# bisection, counts of tokens for penalties, the mask of a tree of drafts, positions for the next step, rotary
# positions in three sections, attention states merged, windows with slopes.
#
# KERNEL: reject_greedy
# SIZES: B=1 K=1 | B=9 K=5
# BENCH: B=16384 K=8
# ARG: output_token_ids full(-1):i64[B,K+1]
# ARG: cu_num_draft arange:i32[B]
# ARG: draft_token_ids randint(0,2):i64[B*K]
# ARG: target_argmax randint(0,2):i64[B*K]
# ARG: bonus_token_ids randint(5,9):i64[B]
# ARG: is_greedy randint(0,4):i1[B]
# ARG: drafts K
# ARG: max_spec_len K
# GRID: B
# CHECK: output_token_ids
#
# KERNEL: reject_random
# SIZES: B=1 K=1 V=3 | B=9 K=4 V=300
# BENCH: B=1024 K=4 V=32000
# ARG: output_token_ids full(-1):i64[B,K+1]
# ARG: draft_token_ids randint(0,V):i64[B,K]
# ARG: draft_probs rand(0.1,1):fp32[B,K,V]
# ARG: target_probs rand(0.1,1):fp32[B,K,V]
# ARG: recovered randint(0,V):i64[B,K]
# ARG: uniform rand:fp64[B,K]
# ARG: max_spec_len K
# ARG: vocab_size V
# CONST: NO_DRAFT_PROBS False
# GRID: B
# CHECK: output_token_ids
#
# KERNEL: recovered_tokens
# SIZES: B=1 K=1 V=3 | B=3 K=4 V=300
# BENCH: B=256 K=4 V=32000
# ARG: out empty:i64[B,K]
# ARG: draft_probs rand:fp32[B,K,V]
# ARG: target_probs rand:fp32[B,K,V]
# ARG: noise rand(0.5,2):fp32[B,V]
# ARG: vocab_size V
# CONST: PADDED next_power_of_2(V)
# GRID: B, K
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
# KERNEL: merge_states
# TYPES: fp32 bf16
# SIZES: N=1 H=1 D=8 | N=5 H=3 D=80
# BENCH: N=8192 H=32 D=128 T=bf16
# ARG: output empty:T[N,H,D]
# ARG: output_lse empty:fp32[H,N]
# ARG: prefix randn:T[N,H,D]
# ARG: prefix_lse randint(-2,3):fp32[H,N]
# ARG: suffix randn:T[N,H,D]
# ARG: suffix_lse randint(-2,3):fp32[H,N]
# CONST: HEAD_SIZE D
# CONST: PADDED next_power_of_2(D)
# CONST: OUTPUT_LSE True
# GRID: N, H
# TOLERANCE: output_lse 1e-5 1e-5
import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["max_spec_len"])
def reject_greedy(output_token_ids, cu_num_draft, draft_token_ids, target_argmax, bonus_token_ids, is_greedy, drafts,
                  max_spec_len):
    req_idx = tl.program_id(0)
    # FIXME(caller): is_greedy is not None here; a None would make every request greedy.
    if is_greedy is None:
        greedy = True
    else:
        greedy = tl.load(is_greedy + req_idx)
    if not greedy:
        # Early exit for non-greedy requests.
        return
    start_idx = 0 if req_idx == 0 else tl.load(cu_num_draft + req_idx - 1) * drafts + drafts
    num_draft_tokens = drafts - req_idx % 2
    rejected = False
    for pos in range(num_draft_tokens):
        if not rejected:
            draft = tl.load(draft_token_ids + start_idx + pos)
            target = tl.load(target_argmax + start_idx + pos)
            tl.store(output_token_ids + req_idx * (max_spec_len + 1) + pos, target)
            if draft != target:
                rejected = True
    if not rejected:
        bonus = tl.load(bonus_token_ids + req_idx)
        tl.store(output_token_ids + req_idx * (max_spec_len + 1) + num_draft_tokens, bonus)


@triton.jit(do_not_specialize=["max_spec_len"])
def reject_random(output_token_ids, draft_token_ids, draft_probs, target_probs, recovered, uniform, max_spec_len,
                  vocab_size, NO_DRAFT_PROBS: tl.constexpr):
    req_idx = tl.program_id(0)
    start_idx = req_idx * max_spec_len
    rejected = False
    for pos in range(max_spec_len):
        if not rejected:
            draft_token_id = tl.load(draft_token_ids + start_idx + pos)
            if NO_DRAFT_PROBS:
                draft_prob = 1
            else:
                draft_prob = tl.load(draft_probs + (start_idx + pos) * vocab_size + draft_token_id)
            target_prob = tl.load(target_probs + (start_idx + pos) * vocab_size + draft_token_id)
            uniform_prob = tl.load(uniform + start_idx + pos)
            if draft_prob > 0 and target_prob / draft_prob >= uniform_prob:
                token_id = draft_token_id
            else:
                rejected = True
                token_id = tl.load(recovered + start_idx + pos)
            tl.store(output_token_ids + req_idx * (max_spec_len + 1) + pos, token_id)
    if not rejected:
        tl.store(output_token_ids + req_idx * (max_spec_len + 1) + max_spec_len, vocab_size)


@triton.jit
def recovered_tokens(out, draft_probs, target_probs, noise, vocab_size, PADDED: tl.constexpr):
    req_idx = tl.program_id(0)
    pos = tl.program_id(1)
    token_idx = req_idx * tl.num_programs(1) + pos
    vocab = tl.arange(0, PADDED)
    d = tl.load(draft_probs + token_idx * vocab_size + vocab, mask=vocab < vocab_size, other=0)
    t = tl.load(target_probs + token_idx * vocab_size + vocab, mask=vocab < vocab_size, other=0)
    prob = tl.maximum(t - d, 0)
    q = tl.load(noise + req_idx * vocab_size + vocab, mask=vocab < vocab_size, other=float("-inf"))
    recovered_id = tl.argmax(prob / q, axis=-1)
    tl.store(out + token_idx, recovered_id)


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
def merge_states(output, output_lse, prefix, prefix_lse, suffix, suffix_lse, HEAD_SIZE: tl.constexpr,
                 PADDED: tl.constexpr, OUTPUT_LSE: tl.constexpr):
    token_idx = tl.program_id(0)
    num_tokens = tl.num_programs(0)
    head_idx = tl.program_id(1)
    num_heads = tl.num_programs(1)
    p_lse = tl.load(prefix_lse + head_idx * num_tokens + token_idx)
    s_lse = tl.load(suffix_lse + head_idx * num_tokens + token_idx)
    p_lse = float("-inf") if p_lse == 2 else p_lse
    s_lse = float("-inf") if s_lse == float("inf") else s_lse
    max_lse = tl.maximum(p_lse, s_lse)
    p_lse = p_lse - max_lse
    s_lse = s_lse - max_lse
    # Exponentials and their sum once, for both outputs.
    p_se = tl.exp(p_lse)
    s_se = tl.exp(s_lse)
    out_se = p_se + s_se
    if OUTPUT_LSE:
        tl.store(output_lse + head_idx * num_tokens + token_idx, tl.log(out_se) + max_lse)
    head = tl.arange(0, PADDED)
    head_mask = head < HEAD_SIZE
    at = token_idx * num_heads * HEAD_SIZE + head_idx * HEAD_SIZE + head
    p_out = tl.load(prefix + at, mask=head_mask)
    s_out = tl.load(suffix + at, mask=head_mask)
    out = p_out * (p_se / out_se) + s_out * (s_se / out_se)
    tl.store(output + at, out, mask=head_mask)


def reject_greedy_reference(output_token_ids, draft_token_ids, target_argmax, bonus_token_ids, is_greedy, B, K):
    for b in range(B):
        if not is_greedy[b]:
            continue
        start, rejected = b * K, False
        count = K - b % 2
        for pos in range(count):
            if not rejected:
                output_token_ids[b, pos] = target_argmax[start + pos]
                rejected = draft_token_ids[start + pos] != target_argmax[start + pos]
        if not rejected:
            output_token_ids[b, count] = bonus_token_ids[b]
    return output_token_ids


def reject_random_reference(output_token_ids, draft_token_ids, draft_probs, target_probs, recovered, uniform, B, K, V):
    for b in range(B):
        for pos in range(K):
            token = int(draft_token_ids[b, pos])
            if np.float32(target_probs[b, pos, token]) / np.float32(draft_probs[b, pos, token]) < uniform[b, pos]:
                output_token_ids[b, pos] = recovered[b, pos]
                break
            output_token_ids[b, pos] = token
        else:
            output_token_ids[b, K] = V
    return output_token_ids


def recovered_tokens_reference(draft_probs, target_probs, noise):
    return (np.maximum(target_probs - draft_probs, 0) / noise[:, None]).argmax(2)


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


def merge_states_reference(prefix, prefix_lse, suffix, suffix_lse):
    p = np.where(prefix_lse == 2, -np.inf, prefix_lse)
    lse = np.logaddexp(p, suffix_lse)
    a, b = np.exp(p - lse).T[..., None], np.exp(suffix_lse - lse).T[..., None]
    return {"output": a * prefix + b * suffix, "output_lse": lse}
