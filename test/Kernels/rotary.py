# Rotary embedding in three conventions: halves with tables of cosines, interleaved pairs, and in place over
# heads of queries and keys in one program.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: rope_halves
# TYPES: fp32 bf16
# SIZES: T_LEN=1 H=1 D=2 BACK=False | T_LEN=5 H=3 D=64 BACK=False | T_LEN=7 H=4 D=80 BACK=True
# BENCH: T_LEN=8192 H=32 D=128 BACK=False T=bf16
# ARG: Q randn:T[T_LEN,H,D]
# ARG: Q_row_stride H*D
# ARG: cos rand(-1,1):fp32[T_LEN,D//2]
# ARG: sin rand(-1,1):fp32[T_LEN,D//2]
# ARG: cos_row_stride D//2
# ARG: seqlen T_LEN
# CONST: head_dim D
# CONST: n_heads H
# CONST: BACKWARD_PASS BACK
# CONST: BLOCK_SIZE next_power_of_2(D//2)
# GRID: T_LEN, cdiv(H, 4)
# CHECK: Q
# TOLERANCE: Q 1.7e-2 1e-2
#
# KERNEL: rope_interleaved
# TYPES: fp32 fp16
# SIZES: T_LEN=1 H=1 D=2 | T_LEN=5 H=3 D=64 | T_LEN=7 H=4 D=80
# BENCH: T_LEN=4096 H=32 D=128 T=fp16
# ARG: x_ptr randn:T[T_LEN,H,D]
# ARG: out_ptr empty:T[T_LEN,H,D]
# ARG: base 10000.0
# ARG: stride_t H*D
# ARG: stride_h D
# CONST: D D
# CONST: BLOCK_D next_power_of_2(D//2)
# GRID: T_LEN, H
# TOLERANCE: out_ptr 2e-3 1e-3
#
# KERNEL: rope_qk
# TYPES: bf16
# SIZES: B=1 S=3 QH=4 KH=2 D=64 | B=2 S=5 QH=3 KH=1 D=32
# BENCH: B=4 S=2048 QH=32 KH=8 D=128 T=bf16
# ARG: q_ptr randn:T[B,S,QH,D]
# ARG: q_row_stride QH*D
# ARG: k_ptr randn:T[B,S,KH,D]
# ARG: k_row_stride KH*D
# ARG: cos rand(-1,1):T[S,D]
# ARG: cos_row_stride D
# ARG: sin rand(-1,1):T[S,D]
# ARG: sin_row_stride D
# ARG: sl S
# CONST: n_qh QH
# CONST: n_kh KH
# CONST: hd D
# CONST: pad_n_qh next_power_of_2(QH)
# CONST: pad_n_kh next_power_of_2(KH)
# CONST: pad_hd next_power_of_2(D)
# GRID: B*S
# CHECK: q_ptr k_ptr
# TOLERANCE: q_ptr 1.7e-2 2e-2
# TOLERANCE: k_ptr 1.7e-2 2e-2
import triton
import triton.language as tl

_GROUP = tl.constexpr(4)


