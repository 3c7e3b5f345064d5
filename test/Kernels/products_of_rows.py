# Kernels around a product that is never stored, as libraries write them: losses over a vocabulary in chunks, distances,
# nearest centres, similarities, sums of squares of matrices, norms with the gradient of their weight, low-rank and
# chained products, a network of layers in one kernel, steps of an iteration for matrices.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: linear_cross_entropy
# TYPES: fp16 bf16
# SIZES: N=65 V=129 D=40 | N=17 V=64 D=64
# BENCH: N=16896 V=8192 D=512 T=bf16 BLOCK_N=128 BLOCK_V=128 BLOCK_D=64 num_warps=8 num_stages=3
# ARG: x_ptr randn(0,0.5):T[N,D]
# ARG: w_ptr randn(0,0.5):T[V,D]
# ARG: target_ptr randint(0,V):i64[N]
# ARG: loss_ptr empty:fp32[N]
# ARG: lse_ptr empty:fp32[N]
# ARG: N N
# ARG: V V
# ARG: D D
# ARG: softcap 10.0
# ARG: ignore_index 3
# CONST: BLOCK_N 64
# CONST: BLOCK_V 32
# CONST: BLOCK_D 32
# CONST: HAS_SOFTCAP True
# GRID: cdiv(N, BLOCK_N)
# TOLERANCE: loss_ptr 1e-2 1e-2
# TOLERANCE: lse_ptr 1e-3 5e-3
#
# KERNEL: linear_cross_entropy_backward
# SIZES: N=33 V=70 D=40 S=0.5
# BENCH: N=2048 V=4096 D=512 S=0.14 BLOCK_N=128 BLOCK_V=128 BLOCK_D=64 num_warps=8 num_stages=2
# ARG: x_ptr randn(0,0.5):bf16[N,D]
# ARG: w_ptr randn(0,S):bf16[V,D]
# ARG: target_ptr randint(0,V):i64[N]
# ARG: lse_ptr randn(4,0.2):fp32[N]
# ARG: dx_ptr zeros:fp32[N,D]
# ARG: dw_ptr zeros:fp32[V,D]
# ARG: N N
# ARG: V V
# ARG: D D
# CONST: BLOCK_N 64
# CONST: BLOCK_V 64
# CONST: BLOCK_D 32
# GRID: cdiv(N, BLOCK_N), cdiv(V, BLOCK_V)
# CHECK: dx_ptr dw_ptr
# TOLERANCE: dx_ptr 2e-2 1e-2
# TOLERANCE: dw_ptr 2e-2 1e-2
#
# KERNEL: pairwise_distance
# TYPES: fp16 fp32
# SIZES: M=65 N=33 D=40 ROOT=1 | M=1 N=17 D=64 ROOT=0
# BENCH: M=4096 N=4096 D=512 ROOT=1 T=fp16 BLOCK_M=128 BLOCK_N=128 BLOCK_D=64 num_warps=8 num_stages=3
# ARG: x_ptr randint(-3,4):T[M,D]
# ARG: y_ptr randint(-3,4):T[N,D]
# ARG: out_ptr empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: D D
# CONST: ROOT ROOT
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# CONST: BLOCK_D 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: out_ptr 1e-6 0
#
# KERNEL: nearest_centre
# SIZES: N=129 K=40 D=24 | N=10 K=3 D=16
# BENCH: N=131072 K=256 D=64 BLOCK_N=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randint(-9,10):fp16[N,D]
# ARG: c_ptr randint(-9,10):fp16[K,D]
# ARG: label_ptr empty:i32[N]
# ARG: sum_ptr zeros:fp32[K,D]
# ARG: count_ptr zeros:i32[K]
# ARG: N N
# ARG: K K
# ARG: D D
# CONST: BLOCK_N 64
# CONST: BLOCK_K 16
# CONST: BLOCK_D max(16, next_power_of_2(D))
# GRID: cdiv(N, BLOCK_N)
# CHECK: label_ptr sum_ptr count_ptr
# TOLERANCE: sum_ptr 0 0
#
# KERNEL: gram
# SIZES: M=100 K=70 | M=64 K=32
# BENCH: M=4096 K=4096 BLOCK=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: x_ptr randint(-3,4):bf16[M,K]
# ARG: c_ptr empty:fp32[M,M]
# ARG: M M
# ARG: K K
# CONST: BLOCK 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK) * (cdiv(M, BLOCK) + 1) // 2
# TOLERANCE: c_ptr 0 0
#
# KERNEL: orthogonal_step
# SIZES: M=64 ITERATIONS=3 | M=32 ITERATIONS=1
# ARG: x_ptr randn(0,0.1):fp32[M,M]
# ARG: out_ptr empty:fp32[M,M]
# CONST: M M
# CONST: ITERATIONS ITERATIONS
# GRID: 1
# TOLERANCE: out_ptr 5e-2 4e-2
#
# KERNEL: small_network
# SIZES: N=70 | N=1
# BENCH: N=4194304 BLOCK=128 num_warps=4
# ARG: x_ptr randn:fp16[N,16]
# ARG: w1_ptr randn(0,0.3):fp16[16,64]
# ARG: w2_ptr randn(0,0.2):fp16[64,64]
# ARG: w3_ptr randn(0,0.2):fp16[64,3]
# ARG: out_ptr empty:fp32[N,3]
# ARG: N N
# CONST: BLOCK 64
# GRID: cdiv(N, BLOCK)
# TOLERANCE: out_ptr 1e-2 1e-2
#
# KERNEL: norm_backward
# SIZES: M=65 N=40 D=64
# BENCH: M=16896 N=4096 D=256 BLOCK_M=64 BLOCK_N=64 num_warps=8 num_stages=3
# ARG: dy_ptr randn:bf16[M,N]
# ARG: w_ptr randn(0,0.3):bf16[N,D]
# ARG: x_ptr randn:bf16[M,D]
# ARG: g_ptr rand(0.5,1.5):fp32[D]
# ARG: dx_ptr empty:fp32[M,D]
# ARG: dg_ptr zeros:fp32[D]
# ARG: M M
# ARG: N N
# ARG: eps 1e-5
# CONST: D D
# CONST: BLOCK_M 64
# CONST: BLOCK_N 32
# GRID: cdiv(M, BLOCK_M)
# CHECK: dx_ptr dg_ptr
# TOLERANCE: dx_ptr 1e-2 2e-2
# TOLERANCE: dg_ptr 1e-2 5e-2
#
# KERNEL: contrastive
# SIZES: N=65 D=32
# BENCH: N=16896 D=128 BLOCK=128 COLUMNS=64 num_warps=8 num_stages=2
# ARG: a_ptr randn:fp16[N,D]
# ARG: b_ptr randn:fp16[N,D]
# ARG: loss_ptr zeros:fp32[1]
# ARG: N N
# ARG: scale 0.3
# CONST: D D
# CONST: BLOCK 64
# CONST: COLUMNS 32
# GRID: cdiv(N, BLOCK)
# CHECK: loss_ptr
# TOLERANCE: loss_ptr 1e-3 1e-2
import numpy as np
import triton
import triton.language as tl


