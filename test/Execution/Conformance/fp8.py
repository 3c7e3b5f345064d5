# 8-bit floats: every code there and back, rounding to nearest even and toward zero, saturation.
#
# RUN: tilec-run %s --kernel=round_trip --grid=1 --arg x='arange:u8[256]' --arg out=empty:i32[3] --expect out='zeros:i32[3]'
# RUN: tilec-run %s --kernel=to_e4 --grid=1 \
# RUN:   --arg x='values(0,1,-1,448,1000,inf,-inf,0.001953125,0.0009765625,0.0146484375,1.0625,1.1875,-464,300,0.00146484375,2e-40):fp32[16]' \
# RUN:   --arg out=empty:u8[2,16] \
# RUN:   --expect out='values(0,56,184,126,126,126,254,1,0,8,56,58,254,121,1,0,0,56,184,126,126,126,254,1,0,7,56,57,254,121,0,0):u8[2,16]'
# RUN: tilec-run %s --kernel=to_e5 --grid=1 --arg x='values(0,1,1.125,1.375,57344,61440,1e30,-0.0000152587890625):fp32[8]' --arg out=empty:u8[2,8] \
# RUN:   --expect out='values(0,60,60,62,123,123,123,129,0,60,60,61,123,123,123,129):u8[2,8]'
# RUN: tilec-run %s --kernel=buffers --grid=1 --arg x='values(0.5,-2,1.75,9):fp32[4]' --arg e=empty:fp8e5[4] --arg out=empty:fp32[4] \
# RUN:   --expect out='values(0.5,-2,1.75,8):fp32[4]'
import triton
import triton.language as tl


@triton.jit
def differences(codes, t: tl.constexpr, inf: tl.constexpr, last: tl.constexpr):
    # How many codes do not come back, where those above `inf` come back as `last`; NaN has no sign on GPUs.
    magnitude = codes & 0x7F
    again = codes.to(t, bitcast=True).to(tl.float32).to(t).to(tl.uint8, bitcast=True)
    differs = tl.where(magnitude > inf, (again & 0x7F) != last, again != codes)
    return tl.sum(differs.to(tl.int32), 0)


@triton.jit
def round_trip(x, out):
    codes = tl.load(x + tl.arange(0, 256))
    tl.store(out, differences(codes, tl.float8e4nv, 0x7E, 0x7F))
    tl.store(out + 1, differences(codes, tl.float8e4b15, 0x7E, 0x7E))
    # Infinity saturates.
    e5 = tl.where((codes & 0x7F) == 0x7C, codes - 1, codes)
    tl.store(out + 2, differences(e5, tl.float8e5, 0x7B, 0x7F))


@triton.jit
def to_e4(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.store(out + i, v.to(tl.float8e4nv).to(tl.uint8, bitcast=True))
    tl.store(out + 16 + i, v.to(tl.float8e4nv, fp_downcast_rounding="rtz").to(tl.uint8, bitcast=True))


@triton.jit
def to_e5(x, out):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    tl.store(out + i, v.to(tl.float8e5).to(tl.uint8, bitcast=True))
    tl.store(out + 8 + i, v.to(tl.float8e5, fp_downcast_rounding="rtz").to(tl.uint8, bitcast=True))


@triton.jit
def buffers(x, e, out):
    i = tl.arange(0, 4)
    tl.store(e + i, tl.load(x + i))
    tl.debug_barrier()
    zero = tl.zeros([4], tl.float8e5)
    v = tl.where(i < 4, tl.load(e + i), zero)
    tl.store(out + i, v)
