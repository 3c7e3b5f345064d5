"""Linear layers without bias: x W^T for a few tokens and for thousands."""

import triton
import triton.language as tl
from order import follow

# Few rows leave the time to reading the weights: many programs with few columns each, and deep tiles. Which
# configuration is for which sizes is said where they are compiled, in CMakeLists.txt.
configs = [
    triton.Config({"BLOCK_M": 16, "BLOCK_N": 16, "BLOCK_K": 512}, num_warps=4, num_stages=4),
    triton.Config({"BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 256}, num_warps=4, num_stages=4),
    triton.Config({"BLOCK_M": 16, "BLOCK_N": 64, "BLOCK_K": 128}, num_warps=4, num_stages=4),
    triton.Config({"BLOCK_M": 32, "BLOCK_N": 16, "BLOCK_K": 128}, num_warps=4, num_stages=8),
    triton.Config({"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 256}, num_warps=4, num_stages=3),
    triton.Config({"BLOCK_M": 32, "BLOCK_N": 64, "BLOCK_K": 128}, num_warps=4, num_stages=4),
    triton.Config({"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 128}, num_warps=4, num_stages=5),
    triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}, num_warps=4, num_stages=4),
    triton.Config({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64}, num_warps=8, num_stages=3),
    triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}, num_warps=8, num_stages=3),
]
# With two matrices, half of the columns of each.
gated_configs = [
    triton.Config({"BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 128}, num_warps=4, num_stages=4),
    triton.Config({"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 128}, num_warps=4, num_stages=4),
    triton.Config({"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_K": 64}, num_warps=4, num_stages=4),
    triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}, num_warps=8, num_stages=3),
    triton.Config({"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 64}, num_warps=8, num_stages=3),
]


@triton.jit
def tile_of_program(M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """The rows and the columns of this program's tile of [M, N].

    Eight tiles down, then to the right: programs that run at one time share rows of x and of the weights.
    """
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    in_group = 8 * tiles_n
    program = tl.program_id(0)
    first = program // in_group * 8
    height = min(tiles_m - first, 8)
    rows = (first + program % in_group % height) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = program % in_group // height * BLOCK_N + tl.arange(0, BLOCK_N)
    return rows, cols


@triton.jit
def product(x, weight, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """This program's tile of x[M, K] weight[N, K]^T, its rows and its columns. K is a multiple of 16."""
    if BLOCK_M < 128:  # as in decoding
        follow()
    x, weight, K = tl.multiple_of(x, 16), tl.multiple_of(weight, 16), tl.multiple_of(K, 16)
    rows, cols = tile_of_program(M, N, BLOCK_M, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)

    # Rows outside are zeros, columns outside others once more; neither are stored.
    x_at = x + rows[:, None] * K + depth[None, :]
    weight_at = weight + (cols % N)[None, :] * K + depth[:, None]
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = tl.load(x_at, mask=(rows[:, None] < M) & (depth[None, :] < K - start), other=0.0)
        right = tl.load(weight_at, mask=depth[:, None] < K - start, other=0.0)
        sums = tl.dot(left, right, sums)
        x_at += BLOCK_K
        weight_at += BLOCK_K
    return sums, rows, cols


@triton.autotune(configs=configs, key=["M", "N", "K"])
@triton.jit
def linear(out, x, weight, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """out[M, N] is x[M, K] weight[N, K]^T. N and K are multiples of 16, and arrays start at them."""
    out, N = tl.multiple_of(out, 16), tl.multiple_of(N, 16)
    sums, rows, cols = product(x, weight, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K)
    at = out + rows[:, None].to(tl.int64) * N + cols[None, :]
    tl.store(at, sums.to(out.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))


@triton.autotune(configs=configs, key=["M", "N", "K"])
@triton.jit
def linear_add(out, x, weight, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """The same, added to what is in out: the end of a residual block."""
    out, N = tl.multiple_of(out, 16), tl.multiple_of(N, 16)
    sums, rows, cols = product(x, weight, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K)
    at = out + rows[:, None].to(tl.int64) * N + cols[None, :]
    inside = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(at, tl.load(at, mask=inside, other=0.0) + sums, mask=inside)


@triton.autotune(configs=gated_configs, key=["M", "N", "K"])
@triton.jit
def linear_swiglu(out, x, weight, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """out[M, N] is silu(x[M, K] gate[N, K]^T) * x up[N, K]^T, where `weight` is the gate's matrix, then that of up."""
    if BLOCK_M < 128:
        follow()
    x, weight, K = tl.multiple_of(x, 16), tl.multiple_of(weight, 16), tl.multiple_of(K, 16)
    out, N = tl.multiple_of(out, 16), tl.multiple_of(N, 16)
    rows, cols = tile_of_program(M, N, BLOCK_M, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)

    x_at = x + rows[:, None] * K + depth[None, :]
    gate_at = weight + (cols % N)[None, :] * K + depth[:, None]
    up_at = weight + N.to(tl.int64) * K + (cols % N)[None, :] * K + depth[:, None]
    gate = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    up = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = tl.load(x_at, mask=(rows[:, None] < M) & (depth[None, :] < K - start), other=0.0)
        gate = tl.dot(left, tl.load(gate_at, mask=depth[:, None] < K - start, other=0.0), gate)
        up = tl.dot(left, tl.load(up_at, mask=depth[:, None] < K - start, other=0.0), up)
        x_at += BLOCK_K
        gate_at += BLOCK_K
        up_at += BLOCK_K

    at = out + rows[:, None].to(tl.int64) * N + cols[None, :]
    activated = gate * tl.sigmoid(gate) * up
    tl.store(at, activated.to(out.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))
