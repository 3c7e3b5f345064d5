//===- TestPasses.h - passes that only tests use ---------------*- C++ -*-===//

#ifndef TILEC_TEST_LIB_TESTPASSES_H
#define TILEC_TEST_LIB_TESTPASSES_H

namespace tilec::test {

/// Registers the passes of test/lib with MLIR. Called by tile-opt in builds with tests, once.
void registerTestPasses();

} // namespace tilec::test

#endif // TILEC_TEST_LIB_TESTPASSES_H
