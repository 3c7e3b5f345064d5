"""How the short kernels of a decoding step overlap."""

import triton
import triton.language as tl


@triton.jit
def follow():
    """Waits until the kernels before are over, whose results this one reads.

    In a dependent launch, which GPUs have from compute capability 9.0 on, programs start as soon as those before leave
    room; in others there is nothing to wait for.
    """
    if tl.target_info.cuda_capability_geq(9, 0):
        tl.extra.cuda.gdc_wait()
