"""Compares the fuzzer's bounds of products with products whose sums are made one term after the other.

Every result must lie within its bound, and one from which the largest term is missing should not: a bound that lets
that through would find nothing.
"""

import with_numpy  # noqa: F401, I001

import numpy as np

from bounded import BOUNDED, Bounded
from elements import ELEMENTS, FP16, FP32, FP64, convert
from program import Node

DEPTH = 64


def node_of(factor, result, precision=None):
    left = Node("zeros", [], factor, (16, DEPTH))
    return Node("dot", [left, Node("zeros", [], factor, (DEPTH, 8))], result, (16, 8), precision=precision)


def cut(values, bits):
    """Without the last bits of the significand: what tensor cores take of float32."""
    raw = np.asarray(values, np.float32).view(np.uint32)
    return (raw & np.uint32(0xFFFFFFFF << (23 - bits) & 0xFFFFFFFF)).view(np.float32)


def in_order(left, right, result, random):
    """The sum in a random order, each addition rounded."""
    total = np.zeros((left.shape[0], right.shape[1]), result)
    for k in random.permutation(left.shape[1]):
        total = (total + np.outer(left[:, k], right[k].astype(np.float64)).astype(result)).astype(result)
    return total.astype(np.float64)


def check(title, factor, result, precision, contents, machine, random):
    left, right = [convert(contents(shape), FP64, factor).astype(np.float64) for shape in ((16, DEPTH), (DEPTH, 8))]
    bounded = BOUNDED["dot"](node_of(factor, result, precision), Bounded(left), Bounded(right))
    off = np.abs(machine(left, right) - bounded.value)
    largest = np.abs(left[:, :, None] * right[None]).max(1)
    print("%s: %s, %s, %s" % (title, "inside" if (off <= bounded.error).all() else "outside",
                              "exact" if (bounded.error == 0).all() else "bounded",
                              "finds a lost term" if (bounded.error < largest).all() else "finds nothing"))


def main():
    random = np.random.default_rng(1)
    normal, small = lambda shape: random.normal(0, 1, shape), lambda shape: random.integers(-3, 4, shape)
    single = lambda a, b: in_order(a, b, np.float32, random)  # noqa: E731
    check("small integers", FP16, FP32, None, small, single, random)
    check("halves", ELEMENTS["fp8e4nv"], FP32, None, lambda shape: small(shape) * 0.5, single, random)
    check("float16", FP16, FP32, None, normal, single, random)
    check("sums of float16", FP16, FP16, None, normal, lambda a, b: in_order(a, b, np.float16, random), random)
    check("ieee", FP32, FP32, "ieee", normal, single, random)
    check("tf32", FP32, FP32, "tf32", normal, lambda a, b: single(cut(a, 10), cut(b, 10)), random)
    check("float64", FP64, FP64, None, normal, lambda a, b: in_order(a, b, np.float64, random), random)
    # Less than asked for must be outside.
    check("ieee by tf32", FP32, FP32, "ieee", normal, lambda a, b: single(cut(a, 10), cut(b, 10)), random)
    check("tf32x3 by tf32", FP32, FP32, "tf32x3", normal, lambda a, b: single(cut(a, 10), cut(b, 10)), random)


if __name__ == "__main__":
    main()
