# Embedding lookup, and its backward pass, which adds rows that several tokens share by atomics.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: embedding_forward
# TYPES: fp32 bf16
# SIZES: n=1 V=3 D=8 | n=37 V=11 D=80 | n=64 V=100 D=256
# BENCH: n=16384 V=32000 D=1024 T=bf16
# ARG: embeddings_ptr randn:T[V,D]
# ARG: indices_ptr randint(0,V):i64[n]
# ARG: output_ptr empty:T[n,D]
# ARG: n_elements n
# CONST: embedding_dim D
# CONST: BLOCK_SIZE_M min(16, next_power_of_2(n))
# CONST: BLOCK_SIZE_N min(128, next_power_of_2(D))
# GRID: cdiv(n, BLOCK_SIZE_M), cdiv(D, BLOCK_SIZE_N)
#
# KERNEL: embedding_backward
# TYPES: fp32
# SIZES: n=1 V=3 D=8 | n=37 V=11 D=80 | n=64 V=100 D=256
# BENCH: n=16384 V=32000 D=1024 T=fp32
# ARG: grad_output_ptr randn:T[n,D]
# ARG: grad_weight_ptr zeros:T[V,D]
# ARG: indices_ptr randint(0,V):i64[n]
# ARG: n_elements n
# CONST: embedding_dim D
# CONST: BLOCK_SIZE_M min(16, next_power_of_2(n))
# CONST: BLOCK_SIZE_N min(128, next_power_of_2(D))
# GRID: cdiv(n, BLOCK_SIZE_M), cdiv(D, BLOCK_SIZE_N)
# CHECK: grad_weight_ptr
# TOLERANCE: grad_weight_ptr 1e-5 1e-5
import triton
import triton.language as tl


@triton.jit
def embedding_forward(embeddings_ptr, indices_ptr, output_ptr, n_elements, embedding_dim: tl.constexpr,
                      BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    start_m = pid_m * BLOCK_SIZE_M
    start_n = pid_n * BLOCK_SIZE_N
    offsets_m = start_m + tl.arange(0, BLOCK_SIZE_M)
    mask_m = offsets_m < n_elements
    indices = tl.load(indices_ptr + offsets_m, mask=mask_m, other=0)
    offsets_n = start_n + tl.arange(0, BLOCK_SIZE_N)
    mask_n = offsets_n < embedding_dim
    block_mask = mask_m[:, None] & mask_n[None, :]
    embeddings = tl.load(embeddings_ptr + indices[:, None] * embedding_dim + offsets_n[None, :],
                         mask=block_mask, other=0.0)
    tl.store(output_ptr + offsets_m[:, None] * embedding_dim + offsets_n[None, :], embeddings, mask=block_mask)


@triton.jit
def embedding_backward(grad_output_ptr, grad_weight_ptr, indices_ptr, n_elements, embedding_dim: tl.constexpr,
                       BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    offsets_m = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    mask_m = offsets_m < n_elements
    indices = tl.load(indices_ptr + offsets_m, mask=mask_m, other=0)
    offsets_n = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask_n = offsets_n < embedding_dim
    block_mask = mask_m[:, None] & mask_n[None, :]
    grad_output = tl.load(grad_output_ptr + offsets_m[:, None] * embedding_dim + offsets_n[None, :],
                          mask=block_mask, other=0.0)
    grad_weight_offsets = indices[:, None] * embedding_dim + offsets_n[None, :]
    tl.atomic_add(grad_weight_ptr + grad_weight_offsets, grad_output, mask=block_mask)


def embedding_forward_reference(embeddings_ptr, indices_ptr):
    return embeddings_ptr[indices_ptr]


def embedding_backward_reference(grad_output_ptr, grad_weight_ptr, indices_ptr):
    np.add.at(grad_weight_ptr, indices_ptr, grad_output_ptr)
    return grad_weight_ptr
