# A module-level choice by what only Python knows: of its values, those that are known must agree, as definitions must that
# stand under such conditions.
#
# RUN: tilec %s --kernel=agreed --sig='out=*u32' --emit=tile -o - | FileCheck %s
# RUN: tilec %s --kernel=one_known --sig='out=*u32' --emit=tile -o - | FileCheck %s
# RUN: not tilec %s --kernel=different --sig='out=*u32' --emit=tile 2>&1 | FileCheck %s --check-prefix=DIFFERENT
# RUN: not tilec %s --kernel=plain --sig='out=*u32' --emit=tile 2>&1 | FileCheck %s --check-prefix=PLAIN
#
# CHECK: arith.constant 16 : i32
# DIFFERENT: unknown_choice.py:[[#]]:19: error: argument 'value' of tl.store must be a tensor or a number, found a global of the host program
# PLAIN: unknown_choice.py:[[#]]:19: error: cannot read the global 'PLAIN' in a kernel: it is not a tl.constexpr
import triton
import triton.language as tl
from somewhere import HAS_FEATURE

AGREED = tl.constexpr(16) if HAS_FEATURE else 16
ONE_KNOWN = HAS_FEATURE if HAS_FEATURE else tl.constexpr(16)
DIFFERENT = tl.constexpr(16) if HAS_FEATURE else 5
PLAIN = 16 if HAS_FEATURE else 16


@triton.jit
def agreed(out):
    tl.store(out, AGREED)


@triton.jit
def one_known(out):
    tl.store(out, ONE_KNOWN)


@triton.jit
def different(out):
    tl.store(out, DIFFERENT)


@triton.jit
def plain(out):
    tl.store(out, PLAIN)