@triton.jit
def tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def linear_cross_entropy(x_ptr, w_ptr, target_ptr, loss_ptr, lse_ptr, N, V, D, softcap, ignore_index,
                         BLOCK_N: tl.constexpr, BLOCK_V: tl.constexpr, BLOCK_D: tl.constexpr,
                         HAS_SOFTCAP: tl.constexpr):
    """Scores of a chunk of the vocabulary at a time; their logarithm of sums and the target's score are kept."""
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    target = tl.load(target_ptr + n, mask=n < N, other=0)
    peak = tl.full((BLOCK_N,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_N,), dtype=tl.float32)
    wanted = tl.zeros((BLOCK_N,), dtype=tl.float32)
    for start in range(0, V, BLOCK_V):
        v = start + tl.arange(0, BLOCK_V)
        logits = tl.zeros((BLOCK_N, BLOCK_V), dtype=tl.float32)
        for d in range(0, D, BLOCK_D):
            k = d + tl.arange(0, BLOCK_D)
            x = tl.load(x_ptr + n[:, None] * D + k[None, :], mask=(n[:, None] < N) & (k[None, :] < D), other=0.0)
            w = tl.load(w_ptr + v[:, None] * D + k[None, :], mask=(v[:, None] < V) & (k[None, :] < D), other=0.0)
            logits = tl.dot(x, w.trans(), logits)
        if HAS_SOFTCAP:
            logits = softcap * tanh(logits / softcap)
        logits = tl.where(v[None, :] < V, logits, float("-inf"))
        wanted += tl.sum(tl.where(v[None, :] == target[:, None], logits, 0.0), axis=1)
        new_peak = tl.maximum(peak, tl.max(logits, axis=1))
        total = total * tl.exp(peak - new_peak) + tl.sum(tl.exp(logits - new_peak[:, None]), axis=1)
        peak = new_peak
    lse = peak + tl.log(total)
    loss = tl.where(target == ignore_index, 0.0, lse - wanted)
    tl.store(lse_ptr + n, lse, mask=n < N)
    tl.store(loss_ptr + n, loss, mask=n < N)


