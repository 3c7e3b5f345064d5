//===- HostExprText.cpp - Host expressions from text ------------*- C++ -*-===//
//
// Grids on command lines and in programs: names stand for arguments and constants, functions need
// no module in front.
//
//===----------------------------------------------------------------------===//

#include "HostExprBuilder.h"
#include "tilec/Language/Parser.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

namespace {
class TextReader : private HostExprBuilder {
public:
  explicit TextReader(DiagnosticEngine &diagnostics) : diagnostics(diagnostics) {}
  using HostExprBuilder::readExpr;

private:
  std::optional<Ref> readLeaf(const ast::Expr &expr) override;
  std::optional<HostExpr::Function> functionOf(const ast::Expr &callee) override;
  void report(llvm::SMRange range, const llvm::Twine &message) override {
    diagnostics.error(range, message);
  }

  DiagnosticEngine &diagnostics;
};
} // namespace

std::optional<HostExpr::Ref> TextReader::readLeaf(const ast::Expr &expr) {
  if (auto *name = llvm::dyn_cast<ast::Name>(&expr))
    return HostExpr::argument(name->id.str(), expr.range());
  auto *constant = llvm::dyn_cast<ast::Constant>(&expr);
  if (!constant)
    return std::nullopt;
  auto make = [&](ConstValue value) { return HostExpr::constant(std::move(value), expr.range()); };
  switch (constant->type()) {
  case ast::Constant::Type::Int:
    return make(ConstValue::integer(constant->intValue()));
  case ast::Constant::Type::Float:
    return make(ConstValue::real(constant->floatValue()));
  case ast::Constant::Type::Bool:
    return make(ConstValue::boolean(constant->boolValue()));
  case ast::Constant::Type::None:
    return make(ConstValue::none());
  case ast::Constant::Type::String:
    return make(ConstValue::string(constant->stringValue().str()));
  case ast::Constant::Type::Ellipsis:
    return std::nullopt;
  }
  llvm_unreachable("unknown constant");
}

std::optional<HostExpr::Function> TextReader::functionOf(const ast::Expr &callee) {
  using Function = HostExpr::Function;
  StringRef name;
  if (auto *plain = llvm::dyn_cast<ast::Name>(&callee))
    name = plain->id;
  else if (auto *attribute = llvm::dyn_cast<ast::Attribute>(&callee))
    name = attribute->attr; // triton.cdiv
  return llvm::StringSwitch<std::optional<Function>>(name)
      .Case("cdiv", Function::CDiv)
      .Case("next_power_of_2", Function::NextPowerOf2)
      .Case("min", Function::Min)
      .Case("max", Function::Max)
      .Case("abs", Function::Abs)
      .Case("int", Function::Int)
      .Case("float", Function::Float)
      .Case("bool", Function::Bool)
      .Default(std::nullopt);
}

std::optional<std::vector<HostExpr::Ref>> tilec::parseHostExprs(StringRef text,
                                                                StringRef bufferName,
                                                                llvm::SourceMgr &sourceMgr,
                                                                DiagnosticEngine &diagnostics) {
  unsigned buffer = sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, bufferName), llvm::SMLoc());
  ast::Context context;
  ast::Expr *expr = parseExpression(sourceMgr, buffer, diagnostics, context);
  if (!expr)
    return std::nullopt;
  auto *tuple = llvm::dyn_cast<ast::Tuple>(expr);
  std::vector<HostExpr::Ref> result;
  for (const ast::Expr *element : tuple ? tuple->elements : llvm::ArrayRef(expr)) {
    result.push_back(TextReader(diagnostics).readExpr(*element));
    if (!result.back())
      return std::nullopt;
  }
  return result;
}
