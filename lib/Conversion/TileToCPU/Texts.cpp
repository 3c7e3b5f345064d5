//===- Texts.cpp - constant texts, and places in the source ----*- C++ -*-===//
//
// Texts are globals of the module. Equal ones are one global.
//
//===----------------------------------------------------------------------===//

#include "Texts.h"

using namespace mlir;
using namespace tilec::tile;

FileLineColLoc cpu::sourcePosition(Location loc) {
  while (true) {
    if (auto file = dyn_cast<FileLineColLoc>(loc))
      return file;
    if (auto named = dyn_cast<NameLoc>(loc))
      loc = named.getChildLoc();
    else if (auto call = dyn_cast<CallSiteLoc>(loc))
      loc = call.getCallee();
    else if (auto fused = dyn_cast<FusedLoc>(loc); fused && !fused.getLocations().empty())
      loc = fused.getLocations().front();
    else
      return FileLineColLoc::get(loc.getContext(), "", 0, 0);
  }
}

std::string cpu::freshName(ModuleOp module, StringRef prefix) {
  std::string name;
  for (unsigned number = 0; name.empty() || module.lookupSymbol(name); ++number)
    name = (prefix + Twine(number)).str();
  return name;
}

LLVM::GlobalOp cpu::globalOfText(ModuleOp module, Location loc, StringRef text) {
  constexpr StringLiteral prefix = "tile_text_";
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  auto bytes = top.getStringAttr(text + Twine('\0'));
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (global.getSymName().starts_with(prefix) && global.getValueAttr() == bytes)
      return global;
  auto type = LLVM::LLVMArrayType::get(top.getI8Type(), bytes.size());
  return LLVM::GlobalOp::create(top, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                freshName(module, prefix), bytes);
}
