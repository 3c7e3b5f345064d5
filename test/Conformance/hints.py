# Promises, checks at compile time, questions about the target: what they take and that they change nothing.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl
from triton.language import target_info


#: n = 16
#: out -> i32[16, 17, 18, 19, 20, 21, 22, 23, 0, 1, 2, 3, 4, 5, 6, 7, 16, 16, 7]
@triton.jit
def promises_give_their_argument(out, n):
    i = tl.arange(0, 8)
    j = tl.max_contiguous(tl.multiple_of(i + n, 8), 8)
    tl.store(out + i, j)
    k = tl.max_contiguous(tl.multiple_of(i[None, :] + tl.zeros([1, 1], tl.int32), [1, 8]), [1, 8])
    tl.store(out + 8 + tl.reshape(tl.arange(0, 8), (1, 8)), k)
    tl.store(out + 16, tl.multiple_of(n, 16))
    tl.store(out + 17, tl.max_constancy(tl.zeros([1], tl.int32) + n, 1).item())
    tl.store(tl.multiple_of(out, 16) + 18, tl.max(tl.max_constancy(i * 0 + 7, [8]), 0))


#: n = 32
#: out -> i32[32]
@triton.jit
def assumptions(out, n):
    tl.assume(n > 0)
    tl.assume(n % 16 == 0)
    tl.assume((n & 7 == 0) & (n < 1000))
    tl.assume(True)
    tl.store(out, n)


#:
@triton.jit
def promise_errors(p, n):
    i = tl.zeros([4, 4], tl.int32)
    tl.multiple_of(i, 8)  #! tl.multiple_of takes one value an axis, expected 2, found 1
    tl.multiple_of(i, [8, 8, 8])  #! tl.multiple_of takes one value an axis, expected 2, found 3
    tl.max_contiguous(i, [n, 1])  #! must be a constexpr integer
    tl.max_contiguous(n, 4)  #! argument 'input' of tl.max_contiguous must be a block
    tl.max_constancy(n, 4)  #! argument 'input' of tl.max_constancy must be a block
    tl.assume(n)  #! tl.assume takes a scalar of type int1, found int32
    tl.assume(i > 0)  #! tl.assume takes a scalar of type int1


#: n = 5
@triton.jit
def static_assertions(p, n):
    tl.static_assert(True)
    tl.static_assert(4 == 2 * 2, "text")
    tl.static_assert(p.dtype.element_ty == tl.int32 and n.dtype == tl.int32, f"{4} is not 4")
    tl.static_assert(False, "always")  #! static assertion failed: always
    tl.static_assert(1 > 2)  #! static assertion failed
    tl.static_assert(1)  #! a constexpr bool
    tl.static_assert(n > 0)  #! a constexpr bool
    tl.static_assert(None)  #! a constexpr bool
    tl.static_assert(True, "a", "b")  #! too many arguments for tl.static_assert


# One program sees one side of each question, and both are constants.
#: out -> i32[1, 0, 0, 0, 1]
@triton.jit
def the_target(out):
    CUDA: tl.constexpr = target_info.is_cuda()
    tl.static_assert(tl.target_info.is_hip() == False)
    if CUDA:
        tl.static_assert(tl.target_info.cuda_capability_geq(7, 0))
        tl.static_assert(tl.target_info.cuda_capability_geq(99) == False)
    else:
        tl.static_assert(tl.target_info.cuda_capability_geq(1, minor=0) == False)
    tl.store(out, 1)
    tl.store(out + 1, 1 if tl.target_info.is_hip() else 0)
    tl.store(out + 2, 1 if tl.target_info.is_hip_cdna3() else 0)
    tl.store(out + 3, 1 if tl.target_info.is_hip_cdna4() else 0)
    tl.store(out + 4, 0 if CUDA and tl.target_info.cuda_capability_geq(8, 0) == False and False else 1)


@triton.constexpr_function
def kind_of_target():
    target = tl.target_info.current_target()
    if target.backend != "cuda":
        return 0
    return 2 if target.arch >= 75 and target.warp_size == 32 else 1


#: out -> i32[0, 0]
@triton.jit
def the_current_target(out):
    KIND: tl.constexpr = kind_of_target()
    tl.store(out, KIND - (2 if target_info.is_cuda() else 0))
    target: tl.constexpr = target_info.current_target()
    tl.store(out + 1, 0 if (target.backend == "cuda") == target_info.is_cuda() else 1)


# A barrier among the threads of a program, whose memory they see behind it.
#: x = i32*64
#: out -> i32[63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
@triton.jit
def barrier(x, out):
    i = tl.arange(0, 64)
    tl.store(x + i, i)
    tl.debug_barrier()
    tl.store(out + i, tl.load(x + 63 - i))
