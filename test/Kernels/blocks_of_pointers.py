# Products whose factors are loaded through pointers that are blocks of a tensor, or are nearly that: strides of any sign,
# rows that wrap around and are seen or not, starts before the array, bounds from both sides, further axes, other conditions.
# Hardware copies the blocks; where they are none, results are the same.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: strides_of_any_sign
# WARPS: 8
# SIZES: M=130 N=136 K=72 STEP=72 FIRST=0 | M=130 N=136 K=72 STEP=-72 FIRST=129*72 | M=128 N=128 K=64 STEP=0 FIRST=0 | M=96 N=48 K=160 STEP=-160 FIRST=95*160
# SIZES: M=33 N=24 K=80 STEP=80 FIRST=0 | M=40 N=24 K=80 STEP=40 FIRST=0
# ARG: a randint(-3,4):fp16[M,K]
# ARG: b randint(-3,4):fp16[K,N]
# ARG: c empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# ARG: step STEP
# ARG: first FIRST
# GRID: cdiv(M, 128), cdiv(N, 128)
# TOLERANCE: c 0 0
#
# KERNEL: rows_that_wrap
# WARPS: 8
# SIZES: M=100 N=136 K=64 | M=129 N=256 K=200 | M=1 N=16 K=16 | M=256 N=128 K=48
# ARG: a randint(-3,4):fp16[M,K]
# ARG: b randint(-3,4):fp16[K,N]
# ARG: c empty:fp32[M,N]
# ARG: whole empty:fp32[cdiv(M,128)*128,N]
# ARG: sums empty:fp32[cdiv(M,128),N]
# ARG: M M
# ARG: N N
# ARG: K K
# GRID: cdiv(M, 128), cdiv(N, 128)
# TOLERANCE: c 0 0
# TOLERANCE: whole 0 0
# TOLERANCE: sums 0 0
#
# KERNEL: heads_and_batches
# WARPS: 8
# SIZES: B=2 H=3 L=256 FROM=0 | B=1 H=2 L=200 FROM=64 | B=2 H=1 L=130 FROM=128 | B=1 H=1 L=64 FROM=128
# ARG: x randint(-3,4):bf16[B,L,H,64]
# ARG: y randint(-3,4):bf16[B,L,H,64]
# ARG: out empty:fp32[B,H,128,64]
# ARG: L L
# ARG: heads H
# ARG: batch_step L*H*64
# ARG: head_step 64
# ARG: row_step H*64
# ARG: start FROM
# GRID: B*H
# TOLERANCE: out 0 0
#
# KERNEL: bounds_from_both_sides
# WARPS: 8
# SIZES: L=128 K=64 D=3 | L=200 K=128 D=40 | L=5 K=64 D=1
# ARG: x randint(-3,4):fp16[L,K]
# ARG: w randint(-3,4):fp16[3,K,128]
# ARG: y empty:fp32[L,128]
# ARG: L L
# ARG: K K
# ARG: shift D
# GRID: cdiv(L, 128)
# TOLERANCE: y 0 0
#
# KERNEL: starts_that_are_loaded
# WARPS: 8
# SIZES: K=64 | K=160
# ARG: x randint(-3,4):fp16[512,K]
# ARG: w randint(-3,4):fp16[K,128]
# ARG: starts randint(-128,129):i32[2]
# ARG: y empty:fp32[2,128,128]
# ARG: K K
# GRID: 2
# TOLERANCE: y 0 0
#
# KERNEL: other_conditions
# WARPS: 8
# SIZES: M=128 K=64 | M=77 K=192
# ARG: x randint(-3,4):fp16[M,K]
# ARG: w randint(-3,4):fp16[K,128]
# ARG: keep randint(0,2):i32[M]
# ARG: y empty:fp32[M,128]
# ARG: M M
# ARG: K K
# GRID: cdiv(M, 128)
# TOLERANCE: y 0 0

