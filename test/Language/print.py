# What a kernel prints, on the CPU, and that the GPU's code prints the same format.
#
# RUN: tilec-run %s --kernel=k --target=cpu --grid=1 --arg x='values(1.5,-2):fp32[2]' --arg n=7 | FileCheck %s
# RUN: tilec %s --kernel=k --sig='x=*fp32,n=i32' --emit=nvvm -o - | FileCheck %s --check-prefix=GPU
#
# CHECK: pid (0, 0, 0) here 100%
# CHECK-NEXT: pid (0, 0, 0) idx (0, 0) x: 1.500000
# CHECK-NEXT: pid (0, 0, 0) idx (0, 1) x: -2.000000
# CHECK-NEXT: pid (0, 0, 0) idx () n: 7
# CHECK-NEXT: pid (0, 0, 0) idx () n: 5
# CHECK-NEXT: pid (0, 0, 0) idx (0) hex: 0xffff
# CHECK-NEXT: pid (0, 0, 0) idx (1) hex: 0x0000
# CHECK-NEXT: pid (0, 0, 0) idx () big: 4294967295
#
# GPU-DAG: llvm.mlir.global internal constant @__tilec_format_0("pid (%d, %d, %d) here 100%%\0A\00")
# GPU-DAG: llvm.mlir.global internal constant @__tilec_format_1("pid (%d, %d, %d) idx (%d, %d) x: %f\0A\00")
# GPU-DAG: llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
# GPU: llvm.call @vprintf
import triton
import triton.language as tl


@triton.jit
def k(x, n):
    tl.device_print("here 100%")
    tl.device_print("x", tl.load(x + tl.arange(0, 2))[None, :])
    tl.device_print("n: ", n, 5)
    print("hex", (tl.arange(0, 2) - 1).to(tl.int16), hex=True)
    tl.device_print("big", 4294967295)
