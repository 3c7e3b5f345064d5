# Products of matrices that are not written as tl.dot takes them: sums over an axis of two repeated matrices, and boxes
# with axes of one element that become matrices. Sums of sums, and rows that are sorted with the places of their elements.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: product_by_sums
# TYPES: fp32 bf16 fp16
# SIZES: M=1 N=1 K=1 | M=33 N=70 K=100
# BENCH: M=1024 N=1024 K=1024 T=fp32 num_warps=4
# BENCH: M=1024 N=1024 K=1024 T=bf16 num_warps=4
# ARG: a randn:T[M,K]
# ARG: b randn:T[K,N]
# ARG: c empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 32
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c 1e-3 1e-3
#
# KERNEL: products_of_rows_by_sums
# TYPES: fp32 bf16
# SIZES: M=1 N=1 K=1 | M=40 N=70 K=100
# BENCH: M=1024 N=1024 K=1024 T=bf16 num_warps=4
# ARG: a randn:T[M,K]
# ARG: b randn:T[N,K]
# ARG: c empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK_M 32
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: c 1e-3 1e-3
#
# KERNEL: sum_of_outer_products
# TYPES: fp32 fp16
# SIZES: M=1 N=16 K=16 | M=100 N=32 K=64
# BENCH: M=8192 N=64 K=64 T=fp32 num_warps=4
# ARG: x randn:T[M,K]
# ARG: y randn:T[M,N]
# ARG: parts empty:fp32[cdiv(M, 128),K,N]
# ARG: M M
# CONST: K K
# CONST: N N
# CONST: BLOCK_M 32
# GRID: cdiv(M, 128)
# TOLERANCE: parts 1e-3 1e-3
#
# KERNEL: product_of_boxes
# TYPES: bf16 fp32
# SIZES: Y=64 X=128 R=64 | Y=128 X=256 R=192
# BENCH: Y=2048 X=2048 R=2048 T=bf16 num_warps=8
# ARG: in0 randn:T[Y,R]
# ARG: in1 randn:T[R,X]
# ARG: out empty:T[Y,X]
# ARG: Y Y
# ARG: X X
# ARG: R R
# CONST: YBLOCK 64
# CONST: XBLOCK 128
# CONST: RBLOCK 32
# GRID: cdiv(X, XBLOCK), cdiv(Y, YBLOCK)
# TOLERANCE: out 2e-2 2e-2
#
# KERNEL: squared_distance_of_blocks
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=40 N=200
# BENCH: M=4096 N=4096 T=fp32 num_warps=4
# ARG: x randn:T[M,N]
# ARG: y randn:T[M,N]
# ARG: parts empty:fp32[cdiv(M, 32),cdiv(N, 64)]
# ARG: M M
# ARG: N N
# CONST: BLOCK_M 32
# CONST: BLOCK_N 64
# GRID: cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)
# TOLERANCE: parts 1e-3 1e-4
#
# KERNEL: sorted_rows_with_places
# TYPES: fp32 fp16 i8
# SIZES: M=1 N=1 | M=5 N=100 | M=3 N=128
# BENCH: M=4096 N=512 T=fp32 num_warps=8
# ARG: x randn:T[M,N]
# ARG: values empty:T[M,N]
# ARG: places empty:i64[M,N]
# ARG: M M
# ARG: N N
# CONST: XBLOCK 1
# CONST: RBLOCK next_power_of_2(N)
# GRID: M
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers


