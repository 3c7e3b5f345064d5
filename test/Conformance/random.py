# Random numbers: Philox bit by bit, uniform and normal numbers, types of seeds and offsets.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl
import triton.language.random as tlr
from triton.language.random import randint4x, uint_to_uniform_float


@triton.jit
def write(out, block):
    tl.store(out + tl.arange(0, block.numel), tl.ravel(block))


#: out -> u32[1713891541, 3781805453, 3159862348, 2600524760, 1539146673, 1752714373, 387999658, 778794423, 2924667517, 1983766540, 3905658991, 4178027163, 1851720930, 3613928516, 3826289783, 1082291421, 277762151, 1787380829, 922952322, 621827551, 3805181858, 1228805782, 528632584, 1369973066]
@triton.jit
def randint4x_words(out):
    o = tl.arange(0, 1)
    a, b, c, d = tl.randint4x(0, o)
    tl.static_assert(a.dtype == tl.uint32 and d.shape == (1,))
    store4(out, a, b, c, d)
    a, b, c, d = tl.randint4x(42, o + 7)
    store4(out + 4, a, b, c, d)
    a, b, c, d = tl.randint4x(0x1234567890, o + 3)
    store4(out + 8, a, b, c, d)
    a, b, c, d = tl.randint4x(seed=-1, offset=o + 5)
    store4(out + 12, a, b, c, d)
    a, b, c, d = tl.randint4x(7, o + 9, n_rounds=3)
    store4(out + 16, a, b, c, d)
    # A negative offset of 32 bits does not reach into the high word.
    a, b, c, d = tl.randint4x(42, o - 5)
    store4(out + 20, a, b, c, d)


@triton.jit
def store4(out, a, b, c, d):
    i = tl.arange(0, 1)
    tl.store(out + i, a)
    tl.store(out + 1 + i, b)
    tl.store(out + 2 + i, c)
    tl.store(out + 3 + i, d)


# Offsets of 64 bits have a high word; narrow ones are the same numbers; a seed extends by its sign.
#: out -> u32[95577078, 2403384694, 1539146673, 1839959803, 3595410308, 270719202, 4032044834, 1999319390]
@triton.jit
def randint_of_types(out):
    o = tl.arange(0, 1)
    wide = o.to(tl.int64)
    tl.store(out + o, tl.randint(42, wide + 4294967303))
    tl.store(out + 1 + o, tl.randint(42, wide - 1))
    tl.store(out + 2 + o, tl.randint(42, (o + 7).to(tl.uint64)))
    tl.store(out + 3 + o, tl.randint(42, (o + 250).to(tl.uint8)))
    minus = tl.program_id(0) - 3
    tl.store(out + 4 + o, tl.randint(minus, o + 7))
    tl.store(out + 5 + o, tl.randint(minus.to(tl.uint32), o + 7))
    tl.store(out + 6 + o, tl.randint((minus.to(tl.int64) + 8) | (minus.to(tl.int64) << 63), (o + 7).to(tl.int16)))
    tl.store(out + 7, tl.randint(5, tl.program_id(0) - 6))


