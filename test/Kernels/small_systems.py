# Products of small matrices that stay in registers, as libraries write them: a filter's prediction and update, inverses
# by Newton's steps, a preconditioner's two sides, triangular systems by blocks, exponentials.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: predict_and_update
# SIZES: B=9 STEPS=3 | B=1 STEPS=1
# BENCH: B=8192 STEPS=16 BLOCK_B=4 num_warps=4
# ARG: f_ptr randn(0,0.2):fp32[B,16,16]
# ARG: q_ptr rand(0.5,1):fp32[16]
# ARG: h_ptr randn(0,1):fp32[16]
# ARG: x_ptr randn:fp32[B,16]
# ARG: z_ptr randn:fp32[B,STEPS]
# ARG: x_out_ptr empty:fp32[B,16]
# ARG: p_out_ptr empty:fp32[B,16,16]
# ARG: B B
# ARG: noise 0.5
# CONST: STEPS STEPS
# CONST: BLOCK_B 2
# GRID: cdiv(B, BLOCK_B)
# TOLERANCE: x_out_ptr 1e-4 1e-4
# TOLERANCE: p_out_ptr 1e-4 1e-4
#
# KERNEL: inverse_by_newton
# SIZES: B=3 N=32 | B=1 N=16
# BENCH: B=4096 N=64 num_warps=4
# ARG: a_ptr randn(0,0.05):fp32[B,N,N]
# ARG: out_ptr empty:fp32[B,N,N]
# CONST: N N
# CONST: ITERATIONS 8
# GRID: B
# TOLERANCE: out_ptr 1e-4 1e-4
#
# KERNEL: between_two_roots
# SIZES: B=2 M=64 N=32 | B=1 M=16 N=48
# BENCH: B=512 M=128 N=128 num_warps=8
# ARG: l_ptr randn(0,0.1):bf16[B,M,M]
# ARG: g_ptr randn:fp32[B,M,N]
# ARG: r_ptr randn(0,0.1):bf16[B,N,N]
# ARG: m_ptr randn:fp32[B,M,N]
# ARG: p_ptr randn:fp32[B,M,N]
# ARG: norms_ptr zeros:fp32[B]
# ARG: lr 0.1
# ARG: beta 0.9
# CONST: M M
# CONST: N N
# CONST: BM next_power_of_2(M)
# CONST: BN next_power_of_2(N)
# GRID: B
# CHECK: m_ptr p_ptr norms_ptr
# TOLERANCE: m_ptr 1e-5 1e-5
# TOLERANCE: p_ptr 2e-2 2e-2
# TOLERANCE: norms_ptr 3e-2 1e-2
#
# KERNEL: below_the_diagonal
# SIZES: L=100 H=2 D=32 | L=17 H=1 D=16
# BENCH: L=16384 H=32 D=128 num_warps=4
# ARG: k_ptr randn(0,0.2):fp16[L,H,D]
# ARG: beta_ptr rand:fp32[L,H]
# ARG: b_ptr randn:fp16[L,H,D]
# ARG: x_ptr empty:fp16[L,H,D]
# ARG: L L
# CONST: H H
# CONST: D D
# CONST: BC 16
# CONST: NC 4
# GRID: cdiv(L, BC * NC), H
# TOLERANCE: x_ptr 1e-2 2e-2
#
# KERNEL: exponential
# SIZES: B=5 N=16 | B=1 N=32
# BENCH: B=8192 N=32 num_warps=2
# ARG: a_ptr randn(0,0.2):fp32[B,N,N]
# ARG: t_ptr rand(0.5,1.5):fp32[B]
# ARG: out_ptr empty:fp32[B,N,N]
# CONST: N N
# CONST: SQUARINGS 3
# CONST: TERMS 6
# GRID: B
# TOLERANCE: out_ptr 1e-3 1e-3
import numpy as np
import triton
import triton.language as tl


@triton.jit
def predict_and_update(f_ptr, q_ptr, h_ptr, x_ptr, z_ptr, x_out_ptr, p_out_ptr, B, noise, STEPS: tl.constexpr,
                       BLOCK_B: tl.constexpr):
    """Filters of 16 numbers that see one each step; a program has several and keeps their covariances."""
    b = tl.program_id(0) * BLOCK_B + tl.arange(0, BLOCK_B)
    i = tl.arange(0, 16)
    b_mask = b < B
    square = b[:, None, None] * 256 + i[None, :, None] * 16 + i[None, None, :]
    mask = b_mask[:, None, None]
    f = tl.load(f_ptr + square, mask=mask, other=0.0)
    ft = tl.permute(f, (0, 2, 1))
    q = tl.load(q_ptr + i)
    h = tl.load(h_ptr + i)
    x = tl.load(x_ptr + b[:, None] * 16 + i[None, :], mask=b_mask[:, None], other=0.0)
    unit = tl.where(i[:, None] == i[None, :], 1.0, 0.0)
    p = tl.broadcast_to(unit[None, :, :], (BLOCK_B, 16, 16))
    for step in range(STEPS):
        x = tl.sum(f * x[:, None, :], axis=2)
        p = tl.dot(tl.dot(f, p, input_precision="ieee"), ft, input_precision="ieee") + (unit * q[None, :])[None, :, :]
        z = tl.load(z_ptr + b * STEPS + step, mask=b_mask, other=0.0)
        ph = tl.sum(p * h[None, None, :], axis=2)
        s = tl.sum(ph * h[None, :], axis=1) + noise
        gain = ph / s[:, None]
        x += gain * (z - tl.sum(x * h[None, :], axis=1))[:, None]
        p -= gain[:, :, None] * ph[:, None, :]
    tl.store(x_out_ptr + b[:, None] * 16 + i[None, :], x, mask=b_mask[:, None])
    tl.store(p_out_ptr + square, p, mask=mask)


