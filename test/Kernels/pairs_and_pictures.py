# Products over pairs, pictures and points, as libraries write them: means of outer products, updates of triangles,
# sums of kernels, nearest centres with sums, transforms by tables of roots, places that are moved by offsets,
# neighbours in a sparse volume, small tiles of a picture, the gradient of a convolution with strides.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: mean_of_outer_products
# SIZES: S=33 I=5 J=6 C=16 Z=32 | S=16 I=4 J=4 C=16 Z=16
# BENCH: S=512 I=64 J=256 C=32 Z=128 BI=2 BJ=4 BLOCK_S=64 num_warps=8 num_stages=2
# ARG: a_ptr randn:bf16[S,I,C]
# ARG: b_ptr randn:bf16[S,J,C]
# ARG: w_ptr randn(0,0.1):bf16[C*C,Z]
# ARG: bias_ptr randn:fp32[Z]
# ARG: out_ptr empty:fp32[I,J,Z]
# ARG: S S
# ARG: I I
# ARG: J J
# ARG: eps 1e-3
# CONST: C C
# CONST: Z Z
# CONST: BI 2
# CONST: BJ 2
# CONST: BLOCK_S 16
# GRID: cdiv(I, BI), cdiv(J, BJ)
# TOLERANCE: out_ptr 2e-2 4e-2
#
# KERNEL: triangle_update
# SIZES: N=20 C=16 OUT=1 | N=33 C=8 OUT=0
# BENCH: N=384 C=128 OUT=1 BLOCK=64 BLOCK_K=32 BLOCK_C=4 num_warps=8 num_stages=2
# ARG: a_ptr randn:bf16[N,N,C]
# ARG: b_ptr randn:bf16[N,N,C]
# ARG: gate_ptr randn:bf16[N,N,C]
# ARG: out_ptr empty:bf16[N,N,C]
# ARG: n N
# ARG: channels C
# CONST: OUTGOING OUT == 1
# CONST: BLOCK 16
# CONST: BLOCK_K 16
# CONST: BLOCK_C 4
# GRID: cdiv(N, BLOCK), cdiv(N, BLOCK), cdiv(C, BLOCK_C)
# TOLERANCE: out_ptr 2e-2 1e-1
#
# KERNEL: sums_of_kernels
# SIZES: M=50 N=70 D=16 V=16 | M=1 N=33 D=32 V=32
# BENCH: M=16384 N=16384 D=32 V=32 BLOCK_M=128 BLOCK_N=64 num_warps=4 num_stages=3
# ARG: x_ptr randn(0,0.5):fp32[M,D]
# ARG: y_ptr randn(0,0.5):fp32[N,D]
# ARG: v_ptr randn:fp32[N,V]
# ARG: out_ptr empty:fp32[M,V]
# ARG: M M
# ARG: N N
# ARG: gamma 0.25
# CONST: D D
# CONST: V V
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# GRID: cdiv(M, BLOCK_M)
# TOLERANCE: out_ptr 1e-2 2e-2
#
# KERNEL: assign_and_add
# SIZES: N=100 K=40 D=32 | N=33 K=16 D=16
# BENCH: N=131072 K=1024 D=64 BLOCK_N=128 BLOCK_K=128 num_warps=8 num_stages=3
# ARG: x_ptr randn:fp16[N,D]
# ARG: c_ptr randn:fp16[K,D]
# ARG: c_norm_ptr rand(10,20):fp32[K]
# ARG: labels_ptr empty:i32[N]
# ARG: best_ptr empty:fp32[N]
# ARG: sums_ptr zeros:fp32[K,D]
# ARG: counts_ptr zeros:i32[K]
# ARG: N N
# ARG: K K
# CONST: D D
# CONST: BLOCK_N 32
# CONST: BLOCK_K 16
# GRID: cdiv(N, BLOCK_N)
# CHECK: labels_ptr best_ptr sums_ptr counts_ptr
# TOLERANCE: labels_ptr 0 (N>1000)*K
# TOLERANCE: best_ptr 1e-3 1e-2
# TOLERANCE: sums_ptr 1e-4 1e-3+(N>1000)*16
# TOLERANCE: counts_ptr 0 (N>1000)*16
#
# KERNEL: convolve_by_roots
# SIZES: B=3 | B=1
# BENCH: B=32768 num_warps=4 num_stages=1
# ARG: x_ptr randn:fp16[B,1024]
# ARG: f_real_ptr randn(0,0.18):fp16[32,32]
# ARG: f_imag_ptr randn(0,0.18):fp16[32,32]
# ARG: t_real_ptr randn(0,0.7):fp16[32,32]
# ARG: t_imag_ptr randn(0,0.7):fp16[32,32]
# ARG: k_real_ptr randn(0,0.7):fp16[1024]
# ARG: k_imag_ptr randn(0,0.7):fp16[1024]
# ARG: y_ptr empty:fp16[B,1024]
# ARG: B B
# CONST: N 32
# GRID: B
# TOLERANCE: y_ptr 1e-2 6e-2
#
# KERNEL: moved_places
# SIZES: H=9 W=7 C=32 O=24 | H=4 W=4 C=16 O=16
# BENCH: H=64 W=64 C=256 O=256 BLOCK_P=64 BLOCK_O=128 BLOCK_C=32 num_warps=4 num_stages=3
# ARG: x_ptr randn:fp16[H,W,C]
# ARG: offset_ptr randn:fp32[H*W,9,2]
# ARG: mask_ptr rand:fp32[H*W,9]
# ARG: w_ptr randn:fp16[9,C,O]
# ARG: y_ptr empty:fp16[H*W,O]
# ARG: H H
# ARG: W W
# ARG: C C
# ARG: O O
# CONST: BLOCK_P 16
# CONST: BLOCK_O 16
# CONST: BLOCK_C 16
# GRID: cdiv(H*W, BLOCK_P), cdiv(O, BLOCK_O)
# TOLERANCE: y_ptr 1e-2 1e-1
#
# KERNEL: sparse_neighbours
# SIZES: N=70 C=32 O=40 V=27 | N=1 C=16 O=16 V=8
# BENCH: N=65536 C=64 O=64 V=27 BLOCK_N=128 BLOCK_O=64 BLOCK_C=32 num_warps=4 num_stages=4
# ARG: x_ptr randn:fp16[N,C]
# ARG: w_ptr randn:fp16[O,V,C]
# ARG: bias_ptr randn:fp16[O]
# ARG: neighbour_ptr randint(-N,N):i32[N,V]
# ARG: order_ptr permutation:i32[N]
# ARG: y_ptr empty:fp16[N,O]
# ARG: N N
# ARG: O O
# CONST: C C
# CONST: V V
# CONST: BLOCK_N 32
# CONST: BLOCK_O 32
# CONST: BLOCK_C 16
# GRID: cdiv(O, BLOCK_O) * cdiv(N, BLOCK_N)
# TOLERANCE: y_ptr 1e-2 1e-1
#
# KERNEL: picture_by_small_tiles
# SIZES: H=7 W=9 C=20 O=24 | H=2 W=2 C=16 O=16
# BENCH: H=56 W=56 C=128 O=128 BLOCK_T=32 BLOCK_O=32 BLOCK_C=16 num_warps=8 num_stages=2
# ARG: x_ptr randn:fp16[C,H,W]
# ARG: u_ptr randn:fp16[16,C,O]
# ARG: y_ptr empty:fp16[O,H,W]
# ARG: H H
# ARG: W W
# ARG: C C
# ARG: O O
# CONST: BLOCK_T 16
# CONST: BLOCK_O 16
# CONST: BLOCK_C 16
# GRID: cdiv(cdiv(H, 2) * cdiv(W, 2), BLOCK_T), cdiv(O, BLOCK_O)
# TOLERANCE: y_ptr 2e-2 2e-1
#
# KERNEL: picture_gradient
# SIZES: B=2 C=20 O=24 H=9 W=8 R=3 ST=2 | B=1 C=16 O=16 H=5 W=5 R=1 ST=1
# BENCH: B=32 C=128 O=256 H=56 W=56 R=3 ST=2 BLOCK_M=64 BLOCK_N=128 BLOCK_K=32 num_warps=4 num_stages=4
# ARG: dy_ptr randn:fp16[B,O,cdiv(H,ST),cdiv(W,ST)]
# ARG: w_ptr randn:fp16[O,C,R,R]
# ARG: dx_ptr empty:fp16[B,C,H,W]
# ARG: B B
# ARG: C C
# ARG: O O
# ARG: H H
# ARG: W W
# ARG: OH cdiv(H,ST)
# ARG: OW cdiv(W,ST)
# CONST: R R
# CONST: STRIDE ST
# CONST: PAD R // 2
# CONST: BLOCK_M 32
# CONST: BLOCK_N 16
# CONST: BLOCK_K 16
# GRID: cdiv(B*H*W, BLOCK_M), cdiv(C, BLOCK_N)
# TOLERANCE: dx_ptr 1e-2 1e-1
import numpy as np
import triton
import triton.language as tl