#: u -> fp32[0.7926201820373535, 0.6925683617591858, 0.849462628364563, 0.6715506911277771, 0.037387702614068985, 0.9469753503799438, 0.0009466232149861753, 0.5879865288734436, 0.15431147813796997, 0.2718125283718109, 0.08934739977121353, 0.7425574064254761, 0.4295329451560974, 0.7481012344360352, 0.19133035838603973, 0.514150857925415, 0.7926201820373535, 0.6925683617591858, 0.849462628364563, 0.6715506911277771, 0.037387702614068985, 0.9469753503799438, 0.0009466232149861753, 0.5879865288734436, 0.15431147813796997, 0.2718125283718109, 0.08934739977121353, 0.7425574064254761, 0.4295329451560974, 0.7481012344360352, 0.19133035838603973, 0.514150857925415, 0.5371265411376953, 0.871788501739502, 0.09858213365077972, 0.9640464782714844, 0.8841935992240906, 0.9896421432495117, 0.8090674877166748, 0.3452620804309845, 0.22123421728610992, 0.815104067325592, 0.008295990526676178, 0.5629419088363647, 0.7163434624671936, 0.2939012348651886, 0.4720798432826996, 0.21258807182312012, 0.030802519991993904, 0.20420709252357483, 0.33888381719589233, 0.47175922989845276, 0.641451895236969, 0.7032234072685242, 0.7276446223258972, 0.4461967945098877, 0.7697879076004028, 0.16136173903942108, 0.4772605001926422, 0.7794830203056335, 0.8302214741706848, 0.27285128831863403, 0.18490763008594513, 0.6536782383918762, 0.16719204187393188, 0.9278545379638672, 0.14577022194862366, 0.5016675591468811, 0.30428674817085266, 0.04797782748937607, 0.8763441443443298, 0.33694761991500854, 0.16127745807170868, 0.5463341474533081, 0.8235624432563782, 0.3762551248073578, 0.9955491423606873, 0.3555018901824951, 0.8448944687843323, 0.4255566895008087, 0.16544349491596222, 0.5861345529556274, 0.02378510870039463, 0.8560441732406616, 0.3756275773048401, 0.8607731461524963, 0.9829381704330444, 0.7472876310348511, 0.29606354236602783, 0.9960547685623169, 0.9023855924606323, 0.4606144428253174, 0.17887897789478302, 0.2065761238336563, 0.8660105466842651, 0.8102987408638]
@triton.jit
def uniform(u):
    i = tl.arange(0, 16)
    x = tl.rand(2024, i)
    tl.static_assert(x.dtype == tl.float32)
    tl.store(u + i, x)
    a, b, c, d = tl.rand4x(2024, i)
    tl.store(u + 16 + i, a)
    tl.store(u + 32 + i, b)
    tl.store(u + 48 + i, c)
    tl.store(u + 64 + i, d)
    tl.store(u + 80 + i, tl.rand(11, i, n_rounds=6))


#: g -> fp32[-0.6633127946381098, 0.5937401122374911, 0.46510684695781807, 0.8697009593820059, 1.9144840837712997, 0.3293987984664775, 1.3533599688367177, -0.5806767118212398, 0.3475227870190289, 0.6420007680146056, 2.1948425090080947, -0.7120091236559921, -0.2728761029208577, -0.20749688090547383, -1.7907426967373654, 0.26864991370375907, -0.6633127946381098, 0.5937401122374911, 0.46510684695781807, 0.8697009593820059, 1.9144840837712997, 0.3293987984664775, 1.3533599688367177, -0.5806767118212398, 0.3475227870190289, 0.6420007680146056, 2.1948425090080947, -0.7120091236559921, -0.2728761029208577, -0.20749688090547383, -1.7907426967373654, 0.26864991370375907, -0.15760205394910282, -0.6181984600614934, 0.3316297387213613, -0.19987944916610437, -1.7051620346666172, -0.021467700626284024, -3.4775904915812568, 0.8514206006426717, 1.9017865759228054, -1.4809187629161378, 0.1145104338908483, -0.29724266234207986, -1.2710831215085925, 0.7330613783544117, 0.31740830801184905, 1.1217416552960593, 1.3115713735366905, 1.602460683951661, 0.8960242356776057, -1.2257275852849634, -0.31523633016792246, 0.8013027974627825, 0.5686058588421892, -0.6600339101132898, 0.38269228897955493, -1.8296580275334566, 0.5423775096406447, -0.5030442234914103, 0.6097824214282793, -0.9918485423142722, 1.0317272868732084, -0.8230619924271972, 2.2891260517879615, -0.780615806692504, 1.1667632467810531, -0.012843132645610213, 0.8880699451603635, 0.24914878995273518, -0.5590817377868207, 1.085516282453504, 0.613862448320233, -0.5482378300461724, -1.0886745461201845, 0.49517194615564136, -0.017057355849608154, 1.2703909620312546, -1.5203080465401317, 0.4157511686795738] ~3e-6
@triton.jit
def normal(g):
    i = tl.arange(0, 16)
    tl.store(g + i, tl.randn(2024, i))
    a, b, c, d = tl.randn4x(2024, i)
    tl.store(g + 16 + i, a)
    tl.store(g + 32 + i, b)
    tl.store(g + 48 + i, c)
    tl.store(g + 64 + i, d)


