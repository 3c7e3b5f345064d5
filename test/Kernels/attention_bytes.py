# Attention whose scores are products of bytes with a scale for each block, and whose weights and values are halves, as
# libraries of quantized attention write it.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: eight_bits
# SIZES: H=2 L=128 D=64 | H=1 L=64 D=32
# BENCH: H=16 L=4096 D=64 BLOCK=128 num_warps=8 num_stages=3
# ARG: q_ptr randint(-127,128):i8[H,L,D]
# ARG: k_ptr randint(-127,128):i8[H,L,D]
# ARG: v_ptr randn:fp16[H,L,D]
# ARG: q_scale_ptr rand(0.005,0.01):fp32[H,L//BLOCK]
# ARG: k_scale_ptr rand(0.005,0.01):fp32[H,L//BLOCK]
# ARG: out_ptr empty:fp16[H,L,D]
# ARG: length L
# CONST: D D
# CONST: BLOCK 64
# GRID: cdiv(L, BLOCK), H
# TOLERANCE: out_ptr 5e-3 5e-3
import numpy as np
import triton
import triton.language as tl


def softmax_of(score):
    power = np.exp(score - score.max(axis=-1, keepdims=True))
    return power / power.sum(axis=-1, keepdims=True)


@triton.jit
def eight_bits(q_ptr, k_ptr, v_ptr, q_scale_ptr, k_scale_ptr, out_ptr, length, D: tl.constexpr, BLOCK: tl.constexpr):
    """Scores of bytes, weights and values of halves whose sums are halves, too."""
    start_m = tl.program_id(0)
    head = tl.program_id(1)
    base = head * length * D
    offs_m = start_m * BLOCK + tl.arange(0, BLOCK)
    offs_n = tl.arange(0, BLOCK)
    offs_d = tl.arange(0, D)
    blocks = length // BLOCK
    q = tl.load(q_ptr + base + offs_m[:, None] * D + offs_d[None, :])
    q_scale = tl.load(q_scale_ptr + head * blocks + start_m)
    m_i = tl.full([BLOCK], float("-inf"), dtype=tl.float32)
    l_i = tl.full([BLOCK], 0.0, dtype=tl.float32)
    acc = tl.zeros([BLOCK, D], dtype=tl.float32)
    for block in range(blocks):
        at = block * BLOCK + offs_n
        k = tl.load(k_ptr + base + at[None, :] * D + offs_d[:, None])
        k_scale = tl.load(k_scale_ptr + head * blocks + block)
        qk = tl.dot(q, k).to(tl.float32) * q_scale * k_scale
        m_new = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_new[:, None])
        alpha = tl.math.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + base + at[:, None] * D + offs_d[None, :])
        acc = acc * alpha[:, None]
        acc += tl.dot(p.to(tl.float16), v, out_dtype=tl.float16)
        m_i = m_new
    tl.store(out_ptr + base + offs_m[:, None] * D + offs_d[None, :], (acc / l_i[:, None]).to(tl.float16))


def eight_bits_reference(q_ptr, k_ptr, v_ptr, q_scale_ptr, k_scale_ptr, BLOCK):
    q = q_ptr * np.repeat(q_scale_ptr, BLOCK, axis=1)[..., None]
    k = k_ptr * np.repeat(k_scale_ptr, BLOCK, axis=1)[..., None]
    return softmax_of(np.einsum("hid,hjd->hij", q, k) * np.log(2)) @ v_ptr
