# Elementwise work as generators of kernels write it: tiles by block pointers over strided tensors, one tile or many a
# program, offsets taken apart by divisions, comparisons of elements of different types.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: add_rank2
# TYPES: fp32 bf16
# SIZES: M=1 N=1 J=1 | M=37 N=65 J=1 | M=50 N=33 J=3
# BENCH: M=4096 N=8192 J=1 T=bf16
# ARG: x randn:T[M,N]
# ARG: y randn:T[N,M]
# ARG: out empty:T[M,N]
# ARG: alpha 0.5
# ARG: m M
# ARG: n N
# ARG: x_m N
# ARG: x_n 1
# ARG: y_m 1
# ARG: y_n M
# ARG: out_m N
# ARG: out_n 1
# ARG: tiles_each J
# CONST: TILE_M 16
# CONST: TILE_N 32
# GRID: cdiv(cdiv(M, 16) * cdiv(N, 32), J)
# TOLERANCE: out 8e-3 1e-6
#
# KERNEL: where_rank3
# TYPES: fp32 fp16
# SIZES: A=1 B=1 C=1 P=1 | A=3 B=5 C=7 P=2 | A=9 B=16 C=64 P=3
# BENCH: A=256 B=128 C=512 P=1056 T=fp16
# ARG: cond randint(0,2):i1[B,C]
# ARG: x randn:T[A,B,C]
# ARG: y randn:T[C]
# ARG: out empty:T[B,A,C]
# ARG: cond_stride1 C
# ARG: cond_stride2 1
# ARG: x_stride0 B*C
# ARG: x_stride1 C
# ARG: out_stride0 C
# ARG: out_stride1 A*C
# ARG: shape1 B
# ARG: shape2 C
# ARG: numel A*B*C
# CONST: BLOCK 256
# GRID: P
#
# KERNEL: nearly_equal
# TYPES: fp32 fp16
# SIZES: n=1 NAN=True | n=1000 NAN=False | n=777 NAN=True
# BENCH: n=16777216 NAN=True T=fp32
# ARG: x randint(-2,3):T[n]
# ARG: y randint(-2,3):T[n]
# ARG: out empty:i1[n]
# ARG: relative 0.1
# ARG: absolute 0.5
# ARG: n n
# CONST: NAN_IS_NAN NAN
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
#
# KERNEL: floor_divide
# TYPES: i32 i64 fp32
# SIZES: n=1 | n=1000
# BENCH: n=8388608 T=i32
# ARG: x randint(-99,99):T[n]
# ARG: y randint(1,9):T[n]
# ARG: signs randint(0,2):i8[n]
# ARG: quotient empty:T[n]
# ARG: remainder empty:T[n]
# ARG: n n
# CONST: BLOCK 512
# GRID: cdiv(n, BLOCK)
#
# KERNEL: cast_and_bits
# SIZES: n=1 S=3 | n=1000 S=5
# BENCH: n=8388608 S=4
# ARG: x randint(-30000,30000):i16[n]
# ARG: scale rand(0.5,2):fp16[n]
# ARG: flags randint(0,2):i1[n]
# ARG: out empty:fp32[n]
# ARG: packed empty:u8[n]
# ARG: n n
# CONST: SHIFT S
# CONST: DTYPE "float32"
# CONST: BLOCK 512
# GRID: cdiv(n, BLOCK)
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def scaled_add(x, y, alpha):
    return x + y * alpha


