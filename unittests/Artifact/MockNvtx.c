/*===- MockNvtx.c - Stands in for libnvToolsExt ---------------------------*- C -*-===*\
|*
|* Prints the ranges that are marked.
|*
\*===----------------------------------------------------------------------------===*/

#include <stdio.h>

__attribute__((visibility("default"))) int nvtxRangePushA(const char *name) {
  return printf("push %s\n", name);
}

__attribute__((visibility("default"))) int nvtxRangePop(void) { return printf("pop\n"); }
