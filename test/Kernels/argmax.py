# Positions and values of extrema in rows: one block, blocks in a loop, and along either axis of a tile.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: argmax_rows
# TYPES: fp32 fp16 i32
# SIZES: M=1 N=1 | M=4 N=781 | M=3 N=1024
# BENCH: M=32768 N=1024 T=fp32
# ARG: inp randint(-50,50):T[M,N]
# ARG: out_value empty:T[M]
# ARG: out_index empty:i64[M]
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# CONST: MIN N % 2
# GRID: M
#
# KERNEL: argmax_loop
# TYPES: fp32
# SIZES: M=1 N=1 | M=5 N=5000 | M=9 N=1024
# BENCH: M=8192 N=16384 T=fp32
# ARG: inp randn:T[M,N]
# ARG: out_index empty:i64[M]
# ARG: M M
# ARG: N N
# CONST: BLOCK_M 4
# CONST: BLOCK_N 256
# GRID: cdiv(M, BLOCK_M)
import triton
import triton.language as tl


@triton.jit
def argmax_rows(inp, out_value, out_index, N, MIN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    if inp.dtype.element_ty.is_floating():
        worst = float("inf") if MIN else float("-inf")
    else:
        worst = 1000000 if MIN else -1000000
    x = tl.load(inp + row * N + cols, mask=cols < N, other=worst)
    if MIN:
        value, index = tl.min(x, axis=0, return_indices=True)
    else:
        value, index = tl.max(x, axis=0, return_indices=True)
    tl.store(out_value + row, value)
    tl.store(out_index + row, index)


@triton.jit
def argmax_loop(inp, out_index, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Each lane keeps the first of its best elements; of the lanes with the best value the first place counts."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    best = tl.full((BLOCK_M, BLOCK_N), float("-inf"), tl.float32)
    place = tl.broadcast_to(tl.arange(0, BLOCK_N)[None, :], BLOCK_M, BLOCK_N)
    for start in range(0, N, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)[None, :]
        x = tl.load(inp + rows * N + cols, mask=(rows < M) & (cols < N), other=-float("inf"))
        place = tl.where(x > best, cols, place)
        best = tl.maximum(best, x)
    top = tl.max(best, axis=1, keep_dims=True)
    first = tl.min(tl.where(best == top, place, N), axis=1, keep_dims=True)
    tl.store(out_index + rows, first.to(tl.int64), mask=rows < M)


def argmax_rows_reference(inp, MIN):
    index = inp.argmin(1) if MIN else inp.argmax(1)
    return dict(out_value=np.take_along_axis(inp, index[:, None], 1)[:, 0], out_index=index)


def argmax_loop_reference(inp):
    return inp.argmax(1)
