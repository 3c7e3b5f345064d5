# Rows from short to very long: one program for all, two loops over blocks of a row, tens of thousands of elements at
# once, several rows at once; divergences in a loop with many warps; sampling by running sums; copies by 64-bit indices.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: sum_of_all
# TYPES: fp32 fp16
# SIZES: N=1 | N=5000
# BENCH: N=1048576 T=fp32 num_warps=4
# ARG: x randn:T[N]
# ARG: out empty:fp32[1]
# ARG: N N
# CONST: BLOCK 4096
# GRID: 1
# TOLERANCE: out 1e-4 1e-3
#
# KERNEL: norm_of_all
# TYPES: fp32
# SIZES: N=1 | N=5000
# BENCH: N=32768 T=fp32 num_warps=8
# ARG: x randn:T[N]
# ARG: out empty:fp32[1]
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# GRID: 1
#
# KERNEL: rms_in_two_loops
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=3 N=2500
# BENCH: M=4096 N=8192 T=bf16 num_warps=4
# ARG: x randn:T[M,N]
# ARG: w randn:T[N]
# ARG: y empty:T[M,N]
# ARG: N N
# ARG: eps 1e-6
# CONST: BLOCK 1024
# GRID: M
#
# KERNEL: rms_at_once
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=3 N=2500
# BENCH: M=2048 N=32768 T=bf16 num_warps=32
# ARG: x randn:T[M,N]
# ARG: w randn:T[N]
# ARG: y empty:T[M,N]
# ARG: scales empty:fp32[M]
# ARG: N N
# ARG: eps 1e-6
# CONST: BLOCK next_power_of_2(N)
# GRID: M
#
# KERNEL: rms_of_several
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=37 N=100
# BENCH: M=262144 N=128 T=bf16 num_warps=4
# ARG: x randn:T[M,N]
# ARG: w randn:T[N]
# ARG: y empty:T[M,N]
# ARG: scales empty:fp32[M]
# ARG: M M
# ARG: N N
# ARG: eps 1e-6
# CONST: ROWS 16
# CONST: BLOCK next_power_of_2(N)
# GRID: cdiv(M, ROWS)
# REFERENCE: rms_at_once_reference
#
# KERNEL: kl_in_a_loop
# TYPES: fp32
# SIZES: M=1 N=1 | M=3 N=2500
# BENCH: M=4096 N=32768 T=fp32 num_warps=16
# ARG: p randn:T[M,N]
# ARG: q rand(0.1,1):T[M,N]
# ARG: loss empty:fp32[M]
# ARG: N N
# CONST: BLOCK min(16384, next_power_of_2(N))
# GRID: M
# TOLERANCE: loss 1e-4 1e-3
#
# KERNEL: js_in_a_loop
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=3 N=2500
# BENCH: M=2048 N=32000 T=bf16 num_warps=8
# ARG: x randn:T[M,N]
# ARG: y randn:T[M,N]
# ARG: dx empty:T[M,N]
# ARG: loss empty:fp32[M]
# ARG: N N
# ARG: beta 0.5
# CONST: BLOCK min(4096, next_power_of_2(N))
# GRID: M
# TOLERANCE: loss 1e-4 1e-2
# TOLERANCE: dx 1e-2 1e-4
#
# KERNEL: sample_by_sums
# TYPES: fp32
# SIZES: M=1 N=1 | M=3 N=2500
# BENCH: M=256 N=128256 T=fp32 num_warps=8
# ARG: probabilities rand(0,1):T[M,N]
# ARG: level rand(0.05,0.95):fp32[M]
# ARG: token empty:i32[M]
# ARG: N N
# CONST: BLOCK 2048
# GRID: M
#
# KERNEL: copy_by_index
# TYPES: fp32 fp16
# SIZES: A=1 B=1 C=1 | A=3 B=5 C=70
# BENCH: A=512 B=256 C=256 T=fp32
# ARG: x randn:T[B,A,C]
# ARG: y empty:T[A,B,C]
# ARG: n A*B*C
# ARG: b B
# ARG: c C
# ARG: stride_a C
# ARG: stride_b A*C
# CONST: BLOCK 1024
# GRID: cdiv(A*B*C, BLOCK)
import triton
import triton.language as tl


@triton.jit
def sum_of_all(x, out, N, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < N, other=0.0).to(tl.float32)
    tl.store(out, tl.sum(total, 0))


@triton.jit
def norm_of_all(x, out, N, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < N, other=0.0)
    tl.store(out, tl.sqrt(tl.sum(values * values, 0)))


