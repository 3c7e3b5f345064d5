# A folder without __init__.py.
import triton

from plain.tools.more import shift


@triton.jit
def shifted(x):
    return shift(x)