def linear_cross_entropy_reference(x_ptr, w_ptr, target_ptr, softcap, N):
    logits = softcap * np.tanh(x_ptr @ w_ptr.T / softcap)
    lse = np.log(np.exp(logits).sum(axis=1))
    loss = lse - logits[np.arange(N), target_ptr.astype(int)]
    return {"lse_ptr": lse, "loss_ptr": np.where(target_ptr == 3, 0, loss)}


@triton.jit
def linear_cross_entropy_backward(x_ptr, w_ptr, target_ptr, lse_ptr, dx_ptr, dw_ptr, N, V, D, BLOCK_N: tl.constexpr,
                                  BLOCK_V: tl.constexpr, BLOCK_D: tl.constexpr):
    """A tile of the scores again, its gradient, and two products of it, along and across, added in memory."""
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    v = tl.program_id(1) * BLOCK_V + tl.arange(0, BLOCK_V)
    logits = tl.zeros((BLOCK_N, BLOCK_V), dtype=tl.float32)
    for d in range(0, D, BLOCK_D):
        k = d + tl.arange(0, BLOCK_D)
        x = tl.load(x_ptr + n[:, None] * D + k[None, :], mask=(n[:, None] < N) & (k[None, :] < D), other=0.0)
        w = tl.load(w_ptr + v[None, :] * D + k[:, None], mask=(v[None, :] < V) & (k[:, None] < D), other=0.0)
        logits += tl.dot(x, w)
    target = tl.load(target_ptr + n, mask=n < N, other=-1)
    lse = tl.load(lse_ptr + n, mask=n < N, other=float("inf"))
    grad = tl.exp(logits - lse[:, None]) - (v[None, :] == target[:, None]).to(tl.float32)
    grad = tl.where((n[:, None] < N) & (v[None, :] < V), grad, 0.0).to(x_ptr.dtype.element_ty)
    for d in range(0, D, BLOCK_D):
        k = d + tl.arange(0, BLOCK_D)
        w = tl.load(w_ptr + v[:, None] * D + k[None, :], mask=(v[:, None] < V) & (k[None, :] < D), other=0.0)
        tl.atomic_add(dx_ptr + n[:, None] * D + k[None, :], tl.dot(grad, w), mask=(n[:, None] < N) & (k[None, :] < D))
        x = tl.load(x_ptr + n[:, None] * D + k[None, :], mask=(n[:, None] < N) & (k[None, :] < D), other=0.0)
        dw = tl.dot(tl.trans(grad), x)
        tl.atomic_add(dw_ptr + v[:, None] * D + k[None, :], dw, mask=(v[:, None] < V) & (k[None, :] < D))


