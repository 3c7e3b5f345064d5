# Log softmax in 2-D tiles, and logsumexp in blocks.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: log_softmax_kernel
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=5 N=781 | M=9 N=2048
# BENCH: M=8192 N=2048 T=bf16
# ARG: output_ptr empty:T[M,N]
# ARG: input_ptr randn:T[M,N]
# ARG: M M
# ARG: N N
# CONST: BLOCK_M 4
# CONST: BLOCK_N min(512, next_power_of_2(N))
# GRID: cdiv(M, BLOCK_M)
# TOLERANCE: output_ptr 8e-3 1e-5
#
# KERNEL: logsumexp_blocks
# TYPES: fp32
# SIZES: N=1 D=1 | N=4 D=781 | N=3 D=4096
# BENCH: N=8192 D=16384 T=fp32
# ARG: x randn(0,3):T[N,D]
# ARG: z empty:fp32[N,cdiv(D,4096)]
# ARG: scale 0.5
# CONST: D D
# CONST: B 4096
# CONST: HAS_SCALE True
# GRID: N, cdiv(D, 4096)
import triton
import triton.language as tl


@triton.jit
def log_softmax_kernel(output_ptr, input_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid_m = tl.program_id(0)
    m_offset = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    m = tl.full([BLOCK_M, BLOCK_N], value=float("-inf"), dtype=tl.float32)
    z = tl.full([BLOCK_M, BLOCK_N], value=0.0, dtype=tl.float32)
    for start_n in range(0, N, BLOCK_N):
        n_offset = start_n + tl.arange(0, BLOCK_N)
        offset = m_offset[:, None] * N + n_offset[None, :]
        mask = m_offset[:, None] < M and n_offset[None, :] < N
        inp = tl.load(input_ptr + offset, mask=mask, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(inp, m)
        all_neg_inf = m_new == float("-inf")
        z = tl.where(all_neg_inf, z, z * tl.exp(m - m_new) + tl.exp(inp - m_new))
        m = m_new
    m_reduced = tl.max(m, 1)
    z = tl.sum(z * tl.exp(m - m_reduced[:, None]), 1)
    m = m_reduced
    for start_n in range(0, N, BLOCK_N):
        n_offset = start_n + tl.arange(0, BLOCK_N)
        offset = m_offset[:, None] * N + n_offset[None, :]
        mask = m_offset[:, None] < M and n_offset[None, :] < N
        inp = tl.load(input_ptr + offset, mask=mask, other=-float("inf")).to(tl.float32)
        o = inp - m[:, None] - tl.log(z[:, None])
        tl.store(output_ptr + offset, o, mask=mask)


@triton.jit
def logsumexp_blocks(x, z, scale, D: tl.constexpr, B: tl.constexpr, HAS_SCALE: tl.constexpr):
    i_n, i_d = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    o_d = i_d * B + tl.arange(0, B)
    m_d = o_d < D
    b_x = tl.load(x + i_n * D + o_d, mask=m_d, other=-float('inf'))
    if HAS_SCALE:
        b_x = b_x * scale
    b_m = tl.max(b_x, 0)
    b_z = tl.log(tl.sum(tl.exp(b_x - b_m), 0)) + b_m
    tl.store(z + i_n * tl.cdiv(D, B) + i_d, b_z)


def log_softmax_kernel_reference(input_ptr):
    return input_ptr - np.log(np.exp(input_ptr).sum(1, keepdims=True))


def logsumexp_blocks_reference(x, scale, D):
    return np.stack([np.log(np.exp(scale * x[:, d:d + 4096]).sum(1)) for d in range(0, D, 4096)], 1)