@triton.jit
def rope_halves(Q, Q_row_stride, cos, sin, cos_row_stride, seqlen, head_dim: tl.constexpr, n_heads: tl.constexpr,
                BACKWARD_PASS: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    row_position = tl.program_id(0)
    group_head_position = tl.program_id(1)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    half_head_dim = head_dim // 2
    mask = col_offsets < half_head_dim
    sin1 = tl.load(sin + (row_position % seqlen) * cos_row_stride + col_offsets, mask=mask, other=0)
    cos1 = tl.load(cos + (row_position % seqlen) * cos_row_stride + col_offsets, mask=mask, other=0)
    if BACKWARD_PASS:
        sin1 = -sin1
    head_start = group_head_position * _GROUP
    head_end = min((head_start + _GROUP), n_heads)
    for k in range(head_start, head_end):
        offs_q1 = row_position * Q_row_stride + k * head_dim + col_offsets
        offs_q2 = row_position * Q_row_stride + k * head_dim + col_offsets + half_head_dim
        Q1 = tl.load(Q + offs_q1, mask=mask, other=0).to(sin1.dtype)
        Q2 = tl.load(Q + offs_q2, mask=mask, other=0).to(sin1.dtype)
        tl.store(Q + offs_q1, Q1 * cos1 - Q2 * sin1, mask=mask)
        tl.store(Q + offs_q2, Q2 * cos1 + Q1 * sin1, mask=mask)


@triton.jit
def rope_interleaved(x_ptr, out_ptr, base, stride_t, stride_h, D: tl.constexpr, BLOCK_D: tl.constexpr):
    position = tl.program_id(0)
    head = tl.program_id(1)
    pair = tl.arange(0, BLOCK_D)
    mask = pair < D // 2
    # base ** (-2 i / D) by exp2, since tensors have no power operator.
    frequency = tl.exp2(-(2 * pair).to(tl.float32) / D * tl.log2(base))
    angle = position.to(tl.float32) * frequency
    c, s = tl.cos(angle), tl.sin(angle)
    at = x_ptr + position * stride_t + head * stride_h
    even = tl.load(at + 2 * pair, mask=mask).to(tl.float32)
    odd = tl.load(at + 2 * pair + 1, mask=mask).to(tl.float32)
    to = out_ptr + position * stride_t + head * stride_h
    tl.store(to + 2 * pair, even * c - odd * s, mask=mask)
    tl.store(to + 2 * pair + 1, odd * c + even * s, mask=mask)


@triton.jit
def rope_qk(q_ptr, q_row_stride, k_ptr, k_row_stride, cos, cos_row_stride, sin, sin_row_stride, sl,
            n_qh: tl.constexpr, n_kh: tl.constexpr, hd: tl.constexpr, pad_n_qh: tl.constexpr,
            pad_n_kh: tl.constexpr, pad_hd: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    q_ptr = q_ptr + pid * q_row_stride
    k_ptr = k_ptr + pid * k_row_stride
    cos_row_idx = pid % sl
    cos = cos + cos_row_idx * cos_row_stride
    sin = sin + cos_row_idx * sin_row_stride
    cos_offsets = tl.arange(0, pad_hd // 2)
    cos_mask = cos_offsets < hd // 2
    cos_row = tl.load(cos + cos_offsets, mask=cos_mask, other=0)
    sin_row = tl.load(sin + cos_offsets, mask=cos_mask, other=0)
    first_half_q_offsets = tl.arange(0, pad_n_qh)[:, None] * hd + tl.arange(0, pad_hd // 2)[None, :]
    first_half_k_offsets = tl.arange(0, pad_n_kh)[:, None] * hd + tl.arange(0, pad_hd // 2)[None, :]
    first_q_mask = (tl.arange(0, pad_n_qh)[:, None] < n_qh) & (tl.arange(0, pad_hd // 2)[None, :] < hd // 2)
    first_k_mask = (tl.arange(0, pad_n_kh)[:, None] < n_kh) & (tl.arange(0, pad_hd // 2)[None, :] < hd // 2)
    q_tile_1 = tl.load(q_ptr + first_half_q_offsets, mask=first_q_mask, other=0).to(sin_row.dtype)
    k_tile_1 = tl.load(k_ptr + first_half_k_offsets, mask=first_k_mask, other=0).to(sin_row.dtype)
    second_half_q_offsets = first_half_q_offsets + (hd // 2)
    second_half_k_offsets = first_half_k_offsets + (hd // 2)
    q_tile_2 = tl.load(q_ptr + second_half_q_offsets, mask=first_q_mask, other=0).to(sin_row.dtype)
    k_tile_2 = tl.load(k_ptr + second_half_k_offsets, mask=first_k_mask, other=0).to(sin_row.dtype)
    new_q_tile_1 = q_tile_1 * cos_row - q_tile_2 * sin_row
    tl.store(q_ptr + first_half_q_offsets, new_q_tile_1, mask=first_q_mask)
    new_q_tile_2 = q_tile_2 * cos_row + q_tile_1 * sin_row
    tl.store(q_ptr + second_half_q_offsets, new_q_tile_2, mask=first_q_mask)
    new_k_tile_1 = k_tile_1 * cos_row - k_tile_2 * sin_row
    tl.store(k_ptr + first_half_k_offsets, new_k_tile_1, mask=first_k_mask)
    new_k_tile_2 = k_tile_2 * cos_row + k_tile_1 * sin_row
    tl.store(k_ptr + second_half_k_offsets, new_k_tile_2, mask=first_k_mask)


def rope_halves_reference(Q, cos, sin, D, BACKWARD_PASS):
    first, second = Q[..., :D // 2], Q[..., D // 2:]
    c, s = cos[:, None, :], (-sin if BACKWARD_PASS else sin)[:, None, :]
    return dict(Q=np.concatenate([first * c - second * s, second * c + first * s], -1))


def rope_interleaved_reference(x_ptr, base, D):
    angle = np.arange(len(x_ptr))[:, None, None] * base ** (-2 * np.arange(D // 2) / D)
    even, odd = x_ptr[..., 0::2], x_ptr[..., 1::2]
    out = np.empty_like(x_ptr)
    out[..., 0::2] = even * np.cos(angle) - odd * np.sin(angle)
    out[..., 1::2] = odd * np.cos(angle) + even * np.sin(angle)
    return out


def rope_qk_reference(q_ptr, k_ptr, cos, sin, D):
    c, s = cos[None, :, None, :D // 2], sin[None, :, None, :D // 2]
    turn = lambda x: np.concatenate([x[..., :D // 2] * c - x[..., D // 2:] * s,
                                     x[..., D // 2:] * c + x[..., :D // 2] * s], -1)
    return dict(q_ptr=turn(q_ptr), k_ptr=turn(k_ptr))
