# Integers of few bits as floats: each value of a byte, alone or in parts, of one sign or both, to each float, exactly.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: every_byte
# TYPES: i8 u8
# SIZES: F=0 PARTS=4 | F=1 PARTS=1 | F=2 PARTS=2
# ARG: x arange:T[256]
# ARG: y empty:fp32[8,256]
# CONST: TO F
# CONST: COUNT 256
# CONST: PARTS PARTS
# GRID: 1
# TOLERANCE: y 0 0
#
# KERNEL: neighbours_in_depth
# TYPES: i8 u8
# SIZES: F=0 | F=1
# ARG: x arange:T[16,16]
# ARG: y empty:fp32[16,16]
# CONST: TO F
# GRID: 1
# TOLERANCE: y 0 0
#
# KERNEL: differences
# SIZES: F=0 | F=1 | F=2
# ARG: x arange:i32[2048]
# ARG: y empty:fp32[5,2048]
# CONST: TO F
# CONST: COUNT 2048
# GRID: 1
# TOLERANCE: y 0 0
import numpy as np
import triton
import triton.language as tl

# What TO counts.
FLOATS = tl.constexpr((tl.float16, tl.bfloat16, tl.float32))


@triton.jit
def every_byte(x, y, TO: tl.constexpr, COUNT: tl.constexpr, PARTS: tl.constexpr):
    """Whole, halves of one sign and of both, and quarters."""
    kind = FLOATS[TO]
    i = tl.arange(0, COUNT)
    b = tl.load(x + i)
    signed = b.to(tl.int8, bitcast=True)
    tl.store(y + i, b.to(kind).to(tl.float32))
    tl.store(y + COUNT + i, (b & 0xF).to(kind).to(tl.float32))
    tl.store(y + 2 * COUNT + i, ((b >> 4) & 0xF).to(kind).to(tl.float32))
    tl.store(y + 3 * COUNT + i, ((signed << 4).to(tl.int8) >> 4).to(kind).to(tl.float32))
    tl.store(y + 4 * COUNT + i, (signed >> 4).to(kind).to(tl.float32))
    tl.store(y + 5 * COUNT + i, ((b >> 3) & 3).to(kind).to(tl.float32))
    tl.store(y + 6 * COUNT + i, ((b.to(tl.int16) & 0x7F) - 64).to(kind).to(tl.float32))
    # Of several bytes a thread, but not neighbours.
    parts = tl.reshape(b, (PARTS, COUNT // PARTS)).T.to(kind).to(tl.float32)
    tl.store(y + 7 * COUNT + i, tl.reshape(parts, (COUNT,)))


def as_type(x, T):
    return x.astype(np.uint8).astype(np.int8 if T == "i8" else np.uint8).astype(np.int64)


def every_byte_reference(x, PARTS, T):
    b = as_type(x, T)
    signed = b.astype(np.int8).astype(np.int64)
    low = b & 15
    return np.stack([b, low, (b >> 4) & 15, low - 16 * (low > 7), signed >> 4, (b >> 3) & 3, (b & 127) - 64,
                     b.reshape(PARTS, -1).T.reshape(-1)])


@triton.jit
def neighbours_in_depth(x, y, TO: tl.constexpr):
    """The pairs of a thread are in different words."""
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    b = tl.load(x + at).to(FLOATS[TO])
    tl.store(y + at, b.T.to(tl.float32))


def neighbours_in_depth_reference(x, T):
    return as_type(x, T).T


@triton.jit
def differences(x, y, TO: tl.constexpr, COUNT: tl.constexpr):
    """Of words, in few bits, and in more than each type has; beyond half's range."""
    kind = FLOATS[TO]
    i = tl.arange(0, COUNT)
    v = tl.load(x + i)
    tl.store(y + i, ((v & 0xF) - ((v >> 4) & 0xF)).to(kind).to(tl.float32))
    tl.store(y + COUNT + i, ((v & 0x7FF) - 1024).to(kind).to(tl.float32))
    tl.store(y + 2 * COUNT + i, (v * 33).to(kind).to(tl.float32))
    tl.store(y + 3 * COUNT + i, ((v << 20) + v).to(kind).to(tl.float32))
    tl.store(y + 4 * COUNT + i, (v.to(tl.uint32) << 21).to(kind).to(tl.float32))


def differences_reference(x, F):
    v = x.astype(np.int64)
    wrapped = lambda number, type: number.astype(type).astype(np.float64)
    rows = np.stack([(v & 15) - ((v >> 4) & 15), (v & 0x7FF) - 1024, v * 33.0, wrapped((v << 20) + v, np.int32),
                     wrapped(v << 21, np.uint32)])
    with np.errstate(over="ignore"):
        return (rows.astype(np.float16) if F == 0 else to_bfloat(rows) if F == 1 else rows.astype(np.float32))


def to_bfloat(numbers):
    """To the nearest, even ones between two."""
    _, exponent = np.frexp(numbers)
    step = np.ldexp(1.0, exponent - 8)
    return np.rint(numbers / step) * step