@triton.jit
def rms_in_two_loops(x, w, y, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x += row * N
    y += row * N
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(x + at, mask=at < N, other=0.0, eviction_policy="evict_last").to(tl.float32)
        squares += values * values
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        mask = at < N
        weight = tl.load(w + at, mask=mask)
        values = tl.load(x + at, mask=mask, other=0.0, eviction_policy="evict_first").to(tl.float32)
        tl.store(y + at, values * scale * weight, mask=mask)


@triton.jit
def rms_at_once(x, w, y, scales, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    mask = at < N
    values = tl.load(x + row * N + at, mask=mask, other=0).to(tl.float32)
    weight = tl.load(w + at, mask=mask, other=0).to(tl.float32)
    scale = tl.math.rsqrt(tl.sum(values * values, axis=0) / N + eps)
    tl.store(scales + row, scale)
    tl.store(y + row * N + at, values * scale * weight, mask=mask)


@triton.jit
def rms_of_several(x, w, y, scales, M, N, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    mask = (rows < M)[:, None] & (at < N)[None, :]
    values = tl.load(x + rows[:, None] * N + at[None, :], mask=mask, other=0).to(tl.float32)
    weight = tl.load(w + at, mask=at < N, other=0).to(tl.float32)
    scale = tl.math.rsqrt(tl.sum(values * values, axis=1) / N + eps)
    tl.store(scales + rows, scale, mask=rows < M)
    tl.store(y + rows[:, None] * N + at[None, :], values * scale[:, None] * weight[None, :], mask=mask)


@triton.jit
def kl_in_a_loop(p, q, loss, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    p += row * N
    q += row * N
    total = 0.0
    for i in range(0, N, BLOCK):
        at = i + tl.arange(0, BLOCK)
        mask = at < N
        log_p = tl.load(p + at, mask=mask, other=float("-inf"))
        target = tl.load(q + at, mask=mask, other=0.0)
        part = target * (tl.log(tl.maximum(target, 1e-10)) - log_p)
        total += tl.sum(tl.where(mask, part, 0.0), axis=0)
    tl.store(loss + row, total)


@triton.jit
def js_in_a_loop(x, y, dx, loss, N, beta, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x += row * N
    y += row * N
    dx += row * N
    total = 0.0
    for i in range(0, N, BLOCK):
        at = i + tl.arange(0, BLOCK)
        mask = at < N
        log_q = tl.load(x + at, mask=mask, other=float("-inf")).to(tl.float32)
        log_p = tl.load(y + at, mask=mask, other=float("-inf")).to(tl.float32)
        top = tl.maximum(tl.max(log_q, axis=0), tl.max(log_p, axis=0))
        q = tl.exp(log_q - top) * tl.exp(top)
        p = tl.exp(log_p - top) * tl.exp(top)
        mean = beta * p + (1 - beta) * q
        log_mean = tl.log(mean)
        part = tl.where(mask, beta * p * (log_p - log_mean) + (1 - beta) * q * (log_q - log_mean), 0.0)
        tl.store(dx + at, (1 - beta) * q * (log_q - log_mean), mask=mask)
        total += tl.sum(part, axis=0)
    tl.store(loss + row, total)


@triton.jit
def sample_by_sums(probabilities, level, token, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    p = probabilities + row * N
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(p + at, mask=at < N, other=0.0)
    bound = tl.load(level + row) * tl.sum(total, 0)
    carry = 0.0
    below = 0
    for start in range(0, N, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(p + at, mask=at < N, other=0.0)
        sums = tl.cumsum(values, 0) + carry
        below += tl.sum(((sums < bound) & (at < N)).to(tl.int32), 0)
        carry += tl.sum(values, 0)
    tl.store(token + row, tl.minimum(below, N - 1))


@triton.jit
def copy_by_index(x, y, n, b, c, stride_a, stride_b, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    k = at % c
    j = (at // c) % b
    i = at // c // b
    values = tl.load(x + i * stride_a + j * stride_b + k, mask=mask)
    tl.store(y + at, values, mask=mask)


def sum_of_all_reference(x):
    return x.sum(keepdims=True)


def norm_of_all_reference(x):
    return np.sqrt((x * x).sum(keepdims=True))


def rms_in_two_loops_reference(x, w, eps):
    return x / np.sqrt((x * x).mean(1, keepdims=True) + eps) * w


def rms_at_once_reference(x, w, eps):
    scales = 1 / np.sqrt((x * x).mean(1) + eps)
    return dict(y=x * scales[:, None] * w, scales=scales)


def kl_in_a_loop_reference(p, q):
    return (q * (np.log(q) - p)).sum(1)


def js_in_a_loop_reference(x, y, beta):
    p, q = np.exp(y), np.exp(x)
    log_mean = np.log(beta * p + (1 - beta) * q)
    return dict(dx=(1 - beta) * q * (x - log_mean),
                loss=(beta * p * (y - log_mean) + (1 - beta) * q * (x - log_mean)).sum(1))


def sample_by_sums_reference(probabilities, level):
    sums = probabilities.cumsum(1)
    return np.minimum((sums < level[:, None] * sums[:, -1:]).sum(1), probabilities.shape[1] - 1)


def copy_by_index_reference(x):
    return x.transpose(1, 0, 2)
