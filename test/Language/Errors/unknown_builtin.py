# RUN: not tilec %s --kernel=k --sig="p=*fp32,n=i32" --emit=tile -o - 2>&1 | FileCheck %s

# A misspelt function of the language.

import triton
import triton.language as tl


@triton.jit
def k(p, n):
    pid = tl.progam_id(0)

# CHECK: unknown_builtin.py:11:14: error: module 'triton.language' has no member 'progam_id'; did you mean 'program_id'?
# CHECK-NOT: error:
