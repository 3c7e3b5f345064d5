# `from triton.language import *` binds what triton.language lists, and nothing else.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import copy
import core
import functools
import math

import triton
from triton.language import *

import operator


#: x = fp32[1]
#: out -> fp32[2.7182817459106445, 3, 8] ~1e-6
@triton.jit
def names_of_the_language(out, x):
    v = load(x)
    store(out, math.exp(v))
    store(out + 1, maximum(v, 3.0))
    for i in range(0, 8):
        store(out + 2, (i + 1).to(float32))


# The module of Python has given way.
#:
@triton.jit
def math_is_that_of_the_language(p):
    x = arange(0, math.gcd(16, 32))  #! no member 'gcd'


#:
@triton.jit
def max_is_that_of_the_language(p, n):
    x = max(n, 3)  #! tl.max takes a block


#:
@triton.jit
def submodules_are_not_listed(p):
    x = core.arange(0, 16)  #! the module 'core'
