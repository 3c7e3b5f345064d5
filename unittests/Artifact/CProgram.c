/*===- CProgram.c - Compiled kernels from C ------------------------------*- C -*-===*\
|*
|* Runs a kernel on the CPU and asks for one on a GPU, through the C part of a generated header.
|* Prints what came of it; the test compares.
|*
\*===----------------------------------------------------------------------------===*/

#include "kernels.h"

#include <stdio.h>

int main(void) {
  float x[3] = {1, 2, 3}, out[3] = {0, 0, 0};
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS;
  kernels_scale_constexprs constexprs = KERNELS_SCALE_ANY;
  double x64[1] = {3}, out64[1] = {0};
  uint16_t x16[1] = {0x4000}, out16[1] = {0}; /* 2.0 */
  tilec_status status;
  options.flags = TILEC_LAUNCH_CPU;
  constexprs.BLOCK = 128;
  status = kernels_scale(&options, &constexprs, out, x, 0.5f, 3);
  printf("%s: %g %g %g\n", tilec_status_message(status), out[0], out[1], out[2]);
  tilec_status_release(status);
  /* The other signatures: one with a name of its own, one named by its types. */
  status = kernels_scale_half(&options, &constexprs, out16, x16, 0.5f, 1);
  printf("%s: 0x%x\n", tilec_status_message(status), (unsigned)out16[0]);
  tilec_status_release(status);
  status = kernels_scale_pfp64_pfp64_fp64_i32(&options, &constexprs, out64, x64, 0.5, 1);
  printf("%s: %g\n", tilec_status_message(status), out64[0]);
  tilec_status_release(status);
  status = kernels_prepare_all(NULL);
  printf("%s\n", tilec_status_message(status));
  tilec_status_release(status);
  kernels_unload_all();
  return 0;
}
