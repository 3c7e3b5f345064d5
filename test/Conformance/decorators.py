# What @triton.jit, @triton.autotune and @triton.heuristics say, and how they may be written.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import itertools

import torch

import triton
import triton.language as tl


from triton.runtime.jit import jit as jit_where_defined
from triton.runtime.autotuner import autotune as autotune_where_defined

UNKNOWN = torch.names()


@triton.jit
def twice(x):
    return x * 2


#: n = 1
#: m = 1
#: out -> i32[1]
@triton.jit(do_not_specialize=["n", 2])
def unspecialized(out, n, m):
    tl.static_assert(isinstance(n, tl.tensor))
    tl.static_assert(isinstance(m, tl.tensor))
    tl.store(out, n)


#: n = 1
#: out -> i32[1]
@triton.jit(do_not_specialize=("n",), do_not_specialize_on_alignment=None)
def unspecialized_by_a_tuple(out, n):
    tl.static_assert(isinstance(n, tl.tensor))
    tl.store(out, n)


#: n = 1
#: out -> i32[1]
@triton.jit(do_not_specialize_on_alignment=["n"])
def alignment_keeps_the_one(out, n):
    tl.static_assert(isinstance(n, int))
    tl.store(out, n)


#: N = 4
@triton.jit(do_not_specialize=["N"])
def unspecialized_constexpr(p, N: tl.constexpr):
    tl.store(p, N)


#: N = 4
@triton.jit(do_not_specialize_on_alignment=[1])
def unaligned_constexpr(p, N: tl.constexpr):
    tl.store(p, N)


#:
@triton.jit(do_not_specialize=UNKNOWN)
def unspecialized_by_name(p, n):
    pass


#:
@triton.jit(do_not_specialize=[None])  #! expected the name or the number of a parameter
def unspecialized_nothing(p, n):
    pass


#:
@triton.jit(do_not_specialize=[True])  #! expected the name or the number of a parameter
def unspecialized_truth(p, n):
    pass


#:
@triton.jit(do_not_specialise=["n"])  #! did you mean 'do_not_specialize'?
def misspelt_keyword(p, n):
    pass


#:
@triton.jit("n")  #! takes keywords only
def positional_argument(p, n):
    pass


#:
@triton.jit
def calls_misspelt_helper(p, n):
    x = misspelt_helper(n)
    y = misspelt_helper(n)


@triton.jit(nooinline=True)  #! did you mean 'noinline'?
def misspelt_helper(x):
    return x


#: out -> i32[5]
@triton.jit(
    noinline=False,  # as without it
    debug=False,
    repr=lambda _: "name",
    launch_metadata=None,
    version=None,
)
def all_keywords(out, n):
    tl.store(out, n)


#: out -> i32[5]
@triton.jit()
def no_keywords(out, n):
    tl.store(out, n)


#: out -> i32[5]
@(triton.jit)
def in_parentheses(out, n):
    tl.store(out, n)


@triton.autotune(configs=[triton.Config({"B": 8}, num_warps=4), triton.Config({"B": 16})], key=["n"])
@triton.jit
def tuned(p, n, B: tl.constexpr):
    tl.store(p, B)


#:
@triton.jit
def calls_a_launcher(p, n):
    tuned(p, n, 8)  #! autotune or heuristics make it a launcher


#: out -> i32[8]
@triton.autotune(configs=[triton.Config({"B": 8}, num_warps=2)], key=["absent", "n"])
@triton.heuristics(values={"C": lambda args: args["B"]})
@triton.jit
def unknown_names_in_the_key(out, n, B: tl.constexpr, C: tl.constexpr):
    tl.store(out, C)


#: out -> i32[40]
@triton.heuristics({"B": lambda args: 8 * args["n"], "C": lambda a: a["B"]})
@triton.jit
def heuristics_see_earlier_ones(out, n, B: tl.constexpr, C: tl.constexpr):
    tl.store(out, C)


#: out -> i32[10]
@triton.autotune(configs=[triton.Config({"F": twice})], key=[])
@triton.jit
def function_in_a_configuration(out, n, F: tl.constexpr):
    tl.store(out, F(n))


