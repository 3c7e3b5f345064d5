"""act(A B + bias): a matrix product with what follows it in the same kernel."""

import triton
import triton.language as tl


@triton.jit
def gelu(x):
    """x / 2 * (1 + tanh(u)) with u = sqrt(2/pi) * (x + 0.044715 x^3), which is x / (1 + exp(-2u))."""
    bounded = tl.minimum(tl.maximum(x, -16.0), 16.0)
    u = 0.7978845608028654 * bounded * (1 + 0.044715 * bounded * bounded)
    return x / (1 + tl.exp(-2 * u))


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64}, num_warps=4, num_stages=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}, num_warps=4, num_stages=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 128}, num_warps=4, num_stages=4),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul(out, a, b, bias, M, N, K, ACTIVATION: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           BLOCK_K: tl.constexpr):
    """out[M, N] is act(a[M, K] b[K, N] + bias[N]); rows follow each other without gaps. ACTIVATION is a function
    of the sums, or None. Arrays start at multiples of 16; for the large tiles, so do rows."""
    out, a = tl.multiple_of(out, 16), tl.multiple_of(a, 16)
    b, bias = tl.multiple_of(b, 16), tl.multiple_of(bias, 16)
    if BLOCK_M == 128:
        N, K = tl.multiple_of(N, 16), tl.multiple_of(K, 16)
    # Programs that run at one time share rows of a and columns of b: they go down eight tiles, then to the right.
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    in_group = 8 * tiles_n
    program = tl.program_id(0)
    first = program // in_group * 8
    height = min(tiles_m - first, 8)
    rows = (first + program % in_group % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = program % in_group // height * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)

    # Rows and columns outside are others once more, and are not stored.
    a_at = a + (rows % M)[:, None] * K + depth[None, :]
    b_at = b + depth[:, None] * N + (cols % N)[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = tl.load(a_at, mask=depth[None, :] < K - start, other=0.0)
        right = tl.load(b_at, mask=depth[:, None] < K - start, other=0.0)
        sums = tl.dot(left, right, sums)
        a_at += BLOCK_K
        b_at += BLOCK_K * N

    sums += tl.load(bias + cols, mask=cols < N, other=0.0).to(tl.float32)[None, :]
    if ACTIVATION is not None:
        sums = ACTIVATION(sums)
    at = out + rows[:, None].to(tl.int64) * N + cols[None, :]
    tl.store(at, sums.to(out.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))
