import triton
import triton.language as tl

from ..config import WIDTH
from .compat import aggregate


@aggregate
class Ring:
    index: tl.tensor
    SIZE: tl.constexpr

    @triton.constexpr_function
    def __init__(self, index, size=WIDTH):
        self.index = index
        self.SIZE = size

    @triton.jit
    def next(self):
        return Ring((self.index + 1) % self.SIZE, self.SIZE)
