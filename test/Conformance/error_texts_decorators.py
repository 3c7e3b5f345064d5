# Errors about @triton.autotune, @triton.heuristics and @triton.jit that no other file is about.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s

import triton
import triton.language as tl


#:
@triton.autotune(configs=[triton.Config(7)], key=[])  #! expected a dictionary of parameter values, {"NAME": value}
@triton.jit
def no_dictionary(p, B: tl.constexpr):
    pass


#:
@triton.autotune(configs=[triton.Config({"B": a}) for a, b in (1, 2)], key=[])  #! the elements of the list cannot be assigned to this target
@triton.jit
def no_pairs(p, B: tl.constexpr):
    pass


#:
@triton.autotune(configs=[triton.Config({"B": a}) for a in 5], key=[])  #! expected a list or a tuple, found
@triton.jit
def no_list(p, B: tl.constexpr):
    pass


#:
@triton.autotune(configs=[triton.Config({"B": a}) for a in range(5000)], key=[])  #! there are more than
@triton.jit
def many(p, B: tl.constexpr):
    pass


#:
@triton.autotune(configs=without_return(), key=[])
@triton.jit
def from_a_function(p, B: tl.constexpr):
    pass


def without_return():  #! the function ends without a return
    x = 1


#:
@triton.autotune(configs=[triton.Config({"B": 1})])  #! triton.autotune needs 'configs' and 'key'
@triton.jit
def without_key(p, B: tl.constexpr):
    pass


#:
@triton.autotune(configs=[triton.Config({"B": 1})], key=[], pre_hook=print)  #! 'pre_hook' is host code, which is not executed
@triton.jit
def with_hook(p, B: tl.constexpr):
    pass


#:
@triton.heuristics({"B": lambda a: 1 if a[0] else 2})  #! ["name"]; other subscripts cannot be evaluated without Python
@triton.jit
def subscript(p, n, B: tl.constexpr):
    pass


#:
@triton.heuristics({"B": lambda a, b: 1})  #! expected a function of one parameter, the arguments by name
@triton.jit
def two_parameters(p, n, B: tl.constexpr):
    pass


#:
@triton.heuristics({"B": nothing})
@triton.jit
def no_value(p, n, B: tl.constexpr):
    pass


def nothing(args):  #! the function ends without a return
    x = 1


#:
@triton.heuristics({"B": lambda a: a["n"][0]})  #! expected a tuple before '[', found
@triton.jit
def number_as_tuple(p, n, B: tl.constexpr):
    pass


#: t = (1, 2)
@triton.heuristics({"B": lambda a: a["t"][2]})  #! is outside of a tuple of 2
@triton.jit
def outside(p, t, B: tl.constexpr):
    pass


#: n = "text"
@triton.heuristics({"B": lambda a: triton.next_power_of_2(a["n"])})  #! triton.next_power_of_2 takes an integer up to 2**61, found
@triton.jit
def power_of_text(p, n, B: tl.constexpr):
    pass


#: t = (1, 2)
@triton.heuristics({"B": lambda a: int(a["t"])})  #! takes a number, found
@triton.jit
def number_of_tuple(p, t, B: tl.constexpr):
    pass


#:
@triton.jit(do_not_specialise=["n"])  #! triton.jit has no argument 'do_not_specialise'; did you mean 'do_not_specialize'?
def misspelt(p, n):
    pass


OPTIONS = {"debug": True}


#:
@triton.jit(**OPTIONS)  #! unpacked arguments cannot be read without Python
def unpacked(p, n):
    pass
