# The order with the kernels before and after in a stream, which GPUs have from sm_90 on.
#
# RUN: tilec %s --sig='x=*fp32:16' --arch=sm_90 -o - | FileCheck %s
# RUN: not tilec %s --sig='x=*fp32:16' --arch=sm_80 -o - 2>&1 | FileCheck %s --check-prefix=OLD
import triton
import triton.language as tl


# CHECK: griddepcontrol.wait
# CHECK: ld.global
# CHECK: griddepcontrol.launch_dependents
# CHECK: st.global
# OLD: error: tl.extra.cuda.gdc_wait needs compute capability 9.0 or higher
# OLD: error: tl.extra.cuda.gdc_launch_dependents needs compute capability 9.0 or higher
@triton.jit
def between(x):
    i = tl.arange(0, 128)
    tl.extra.cuda.gdc_wait()
    v = tl.load(x + i)
    tl.extra.cuda.gdc_launch_dependents()
    tl.store(x + i, v + 1)
