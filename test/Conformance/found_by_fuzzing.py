# What the differential fuzzer found (docs/fuzzing.md), each as the smallest kernel that shows it.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


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