@triton.jit
def mean_of_outer_products(a_ptr, b_ptr, w_ptr, bias_ptr, out_ptr, S, I, J, eps, C: tl.constexpr, Z: tl.constexpr,
                           BI: tl.constexpr, BJ: tl.constexpr, BLOCK_S: tl.constexpr):
    """A few rows by a few columns: the outer products are one product, and another one projects each of them."""
    pid_i, pid_j = tl.program_id(0), tl.program_id(1)
    ic = tl.arange(0, BI * C)
    jc = tl.arange(0, BJ * C)
    offs_s = tl.arange(0, BLOCK_S)
    a_mask = pid_i * BI + ic // C < I
    b_mask = pid_j * BJ + jc // C < J
    a_ptrs = a_ptr + pid_i * BI * C + ic[:, None] + offs_s[None, :] * (I * C)
    b_ptrs = b_ptr + pid_j * BJ * C + jc[None, :] + offs_s[:, None] * (J * C)
    acc = tl.zeros((BI * C, BJ * C), dtype=tl.float32)
    for s in range(0, S, BLOCK_S):
        a = tl.load(a_ptrs, mask=a_mask[:, None] & (offs_s[None, :] < S - s), other=0.0)
        b = tl.load(b_ptrs, mask=b_mask[None, :] & (offs_s[:, None] < S - s), other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_S * I * C
        b_ptrs += BLOCK_S * J * C
    outer = acc.to(w_ptr.dtype.element_ty).reshape(BI, C, BJ, C).permute(0, 2, 1, 3).reshape(BI * BJ, C * C)
    offs_w = tl.arange(0, C * C)
    offs_z = tl.arange(0, 16)
    pairs = tl.arange(0, BI * BJ)
    i = pid_i * BI + pairs // BJ
    j = pid_j * BJ + pairs % BJ
    for z in tl.static_range(0, Z, 16):
        w = tl.load(w_ptr + offs_w[:, None] * Z + z + offs_z[None, :])
        out = tl.dot(outer, w) + tl.load(bias_ptr + z + offs_z)[None, :]
        out = out / (S + eps)
        tl.store(out_ptr + (i * J + j)[:, None] * Z + z + offs_z[None, :], out, mask=((i < I) & (j < J))[:, None])


def mean_of_outer_products_reference(a_ptr, b_ptr, w_ptr, bias_ptr, S, I, J):
    outer = np.einsum("sic,sjd->ijcd", a_ptr, b_ptr).reshape(I, J, -1)
    return (outer @ w_ptr + bias_ptr) / (S + 1e-3)


@triton.jit
def triangle_update(a_ptr, b_ptr, gate_ptr, out_ptr, n, channels, OUTGOING: tl.constexpr, BLOCK: tl.constexpr,
                    BLOCK_K: tl.constexpr, BLOCK_C: tl.constexpr):
    """Channels lie side by side in memory and are a batch of products."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(2) * BLOCK_C + tl.arange(0, BLOCK_C)
    acc = tl.zeros((BLOCK_C, BLOCK, BLOCK), dtype=tl.float32)
    for start in range(0, n, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        if OUTGOING:
            a_at = i[:, None, None] * n + k[None, :, None]
            b_at = j[:, None, None] * n + k[None, :, None]
        else:
            a_at = k[None, :, None] * n + i[:, None, None]
            b_at = k[None, :, None] * n + j[:, None, None]
        inside = (k[None, :, None] < n) & (c[None, None, :] < channels)
        a = tl.load(a_ptr + a_at * channels + c[None, None, :], mask=inside & (i[:, None, None] < n), other=0.0)
        b = tl.load(b_ptr + b_at * channels + c[None, None, :], mask=inside & (j[:, None, None] < n), other=0.0)
        acc = tl.dot(a.permute(2, 0, 1), b.permute(2, 1, 0), acc)
    out = acc.permute(1, 2, 0)
    at = (i[:, None, None] * n + j[None, :, None]) * channels + c[None, None, :]
    mask = (i[:, None, None] < n) & (j[None, :, None] < n) & (c[None, None, :] < channels)
    gate = tl.load(gate_ptr + at, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + at, (out * tl.sigmoid(gate)).to(out_ptr.dtype.element_ty), mask=mask)


def triangle_update_reference(a_ptr, b_ptr, gate_ptr, OUT):
    out = np.einsum("ikc,jkc->ijc" if OUT else "kic,kjc->ijc", a_ptr, b_ptr)
    return out / (1 + np.exp(-gate_ptr))


@triton.jit
def sums_of_kernels(x_ptr, y_ptr, v_ptr, out_ptr, M, N, gamma, D: tl.constexpr, V: tl.constexpr,
                    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """exp(-gamma |x - y|^2) times values, without the matrix of kernels."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    dv = tl.arange(0, V)
    x = tl.load(x_ptr + m[:, None] * D + d[None, :], mask=m[:, None] < M, other=0.0)
    xx = tl.sum(x * x, axis=1)
    acc = tl.zeros((BLOCK_M, V), dtype=tl.float32)
    for start in range(0, N, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        y = tl.load(y_ptr + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        v = tl.load(v_ptr + n[:, None] * V + dv[None, :], mask=n[:, None] < N, other=0.0)
        yy = tl.sum(y * y, axis=1)
        xy = tl.dot(x, tl.trans(y), input_precision="tf32x3")
        distance = tl.maximum(xx[:, None] + yy[None, :] - 2 * xy, 0.0)
        acc += tl.dot(tl.exp(-gamma * distance), v, input_precision="tf32")
    tl.store(out_ptr + m[:, None] * V + dv[None, :], acc, mask=m[:, None] < M)


def sums_of_kernels_reference(x_ptr, y_ptr, v_ptr, gamma):
    distance = ((x_ptr[:, None] - y_ptr)**2).sum(2)
    return np.exp(-gamma * distance) @ v_ptr


@triton.jit
def assign_and_add(x_ptr, c_ptr, c_norm_ptr, labels_ptr, best_ptr, sums_ptr, counts_ptr, N, K, D: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """The nearest of all centres, block by block, and what the next centres are the means of."""
    rows = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    row_mask = rows < N
    x = tl.load(x_ptr + rows[:, None] * D + d[None, :], mask=row_mask[:, None], other=0.0)
    best = tl.full((BLOCK_N,), float("inf"), dtype=tl.float32)
    label = tl.zeros((BLOCK_N,), dtype=tl.int32)
    for start in tl.range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        c = tl.load(c_ptr + k[None, :] * D + d[:, None], mask=k[None, :] < K, other=0.0)
        norm = tl.load(c_norm_ptr + k, mask=k < K, other=float("inf"))
        distance = norm[None, :] - 2.0 * tl.dot(x, c)
        least, where = tl.min(distance, axis=1, return_indices=True)
        closer = least < best
        label = tl.where(closer, start + where, label)
        best = tl.minimum(best, least)
    tl.store(labels_ptr + rows, label, mask=row_mask)
    tl.store(best_ptr + rows, best, mask=row_mask)
    tl.atomic_add(sums_ptr + label[:, None] * D + d[None, :], x.to(tl.float32), mask=row_mask[:, None], sem="relaxed")
    tl.atomic_add(counts_ptr + label, 1, mask=row_mask, sem="relaxed")


def assign_and_add_reference(x_ptr, c_ptr, c_norm_ptr, K):
    distance = c_norm_ptr - 2 * x_ptr @ c_ptr.T
    label = distance.argmin(1)
    member = (label == np.arange(K)[:, None]).astype(np.float64)
    return {"labels_ptr": label, "best_ptr": distance.min(1), "sums_ptr": member @ x_ptr, "counts_ptr": member.sum(1)}


@triton.jit
def complex_dot(a_real, a_imag, b_real, b_imag):
    real = tl.dot(a_real, b_real) - tl.dot(a_imag, b_imag)
    imag = tl.dot(a_real, b_imag) + tl.dot(a_imag, b_real)
    return real.to(tl.float16), imag.to(tl.float16)


@triton.jit
def complex_mul(a_real, a_imag, b_real, b_imag):
    return a_real * b_real - a_imag * b_imag, a_real * b_imag + a_imag * b_real


@triton.jit
def convolve_by_roots(x_ptr, f_real_ptr, f_imag_ptr, t_real_ptr, t_imag_ptr, k_real_ptr, k_imag_ptr, y_ptr, B,
                      N: tl.constexpr):
    """A transform of N * N numbers in two products with a table between them, there and back."""
    row = tl.program_id(0)
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    f_real = tl.load(f_real_ptr + at)
    f_imag = tl.load(f_imag_ptr + at)
    t_real = tl.load(t_real_ptr + at)
    t_imag = tl.load(t_imag_ptr + at)
    x = tl.load(x_ptr + row.to(tl.int64) * N * N + at)
    a_real = tl.dot(f_real, x).to(tl.float16)
    a_imag = tl.dot(f_imag, x).to(tl.float16)
    a_real, a_imag = complex_mul(a_real, a_imag, t_real, t_imag)
    a_real, a_imag = complex_dot(a_real, a_imag, f_real, f_imag)
    a_real, a_imag = complex_mul(a_real, a_imag, tl.load(k_real_ptr + at), tl.load(k_imag_ptr + at))
    a_real, a_imag = complex_dot(a_real, a_imag, f_real, -f_imag)
    a_real, a_imag = complex_mul(a_real, a_imag, t_real, -t_imag)
    y = tl.dot(f_real, a_real) + tl.dot(f_imag, a_imag)
    tl.store(y_ptr + row.to(tl.int64) * N * N + at, y.to(tl.float16))


def convolve_by_roots_reference(x_ptr, f_real_ptr, f_imag_ptr, t_real_ptr, t_imag_ptr, k_real_ptr, k_imag_ptr, B):
    f, t = f_real_ptr + 1j * f_imag_ptr, t_real_ptr + 1j * t_imag_ptr
    k = (k_real_ptr + 1j * k_imag_ptr).reshape(32, 32)
    x = x_ptr.reshape(B, 32, 32)
    a = ((f @ x) * t) @ f * k
    return (f.conj() @ ((a @ f.conj()) * t.conj())).real.reshape(B, -1)


@triton.jit
def corner(x_ptr, h, w, c, H, W, C, weight):
    inside = (h >= 0) & (h < H) & (w >= 0) & (w < W)
    x = tl.load(x_ptr + (h * W + w)[:, None] * C + c[None, :], mask=inside[:, None] & (c[None, :] < C), other=0.0)
    return x.to(tl.float32) * weight[:, None]


@triton.jit
def moved_places(x_ptr, offset_ptr, mask_ptr, w_ptr, y_ptr, H, W, C, O, BLOCK_P: tl.constexpr, BLOCK_O: tl.constexpr,
                 BLOCK_C: tl.constexpr):
    """A convolution whose nine places are moved for every pixel; values between pixels are mixtures of four."""
    p = tl.program_id(0) * BLOCK_P + tl.arange(0, BLOCK_P)
    o = tl.program_id(1) * BLOCK_O + tl.arange(0, BLOCK_O)
    p_mask = p < H * W
    acc = tl.zeros((BLOCK_P, BLOCK_O), dtype=tl.float32)
    for tap in range(9):
        dh = tl.load(offset_ptr + (p * 9 + tap) * 2, mask=p_mask, other=0.0)
        dw = tl.load(offset_ptr + (p * 9 + tap) * 2 + 1, mask=p_mask, other=0.0)
        strength = tl.load(mask_ptr + p * 9 + tap, mask=p_mask, other=0.0)
        h = (p // W + tap // 3 - 1).to(tl.float32) + dh
        w = (p % W + tap % 3 - 1).to(tl.float32) + dw
        h0 = tl.floor(h)
        w0 = tl.floor(w)
        lh = h - h0
        lw = w - w0
        h0 = h0.to(tl.int32)
        w0 = w0.to(tl.int32)
        for start in range(0, C, BLOCK_C):
            c = start + tl.arange(0, BLOCK_C)
            x = corner(x_ptr, h0, w0, c, H, W, C, (1 - lh) * (1 - lw) * strength)
            x += corner(x_ptr, h0, w0 + 1, c, H, W, C, (1 - lh) * lw * strength)
            x += corner(x_ptr, h0 + 1, w0, c, H, W, C, lh * (1 - lw) * strength)
            x += corner(x_ptr, h0 + 1, w0 + 1, c, H, W, C, lh * lw * strength)
            weight = tl.load(w_ptr + (tap * C + c)[:, None] * O + o[None, :], mask=(c[:, None] < C) & (o[None, :] < O),
                             other=0.0)
            acc += tl.dot(x.to(tl.float16), weight)
    tl.store(y_ptr + p[:, None] * O + o[None, :], acc.to(tl.float16), mask=p_mask[:, None] & (o[None, :] < O))


def moved_places_reference(x_ptr, offset_ptr, mask_ptr, w_ptr, H, W, C, O):
    y = np.zeros((H * W, O))
    for p in range(H * W):
        for tap in range(9):
            h = p // W + tap // 3 - 1 + offset_ptr[p, tap, 0]
            w = p % W + tap % 3 - 1 + offset_ptr[p, tap, 1]
            value = np.zeros(C)
            for i in (int(np.floor(h)), int(np.floor(h)) + 1):
                for j in (int(np.floor(w)), int(np.floor(w)) + 1):
                    if 0 <= i < H and 0 <= j < W:
                        value += x_ptr[i, j] * (1 - abs(h - i)) * (1 - abs(w - j))
            y[p] += value * mask_ptr[p, tap] @ w_ptr[tap]
    return y


@triton.jit
def sparse_neighbours(x_ptr, w_ptr, bias_ptr, neighbour_ptr, order_ptr, y_ptr, N, O, C: tl.constexpr, V: tl.constexpr,
                      BLOCK_N: tl.constexpr, BLOCK_O: tl.constexpr, BLOCK_C: tl.constexpr):
    """Voxels in an order that gathers alike ones; those without a neighbour at a place read zeros there."""
    pid = tl.program_id(axis=0)
    blocks_o = tl.cdiv(O, BLOCK_O)
    pid_n = pid // blocks_o
    pid_o = pid % blocks_o
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    n_mask = offs_n < N
    offs_sorted = tl.load(order_ptr + offs_n, mask=n_mask, other=0)
    offs_o = (pid_o * BLOCK_O + tl.arange(0, BLOCK_O)) % O
    offs_c = tl.arange(0, BLOCK_C)
    num_c: tl.constexpr = C // BLOCK_C
    acc = tl.zeros((BLOCK_N, BLOCK_O), dtype=tl.float32)
    w_ptrs = w_ptr + offs_o[None, :] * (V * C) + offs_c[:, None]
    for step in range(num_c * V):
        v = step // num_c
        bc = step % num_c
        neighbour = tl.load(neighbour_ptr + offs_sorted * V + v)
        x_ptrs = x_ptr + bc * BLOCK_C + (neighbour[:, None].to(tl.int64) * C + offs_c[None, :])
        x_block = tl.load(x_ptrs, mask=neighbour[:, None] >= 0, other=0.0)
        w_block = tl.load(w_ptrs)
        acc = tl.dot(x_block, w_block, acc, input_precision="tf32")
        w_ptrs += BLOCK_C
    bias = tl.load(bias_ptr + offs_o)
    acc += bias[None, :]
    out_o = pid_o * BLOCK_O + tl.arange(0, BLOCK_O)
    tl.store(y_ptr + offs_sorted[:, None] * O + out_o[None, :], acc.to(y_ptr.type.element_ty),
             mask=n_mask[:, None] & (out_o[None, :] < O))


def sparse_neighbours_reference(x_ptr, w_ptr, bias_ptr, neighbour_ptr):
    index = neighbour_ptr.astype(int)
    x = np.where(index[:, :, None] >= 0, x_ptr[np.maximum(index, 0)], 0)
    return np.einsum("nvc,ovc->no", x, w_ptr) + bias_ptr


@triton.jit
def pixel(x_ptr, row, column, c, H, W, C):
    inside = (row >= 0) & (row < H) & (column >= 0) & (column < W)
    return tl.load(x_ptr + c[None, :] * (H * W) + (row * W + column)[:, None], mask=inside[:, None] & (c[None, :] < C),
                   other=0.0)


@triton.jit
def difference(x0, x1, x2, x3):
    return x0 - x2, x1 + x2, x2 - x1, x1 - x3


@triton.jit
def picture_by_small_tiles(x_ptr, u_ptr, y_ptr, H, W, C, O, BLOCK_T: tl.constexpr, BLOCK_O: tl.constexpr,
                           BLOCK_C: tl.constexpr):
    """Tiles of four by four pixels are transformed, multiplied at each of sixteen places, and transformed back."""
    tiles_w = tl.cdiv(W, 2)
    tiles = tl.cdiv(H, 2) * tiles_w
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    o = tl.program_id(1) * BLOCK_O + tl.arange(0, BLOCK_O)
    top = tl.where(t < tiles, t // tiles_w * 2 - 1, -100)
    left = t % tiles_w * 2 - 1
    y00 = tl.zeros((BLOCK_T, BLOCK_O), dtype=tl.float32)
    y01 = tl.zeros((BLOCK_T, BLOCK_O), dtype=tl.float32)
    y10 = tl.zeros((BLOCK_T, BLOCK_O), dtype=tl.float32)
    y11 = tl.zeros((BLOCK_T, BLOCK_O), dtype=tl.float32)
    for start in range(0, C, BLOCK_C):
        c = start + tl.arange(0, BLOCK_C)
        u_ptrs = u_ptr + c[:, None] * O + o[None, :]
        u_mask = (c[:, None] < C) & (o[None, :] < O)
        for i in tl.static_range(4):
            # A row of the transform of columns needs two rows of pixels.
            first = 0 if i == 0 else 1
            second = 3 if i == 3 else 2
            sign = 1 if i == 1 else -1
            swap = -1 if i == 2 else 1
            x0 = (pixel(x_ptr, top + first, left, c, H, W, C) +
                  sign * pixel(x_ptr, top + second, left, c, H, W, C)) * swap
            x1 = (pixel(x_ptr, top + first, left + 1, c, H, W, C) +
                  sign * pixel(x_ptr, top + second, left + 1, c, H, W, C)) * swap
            x2 = (pixel(x_ptr, top + first, left + 2, c, H, W, C) +
                  sign * pixel(x_ptr, top + second, left + 2, c, H, W, C)) * swap
            x3 = (pixel(x_ptr, top + first, left + 3, c, H, W, C) +
                  sign * pixel(x_ptr, top + second, left + 3, c, H, W, C)) * swap
            x0, x1, x2, x3 = difference(x0, x1, x2, x3)
            m0 = tl.dot(x0, tl.load(u_ptrs + (4 * i) * C * O, mask=u_mask, other=0.0))
            m1 = tl.dot(x1, tl.load(u_ptrs + (4 * i + 1) * C * O, mask=u_mask, other=0.0))
            m2 = tl.dot(x2, tl.load(u_ptrs + (4 * i + 2) * C * O, mask=u_mask, other=0.0))
            m3 = tl.dot(x3, tl.load(u_ptrs + (4 * i + 3) * C * O, mask=u_mask, other=0.0))
            even = m0 + m1 + m2
            odd = m1 - m2 - m3
            if i < 3:
                y00 += even
                y01 += odd
            if i == 1:
                y10 += even
                y11 += odd
            elif i > 1:
                y10 -= even
                y11 -= odd
    row = top + 1
    column = left + 1
    at = o[None, :] * (H * W) + (row * W + column)[:, None]
    ok = (t < tiles)[:, None] & (o[None, :] < O)
    tl.store(y_ptr + at, y00.to(tl.float16), mask=ok)
    tl.store(y_ptr + at + 1, y01.to(tl.float16), mask=ok & (column + 1 < W)[:, None])
    tl.store(y_ptr + at + W, y10.to(tl.float16), mask=ok & (row + 1 < H)[:, None])
    tl.store(y_ptr + at + W + 1, y11.to(tl.float16), mask=ok & ((row + 1 < H) & (column + 1 < W))[:, None])


def picture_by_small_tiles_reference(x_ptr, u_ptr, H, W, C, O):
    back = np.array([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]])
    out = np.array([[1, 1, 1, 0], [0, 1, -1, -1]])
    th, tw = -(-H // 2), -(-W // 2)
    x = np.pad(x_ptr, ((0, 0), (1, 4), (1, 4)))
    y = np.zeros((O, 2 * th, 2 * tw))
    for i in range(th):
        for j in range(tw):
            d = back @ x[:, 2 * i:2 * i + 4, 2 * j:2 * j + 4] @ back.T
            m = np.einsum("cpq,pqco->opq", d, u_ptr.reshape(4, 4, C, O))
            y[:, 2 * i:2 * i + 2, 2 * j:2 * j + 2] = out @ m @ out.T
    return y[:, :H, :W]


@triton.jit
def picture_gradient(dy_ptr, w_ptr, dx_ptr, B, C, O, H, W, OH, OW, R: tl.constexpr, STRIDE: tl.constexpr,
                     PAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Of a convolution with strides, channels first; the sum runs over all of O, R and R as one."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    batch = m // (H * W)
    h = m // W % H
    w = m % W
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, O * R * R, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        o = k // (R * R)
        r = k // R % R
        s = k % R
        hh = h[:, None] + PAD - r[None, :]
        ww = w[:, None] + PAD - s[None, :]
        ok = (hh >= 0) & (ww >= 0) & (hh % STRIDE == 0) & (ww % STRIDE == 0)
        hh = hh // STRIDE
        ww = ww // STRIDE
        ok = ok & (hh < OH) & (ww < OW) & (batch < B)[:, None] & (o < O)[None, :]
        dy = tl.load(dy_ptr + ((batch[:, None] * O + o[None, :]) * OH + hh) * OW + ww, mask=ok, other=0.0)
        weight = tl.load(w_ptr + (o[:, None] * C + n[None, :]) * (R * R) + (k % (R * R))[:, None],
                         mask=(o[:, None] < O) & (n[None, :] < C), other=0.0)
        acc = tl.dot(dy, weight, acc)
    at = (batch[:, None] * C + n[None, :]) * (H * W) + (m % (H * W))[:, None]
    tl.store(dx_ptr + at, acc.to(tl.float16), mask=(batch < B)[:, None] & (n < C)[None, :])


def picture_gradient_reference(dy_ptr, w_ptr, B, C, H, W, R, STRIDE, PAD):
    dx = np.zeros((B, C, H + 2 * R, W + 2 * R))
    for i in range(dy_ptr.shape[2]):
        for j in range(dy_ptr.shape[3]):
            top, left = i * STRIDE, j * STRIDE
            dx[:, :, top:top + R, left:left + R] += np.einsum("bo,ocrs->bcrs", dy_ptr[:, :, i, j], w_ptr)
    return dx[:, :, PAD:PAD + H, PAD:PAD + W]
