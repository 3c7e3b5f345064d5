import torch  # Not found, and not needed by a kernel.

import triton.language as tl

__all__ = ["WIDTH", "DTYPE", "PLAIN"]

WIDTH = tl.constexpr(4)
HIDDEN = tl.constexpr(1000)
DTYPE = tl.int32
PLAIN = 3
NAMES = ("a", "b")
DOUBLED = tl.constexpr(WIDTH * 2)
DEVICE = torch.device("cuda")
