# Elementwise work as generators of kernels write it: tiles by block pointers over strided tensors, one tile or many a
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
# program, offsets taken apart by divisions, comparisons of elements of different types.
#
# KERNEL: add_rank2
# TYPES: fp32 bf16
# SIZES: M=1 N=1 J=1 | M=37 N=65 J=1 | M=50 N=33 J=3
# BENCH: M=4096 N=8192 J=1 T=bf16
# ARG: in0 randn:T[M,N]
# ARG: in1 randn:T[N,M]
# ARG: alpha 0.5
# ARG: out0 empty:T[M,N]
# ARG: in0_stride0 N
# ARG: in0_stride1 1
# ARG: in1_stride0 1
# ARG: in1_stride1 M
# ARG: out0_stride0 N
# ARG: out0_stride1 1
# ARG: s0 M
# ARG: s1 N
# ARG: tiles_per_program J
# CONST: in0_order0 1
# CONST: in0_order1 0
# CONST: in1_order0 0
# CONST: in1_order1 1
# CONST: out0_order0 1
# CONST: out0_order1 0
# CONST: tile_size0 16
# CONST: tile_size1 32
# CONST: one_tile_each J == 1
# GRID: cdiv(cdiv(M, 16) * cdiv(N, 32), J)
# TOLERANCE: out0 8e-3 1e-6
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
# KERNEL: isclose_kernel
# TYPES: fp32 fp16
# SIZES: n=1 NAN_EQUAL=True | n=1000 NAN_EQUAL=False | n=777 NAN_EQUAL=True
# BENCH: n=16777216 NAN_EQUAL=True T=fp32
# ARG: a randint(-2,3):T[n]
# ARG: b randint(-2,3):T[n]
# ARG: out empty:i1[n]
# ARG: rtol 0.1
# ARG: atol 0.5
# ARG: n n
# CONST: EQUAL_NAN NAN_EQUAL
# CONST: ZERO_TOL False
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
def add_rank2(
    in0: tl.tensor,  # the shapes are known to the launcher
    in1: tl.tensor,
    alpha,
    out0: tl.tensor,
    in0_stride0: int, in0_stride1: int,
    in0_order0: tl.constexpr, in0_order1: tl.constexpr,
    in1_stride0: int, in1_stride1: int,
    in1_order0: tl.constexpr, in1_order1: tl.constexpr,
    out0_stride0: int, out0_stride1: int,
    out0_order0: tl.constexpr, out0_order1: tl.constexpr,
    s0, s1,
    tiles_per_program: int,
    tile_size0: tl.constexpr, tile_size1: tl.constexpr,
    one_tile_each: tl.constexpr,
):
    pid = tl.program_id(0)
    num_tiles0 = tl.cdiv(s0, tile_size0)
    num_tiles1 = tl.cdiv(s1, tile_size1)
    if one_tile_each:  # monolitic kernel style
        tile_id = pid
        tile_id1 = tile_id % num_tiles1
        tile_id //= num_tiles1
        tile_id0 = tile_id
        offset0 = (tile_id0 * tile_size0).to(tl.int32)
        offset1 = (tile_id1 * tile_size1).to(tl.int32)
        in0_bptr = tl.make_block_ptr(in0, (s0, s1), (in0_stride0, in0_stride1), (offset0, offset1),
                                     (tile_size0, tile_size1), order=(in0_order0, in0_order1))
        a = tl.load(in0_bptr, boundary_check=(0, 1)).to(in0.type.element_ty)
        in1_bptr = tl.make_block_ptr(in1, (s0, s1), (in1_stride0, in1_stride1), (offset0, offset1),
                                     (tile_size0, tile_size1), order=(in1_order0, in1_order1))
        b = tl.load(in1_bptr, boundary_check=(0, 1)).to(in1.type.element_ty)
        result = scaled_add(a, b, alpha)
        out0_bptr = tl.make_block_ptr(out0, (s0, s1), (out0_stride0, out0_stride1), (offset0, offset1),
                                      (tile_size0, tile_size1), order=(out0_order0, out0_order1))
        tl.store(out0_bptr, result.to(out0_bptr.type.element_ty), boundary_check=(0, 1))
    else:  # grid-stride-loop style
        num_programs = tl.num_programs(0)
        num_tiles = num_tiles0 * num_tiles1
        for j in range(0, tiles_per_program):
            tile_id = pid + j * num_programs
            if tile_id < num_tiles:
                tile_id1 = tile_id % num_tiles1
                tile_id //= num_tiles1
                tile_id0 = tile_id
                offset0 = (tile_id0 * tile_size0).to(tl.int32)
                offset1 = (tile_id1 * tile_size1).to(tl.int32)
                in0_bptr = tl.make_block_ptr(in0, (s0, s1), (in0_stride0, in0_stride1), (offset0, offset1),
                                             (tile_size0, tile_size1), order=(in0_order0, in0_order1))
                a = tl.load(in0_bptr, boundary_check=(0, 1)).to(in0.type.element_ty)
                in1_bptr = tl.make_block_ptr(in1, (s0, s1), (in1_stride0, in1_stride1), (offset0, offset1),
                                             (tile_size0, tile_size1), order=(in1_order0, in1_order1))
                b = tl.load(in1_bptr, boundary_check=(0, 1)).to(in1.type.element_ty)
                result = scaled_add(a, b, alpha)
                out0_bptr = tl.make_block_ptr(out0, (s0, s1), (out0_stride0, out0_stride1), (offset0, offset1),
                                              (tile_size0, tile_size1), order=(out0_order0, out0_order1))
                tl.store(out0_bptr, result.to(out0_bptr.type.element_ty), boundary_check=(0, 1))


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
def isclose_kernel(a, b, out, rtol, atol, n, EQUAL_NAN: tl.constexpr, ZERO_TOL: tl.constexpr, BLOCK: tl.constexpr):
    offset = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offset < n
    x = tl.load(a + offset, mask, other=0.0)
    y = tl.load(b + offset, mask, other=0.0)
    # Twos stand for what is not a number, ones for infinity.
    x = tl.where(x == 2.0, float("nan"), tl.where(x == 1.0, float("inf"), x))
    y = tl.where(y == 2.0, float("nan"), tl.where(y == 1.0, float("inf"), y))
    cast_x = x if x.dtype.is_fp64() else x.to(tl.float32)
    cast_y = y if y.dtype.is_fp64() else y.to(tl.float32)
    if x.dtype.is_bf16():
        close = cast_x == cast_y
    else:
        close = x == y
    if EQUAL_NAN:
        close |= (cast_x != cast_x) & (cast_y != cast_y)
    if not ZERO_TOL:
        allowed = atol + tl.abs(rtol * cast_y)
        actual = tl.abs(cast_x - cast_y)
        actual_finite = libdevice.finitef(actual.to(tl.float32))
        close |= actual_finite.to(tl.int1) & (actual <= allowed)
    tl.store(out + offset, close, mask)


