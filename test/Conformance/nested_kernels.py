# Kernels within functions, classes and blocks of host code.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import torch

import triton
import triton.language as tl

SIZE = tl.constexpr(16)
HIDDEN = tl.constexpr(1)


@triton.jit
def outer_helper(x):
    return x + 1


#: kernel = in_class
#: n = 5
#: out -> i32[22]
class Operations:
    """Names of a class are not those of its functions."""

    HIDDEN = tl.constexpr(100)

    @staticmethod
    @triton.jit
    def in_class(out, n):
        tl.store(out, outer_helper(n) + SIZE)

    def launch(self, x):
        self.in_class[(1,)](x, 5)


#: kernel = sees_module_names
#: out -> i32[1]
class Inner:
    HIDDEN = tl.constexpr(100)

    class Deeper:
        @triton.jit
        def sees_module_names(out):
            tl.store(out, HIDDEN)


#: kernel = in_function
#: n = 5
#: out -> i32[9]
def make():
    @triton.jit
    def in_function(out, n):
        tl.store(out, inner_helper(n) + LOCAL)

    @triton.jit
    def inner_helper(x):
        return x * 1

    LOCAL = tl.constexpr(4)
    return in_function


#: kernel = with_imports
#: out -> fp32[3.1415927410125732]
def make_with_imports(device, *args, dtype=torch.float32, **options):
    import math

    import triton as T
    import triton.language as language

    @T.jit
    def with_imports(out):
        language.store(out, math.pi)

    return with_imports


#: kernel = with_a_call
#: n = 5
#: out -> i32[25]
def make_with_a_call():
    def with_a_call(out, n):
        tl.store(out, n * n)

    return triton.jit(with_a_call)


#: kernel = doubly_nested
#: n = 5
#: out -> i32[7]
def make_deeper():
    TWO = tl.constexpr(2)

    def inner():
        @triton.jit
        def doubly_nested(out, n):
            tl.store(out, n + TWO)

        return doubly_nested

    return inner()


#: kernel = tuned_inside
#: n = 5
#: out -> i32[21]
def make_tuned():
    configs = [triton.Config({"BLOCK": 16})]

    @triton.autotune(configs=configs, key=["n"])
    @triton.jit
    def tuned_inside(out, n, BLOCK: tl.constexpr):
        tl.store(out, n + BLOCK)

    return tuned_inside


#: kernel = in_method
#: n = 5
#: out -> i32[15]
class Generator(torch.nn.Module):
    @property
    def kernel(self) -> "object":
        @triton.jit
        def in_method(out, n):
            tl.store(out, n + 10)

        return in_method


#: kernel = in_with
#: out -> i32[1]
with torch.no_grad():

    @triton.jit
    def in_with(out):
        tl.store(out, 1)


#: kernel = in_try
#: out -> i32[2]
async def asynchronous():
    try:
        if True:

            @triton.jit
            def in_try(out):
                tl.store(out, 2)
    finally:
        pass


#: kernel = in_loop
#: out -> i32[3]
for name in ("a", "b"):

    @triton.jit
    def in_loop(out):
        tl.store(out, 3)


#: kernel = in_match
#: out -> i32[4]
match torch.version.cuda:
    case None:
        pass
    case (major, minor):

        @triton.jit
        def in_match(out):
            tl.store(out, 4)


# What a call of the function decides is not known.
#: kernel = with_parameter
#: out = i32*64
def make_for(BLOCK, other=1):
    @triton.jit
    def with_parameter(out):
        x = tl.arange(0, BLOCK)  #! the local name 'BLOCK' of a host function
        tl.store(out + other, 1)  #! the local name 'other' of a host function


#: kernel = with_loop_variable
#: out = i32*64
def make_several():
    for WIDTH in (16, 32):

        @triton.jit
        def with_loop_variable(out):
            x = tl.arange(0, WIDTH)  #! the local name 'WIDTH' of a host function


#: kernel = with_plain_local
#: out = i32*64
def make_with_plain():
    PLAIN = 64

    @triton.jit
    def with_plain_local(out):
        x = tl.arange(0, PLAIN)  #! cannot read the global 'PLAIN'


#: kernel = with_computed
#: out = i32*64
def make_computed(n):
    COMPUTED = tl.constexpr(n * 2)
    RENAMED = tl.constexpr(SIZE)
    if n > 4:
        RENAMED = tl.constexpr(8)

    @triton.jit
    def with_computed(out):
        x = tl.arange(0, COMPUTED)  #! a global of the host program
        y = tl.arange(0, RENAMED)  #! several definitions


#: kernel = not_of_the_class
#: out = i32*64
class Constants:
    ONLY_HERE = tl.constexpr(1)

    @staticmethod
    @triton.jit
    def not_of_the_class(out):
        tl.store(out, ONLY_HERE)  #! 'ONLY_HERE' is not defined


#: kernel = twice
#: out = i32*64
def first():
    @triton.jit
    def twice(out):
        tl.store(out, 1)


class Second:
    @triton.jit
    def twice(out):  #! several functions or classes have a kernel 'twice' inside
        tl.store(out, 1)


#: kernel = at_module_level
#: out -> i32[1]
def shadowed():
    @triton.jit
    def at_module_level(out):
        tl.store(out, 2)


@triton.jit
def at_module_level(out):
    tl.store(out, 1)
