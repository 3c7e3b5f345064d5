//===- tile-opt.cpp - runs passes on tile IR -------------------*- C++ -*-===//
//
// For tests and for people who read IR: mlir-opt with this project's dialects and passes, and the
// upstream ones that its pipelines use. Registration only.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tilec/InitAll.h"
#ifdef TILEC_HAS_TEST_PASSES
#include "TestPasses.h"
#endif

int main(int argc, char **argv) {
  tilec::registerAllPasses();
#ifdef TILEC_HAS_TEST_PASSES
  tilec::test::registerTestPasses();
#endif
  mlir::DialectRegistry registry;
  tilec::registerAllDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tile IR optimiser driver\n", registry));
}
