//===- OldDriver.cpp - A CUDA driver that lacks functions ----------------*- C++ -*-===//
//
// Opens as a driver library, and then has nothing but cuInit.
//
//===-------------------------------------------------------------------------------===//

extern "C" __attribute__((visibility("default"))) int cuInit(unsigned) { return 0; }
