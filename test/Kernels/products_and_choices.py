# Products whose results are chosen from, and products of rarer types and shapes, as libraries write them: experts by
# their gates, tokens by the largest logit, pages of an odd size, descriptors that a loop makes, float64 in two parts,
# two kinds of 8-bit floats, batches of bytes, several sums in a tuple, sums from the end of a chunk.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: gate_and_choose
# SIZES: M=50 E=16 K=48 TOP=2 | M=1 E=32 K=64 TOP=4
# BENCH: M=16384 E=128 K=4096 TOP=8 BLOCK_M=64 BLOCK_K=64 num_warps=4 num_stages=3
# ARG: x_ptr randn:bf16[M,K]
# ARG: w_ptr randn(0,0.2):bf16[E,K]
# ARG: bias_ptr randn(0,0.1):fp32[E]
# ARG: ids_ptr empty:i32[M,TOP]
# ARG: weights_ptr empty:fp32[M,TOP]
# ARG: counts_ptr zeros:i32[E]
# ARG: M M
# ARG: K K
# ARG: factor 2.5
# CONST: E E
# CONST: TOP TOP
# CONST: BLOCK_M 16
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M)
# CHECK: ids_ptr weights_ptr counts_ptr
# TOLERANCE: ids_ptr 0 (M>1000)*E
# TOLERANCE: weights_ptr 1e-3 1e-3
# TOLERANCE: counts_ptr 0 (M>1000)*16
#
# KERNEL: largest_logit
# SIZES: B=20 V=200 K=48 | B=1 V=33 K=32
# BENCH: B=256 V=128256 K=4096 BLOCK_B=64 BLOCK_V=128 BLOCK_K=64 num_warps=4 num_stages=4
# ARG: h_ptr randn:bf16[B,K]
# ARG: w_ptr randn(0,0.2):bf16[V,K]
# ARG: best_ptr full(-2**62):i64[B]
# ARG: B B
# ARG: V V
# ARG: K K
# CONST: BLOCK_B 16
# CONST: BLOCK_V 32
# CONST: BLOCK_K 16
# GRID: cdiv(V, BLOCK_V), cdiv(B, BLOCK_B)
# CHECK: best_ptr
# TOLERANCE: best_ptr 0 2**48
#
# KERNEL: pages_of_odd_size
# SIZES: B=3 H=8 HKV=2 Q=2 D=64 PAGE=24 PAGES=5 | B=1 H=4 HKV=1 Q=1 D=32 PAGE=7 PAGES=3
# BENCH: B=64 H=32 HKV=8 Q=4 D=128 PAGE=48 PAGES=64 BLOCK_N=64 num_warps=4 num_stages=3
# ARG: q_ptr randn:bf16[B,Q,H,D]
# ARG: k_ptr randn:fp8e4nv[B*PAGES,PAGE,HKV,D]
# ARG: v_ptr randn:fp8e4nv[B*PAGES,PAGE,HKV,D]
# ARG: table_ptr permutation:i64[B*PAGES]
# ARG: lens_ptr randint(Q,PAGE*PAGES+1):i32[B]
# ARG: k_scale_ptr full(0.5):fp32[1]
# ARG: v_scale_ptr full(1.5):fp32[1]
# ARG: out_ptr empty:bf16[B,Q,H,D]
# ARG: scale 0.3
# ARG: pages PAGES
# CONST: H H
# CONST: G H // HKV
# CONST: Q Q
# CONST: D D
# CONST: PAGE PAGE
# CONST: BLOCK_M max(16, next_power_of_2(Q * H // HKV))
# CONST: BLOCK_N 32
# GRID: B, HKV
# TOLERANCE: out_ptr 3e-2 3e-2
#
# KERNEL: descriptors_in_a_loop
# SIZES: G=3 M=40 N=48 K=64 | G=1 M=16 N=16 K=16
# BENCH: G=16 M=512 N=2048 K=1024 NUM_SMS=132 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randn:fp16[G*M,K]
# ARG: b_ptr randn:fp16[G*K,N]
# ARG: c_ptr zeros:fp16[G*M,N]
# ARG: rows_ptr randint(M//2,M+1):i32[G]
# ARG: G G
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: NUM_SMS 2
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 16
# GRID: NUM_SMS
# CHECK: c_ptr
# TOLERANCE: c_ptr 1e-2 5e-2
#
# KERNEL: doubles_in_two_parts
# SIZES: M=20 N=17 K=40 | M=1 N=16 K=16
# BENCH: M=1024 N=1024 K=1024 BLOCK_M=64 BLOCK_N=64 BLOCK_K=16 num_warps=8 num_stages=2
# ARG: a_ptr randn:fp64[M,K,2]
# ARG: b_ptr randn:fp64[K,N,2]
# ARG: c_ptr empty:fp64[M,N,2]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 16
# CONST: BLOCK_N 16
# CONST: BLOCK_K 16
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c_ptr 1e-12 1e-12
#
# KERNEL: two_kinds_of_bytes
# SIZES: M=40 N=48 K=64 S=2 | M=16 N=16 K=32 S=1
# BENCH: M=2048 N=2048 K=8192 S=2 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a_ptr randn:fp8e5[M,K]
# ARG: b_ptr randn:fp8e4nv[N,K]
# ARG: scale_ptr full(0.25):fp32[1]
# ARG: c_ptr zeros:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: SPLIT_K S
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N), SPLIT_K
# CHECK: c_ptr
# TOLERANCE: c_ptr 1e-2 5e-2
#
# KERNEL: batches_of_bytes
# SIZES: B=6 M=20 N=32 K=64 | B=1 M=16 N=16 K=32
# BENCH: B=256 M=128 N=128 K=256 BLOCK_B=2 BLOCK_M=64 BLOCK_N=64 BLOCK_K=64 num_warps=8 num_stages=2
# ARG: a_ptr randint(-128,128):i8[B,M,K]
# ARG: b_ptr randint(-128,128):i8[B,N,K]
# ARG: c_ptr empty:i32[B,M,N]
# ARG: B B
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_B 2
# CONST: BLOCK_M 16
# CONST: BLOCK_N 16
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N), cdiv(B, BLOCK_B)
#
# KERNEL: sums_in_a_tuple
# SIZES: M=40 N=100 K=50 | M=16 N=64 K=16
# BENCH: M=4096 N=4096 K=2048 BLOCK_M=64 BLOCK_N=64 BLOCK_K=64 num_warps=4 num_stages=3
# ARG: a_ptr randn:fp16[M,K]
# ARG: b_ptr randn:fp16[K,N]
# ARG: c_ptr empty:fp16[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 16
# CONST: BLOCK_K 16
# GRID: cdiv(M, BLOCK_M), cdiv(N, 3 * BLOCK_N)
# TOLERANCE: c_ptr 1e-2 5e-2
#
# KERNEL: fading_from_the_end
# SIZES: L=50 H=2 K=32 V=16 | L=16 H=1 K=16 V=16
# BENCH: L=4096 H=128 K=64 V=64 C=32 num_warps=4 num_stages=2
# ARG: q_ptr randn:bf16[H,L,K]
# ARG: k_ptr randn:bf16[H,L,K]
# ARG: v_ptr randn:bf16[H,L,V]
# ARG: g_ptr rand(-0.2,0):fp32[H,L,K]
# ARG: o_ptr empty:fp32[H,L,V]
# ARG: L L
# CONST: K K
# CONST: V V
# CONST: C 16
# GRID: H
# TOLERANCE: o_ptr 3e-2 2e-1
import numpy as np
import triton
import triton.language as tl


