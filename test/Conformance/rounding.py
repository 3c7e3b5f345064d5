# Conversions that round in a direction, and remainders. The arithmetic that does is compared with the processor's
# by an execution test.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl
from triton.language.extra import libdevice


#: x = i32[16777217, -16777217, 2147483647, -2147483648]
#: out -> fp32[16777216, -16777218, 2147483520, -2147483648, 16777218, -16777216, 2147483648, -2147483648, 16777216, -16777216, 2147483520, -2147483648]
@triton.jit
def integers(out, x):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(out + i, libdevice.int2float_rd(v))
    tl.store(out + 4 + i, libdevice.int2float_ru(v))
    tl.store(out + 8 + i, libdevice.int2float_rz(v))


#: x = i32[16777217, -1]
#: out -> fp32[16777216, 4294967040, 16777218, 4294967296, 16777216, 4294967040]
@triton.jit
def unsigned_integers(out, x):
    i = tl.arange(0, 2)
    v = tl.load(x + i).to(tl.uint32)
    tl.store(out + i, libdevice.uint2float_rd(v))
    tl.store(out + 2 + i, libdevice.uint2float_ru(v))
    tl.store(out + 4 + i, libdevice.uint2float_rz(v))


#: x = i64[9007199254740992, -9007199254740994]
#: out -> fp64[9007199254740992, -9007199254740994, 9007199254740994, -9007199254740992, 9007199254740992, -9007199254740992, 9007199254740992, -9007200328482816, 9007200328482816, -9007199254740992, 9007199254740992, -9007199254740992]
@triton.jit
def wide_integers(out, x):
    i = tl.arange(0, 2)
    v = tl.load(x + i) + 1
    tl.store(out + i, libdevice.ll2double_rd(v))
    tl.store(out + 2 + i, libdevice.ll2double_ru(v))
    tl.store(out + 4 + i, libdevice.ll2double_rz(v))
    tl.store(out + 6 + i, libdevice.ll2float_rd(v))
    tl.store(out + 8 + i, libdevice.ll2float_ru(v))
    tl.store(out + 10 + i, libdevice.ll2float_rz(v))


#: x = i64[9007199254740992, -2]
#: out -> fp64[9007199254740992, 18446744073709549568, 9007199254740994, 18446744073709551616, 9007199254740992, 18446744073709549568, 9007199254740992, 18446742974197923840, 9007200328482816, 18446744073709551616, 9007199254740992, 18446742974197923840]
@triton.jit
def wide_unsigned_integers(out, x):
    i = tl.arange(0, 2)
    v = (tl.load(x + i) + 1).to(tl.uint64)
    tl.store(out + i, libdevice.ull2double_rd(v))
    tl.store(out + 2 + i, libdevice.ull2double_ru(v))
    tl.store(out + 4 + i, libdevice.ull2double_rz(v))
    tl.store(out + 6 + i, libdevice.ull2float_rd(v))
    tl.store(out + 8 + i, libdevice.ull2float_ru(v))
    tl.store(out + 10 + i, libdevice.ull2float_rz(v))


# The nearest multiple is taken off; of two, the even one.
#: x = fp32[5, 7, 1, -1, 3, -4, 3e38, 1, inf, 1, nan, 7]
#: y = fp32[3, 2, 2, 2, 2, 2, 2e38, inf, 1, 0, 1, -2]
#: out -> fp32[-1, -1, 1, -1, -1, -0.0, -9.999998666165212e+37, 1, nan, nan, nan, -1]
@triton.jit
def remainders(out, x, y):
    i = tl.arange(0, 16)
    m = i < 12
    tl.store(out + i, libdevice.remainder(tl.load(x + i, mask=m), tl.load(y + i, mask=m)), mask=m)


#:
@triton.jit
def operand_types(p, n, s):
    a = libdevice.add_rd(s, n)  #! libdevice.add_rd takes (float32, float32) or (float64, float64), found (float32, int32)
    b = libdevice.int2float_ru(s)  #! libdevice.int2float_ru takes (int32), found (float32)
    c = libdevice.ull2float_rz(n)  #! libdevice.ull2float_rz takes (uint64), found (int32)
