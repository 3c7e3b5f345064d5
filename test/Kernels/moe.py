# Routing of tokens to experts: the best experts by one sort of keys that hold value and index, counts by
# histogram, a gate with groups of experts, and positions in blocks of one expert.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: topk_routing
# TYPES: fp32 bf16
# SIZES: N=1 E=8 K=2 | N=37 E=64 K=8
# BENCH: N=65536 E=64 K=8 T=bf16
# ARG: logits randn(0,2):T[N,E]
# ARG: weights empty:fp32[N,K]
# ARG: ids empty:i32[N,K]
# ARG: n_tokens N
# CONST: E E
# CONST: K K
# CONST: BLOCK_T 4
# GRID: cdiv(N, BLOCK_T)
# TOLERANCE: weights 1e-5 1e-6
#
# KERNEL: count_experts
# SIZES: n=1 E=8 P=1 | n=5000 E=64 P=3
# BENCH: n=4194304 E=64 P=264
# ARG: ids randint(0,E):i64[n]
# ARG: counts zeros:i32[E]
# ARG: n n
# CONST: E E
# CONST: BLOCK 1024
# GRID: P
# CHECK: counts
#
# KERNEL: grouped_gate
# SIZES: N=3
# BENCH: N=16384
# ARG: logits randint(0,9):fp32[N,64]
# ARG: bias randint(-1,2):fp32[64]
# ARG: weights empty:fp32[N,4]
# ARG: ids empty:i32[N,4]
# ARG: scale 2.5
# CONST: E 64
# CONST: G 8
# CONST: TOP_G 3
# CONST: K 4
# GRID: N
# TOLERANCE: weights 1e-5 1e-6
#
# KERNEL: align_blocks
# SIZES: E=4 B=16 | E=60 B=64
# BENCH: E=60 B=64
# ARG: counts randint(0,200):i32[E]
# ARG: starts empty:i32[E]
# ARG: expert_of_block full(-1):i32[512]
# ARG: total empty:i32[1]
# ARG: n_experts E
# CONST: BLOCK_E 64
# CONST: BLOCK_SIZE B
# GRID: 1
# CHECK: starts expert_of_block total
import torch
import triton
import triton.language as tl
from packaging.version import Version

if Version(triton.__version__) >= Version("3.1.0"):
    histogram = tl.histogram
else:
    @triton.jit
    def histogram(x, num_bins: tl.constexpr):
        bins = tl.arange(0, num_bins)
        return tl.sum((x[:, None] == bins[None, :]).to(tl.int32), axis=0)


@triton.jit
def sortable(x):
    # The order of unsigned integers is that of floats once negative ones are turned around.
    bits = x.to(tl.uint32, bitcast=True)
    return tl.where((bits >> 31) != 0, ~bits, bits | 0x80000000)


@triton.jit
def unsortable(key):
    bits = tl.where((key >> 31) != 0, key & 0x7FFFFFFF, ~key)
    return bits.to(tl.float32, bitcast=True)


@triton.jit
def topk_routing(logits, weights, ids, n_tokens, E: tl.constexpr, K: tl.constexpr, BLOCK_T: tl.constexpr):
    tokens = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    experts = tl.arange(0, E)
    inside = (tokens < n_tokens)[:, None]
    x = tl.load(logits + tokens[:, None] * E + experts[None, :], mask=inside, other=float("-inf")).to(tl.float32)
    packed = (sortable(x).to(tl.uint64) << 32) | (E - 1 - experts).to(tl.uint64)[None, :]
    best = tl.topk(packed, K, dim=1)
    index = E - 1 - (best & 0xFFFFFFFF).to(tl.int32)
    value = unsortable((best >> 32).to(tl.uint32))
    value = tl.exp(value - tl.max(value, axis=1, keep_dims=True))
    value = value / tl.sum(value, axis=1, keep_dims=True)
    offsets = tokens[:, None] * K + tl.arange(0, K)[None, :]
    tl.store(weights + offsets, value, mask=inside)
    tl.store(ids + offsets, index, mask=inside)


@triton.jit
def count_experts(ids, counts, n, E: tl.constexpr, BLOCK: tl.constexpr):
    total = tl.zeros([E], dtype=tl.int32)
    for start in tl.range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        chosen = tl.load(ids + offsets, mask=offsets < n, other=0).to(tl.int32)
        # What is beyond the end was counted for expert 0.
        beyond = tl.sum((offsets >= n).to(tl.int32), axis=0)
        total += histogram(chosen, E) - tl.where(tl.arange(0, E) == 0, beyond, 0)
    tl.atomic_add(counts + tl.arange(0, E), total, sem="relaxed")


