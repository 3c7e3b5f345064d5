/* The same headers in C. Never run. */

#include "tilec/aot.h"
#include "tilec/jit_c.h"
#include "tilec/profile.h"
#include "tilec/runtime_c.h"

#include "kernels.h"

tilec_status useKernels(float *x) {
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS;
  kernels_scale_constexprs wanted = KERNELS_SCALE_ANY;
  wanted.BLOCK = 256;
  wanted.HOW = KERNELS_SCALE_HOW_fast;
  options.flags = TILEC_LAUNCH_CPU;
  return kernels_scale(&options, &wanted, x, x, 2.5f, 4);
}