@triton.jit
def floor_and_rest(x, y):
    if x.type.scalar.is_floating() & y.type.scalar.is_floating():
        # fmod has the sign of the dividend: move the rest to that of the divisor.
        rest = libdevice.fmod(x.to(tl.float32), y.to(tl.float32))
        imperfect = rest != 0.0
        different = (rest < 0) ^ (y < 0)
        q = (x - rest) / y
        q = tl.where(imperfect & different, q - 1, q)
        return tl.where(q == 0.0, 0.0, libdevice.rint(q)), tl.where(imperfect & different, rest + y, rest)
    else:
        r = x % y
        c = (r != 0) & ((r < 0) ^ (y < 0))
        return tl.where(c, (x // y) - 1, x // y), tl.where(c, r + y, r)


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
    tiles = triton.cdiv(x.shape[0], 16) * triton.cdiv(x.shape[1], 32)
    with torch.cuda.device(x.device.index):
        add_rank2[(tiles, 1, 1)](x, y, alpha, out, *x.stride(), 1, 0, *y.stride(), 0, 1, *out.stride(), 1, 0, *x.shape,
                                 tiles_per_program=1, tile_size0=16, tile_size1=32, one_tile_each=True)
    return out


def add_rank2_reference(in0, in1, alpha):
    return in0 + in1.T * alpha


def where_rank3_reference(cond, x, y):
    return np.where(cond[None] != 0, x, y).transpose(1, 0, 2)


def isclose_kernel_reference(a, b, rtol, atol, EQUAL_NAN):
    values = {2: np.nan, 1: np.inf, 0: 0, -1: -1, -2: -2}
    a, b = np.vectorize(lambda v: float(values[v]))(a), np.vectorize(lambda v: float(values[v]))(b)
    return np.isclose(a, b, rtol, atol, EQUAL_NAN)


def floor_divide_reference(x, y, signs):
    y = np.where(signs > 0, -y, y)
    return {"quotient": np.floor_divide(x, y), "remainder": np.mod(x, y)}


def cast_and_bits_reference(x, scale, flags, S):
    u = x.astype(np.int16).view(np.uint16)
    low = ((u >> S) & 0xFF) ^ (u & 0xFF)
    return {"out": np.where(flags, x * scale, -x * scale), "packed": low | (flags.astype(int) << 7)}