@triton.jit
def gate_and_choose(x_ptr, w_ptr, bias_ptr, ids_ptr, weights_ptr, counts_ptr, M, K, factor, E: tl.constexpr,
                    TOP: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr):
    """The bias has a say in which experts are taken, and none in their weights."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    e = tl.arange(0, E)
    k = tl.arange(0, BLOCK_K)
    row_mask = rows < M
    logits = tl.zeros((BLOCK_M, E), dtype=tl.float32)
    for start in tl.range(0, K, BLOCK_K):
        k_mask = start + k < K
        x = tl.load(x_ptr + rows[:, None] * K + start + k[None, :], mask=row_mask[:, None] & k_mask[None, :], other=0.0)
        w = tl.load(w_ptr + e[:, None] * K + start + k[None, :], mask=k_mask[None, :], other=0.0)
        logits = tl.dot(x, w.T, logits)
    gates = tl.sigmoid(logits)
    keys = gates + tl.load(bias_ptr + e)[None, :]
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    for i in tl.static_range(TOP):
        best = tl.argmax(keys, axis=1)
        taken = e[None, :] == best[:, None]
        gate = tl.sum(tl.where(taken, gates, 0.0), axis=1)
        total += gate
        tl.store(ids_ptr + rows * TOP + i, best, mask=row_mask)
        tl.store(weights_ptr + rows * TOP + i, gate, mask=row_mask)
        tl.atomic_add(counts_ptr + best, 1, mask=row_mask)
        keys = tl.where(taken, float("-inf"), keys)
    tl.debug_barrier()
    for i in tl.static_range(TOP):
        gate = tl.load(weights_ptr + rows * TOP + i, mask=row_mask, other=0.0)
        tl.store(weights_ptr + rows * TOP + i, gate / (total + 1e-20) * factor, mask=row_mask)


def gate_and_choose_reference(x_ptr, w_ptr, bias_ptr, factor, E, TOP):
    gates = 1 / (1 + np.exp(-x_ptr @ w_ptr.T))
    ids = np.argsort(-(gates + bias_ptr), axis=1, kind="stable")[:, :TOP]
    weights = np.take_along_axis(gates, ids, axis=1)
    return {"ids_ptr": ids, "weights_ptr": weights / weights.sum(1, keepdims=True) * factor,
            "counts_ptr": (ids.reshape(-1, 1) == np.arange(E)).sum(0)}


@triton.jit
def ordered_bits(x):
    """An integer that grows with the float."""
    bits = x.to(tl.int32, bitcast=True)
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


@triton.jit
def largest_logit(h_ptr, w_ptr, best_ptr, B, V, K, BLOCK_B: tl.constexpr, BLOCK_V: tl.constexpr,
                  BLOCK_K: tl.constexpr):
    """The largest logit and its token, as one number that programs compete for."""
    v = tl.program_id(0) * BLOCK_V + tl.arange(0, BLOCK_V)
    b = tl.program_id(1) * BLOCK_B + tl.arange(0, BLOCK_B)
    w_block = tl.make_block_ptr(w_ptr, (V, K), (K, 1), (tl.program_id(0) * BLOCK_V, 0), (BLOCK_V, BLOCK_K), (1, 0))
    h_block = tl.make_block_ptr(h_ptr, (K, B), (1, K), (0, tl.program_id(1) * BLOCK_B), (BLOCK_K, BLOCK_B), (0, 1))
    acc = tl.zeros((BLOCK_V, BLOCK_B), dtype=tl.float32)
    for _ in range(tl.cdiv(K, BLOCK_K)):
        w = tl.load(w_block, boundary_check=(0, 1), padding_option="zero")
        h = tl.load(h_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(w, h, acc)
        w_block = tl.advance(w_block, (0, BLOCK_K))
        h_block = tl.advance(h_block, (BLOCK_K, 0))
    acc = tl.where(v[:, None] < V, acc, float("-inf"))
    key = (ordered_bits(acc).to(tl.int64) << 32) | (0x7FFFFFFF - v)[:, None].to(tl.int64)
    tl.atomic_max(best_ptr + b, tl.max(key, axis=0), mask=b < B)


def largest_logit_reference(h_ptr, w_ptr):
    logits = (h_ptr @ w_ptr.T).astype(np.float32)
    token = logits.argmax(1)
    bits = np.ascontiguousarray(logits.max(1)).view(np.int32).astype(np.int64)
    bits = np.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    return (bits << 32) | (0x7FFFFFFF - token)


@triton.jit
def pages_of_odd_size(q_ptr, k_ptr, v_ptr, table_ptr, lens_ptr, k_scale_ptr, v_scale_ptr, out_ptr, scale, pages,
                      H: tl.constexpr, G: tl.constexpr, Q: tl.constexpr, D: tl.constexpr, PAGE: tl.constexpr,
                      BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Rows are the new tokens' heads of a group; every key asks for its page."""
    HKV: tl.constexpr = H // G
    batch, kv_head = tl.program_id(0), tl.program_id(1)
    length = tl.load(lens_ptr + batch)
    m = tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    token = m // G
    head = kv_head * G + m % G
    row_mask = m < Q * G
    rows = ((batch * Q + token) * H + head) * D
    q = tl.load(q_ptr + rows[:, None] + d[None, :], mask=row_mask[:, None], other=0.0)
    q = (q * (scale * tl.load(k_scale_ptr) * 1.4426950408889634)).to(q.dtype)
    last = length - Q + token
    m_i = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    l_i = tl.full((BLOCK_M,), 1.0, dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for start in range(0, length, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        n_mask = n < length
        page = tl.load(table_ptr + batch * pages + n // PAGE, mask=n_mask, other=0)
        at = ((page * PAGE + n % PAGE) * HKV + kv_head) * D
        k = tl.load(k_ptr + at[None, :] + d[:, None], mask=n_mask[None, :], other=0.0)
        s = tl.dot(q, k.to(q.dtype))
        s = tl.where((n[None, :] <= last[:, None]) & n_mask[None, :], s, -1.0e20)
        m_new = tl.maximum(m_i, tl.max(s, 1))
        p = tl.exp2(s - m_new[:, None])
        alpha = tl.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + at[:, None] + d[None, :], mask=n_mask[:, None], other=0.0)
        acc = tl.dot(p.to(q.dtype), v.to(q.dtype), acc * alpha[:, None])
        m_i = m_new
    acc = acc * (tl.load(v_scale_ptr) / l_i)[:, None]
    tl.store(out_ptr + rows[:, None] + d[None, :], acc.to(out_ptr.dtype.element_ty), mask=row_mask[:, None])


def pages_of_odd_size_reference(q_ptr, k_ptr, v_ptr, table_ptr, lens_ptr, scale, B, H, HKV, Q, D, PAGE, PAGES):
    out = np.zeros(q_ptr.shape)
    for b in range(B):
        pages = table_ptr[b * PAGES:b * PAGES + PAGES].astype(int)
        n = int(lens_ptr[b])
        k, v = (x[pages].reshape(-1, HKV, D)[:n].repeat(H // HKV, axis=1) for x in (k_ptr, v_ptr))
        score = np.einsum("qhd,nhd->hqn", q_ptr[b], k) * scale * 0.5
        score = np.where(np.arange(n) <= n - Q + np.arange(Q)[:, None], score, -np.inf)
        power = np.exp(score - score.max(-1, keepdims=True))
        out[b] = np.einsum("hqn,nhd->qhd", power / power.sum(-1, keepdims=True), v) * 1.5
    return out


@triton.jit
def descriptors_in_a_loop(a_ptr, b_ptr, c_ptr, rows_ptr, G, M, N, K, NUM_SMS: tl.constexpr, BLOCK_M: tl.constexpr,
                          BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Each group has descriptors of its own, which end with its rows."""
    tile = tl.program_id(0)
    before = 0
    for g in tl.range(G):
        rows = tl.load(rows_ptr + g)
        tiles_n = tl.cdiv(N, BLOCK_N)
        tiles = tl.cdiv(rows, BLOCK_M) * tiles_n
        if tile < before + tiles:
            at = g.to(tl.int64)
            a_desc = tl.make_tensor_descriptor(a_ptr + at * M * K, [rows, K], [K, 1], [BLOCK_M, BLOCK_K])
            b_desc = tl.make_tensor_descriptor(b_ptr + at * K * N, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
            c_desc = tl.make_tensor_descriptor(c_ptr + at * M * N, [rows, N], [N, 1], [BLOCK_M, BLOCK_N])
            while tile < before + tiles:
                row = (tile - before) // tiles_n * BLOCK_M
                column = (tile - before) % tiles_n * BLOCK_N
                acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
                for k in range(0, K, BLOCK_K):
                    acc = tl.dot(a_desc.load([row, k]), b_desc.load([k, column]), acc)
                c_desc.store([row, column], acc.to(tl.float16))
                tile += NUM_SMS
        before += tiles


def descriptors_in_a_loop_reference(a_ptr, b_ptr, rows_ptr, G, M, N, K):
    c = np.zeros((G * M, N))
    for g in range(G):
        n = int(rows_ptr[g])
        c[g * M:g * M + n] = a_ptr[g * M:g * M + n] @ b_ptr[g * K:g * K + K]
    return c


@triton.jit
def doubles_in_two_parts(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                         BLOCK_K: tl.constexpr):
    """Complex numbers lie in pairs; three products instead of four."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    part = tl.arange(0, 2)
    p1 = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float64)
    p2 = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float64)
    p3 = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float64)
    for start in range(0, K, BLOCK_K):
        kk = start + k
        a = tl.load(a_ptr + (m[:, None, None] * K + kk[None, :, None]) * 2 + part[None, None, :],
                    mask=(m[:, None, None] < M) & (kk[None, :, None] < K), other=0.0)
        b = tl.load(b_ptr + (kk[:, None, None] * N + n[None, :, None]) * 2 + part[None, None, :],
                    mask=(kk[:, None, None] < K) & (n[None, :, None] < N), other=0.0)
        a_real, a_imag = tl.split(a)
        b_real, b_imag = tl.split(b)
        p1 += tl.dot(a_real, b_real, out_dtype=tl.float64)
        p2 += tl.dot(a_imag, b_imag, out_dtype=tl.float64)
        p3 += tl.dot(a_real + a_imag, b_real + b_imag, out_dtype=tl.float64)
    c = tl.join(p1 - p2, p3 - p1 - p2)
    tl.store(c_ptr + (m[:, None, None] * N + n[None, :, None]) * 2 + part[None, None, :], c,
             mask=(m[:, None, None] < M) & (n[None, :, None] < N))


def doubles_in_two_parts_reference(a_ptr, b_ptr):
    c = (a_ptr[..., 0] + 1j * a_ptr[..., 1]) @ (b_ptr[..., 0] + 1j * b_ptr[..., 1])
    return np.stack([c.real, c.imag], axis=-1)


@triton.jit
def two_kinds_of_bytes(a_ptr, b_ptr, scale_ptr, c_ptr, M, N, K, SPLIT_K: tl.constexpr, BLOCK_M: tl.constexpr,
                       BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """A gradient with a wide range and weights with finer steps; parts of K meet in a float16."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.program_id(2) * BLOCK_K + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + m[:, None] * K + k[None, :]
    b_ptrs = b_ptr + n[None, :] * K + k[:, None]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for i in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        left = K - i * (BLOCK_K * SPLIT_K)
        a = tl.load(a_ptrs, mask=(m[:, None] < M) & (k[None, :] < left), other=0.0)
        b = tl.load(b_ptrs, mask=(n[None, :] < N) & (k[:, None] < left), other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K * SPLIT_K
        b_ptrs += BLOCK_K * SPLIT_K
    acc *= tl.load(scale_ptr)
    out = c_ptr + m[:, None] * N + n[None, :]
    mask = (m[:, None] < M) & (n[None, :] < N)
    if SPLIT_K == 1:
        tl.store(out, acc.to(c_ptr.dtype.element_ty), mask=mask)
    else:
        tl.atomic_add(out, acc.to(c_ptr.dtype.element_ty), mask=mask)


def two_kinds_of_bytes_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr.T * 0.25


@triton.jit
def batches_of_bytes(a_ptr, b_ptr, c_ptr, B, M, N, K, BLOCK_B: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[None, :, None]
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, None, :]
    b = tl.program_id(2) * BLOCK_B + tl.arange(0, BLOCK_B)[:, None, None]
    acc = tl.zeros((BLOCK_B, BLOCK_M, BLOCK_N), dtype=tl.int32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        x = tl.load(a_ptr + (b * M + m) * K + k[None, None, :], mask=(b < B) & (m < M), other=0)
        y = tl.load(b_ptr + (b * N + tl.trans(n, (0, 2, 1))) * K + k[None, None, :],
                    mask=(b < B) & (tl.trans(n, (0, 2, 1)) < N), other=0)
        acc = tl.dot(x, tl.trans(y, (0, 2, 1)), acc, out_dtype=tl.int32)
    tl.store(c_ptr + (b * M + m) * N + n, acc, mask=(b < B) & (m < M) & (n < N))


def batches_of_bytes_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr.transpose(0, 2, 1)


@triton.jit
def columns_of(ptr, K, N, column, BLOCK_K: tl.constexpr, BLOCK_N: tl.constexpr):
    return tl.make_block_ptr(ptr, (K, N), (N, 1), (0, column), (BLOCK_K, BLOCK_N), (1, 0))


@triton.jit
def sums_in_a_tuple(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                    BLOCK_K: tl.constexpr):
    """Three tiles side by side, as columns do not come in powers of two."""
    row = tl.program_id(0) * BLOCK_M
    column = tl.program_id(1) * (3 * BLOCK_N)
    a_block = tl.make_block_ptr(a_ptr, (M, K), (K, 1), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b_blocks = (columns_of(b_ptr, K, N, column, BLOCK_K, BLOCK_N),
                columns_of(b_ptr, K, N, column + BLOCK_N, BLOCK_K, BLOCK_N),
                columns_of(b_ptr, K, N, column + 2 * BLOCK_N, BLOCK_K, BLOCK_N))
    zero = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    sums = (zero, zero, zero)
    for _ in tl.range(0, K, BLOCK_K, loop_unroll_factor=1, disallow_acc_multi_buffer=True):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b0 = tl.load(b_blocks[0], boundary_check=(0, 1), padding_option="zero")
        b1 = tl.load(b_blocks[1], boundary_check=(0, 1), padding_option="zero")
        b2 = tl.load(b_blocks[2], boundary_check=(0, 1), padding_option="zero")
        sums = (tl.dot(a, b0, sums[0]), tl.dot(a, b1, sums[1]), tl.dot(a, b2, sums[2]))
        a_block = tl.advance(a_block, (0, BLOCK_K))
        b_blocks = (tl.advance(b_blocks[0], (BLOCK_K, 0)), tl.advance(b_blocks[1], (BLOCK_K, 0)),
                    tl.advance(b_blocks[2], (BLOCK_K, 0)))
    for i in tl.static_range(3):
        c_block = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (row, column + i * BLOCK_N), (BLOCK_M, BLOCK_N), (1, 0))
        tl.store(c_block, sums[i].to(tl.float16), boundary_check=(0, 1))


def sums_in_a_tuple_reference(a_ptr, b_ptr):
    return a_ptr @ b_ptr


@triton.jit
def fading_from_the_end(q_ptr, k_ptr, v_ptr, g_ptr, o_ptr, L, K: tl.constexpr, V: tl.constexpr, C: tl.constexpr):
    """Every token sees itself and those behind it: chunks and the sums within them run backwards."""
    head = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, C)
    state = tl.zeros((K, V), dtype=tl.float32)
    for chunk in tl.range(tl.cdiv(L, C) - 1, -1, -1):
        first = chunk * C
        q_block = tl.make_block_ptr(q_ptr + head * L * K, (L, K), (K, 1), (first, 0), (C, K), (1, 0))
        k_block = tl.make_block_ptr(k_ptr + head * L * K, (L, K), (K, 1), (first, 0), (C, K), (1, 0))
        g_block = tl.make_block_ptr(g_ptr + head * L * K, (L, K), (K, 1), (first, 0), (C, K), (1, 0))
        v_block = tl.make_block_ptr(v_ptr + head * L * V, (L, V), (V, 1), (first, 0), (C, V), (1, 0))
        o_block = tl.make_block_ptr(o_ptr + head * L * V, (L, V), (V, 1), (first, 0), (C, V), (1, 0))
        q = tl.load(q_block, boundary_check=(0,), padding_option="zero").to(tl.float32)
        k = tl.load(k_block, boundary_check=(0,), padding_option="zero").to(tl.float32)
        v = tl.load(v_block, boundary_check=(0,), padding_option="zero")
        g = tl.load(g_block, boundary_check=(0,), padding_option="zero")
        # What fades between a token and the end of the chunk.
        sums = tl.cumsum(g, axis=0, reverse=True)
        total = tl.sum(g, axis=0)
        near = (q * tl.exp(sums)).to(v.dtype)
        far = (k * tl.exp(-sums)).to(v.dtype)
        scores = tl.where(c[:, None] <= c[None, :], tl.dot(near, tl.trans(far)), 0.0)
        o = tl.dot(scores.to(v.dtype), v)
        o += tl.dot(near, state.to(v.dtype))
        within = (k * tl.exp(total[None, :] - sums)).to(v.dtype)
        state = state * tl.exp(total)[:, None] + tl.dot(tl.trans(within), v)
        tl.store(o_block, o, boundary_check=(0,))


def fading_from_the_end_reference(q_ptr, k_ptr, v_ptr, g_ptr, L):
    o = np.zeros(v_ptr.shape)
    for i in range(L):
        fading = np.concatenate([np.zeros_like(g_ptr[:, :1]), np.cumsum(g_ptr[:, i:L - 1], axis=1)], axis=1)
        weight = (q_ptr[:, i, None] * k_ptr[:, i:] * np.exp(fading)).sum(2)
        o[:, i] = np.einsum("hj,hjv->hv", weight, v_ptr[:, i:])
    return o
