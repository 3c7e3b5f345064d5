"""A package of kernels: what it re-exports is imported from here."""
from .config import *
from .ops import Point, scale_by
from .ops.utils import add_one as exported_add_one
from . import config

try:
    from .ops.fast import fast_add  # There is no such file.
except ImportError:
    from .ops.utils import slow_add as fast_add
