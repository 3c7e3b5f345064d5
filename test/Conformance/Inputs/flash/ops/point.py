from typing import NamedTuple

import triton.language as tl

from .. import config


class Point(NamedTuple):
    x: tl.tensor
    y: tl.tensor
    scale: tl.constexpr = config.DOUBLED