#: out -> i32[32]
@triton.autotune(configs=configs_of_a_loop(), key=[])
@triton.jit
def configs_by_a_function(out, n, B: tl.constexpr):
    tl.store(out, B)


def configs_of_a_loop(largest=64):
    configs = []
    for size, warps in itertools.product((8, 16, 32, 64), [1, 2]):
        if size == largest:
            continue
        options = {"B": size}
        configs.append(triton.Config(options.copy(), num_warps=warps))
    return [config for config in configs if is_wanted(config)]


def is_wanted(config):
    return config.kwargs["B"] == 32 and config.num_warps == 2 and config.num_stages == 3


#: out -> i32[16]
@triton.autotune(configs=list(filter(lambda c: c.kwargs["B"] > 8, [triton.Config({"B": b}) for b in (8, 16)])), key=[])
@triton.jit
def filtered_configs(out, n, B: tl.constexpr):
    tl.store(out, B)


#:
@triton.autotune(configs=configs_of_the_host(), key=[])
@triton.jit
def configs_from_the_host(p, n, B: tl.constexpr):
    pass


def configs_of_the_host():
    configs = []
    for size in torch.sizes():  #! cannot read 'sizes' of the module 'torch'
        configs.append(triton.Config({"B": size}))
    return configs


#:
@triton.autotune(configs=configs_with_a_mistake(), key=[])  #! has no parameter 'BB'
@triton.jit
def mistaken_configs_from_the_host(p, n, B: tl.constexpr):
    pass


def configs_with_a_mistake():
    configs = []
    for size in (8, 16):
        configs += [triton.Config({"BB": size})]
    return configs


#:
@triton.autotune(configs=configs_of_numbers(), key=[])  #! expected triton.Config(..) or a list of them
@triton.jit
def no_configs_from_the_host(p, n, B: tl.constexpr):
    pass


def configs_of_numbers():
    if True:
        return [1, 2]


#:
@triton.autotune(configs=[triton.Config({"BB": 8})], key=[])  #! has no parameter 'BB'
@triton.jit
def config_for_no_parameter(p, n, B: tl.constexpr = 8):
    pass


#:
@triton.autotune(configs=[triton.Config({}, num_warps=3)], key=[])  #! a power of two up to 32
@triton.jit
def config_with_three_warps(p, n):
    pass


#:
@triton.autotune(configs=[triton.Config({}, num_wraps=4)], key=[])  #! did you mean 'num_warps'?
@triton.jit
def config_misspelt(p, n):
    pass


#: out -> i32[5]
@triton.autotune([], key=[])
@triton.jit
def no_configs(out, n):
    tl.store(out, n)


def warps_for(args):
    size = args.get("n", 0)
    return 4 if size < 100 else 8


#: n = 40
#: out -> i32[64]
@triton.heuristics({"B": lambda args: args.get("n") + args.get("missing", 24), "num_warps": warps_for,
                    "num_stages": lambda args: 2})
@triton.jit
def heuristics_of_a_launch(out, n, B: tl.constexpr):
    tl.store(out, B)


#:
@triton.heuristics({"num_warps": lambda args: 3})  #! the heuristic for 'num_warps': expected 'num_warps' to be a power of two up to 32, found 3
@triton.jit
def heuristic_of_three_warps(p, n):
    pass


#:
@triton.heuristics({"num_wraps": lambda args: 4})  #! has no parameter 'num_wraps'
@triton.jit
def heuristic_misspelt(p, n):
    pass


# Decorators may come from where Triton defines them.
#: out -> i32[2]
@autotune_where_defined(configs=[triton.Config({"STEP": 2})], key=[])
@jit_where_defined
def from_where_defined(out, STEP: tl.constexpr):
    tl.store(out, STEP)


@triton.autotune(configs=[triton.Config({"STEP": 2})], key=[])
@triton.jit
def tuned_body(out, STEP: tl.constexpr):
    tl.store(out, STEP)


body_of_tuner = tuned_body.fn


# A kernel cannot call a tuner, but what it is around.
#: out -> i32[3]
@triton.jit
def calls_what_is_tuned(out):
    body_of_tuner(out, 3)


#:
@triton.jit
def calls_a_tuner(p):
    tuned_body(p, 3)  #! cannot call 'tuned_body' in a kernel: autotune or heuristics make it a launcher
