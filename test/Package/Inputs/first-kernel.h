// What the snippet of docs/first-kernel.md takes for granted: the header that its build has made.

#include "build/kernels.tilec/kernels.h"
