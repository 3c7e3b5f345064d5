#include "tilec/Target/Host.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
TEST(Host, Smoke) {
  mlir::DialectRegistry reg; tilec::registerHostTarget(reg);
  mlir::MLIRContext ctx(reg, mlir::MLIRContext::Threading::DISABLED);
  auto m=mlir::parseSourceString<mlir::ModuleOp>("module {}",&ctx);
  auto k=tilec::HostKernel::compile(*m,"x"); ASSERT_FALSE(!!k); llvm::consumeError(k.takeError()); }
