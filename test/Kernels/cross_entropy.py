# Cross entropy over a vocabulary that is walked block by block: online maximum and sum, then the gradient
# written over the logits; label smoothing, an ignored class, and a logit that may be capped.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: cross_entropy_forward_backward
# TYPES: fp32 bf16
# SIZES: rows=1 V=1 S=0.0 CAP=0.0 | rows=4 V=781 S=0.1 CAP=0.0 | rows=3 V=5000 S=0.0 CAP=30.0 | rows=3 V=1024 S=0.1 CAP=20.0
# BENCH: rows=4096 V=32000 S=0.0 CAP=0.0 T=bf16
# ARG: X_ptr randn(0,2):T[rows,V]
# ARG: X_stride V
# ARG: Y_ptr randint(0,V):i64[rows]
# ARG: Y_stride 1
# ARG: loss_ptr empty:fp32[rows]
# ARG: loss_stride 1
# ARG: n_cols V
# ARG: n_non_ignore rows
# CONST: ignore_index 2
# CONST: label_smoothing S
# CONST: softcap CAP
# CONST: HAS_SOFTCAPPING CAP > 0
# CONST: BLOCK_SIZE min(4096, next_power_of_2(V))
# GRID: rows
# WARPS: 16
# CHECK: X_ptr loss_ptr
# TOLERANCE: X_ptr 1.2e-2 1e-5
# TOLERANCE: loss_ptr 1e-4 1e-5
#
# KERNEL: cross_entropy_forward
# TYPES: fp16
# SIZES: rows=1 VOCAB=7 | rows=5 VOCAB=1000
# BENCH: rows=4096 VOCAB=32000 T=fp16
# ARG: logits_ptr randn(0,3):T[rows,VOCAB]
# ARG: logits_row_stride VOCAB
# ARG: loss_ptr empty:fp32[rows]
# ARG: logsumexp_ptr empty:fp32[rows]
# ARG: labels_ptr randint(0,VOCAB):i64[rows]
# ARG: VOCAB_SIZE VOCAB
# CONST: BLOCK_SIZE next_power_of_2(VOCAB)
# GRID: rows
# WARPS: 32
#
# KERNEL: cross_entropy_backward
# TYPES: fp16
# SIZES: rows=1 VOCAB=7 | rows=5 VOCAB=5000
# BENCH: rows=4096 VOCAB=32000 T=fp16
# ARG: logits_ptr randn:T[rows,VOCAB]
# ARG: logits_row_stride VOCAB
# ARG: dloss_ptr randn:fp32[rows]
# ARG: dloss_row_stride 1
# ARG: logsumexp_ptr rand(5,9):fp32[rows]
# ARG: labels_ptr randint(0,VOCAB):i64[rows]
# ARG: VOCAB_SIZE VOCAB
# CONST: BLOCK_SIZE 4096
# GRID: rows, cdiv(VOCAB, BLOCK_SIZE)
# WARPS: 8
# CHECK: logits_ptr
# TOLERANCE: logits_ptr 2e-3 1e-6
import triton
import triton.language as tl
from triton.language.extra.libdevice import tanh


@triton.jit
def cross_entropy_forward_backward(X_ptr, X_stride, Y_ptr, Y_stride, loss_ptr, loss_stride, n_cols, n_non_ignore,
                                   ignore_index: tl.constexpr, label_smoothing: tl.constexpr, softcap: tl.constexpr,
                                   HAS_SOFTCAPPING: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    program_id = tl.program_id(0).to(tl.int64)
    Y_ptr += program_id * Y_stride
    y = tl.load(Y_ptr)
    X_ptr += program_id * X_stride
    if y == ignore_index:
        # Nothing flows back from an ignored row.
        for i in range(0, n_cols, BLOCK_SIZE):
            X_offsets = i + tl.arange(0, BLOCK_SIZE)
            tl.store(X_ptr + X_offsets, 0.0, mask=X_offsets < n_cols)
        tl.store(loss_ptr + program_id * loss_stride, 0.0)
        return
    loss_ptr += program_id * loss_stride
    m = float("-inf")
    d = 0.0
    ori_X_y = tl.load(X_ptr + y).to(tl.float32)
    if HAS_SOFTCAPPING:
        ori_X_y = softcap * tanh(ori_X_y / softcap)
    scaled_x_sum = 0.0
    eps = label_smoothing / n_cols
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")).to(tl.float32)
        if HAS_SOFTCAPPING:
            X_block = softcap * tanh(X_block / softcap)
        block_max = tl.max(X_block)
        if label_smoothing > 0:
            scaled_x_sum += tl.sum(tl.where(X_offsets < n_cols, -eps * X_block, 0.0))
        m_new = tl.maximum(m, block_max)
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(X_block - m_new))
        m = m_new
    lse = m + tl.log(d)
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf"),
                          eviction_policy="evict_last").to(tl.float32)
        if HAS_SOFTCAPPING:
            intermediate = tanh(X_block / softcap)
            X_block = softcap * intermediate
        X_block = tl.exp(X_block - m) / d
        X_block += -eps
        X_block = tl.where(X_offsets != y, X_block, X_block - (1 - label_smoothing))
        X_block = X_block / n_non_ignore
        if HAS_SOFTCAPPING:
            X_block = X_block * (1 - intermediate * intermediate)
        tl.store(X_ptr + X_offsets, X_block, mask=X_offsets < n_cols)
    tl.debug_barrier()
    loss = lse - ori_X_y
    if label_smoothing > 0:
        smooth_loss = scaled_x_sum + label_smoothing * lse
        loss = loss * (1 - label_smoothing) + smooth_loss
    tl.store(loss_ptr, loss / n_non_ignore)