import numpy as np
import triton
import triton.language as tl


@triton.jit
def strides_of_any_sign(a, b, c, M, N, K, step, first):
    """Rows forwards, backwards, all the same, and over one another."""
    rows = tl.program_id(0) * 128 + tl.arange(0, 128)
    columns = tl.program_id(1) * 128 + tl.arange(0, 128)
    acc = tl.zeros((128, 128), tl.float32)
    for k in range(0, K, 64):
        depth = k + tl.arange(0, 64)
        left = tl.load(a + first + rows[:, None] * step + depth[None, :],
                       mask=(rows[:, None] < M) & (depth[None, :] < K), other=0.0)
        right = tl.load(b + depth[:, None] * N + columns[None, :],
                        mask=(depth[:, None] < K) & (columns[None, :] < N), other=0.0)
        acc = tl.dot(left, right, acc)
    tl.store(c + rows[:, None] * N + columns[None, :], acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def strides_of_any_sign_reference(a, b, M, K, step, first):
    flat = np.concatenate([a.reshape(-1), np.zeros(K)])
    return flat[first + np.arange(M)[:, None] * step + np.arange(K)] @ b


@triton.jit
def wrapped_product(a, b, rows, columns, M, N, K):
    depth = tl.arange(0, 64)
    left = a + (rows % M)[:, None] * K + depth[None, :]
    right = b + depth[:, None] * N + (columns % N)[None, :]
    acc = tl.zeros((128, 128), tl.float32)
    for k in range(0, tl.cdiv(K, 64)):
        x = tl.load(left, mask=depth[None, :] < K - k * 64, other=0.0)
        y = tl.load(right, mask=depth[:, None] < K - k * 64, other=0.0)
        acc += tl.dot(x, y)
        left += 64
        right += 64 * N
    return acc


@triton.jit
def rows_that_wrap(a, b, c, whole, sums, M, N, K):
    """The same product three times: stored as far as the matrix goes, stored whole, and added up along its rows."""
    rows = tl.program_id(0) * 128 + tl.arange(0, 128)
    columns = tl.program_id(1) * 128 + tl.arange(0, 128)
    inside = columns[None, :] < N
    acc = wrapped_product(a, b, rows, columns, M, N, K)
    scaled = tl.where(acc > 0, acc, acc * 2)
    tl.store(c + rows[:, None] * N + columns[None, :], scaled, mask=(rows[:, None] < M) & inside)
    acc = wrapped_product(a, b, rows, columns, M, N, K)
    tl.store(whole + rows[:, None] * N + columns[None, :], acc, mask=inside)
    acc = wrapped_product(a, b, rows, columns, M, N, K)
    tl.store(sums + tl.program_id(0) * N + columns, tl.sum(acc, 0), mask=columns < N)


def rows_that_wrap_reference(a, b, M, N):
    count = -(-M // 128) * 128
    whole = (a @ b)[np.arange(count) % M]
    c = whole[:M]
    return {"c": np.where(c > 0, c, 2 * c), "whole": whole, "sums": whole.reshape(-1, 128, N).sum(1)}


@triton.jit
def heads_and_batches(x, y, out, L, heads, batch_step, head_step, row_step, start):
    """The first rows times those from a start on, transposed: each head of each batch has strides of its own."""
    base = (tl.program_id(0) // heads).to(tl.int64) * batch_step + (tl.program_id(0) % heads).to(tl.int64) * head_step
    rows = tl.arange(0, 128)
    d = tl.arange(0, 64)
    left = tl.load(x + base + rows[:, None] * row_step + d[None, :], mask=rows[:, None] < L, other=0.0)
    acc = tl.zeros((128, 64), tl.float32)
    for at in range(start, L, 128):
        keys = at + tl.arange(0, 128)
        right = tl.load(y + base + keys[None, :] * row_step + d[:, None], mask=keys[None, :] < L, other=0.0)
        again = tl.load(y + base + keys[:, None] * row_step + d[None, :], mask=keys[:, None] < L, other=0.0)
        acc = tl.dot(tl.dot(left, right).to(tl.bfloat16), again, acc)
    tl.store(out + tl.program_id(0) * 128 * 64 + rows[:, None] * 64 + d[None, :], acc)


def heads_and_batches_reference(x, y, L, start):
    left = np.zeros((x.shape[0], x.shape[2], 128, 64))
    rows = min(L, 128)
    left[:, :, :rows] = x.transpose(0, 2, 1, 3)[:, :, :rows]
    keys = y.transpose(0, 2, 1, 3)[:, :, start:]
    scores = left @ keys.transpose(0, 1, 3, 2)
    bits = scores.astype(np.float32).view(np.uint32)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16
    return bits.astype(np.uint32).view(np.float32).astype(np.float64) @ keys


@triton.jit
def bounds_from_both_sides(x, w, y, L, K, shift):
    """Rows before, at and after each, where there are any."""
    rows = tl.program_id(0) * 128 + tl.arange(0, 128)
    columns = tl.arange(0, 128)
    acc = tl.zeros((128, 128), tl.float32)
    for tap in range(3):
        near = rows + (tap - 1) * shift
        for k in range(0, K, 64):
            depth = k + tl.arange(0, 64)
            left = tl.load(x + near[:, None] * K + depth[None, :], mask=(near[:, None] >= 0) & (near[:, None] < L),
                           other=0.0)
            right = tl.load(w + tap * K * 128 + depth[:, None] * 128 + columns[None, :])
            acc = tl.dot(left, right, acc)
    tl.store(y + rows[:, None] * 128 + columns[None, :], acc, mask=rows[:, None] < L)


def bounds_from_both_sides_reference(x, w, L, K, shift):
    padded = np.zeros((L + 2 * shift, K))
    padded[shift:shift + L] = x
    return sum(padded[tap * shift:tap * shift + L] @ w[tap] for tap in range(3))


@triton.jit
def starts_that_are_loaded(x, w, starts, y, K):
    """They may lie before the row that the pointer is moved to."""
    rows = tl.load(starts + tl.program_id(0)) + tl.arange(0, 128)
    columns = tl.arange(0, 128)
    acc = tl.zeros((128, 128), tl.float32)
    for k in range(0, K, 64):
        depth = k + tl.arange(0, 64)
        left = tl.load(x + 192 * K + rows[:, None] * K + depth[None, :], mask=depth[None, :] < K, other=0.0)
        right = tl.load(w + depth[:, None] * 128 + columns[None, :], mask=depth[:, None] < K, other=0.0)
        acc = tl.dot(left, right, acc)
    here = y + tl.program_id(0) * 128 * 128
    tl.store(here + tl.arange(0, 128)[:, None] * 128 + columns[None, :], acc)


def starts_that_are_loaded_reference(x, w, starts):
    return np.stack([x[192 + start:320 + start] @ w for start in starts])


@triton.jit
def other_conditions(x, w, keep, y, M, K):
    """Some rows are left out; the weights have neither a mask nor an end."""
    rows = tl.program_id(0) * 128 + tl.arange(0, 128)
    columns = tl.arange(0, 128)
    kept = (tl.load(keep + rows, mask=rows < M, other=0) != 0)[:, None] & (rows[:, None] < M)
    acc = tl.zeros((128, 128), tl.float32)
    for k in range(0, K, 64):
        depth = k + tl.arange(0, 64)
        left = tl.load(x + rows[:, None] * K + depth[None, :], mask=kept, other=0.0)
        right = tl.load(w + depth[:, None] * 128 + columns[None, :])
        acc = tl.dot(left, right, acc)
    tl.store(y + rows[:, None] * 128 + columns[None, :], acc, mask=rows[:, None] < M)


def other_conditions_reference(x, w, keep):
    return (x * (keep != 0)[:, None]) @ w
