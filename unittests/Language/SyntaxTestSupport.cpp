//===- SyntaxTestSupport.cpp - Helpers of the front end's tests -*- C++ -*-===//
//
// Runs the parser on text and renders what it made in forms that are short enough to compare.
//
//===----------------------------------------------------------------------===//

#include "SyntaxTestSupport.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tilec::ast;

namespace tilec::test {

Source::Source(StringRef text, DiagnosticOptions options)
    : bufferId(sourceMgr.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text, "k.py"), SMLoc())),
      os(printed), engine(sourceMgr, os, options) {}

Module *Source::parse() { return parseModule(sourceMgr, bufferId, engine, context); }

Expr *Source::parseExpr() { return parseExpression(sourceMgr, bufferId, engine, context); }

std::string Source::messages() const {
  std::string result;
  SmallVector<StringRef, 16> lines;
  StringRef(printed).split(lines, '\n');
  for (StringRef line : lines)
    if (line.consume_front("k.py:"))
      result += line.str() + "\n";
  return result;
}

SMRange Source::range(size_t offset, size_t length) const {
  const char *begin = sourceMgr.getMemoryBuffer(bufferId)->getBufferStart() + offset;
  return {SMLoc::getFromPointer(begin), SMLoc::getFromPointer(begin + length)};
}

std::string messagesOf(StringRef text) {
  Source source(text);
  source.parse();
  return source.messages();
}

/// Subtracts the lines of the header from the line numbers in `messages`.
static std::string shiftLines(StringRef messages, unsigned by) {
  std::string result;
  SmallVector<StringRef, 16> lines;
  messages.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    unsigned number = 0;
    bool isNumber = !line.consumeInteger(10, number);
    EXPECT_TRUE(isNumber && number > by) << line.str();
    result += utostr(number - by) + line.str() + "\n";
  }
  return result;
}

static const char kernelHeader[] = "@triton.jit\ndef k(x, n):\n";

std::string kernelMessages(StringRef body) {
  Source source(kernelHeader + body.str());
  Module *module = source.parse();
  FunctionDef *kernel = module->findFunction("k");
  EXPECT_NE(kernel, nullptr);
  EXPECT_EQ(kernel && kernel->hasErrors, source.engine.hasErrors());
  return shiftLines(source.messages(), 2);
}

std::string treeOf(StringRef text) {
  Source source(text);
  Module *module = source.parse();
  EXPECT_EQ(source.output(), "");
  std::string tree;
  raw_string_ostream os(tree);
  if (module)
    printAST(os, source.sourceMgr, *module);
  return tree;
}

std::string kernelTree(StringRef body) {
  std::string tree = treeOf(kernelHeader + body.str());
  size_t start = tree.find("    body\n");
  EXPECT_NE(start, std::string::npos) << tree;
  std::string result;
  SmallVector<StringRef, 64> lines;
  StringRef(tree).substr(start + 9).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    result += line.drop_front(6).str() + "\n";
  return result;
}

//===----------------------------------------------------------------------===//
// Prefix form
//===----------------------------------------------------------------------===//

namespace {

std::string list(const Twine &head, ArrayRef<Expr *> exprs) {
  std::string text = "(" + head.str();
  for (const Expr *expr : exprs)
    text += " " + prefixForm(expr);
  return text + ")";
}

std::string constant(const Constant &expr) {
  switch (expr.type()) {
  case Constant::Type::Int: {
    SmallString<16> digits;
    expr.intValue().toString(digits, 10, /*Signed=*/true);
    return digits.str().str();
  }
  case Constant::Type::Float:
    return std::to_string(expr.floatValue()) + "f";
  case Constant::Type::Bool:
    return expr.boolValue() ? "True" : "False";
  case Constant::Type::String:
    return "'" + expr.stringValue().str() + "'";
  case Constant::Type::None:
    return "None";
  case Constant::Type::Ellipsis:
    return "...";
  }
  return "?";
}

std::string joined(const JoinedStr &expr) {
  std::string text = "(f";
  for (const FStringPart &part : expr.parts) {
    if (!part.value) {
      text += " '" + part.text.str() + "'";
      continue;
    }
    text += " {" + prefixForm(part.value);
    if (part.conversion)
      text += std::string("!") + part.conversion;
    if (part.spec)
      text += ":" + prefixForm(part.spec);
    text += "}";
  }
  return text + ")";
}

std::string call(const Call &expr) {
  std::string text = list("call", {expr.callee});
  text.pop_back();
  for (const Expr *arg : expr.args)
    text += " " + prefixForm(arg);
  for (const Keyword &keyword : expr.keywords)
    text +=
        (keyword.name.empty() ? " **" : " " + keyword.name.str() + "=") + prefixForm(keyword.value);
  return text + ")";
}

std::string comprehension(const ListComp &expr) {
  std::string text = (expr.isGenerator ? "(genexp "
                      : expr.key       ? "(dictcomp "
                                       : "(listcomp ") +
                     (expr.key ? prefixForm(expr.key) + ":" : "") + prefixForm(expr.element);
  for (const Comprehension &generator : expr.generators) {
    text += generator.isAsync ? " async-for " : " for ";
    text += prefixForm(generator.target) + " in " + prefixForm(generator.iter);
    for (const Expr *condition : generator.conditions)
      text += " if " + prefixForm(condition);
  }
  return text + ")";
}

std::string lambda(const Lambda &expr) {
  static const char *const kinds[] = {"/", "", "*", "kw:", "**"};
  std::string text = "(lambda (";
  for (const Param &param : expr.params) {
    text += (text.back() == '(' ? "" : " ") + std::string(kinds[static_cast<int>(param.kind)]) +
            param.name.str();
    if (param.defaultValue)
      text += "=" + prefixForm(param.defaultValue);
  }
  return text + ") " + prefixForm(expr.body) + ")";
}

} // namespace

