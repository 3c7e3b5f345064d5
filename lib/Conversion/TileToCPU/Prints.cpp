//===- Prints.cpp - output while a kernel runs -----------------*- C++ -*-===//
//
// One line is one call of printf, which locks: lines of programs on several threads do not mix.
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Texts.h"

#include "tilec/Dialect/Tile/Analysis/PrintFormat.h"

using namespace mlir;
using namespace tilec::tile;
using namespace tilec::tile::cpu;

static LLVM::LLVMFuncOp getPrintFunction(ModuleOp module) {
  constexpr StringLiteral name = "printf";
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(),
                                          {LLVM::LLVMPointerType::get(builder.getContext())},
                                          /*isVarArg=*/true);
  return LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
}

void cpu::emitPrint(const KernelState &state, OpBuilder &builder, PrintOp op, ValueRange index,
                    Value element) {
  Location loc = op.getLoc();
  auto module = op->getParentOfType<ModuleOp>();
  SmallVector<Value> arguments = {
      LLVM::AddressOfOp::create(builder, loc, globalOfText(module, loc, printFormat(op)))};
  llvm::append_range(arguments, state.grid.take_front(3));
  for (Value position : index)
    arguments.push_back(arith::IndexCastOp::create(builder, loc, builder.getI32Type(), position));
  if (element) {
    if (isa<LLVM::LLVMPointerType>(element.getType()))
      element = LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), element);
    arguments.push_back(printArgument(builder, op, element));
  }
  LLVM::CallOp::create(builder, loc, getPrintFunction(module), arguments);
}
