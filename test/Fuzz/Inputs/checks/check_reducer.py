"""Makes kernels of both kinds smaller for a machine that computes nothing, and prints how small they became.

Edits give kernels that mean nothing (a name without a value, a load outside of its array): those are not smaller
kernels with the same problem, and no reason to end.
"""

import sys

import with_numpy  # noqa: F401

import generator
import products
import reducer
from check import Checker


class IdleLibrary:
    """Leaves memory as it is, so that every kernel that writes something differs."""

    def run(self, *arguments):
        pass


class IdleChecker(Checker):
    def library(self, fp_fusion):
        return IdleLibrary()


def main():
    checker = IdleChecker(None, "idle")
    for name, generate in (("tiles", generator.generate), ("products", products.generate)):
        for seed in range(int(sys.argv[1])):
            program = generate(seed)
            if checker.problem(program) is None:
                continue
            smaller = reducer.reduce(program, checker.problem)
            assert checker.problem(smaller).startswith("difference"), checker.problem(smaller)
            print("%s %d: %s" % (name, seed, "small" if reducer.size(smaller) <= 60 else "size %d" % reducer.size(smaller)))


if __name__ == "__main__":
    main()