def predict_and_update_reference(f_ptr, q_ptr, h_ptr, x_ptr, z_ptr, noise, B, STEPS):
    x, p = x_ptr.copy(), np.tile(np.eye(16), (B, 1, 1))
    for step in range(STEPS):
        for n in range(B):
            x[n] = f_ptr[n] @ x[n]
            p[n] = f_ptr[n] @ p[n] @ f_ptr[n].T + np.diag(q_ptr)
            ph = p[n] @ h_ptr
            gain = ph / (h_ptr @ ph + noise)
            x[n] += gain * (z_ptr[n, step] - h_ptr @ x[n])
            p[n] -= np.outer(gain, ph)
    return {"x_out_ptr": x, "p_out_ptr": p}


@triton.jit
def inverse_by_newton(a_ptr, out_ptr, N: tl.constexpr, ITERATIONS: tl.constexpr):
    """Of 1 + A A^T; starts from its transpose, scaled by its norms of rows and columns."""
    base = tl.program_id(0) * N * N
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    unit = tl.where(i[:, None] == i[None, :], 1.0, 0.0)
    a = tl.load(a_ptr + base + at)
    a = unit + tl.dot(a, tl.trans(a), input_precision="tf32x3")
    norm = tl.max(tl.sum(tl.abs(a), axis=0), axis=0) * tl.max(tl.sum(tl.abs(a), axis=1), axis=0)
    x = tl.trans(a) / norm
    for _ in tl.static_range(ITERATIONS):
        x = 2.0 * x - tl.dot(x, tl.dot(a, x, input_precision="tf32x3"), input_precision="tf32x3")
    tl.store(out_ptr + base + at, x)


def inverse_by_newton_reference(a_ptr, N):
    return np.linalg.inv(np.eye(N) + a_ptr @ a_ptr.transpose(0, 2, 1))


@triton.jit
def between_two_roots(l_ptr, g_ptr, r_ptr, m_ptr, p_ptr, norms_ptr, lr, beta, M: tl.constexpr, N: tl.constexpr,
                      BM: tl.constexpr, BN: tl.constexpr):
    """A step along L M R, grafted to the length of the momentum M, which is updated before."""
    batch = tl.program_id(0)
    g_block = tl.make_block_ptr(g_ptr + batch * M * N, (M, N), (N, 1), (0, 0), (BM, BN), (1, 0))
    m_block = tl.make_block_ptr(m_ptr + batch * M * N, (M, N), (N, 1), (0, 0), (BM, BN), (1, 0))
    p_block = tl.make_block_ptr(p_ptr + batch * M * N, (M, N), (N, 1), (0, 0), (BM, BN), (1, 0))
    l_block = tl.make_block_ptr(l_ptr + batch * M * M, (M, M), (M, 1), (0, 0), (BM, BM), (1, 0))
    r_block = tl.make_block_ptr(r_ptr + batch * N * N, (N, N), (N, 1), (0, 0), (BN, BN), (1, 0))
    g = tl.load(g_block, boundary_check=(0, 1), padding_option="zero")
    m = tl.load(m_block, boundary_check=(0, 1), padding_option="zero")
    m = beta * m + (1 - beta) * g
    tl.store(m_block, m, boundary_check=(0, 1))
    left = tl.load(l_block, boundary_check=(0, 1), padding_option="zero")
    right = tl.load(r_block, boundary_check=(0, 1), padding_option="zero")
    step = tl.dot(left, m.to(left.dtype))
    step = tl.dot(step.to(right.dtype), right)
    wanted = tl.sqrt(tl.sum(m * m))
    length = tl.sqrt(tl.sum(step * step)) + 1e-8
    p = tl.load(p_block, boundary_check=(0, 1), padding_option="zero")
    tl.store(p_block, p - lr * (wanted / length) * step, boundary_check=(0, 1))
    tl.store(norms_ptr + batch, length)


