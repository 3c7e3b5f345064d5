# Moving elements by indices that are computed or read: scatter with a reduction, index_put with negative indices,
# padding by reflection, roll, im2col, elements chosen by a mask, diagonals, a Kronecker product.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: scatter_reduce
# TYPES: fp32 i32
# SIZES: M=1 N=1 K=1 | M=3 N=70 K=9
# BENCH: M=1024 N=4096 K=2048 T=fp32
# ARG: src randint(-50,50):T[M,N]
# ARG: index randint(0,K):i64[M,N]
# ARG: most full(-1000):T[M,K]
# ARG: least full(1000):T[M,K]
# ARG: src_stride0 N
# ARG: src_stride1 1
# ARG: out_stride0 K
# ARG: N N
# CONST: BLOCK 128
# GRID: M, cdiv(N, BLOCK)
# CHECK: most least
#
# KERNEL: index_put
# TYPES: fp32 fp16
# SIZES: A=4 B=3 D=5 n=2 | A=20 B=7 D=33 n=9
# BENCH: A=65536 B=16 D=128 n=65536 T=fp16
# ARG: out zeros:T[A,B,D]
# ARG: rows permutation:i64[n]
# ARG: columns randint(-B,B):i64[n]
# ARG: values randn:T[n,D]
# ARG: input_shape0 A
# ARG: input_shape1 B
# ARG: n n
# ARG: D D
# CONST: BLOCK_M 4
# CONST: BLOCK_D next_power_of_2(D)
# GRID: cdiv(n, BLOCK_M)
# CHECK: out
#
# KERNEL: pad2d
# TYPES: fp32 fp16
# SIZES: C=1 H=3 W=4 P=2 MODE=0 | C=2 H=9 W=17 P=3 MODE=1 | C=2 H=9 W=17 P=3 MODE=2 | C=1 H=9 W=17 P=3 MODE=3
# BENCH: C=64 H=512 W=512 P=4 MODE=1 T=fp16
# ARG: x randn:T[C,H,W]
# ARG: y empty:T[C,H+2*P,W+2*P]
# ARG: H H
# ARG: W W
# ARG: pad P
# ARG: value 1.5
# CONST: MODE MODE
# CONST: BLOCK 256
# GRID: cdiv((H+2*P)*(W+2*P), BLOCK), C
#
# KERNEL: im2col
# TYPES: fp32 bf16
# SIZES: N=1 C=1 H=3 W=3 OH=3 OW=3 K=3 | N=2 C=3 H=11 W=8 OH=11 OW=8 K=3
# BENCH: N=16 C=64 H=56 W=56 OH=56 OW=56 K=3 T=bf16
# ARG: x randn:T[N,C,H,W]
# ARG: cols empty:T[N,C*K*K,OH*OW]
# ARG: C C
# ARG: H H
# ARG: W W
# ARG: OH OH
# ARG: OW OW
# ARG: stride 1
# ARG: padding 1
# ARG: dilation 1
# CONST: KH K
# CONST: KW K
# CONST: BLOCK 128
# GRID: N, C*K*K, cdiv(OH*OW, BLOCK)
#
# KERNEL: masked_select
# TYPES: fp32 i64
# SIZES: n=1 | n=3000
# BENCH: n=16777216 T=fp32
# ARG: x randn(0,9):T[n]
# ARG: select randint(0,2):i1[n]
# ARG: places arange:i64[n]
# ARG: out full(-7):T[n]
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
# CHECK: out
#
# KERNEL: kron2d
# TYPES: fp32
# SIZES: A=1 B=1 C=1 D=1 | A=3 B=4 C=5 D=7
# BENCH: A=64 B=64 C=64 D=64 T=fp32
# ARG: a randn:T[A,B]
# ARG: b randn:T[C,D]
# ARG: out empty:T[A*C,B*D]
# ARG: B B
# ARG: C C
# ARG: D D
# ARG: M A*C
# ARG: N B*D
# CONST: BLOCK_M 16
# CONST: BLOCK_N 64
# GRID: cdiv(A*C, BLOCK_M), cdiv(B*D, BLOCK_N)
#
# KERNEL: roll_and_diagonal
# TYPES: i32
# SIZES: M=1 N=1 S=0 | M=7 N=10 S=3 | M=7 N=10 S=-4
# BENCH: M=4096 N=4096 S=17 T=i32
# ARG: x randint(-99,99):T[M,N]
# ARG: rolled empty:T[M,N]
# ARG: diagonal empty:T[M]
# ARG: shift S
# ARG: M M
# ARG: N N
# CONST: BLOCK next_power_of_2(N)
# GRID: M
import triton
import triton.language as tl


