# Kernels that calls of decorators make, and decorators with names of their own.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import functools
from functools import partial

import triton
import triton.language as tl


def store_sum(out, n, BLOCK: tl.constexpr):
    tl.store(out, n + BLOCK)


#: n = 5
#: BLOCK = 3
#: out -> i32[8]
#: kernel = by_call
by_call = triton.jit(store_sum)

#: n = 1
#: BLOCK = 3
#: out -> i32[4]
#: kernel = with_keywords
with_keywords = triton.jit(do_not_specialize=["n"])(store_sum)

#: n = 1
#: BLOCK = 3
#: out -> i32[4]
#: kernel = keywords_inside
keywords_inside = triton.jit(store_sum, do_not_specialize=["n"])

#: kernel = annotated
#: n = 5
#: BLOCK = 3
#: out -> i32[8]
annotated: "triton.JITFunction" = triton.jit(store_sum)

CONFIGS = [triton.Config({"BLOCK": 32}, num_warps=2)]

#: n = 5
#: out -> i32[37]
#: kernel = tuned
tuned = triton.autotune(configs=CONFIGS, key=["n"])(by_call)

#: n = 5
#: out -> i32[10]
#: kernel = guessed
guessed = triton.heuristics({"BLOCK": lambda args: args["n"]})(triton.jit(store_sum))

#: n = 5
#: out -> i32[9]
#: kernel = nested_calls
nested_calls = triton.autotune([triton.Config({"BLOCK": 4})], key=[])(
    triton.jit(
        store_sum  # the function
    )
)

tune = triton.autotune(configs=[triton.Config({"BLOCK": 8})], key=[])
guess = triton.heuristics({"BLOCK": lambda args: args["n"] + 1})
compiled = triton.jit
unspecialized = partial(triton.jit, do_not_specialize=["n"])


def checked(function):
    """A decorator made of others."""
    return triton.jit(function, debug=True)


#: n = 5
#: out -> i32[13]
@tune
@triton.jit
def under_a_name(out, n, BLOCK: tl.constexpr):
    tl.store(out, n + BLOCK)


#: n = 5
#: out -> i32[11]
@guess
@compiled
def under_two_names(out, n, BLOCK: tl.constexpr):
    tl.store(out, n + BLOCK)


#: n = 5
#: out -> i32[5]
@unspecialized
def under_a_partial(out, n):
    tl.store(out, n)


#: n = 5
#: out -> i32[5]
@functools.partial(triton.jit, noinline=True)
def under_a_partial_call(out, n):
    tl.store(out, n)


#: n = 5
#: out -> i32[6]
@checked
def under_a_function(out, n):
    tl.store(out, helper(n))


#: n = 5
#: out -> i32[13]
#: kernel = name_of_a_decorator
name_of_a_decorator = tune(compiled(store_sum))


def add_one(x):
    return x + 1


helper = triton.jit(add_one)
alias = helper


def calls_helpers_body(out, n):
    tl.store(out, alias(helper(n)))


#: n = 5
#: out -> i32[7]
#: kernel = calls_helpers
calls_helpers = triton.jit(calls_helpers_body)


def square(n):
    return n * n


area = triton.constexpr_function(square)


#: out -> i32[16]
@triton.jit
def constexpr_by_call(out):
    tl.store(out + tl.arange(0, area(1)), area(4))


# The function itself stays host code.
#: n = 5
#: out = i32*1
@triton.jit
def calls_the_host_function(out, n):
    tl.store(out, add_one(n))  #! host function 'add_one'


# A tuned kernel cannot be called, however it is made.
#: n = 5
#: out = i32*1
@triton.jit
def calls_a_tuned_kernel(out, n):
    tuned(out, n)  #! cannot call 'tuned' in a kernel
