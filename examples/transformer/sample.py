"""The choice of the next token."""

import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 4096}, num_warps=16)], key=["vocab"])
@triton.jit
def sample(tokens, texts, position, logits, vocab, capacity, temperature, top_k, seed, BLOCK: tl.constexpr):
    """Chooses a token of each row of logits: the likeliest where `temperature` is 0, else by chance.

    By chance among the `top_k` likeliest, all if that is 0, with the probabilities softmax(logits / temperature).
    The token goes to tokens[row], and to its sequence in texts[row, capacity], behind the position, which moves on.
    """
    row = tl.program_id(0)
    place = tl.load(position + row)
    logits += row.to(tl.int64) * vocab
    lane = tl.arange(0, BLOCK)

    # The top_k-th largest logit, by halving the interval that it is in until nothing is between its ends.
    least = float("-inf")
    if (temperature > 0) & (top_k > 0) & (top_k < vocab):
        lowest = tl.full((BLOCK,), float("inf"), tl.float32)
        highest = tl.full((BLOCK,), float("-inf"), tl.float32)
        for start in range(0, vocab, BLOCK):
            inside = start + lane < vocab
            value = tl.load(logits + start + lane, mask=inside, other=0.0)
            lowest = tl.where(inside, tl.minimum(lowest, value), lowest)
            highest = tl.where(inside, tl.maximum(highest, value), highest)
        low, high = tl.min(lowest, axis=0), tl.max(highest, axis=0)
        high += tl.abs(high) * 1e-6 + 1e-30  # so that fewer than top_k are as large
        middle = low + (high - low) * 0.5
        while (middle > low) & (middle < high):
            larger = tl.zeros((BLOCK,), tl.int32)
            for start in range(0, vocab, BLOCK):
                value = tl.load(logits + start + lane, mask=start + lane < vocab, other=float("-inf"))
                larger += (value >= middle).to(tl.int32)
            is_enough = tl.sum(larger, axis=0) >= top_k
            low = tl.where(is_enough, middle, low)
            high = tl.where(is_enough, high, middle)
            middle = low + (high - low) * 0.5
        least = low

    # The largest of logit / temperature + noise of Gumbel's distribution is drawn from the softmax.
    draw = seed * 1000003 + place * tl.num_programs(0) + row
    best = tl.full((BLOCK,), float("-inf"), tl.float32)
    choice = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, vocab, BLOCK):
        token = start + lane
        score = tl.load(logits + token, mask=token < vocab, other=float("-inf"))
        is_allowed = score >= least
        if temperature > 0:
            uniform = tl.rand(draw, token)
            score = score / temperature - tl.log(-tl.log(tl.maximum(uniform, 1e-30)))
        is_better = is_allowed & (score > best)
        best = tl.where(is_better, score, best)
        choice = tl.where(is_better, token, choice)
    is_best = best == tl.max(best, axis=0)
    token = tl.min(tl.where(is_best, choice, vocab), axis=0)

    tl.store(tokens + row, token)
    tl.store(texts + row * capacity + place + 1, token)
    tl.store(position + row, place + 1)
