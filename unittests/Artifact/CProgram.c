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
  tilec_status status;
  options.flags = TILEC_LAUNCH_CPU;
  constexprs.BLOCK = 128;
  status = kernels_scale_pfp32_pfp32_fp32(&options, &constexprs, out, x, 0.5f, 3);
  printf("%s: %g %g %g\n", tilec_status_message(status), out[0], out[1], out[2]);
  tilec_status_release(status);
  status = kernels_prepare_all(NULL);
  printf("%s\n", tilec_status_message(status));
  tilec_status_release(status);
  kernels_unload_all();
  return 0;
}
