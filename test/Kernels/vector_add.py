# Sum of two vectors, the first kernel of every tutorial.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: add_kernel
# TYPES: fp32 fp16 bf16 i32
# SIZES: n_elements=1 | n_elements=1000 | n_elements=8192
# BENCH: n_elements=16777216 T=fp32
# ARG: x_ptr randint(-9,9):T[n_elements]
# ARG: y_ptr randint(-9,9):T[n_elements]
# ARG: output_ptr empty:T[n_elements]
# ARG: n_elements n_elements
# CONST: BLOCK_SIZE 1024
# GRID: cdiv(n_elements, BLOCK_SIZE)
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    output = x + y
    tl.store(output_ptr + offsets, output, mask=mask)


def add(x: torch.Tensor, y: torch.Tensor):
    output = torch.empty_like(x)
    n_elements = output.numel()
    grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)
    add_kernel[grid](x, y, output, n_elements, BLOCK_SIZE=1024)
    return output


def add_kernel_reference(x_ptr, y_ptr):
    return x_ptr + y_ptr
