"""One layer of a perceptron: gelu(x W^T + bias), for few rows and for many."""

import triton
import triton.language as tl


@triton.jit
def gelu(x):
    """x / 2 * (1 + tanh(u)) with u = sqrt(2/pi) * (x + 0.044715 x^3), which is x / (1 + exp(-2u))."""
    bounded = tl.minimum(tl.maximum(x, -16.0), 16.0)
    u = 0.7978845608028654 * bounded * (1 + 0.044715 * bounded * bounded)
    return x / (1 + tl.exp(-2 * u))


# Few rows leave the time to reading the weights: many programs with few columns each, and a deep tile.
@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 256}, num_warps=4, num_stages=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}, num_warps=4, num_stages=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64}, num_warps=8, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}, num_warps=8, num_stages=3),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def linear_gelu(out, x, weight, bias, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """out[M, N] is gelu(x[M, K] weight[N, K]^T + bias[N]). N and K are multiples of 16, and arrays start at them."""
    out, x = tl.multiple_of(out, 16), tl.multiple_of(x, 16)
    weight, bias = tl.multiple_of(weight, 16), tl.multiple_of(bias, 16)
    N, K = tl.multiple_of(N, 16), tl.multiple_of(K, 16)

    # Eight tiles down, then to the right: programs that run at one time share rows of x and of the weights.
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    in_group = 8 * tiles_n
    program = tl.program_id(0)
    first = program // in_group * 8
    height = min(tiles_m - first, 8)
    rows = (first + program % in_group % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = program % in_group // height * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)

    # Rows and columns outside are others once more, and are not stored.
    x_at = x + (rows % M)[:, None] * K + depth[None, :]
    weight_at = weight + (cols % N)[None, :] * K + depth[:, None]
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = tl.load(x_at, mask=depth[None, :] < K - start, other=0.0)
        right = tl.load(weight_at, mask=depth[:, None] < K - start, other=0.0)
        sums = tl.dot(left, right, sums)
        x_at += BLOCK_K
        weight_at += BLOCK_K

    sums += tl.load(bias + cols, mask=cols < N, other=0.0).to(tl.float32)[None, :]
    at = out + rows[:, None] * N + cols[None, :]
    tl.store(at, gelu(sums).to(out.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))
