# Names that come from other files: packages, folders, aliases, re-exports, circles.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import torch
import triton
import triton.language as tl

import Inputs.flash.config
import Inputs.flash.ops.utils as utils
import Inputs.plain.tools
from Inputs import flash
from Inputs.flash import (DTYPE, WIDTH, Point, exported_add_one, fast_add,
                          scale_by as scaled)
from Inputs.flash.config import PLAIN, WIDTH as W
from Inputs.flash.ops import loop_b
from Inputs.flash.ops.utils import *
from Inputs.plain.helpers import shifted
from .Inputs.flash.ops.utils import add_one as relative_add_one

if torch.cuda.is_available():
    from Inputs.flash.ops.utils import twice as doubled
else:
    from Inputs.flash.ops.utils import twice as doubled

OWN = tl.constexpr(utils.OFFSET + 1)
COPY = utils.OFFSET


#: out -> i32[1, 2, 3, 4]
@triton.jit
def function(out):
    i = tl.arange(0, 4)
    tl.store(out + i, exported_add_one(i))


#: out -> i32[100, 104, 108, 112]
@triton.jit
def default_of_its_own_module(out):
    i = tl.arange(0, 4)
    tl.store(out + i, scaled(i))


#: out -> i32[3, 4, 5, 6]
@triton.jit
def renamed_and_relative(out):
    i = tl.arange(0, 4)
    tl.store(out + i, relative_add_one(add_one(utils.add_one(i))))


#: out -> i32[4, 4, 8, 101, 100, 100]
@triton.jit
def constants(out):
    tl.store(out, WIDTH)
    tl.store(out + 1, W)
    tl.store(out + 2, doubled(W))
    tl.store(out + 3, OWN)
    tl.store(out + 4, COPY)
    tl.store(out + 5, OFFSET)
    tl.static_assert(DTYPE == tl.int32)


#: out -> i32[0, 3, 6]
#: n = 3
@triton.jit
def members_act_as_literals(out, n):
    tl.static_assert(flash.config.PLAIN == 3)
    tl.static_assert(Inputs.flash.config.DOUBLED == 8)
    tl.static_assert(len(flash.config.NAMES) == 2)
    if flash.config.PLAIN == 3:
        for i in range(flash.config.PLAIN):
            tl.store(out + i, i * flash.config.PLAIN)


#: out -> i32[9]
@triton.jit
def handler_of_a_failed_import(out):
    tl.store(out, fast_add(4, 5))


#: out -> i32[1011]
@triton.jit
def circle(out):
    tl.store(out, utils.through_loop(1))
    tl.static_assert(loop_b.b_value == 10)


#: out -> i32[5, 6, 8]
@triton.jit
def named_tuple(out):
    p = Point(5, 6)
    tl.store(out, p.x)
    tl.store(out + 1, p.y)
    tl.static_assert(Point(5, 6).scale == 8)
    tl.store(out + 2, flash.ops.point.Point(1, 2).scale)


#: out -> i32[108]
@triton.jit
def folders_without_init(out):
    tl.store(out, shifted(1))
    tl.static_assert(Inputs.plain.tools.more.SHIFT == 7)


#: out -> i32[2]
@triton.jit
def function_as_argument(out):
    tl.store(out, utils.apply(utils.add_one, 1))


#: out -> i32[3]
@triton.jit
def the_language_through_a_module(out):
    i = utils.alias_of_tl.arange(0, 4)
    tl.store(out, utils.alias_of_tl.max(i, 0))


#:
@triton.jit
def plain_value(p):
    tl.store(p, PLAIN)  #! cannot read the global 'PLAIN' in a kernel: it is not a tl.constexpr


#:
@triton.jit
def name_not_in_all(p):
    tl.store(p, flash.HIDDEN)  #! module 'Inputs.flash' has no member 'HIDDEN'


#:
@triton.jit
def module_not_found(p):
    tl.store(p, torch.ones(1))  #! cannot read 'ones' of the module 'torch': there is no file of that module


#:
@triton.jit
def misspelt(p):
    tl.store(p, utils.ad_one(1))  #! module 'Inputs.flash.ops.utils' has no member 'ad_one'; did you mean 'add_one'?


#:
@triton.jit
def module_in_a_variable(p):
    u = utils  #! cannot assign module 'Inputs.flash.ops.utils' to a variable
