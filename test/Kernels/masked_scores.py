# Scores that are scaled, masked and looked through for their maximum, as attention does it: by positive, negative and infinite numbers, zeros
# and NaN; with masks that are true everywhere, in some tiles, or nowhere, and that compare numbers which wrap around.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: online_softmax
# WARPS: 4
# SIZES: M=64 N=32 S=0.25 MASK=0 FIRST=0 F=1 | M=64 N=100 S=-0.25 MASK=0 FIRST=0 F=1 | M=64 N=64 S=0.0 MASK=0 FIRST=0 F=1 | M=64 N=64 S=-0.0 MASK=0 FIRST=0 F=1 | M=64 N=64 S=1e999 MASK=0 FIRST=0 F=1 | M=64 N=64 S=-1e999 MASK=0 FIRST=0 F=1 | M=64 N=64 S=1e999 F=0 MASK=0 FIRST=0 | M=64 N=64 S=1.401298464324817e-45 MASK=0 FIRST=0 F=1 | M=64 N=96 S=0.25 MASK=1 FIRST=0 F=1 | M=64 N=160 S=-0.5 MASK=1 FIRST=0 F=1 | M=64 N=64 S=1e999 MASK=1 FIRST=0 F=1 | M=64 N=64 S=0.0 MASK=1 FIRST=0 F=1 | M=64 N=70 S=0.25 MASK=2 FIRST=0 F=1 | M=64 N=70 S=-0.25 MASK=2 FIRST=0 F=1 | M=64 N=200 S=0.25 MASK=3 FIRST=40 F=1 | M=64 N=64 S=0.25 MASK=1 FIRST=2147483600 F=1
# BENCH: M=8192 N=4096 S=0.25 MASK=1 FIRST=0 F=1
# ARG: q randint(-3,4):fp16[M,32]
# ARG: k randint(-3,4):fp16[N,32]
# ARG: peaks empty:fp32[M]
# ARG: totals empty:fp32[M]
# ARG: scale S*F
# ARG: N N
# ARG: first FIRST
# CONST: MASK MASK
# GRID: cdiv(M, 64)
# TOLERANCE: peaks 0 0
#
# KERNEL: several_numbers
# WARPS: 4
# SIZES: M=64 N=100 S=0.25 C=0.5 MASK=0 | M=64 N=100 S=0.25 C=0.5 MASK=1 | M=64 N=64 S=-0.25 C=1.5 MASK=1 | M=64 N=64 S=0.25 C=-1.5 MASK=0 | M=64 N=64 S=3e38 C=4.0 MASK=1 | M=64 N=64 S=1e-40 C=0.0009765625 MASK=0
# BENCH: M=8192 N=4096 S=0.25 C=1.4426950408889634 MASK=1
# ARG: q randint(-3,4):fp16[M,32]
# ARG: k randint(-3,4):fp16[N,32]
# ARG: peaks empty:fp32[M]
# ARG: others empty:fp32[M]
# ARG: totals empty:fp32[M]
# ARG: scale S
# ARG: N N
# CONST: C C
# CONST: MASK MASK
# GRID: cdiv(M, 64)
# TOLERANCE: peaks 0 0
# TOLERANCE: others 0 0
import numpy as np

import triton
import triton.language as tl


@triton.jit
def online_softmax(q, k, peaks, totals, scale, N, first, MASK: tl.constexpr):
    rows = tl.program_id(0) * 64 + tl.arange(0, 64)
    depth = tl.arange(0, 32)
    left = tl.load(q + rows[:, None] * 32 + depth[None, :])
    peak = tl.full([64], float("-inf"), tl.float32)
    total = tl.zeros([64], tl.float32)
    for start in range(0, N, 32):
        columns = start + tl.arange(0, 32)
        right = tl.load(k + columns[None, :] * 32 + depth[:, None], mask=columns[None, :] < N, other=0.0)
        scores = tl.dot(left, right) * scale
        if MASK == 1:
            scores = tl.where(first + rows[:, None] >= columns[None, :], scores, float("-inf"))
        elif MASK == 2:
            scores = tl.where(columns[None, :] < N, scores, float("-inf"))
        elif MASK == 3:
            near = (first + rows[:, None] - columns[None, :] <= 70) & (columns[None, :] < N)
            scores = tl.where(near, scores, float("-inf"))
        new_peak = tl.maximum(peak, tl.max(scores, 1))
        total = total * tl.exp2(peak - new_peak) + tl.sum(tl.exp2(scores - new_peak[:, None]), 1)
        peak = new_peak
    tl.store(peaks + rows, peak)
    tl.store(totals + rows, total)