@triton.jit
def tile_at(base, m, n, stride_m, stride_n, tile, TILE_M: tl.constexpr, TILE_N: tl.constexpr, ORDER: tl.constexpr):
    """The tile of that number, counted along the rows of a matrix."""
    columns = tl.cdiv(n, TILE_N)
    corner = (tile // columns * TILE_M, tile % columns * TILE_N)
    return tl.make_block_ptr(base, (m, n), (stride_m, stride_n), corner, (TILE_M, TILE_N), ORDER)


@triton.jit
def add_rank2(x: tl.tensor, y: tl.tensor, out: tl.tensor, alpha, m: int, n: int, x_m: int, x_n: int, y_m: int,
              y_n: int, out_m: int, out_n: int, tiles_each: int, TILE_M: tl.constexpr, TILE_N: tl.constexpr):
    tiles = tl.cdiv(m, TILE_M) * tl.cdiv(n, TILE_N)
    tile = tl.program_id(0)
    for _ in range(tiles_each):
        if tile < tiles:
            a = tl.load(tile_at(x, m, n, x_m, x_n, tile, TILE_M, TILE_N, (1, 0)), boundary_check=(0, 1))
            b = tl.load(tile_at(y, m, n, y_m, y_n, tile, TILE_M, TILE_N, (0, 1)), boundary_check=(0, 1))
            to = tile_at(out, m, n, out_m, out_n, tile, TILE_M, TILE_N, (1, 0))
            tl.store(to, scaled_add(a, b, alpha).to(to.type.element_ty), boundary_check=(0, 1))
        tile += tl.num_programs(0)


@triton.jit
def where_rank3(cond, x, y, out, cond_stride1, cond_stride2, x_stride0, x_stride1, out_stride0, out_stride1,
                shape1, shape2, numel, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    for start in range(pid * BLOCK, numel, tl.num_programs(0) * BLOCK):
        index = start + tl.arange(0, BLOCK)
        mask = index < numel
        i2 = index % shape2
        rest = index // shape2
        i1 = rest % shape1
        i0 = rest // shape1
        c = tl.load(cond + i1 * cond_stride1 + i2 * cond_stride2, mask=mask)
        a = tl.load(x + i0 * x_stride0 + i1 * x_stride1 + i2, mask=mask)
        b = tl.load(y + i2, mask=mask, eviction_policy="evict_last")
        tl.store(out + i0 * out_stride0 + i1 * out_stride1 + i2, tl.where(c, a, b), mask=mask)


@triton.jit
def with_specials(x):
    """Twos become what is not a number, ones infinity."""
    return tl.where(x == 2.0, float("nan"), tl.where(x == 1.0, float("inf"), x)).to(tl.float32)


@triton.jit
def nearly_equal(x, y, out, relative, absolute, n, NAN_IS_NAN: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    a = with_specials(tl.load(x + i, i < n, other=0.0))
    b = with_specials(tl.load(y + i, i < n, other=0.0))
    distance = tl.abs(a - b)
    # What is infinitely far is not near, however large the allowance.
    near = libdevice.finitef(distance).to(tl.int1) & (distance <= absolute + relative * tl.abs(b))
    near |= a == b
    if NAN_IS_NAN:
        near |= (a != a) & (b != b)
    tl.store(out + i, near, i < n)


@triton.jit
def floor_and_rest(x, y):
    """The quotient rounded down, and a rest with the sign of the divisor."""
    if x.dtype.is_floating():
        q = libdevice.floor(tl.div_rn(x, y))
        return q, libdevice.fma(-q, y, x)
    else:
        q, r = x // y, x % y
        down = ((r != 0) & ((r ^ y) < 0)).to(r.dtype)
        return q - down, r + down * y


@triton.jit(do_not_specialize=["n"])
def floor_divide(x, y, signs, quotient, remainder, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n
    a = tl.load(x + index, mask=mask, other=0)
    b = tl.load(y + index, mask=mask, other=1)
    b = tl.where(tl.load(signs + index, mask=mask, other=0) > 0, -b, b)
    q, r = floor_and_rest(a, b)
    tl.store(quotient + index, q, mask=mask)
    tl.store(remainder + index, r, mask=mask)


@triton.jit
def cast_and_bits(x, scale, flags, out, packed, n, SHIFT: tl.constexpr, DTYPE: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.max_contiguous(tl.multiple_of(tl.arange(0, BLOCK), BLOCK), BLOCK)
    mask = index < n
    v = tl.load(x + index, mask=mask, other=0)
    s = tl.load(scale + index, mask=mask, other=0)
    f = tl.load(flags + index, mask=mask, other=False)
    y = v.to(DTYPE) * s.to(DTYPE)
    y = tl.where(f, y, -y)
    tl.store(out + index, y.to(out.type.element_ty), mask=mask)
    u = v.to(tl.uint16, bitcast=True)
    low = (u >> SHIFT).to(tl.uint8) ^ (u & 0xFF).to(tl.uint8)
    tl.store(packed + index, low | (f.to(tl.uint8) << 7), mask=mask)


def launch(x: torch.Tensor, y: torch.Tensor, alpha: float):
    out = torch.empty_like(x)
    m, n = x.shape
    grid = (triton.cdiv(m, 16) * triton.cdiv(n, 32), 1, 1)
    with torch.cuda.device(x.device.index):
        add_rank2[grid](x, y, out, alpha, m, n, *x.stride(), *y.stride(), *out.stride(), tiles_each=1, TILE_M=16,
                        TILE_N=32)
    return out


def add_rank2_reference(x, y, alpha):
    return x + y.T * alpha


def where_rank3_reference(cond, x, y):
    return np.where(cond[None] != 0, x, y).transpose(1, 0, 2)


def nearly_equal_reference(x, y, relative, absolute, NAN):
    values = {2: np.nan, 1: np.inf, 0: 0, -1: -1, -2: -2}
    a, b = np.vectorize(lambda v: float(values[v]))(x), np.vectorize(lambda v: float(values[v]))(y)
    return np.isclose(a, b, relative, absolute, NAN)


def floor_divide_reference(x, y, signs):
    y = np.where(signs > 0, -y, y)
    return {"quotient": np.floor_divide(x, y), "remainder": np.mod(x, y)}


def cast_and_bits_reference(x, scale, flags, S):
    u = x.astype(np.int16).view(np.uint16)
    low = ((u >> S) & 0xFF) ^ (u & 0xFF)
    return {"out": np.where(flags, x * scale, -x * scale), "packed": low | (flags.astype(int) << 7)}
