#include "kernels.h"
#include "tensors.h"

#include <cstdio>

int main() {
  float x[] = {1, 2, 3, 4}, out[4];
  tilec::Status status = kernels::scale({tilec::cpuStream()}, out, x, 2.0f, 4);
  if (!status)
    return std::puts(status.message()), 1;
  alignas(16) double from[3 * 6] = {}, to[3 * 6] = {};
  from[17] = 4;
  status = tensors::twice({tilec::cpuStream()}, {to, {3, 6}}, {from, {3, 6}});
  if (!status || to[17] != 8)
    return std::puts(status.message()), 1;
  if (tensors::twice({tilec::cpuStream()}, {to, {2, 6}}, {from, {3, 6}}))
    return std::puts("a condition does not count"), 1;
  std::printf("ahead: %g %g %g %g\n", out[0], out[1], out[2], out[3]);
}
