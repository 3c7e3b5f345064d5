# Rows picked, gathered and scattered by index: rows by a list, elements along a row, sums by atomics, the
# permutation of tokens to experts, and its inverse with weights.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: pick_rows
# TYPES: fp32 bf16
# SIZES: M=3 N=8 K=1 | M=20 N=100 K=33
# BENCH: M=32768 N=1024 K=16384 T=bf16
# ARG: x randn:T[M,N]
# ARG: wanted randint(-M,M):i64[K]
# ARG: out empty:T[K,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BK 2
# CONST: BN min(1024, next_power_of_2(N))
# GRID: cdiv(N, BN), cdiv(K, BK)
#
# KERNEL: gather_rows
# TYPES: fp32
# SIZES: M=1 N=1 K=1 | M=5 N=100 K=37
# BENCH: M=16384 N=1024 K=512 T=fp32
# ARG: inp randn:T[M,N]
# ARG: index randint(0,N):i64[M,K]
# ARG: out empty:T[M,K]
# ARG: N N
# ARG: K K
# CONST: BLOCK next_power_of_2(K)
# GRID: M
#
# KERNEL: scatter_add
# TYPES: fp32
# SIZES: n=1 m=1 | n=1000 m=37
# BENCH: n=4194304 m=65536 T=fp32
# ARG: src randn:T[n]
# ARG: index randint(0,m):i32[n]
# ARG: out zeros:T[m]
# ARG: n n
# CONST: BLOCK 512
# GRID: cdiv(n, BLOCK)
# CHECK: out
# TOLERANCE: out 1e-4 1e-4
#
# KERNEL: moe_permute
# TYPES: bf16
# SIZES: tokens=5 D=64 | tokens=40 D=200
# BENCH: tokens=32768 D=2048 T=bf16
# ARG: x randn:T[tokens,D]
# ARG: row_id_map permutation:i32[1,tokens]
# ARG: out empty:T[tokens,D]
# ARG: D D
# CONST: BLOCK 1024
# GRID: tokens
#
# KERNEL: moe_unpermute
# TYPES: bf16
# SIZES: tokens=5 D=64 | tokens=21 D=200
# BENCH: tokens=16384 D=2048 T=bf16
# ARG: x randn:T[2*tokens,D]
# ARG: row_id_map randint(0,2*tokens):i32[tokens,2]
# ARG: weights rand:fp32[tokens,2]
# ARG: out empty:T[tokens,D]
# ARG: D D
# CONST: TOPK 2
# CONST: BLOCK 512
# GRID: tokens, cdiv(D, BLOCK)
# TOLERANCE: out 8e-3 1e-3
import triton
import triton.language as tl


@triton.jit
def pick_rows(x, wanted, out, M, N, K, BK: tl.constexpr, BN: tl.constexpr):
    """Rows by a list, which may count from the end as Python does."""
    k = tl.program_id(1) * BK + tl.arange(0, BK)
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    row = tl.load(wanted + k, mask=k < K, other=0)
    row = tl.where(row < 0, row + M, row)[:, None]
    inside = (k < K)[:, None] & (n < N)[None, :]
    tl.store(out + k[:, None] * N + n, tl.load(x + row * N + n, mask=inside), mask=inside)


@triton.jit
def gather_rows(inp, index, out, N, K, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < K
    at = tl.load(index + row * K + cols, mask=mask, other=0)
    tl.device_assert((at >= 0) & (at < N), "index out of range")
    tl.store(out + row * K + cols, tl.load(inp + row * N + at, mask=mask), mask=mask)


@triton.jit
def scatter_add(src, index, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    value = tl.load(src + offs, mask=mask)
    at = tl.load(index + offs, mask=mask, other=0)
    tl.atomic_add(out + at, value, mask=mask, sem="relaxed")


@triton.jit
def moe_permute(x, row_id_map, out, D, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    target = tl.load(row_id_map + token).to(tl.int64)
    for start in tl.range(0, D, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < D
        tl.store(out + target * D + cols, tl.load(x + token.to(tl.int64) * D + cols, mask=mask), mask=mask)


@triton.jit
def moe_unpermute(x, row_id_map, weights, out, D, TOPK: tl.constexpr, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < D
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for k in tl.static_range(TOPK):
        source = tl.load(row_id_map + token * TOPK + k).to(tl.int64)
        weight = tl.load(weights + token * TOPK + k)
        acc += weight * tl.load(x + source * D + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out + token * D + cols, acc.to(out.dtype.element_ty), mask=mask)


def pick_rows_reference(x, wanted):
    return x[wanted]


def gather_rows_reference(inp, index):
    return np.take_along_axis(inp, index, 1)


def scatter_add_reference(src, index, out):
    np.add.at(out, index, src)
    return out


def moe_permute_reference(x, row_id_map):
    out = np.empty_like(x)
    out[row_id_map[0]] = x
    return out


def moe_unpermute_reference(x, row_id_map, weights):
    return (x[row_id_map] * weights[..., None]).sum(1)
