# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# Functions of the language that are not compiled yet, and names of types that are no functions.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    a = tl.zeros([16, 16], tl.float16)
    # CHECK: not_supported_yet.py:[[@LINE+1]]:5: error: tl.core.extern_elementwise is not supported yet
    tl.core.extern_elementwise("", "", (a,), (), True)
    # CHECK: not_supported_yet.py:[[@LINE+1]]:5: error: tl.tensor_descriptor is not callable in a kernel
    tl.tensor_descriptor(a)
    # CHECK: not_supported_yet.py:[[@LINE+1]]:5: error: tl.tensor_descriptor_type is not callable in a kernel
    tl.tensor_descriptor_type(a)
    # CHECK: not_supported_yet.py:[[@LINE+1]]:5: error: tl.tuple_type is not callable in a kernel
    tl.tuple_type(a)
    # CHECK: not_supported_yet.py:[[@LINE+1]]:5: error: tl.constexpr_type is not callable in a kernel
    tl.constexpr_type(a)
    # CHECK: not_supported_yet.py:[[@LINE+1]]:5: error: tl.slice is not callable in a kernel
    tl.slice(a)

# CHECK-NOT: error:
