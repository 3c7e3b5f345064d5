# Aggregates: classes with fields and methods.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
from typing import NamedTuple

import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate

from Inputs.flash.ops.ring import Ring


class Pair(NamedTuple):
    first: tl.tensor
    second: tl.tensor


@aggregate
class Point:
    """A class with a docstring."""

    x: tl.tensor
    y: tl.tensor
    scale: tl.constexpr

    @triton.constexpr_function
    def __init__(self, x, y, scale=2):
        self.x = x
        self.y = y
        self.scale = tl.constexpr(scale * SCALE)

    @triton.jit
    def moved(self, by, times: tl.constexpr = 1):
        return Point(self.x + by * times, self.y + by * times, self.scale)

    @triton.jit
    def sum(self):
        return (self.x + self.y) * self.weight(1)

    @triton.constexpr_function
    def weight(self, extra):
        assert extra >= 0
        return self.scale + extra

    @staticmethod
    @triton.jit
    def origin(scale: tl.constexpr):
        zero = 0
        return Point(zero, zero, scale)

    @triton.jit
    def of_pair(pair):
        return Point(pair.first, pair.second)

    def host(self):
        return self.x


SCALE = 1


@triton.language.core._aggregate
class Empty:
    def __init__(self):
        pass

    @triton.jit
    def seven(self):
        return 7


@tl.core._aggregate
class Segment:
    start: Point
    end: Point
    names: tl.tuple
    pair: Pair

    def __init__(self, start, end):
        self.start = start
        self.end = end
        count = 0
        for name in ("a", "b"):
            count += 1
        if count == 2:
            self.names = (count, start.scale)
        else:
            self.names = ()
        self.pair = Pair(self.start.x, self.end.x)

    @triton.jit
    def length(self):
        return self.end.x - self.start.x


@aggregate
class Block:
    data: tl.tensor
    dtype: tl.dtype

    def __init__(self, data):
        self.data = data
        self.dtype = data.dtype

    @triton.jit
    def store(self, out):
        tl.store(out + tl.arange(0, self.data.shape[0]), self.data.to(self.dtype))


@aggregate
class Forgetful:
    x: tl.tensor
    y: tl.tensor

    def __init__(self, x):
        self.x = x


@aggregate
class NoInit:
    x: tl.tensor


@aggregate
class Jitted:
    x: tl.tensor

    @triton.jit
    def __init__(self, x):
        self.x = x


@aggregate
class Derived(Point):
    z: tl.tensor


#: out -> i32[5, 7, 2, 36, 3]
@triton.jit
def fields_and_methods(out, n, m):
    seven = 7
    p = Point(n, y=seven)
    tl.store(out, p.x)
    tl.store(out + 1, p.y)
    tl.store(out + 2, p.scale)
    tl.static_assert(p.scale == 2)
    tl.store(out + 3, p.sum())
    w: tl.constexpr = p.weight(1)
    tl.store(out + 4, w)


#: n = 5
#: out -> i32[8, 10, 8, 11]
@triton.jit
def methods_that_make_values(out, n):
    seven, three = 7, 3
    p = Point(n, seven).moved(1).moved(by=1, times=2)
    tl.store(out, p.x)
    tl.store(out + 1, p.y)
    q = Point.moved(Point.origin(4), 8)
    tl.store(out + 2, q.y)
    r = q.origin(3)
    tl.static_assert(r.scale == 3)
    tl.store(out + 3, Point.of_pair(Pair(p.x, three)).x + r.scale)


@triton.jit
def further(point, far):
    if far > 3:
        return point.moved(100)
    return point.moved(1)


#: n = 5
#: m = 3
#: out -> i32[105, 107, 4, 8]
@triton.jit
def branches_and_results(out, n, m):
    seven = 7
    p = Point(n, seven)
    q = further(p, n)
    tl.store(out, q.x)
    tl.store(out + 1, q.y)
    tl.static_assert(q.scale == 2)
    if n == m:
        r = Point.origin(2)
    else:
        r = Point(m, p.y).moved(1)
    tl.store(out + 2, r.x)
    tl.store(out + 3, r.y)


#: n = 5
#: out -> i32[15, 7]
@triton.jit
def loops(out, n):
    p = Point.origin(2)
    for i in range(n):
        p = Point(p.x + 3, p.y + i, p.scale)
        if i == 3:
            p = Point(p.x, p.y - 3, p.scale)
    while p.y > 7:
        p = Point(p.x, p.y - 1, 2)
    tl.store(out, p.x)
    tl.store(out + 1, p.y)


#: n = 5
#: out -> i32[3, 2, 2, 8]
@triton.jit
def nested(out, n):
    s = Segment(Point(n, n), Point(n + 3, n))
    tl.store(out, s.length())
    tl.store(out + 1, s.names[0])
    tl.store(out + 2, s.names[1])
    tl.static_assert(isinstance(s.start, Point) and not isinstance(s, Point))
    tl.static_assert(isinstance(s.pair, tl.tuple) and not isinstance(s.start, tl.tuple))
    tl.static_assert(hasattr(s, "end") and not hasattr(s, "middle"))
    for i in range(2):
        s = Segment(s.end, s.start)
    t = (s, s.end)
    tl.store(out + 3, t[0].pair.second)


#: out -> fp32[0, 2, 4, 6, 7]
@triton.jit
def blocks(out):
    block = Block(tl.arange(0, 4).to(tl.float32))
    for i in tl.static_range(1):
        block = Block(block.data * 2)
    block.store(out)
    tl.store(out + 4, Empty().seven())


#: out -> i32[6]
@triton.jit
def from_another_file(out):
    start = 2
    ring = Ring(start)
    for i in range(4):
        ring = ring.next()
    tl.store(out, ring.index + ring.SIZE)


#: n = 5
@triton.jit
def assigned_field(n):
    p = Point(n, n)
    p.x = n  #! attributes cannot be assigned in a kernel


#: n = 5
@triton.jit
def forgotten_field(n):
    p = Forgetful(n)  #! __init__ of 'Forgetful' does not set the field 'y'


#: n = 5
@triton.jit
def no_init(n):
    p = NoInit(n)  #! 'NoInit' has no __init__ that sets its fields


#: n = 5
@triton.jit
def jitted_init(n):
    p = Jitted(n)  #! __init__ of 'Jitted' must be a host function or a constexpr function


#: n = 5
@triton.jit
def derived(n):
    p = Derived(n, n)  #! cannot call the derived aggregate 'Derived' in a kernel


#: n = 5
@triton.jit
def too_many(n):
    p = Point(n, n, 1, 2)  #! too many arguments for '__init__'


#: n = 5
@triton.jit
def misspelt(n):
    p = Point(n, n)
    q = p.move(1)  #! 'Point' has no field or method 'move'


#: n = 5
@triton.jit
def host_method(n):
    q = Point(n, n).host()  #! 'host' of 'Point' is host code


#: n = 5
@triton.jit
def changed_type(n):
    p = Point(n, n)
    for i in range(n):  #! the loop-carried variable 'p' is of type Point(int32, int32, constexpr int) before
        p = Point(p.x, p.y, p.scale + 1)


#: n = 5
@triton.jit
def no_tuple(n):
    p = Point(n, n)
    x, y = p  #! cannot unpack Point(int32, int32, constexpr int)


#: n = 5
@triton.jit
def no_operators(n):
    p = Point(n, n)
    q = p + p  #! Point
