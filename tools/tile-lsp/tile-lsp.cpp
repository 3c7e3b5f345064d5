//===- tile-lsp.cpp - tile IR in editors -----------------------*- C++ -*-===//
//
// MLIR's language server with this project's dialects, for people who read or write .mlir files
// here. Registration only.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tilec/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilec::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