def linear_cross_entropy_backward_reference(x_ptr, w_ptr, target_ptr, lse_ptr, N):
    grad = np.exp(x_ptr @ w_ptr.T - lse_ptr[:, None])
    grad[np.arange(N), target_ptr.astype(int)] -= 1
    return {"dx_ptr": grad @ w_ptr, "dw_ptr": grad.T @ x_ptr}


@triton.jit
def pairwise_distance(x_ptr, y_ptr, out_ptr, M, N, D, ROOT: tl.constexpr, BLOCK_M: tl.constexpr,
                      BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    dots = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    x_norm = tl.zeros((BLOCK_M,), dtype=tl.float32)
    y_norm = tl.zeros((BLOCK_N,), dtype=tl.float32)
    for start in range(0, D, BLOCK_D):
        d = start + tl.arange(0, BLOCK_D)
        x = tl.load(x_ptr + m[:, None] * D + d[None, :], mask=(m[:, None] < M) & (d[None, :] < D), other=0.0)
        y = tl.load(y_ptr + n[:, None] * D + d[None, :], mask=(n[:, None] < N) & (d[None, :] < D), other=0.0)
        dots += tl.dot(x, tl.trans(y), input_precision="ieee")
        x_norm += tl.sum(x.to(tl.float32) * x.to(tl.float32), axis=1)
        y_norm += tl.sum(y.to(tl.float32) * y.to(tl.float32), axis=1)
    out = tl.maximum(x_norm[:, None] + y_norm[None, :] - 2.0 * dots, 0.0)
    if ROOT:
        out = tl.sqrt(out)
    tl.store(out_ptr + m[:, None] * N + n[None, :], out, mask=(m[:, None] < M) & (n[None, :] < N))


def pairwise_distance_reference(x_ptr, y_ptr, ROOT):
    out = ((x_ptr[:, None] - y_ptr[None])**2).sum(axis=2)
    return np.sqrt(out) if ROOT else out


@triton.jit
def nearest_centre(x_ptr, c_ptr, label_ptr, sum_ptr, count_ptr, N, K, D, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                   BLOCK_D: tl.constexpr):
    """One step of Lloyd's iteration: labels, and the sums of the points of each centre by a product with ones."""
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    d = tl.arange(0, BLOCK_D)
    x = tl.load(x_ptr + n[:, None] * D + d[None, :], mask=(n[:, None] < N) & (d[None, :] < D), other=0.0)
    best = tl.full((BLOCK_N,), float("inf"), dtype=tl.float32)
    label = tl.full((BLOCK_N,), -1, dtype=tl.int32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        c = tl.load(c_ptr + k[None, :] * D + d[:, None], mask=(k[None, :] < K) & (d[:, None] < D), other=0.0)
        c_norm = tl.sum(c.to(tl.float32) * c.to(tl.float32), axis=0)
        distance = c_norm[None, :] - 2 * tl.dot(x, c)
        distance = tl.where(k[None, :] < K, distance, float("inf"))
        value, where = tl.min(distance, axis=1, return_indices=True)
        label = tl.where(value < best, start + where, label)
        best = tl.minimum(best, value)
    tl.store(label_ptr + n, label, mask=n < N)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        mine = (k[:, None] == label[None, :]) & (n[None, :] < N)
        sums = tl.dot(mine.to(tl.float16), x)
        tl.atomic_add(sum_ptr + k[:, None] * D + d[None, :], sums, mask=(k[:, None] < K) & (d[None, :] < D))
        tl.atomic_add(count_ptr + k, tl.sum(mine.to(tl.int32), axis=1), mask=k < K)


def nearest_centre_reference(x_ptr, c_ptr, K):
    label = (c_ptr**2).sum(axis=1) - 2 * x_ptr @ c_ptr.T
    label = label.argmin(axis=1)
    ones = (label[None, :] == np.arange(K)[:, None]).astype(float)
    return {"label_ptr": label, "sum_ptr": ones @ x_ptr, "count_ptr": ones.sum(axis=1)}


@triton.jit
def gram(x_ptr, c_ptr, M, K, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    """Tiles on and under the diagonal, found from their number; the others are their mirror images."""
    pid = tl.program_id(0)
    row = ((tl.sqrt(8.0 * pid + 1.0) - 1.0) / 2.0).to(tl.int32)
    # Rounding may be off by one either way.
    row = tl.where(row * (row + 1) // 2 > pid, row - 1, row)
    row = tl.where((row + 1) * (row + 2) // 2 <= pid, row + 1, row)
    column = pid - row * (row + 1) // 2
    m = row * BLOCK + tl.arange(0, BLOCK)
    n = column * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        a = tl.load(x_ptr + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(x_ptr + n[:, None] * K + k[None, :], mask=(n[:, None] < M) & (k[None, :] < K), other=0.0)
        acc = tl.dot(a, tl.trans(b), acc)
    mask = (m[:, None] < M) & (n[None, :] < M)
    tl.store(c_ptr + m[:, None] * M + n[None, :], acc, mask=mask)
    if row != column:
        tl.store(c_ptr + n[:, None] * M + m[None, :], tl.trans(acc), mask=tl.trans(mask))


def gram_reference(x_ptr):
    return x_ptr @ x_ptr.T


@triton.jit
def orthogonal_step(x_ptr, out_ptr, M: tl.constexpr, ITERATIONS: tl.constexpr):
    """Newton and Schulz: each iteration needs the product of the matrix with itself, that with itself, and both."""
    i = tl.arange(0, M)
    at = i[:, None] * M + i[None, :]
    x = tl.load(x_ptr + at)
    x = x / (tl.sqrt(tl.sum(tl.sum(x * x, axis=1), axis=0)) + 1e-7)
    for _ in range(ITERATIONS):
        xb = x.to(tl.bfloat16)
        a = tl.dot(xb, tl.trans(xb))
        ab = a.to(tl.bfloat16)
        b = -4.7750 * a + 2.0315 * tl.dot(ab, ab)
        x = 3.4445 * x + tl.dot(b.to(tl.bfloat16), xb)
    tl.store(out_ptr + at, x)


def orthogonal_step_reference(x_ptr, ITERATIONS):
    x = x_ptr / np.sqrt((x_ptr**2).sum())
    for _ in range(ITERATIONS):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x


@triton.jit
def small_network(x_ptr, w1_ptr, w2_ptr, w3_ptr, out_ptr, N, BLOCK: tl.constexpr):
    """Three layers of a batch of points stay in registers; the last one has three columns of sixteen."""
    n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    narrow = tl.arange(0, 16)
    wide = tl.arange(0, 64)
    x = tl.load(x_ptr + n[:, None] * 16 + narrow[None, :], mask=n[:, None] < N, other=0.0)
    w1 = tl.load(w1_ptr + narrow[:, None] * 64 + wide[None, :])
    h = tl.maximum(tl.dot(x, w1), 0.0).to(tl.float16)
    w2 = tl.load(w2_ptr + wide[:, None] * 64 + wide[None, :])
    h = tl.maximum(tl.dot(h, w2), 0.0).to(tl.float16)
    w3 = tl.load(w3_ptr + wide[:, None] * 3 + narrow[None, :], mask=narrow[None, :] < 3, other=0.0)
    y = tl.sigmoid(tl.dot(h, w3))
    tl.store(out_ptr + n[:, None] * 3 + narrow[None, :], y, mask=(n[:, None] < N) & (narrow[None, :] < 3))


def small_network_reference(x_ptr, w1_ptr, w2_ptr, w3_ptr):
    h = np.maximum(np.maximum(x_ptr @ w1_ptr, 0) @ w2_ptr, 0)
    return 1 / (1 + np.exp(-h @ w3_ptr))


@triton.jit
def norm_backward(dy_ptr, w_ptr, x_ptr, g_ptr, dx_ptr, dg_ptr, M, N, eps, D: tl.constexpr, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr):
    """A linear layer behind an RMS norm: the gradient of the norm's result is a product that is used at once."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    grad = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for start in range(0, N, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        dy = tl.load(dy_ptr + m[:, None] * N + n[None, :], mask=(m[:, None] < M) & (n[None, :] < N), other=0.0)
        w = tl.load(w_ptr + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        grad = tl.dot(dy, w, grad)
    x = tl.load(x_ptr + m[:, None] * D + d[None, :], mask=m[:, None] < M, other=0.0).to(tl.float32)
    g = tl.load(g_ptr + d)
    rstd = tl.rsqrt(tl.sum(x * x, axis=1) / D + eps)
    x_hat = x * rstd[:, None]
    tl.atomic_add(dg_ptr + d, tl.sum(grad * x_hat, axis=0))
    wdy = grad * g[None, :]
    mean = tl.sum(x_hat * wdy, axis=1) / D
    dx = (wdy - x_hat * mean[:, None]) * rstd[:, None]
    tl.store(dx_ptr + m[:, None] * D + d[None, :], dx, mask=m[:, None] < M)


def norm_backward_reference(dy_ptr, w_ptr, x_ptr, g_ptr, eps):
    grad = dy_ptr @ w_ptr
    rstd = 1 / np.sqrt((x_ptr**2).mean(axis=1, keepdims=True) + eps)
    x_hat = x_ptr * rstd
    wdy = grad * g_ptr
    dx = (wdy - x_hat * (x_hat * wdy).mean(axis=1, keepdims=True)) * rstd
    return {"dx_ptr": dx, "dg_ptr": (grad * x_hat).sum(axis=0)}


@triton.jit
def contrastive(a_ptr, b_ptr, loss_ptr, N, scale, D: tl.constexpr, BLOCK: tl.constexpr, COLUMNS: tl.constexpr):
    """Pairs against all others, both ways at once: two products with one tile of rows."""
    m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    inside = m < N
    a = tl.load(a_ptr + m[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
    b = tl.load(b_ptr + m[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
    a_total = tl.zeros((BLOCK,), dtype=tl.float32)
    b_total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, N, COLUMNS):
        n = start + tl.arange(0, COLUMNS)
        at = n[None, :] * D + d[:, None]
        to_b = tl.dot(a, tl.load(b_ptr + at, mask=n[None, :] < N, other=0.0)) * scale
        to_a = tl.dot(b, tl.load(a_ptr + at, mask=n[None, :] < N, other=0.0)) * scale
        a_total += tl.sum(tl.where(n[None, :] < N, tl.exp(to_b), 0.0), axis=1)
        b_total += tl.sum(tl.where(n[None, :] < N, tl.exp(to_a), 0.0), axis=1)
    own = tl.sum(a.to(tl.float32) * b.to(tl.float32), axis=1) * scale
    loss = tl.log(a_total) + tl.log(b_total) - 2 * own
    tl.atomic_add(loss_ptr, tl.sum(tl.where(inside, loss, 0.0), axis=0) / (2 * N))


def contrastive_reference(a_ptr, b_ptr, scale, N):
    score = a_ptr @ b_ptr.T * scale
    own = np.log(np.exp(score).sum(axis=1)) + np.log(np.exp(score).sum(axis=0)) - 2 * np.diag(score)
    return np.array([own.sum() / (2 * N)])
