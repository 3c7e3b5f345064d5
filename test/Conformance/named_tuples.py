# Tuples with names: classes derived from NamedTuple, and namedtuple().
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import collections
from collections import namedtuple
from typing import NamedTuple

import triton
import triton.language as tl


class Point(NamedTuple):
    """A class with a docstring and a method, which kernels ignore."""

    x: tl.tensor
    y: tl.tensor
    scale: tl.constexpr = 2

    def host_method(self):
        return self.x


Pair = namedtuple("Pair", ["first", "second"])
Triple = collections.namedtuple("Triple", "a, b c")


@triton.jit
def moved(point, by):
    return Point(point.x + by, point.y + by, point.scale)


@triton.jit
def first_of(pair):
    if pair.first > 100:
        return Pair(pair.first, pair.first)
    return pair


#: out -> i32[5, 7, 2, 3]
@triton.jit
def fields(out, n):
    p = Point(n, y=7)
    tl.store(out, p.x)
    tl.store(out + 1, p[1])
    tl.store(out + 2, p.scale)
    tl.store(out + 3, len(p))
    tl.static_assert(not isinstance(p, Point))
    tl.static_assert(isinstance(p, tl.tuple))
    tl.static_assert(not isinstance(p, Pair))
    tl.static_assert(hasattr(p, "x"))
    tl.static_assert(not hasattr(p, "z"))


#: out -> i32[15, 17, 3]
@triton.jit
def through_helpers(out, n):
    p = moved(Point(n, 7, 3), 10)
    tl.store(out, p.x)
    tl.store(out + 1, p.y)
    tl.store(out + 2, p.scale)


#: out -> i32[10, 32]
@triton.jit
def carried(out, n):
    p = Pair(0, 1)
    for i in range(n):
        p = Pair(second=p.second * 2, first=p.first + i)
    tl.store(out, p.first)
    tl.store(out + 1, p.second)


#: out -> i32[5, 3, 6, 1]
@triton.jit
def merged(out, n, m):
    p = Pair(n, m)
    if n > 100:
        p = Pair(m, n)
    tl.store(out, p.first)
    tl.store(out + 1, first_of(p).second)
    t = Triple(1, 2, 3)
    tl.store(out + 2, t.a + t.b + t.c)
    a, b, c = t
    tl.store(out + 3, a)


#:
@triton.jit
def constant_fields(p):
    t: tl.constexpr = Triple(4, 8, 16)
    x = tl.zeros((t.a, t.c), tl.int32)
    tl.static_assert(x.shape == (4, 16))
    tl.static_assert(t[1:] == (8, 16))


#:
@triton.jit
def wrong_fields(p, n):
    a = Point(n)  #! missing field 'y' of 'Point'
    b = Point(n, n, z=1)  #! has no field 'z'
    c = Pair(1, 2, 3)  #! too many arguments for 'Pair'
    d = Pair(1, first=2)  #! given twice
    e = Pair(1, 2)
    f = e.third  #! no attribute 'third'
    g = Pair  #! cannot assign the class 'Pair'


#:
@triton.jit
def classes_differ(p, n):
    a = Pair(1, 2)
    if n > 0:  #! the initial value of 'a'
        a = (1, 2)


#:
@triton.jit
def slices_have_no_names(p, n):
    a = Pair(n, 2)[:]
    b = a.first  #! no attribute 'first'
