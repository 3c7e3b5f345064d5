# RUN: not tilec %s --kernel=near --sig="p=*fp32" --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=HOST
# RUN: not tilec %s --kernel=tiled --sig="p=*fp32" --emit=tile -o - 2>&1 | FileCheck %s --check-prefix=GLUON
# RUN: not tilec %s --kernel=called --sig="p=*fp32" -o %t.o 2>&1 | FileCheck %s --check-prefix=GLUON
# RUN: not tilec-run %s --kernel=near --grid=1 --arg=p=zeros:fp32[1] 2>&1 | FileCheck %s --check-prefix=HOST

# Functions that have the kernel's name but are none.

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl


@triton.jit
def near1(p):
    tl.store(p, 1.0)


def near(p):
    near1[(1,)](p)


@gluon.jit
def tiled(p):
    ttgl.store(p, 1.0)


@gluon.jit(noinline=True)
def called(p):
    ttgl.store(p, 1.0)

# HOST: error: no @triton.jit function is called 'near'; the function of that name has no such decorator
# HOST-NOT: error:
# GLUON: error: no @triton.jit function is called '{{tiled|called}}'; that one is written in Gluon, which is another language than Triton's
# GLUON-NOT: error:
