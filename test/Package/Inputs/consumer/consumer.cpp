#include "scaling.h"

#include <cstdio>

int main() {
  float x[] = {1, 2, 3, 4}, out[4];
  tilec::Status status = kernels::scale({tilec::cpuStream()}, out, x, 3.0f, 4);
  if (!status)
    return std::puts(status.message()), 1;
  std::printf("scaled: %g %g %g %g\n", out[0], out[1], out[2], out[3]);
}
