# Products with scales: values of each code and scale, NaN, types that stand for others, stacks, errors. Products of
# each pair of formats are compared with NumPy in test/Kernels/scaled_products.py.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


@triton.jit
def write(out, block):
    tl.store(out + tl.arange(0, block.numel), tl.ravel(block))


@triton.jit
def ones(SIZE: tl.constexpr):
    return (tl.arange(0, SIZE)[:, None] == tl.arange(0, SIZE)[None, :]).to(tl.bfloat16)


# A product with the identity shows the values. The first of two lies in the lower bits.
#: out -> fp32[0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6, 0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6]
@triton.jit
def codes(out):
    pair = tl.arange(0, 16) % 8 * 2
    packed = (pair | (pair + 1) << 4).to(tl.uint8)
    a = tl.broadcast_to(packed[None, :], (1, 16))
    write(out, tl.dot_scaled(a, None, "e2m1", ones(32), None, "bf16"))


# A scale is a power of two from 2^-127 on; 255 is NaN. A processor may take denormal factors for 0.
#: out -> fp32[5.877471754111438e-39, 1.1754943508222875e-38, 0.5, 1, 2, 1.7014118346046923e+38, nan, nan]
@triton.jit
def scales(out):
    i = tl.arange(0, 8)
    scale = tl.where(i == 0, 0, tl.where(i == 1, 1, tl.where(i < 5, i + 124, tl.where(i == 5, 254, 255))))
    a = (tl.arange(0, 32)[None, :] == 0).to(tl.bfloat16) + tl.zeros([8, 32], tl.bfloat16)
    b = (tl.arange(0, 32)[:, None] == 0).to(tl.bfloat16) + tl.zeros([32, 1], tl.bfloat16)
    c = tl.dot_scaled(a, scale.to(tl.uint8)[:, None], "bf16", b, None, "bf16")
    if not tl.target_info.is_cuda():
        c = tl.where((c == 0) & (scale == 0)[:, None], 5.877471754111438e-39, c)
    write(out, c)


# Integers stand for floats of their width, fp16 keeps its mantissa beside scales that it could not hold.
#: out -> fp32[1.0009765625, 1.2688885402675148e+30, 1, 3]
@triton.jit
def storage(out):
    one = (tl.arange(0, 32)[:, None] == 0).to(tl.bfloat16) + tl.zeros([32, 1], tl.bfloat16)
    bits = tl.full([1, 32], 0x3C01, tl.uint16)
    tl.store(out, tl.sum(tl.dot_scaled(bits, None, "fp16", one, None, "bf16")))
    tl.store(out + 1, tl.sum(tl.dot_scaled(bits, tl.full([1, 1], 227, tl.uint8), "fp16", one, None, "bf16")))
    eight = tl.full([1, 32], 0x38, tl.uint8)
    tl.store(out + 2, tl.sum(tl.dot_scaled(eight, None, "e4m3", one, None, "bf16")))
    tl.store(out + 3, tl.sum(tl.dot_scaled(eight, None, "e5m2", one, None, "bf16")) * 6)


# Stacks of matrices, without scales.
#: out -> fp32[0, 0, 16, 32, 32, 64, 48, 96]
@triton.jit
def stacks(out):
    a = tl.arange(0, 4).to(tl.float16).reshape(4, 1, 1).broadcast_to(4, 1, 16)
    b = (tl.arange(0, 2) + 1).to(tl.float16).reshape(1, 1, 2).broadcast_to(4, 16, 2)
    c = tl.dot_scaled(a, None, "fp16", b, None, "fp16")
    write(out, c)


#: n = 5
@triton.jit
def wrong(n):
    a = tl.zeros([16, 64], tl.bfloat16)
    b = tl.zeros([64, 16], tl.bfloat16)
    u = tl.zeros([16, 32], tl.uint8)
    v = tl.zeros([32, 16], tl.uint8)
    s = tl.zeros([16, 2], tl.uint8)
    tl.dot_scaled(a, None, "e3m2", b, None, "bf16")  #! unknown format 'e3m2'; expected 'e2m1', 'e4m3', 'e5m2', 'bf16' or 'fp16'
    tl.dot_scaled(a, None, "bf16", b, None, n)  #! argument 'rhs_format' of tl.dot_scaled must be a constexpr string
    tl.dot_scaled(a, None, "fp16", b, None, "bf16")  #! argument 'lhs' of tl.dot_scaled must be of type float16 or uint16 to be 'fp16', found bfloat16[16, 64]
    tl.dot_scaled(a, None, "bf16", b, None, "e2m1")  #! argument 'rhs' of tl.dot_scaled must be of type uint8 to be 'e2m1', found bfloat16[64, 16]
    tl.dot_scaled(1.0, None, "bf16", b, None, "bf16")  #! argument 'lhs' of tl.dot_scaled must be a block with two or three axes
    tl.dot_scaled(a, None, "bf16", b, None, "bf16", lhs_k_pack=False)  #! only e2m1 is packed along another axis than that of the sum, found 'bf16'
    tl.dot_scaled(a, None, "bf16", v, None, "e4m3")  #! tl.dot_scaled adds 64 products by its left operand and 32 by its right one
    tl.dot_scaled(u, None, "e2m1", v, None, "e2m1", rhs_k_pack=False)  #! tl.dot_scaled adds 64 products by its left operand and 32 by its right one
    tl.dot_scaled(a, None, "bf16", b[None], None, "bf16")  #! tl.dot_scaled takes two matrices, or stacks of one size
    tl.dot_scaled(tl.zeros([16, 8], tl.bfloat16), None, "bf16", tl.zeros([8, 16], tl.bfloat16), None, "bf16")  #! tl.dot_scaled needs at least 16 products to add
    tl.dot_scaled(a, s.to(tl.int8), "bf16", b, None, "bf16")  #! argument 'lhs_scale' of tl.dot_scaled must be None or a block of uint8 or float8e4nv, found int8[16, 2]
    tl.dot_scaled(a, 1, "bf16", b, None, "bf16")  #! argument 'lhs_scale' of tl.dot_scaled must be None or a block of uint8 or float8e4nv
    tl.dot_scaled(a, u, "bf16", b, None, "bf16")  #! argument 'lhs_scale' of tl.dot_scaled must be a block of shape [16, 2], found uint8[16, 32]
    tl.dot_scaled(a, None, "bf16", b, s.T, "bf16")  #! argument 'rhs_scale' of tl.dot_scaled must be a block of shape [16, 2], found uint8[2, 16]
    tl.dot_scaled(a[None], s, "bf16", b[None], None, "bf16")  #! a scale needs operands with two axes, found bfloat16[1, 16, 64]
    tl.dot_scaled(tl.zeros([16, 16], tl.bfloat16), s, "bf16", tl.zeros([16, 16], tl.bfloat16), None, "bf16")  #! a scale is for 32 values, but there are only 16 to add
    tl.dot_scaled(a, s, "bf16", b, s, "bf16", tl.zeros([16, 16], tl.float16))  #! argument 'acc' of tl.dot_scaled must be float32[16, 16], found float16[16, 16]
    tl.dot_scaled(a, s, "bf16", b, s, "bf16", out_dtype=tl.float16)  #! tl.dot_scaled gives float32 only, found out_dtype=tl.float16