def between_two_roots_reference(l_ptr, g_ptr, r_ptr, m_ptr, p_ptr, lr, beta):
    m = beta * m_ptr + (1 - beta) * g_ptr
    step = l_ptr @ m @ r_ptr
    length = np.sqrt((step**2).sum((1, 2))) + 1e-8
    wanted = np.sqrt((m**2).sum((1, 2)))
    return {"m_ptr": m, "p_ptr": p_ptr - lr * (wanted / length)[:, None, None] * step, "norms_ptr": length}


@triton.jit
def rows_of(ptr, first, L, H: tl.constexpr, D: tl.constexpr, BC: tl.constexpr):
    return tl.load(tl.make_block_ptr(ptr, (L, D), (H * D, 1), (first, 0), (BC, D), (1, 0)), boundary_check=(0,),
                   padding_option="zero")


@triton.jit
def unit_lower_inverse(a, BC: tl.constexpr):
    """Of 1 + A with A below the diagonal: its powers vanish."""
    i = tl.arange(0, BC)
    unit = tl.where(i[:, None] == i[None, :], 1.0, 0.0)
    x = unit - a
    power = tl.dot(a, a, input_precision="ieee")
    x += tl.dot(x, power, input_precision="ieee")
    power = tl.dot(power, power, input_precision="ieee")
    x += tl.dot(x, power, input_precision="ieee")
    power = tl.dot(power, power, input_precision="ieee")
    return x + tl.dot(x, power, input_precision="ieee")


@triton.jit
def below_the_diagonal(k_ptr, beta_ptr, b_ptr, x_ptr, L, H: tl.constexpr, D: tl.constexpr, BC: tl.constexpr,
                       NC: tl.constexpr):
    """Solves (1 + tril(beta K K^T, -1)) X = beta B: a block of rows needs all blocks before it."""
    start = tl.program_id(0) * BC * NC
    head = tl.program_id(1)
    k_ptr += head * D
    b_ptr += head * D
    x_ptr += head * D
    i = tl.arange(0, BC)
    below = i[:, None] > i[None, :]
    for block in tl.static_range(NC):
        first = start + block * BC
        rows = first + i
        k = rows_of(k_ptr, first, L, H, D, BC)
        beta = tl.load(beta_ptr + rows * H + head, mask=rows < L, other=0.0)
        b = rows_of(b_ptr, first, L, H, D, BC) * beta[:, None]
        for before in tl.static_range(block):
            other = rows_of(k_ptr, start + before * BC, L, H, D, BC)
            a = tl.dot(k, tl.trans(other)) * beta[:, None]
            known = rows_of(x_ptr, start + before * BC, L, H, D, BC)
            b -= tl.dot(a.to(known.dtype), known)
        a = tl.where(below, tl.dot(k, tl.trans(k)) * beta[:, None], 0.0)
        x = tl.dot(unit_lower_inverse(a, BC), b, input_precision="tf32x3")
        out = tl.make_block_ptr(x_ptr, (L, D), (H * D, 1), (first, 0), (BC, D), (1, 0))
        tl.store(out, x.to(x_ptr.dtype.element_ty), boundary_check=(0,))
        tl.debug_barrier()


def below_the_diagonal_reference(k_ptr, beta_ptr, b_ptr, L, H):
    x = np.zeros(b_ptr.shape)
    for start in range(0, L, 64):
        t = slice(start, min(start + 64, L))
        for h in range(H):
            k, beta = k_ptr[t, h], beta_ptr[t, h, None]
            x[t, h] = np.linalg.solve(np.eye(len(k)) + np.tril(beta * (k @ k.T), -1), beta * b_ptr[t, h])
    return x


@triton.jit
def exponential(a_ptr, t_ptr, out_ptr, N: tl.constexpr, SQUARINGS: tl.constexpr, TERMS: tl.constexpr):
    """A polynomial of the matrix divided by a power of two, squared as many times."""
    pid = tl.program_id(0)
    i = tl.arange(0, N)
    at = pid * N * N + i[:, None] * N + i[None, :]
    unit = tl.where(i[:, None] == i[None, :], 1.0, 0.0)
    a = tl.load(a_ptr + at) * (tl.load(t_ptr + pid) * (1.0 / 2**SQUARINGS))
    x = unit
    for n in tl.static_range(TERMS, 0, -1):
        x = unit + tl.dot(a, x, input_precision="tf32x3") * (1.0 / n)
    for _ in range(SQUARINGS):
        x = tl.dot(x, x, input_precision="tf32x3")
    tl.store(out_ptr + at, x)


def exponential_reference(a_ptr, t_ptr, N):
    x, term = np.zeros(a_ptr.shape) + np.eye(N), np.zeros(a_ptr.shape) + np.eye(N)
    for n in range(1, 40):
        term = term @ (a_ptr * t_ptr[:, None, None]) / n
        x = x + term
    return x
