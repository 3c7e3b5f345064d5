# Attention of unusual forms, as libraries write it: triangles with a bias of pairs, dropout by counters, two maps that
# are subtracted, rotation inside of the loop, keys of eight bits with scales of blocks, sequences of two lengths,
# blocks that were selected for every token, gradients of keys that several heads share.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: triangle_attention
# TYPES: bf16 fp16
# SIZES: N=50 H=2 D=32 | N=64 H=1 D=16 | N=1 H=1 D=16
# BENCH: N=256 H=4 D=32 T=bf16 BLOCK_M=64 BLOCK_N=64 num_warps=4 num_stages=3
# ARG: q_ptr randn:T[N,N,H,D]
# ARG: k_ptr randn:T[N,N,H,D]
# ARG: v_ptr randn:T[N,N,H,D]
# ARG: gate_ptr randn:T[N,N,H,D]
# ARG: bias_ptr randn:T[H,N,N]
# ARG: mask_ptr randint(0,2):i8[N,N]
# ARG: out_ptr empty:T[N,N,H,D]
# ARG: lse_ptr empty:fp32[H,N,N]
# ARG: sm_scale 0.2
# ARG: neg_inf -1e9
# ARG: n N
# ARG: stride_i N*H*D
# ARG: stride_j H*D
# ARG: stride_h D
# CONST: DIM D
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# GRID: cdiv(N, BLOCK_M), N, H
# TOLERANCE: out_ptr 2e-2 2e-2
# TOLERANCE: lse_ptr 1e-3 1e-2
#
# KERNEL: with_dropout
# SIZES: Z=1 H=2 LQ=65 LK=100 D=64 CAUSAL=0 | Z=2 H=1 LQ=128 LK=128 D=32 CAUSAL=1
# BENCH: Z=2 H=16 LQ=2048 LK=2048 D=128 CAUSAL=1 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=2
# ARG: Q randn:fp16[Z,H,LQ,D]
# ARG: K randn:fp16[Z,H,LK,D]
# ARG: V randn:fp16[Z,H,LK,D]
# ARG: Out empty:fp16[Z,H,LQ,D]
# ARG: L empty:fp32[Z*H,LQ]
# ARG: sm_scale 0.2
# ARG: dropout_p 0.25
# ARG: philox_seed 1234
# ARG: philox_offset_base 77
# ARG: seqlen_q LQ
# ARG: seqlen_k LK
# CONST: IS_CAUSAL CAUSAL == 1
# CONST: ENABLE_DROPOUT True
# CONST: BLOCK_M 64
# CONST: BLOCK_DMODEL D
# CONST: BLOCK_N 32
# GRID: cdiv(LQ, BLOCK_M), Z * H
# TOLERANCE: Out 1e-2 1e-2
# TOLERANCE: L 1e-3 1e-2
#
# KERNEL: two_maps
# SIZES: H=2 L=65 D=32 | H=1 L=128 D=16
# BENCH: H=16 L=4096 D=64 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=3
# ARG: q_ptr randn:bf16[H,2,L,D]
# ARG: k_ptr randn:bf16[H,2,L,D]
# ARG: v_ptr randn:bf16[H,L,2*D]
# ARG: lambda_ptr rand:fp32[H]
# ARG: out_ptr empty:bf16[H,L,2*D]
# ARG: seq_len L
# ARG: scale 0.2
# ARG: eps 1e-5
# CONST: D D
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# GRID: cdiv(L, BLOCK_M), H
# TOLERANCE: out_ptr 3e-2 6e-2
#
# KERNEL: rotation_inside
# SIZES: H=4 G=2 L=65 D=32 | H=1 G=1 L=1 D=64
# BENCH: H=32 G=4 L=2048 D=128 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=2
# ARG: q_ptr randn:bf16[L,H,D]
# ARG: k_ptr randn:bf16[L,H//G,D]
# ARG: v_ptr randn:bf16[L,H//G,D]
# ARG: cos_ptr rand(-1,1):fp32[L,D//2]
# ARG: sin_ptr rand(-1,1):fp32[L,D//2]
# ARG: o_ptr empty:bf16[L,H,D]
# ARG: seq_len L
# ARG: sm_scale 0.2
# ARG: num_heads H
# CONST: GROUP G
# CONST: HEAD_DIM D
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# GRID: cdiv(L, BLOCK_M), H
# TOLERANCE: o_ptr 3e-2 4e-2
#
# KERNEL: keys_of_bytes
# SIZES: H=4 HKV=2 LQ=65 LK=130 D=64 | H=1 HKV=1 LQ=1 LK=40 D=32
# BENCH: H=32 HKV=8 LQ=4096 LK=4096 D=128 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=4
# ARG: Q randint(-127,128):i8[H,LQ,D]
# ARG: K randint(-127,128):i8[HKV,LK,D]
# ARG: V randn:fp16[HKV,LK,D]
# ARG: Q_scale rand(0.0005,0.001):fp32[H,cdiv(LQ,BLOCK_M)]
# ARG: K_scale rand(0.0005,0.001):fp32[HKV,cdiv(LK,BLOCK_N)]
# ARG: Out empty:bf16[H,LQ,D]
# ARG: Lse empty:fp32[H,LQ]
# ARG: qo_len LQ
# ARG: kv_len LK
# ARG: stride_h_q LQ*D
# ARG: stride_n D
# ARG: stride_h_k LK*D
# CONST: HEAD_DIM D
# CONST: GROUPS H // HKV
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: RETURN_LSE True
# GRID: cdiv(LQ, BLOCK_M), H
# TOLERANCE: Out 2e-2 2e-2
# TOLERANCE: Lse 1e-3 1e-2
#
# KERNEL: two_lengths
# SIZES: B=3 S=100 H=2 HKV=1 D=64 CAUSAL=1 | B=2 S=65 H=2 HKV=2 D=32 CAUSAL=0
# BENCH: B=8 S=2048 H=16 HKV=4 D=128 CAUSAL=1 BLOCK_M=128 BLOCK_N=64 num_warps=8 num_stages=2
# ARG: q randn:bf16[B*S,H,D]
# ARG: k randn:bf16[B*S,HKV,D]
# ARG: v randn:bf16[B*S,HKV,D]
# ARG: o zeros:bf16[B*S,H,D]
# ARG: lse zeros:fp32[B*S,H]
# ARG: scale 0.15
# ARG: first_ptr arange:i32[B]
# ARG: q_lens randint(0,S+1):i32[B]
# ARG: k_lens randint(1,S+1):i32[B]
# ARG: stretch S
# CONST: H H
# CONST: HKV HKV
# CONST: D D
# CONST: IS_CAUSAL CAUSAL == 1
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: USE_ALL H == HKV
# GRID: cdiv(S, BLOCK_M), H, B
# CHECK: o lse
# TOLERANCE: o 2e-2 2e-2
# TOLERANCE: lse 1e-3 1e-2
#
# KERNEL: selected_blocks
# SIZES: L=70 HKV=2 G=16 D=64 S=3 BS=32 | L=33 HKV=1 G=4 D=32 S=2 BS=16
# BENCH: L=4096 HKV=4 G=16 D=128 S=16 BS=64 num_warps=4 num_stages=3
# ARG: q randn:bf16[L,HKV*G,D]
# ARG: k randn:bf16[L,HKV,D]
# ARG: v randn:bf16[L,HKV,D]
# ARG: o empty:bf16[L,HKV*G,D]
# ARG: lse empty:fp32[L,HKV*G]
# ARG: block_indices permutation:i32[L,HKV,cdiv(L,BS)]
# ARG: scale 0.2
# ARG: T L
# CONST: H HKV
# CONST: G G
# CONST: K D
# CONST: S S
# CONST: BS BS
# CONST: STRIDE_S cdiv(L, BS)
# GRID: L, HKV
# TOLERANCE: o 2e-2 2e-2
# TOLERANCE: lse 1e-3 1e-2
#
# KERNEL: shared_key_gradients
# SIZES: H=4 G=2 L=100 D=32 W=40 | H=2 G=1 L=65 D=64 W=10
# BENCH: H=16 G=4 L=4096 D=128 W=1024 BLOCK_M=64 BLOCK_N=128 num_warps=8 num_stages=2
# ARG: Q randn:fp16[H,L,D]
# ARG: K randn:fp16[H//G,L,D]
# ARG: V randn:fp16[H//G,L,D]
# ARG: DO randn:fp16[H,L,D]
# ARG: LSE rand(4,5):fp32[H,L]
# ARG: DELTA randn:fp32[H,L]
# ARG: DK empty:fp16[H//G,L,D]
# ARG: DV empty:fp16[H//G,L,D]
# ARG: sm_scale 0.2
# ARG: softcap 5.0
# ARG: seqlen L
# CONST: GROUP G
# CONST: D D
# CONST: WINDOW W
# CONST: BLOCK_M 32
# CONST: BLOCK_N 64
# GRID: cdiv(L, BLOCK_N), H // G
# TOLERANCE: DK 1e-2 3e-2
# TOLERANCE: DV 1e-2 3e-2
import numpy as np
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": m, "BLOCK_N": n}, num_warps=w, num_stages=s) for m in (32, 64, 128) for n in (32, 64)
        for w in (4, 8) for s in (2, 3)
    ],
    key=["n", "DIM"],
)
@triton.jit
def triangle_attention(q_ptr, k_ptr, v_ptr, gate_ptr, bias_ptr, mask_ptr, out_ptr, lse_ptr, sm_scale, neg_inf, n,
                       stride_i, stride_j, stride_h, DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Every row of a square of pairs attends within itself; all rows share a bias."""
    pid_j = tl.program_id(0)
    pid_i = tl.program_id(1)
    pid_h = tl.program_id(2)
    base = pid_i.to(tl.int64) * stride_i + pid_h * stride_h
    start_j = pid_j * BLOCK_M
    offs_j = start_j + tl.arange(0, BLOCK_M)
    offs_k = tl.arange(0, BLOCK_N)
    q_block = tl.make_block_ptr(q_ptr + base, (n, DIM), (stride_j, 1), (start_j, 0), (BLOCK_M, DIM), (1, 0))
    k_block = tl.make_block_ptr(k_ptr + base, (DIM, n), (1, stride_j), (0, 0), (DIM, BLOCK_N), (0, 1))
    v_block = tl.make_block_ptr(v_ptr + base, (n, DIM), (stride_j, 1), (0, 0), (BLOCK_N, DIM), (1, 0))
    bias_block = tl.make_block_ptr(bias_ptr + pid_h * n * n, (n, n), (n, 1), (start_j, 0), (BLOCK_M, BLOCK_N), (1, 0))
    mask_ptrs = mask_ptr + pid_i * n + offs_k
    q = tl.load(q_block, boundary_check=(0,), padding_option="zero")
    q = (q * sm_scale).to(q_ptr.dtype.element_ty)
    acc = tl.zeros((BLOCK_M, DIM), dtype=tl.float32)
    highest = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    for start in range(0, n, BLOCK_N):
        start = tl.multiple_of(start, BLOCK_N)
        inside = offs_k < n - start
        bias = tl.load(bias_block, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
        masked = tl.load(mask_ptrs, mask=inside, other=1)
        k = tl.load(k_block, boundary_check=(1,), padding_option="zero")
        scores = tl.dot(q, k, acc=bias)
        scores = tl.where(masked[None, :] != 0, neg_inf, scores)
        scores = tl.where(inside[None, :], scores, float("-inf"))
        peak = tl.maximum(highest, tl.max(scores, 1))
        p = tl.exp2((scores - peak[:, None]) * LOG2E)
        alpha = tl.exp2((highest - peak) * LOG2E)
        total = total * alpha + tl.sum(p, 1)
        acc *= alpha[:, None]
        v = tl.load(v_block, boundary_check=(0,), padding_option="zero")
        acc = tl.dot(p.to(v.dtype), v, acc)
        highest = peak
        k_block = tl.advance(k_block, (0, BLOCK_N))
        v_block = tl.advance(v_block, (BLOCK_N, 0))
        bias_block = tl.advance(bias_block, (0, BLOCK_N))
        mask_ptrs += BLOCK_N
    acc /= total[:, None]
    gate_block = tl.make_block_ptr(gate_ptr + base, (n, DIM), (stride_j, 1), (start_j, 0), (BLOCK_M, DIM), (1, 0))
    gate = tl.load(gate_block, boundary_check=(0,), padding_option="zero").to(tl.float32)
    acc *= tl.sigmoid(gate)
    out_block = tl.make_block_ptr(out_ptr + base, (n, DIM), (stride_j, 1), (start_j, 0), (BLOCK_M, DIM), (1, 0))
    tl.store(out_block, acc.to(out_ptr.dtype.element_ty), boundary_check=(0,))
    tl.store(lse_ptr + (pid_h * n + pid_i) * n + offs_j, highest + tl.log(total), mask=offs_j < n)


def softmax_of(score):
    power = np.exp(score - score.max(axis=-1, keepdims=True))
    return power / power.sum(axis=-1, keepdims=True)


def lse_of(score):
    peak = score.max(axis=-1)
    return peak + np.log(np.exp(score - peak[..., None]).sum(axis=-1))


def triangle_attention_reference(q_ptr, k_ptr, v_ptr, gate_ptr, bias_ptr, mask_ptr, sm_scale):
    score = np.einsum("ijhd,ikhd->hijk", q_ptr, k_ptr) * sm_scale + bias_ptr[:, None]
    score = np.where(mask_ptr[None, :, None, :] != 0, -1e9, score)
    out = np.einsum("hijk,ikhd->ijhd", softmax_of(score), v_ptr)
    return {"out_ptr": out / (1 + np.exp(-gate_ptr)), "lse_ptr": lse_of(score)}


@triton.jit
def dropout_offsets(philox_seed, philox_offset, dropout_p, m, n, stride):
    ms = tl.arange(0, m)
    ns = tl.arange(0, n)
    return philox_offset + ms[:, None] * stride + ns[None, :]


@triton.jit
def dropout_mask(philox_seed, philox_offset, dropout_p, m, n, stride):
    rng_output = tl.rand(philox_seed, dropout_offsets(philox_seed, philox_offset, dropout_p, m, n, stride))
    return rng_output > dropout_p


@triton.jit
def with_dropout(Q, K, V, Out, L, sm_scale, dropout_p, philox_seed, philox_offset_base, seqlen_q, seqlen_k,
                 IS_CAUSAL: tl.constexpr, ENABLE_DROPOUT: tl.constexpr, BLOCK_M: tl.constexpr,
                 BLOCK_DMODEL: tl.constexpr, BLOCK_N: tl.constexpr):
    start_m = tl.program_id(0)
    off_hz = tl.program_id(1)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    q_ptrs = tl.make_block_ptr(base=Q + off_hz * seqlen_q * BLOCK_DMODEL, shape=(seqlen_q, BLOCK_DMODEL),
                               strides=(BLOCK_DMODEL, 1), offsets=(start_m * BLOCK_M, 0),
                               block_shape=(BLOCK_M, BLOCK_DMODEL), order=(1, 0))
    k_ptrs = tl.make_block_ptr(base=K + off_hz * seqlen_k * BLOCK_DMODEL, shape=(BLOCK_DMODEL, seqlen_k),
                               strides=(1, BLOCK_DMODEL), offsets=(0, 0), block_shape=(BLOCK_DMODEL, BLOCK_N),
                               order=(0, 1))
    v_ptrs = tl.make_block_ptr(base=V + off_hz * seqlen_k * BLOCK_DMODEL, shape=(seqlen_k, BLOCK_DMODEL),
                               strides=(BLOCK_DMODEL, 1), offsets=(0, 0), block_shape=(BLOCK_N, BLOCK_DMODEL),
                               order=(1, 0))
    m_i = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l_i = tl.full([BLOCK_M], 1.0, dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, BLOCK_DMODEL], dtype=tl.float32)
    qk_scale = sm_scale * 1.44269504089
    q = tl.load(q_ptrs, boundary_check=(0,), padding_option="zero")
    q = (q * qk_scale).to(q.type.element_ty)
    if ENABLE_DROPOUT:
        batch_philox_offset = philox_offset_base + off_hz * seqlen_q * seqlen_k
    else:
        batch_philox_offset = 0
    hi = tl.minimum(seqlen_k, (start_m + 1) * BLOCK_M) if IS_CAUSAL else seqlen_k
    for start_n in range(0, hi, BLOCK_N):
        k = tl.load(k_ptrs, boundary_check=(1,), padding_option="zero")
        qk = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
        if start_n + BLOCK_N > seqlen_k:
            boundary = tl.full([BLOCK_M], seqlen_k, dtype=tl.int32)
            size_n = start_n + offs_n[None, :]
            qk = tl.where(size_n < boundary[:, None], qk, float("-inf"))
        if IS_CAUSAL:
            qk = tl.where(offs_m[:, None] >= (start_n + offs_n[None, :]), qk, float("-inf"))
        qk += tl.dot(q, k)
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        qk = qk - m_ij[:, None]
        p = tl.math.exp2(qk)
        l_ij = tl.sum(p, 1)
        if ENABLE_DROPOUT:
            philox_offset = batch_philox_offset + start_m * BLOCK_M * seqlen_k + start_n
            keep = dropout_mask(philox_seed, philox_offset, dropout_p, BLOCK_M, BLOCK_N, seqlen_k)
            p = tl.where(keep, p, 0.0)
        alpha = tl.math.exp2(m_i - m_ij)
        acc = acc * alpha[:, None]
        v = tl.load(v_ptrs, boundary_check=(0,), padding_option="zero")
        l_i = l_i * alpha + l_ij
        m_i = m_ij
        acc += tl.dot(p.to(v.type.element_ty), v)
        k_ptrs = tl.advance(k_ptrs, (0, BLOCK_N))
        v_ptrs = tl.advance(v_ptrs, (BLOCK_N, 0))
    acc = acc / l_i[:, None]
    if ENABLE_DROPOUT:
        acc = acc / (1 - dropout_p)
    o_ptrs = tl.make_block_ptr(base=Out + off_hz * seqlen_q * BLOCK_DMODEL, shape=(seqlen_q, BLOCK_DMODEL),
                               strides=(BLOCK_DMODEL, 1), offsets=(start_m * BLOCK_M, 0),
                               block_shape=(BLOCK_M, BLOCK_DMODEL), order=(1, 0))
    tl.store(o_ptrs, acc.to(Out.type.element_ty), boundary_check=(0,))
    tl.store(L + off_hz * seqlen_q + offs_m, m_i + tl.math.log2(l_i), mask=offs_m < seqlen_q)


def random_numbers(seed, counters):
    c0, c1 = counters.astype(np.uint64), np.zeros(counters.shape, np.uint64)
    c2, c3 = c1.copy(), c1.copy()
    k0, k1, low = np.uint64(seed), np.uint64(0), np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a, b = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c2 = (b >> np.uint64(32)) ^ c1 ^ k0, (a >> np.uint64(32)) ^ c3 ^ k1
        c1, c3 = b & low, a & low
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & low, (k1 + np.uint64(0xBB67AE85)) & low
    x = c0.astype(np.uint32).view(np.int32).astype(np.int64)
    return np.where(x < 0, -x - 1, x) * 4.6566127342e-10


def with_dropout_reference(Q, K, V, sm_scale, dropout_p, philox_seed, philox_offset_base, Z, H, LQ, LK, CAUSAL):
    # The sum starts out as 1 with a highest score of minus infinity, so the first block forgets it.
    score = np.einsum("zhid,zhjd->zhij", Q, K) * sm_scale
    if CAUSAL:
        score = np.where(np.arange(LQ)[:, None] >= np.arange(LK), score, -np.inf)
    counters = philox_offset_base + np.arange(Z * H * LQ * LK).reshape(Z, H, LQ, LK)
    kept = random_numbers(philox_seed, counters) > dropout_p
    out = np.einsum("zhij,zhjd->zhid", softmax_of(score) * kept, V) / (1 - dropout_p)
    return {"Out": out, "L": lse_of(score).reshape(Z * H, LQ) * np.log2(np.e)}


@triton.jit
def softmax_step(q, k, v, acc, m_i, l_i, allowed):
    s = tl.dot(q, k)
    s = tl.where(allowed, s, float("-inf"))
    m_new = tl.maximum(m_i, tl.max(s, 1))
    p = tl.exp2(s - m_new[:, None])
    alpha = tl.exp2(m_i - m_new)
    l_i = l_i * alpha + tl.sum(p, 1)
    acc = acc * alpha[:, None]
    acc = tl.dot(p.to(v.dtype), v, acc)
    return acc, m_new, l_i


@triton.jit
def two_maps(q_ptr, k_ptr, v_ptr, lambda_ptr, out_ptr, seq_len, scale, eps, D: tl.constexpr, BLOCK_M: tl.constexpr,
             BLOCK_N: tl.constexpr):
    """Two softmax maps over the same values; their difference is normalised by rows."""
    # The longest rows first.
    pid_m = tl.num_programs(0) - 1 - tl.program_id(0)
    head = tl.program_id(1)
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.arange(0, D)
    wide = tl.arange(0, 2 * D)
    at = head.to(tl.int64) * 2 * seq_len * D
    inside = rows[:, None] < seq_len
    q1 = tl.load(q_ptr + at + rows[:, None] * D + cols[None, :], mask=inside, other=0.0)
    q2 = tl.load(q_ptr + at + (seq_len + rows[:, None]) * D + cols[None, :], mask=inside, other=0.0)
    q1 = (q1 * (scale * LOG2E)).to(q1.dtype)
    q2 = (q2 * (scale * LOG2E)).to(q2.dtype)
    acc1 = tl.zeros([BLOCK_M, 2 * D], dtype=tl.float32)
    acc2 = tl.zeros([BLOCK_M, 2 * D], dtype=tl.float32)
    m1 = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    m2 = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l1 = tl.zeros([BLOCK_M], dtype=tl.float32)
    l2 = tl.zeros([BLOCK_M], dtype=tl.float32)
    end = tl.minimum((pid_m + 1) * BLOCK_M, seq_len)
    for start in tl.range(0, end, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        ok = n < seq_len
        allowed = (rows[:, None] >= n[None, :]) & ok[None, :]
        v = tl.load(v_ptr + at + n[:, None] * (2 * D) + wide[None, :], mask=ok[:, None], other=0.0)
        k1 = tl.load(k_ptr + at + n[None, :] * D + cols[:, None], mask=ok[None, :], other=0.0)
        acc1, m1, l1 = softmax_step(q1, k1, v, acc1, m1, l1, allowed)
        k2 = tl.load(k_ptr + at + (seq_len + n[None, :]) * D + cols[:, None], mask=ok[None, :], other=0.0)
        acc2, m2, l2 = softmax_step(q2, k2, v, acc2, m2, l2, allowed)
    out = acc1 / l1[:, None] - tl.load(lambda_ptr + head) * (acc2 / l2[:, None])
    out *= tl.rsqrt(tl.sum(out * out, 1) / (2 * D) + eps)[:, None]
    tl.store(out_ptr + at + rows[:, None] * (2 * D) + wide[None, :], out.to(out_ptr.dtype.element_ty), mask=inside)


def two_maps_reference(q_ptr, k_ptr, v_ptr, lambda_ptr, scale, L):
    score = np.einsum("htid,htjd->htij", q_ptr, k_ptr) * scale
    maps = softmax_of(np.where(np.tril(np.ones((L, L))) > 0, score, -np.inf))
    out = (maps[:, 0] - lambda_ptr[:, None, None] * maps[:, 1]) @ v_ptr
    return out / np.sqrt((out**2).mean(axis=2, keepdims=True) + 1e-5)


@triton.jit
def rotation_inside(q_ptr, k_ptr, v_ptr, cos_ptr, sin_ptr, o_ptr, seq_len, sm_scale, num_heads, GROUP: tl.constexpr,
                    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Queries and keys come unrotated; each half is a product of its own."""
    HALF: tl.constexpr = HEAD_DIM // 2
    start_m = tl.program_id(0) * BLOCK_M
    head = tl.program_id(1)
    kv_heads = num_heads // GROUP
    offs_m = start_m + tl.arange(0, BLOCK_M)
    offs_h = tl.arange(0, HALF)
    offs_d = tl.arange(0, HEAD_DIM)
    mask_m = offs_m < seq_len
    q_rows = q_ptr + (offs_m[:, None] * num_heads + head) * HEAD_DIM
    q_lo = tl.load(q_rows + offs_h[None, :], mask=mask_m[:, None], other=0.0).to(tl.float32)
    q_hi = tl.load(q_rows + HALF + offs_h[None, :], mask=mask_m[:, None], other=0.0).to(tl.float32)
    angles = offs_m[:, None] * HALF + offs_h[None, :]
    cos = tl.load(cos_ptr + angles, mask=mask_m[:, None], other=1.0)
    sin = tl.load(sin_ptr + angles, mask=mask_m[:, None], other=0.0)
    q1 = ((q_lo * cos - q_hi * sin) * sm_scale).to(tl.bfloat16)
    q2 = ((q_hi * cos + q_lo * sin) * sm_scale).to(tl.bfloat16)
    m_i = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    for start_n in range(0, tl.minimum(start_m + BLOCK_M, seq_len), BLOCK_N):
        offs_n = start_n + tl.arange(0, BLOCK_N)
        mask_n = offs_n < seq_len
        k_rows = k_ptr + (offs_n[None, :] * kv_heads + head // GROUP) * HEAD_DIM
        k_lo = tl.load(k_rows + offs_h[:, None], mask=mask_n[None, :], other=0.0).to(tl.float32)
        k_hi = tl.load(k_rows + HALF + offs_h[:, None], mask=mask_n[None, :], other=0.0).to(tl.float32)
        at = offs_n[None, :] * HALF + offs_h[:, None]
        k_cos = tl.load(cos_ptr + at, mask=mask_n[None, :], other=1.0)
        k_sin = tl.load(sin_ptr + at, mask=mask_n[None, :], other=0.0)
        k1 = (k_lo * k_cos - k_hi * k_sin).to(tl.bfloat16)
        k2 = (k_hi * k_cos + k_lo * k_sin).to(tl.bfloat16)
        qk = tl.dot(q1, k1)
        qk = tl.dot(q2, k2, qk)
        qk = tl.where((offs_m[:, None] >= offs_n[None, :]) & mask_n[None, :], qk, -1.0e30)
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.exp(qk - m_ij[:, None])
        alpha = tl.exp(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_ptr + (offs_n[:, None] * kv_heads + head // GROUP) * HEAD_DIM + offs_d[None, :],
                    mask=mask_n[:, None], other=0.0)
        acc += tl.dot(p.to(tl.bfloat16), v)
        m_i = m_ij
    tl.store(o_ptr + (offs_m[:, None] * num_heads + head) * HEAD_DIM + offs_d[None, :],
             (acc / l_i[:, None]).to(tl.bfloat16), mask=mask_m[:, None])


def rotation_inside_reference(q_ptr, k_ptr, v_ptr, cos_ptr, sin_ptr, sm_scale, L, D, G):
    def rotated(x):
        lo, hi = x[..., :D // 2], x[..., D // 2:]
        cos, sin = cos_ptr[:, None], sin_ptr[:, None]
        return np.concatenate([lo * cos - hi * sin, hi * cos + lo * sin], axis=-1)

    k, v = (np.repeat(x, G, axis=1) for x in (rotated(k_ptr), v_ptr))
    score = np.einsum("ihd,jhd->hij", rotated(q_ptr), k) * sm_scale
    score = np.where(np.tril(np.ones((L, L))) > 0, score, -np.inf)
    return np.einsum("hij,jhd->ihd", softmax_of(score), v)


@triton.jit
def blocks_of_bytes(acc, l_i, m_i, q, q_scale, kv_len, K_ptrs, K_scale_ptr, V_ptrs, stride_n, offs_n,
                    BLOCK_N: tl.constexpr):
    for start_n in range(0, kv_len, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        k_mask = offs_n[None, :] < (kv_len - start_n)
        k = tl.load(K_ptrs, mask=k_mask, other=0)
        k_scale = tl.load(K_scale_ptr)
        qk = tl.dot(q, k).to(tl.float32) * (q_scale * k_scale)
        qk = qk + tl.where(k_mask, 0, -1.0e6)
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        qk = qk - m_ij[:, None]
        p = tl.math.exp2(qk)
        l_ij = tl.sum(p, 1)
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + l_ij
        acc = acc * alpha[:, None]
        v = tl.load(V_ptrs, mask=offs_n[:, None] < (kv_len - start_n), other=0.0)
        p = p.to(tl.float16)
        acc += tl.dot(p, v, out_dtype=tl.float16)
        m_i = m_ij
        K_ptrs += BLOCK_N * stride_n
        K_scale_ptr += 1
        V_ptrs += BLOCK_N * stride_n
    return acc, l_i, m_i


@triton.jit
def keys_of_bytes(Q, K, V, Q_scale, K_scale, Out, Lse, qo_len, kv_len, stride_h_q, stride_n, stride_h_k,
                  HEAD_DIM: tl.constexpr, GROUPS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                  RETURN_LSE: tl.constexpr):
    """Scores are those of a softmax by powers of two; products with values add up in halves within a block."""
    start_m = tl.program_id(0)
    off_h = tl.program_id(1)
    q_scale_offset = off_h * tl.cdiv(qo_len, BLOCK_M)
    k_scale_offset = (off_h // GROUPS) * tl.cdiv(kv_len, BLOCK_N)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, HEAD_DIM)
    Q_ptrs = Q + off_h * stride_h_q + offs_m[:, None] * stride_n + offs_k[None, :]
    K_ptrs = K + (off_h // GROUPS) * stride_h_k + offs_n[None, :] * stride_n + offs_k[:, None]
    V_ptrs = V + (off_h // GROUPS) * stride_h_k + offs_n[:, None] * stride_n + offs_k[None, :]
    O_ptrs = Out + off_h * stride_h_q + offs_m[:, None] * stride_n + offs_k[None, :]
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    q = tl.load(Q_ptrs, mask=offs_m[:, None] < qo_len, other=0)
    q_scale = tl.load(Q_scale + q_scale_offset + start_m)
    acc, l_i, m_i = blocks_of_bytes(acc, l_i, m_i, q, q_scale, kv_len, K_ptrs, K_scale + k_scale_offset, V_ptrs,
                                    stride_n, offs_n, BLOCK_N)
    acc = acc / l_i[:, None]
    tl.store(O_ptrs, acc.to(Out.type.element_ty), mask=(offs_m[:, None] < qo_len))
    if RETURN_LSE:
        tl.store(Lse + off_h * qo_len + offs_m, tl.log2(l_i) + m_i, mask=(offs_m < qo_len))


def keys_of_bytes_reference(Q, K, V, Q_scale, K_scale, LQ, LK, GROUPS, BLOCK_M, BLOCK_N):
    q = Q * np.repeat(Q_scale, BLOCK_M, axis=1)[:, :LQ, None]
    k = K * np.repeat(K_scale, BLOCK_N, axis=1)[:, :LK, None]
    score = np.einsum("hid,hjd->hij", q, np.repeat(k, GROUPS, axis=0)) * np.log(2)
    return {"Out": softmax_of(score) @ np.repeat(V, GROUPS, axis=0), "Lse": lse_of(score) / np.log(2)}


@triton.heuristics({"USE_ALL": lambda args: args["H"] == args["HKV"]})
@triton.jit
def two_lengths(q, k, v, o, lse, scale, first_ptr, q_lens, k_lens, stretch, H: tl.constexpr, HKV: tl.constexpr,
                D: tl.constexpr, IS_CAUSAL: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                USE_ALL: tl.constexpr):
    """Queries of a sequence are its last ones; the lengths of both are in memory."""
    i_m, i_h, i_b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    T_q = tl.load(q_lens + i_b).to(tl.int32)
    if i_m * BLOCK_M >= T_q:
        return
    T_k = tl.load(k_lens + i_b).to(tl.int32)
    bos = (tl.load(first_ptr + i_b) * stretch).to(tl.int64)
    i_hkv = i_h if USE_ALL else i_h // (H // HKV)
    p_q = tl.make_block_ptr(q + (bos * H + i_h) * D, (T_q, D), (H * D, 1), (i_m * BLOCK_M, 0), (BLOCK_M, D), (1, 0))
    p_o = tl.make_block_ptr(o + (bos * H + i_h) * D, (T_q, D), (H * D, 1), (i_m * BLOCK_M, 0), (BLOCK_M, D), (1, 0))
    p_lse = tl.make_block_ptr(lse + bos * H + i_h, (T_q,), (H,), (i_m * BLOCK_M,), (BLOCK_M,), (0,))
    b_q = tl.load(p_q, boundary_check=(0, 1))
    b_o = tl.zeros([BLOCK_M, D], dtype=tl.float32)
    b_m = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    b_acc = tl.zeros([BLOCK_M], dtype=tl.float32)
    shift = T_k - T_q
    o_q = i_m * BLOCK_M + tl.arange(0, BLOCK_M)
    # Whole blocks that every query sees, then those that need a mask.
    if IS_CAUSAL:
        free = tl.maximum(i_m * BLOCK_M + shift + 1, 0) // BLOCK_N * BLOCK_N
        end = tl.maximum(tl.minimum((i_m + 1) * BLOCK_M + shift, T_k), 0)
    else:
        free = T_k // BLOCK_N * BLOCK_N
        end = T_k
    free = tl.minimum(free, T_k // BLOCK_N * BLOCK_N)
    for i_s in range(0, free, BLOCK_N):
        p_k = tl.make_block_ptr(k + (bos * HKV + i_hkv) * D, (D, T_k), (1, HKV * D), (0, i_s), (D, BLOCK_N), (0, 1))
        p_v = tl.make_block_ptr(v + (bos * HKV + i_hkv) * D, (T_k, D), (HKV * D, 1), (i_s, 0), (BLOCK_N, D), (1, 0))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_v = tl.load(p_v, boundary_check=(0, 1))
        b_s = tl.dot(b_q, b_k) * scale * LOG2E
        b_m, b_mp = tl.maximum(b_m, tl.max(b_s, 1)), b_m
        b_r = tl.exp2(b_mp - b_m)
        b_p = tl.exp2(b_s - b_m[:, None])
        b_acc = b_acc * b_r + tl.sum(b_p, 1)
        b_o = b_o * b_r[:, None] + tl.dot(b_p.to(b_q.dtype), b_v)
    for i_s in range(free, end, BLOCK_N):
        p_k = tl.make_block_ptr(k + (bos * HKV + i_hkv) * D, (D, T_k), (1, HKV * D), (0, i_s), (D, BLOCK_N), (0, 1))
        p_v = tl.make_block_ptr(v + (bos * HKV + i_hkv) * D, (T_k, D), (HKV * D, 1), (i_s, 0), (BLOCK_N, D), (1, 0))
        o_k = i_s + tl.arange(0, BLOCK_N)
        m_k = o_k < T_k
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_v = tl.load(p_v, boundary_check=(0, 1))
        b_s = tl.dot(b_q, b_k) * scale * LOG2E
        if IS_CAUSAL:
            b_s = tl.where((o_q[:, None] + shift >= o_k[None, :]) & m_k[None, :], b_s, -1e30)
        else:
            b_s = tl.where(m_k[None, :], b_s, -1e30)
        b_m, b_mp = tl.maximum(b_m, tl.max(b_s, 1)), b_m
        b_r = tl.exp2(b_mp - b_m)
        b_p = tl.where(b_s > -1e29, tl.exp2(b_s - b_m[:, None]), 0.0)
        b_acc = b_acc * b_r + tl.sum(b_p, 1)
        b_o = b_o * b_r[:, None] + tl.dot(b_p.to(b_q.dtype), b_v)
    b_some = b_acc > 0
    b_o = tl.where(b_some[:, None], b_o / b_acc[:, None], 0.0)
    b_m = tl.where(b_some, b_m + tl.log2(b_acc), float("-inf"))
    tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0, 1))
    tl.store(p_lse, b_m.to(p_lse.dtype.element_ty), boundary_check=(0,))


def two_lengths_reference(q, k, v, scale, q_lens, k_lens, B, S, H, HKV, CAUSAL):
    o, lse = np.zeros(q.shape), np.zeros(q.shape[:2])
    for b in range(B):
        m, n = int(q_lens[b]), int(k_lens[b])
        rows, keys = slice(b * S, b * S + m), slice(b * S, b * S + n)
        kk, vv = (np.repeat(x[keys], H // HKV, axis=1) for x in (k, v))
        score = np.einsum("ihd,jhd->hij", q[rows], kk) * scale
        if CAUSAL:
            score = np.where(np.arange(m)[:, None] + n - m >= np.arange(n), score, -np.inf)
        peak = np.maximum(score.max(axis=-1, keepdims=True), -1e30)
        power = np.exp(score - peak)
        total = power.sum(axis=-1, keepdims=True)
        o[rows] = np.einsum("hij,jhd->ihd", power / np.maximum(total, 1e-300), vv)
        lse[rows] = (np.where(total > 0, peak + np.log(np.maximum(total, 1e-300)), -np.inf)[..., 0] * np.log2(np.e)).T
    return {"o": o, "lse": lse}


@triton.jit
def selected_blocks(q, k, v, o, lse, block_indices, scale, T, H: tl.constexpr, G: tl.constexpr, K: tl.constexpr,
                    S: tl.constexpr, BS: tl.constexpr, STRIDE_S: tl.constexpr):
    """A program is a token: the heads of a group are rows, and a list says which blocks of keys they see."""
    i_t, i_h = tl.program_id(0), tl.program_id(1)
    HQ: tl.constexpr = H * G
    block_indices += (i_t * H + i_h) * STRIDE_S
    p_q = tl.make_block_ptr(q + i_t * HQ * K, (HQ, K), (K, 1), (i_h * G, 0), (G, K), (1, 0))
    p_o = tl.make_block_ptr(o + i_t * HQ * K, (HQ, K), (K, 1), (i_h * G, 0), (G, K), (1, 0))
    p_lse = lse + i_t * HQ + i_h * G + tl.arange(0, G)
    b_q = tl.load(p_q, boundary_check=(0, 1))
    b_q = (b_q * scale).to(b_q.dtype)
    b_o = tl.zeros([G, K], dtype=tl.float32)
    b_m = tl.full([G], float("-inf"), dtype=tl.float32)
    b_acc = tl.zeros([G], dtype=tl.float32)
    # The token's own block always counts; others do if they lie before it.
    for i in range(0, S + 1):
        own = i_t // BS
        i_s = own if i == 0 else tl.load(block_indices + i - 1).to(tl.int32)
        if (i_s < own) | (i == 0):
            i_s = i_s * BS
            p_k = tl.make_block_ptr(k + i_h * K, (K, T), (1, H * K), (0, i_s), (K, BS), (0, 1))
            p_v = tl.make_block_ptr(v + i_h * K, (T, K), (H * K, 1), (i_s, 0), (BS, K), (1, 0))
            b_k = tl.load(p_k, boundary_check=(0, 1))
            b_v = tl.load(p_v, boundary_check=(0, 1))
            b_s = tl.dot(b_q, b_k)
            b_s = tl.where((i_t >= (i_s + tl.arange(0, BS)))[None, :], b_s, float("-inf"))
            b_m, b_mp = tl.maximum(b_m, tl.max(b_s, 1)), b_m
            b_r = tl.exp(b_mp - b_m)
            b_p = tl.exp(b_s - b_m[:, None])
            b_acc = b_acc * b_r + tl.sum(b_p, 1)
            b_o = b_o * b_r[:, None] + tl.dot(b_p.to(b_q.dtype), b_v)
    b_o = b_o / b_acc[:, None]
    b_m += tl.log(b_acc)
    tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0, 1))
    tl.store(p_lse, b_m.to(p_lse.dtype.element_ty))


def selected_blocks_reference(q, k, v, block_indices, scale, L, HKV, G, S, BS):
    seen = np.zeros((L, HKV, L), dtype=bool)
    for t in range(L):
        for h in range(HKV):
            for block in [t // BS, *(int(b) for b in block_indices[t, h, :S] if b < t // BS)]:
                seen[t, h, block * BS:min(block * BS + BS, t + 1)] = True
    score = np.einsum("ihgd,jhd->ihgj", q.reshape(L, HKV, G, -1), k) * scale
    score = np.where(seen[:, :, None], score, -np.inf)
    out = np.einsum("ihgj,jhd->ihgd", softmax_of(score), v)
    return {"o": out.reshape(q.shape), "lse": lse_of(score).reshape(L, HKV * G)}


@triton.jit
def tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def shared_key_gradients(Q, K, V, DO, LSE, DELTA, DK, DV, sm_scale, softcap, seqlen, GROUP: tl.constexpr,
                         D: tl.constexpr, WINDOW: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Heads of a group add up in registers; queries come from the last one in the window to the first."""
    pid_n = tl.program_id(0)
    kv_head = tl.program_id(1)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, D)
    mask_n = offs_n < seqlen
    kv_offset = kv_head.to(tl.int64) * seqlen * D
    kv_at = offs_n[:, None] * D + offs_d[None, :]
    k = tl.load(K + kv_offset + kv_at, mask=mask_n[:, None], other=0.0)
    v = tl.load(V + kv_offset + kv_at, mask=mask_n[:, None], other=0.0)
    dk = tl.zeros([BLOCK_N, D], dtype=tl.float32)
    dv = tl.zeros([BLOCK_N, D], dtype=tl.float32)
    first = pid_n * BLOCK_N // BLOCK_M
    last = tl.cdiv(tl.minimum(pid_n * BLOCK_N + BLOCK_N + WINDOW, seqlen), BLOCK_M)
    for g in range(GROUP):
        head = kv_head * GROUP + g
        q_offset = head.to(tl.int64) * seqlen * D
        for block_m in range(last - 1, first - 1, -1):
            offs_m = block_m * BLOCK_M + tl.arange(0, BLOCK_M)
            mask_m = offs_m < seqlen
            q_at = offs_m[:, None] * D + offs_d[None, :]
            q = tl.load(Q + q_offset + q_at, mask=mask_m[:, None], other=0.0)
            do = tl.load(DO + q_offset + q_at, mask=mask_m[:, None], other=0.0)
            lse = tl.load(LSE + head * seqlen + offs_m, mask=mask_m, other=float("inf"))
            delta = tl.load(DELTA + head * seqlen + offs_m, mask=mask_m, other=0.0)
            st = tl.dot(k, tl.trans(q))
            t = tanh(st * (sm_scale / softcap))
            pt = tl.exp(softcap * t - lse[None, :])
            distance = offs_m[None, :] - offs_n[:, None]
            pt = tl.where((distance >= 0) & (distance <= WINDOW) & mask_n[:, None], pt, 0.0)
            dv += tl.dot(pt.to(do.dtype), do)
            dpt = tl.dot(v, tl.trans(do))
            dst = pt * (dpt - delta[None, :]) * (1 - t * t)
            dk += tl.dot(dst.to(q.dtype), q)
    tl.store(DK + kv_offset + kv_at, (dk * sm_scale).to(DK.dtype.element_ty), mask=mask_n[:, None])
    tl.store(DV + kv_offset + kv_at, dv.to(DV.dtype.element_ty), mask=mask_n[:, None])


def shared_key_gradients_reference(Q, K, V, DO, LSE, DELTA, sm_scale, softcap, L, D, W, G):
    k, v = np.repeat(K, G, axis=0), np.repeat(V, G, axis=0)
    t = np.tanh(np.einsum("hid,hjd->hij", Q, k) * sm_scale / softcap)
    distance = np.arange(L)[:, None] - np.arange(L)
    p = np.where((distance >= 0) & (distance <= W), np.exp(softcap * t - LSE[:, :, None]), 0)
    dv = np.einsum("hij,hid->hjd", p, DO)
    dp = np.einsum("hid,hjd->hij", DO, v)
    dk = np.einsum("hij,hid->hjd", p * (dp - DELTA[:, :, None]) * (1 - t * t), Q) * sm_scale
    return {"DK": dk.reshape(-1, G, L, D).sum(1), "DV": dv.reshape(-1, G, L, D).sum(1)}