#: out -> u32[1795669087, 976263735, 4184926666, 591417052, 2068457385, 1087587090, 1962868546, 4263413388]
#: wide -> u64[1466823150869582888, 4414860311074928137, 12235362225955630747, 16929105347854403891, 7457682562698325631, 15970965055922490213, 4177541696616235708, 14376642999123765843]
@triton.jit
def philox_of_both_widths(out, wide):
    o = tl.arange(0, 1)
    a, b, c, d = tl.philox(9, o + 1, o + 2, o + 3, o + 4)
    tl.static_assert(a.dtype == tl.uint32)
    store4(out, a, b, c, d)
    u = o.to(tl.uint32)
    a, b, c, d = tl.philox_impl(u + 5, u + 6, u + 7, u + 8, u + 1, u + 2, n_rounds=4)
    store4(out + 4, a, b, c, d)
    w = o.to(tl.int64)
    a, b, c, d = tl.philox(9, w + 1, w + 2, w + 3, w + 4, n_rounds=10)
    tl.static_assert(a.dtype == tl.uint64)
    store4(wide, a, b, c, d)
    v = o.to(tl.uint64)
    a, b, c, d = tl.philox_impl(v + 5, v + 6, v + 7, v + 8, v + 1, v + 2, 7)
    store4(wide + 4, a, b, c, d)
    # Scalar counters of 64 bits give blocks of one element.
    s = tl.program_id(0).to(tl.int64)
    a, b, c, d = tl.philox(9, s + 1, s + 2, s + 3, s + 4)
    tl.static_assert(a.shape == (1,))


#: x = u32[0, 1, 2147483647, 2147483648, 4294967295]
#: y = u64[0, 9223372036854775807, 9223372036854775808, 18446744073709551615]
#: out -> fp32[0, 4.6566125955216364e-10, 0.9999999403953552, 0.9999999403953552, 0, 0, 0.9999998807907104, 0.9999998807907104, 0]
@triton.jit
def words_to_uniform(x, y, out):
    for k in tl.static_range(5):
        tl.store(out + k, tl.uint_to_uniform_float(tl.load(x + k)))
    for k in tl.static_range(4):
        tl.store(out + 5 + k, tl.uint_to_uniform_float(tl.load(y + k)))


#: out -> fp32[1.1774100225154747, 1.1774100225154744, -5.67769242755511, 6.953167857948531e-16] ~2e-6
@triton.jit
def pair_to_normal(out):
    o = tl.arange(0, 1)
    a, b = tl.pair_uniform_to_normal(o * 0.0 + 0.25, o * 0.0 + 0.125)
    tl.store(out + o, a)
    tl.store(out + 1 + o, b)
    a, b = tl.pair_uniform_to_normal(u1=o * 0.0, u2=o * 0.0 + 0.5)
    tl.store(out + 2 + o, a)
    tl.store(out + 3 + o, b)


#:
@triton.jit
def random_errors(p, n, s):
    o = tl.arange(0, 4)
    tl.randint4x(0, 5)  #! the offset must be a tensor, found a constant
    tl.rand(0)  #! argument 'offset'
    tl.philox(0, o.to(tl.int16), o, o, o)  #! the counters must have 32 or 64 bits
    tl.rand(0, o, n_rounds=n)  #! the number of rounds must be a constexpr integer
    tl.uint_to_uniform_float(o.to(tl.int16))  #! the words must have 32 or 64 bits


# The module that the functions come from.
#: out -> u32[1713891541, 1713891541, 1713891541, 1]
@triton.jit
def module_of_random_numbers(out):
    o = tl.arange(0, 1)
    a, b, c, d = randint4x(0, o)
    tl.store(out + o, a)
    a, b, c, d = tl.random.randint4x(0, o, tl.random.N_ROUNDS_DEFAULT)
    tl.store(out + 1 + o, a)
    tl.store(out + 2 + o, tlr.randint(0, o).to(tl.uint32))
    tl.store(out + 3 + o, (uint_to_uniform_float(a) == tlr.rand(0, o)).to(tl.uint32))


#:
@triton.jit
def module_without_the_rest(p):
    tl.random.sum(0)  #! module 'triton.language.random' has no member 'sum'
    tl.random.randn5x(0)  #! did you mean 'randn4x'?