def online_softmax_reference(q, k, scale, N, first, MASK):
    rows = np.arange(len(q), dtype=np.int32)
    with np.errstate(all="ignore"):
        rows_from_first = (rows + np.int32(first)).astype(np.int32)
        peak, total = np.full(len(q), -np.inf), np.zeros(len(q))
        for start in range(0, N, 32):
            columns = start + np.arange(32)
            right = np.zeros((32, 32))
            right[: len(k[start : start + 32])] = k[start : start + 32]
            scores = (q @ right.T) * scale
            mask = np.ones(scores.shape, bool)
            if MASK == 1:
                mask = rows_from_first[:, None] >= columns
            elif MASK == 2:
                mask = np.broadcast_to(columns < N, scores.shape)
            elif MASK == 3:
                mask = (rows_from_first[:, None] - columns <= 70) & (columns < N)
            scores = np.where(mask, scores, -np.inf)
            new_peak = np.fmax(peak, np.fmax.reduce(scores, 1))
            total = total * np.exp2(peak - new_peak) + np.exp2(scores - new_peak[:, None]).sum(1)
            peak = new_peak
    return {"peaks": peak, "totals": total}


@triton.jit
def several_numbers(q, k, peaks, others, totals, scale, N, C: tl.constexpr, MASK: tl.constexpr):
    """Scaled by an argument and a constant, and by the constant alone."""
    rows = tl.program_id(0) * 64 + tl.arange(0, 64)
    depth = tl.arange(0, 32)
    left = tl.load(q + rows[:, None] * 32 + depth[None, :])
    peak = tl.full([64], float("-inf"), tl.float32)
    other = tl.full([64], float("-inf"), tl.float32)
    total = tl.zeros([64], tl.float32)
    for start in range(0, N, 32):
        columns = start + tl.arange(0, 32)
        right = tl.load(k + columns[None, :] * 32 + depth[:, None], mask=columns[None, :] < N, other=0.0)
        scores = tl.dot(left, right) * scale * C
        halves = tl.dot(left, right) * C
        if MASK:
            scores = tl.where(columns[None, :] < N, scores, float("-inf"))
        new_peak = tl.maximum(peak, tl.max(scores, 1))
        other = tl.maximum(other, tl.max(halves, 1))
        total = total * tl.exp2(peak - new_peak) + tl.sum(tl.exp2(scores - new_peak[:, None]), 1)
        peak = new_peak
    tl.store(peaks + rows, peak)
    tl.store(others + rows, other)
    tl.store(totals + rows, total)


def several_numbers_reference(q, k, scale, N, C, MASK):
    with np.errstate(all="ignore"):
        # Whole blocks of 32, whose last columns are zeros.
        count = -(-N // 32) * 32
        right = np.zeros((count, 32))
        right[:N] = k
        products = (q @ right.T).astype(np.float32)
        scores = products * np.float32(scale) * np.float32(C)
        if MASK:
            scores[:, N:] = -np.inf
        peak, total = np.full(len(q), -np.inf, np.float32), np.zeros(len(q))
        for start in range(0, count, 32):
            tile = scores[:, start : start + 32]
            new_peak = np.fmax(peak, np.fmax.reduce(tile, 1))
            total = total * np.exp2(peak - new_peak) + np.exp2(tile - new_peak[:, None]).sum(1)
            peak = new_peak
        return {"peaks": peak, "others": (products * np.float32(C)).max(1), "totals": total}