@triton.jit
def scatter_reduce(src, index, most, least, src_stride0, src_stride1, out_stride0, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    value = tl.load(src + row * src_stride0 + cols * src_stride1, mask=mask, other=0)
    at = tl.load(index + row * N + cols, mask=mask, other=0).to(tl.int64)
    tl.atomic_max(most + row * out_stride0 + at, value, mask=mask, sem="relaxed")
    tl.atomic_min(least + row * out_stride0 + at, value, mask=mask, sem="relaxed")


@triton.jit
def index_put(out, rows, columns, values, input_shape0, input_shape1, n, D, BLOCK_M: tl.constexpr,
              BLOCK_D: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, BLOCK_D)
    inside = m < n
    i = tl.load(rows + m, mask=inside, other=0)
    j = tl.load(columns + m, mask=inside, other=0)
    i = tl.where(i < 0, i + input_shape0, i)
    j = tl.where(j < 0, j + input_shape1, j)
    tl.device_assert((i >= 0) & (i < input_shape0), "row out of range")
    mask = inside[:, None] & (d < D)[None, :]
    value = tl.load(values + m[:, None] * D + d[None, :], mask=mask)
    tl.store(out + (i * input_shape1 + j)[:, None] * D + d[None, :], value, mask=mask)


@triton.jit
def source_of(i, size, MODE: tl.constexpr):
    """The place to read for place i of a padded axis; outside of the axis for a constant."""
    if MODE == 1:  # reflect
        i = tl.abs(i)
        return tl.where(i >= size, 2 * size - 2 - i, i)
    elif MODE == 2:  # replicate
        return tl.minimum(tl.maximum(i, 0), size - 1)
    elif MODE == 3:  # circular
        return (i + size) % size
    else:
        return i


@triton.jit
def pad2d(x, y, H, W, pad, value, MODE: tl.constexpr, BLOCK: tl.constexpr):
    out_w = W + 2 * pad
    total = (H + 2 * pad) * out_w
    c = tl.program_id(1)
    flat = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = source_of(flat // out_w - pad, H, MODE)
    col = source_of(flat % out_w - pad, W, MODE)
    mask = flat < total
    inside = (0 <= row) & (row < H) & (0 <= col) & (col < W)
    v = tl.load(x + c * H * W + row * W + col, mask=mask & inside, other=0)
    v = tl.where(inside, v, value)
    tl.store(y + c * total + flat, v, mask=mask)


@triton.jit
def im2col(x, cols, C, H, W, OH, OW, stride, padding, dilation, KH: tl.constexpr, KW: tl.constexpr,
           BLOCK: tl.constexpr):
    n = tl.program_id(0)
    row = tl.program_id(1)
    kw = row % KW
    kh = row // KW % KH
    c = row // (KH * KW)
    p = tl.program_id(2) * BLOCK + tl.arange(0, BLOCK)
    h = p // OW * stride - padding + kh * dilation
    w = p % OW * stride - padding + kw * dilation
    inside = (h >= 0) & (h < H) & (w >= 0) & (w < W) & (p < OH * OW)
    value = tl.load(x + ((n * C + c) * H + h) * W + w, mask=inside, other=0.0)
    tl.store(cols + (n * C * KH * KW + row) * OH * OW + p, value, mask=p < OH * OW)


@triton.jit
def masked_select(x, select, places, out, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    i = start + tl.arange(0, BLOCK)
    inside = i < n
    chosen = tl.load(select + i, mask=inside, other=0).to(tl.int1)
    value = tl.load(x + i, mask=inside)
    # Where the elements of this block go, as if all before it had been chosen.
    first = tl.load(places + start)
    at = first + tl.cumsum(chosen.to(tl.int32), axis=0) - 1
    tl.store(out + at, value, mask=chosen & inside)


@triton.jit
def kron2d(a, b, out, B, C, D, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    mask = (m < M) & (n < N)
    left = tl.load(a + (m // C) * B + n // D, mask=mask, other=0.0)
    right = tl.load(b + (m % C) * D + n % D, mask=mask, other=0.0)
    tl.store(out + m * N + n, left * right, mask=mask)


@triton.jit
def roll_and_diagonal(x, rolled, diagonal, shift, M, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    from_col = (cols - shift) % N
    from_col = tl.where(from_col < 0, from_col + N, from_col)
    value = tl.load(x + row * N + from_col, mask=cols < N)
    tl.store(rolled + row * N + cols, value, mask=cols < N)
    tl.store(diagonal + row, tl.load(x + row * (N + 1), mask=row < N, other=-1))


def scatter_reduce_reference(src, index, most, least):
    rows = np.broadcast_to(np.arange(len(src))[:, None], index.shape)
    np.maximum.at(most, (rows, index), src)
    np.minimum.at(least, (rows, index), src)
    return {"most": most, "least": least}


def index_put_reference(out, rows, columns, values):
    out[rows, columns] = values
    return out


def pad2d_reference(x, P, MODE, value):
    kind = ["constant", "reflect", "edge", "wrap"][MODE]
    more = {"constant_values": value} if MODE == 0 else {}
    return np.pad(x, ((0, 0), (P, P), (P, P)), mode=kind, **more)


def im2col_reference(x, K):
    n, c, h, w = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    columns = [padded[:, :, i:i + h, j:j + w] for i in range(K) for j in range(K)]
    return np.stack(columns, 2).reshape(n, c * K * K, h * w)


def masked_select_reference(x, select, out):
    for start in range(0, len(x), 1024):
        chosen = x[start:start + 1024][select[start:start + 1024] != 0]
        out[start:start + len(chosen)] = chosen
    return out


def kron2d_reference(a, b):
    return np.kron(a, b)


def roll_and_diagonal_reference(x, S, M, N):
    return {"rolled": np.roll(x, S, 1), "diagonal": [x[i, i] if i < N else -1 for i in range(M)]}
