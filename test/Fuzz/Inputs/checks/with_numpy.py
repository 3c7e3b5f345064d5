"""Makes the fuzzer's modules importable, in a Python that has NumPy."""

import os
import sys

sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "..")
sys.path[:0] = [os.path.join(ROOT, "utils", "fuzz"), os.path.join(ROOT, "test")]
import features

try:
    import numpy  # noqa: F401
except ImportError:
    python = features.python_with_numpy()
    os.execv(python, [python] + sys.argv)