std::string prefixForm(const Expr *expr) {
  if (!expr)
    return "_";
  switch (expr->kind()) {
  case Expr::Kind::Name:
    return cast<Name>(expr)->id.str();
  case Expr::Kind::Constant:
    return constant(*cast<Constant>(expr));
  case Expr::Kind::JoinedStr:
    return joined(*cast<JoinedStr>(expr));
  case Expr::Kind::Tuple:
    return list("tuple", cast<Tuple>(expr)->elements);
  case Expr::Kind::List:
    return list("list", cast<List>(expr)->elements);
  case Expr::Kind::ListComp:
    return comprehension(*cast<ListComp>(expr));
  case Expr::Kind::BinOp: {
    const auto *op = cast<BinOp>(expr);
    return list(spelling(op->op), {op->left, op->right});
  }
  case Expr::Kind::UnaryOp:
    return list(spelling(cast<UnaryOp>(expr)->op), {cast<UnaryOp>(expr)->operand});
  case Expr::Kind::BoolOp:
    return list(spelling(cast<BoolOp>(expr)->op), cast<BoolOp>(expr)->operands);
  case Expr::Kind::Compare: {
    const auto *compare = cast<Compare>(expr);
    std::string text = "(cmp " + prefixForm(compare->left);
    for (size_t i = 0; i < compare->ops.size(); ++i)
      text += " " + spelling(compare->ops[i]).str() + " " + prefixForm(compare->comparators[i]);
    return text + ")";
  }
  case Expr::Kind::IfExp: {
    const auto *cond = cast<IfExp>(expr);
    return list("if", {cond->test, cond->body, cond->orelse});
  }
  case Expr::Kind::Call:
    return call(*cast<Call>(expr));
  case Expr::Kind::Attribute:
    return prefixForm(cast<Attribute>(expr)->value) + "." + cast<Attribute>(expr)->attr.str();
  case Expr::Kind::Subscript:
    return list("sub", {cast<Subscript>(expr)->value, cast<Subscript>(expr)->index});
  case Expr::Kind::Slice:
    return list("slice",
                {cast<Slice>(expr)->lower, cast<Slice>(expr)->upper, cast<Slice>(expr)->step});
  case Expr::Kind::Starred:
    return list("*", {cast<Starred>(expr)->value});
  case Expr::Kind::Lambda:
    return lambda(*cast<Lambda>(expr));
  case Expr::Kind::Dict: {
    std::string text = "(dict";
    for (const DictEntry &entry : cast<Dict>(expr)->entries)
      text += entry.key ? " " + prefixForm(entry.key) + ":" + prefixForm(entry.value)
                        : " **" + prefixForm(entry.value);
    return text + ")";
  }
  case Expr::Kind::Set:
    return list("set", cast<Set>(expr)->elements);
  case Expr::Kind::NamedExpr:
    return list(":=", {cast<NamedExpr>(expr)->target, cast<NamedExpr>(expr)->value});
  case Expr::Kind::Unsupported:
    return "<" + cast<UnsupportedExpr>(expr)->what.str() + ">";
  }
  return "?";
}

std::string prefixForm(StringRef text) {
  Source source(text);
  Expr *expr = source.parseExpr();
  if (source.engine.hasErrors())
    return source.messages();
  return prefixForm(expr);
}

} // namespace tilec::test