@triton.jit
def grouped_gate(logits, bias, weights, ids, scale, E: tl.constexpr, G: tl.constexpr, TOP_G: tl.constexpr,
                 K: tl.constexpr):
    row = tl.program_id(0)
    PER: tl.constexpr = E // G
    experts = tl.arange(0, E)
    score = tl.sigmoid(tl.load(logits + row * E + experts))
    choice = tl.reshape(score + tl.load(bias + experts), (G, PER))
    first = tl.max(choice, axis=1)
    at = tl.argmax(choice, axis=1)
    inner = tl.arange(0, PER)[None, :]
    second = tl.max(tl.where(inner == at[:, None], float("-inf"), choice), axis=1)
    group = tl.arange(0, G)
    strength = first + second
    better = (strength[None, :] > strength[:, None]) | (
        (strength[None, :] == strength[:, None]) & (group[None, :] < group[:, None]))
    rank = tl.sum(better.to(tl.int32), axis=1)
    left = tl.reshape(tl.where((rank < TOP_G)[:, None], choice, float("-inf")), (E,))
    slots = tl.arange(0, K)
    chosen_weight = tl.zeros((K,), tl.float32)
    chosen = tl.zeros((K,), tl.int32)
    total = 0.0
    for k in tl.static_range(K):
        best, where = tl.max(left, axis=0, return_indices=True)
        weight = tl.sum(tl.where(experts == where, score, 0.0), axis=0)
        chosen_weight = tl.where(slots == k, weight, chosen_weight)
        chosen = tl.where(slots == k, where, chosen)
        left = tl.where(experts == where, float("-inf"), left)
        total += weight
    tl.store(weights + row * K + slots, chosen_weight / (total + 1e-20) * scale)
    tl.store(ids + row * K + slots, chosen)


@triton.jit
def align_blocks(counts, starts, expert_of_block, total, n_experts, BLOCK_E: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    experts = tl.arange(0, BLOCK_E)
    count = tl.load(counts + experts, mask=experts < n_experts, other=0)
    padded = tl.cdiv(count, BLOCK_SIZE) * BLOCK_SIZE
    end = tl.cumsum(padded, axis=0)
    tl.store(starts + experts, end - padded, mask=experts < n_experts)
    tl.store(total, tl.sum(padded))
    for expert in range(n_experts):
        last = tl.sum(tl.where(experts == expert, end, 0))
        blocks = tl.sum(tl.where(experts == expert, padded, 0)) // BLOCK_SIZE
        for block in range(blocks):
            tl.store(expert_of_block + last // BLOCK_SIZE - blocks + block, expert)


def route(hidden_states: torch.Tensor, router: torch.nn.Linear, k: int):
    logits = router(hidden_states)
    weights = logits.new_empty((len(logits), k), dtype=torch.float32)
    ids = torch.empty_like(weights, dtype=torch.int32)
    topk_routing[(triton.cdiv(len(logits), 4),)](logits, weights, ids, len(logits), E=logits.shape[1], K=k, BLOCK_T=4)
    return weights, ids


def topk_routing_reference(logits, K):
    order = np.argsort(-logits, axis=1, kind="stable")[:, :K]
    value = np.exp(np.take_along_axis(logits, order, 1))
    return {"weights": value / value.sum(1, keepdims=True), "ids": order}


def count_experts_reference(ids, E):
    return np.bincount(ids.astype(int), minlength=E)


def grouped_gate_reference(logits, bias, scale, E, G, TOP_G, K):
    score = 1 / (1 + np.exp(-logits))
    choice = (score + bias).reshape(-1, G, E // G)
    strength = np.sort(choice, axis=2)[:, :, -2:].sum(2)
    kept = np.argsort(-strength, axis=1, kind="stable")[:, :TOP_G]
    left = np.full_like(choice, -np.inf)
    for row, groups in enumerate(kept):
        left[row, groups] = choice[row, groups]
    chosen = np.argsort(-left.reshape(-1, E), axis=1, kind="stable")[:, :K]
    weight = np.take_along_axis(score, chosen, 1)
    return {"weights": weight / weight.sum(1, keepdims=True) * scale, "ids": chosen}


def align_blocks_reference(counts, BLOCK_SIZE):
    blocks = -(-counts.astype(int) // BLOCK_SIZE)
    experts = np.full(512, -1)
    experts[:blocks.sum()] = np.repeat(np.arange(len(blocks)), blocks)
    return {"starts": (np.cumsum(blocks) - blocks) * BLOCK_SIZE, "expert_of_block": experts,
            "total": np.array([blocks.sum() * BLOCK_SIZE])}
