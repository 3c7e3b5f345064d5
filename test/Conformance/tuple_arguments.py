# Tuples and named tuples as arguments of kernels: each element is typed and specialised as an argument
# of its own.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
from typing import NamedTuple

import triton
import triton.language as tl


class Matrix(NamedTuple):
    data: tl.tensor
    rows: tl.tensor
    stride: tl.constexpr = 1


class Pair(NamedTuple):
    first: Matrix
    second: tl.tensor


@triton.jit
def twice(x):
    return 2 * x


@triton.jit
def address(m, i):
    return m.data + i * m.stride


#: x = (7, 2147483648, 9223372036854775808, -3, True, 2.5)
@triton.jit
def types_of_elements(p, x):
    tl.static_assert(len(x) == 6)
    tl.static_assert(x[0].dtype == tl.int32)
    tl.static_assert(x[1].dtype == tl.int64)
    tl.static_assert(x[2].dtype == tl.uint64)
    tl.static_assert(x[3].dtype == tl.int32)
    tl.static_assert(x[4].dtype == tl.int1)
    tl.static_assert(x[5].dtype == tl.float32)


#: x = (7, 1, None, (1, 5))
#: out -> i32[7, 1, 1, 5]
@triton.jit
def one_and_none_fold(out, x):
    tl.static_assert(x[2] is None)
    tl.static_assert(isinstance(x[1], int))
    tl.static_assert(isinstance(x[3][0], int))
    tl.store(out, x[0])
    tl.store(out + 1, x[1])
    tl.store(out + 2, x[3][0])
    tl.store(out + 3, x[3][1])


#: x = (1, 5)
#: out -> i32[1, 5]
@triton.jit(do_not_specialize=["x"])
def lists_do_not_reach_elements(out, x):
    tl.static_assert(isinstance(x[0], int))
    tl.store(out, x[0])
    tl.store(out + 1, x[1])


#: x = (i32[1, 2, 3], (fp32[0.5, 1.5, 2.5], 3))
#: out -> fp32[1.5, 3.5, 5.5]
@triton.jit
def arrays(out, x):
    i = tl.arange(0, 4)
    live = i < x[1][1]
    tl.store(out + i, tl.load(x[0] + i, live) + tl.load(x[1][0] + i, live), live)


#: x = (i32*3, 3)
#: x.0 -> i32[0, 1, 2]
@triton.jit
def array_that_is_written(x):
    i = tl.arange(0, 4)
    tl.store(x[0] + i, i, i < x[1])


#: m = Matrix(i32[4, 0, 5, 0], 2, 2)
#: out -> i32[4, 5]
@triton.jit
def named(out, m):
    i = tl.arange(0, 2)
    tl.static_assert(len(m) == 3)
    tl.store(out + i, tl.load(address(m, i), i < m.rows))


#: m = (i32[4, 0, 5, 0], 2, 2)
#: out -> i32[4, 5]
@triton.jit
def annotation_names_the_fields(out, m: Matrix):
    i = tl.arange(0, 2)
    tl.store(out + i, tl.load(address(m, i), i < m.rows))


#: x = Pair(Matrix(i32[4, 5], 2, 1), 7)
#: out -> i32[11, 12]
@triton.jit
def named_in_named(out, x):
    i = tl.arange(0, 2)
    tl.static_assert(isinstance(x.first.stride, int))
    tl.store(out + i, tl.load(address(x.first, i)) + x.second)


#: x = Matrix(None, 4, 5)
#: out -> i32[20]
@triton.jit
def named_constexpr(out, x: tl.constexpr):
    tl.static_assert(x.data is None)
    tl.store(out, x.rows * x.stride)


#: x = (3, 4)
#: out -> i32[3, 4, 3, 6]
@triton.jit
def tuples_are_values(out, x):
    y = x + (3,)
    for i in range(2):
        y = (y[0], y[1], y[2])
    tl.store(out, y[0])
    tl.store(out + 1, y[1])
    tl.store(out + 2, y[2])
    tl.store(out + 3, [twice(v) for v in x][0])


#: x = (twice, 4)
#: out -> i32[8]
@triton.jit
def function_in_a_tuple(out, x):
    tl.store(out, x[0](x[1]))


#: x = ()
@triton.jit
def empty(p, x):
    tl.static_assert(len(x) == 0)


#: x = (2, 3)
#: grid = x[0] * x[-1], 1
#: out -> i32[0, 1, 2, 3, 4, 5]
@triton.jit
def grid_of_elements(out, x):
    tl.store(out + tl.program_id(0), tl.program_id(0))


#: x = (64, 3)
#: out -> i32[1, 64]
@triton.heuristics({"EVEN": lambda args: args["x"][0] % 16 == 0})
@triton.jit
def heuristic_of_elements(out, x, EVEN: tl.constexpr):
    tl.store(out, EVEN)
    tl.store(out + 1, x[0])


#: x = (2, "s")
@triton.jit
def string_in_a_tuple(p, x):  #! is not tl.constexpr: expected an array or a number, found 's'
    pass


#: x = (2, 3)
@triton.jit
def tuple_for_a_type(p, x: tl.int32):  #! is declared as i32, but the argument is the tuple (2, 3)
    pass


#: x = (i32[1], 3)
@triton.jit
def array_in_a_constexpr(p, x: tl.constexpr):  #! expected a value, found (an array, 3)
    pass


#: x = (2, 3, 4)
#: y = (2, 3, 4)
@triton.jit
def wrong_use(p, x: Matrix, y):
    x.rows + 1
    y.rows + 1  #! tuple (int32, int32, int32) has no attribute 'rows'
