# Products in loops whose loads go ahead: fewer iterations than stages, as many, and more; nested loops; factors that
# two products share, that are transposed, cast or masked; loops that write.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: staged
# TYPES: fp16 fp32
# SIZES: S=2 N=0 | S=2 N=1 | S=2 N=2 | S=2 N=3 | S=3 N=1 | S=3 N=2 | S=3 N=3 | S=3 N=4 | S=4 N=7 | S=5 N=5
# ARG: a randint(-3,4):T[40,256]
# ARG: b randint(-3,4):T[256,48]
# ARG: c empty:fp32[40,48]
# ARG: steps N
# CONST: ROWS 40
# CONST: COLUMNS 48
# CONST: DEPTH 256
# CONST: BLOCK_M 64
# CONST: BLOCK_N 64
# CONST: BLOCK_K 32
# CONST: STAGES S
# GRID: 1
# TOLERANCE: c 0 0
#
# KERNEL: known_iterations
# SIZES: S=3 N=2 R=1 | S=3 N=2 R=3 | S=3 N=3 R=2 | S=2 N=2 R=2 | S=4 N=5 R=2 | S=5 N=2 R=2
# ARG: a randint(-3,4):fp16[R*64,N*32]
# ARG: b randint(-3,4):fp16[N*32,64]
# ARG: c empty:fp32[R*64,64]
# ARG: rows R
# CONST: DEPTH N*32
# CONST: BLOCK_K 32
# CONST: STAGES S
# GRID: 1
# TOLERANCE: c 0 0
#
# KERNEL: shared_factor
# SIZES: M=20 K=100 | M=64 K=64
# BENCH: M=8448 K=256 BLOCK=64 num_warps=4 num_stages=3
# ARG: x randint(-3,4):fp16[M,K]
# ARG: y randint(-3,4):fp16[K,64]
# ARG: gram empty:fp32[M,M]
# ARG: product empty:fp32[M,64]
# ARG: M M
# ARG: K K
# CONST: BLOCK 32
# GRID: cdiv(M, BLOCK)
# TOLERANCE: gram 0 0
# TOLERANCE: product 0 0
#
# KERNEL: pointers_ahead
# SIZES: M=40 N=70 AHEAD=1 K=64 | M=40 N=70 AHEAD=2 K=32 | M=64 N=8 AHEAD=2 K=300 | M=1 N=64 AHEAD=3 K=64 | M=40 N=70 AHEAD=3 K=300 | M=40 N=70 AHEAD=4 K=256
# BENCH: AHEAD=2 M=4096 N=4096 K=4096 BLOCK=128 BLOCK_K=64 num_warps=8 num_stages=3
# ARG: a randint(-3,4):fp16[M,K]
# ARG: b randint(-3,4):fp16[K,N]
# ARG: c empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK 64
# CONST: BLOCK_K 32
# CONST: AHEAD AHEAD
# GRID: cdiv(M, BLOCK), cdiv(N, BLOCK)
# TOLERANCE: c 0 0
#
# KERNEL: blocks_of_bytes
# SIZES: M=33 N=70 K=96
# BENCH: M=4096 N=4096 K=2048 BLOCK=128 num_warps=8 num_stages=3
# ARG: a randint(-8,8):i8[M,K]
# ARG: b randint(-3,4):fp16[N,K]
# ARG: scale rand:fp32[N]
# ARG: c empty:fp32[M,N]
# ARG: M M
# ARG: N N
# ARG: K K
# CONST: BLOCK 32
# GRID: cdiv(M, BLOCK), cdiv(N, BLOCK)
# TOLERANCE: c 1e-6 1e-5
#
# KERNEL: rows_of_tiles
# SIZES: R=1 C=1 | R=3 C=4
# ARG: a randint(-3,4):bf16[R*32,C*32]
# ARG: b randint(-3,4):bf16[C*32,32]
# ARG: c empty:fp32[R*32,32]
# ARG: R R
# ARG: C C
# GRID: 1
# TOLERANCE: c 0 0
#
# KERNEL: powers
# SIZES: N=1 | N=2 | N=5
# ARG: base randint(-1,2):fp16[16,16]
# ARG: out zeros:fp16[N+1,16,16]
# ARG: N N
# GRID: 1
# CHECK: out
# TOLERANCE: out 0 0
import triton
import triton.language as tl


