// Kernels of three objects in one namespace. Arguments say what to do, in order.

#include "first.h"
#include "second.h"
#include "third.h"

#include <cstdio>
#include <cstring>

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    int x = 0;
    tilec::Status status;
    if (!std::strcmp(argv[i], "first"))
      status = kernels::first({tilec::cpuStream(), 1}, &x);
    else if (!std::strcmp(argv[i], "second"))
      status = kernels::second({tilec::cpuStream(), 1}, &x);
#ifndef WITHOUT_THIRD
    else if (!std::strcmp(argv[i], "third"))
      status = kernels::third({tilec::cpuStream(), 1}, &x);
#endif
    else
      status = kernels::prepare_all(tilec::cpuStream());
    std::printf("%s: %d, %s\n", argv[i], x, status.message());
    kernels::unload_all();
  }
}