@triton.jit
def product_by_sums(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        left = tl.load(a + m[:, None] * K + k, mask=(m < M)[:, None] & (k < K), other=0.0).to(tl.float32)
        right = tl.load(b + k[:, None] * N + n, mask=(k < K)[:, None] & (n < N), other=0.0).to(tl.float32)
        total += tl.sum(left[:, :, None] * right[None, :, :], axis=1)
    tl.store(c + m[:, None] * N + n, total, mask=(m < M)[:, None] & (n < N))


@triton.jit
def products_of_rows_by_sums(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        left = tl.load(a + m[:, None] * K + k, mask=(m < M)[:, None] & (k < K), other=0.0).to(tl.float32)
        right = tl.load(b + n[:, None] * K + k, mask=(n < N)[:, None] & (k < K), other=0.0).to(tl.float32)
        total += tl.sum(left[:, None, :] * right[None, :, :], axis=2)
    tl.store(c + m[:, None] * N + n, total, mask=(m < M)[:, None] & (n < N))


@triton.jit
def sum_of_outer_products(x, y, parts, M, K: tl.constexpr, N: tl.constexpr, BLOCK_M: tl.constexpr):
    pid = tl.program_id(0)
    k = tl.arange(0, K)
    n = tl.arange(0, N)
    total = tl.zeros((K, N), tl.float32)
    for start in range(pid * 128, pid * 128 + 128, BLOCK_M):
        m = start + tl.arange(0, BLOCK_M)
        inside = (m < M)[:, None]
        left = tl.load(x + m[:, None] * K + k, mask=inside, other=0.0).to(tl.float32)
        right = tl.load(y + m[:, None] * N + n, mask=inside, other=0.0).to(tl.float32)
        total += tl.sum(left[:, :, None] * right[:, None, :], axis=0)
    tl.store(parts + pid * K * N + k[:, None] * N + n, total)


@triton.jit
def squared_distance_of_blocks(x, y, parts, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    row, column = tl.program_id(0), tl.program_id(1)
    m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    n = column * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (m < M)[:, None] & (n < N)[None, :]
    left = tl.load(x + m[:, None] * N + n[None, :], mask=mask, other=0.0).to(tl.float32)
    right = tl.load(y + m[:, None] * N + n[None, :], mask=mask, other=0.0).to(tl.float32)
    difference = left - right
    total = tl.sum(tl.sum(difference * difference, axis=1), axis=0)
    tl.store(parts + row * tl.cdiv(N, BLOCK_N) + column, total)


# As torch.compile writes products, if it is asked to write them as it writes reductions.
@triton.jit
def product_of_boxes(in0, in1, out, Y, X, R, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr, RBLOCK: tl.constexpr):
    yindex = tl.program_id(1) * YBLOCK + tl.arange(0, YBLOCK)[:, None, None]
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[None, :, None]
    rbase = tl.arange(0, RBLOCK)[None, None, :]
    ymask = yindex < Y
    xmask = xindex < X
    total = tl.full([YBLOCK, XBLOCK], 0, tl.float32)
    for roffset in tl.range(0, R, RBLOCK):
        rindex = roffset + rbase
        rmask = rindex < R
        left = tl.load(in0 + (rindex + R * yindex), rmask & ymask, eviction_policy="evict_last", other=0.0)
        right = tl.load(in1 + (xindex + X * rindex), rmask & xmask, eviction_policy="evict_last", other=0.0)
        total = total + tl.dot(tl.reshape(left, [YBLOCK, RBLOCK]), tl.trans(tl.reshape(right, [XBLOCK, RBLOCK])),
                               input_precision="ieee")
    tl.store(out + (xindex + X * yindex), tl.reshape(total, [YBLOCK, XBLOCK, 1]), ymask & xmask)


@triton.jit
def sorted_rows_with_places(x, values, places, M, N, XBLOCK: tl.constexpr, RBLOCK: tl.constexpr):
    row = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:, None]
    r = tl.arange(0, RBLOCK)[None, :]
    mask = (row < M) & (r < N)
    value = tl.broadcast_to(tl.load(x + N * row + r, mask, other=0), [XBLOCK, RBLOCK])
    index = tl.broadcast_to(r.to(tl.int16), [XBLOCK, RBLOCK])
    value, index = triton_helpers.sort_with_index(value, index, N, 1, stable=True, descending=False)
    tl.store(values + N * row + r, value, mask)
    tl.store(places + N * row + r, index.to(tl.int64), mask)


def product_by_sums_reference(a, b):
    return a @ b


def products_of_rows_by_sums_reference(a, b):
    return a @ b.T


def sum_of_outer_products_reference(x, y, M):
    starts = range(0, M, 128)
    return np.stack([x[start:start + 128].T @ y[start:start + 128] for start in starts])


def squared_distance_of_blocks_reference(x, y, M, N):
    squares = np.zeros((-(-M // 32) * 32, -(-N // 64) * 64))
    squares[:M, :N] = (x - y) ** 2
    return squares.reshape(-(-M // 32), 32, -(-N // 64), 64).sum((1, 3))


def product_of_boxes_reference(in0, in1):
    return in0 @ in1


def sorted_rows_with_places_reference(x):
    places = np.argsort(x, axis=1, kind="stable")
    return dict(values=np.take_along_axis(x, places, 1), places=places)
