# Printing, barriers, inline assembly, functions that are not inlined.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


#: grid = 2
#: x = i32[7, -8]
#: stdout = pid (0, 0, 0) start
#: stdout = pid (1, 0, 0) start
#: stdout = pid (1, 0, 0) idx () n: 5
#: stdout = pid (0, 0, 0) idx (0) x: 7
#: stdout = pid (1, 0, 0) idx (1) x: -8
@triton.jit
def prints_scalars_and_blocks(x, n):
    tl.device_print("start")
    tl.device_print("n", n)
    print("x: ", tl.load(x + tl.arange(0, 2)))


#: f = fp32[1.5]
#: stdout = pid (0, 0, 0) idx () v: 1.500000
#: stdout = pid (0, 0, 0) idx () v: 4294967295
#: stdout = pid (0, 0, 0) idx () v: 3
#: stdout = pid (0, 0, 0) idx () bits: 0x3fc00000
#: stdout = pid (0, 0, 0) idx () 100%: 0x00000005
@triton.jit
def prints_values_of_any_type(f, n):
    v = tl.load(f)
    tl.device_print("v", v, (n * 0 - 1).to(tl.uint32), 3)
    tl.device_print("bits", v, hex=True)
    tl.device_print("100%", n, hex=True)


#: stdout = pid (0, 0, 0) idx (0, 15) t: 15
#: stdout = pid (0, 0, 0) idx (1, 0) t: 16
#: stdout = pid (0, 0, 0) idx (1, 9) t: 25
@triton.jit
def prints_positions(p):
    print("t", tl.arange(0, 32).reshape(2, 16))


# A prefix ends in a colon and a blank, in place of a blank that it has.
#: stdout = pid (0, 0, 0) idx () a:: 5
#: stdout = pid (0, 0, 0) idx () blank: 5
#: stdout = pid (0, 0, 0) idx () a	tab: 5
@triton.jit
def prefixes(p, n):
    print("a::", n)
    print("blank ", n)
    print("a\ttab", n)


#:
@triton.jit
def print_errors(p, n):
    tl.device_print("caf\xe9", n)  #! printable ASCII
    tl.device_print("a", (1, 2))  #! expected a tensor or a number
    tl.device_print(n, n)  #!


#: x = i32[1, 2, 3, 4]
#: out -> i32[4, 3, 2, 1]
@triton.jit
def barrier_between_store_and_load(out, x):
    i = tl.arange(0, 4)
    tl.store(x + i, tl.load(x + i))
    tl.debug_barrier()
    tl.store(out + i, tl.load(x + 3 - i))


#: x = i1[0, 0]
#: out -> i32[1, 0]
@triton.jit
def p34_bool_buffers(out, x):
    tl.store(x, 2)
    tl.store(x + 1, 0.5)
    tl.debug_barrier()
    tl.store(out, tl.load(x).to(tl.int32))
    tl.store(out + 1, tl.load(x + 1).to(tl.int32))


@triton.jit(noinline=True)
def twice(x):
    if x > 100:
        return x
    return x * 2


#: out -> i32[10]
@triton.jit
def noinline_of_scalars(out, n):
    tl.store(out, twice(n))


#:
@triton.jit
def noinline_of_blocks(p):
    x = twice(tl.arange(0, 4))  #! is noinline and takes no blocks


#: out -> fp32[4]
@triton.jit
def assembly_where_there_is_ptx(out, n):
    x = (n - 3).to(tl.float32)
    if tl.target_info.is_cuda():
        y = tl.inline_asm_elementwise("ex2.approx.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)
    else:
        y = tl.exp2(x)
    tl.store(out, y)


#: x = i8[1, 2, 3, 4, 5, 6, 7, 8]
#: out -> i32[3, 4, 5, 6, 7, 8, 9, 10]
@triton.jit
def packed_assembly(out, x):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    if tl.target_info.is_cuda():
        a, b = tl.inline_asm_elementwise(
            "add.u32 $0, $2, $3; mov.b32 $1, $2;",
            "=r,=r,r,r",
            [v, tl.full([8], 2, tl.int8)],
            dtype=(tl.int8, tl.int8),
            is_pure=False,
            pack=4,
        )
    else:
        a, b = v + 2, v
    tl.store(out + i, a + b - v)


# Operands that are numbers in the text, and one that has the register of the result.
#: x = i32[1, 2, 3, 4]
#: out -> i32[32, 64, 96, 128, 24, 25, 26, 27]
@triton.jit
def numbers_in_assembly(out, x, SHIFT: tl.constexpr = 5):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    if tl.target_info.is_cuda():
        a = tl.inline_asm_elementwise("shl.b32 $0, $1, $2;", "=r,r,n", [v, SHIFT], dtype=tl.int32, is_pure=True, pack=1)
        b = tl.inline_asm_elementwise("add.s32 $0, $0, $2;", "=r,0,i", [v, 23], dtype=tl.int32, is_pure=True, pack=1)
    else:
        a = v << SHIFT
        b = v + 23
    tl.store(out + i, a)
    tl.store(out + 4 + i, b)


#:
@triton.jit
def assembly_arguments(p, n):
    a = tl.inline_asm_elementwise("", "=r", n, dtype=tl.int32, is_pure=True, pack=1)  #! a tuple or list
    b = tl.inline_asm_elementwise("", "=r", [], dtype=1, is_pure=True, pack=1)  #! a type or a tuple of types
    c = tl.inline_asm_elementwise("", "=r", [], dtype=tl.int32, is_pure=True, pack=0)  #! a power of two up to 64


#: options = --num-warps=4
#: out -> i32[4, 128, 1]
@triton.jit
def launch_size(out):
    tl.store(out, tl.extra.cuda.num_warps())
    tl.store(out + 1, tl.extra.cuda.num_threads())
    if tl.target_info.is_cuda():
        tl.store(out + 2, (tl.extra.cuda.globaltimer() > 0) & (tl.extra.cuda.smid() >= 0))
    else:
        tl.store(out + 2, 1)


#:
@triton.jit
def launch_size_unknown(p):
    n: tl.constexpr = tl.extra.cuda.num_warps()  #! needs a given number of warps
