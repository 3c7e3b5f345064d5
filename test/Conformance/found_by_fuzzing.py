# What the differential fuzzer found (docs/fuzzing.md), each as the smallest kernel that shows it.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


# A subnormal bf16 that lived across a branch was flushed by the instruction that stored it.
#: out -> u16[1]
#: value = 9.183549615799121e-41
#: edge = u16*1024
#: wide = fp32*512
@triton.jit
def subnormal_brain_floats(out, value: "bf16", edge, wide):
    block = tl.make_block_ptr(edge, (512, 2), (2, 1), (-1, 1), (512, 2), (1, 0))
    pairs = tl.load(block, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
    tl.store(out.to(tl.pointer_type(tl.bfloat16)), value)
    tl.store(wide + tl.arange(0, 512), tl.split(pairs)[0])


# The operands of fma are promoted in pairs: 2^20 is infinite in float16, which x and y meet in.
#: out -> fp32[inf, 1048577, 1048577]
@triton.jit
def promotion_in_fma(out):
    brain = tl.full([1], 1048576.0, tl.bfloat16)
    half = tl.full([1], 1.0, tl.float16)
    single = tl.full([1], 1.0, tl.float32)
    i = tl.arange(0, 1)
    tl.store(out + i, tl.fma(brain, half, single))
    tl.store(out + 1 + i, tl.fma(brain, single, half))
    tl.store(out + 2 + i, tl.fma(single, brain, half))


# LLVM estimated 1 / sqrt(x) by a Newton step from the reciprocal root, which is NaN at 0.
#: out -> fp32[inf, 1]
#: grid = 2
@triton.jit
def infinite_reciprocal_root(out):
    pid = tl.program_id(0)
    tl.store(out + pid, 1.0 / tl.sqrt_rn(pid.to(tl.float32)))


# GPUs convert floats to no integer narrower than 16 bits, whose low byte counts.
#: x = fp32[300, -300, 126.7, -0.5, 1e30, nan]
#: signed -> i8[44, -44, 126, 0, -1, 0]
#: unsigned -> u8[44, 0, 126, 0, 255, 0]
#: grid = 6
@triton.jit
def bytes_out_of_range(x, signed, unsigned):
    pid = tl.program_id(0)
    value = tl.load(x + pid)
    tl.store(signed + pid, value.to(tl.int8))
    tl.store(unsigned + pid, value.to(tl.uint8))


# A tile first needed behind a reshape, in a loop of another shape, was to be kept by that loop.
#: out -> u32[1120403456, 1120403456, 1120403456, 1120403456]
@triton.jit
def kept_behind_reshape(out):
    top = tl.topk(tl.full([1, 2, 4], 100, tl.uint32), 2)
    floats = tl.where(tl.full([1, 2, 2], True, tl.int1), top, tl.full([1, 1, 2], 1.0, tl.float32))
    bits = (tl.minimum(tl.full([1, 1, 1], 100, tl.int64), floats) + 0.0).to(tl.uint32, bitcast=True)
    place = tl.arange(0, 2)[None, :, None] + tl.arange(0, 2)[None, None, :] * 2
    tl.store(out + place, bits, mask=tl.sort(bits, descending=True) != 7)


# A conversion that LLVM makes itself, where it knows the number, was anything it liked.
#: short -> u16[0, 0]
#: long -> i64[9223372036854775807, 9223372036854775807]
#: zero -> i32[0, 0]
@triton.jit
def conversions_of_constants(short, long, zero):
    i = tl.arange(0, 2)
    tl.store(short + i, tl.full([2], -2.5, tl.float32).to(tl.uint16))
    tl.store(long + i, tl.full([2], 1e20, tl.float32).to(tl.int64))
    tl.store(zero + i, tl.full([2], float("nan"), tl.float16).to(tl.int32))


# A carried tile was overwritten before the histogram of it was taken.
#: out = zeros:u32[2] -> u32[1, 3]
@triton.jit
def histogram_of_a_carried_tile(out):
    values = tl.arange(0, 2)
    for i in tl.range(0, 2):
        tl.atomic_or(out + tl.arange(0, 2), tl.histogram(values, 2).to(tl.uint32))
        values = tl.full([2], 1, tl.int32)


# A tile from outside that a branch or loop kept in memory was taken from there afterwards, too: from memory that was
# never written, or had become something else's.
#: n = 0
#: out = zeros:i32[16] -> i32[0, 0, 0, 0, 0, 0, 0, 0, 14, 12, 10, 8, 6, 4, 2, 0]
@triton.jit
def kept_in_a_branch(out, n):
    source = tl.arange(0, 8) * 2
    index = 7 - tl.arange(0, 8)
    if n > 0:
        tl.store(out + tl.arange(0, 8), tl.gather(source, index, 0))
    tl.store(out + 8 + tl.arange(0, 8), tl.gather(source, index, 0))


#: n = 0
#: out = zeros:i32[16] -> i32[0, 0, 0, 0, 0, 0, 0, 0, 14, 12, 10, 8, 6, 4, 2, 0]
@triton.jit
def kept_in_a_loop(out, n):
    source = tl.arange(0, 8) * 2
    index = 7 - tl.arange(0, 8)
    for i in range(n):
        tl.store(out + tl.arange(0, 8), tl.gather(source, index, 0))
    tl.store(out + 8 + tl.arange(0, 8), tl.gather(source, index, 0))


# ptxas stored the number, as an integer, where a store asked for the low bits of a float's register.
#: x = fp64[1.1, -2.3]
#: halves -> u8[102, 154]
#: singles -> u16[52429, 13107]
#: bytes -> u8[205, 51]
#: doubles -> u32[2576980378, 1717986918]
@triton.jit
def low_bits_of_floats(x, halves, singles, bytes, doubles):
    i = tl.arange(0, 2)
    double = tl.load(x + i)
    single = double.to(tl.float32)
    tl.store(halves + i, single.to(tl.float16).to(tl.uint16, bitcast=True).to(tl.uint8))
    tl.store(singles + i, tl.maximum(single, -3.0).to(tl.uint32, bitcast=True).to(tl.uint16))
    tl.store(bytes + i, tl.maximum(single, -3.0).to(tl.uint32, bitcast=True).to(tl.uint8))
    tl.store(doubles + i, tl.maximum(double, -3.0).to(tl.uint64, bitcast=True).to(tl.uint32))


# ptxas takes it that a negation or absolute value of 16 bits does not overflow.
#: x = i16[-32768, -32768, -5, 7]
#: negated -> i64[-32768, -32768, 5, -7]
#: absolute -> i32[-32768, -32768, 5, 7]
#: sign = zeros:i8[4] -> i8[1, 1, 0, 0]
#: product -> i32[1073741824, 1073741824, -25, -49]
@triton.jit
def overflow_of_16_bits(x, negated, absolute, sign, product):
    i = tl.arange(0, 4)
    values = tl.load(x + i)
    tl.store(negated + i, (-values).to(tl.int64))
    tl.store(absolute + i, tl.abs(values).to(tl.int32))
    tl.store(sign + i, 1, mask=tl.abs(values) < 0)
    tl.store(product + i, (-values).to(tl.int32) * values.to(tl.int32))


#: x = i32[-2147483648, -5, 0, 7]
#: sign = zeros:i8[4] -> i8[1, 0, 0, 0]
#: other = zeros:i8[4] -> i8[0, 1, 1, 1]
#: n = -17
#: rest -> i32[-9, 5, 0, 7]
@triton.jit
def sign_of_an_absolute_value(x, sign, other, rest, n):
    i = tl.arange(0, 4)
    values = tl.abs(tl.load(x + i))
    tl.store(sign + i, 1, mask=values < 0)
    tl.store(other + i, 1, mask=values > -1)
    tl.store(rest + i, values % n)


# LLVM looked at the bits of a float compared with zero as if they had been an integer's.
#: x = fp16[1, 0, -0.0, 5]
#: out -> i8[1, 0, 0, 1]
#: large -> i8[1, 1, 1, 1]
@triton.jit
def half_as_brain_float(x, out, large):
    i = tl.arange(0, 4)
    half = tl.load(x + i) + 0.0
    tl.store(out + i, half.to(tl.bfloat16, bitcast=True).to(tl.int1).to(tl.int8))
    other = tl.where(half == half, tl.abs(half) + 1.0, 1.0).to(tl.int16, bitcast=True).to(tl.bfloat16, bitcast=True)
    tl.store(large + i, (other != 0.0).to(tl.int8))


# LLVM knew that a number was exact, since it has one digit, but not that float16 makes it infinite.
#: x = i64[4294967296, -4294967296, 5, 0]
#: signed -> fp64[inf, -inf, 0, 0]
#: unsigned -> fp32[inf, inf, 0, 0]
#: shifted -> fp32[0, 0, inf, 0]
@triton.jit
def half_beyond_its_range(x, signed, unsigned, shifted):
    i = tl.arange(0, 4)
    values = tl.load(x + i)
    large = tl.where(values < 0, -4294967296, values & 4294967296)
    tl.store(signed + i, large.to(tl.float16).to(tl.float64))
    tl.store(unsigned + i, (values & 4294967296).to(tl.uint64).to(tl.float16).to(tl.float32))
    tl.store(shifted + i, (values.to(tl.int32) << 20).to(tl.float16).to(tl.float32))


# A 64-bit integer was written to shared memory in halves, the lower of which ptxas took from the number (as above).
#: x = fp64[208.21806329, -1.1]
#: out -> i64[4641530038378651715, 4641530038378651715, -4615739258092021350, -4615739258092021350]
@triton.jit
def bits_of_doubles_exchanged(x, out):
    rows, columns = tl.arange(0, 2)[:, None], tl.arange(0, 2)[None, :]
    values = tl.load(x + rows)
    number = tl.where(values == values, values, 1.0).to(tl.int64, bitcast=True)
    tl.store(out + rows * 2 + columns, tl.gather(number, (rows + columns) & 0, 1))


# LLVM's back end took a set bit, as a signed number -1, for 1 where brain floats were made of it.
#: x = i32[5, -5]
#: out -> fp32[-1, 0]
@triton.jit
def truth_as_brain_float(x, out):
    i = tl.arange(0, 2)
    ones = tl.where(tl.load(x + i) > 0, -1, 0).to(tl.int16)
    tl.store(out + i, ones.to(tl.bfloat16).to(tl.float32))


# ptxas converted fp8 in a register for uniform values, and wrote something else to it before it was read.
#: x = u8*512
#: code = 56
#: masked -> fp32[0]
#: same -> fp32[1, 1]
#: shared -> fp32[1, 2]
@triton.jit
def uniform_fp8(x, code: "u8", masked, same, shared):
    i, pair = tl.arange(0, 512), tl.arange(0, 2)
    behind = tl.load(x.to(tl.pointer_type(tl.float8e4nv)) + i, mask=i >= 724)
    tl.store(masked, tl.sum(behind.to(tl.float32)))
    bits = tl.full([2], code, tl.uint8)
    tl.store(same + pair, bits.to(tl.float8e4nv, bitcast=True).to(tl.float32))
    tl.store(shared + pair, (pair + 1) * code.to(tl.float8e4nv, bitcast=True).to(tl.float32))


# The same for bytes of which ptxas finds, by the number of threads, that none is loaded.
#: x = u8[3, 5]
#: codes = u8*512
#: sums -> fp32[3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5, 3, 5]
#: options = --num-warps=1
@triton.jit
def fp8_that_is_not_loaded(x, codes, sums):
    row, column = tl.arange(0, 8)[:, None], tl.arange(0, 32)[None, :]
    place = 16 + row * 32 + column
    behind = tl.load(codes.to(tl.pointer_type(tl.float8e4nv)) + place, mask=place >= 1714).to(tl.bfloat16)
    wide = tl.trans(tl.load(x + row % 2 + column * 0) + behind)
    tl.store(sums + tl.arange(0, 32)[:, None] * 8 + tl.arange(0, 8)[None, :], wide)


# ptxas gave the bits of the integer -1 for an unsigned integer of a float that is -1 or 0.
#: x = i32[5, -5]
#: bytes -> u8[0, 0]
#: shorts -> u16[0, 0]
#: words -> u32[0, 0]
#: longs -> u64[0, 0]
@triton.jit
def negative_truth_as_unsigned(x, bytes, shorts, words, longs):
    i = tl.arange(0, 2)
    truth = -(tl.load(x + i) > 0).to(tl.float32)
    tl.store(bytes + i, truth.to(tl.uint8))
    tl.store(shorts + i, truth.to(tl.float16).to(tl.uint16))
    tl.store(words + i, truth.to(tl.uint32))
    tl.store(longs + i, truth.to(tl.bfloat16).to(tl.uint64))


# ptxas finds that the mask is false everywhere, and takes two of four bytes of a factor for the others.
#: x = u8*512
#: out -> fp32[0, 0]
@triton.jit
def factor_outside(x, out):
    bits = (tl.arange(0, 64)[:, None] * 7 + tl.arange(0, 32)[None, :]) % 5 + 40
    a = bits.to(tl.uint8).to(tl.float8e4nv, bitcast=True)
    behind = tl.make_tensor_descriptor(x.to(tl.pointer_type(tl.float8e4nv)), [8, 32], [32, 1], [8, 32])
    c = tl.dot(a, behind.load([8, 0]).T)
    tl.store(out, tl.min(c))
    tl.store(out + 1, tl.max(c))


# A thread was to have 2048 neighbours along the axis that is reduced, and no layout could have more than 1024.
#: out -> i32[0, 1024, 2048, 3072, 4096, 5120, 6144, 7168, 8192, 9216, 10240, 11264, 12288, 13312, 14336, 15360, 16384, 17408, 18432, 19456, 20480, 21504, 22528, 23552, 24576, 25600, 26624, 27648, 28672, 29696, 30720, 31744]
#: options = --num-warps=1
@triton.jit
def many_neighbours(out):
    row, column = tl.arange(0, 2048)[:, None], tl.arange(0, 32)[None, :]
    tl.store(out + tl.arange(0, 32), tl.sum((row & 1) * column, axis=0))


# The simulator rounded sums of 16-bit fma twice: a product halfway between two floats, and a term that decides.
#: x = fp32[129, 129, 131, 131]
#: z = fp32[1, -1, 1, -1]
#: out -> fp32[388, 386, 394, 392]
@triton.jit
def halfway_products(x, z, out):
    i = tl.arange(0, 4)
    three = tl.full([4], 3458764513820540928.0, tl.bfloat16)  # 3 * 2^60
    total = tl.fma(tl.load(x + i).to(tl.bfloat16), three, tl.load(z + i).to(tl.bfloat16))
    tl.store(out + i, total.to(tl.float32) / 1152921504606846976.0)


# Copies of a streamed tile were still under way behind a barrier, when other threads overwrote what they read.
#: x = fp32*16385
#: most -> fp32[0]
#: options = --num-warps=4
@triton.jit
def overwritten_while_copied(x, most):
    i = tl.arange(0, 16384)
    value = tl.load(x + 1 + i)
    tl.debug_barrier()
    tl.store(x + i, value + 1.0)
    tl.store(most, tl.max(value, axis=0))