@triton.jit
def staged(a, b, c, steps, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr, BLOCK_M: tl.constexpr,
           BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, STAGES: tl.constexpr):
    rows = tl.arange(0, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a + rows[:, None] * DEPTH + k[None, :]
    b_ptrs = b + k[:, None] * COLUMNS + columns[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in tl.range(0, steps, num_stages=STAGES):
        left = tl.load(a_ptrs, mask=rows[:, None] < ROWS, other=0.0)
        right = tl.load(b_ptrs, mask=columns[None, :] < COLUMNS, other=0.0)
        acc = tl.dot(left, right, acc)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * COLUMNS
    tl.store(c + rows[:, None] * COLUMNS + columns[None, :], acc,
             mask=(rows[:, None] < ROWS) & (columns[None, :] < COLUMNS))


def staged_reference(a, b, steps):
    return a[:, :32 * steps] @ b[:32 * steps]


@triton.jit
def known_iterations(a, b, c, rows, DEPTH: tl.constexpr, BLOCK_K: tl.constexpr, STAGES: tl.constexpr):
    """The inner loop's iterations are a constant, and the next tile uses the slots again."""
    i = tl.arange(0, 64)
    k = tl.arange(0, BLOCK_K)
    for row in range(rows):
        m = row * 64 + i
        acc = tl.zeros((64, 64), dtype=tl.float32)
        for start in tl.range(0, DEPTH, BLOCK_K, num_stages=STAGES):
            left = tl.load(a + m[:, None] * DEPTH + start + k[None, :])
            right = tl.load(b + (start + k)[:, None] * 64 + i[None, :])
            acc = tl.dot(left, right, acc)
        tl.store(c + m[:, None] * 64 + i[None, :], acc)


def known_iterations_reference(a, b):
    return a @ b


@triton.jit
def shared_factor(x, y, gram, product, M, K, BLOCK: tl.constexpr):
    """x @ x.T and x @ y: one load feeds both, and the Gram matrix needs it transposed as well."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.arange(0, 64)
    products = tl.zeros((BLOCK, 64), tl.float32)
    for k in range(0, K, BLOCK):
        depth = k + tl.arange(0, BLOCK)
        left = tl.load(x + rows[:, None] * K + depth[None, :], mask=(rows[:, None] < M) & (depth[None, :] < K), other=0.0)
        right = tl.load(y + depth[:, None] * 64 + columns[None, :], mask=depth[:, None] < K, other=0.0)
        products += tl.dot(left, right)
    tl.store(product + rows[:, None] * 64 + columns[None, :], products, mask=rows[:, None] < M)
    for start in range(0, M, BLOCK):
        others = start + tl.arange(0, BLOCK)
        acc = tl.zeros((BLOCK, BLOCK), tl.float32)
        for k in range(0, K, BLOCK):
            depth = k + tl.arange(0, BLOCK)
            inside = depth[None, :] < K
            left = tl.load(x + rows[:, None] * K + depth[None, :], mask=(rows[:, None] < M) & inside, other=0.0)
            right = tl.load(x + others[:, None] * K + depth[None, :], mask=(others[:, None] < M) & inside, other=0.0)
            acc = tl.dot(left, right.T, acc)
        tl.store(gram + rows[:, None] * M + others[None, :], acc, mask=(rows[:, None] < M) & (others[None, :] < M))


def shared_factor_reference(x, y):
    return {"gram": x @ x.T, "product": x @ y}


@triton.jit
def blocks_of_bytes(a, b, scale, c, M, N, K, BLOCK: tl.constexpr):
    """Weights by channel: bytes are made halves on the way, and the other factor is stored transposed."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, BLOCK):
        depth = k + tl.arange(0, BLOCK)
        left = tl.load(a + rows[:, None] * K + depth[None, :], mask=rows[:, None] < M, other=0).to(tl.float16)
        right = tl.load(b + columns[None, :] * K + depth[:, None], mask=columns[None, :] < N, other=0.0)
        acc = tl.dot(left, right, acc)
    acc *= tl.load(scale + columns, mask=columns < N, other=0.0)[None, :]
    tl.store(c + rows[:, None] * N + columns[None, :], acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def blocks_of_bytes_reference(a, b, scale):
    return (a.astype(np.float64) @ b.T) * scale


@triton.jit
def rows_of_tiles(a, b, c, R, C):
    """A program walks over tiles of rows, and over their columns within."""
    at = tl.arange(0, 32)
    for row in range(R):
        acc = tl.zeros((32, 32), tl.float32)
        for column in range(C):
            left = tl.load(a + (row * 32 + at[:, None]) * C * 32 + column * 32 + at[None, :])
            right = tl.load(b + (column * 32 + at[:, None]) * 32 + at[None, :])
            acc = tl.dot(left, right, acc)
        tl.store(c + (row * 32 + at[:, None]) * 32 + at[None, :], acc)


def rows_of_tiles_reference(a, b):
    return a @ b


@triton.jit
def powers(base, out, N):
    """Each iteration loads what the one before has stored."""
    at = tl.arange(0, 16)
    tile = at[:, None] * 16 + at[None, :]
    factor = tl.load(base + tile)
    tl.store(out + tile, (at[:, None] == at[None, :]).to(tl.float16))
    tl.debug_barrier()
    for i in range(N):
        last = tl.load(out + i * 256 + tile)
        tl.store(out + (i + 1) * 256 + tile, tl.dot(last, factor).to(tl.float16))
        tl.debug_barrier()


def powers_reference(base, N):
    powers = [np.eye(16)]
    for _ in range(N):
        powers.append(powers[-1] @ base)
    return np.stack(powers)


@triton.jit
def pointers_ahead(a, b, c, M, N, K, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr, AHEAD: tl.constexpr):
    """Each iteration computes the pointers of the one that comes AHEAD iterations later; others wait their turn."""
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    depth = tl.arange(0, BLOCK_K)
    lefts = a + (rows % M)[:, None] * K + depth[None, :]
    rights = b + depth[:, None] * N + (columns % N)[None, :]
    left, right = lefts, rights
    left_next, right_next = lefts + (AHEAD > 1) * BLOCK_K, rights + (AHEAD > 1) * BLOCK_K * N
    left_last, right_last = lefts + (AHEAD > 2) * 2 * BLOCK_K, rights + (AHEAD > 2) * 2 * BLOCK_K * N
    acc = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(tl.cdiv(K, BLOCK_K)):
        x = tl.load(left, mask=(depth < K - k * BLOCK_K)[None, :], other=0.0)
        y = tl.load(right, mask=(depth < K - k * BLOCK_K)[:, None], other=0.0)
        acc = tl.dot(x, y, acc)
        left_far = lefts + (k + AHEAD) * BLOCK_K
        right_far = rights + (k + AHEAD) * BLOCK_K * N
        if AHEAD == 1:
            left, right = left_far, right_far
        elif AHEAD == 2:
            left, right, left_next, right_next = left_next, right_next, left_far, right_far
        elif AHEAD == 3:
            left, left_next, left_last = left_next, left_last, left_far
            right, right_next, right_last = right_next, right_last, right_far
        else:  # Back to the same blocks in turn: the first AHEAD numbers are not those that follow.
            left, left_next, left_last = left_next, left_last, lefts + (k + 3) % 2 * BLOCK_K
            right, right_next, right_last = right_next, right_last, rights + (k + 3) % 2 * BLOCK_K * N
    tl.store(c + rows[:, None] * N + columns[None, :], acc, mask=(rows < M)[:, None] & (columns < N)[None, :])


def pointers_ahead_reference(a, b, K, AHEAD):
    if AHEAD <= 3:
        return a @ b
    blocks = [0, 1, 2] + [k % 2 for k in range(3, K // 32)]
    return sum(a[:, 32 * i:32 * i + 32] @ b[32 * i:32 * i + 32] for i in blocks[:K // 32])