@triton.jit
def cross_entropy_forward(logits_ptr, logits_row_stride, loss_ptr, logsumexp_ptr, labels_ptr,
                          VOCAB_SIZE, BLOCK_SIZE: tl.constexpr):
    row_idx = tl.program_id(0)
    logits_ptr += row_idx * tl.cast(logits_row_stride, tl.int64)
    loss_ptr += row_idx
    logsumexp_ptr += row_idx
    labels_ptr += row_idx
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < VOCAB_SIZE
    label_idx = tl.load(labels_ptr).to(tl.int32)
    logits = tl.load(logits_ptr + col_offsets, mask=mask, other=-float("inf")).to(tl.float32)
    c = tl.max(logits, 0)
    logsumexp = c + tl.log(tl.sum(tl.exp(logits - c), 0))
    if label_idx != -100:
        x = tl.load(logits_ptr + label_idx).to(tl.float32)
        loss = logsumexp - x
    else:
        loss = 0.0
    tl.store(logsumexp_ptr, logsumexp)
    tl.store(loss_ptr, loss)


@triton.jit
def cross_entropy_backward(logits_ptr, logits_row_stride, dloss_ptr, dloss_row_stride, logsumexp_ptr, labels_ptr,
                           VOCAB_SIZE, BLOCK_SIZE: tl.constexpr):
    row_idx = tl.program_id(0)
    block_idx = tl.program_id(1)
    logits_ptr += row_idx * tl.cast(logits_row_stride, tl.int64)
    dloss_ptr += row_idx * dloss_row_stride
    col_offsets = block_idx * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < VOCAB_SIZE
    label_idx = tl.load(labels_ptr + row_idx).to(tl.int32)
    if label_idx != -100:
        dloss = tl.load(dloss_ptr)
    else:
        dloss = 0.0
    x = tl.load(logits_ptr + col_offsets, mask=mask, other=-float("inf")).to(tl.float32)
    logsumexp = tl.load(logsumexp_ptr + row_idx)
    y = tl.exp(x - logsumexp)
    y = tl.where(col_offsets == label_idx, y - 1.0, y)
    tl.store(logits_ptr + col_offsets, dloss * y, mask=mask)


def cross_entropy_forward_backward_reference(X_ptr, Y_ptr, n_cols, n_non_ignore, ignore_index, label_smoothing, softcap):
    x = softcap * np.tanh(X_ptr / softcap) if softcap else X_ptr
    slope = 1 - np.tanh(X_ptr / softcap)**2 if softcap else 1.0
    rows = np.arange(len(Y_ptr))
    lse = np.log(np.exp(x).sum(1))
    eps = label_smoothing / n_cols
    loss = (lse - x[rows, Y_ptr]) * (1 - label_smoothing) - eps * x.sum(1) + label_smoothing * lse
    grad = np.exp(x - lse[:, None]) - eps
    grad[rows, Y_ptr] -= 1 - label_smoothing
    grad = grad * slope / n_non_ignore
    ignored = Y_ptr == ignore_index
    grad[ignored] = 0
    return dict(X_ptr=grad, loss_ptr=np.where(ignored, 0, loss / n_non_ignore))


def cross_entropy_forward_reference(logits_ptr, labels_ptr):
    lse = np.log(np.exp(logits_ptr).sum(1))
    return dict(logsumexp_ptr=lse, loss_ptr=lse - logits_ptr[np.arange(len(lse)), labels_ptr])


def cross_entropy_backward_reference(logits_ptr, dloss_ptr, logsumexp_ptr, labels_ptr):
    y = np.exp(logits_ptr - logsumexp_ptr[:, None])
    y[np.arange(len(y)), labels_ptr] -= 1
    return dloss_ptr[:, None] * y
