//===- ASTPrinter.cpp - The syntax tree as text -----------------*- C++ -*-===//
//
// Prints a tree for --emit=ast and for tests: one node a line, two blanks of indentation a level,
// `line:column` of the start behind the node. Roles ("else", "default", ...) get lines of their own
// where a node has more than one kind of children.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Parser.h"

#include "LineInfo.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <charconv>
#include <vector>

using namespace llvm;
using namespace tilec::ast;

namespace tilec {
namespace {

class Printer {
public:
  Printer(raw_ostream &os, const SourceMgr &sourceMgr) : os(os), sources(sourceMgr) {}

  void print(const Module &module);
  void items(ArrayRef<ModuleItem> items, ArrayRef<NestedScope *> nested);
  void print(const Expr *expr);
  void print(const Stmt *stmt);

private:
  /// Starts a line; what is printed while the result lives is indented below it.
  class Level {
  public:
    explicit Level(Printer &printer) : printer(printer) { ++printer.indent; }
    ~Level() { --printer.indent; }

  private:
    Printer &printer;
  };

  raw_ostream &line() { return os.indent(2 * indent); }
  void place(SMLoc loc);
  void header(const Twine &text, SMLoc loc) {
    line() << text;
    place(loc);
    os << '\n';
  }
  void quoted(StringRef text) {
    os << '"';
    os.write_escaped(text, /*UseHexEscapes=*/true);
    os << '"';
  }
  void role(StringRef name, const Expr *expr);
  void role(StringRef name, ArrayRef<Stmt *> block);
  void children(ArrayRef<Expr *> exprs) {
    for (const Expr *expr : exprs)
      print(expr);
  }
  void constant(const Constant &expr);
  void joined(const JoinedStr &expr);
  void generators(ArrayRef<Comprehension> generators);
  void call(const Call &expr);
  void params(ArrayRef<Param> params);
  void compare(const Compare &expr);
  bool printCompound(const Stmt *stmt);
  void function(const FunctionDef &stmt);
  void imports(const Twine &text, SMLoc loc, ArrayRef<ImportAlias> names);

  raw_ostream &os;
  const SourceMgr &sources;
  unsigned indent = 0;
  /// Line starts of the buffer printed last, so that a location costs a binary search.
  unsigned bufferId = 0;
  std::vector<const char *> lineStarts;
};

} // namespace

void Printer::place(SMLoc loc) {
  unsigned id = loc.isValid() ? sources.FindBufferContainingLoc(loc) : 0;
  if (!id)
    return;
  if (id != bufferId) {
    bufferId = id;
    StringRef text = withoutBOM(sources.getMemoryBuffer(id)->getBuffer());
    lineStarts.assign(1, text.begin());
    for (const char *p = text.begin(); p != text.end();) {
      p = endOfLine(p, text.end());
      if (p != text.end())
        lineStarts.push_back(p = skipLineEnd(p, text.end()));
    }
  }
  auto it = std::upper_bound(lineStarts.begin(), lineStarts.end(), loc.getPointer());
  size_t number = it - lineStarts.begin();
  os << ' ' << number << ':' << (loc.getPointer() - lineStarts[number - 1] + 1);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

void Printer::role(StringRef name, const Expr *expr) {
  if (!expr)
    return;
  line() << name << '\n';
  Level level(*this);
  print(expr);
}

void Printer::constant(const Constant &expr) {
  line() << "Constant ";
  switch (expr.type()) {
  case Constant::Type::Int: {
    SmallString<32> digits;
    expr.intValue().toString(digits, 10, /*Signed=*/true);
    os << "int " << digits;
    break;
  }
  case Constant::Type::Float: {
    // The shortest text that reads back as the same value.
    char digits[32];
    char *stop = std::to_chars(digits, digits + sizeof(digits), expr.floatValue()).ptr;
    os << "float " << StringRef(digits, stop - digits);
    break;
  }
  case Constant::Type::Bool:
    os << (expr.boolValue() ? "True" : "False");
    break;
  case Constant::Type::String:
    os << "str ";
    quoted(expr.stringValue());
    break;
  case Constant::Type::None:
    os << "None";
    break;
  case Constant::Type::Ellipsis:
    os << "...";
    break;
  }
  place(expr.loc());
  os << '\n';
}

void Printer::joined(const JoinedStr &expr) {
  header("JoinedStr", expr.loc());
  Level level(*this);
  for (const FStringPart &part : expr.parts) {
    if (!part.value) {
      line() << "text ";
      quoted(part.text);
      os << '\n';
      continue;
    }
    line() << "field";
    if (part.conversion)
      os << " !" << part.conversion;
    os << '\n';
    Level inner(*this);
    print(part.value);
    role("spec", part.spec);
  }
}

void Printer::generators(ArrayRef<Comprehension> generators) {
  for (const Comprehension &generator : generators) {
    header(generator.isAsync ? "async for" : "for", generator.range.Start);
    Level level(*this);
    print(generator.target);
    print(generator.iter);
    for (const Expr *condition : generator.conditions)
      role("if", condition);
  }
}

void Printer::call(const Call &expr) {
  header("Call", expr.loc());
  Level level(*this);
  print(expr.callee);
  children(expr.args);
  for (const Keyword &keyword : expr.keywords) {
    header(keyword.name.empty() ? Twine("keywords **") : "keyword " + keyword.name,
           keyword.range.Start);
    Level inner(*this);
    print(keyword.value);
  }
}

void Printer::params(ArrayRef<Param> params) {
  static const char *const kinds[] = {"positional-only ", "", "*", "keyword-only ", "**"};
  for (const Param &param : params) {
    header(Twine("param ") + kinds[static_cast<unsigned>(param.kind)] + param.name,
           param.nameRange.Start);
    Level level(*this);
    role("annotation", param.annotation);
    role("default", param.defaultValue);
  }
}

void Printer::compare(const Compare &expr) {
  std::string text = "Compare";
  for (CompareOp op : expr.ops)
    text += (" " + spelling(op)).str();
  header(text, expr.loc());
  Level level(*this);
  print(expr.left);
  children(expr.comparators);
}

void Printer::print(const Expr *expr) {
  SMLoc loc = expr->loc();
  auto node = [&](const Twine &text, ArrayRef<Expr *> below) {
    header(text, loc);
    Level level(*this);
    children(below);
  };
  switch (expr->kind()) {
  case Expr::Kind::Name:
    return header("Name " + cast<Name>(expr)->id, loc);
  case Expr::Kind::Constant:
    return constant(*cast<Constant>(expr));
  case Expr::Kind::JoinedStr:
    return joined(*cast<JoinedStr>(expr));
  case Expr::Kind::Tuple:
    return node("Tuple", cast<Tuple>(expr)->elements);
  case Expr::Kind::List:
    return node("List", cast<List>(expr)->elements);
  case Expr::Kind::ListComp: {
    const auto *comp = cast<ListComp>(expr);
    if (comp->key)
      node("DictComp", {comp->key, comp->element});
    else
      node(comp->isGenerator ? "GeneratorExp" : "ListComp", {comp->element});
    Level level(*this);
    return generators(comp->generators);
  }
  case Expr::Kind::Dict: {
    header("Dict", loc);
    Level level(*this);
    for (const DictEntry &entry : cast<Dict>(expr)->entries) {
      role("key", entry.key);
      role(entry.key ? "value" : "**", entry.value);
    }
    return;
  }
  case Expr::Kind::Set:
    return node("Set", cast<Set>(expr)->elements);
  case Expr::Kind::BinOp: {
    const auto *op = cast<BinOp>(expr);
    return node("BinOp " + spelling(op->op), {op->left, op->right});
  }
  case Expr::Kind::UnaryOp:
    return node("UnaryOp " + spelling(cast<UnaryOp>(expr)->op), {cast<UnaryOp>(expr)->operand});
  case Expr::Kind::BoolOp:
    return node("BoolOp " + spelling(cast<BoolOp>(expr)->op), cast<BoolOp>(expr)->operands);
  case Expr::Kind::Compare:
    return compare(*cast<Compare>(expr));
  case Expr::Kind::IfExp: {
    const auto *cond = cast<IfExp>(expr);
    return node("IfExp", {cond->test, cond->body, cond->orelse});
  }
  case Expr::Kind::Call:
    return call(*cast<Call>(expr));
  case Expr::Kind::Attribute:
    return node("Attribute ." + cast<Attribute>(expr)->attr, {cast<Attribute>(expr)->value});
  case Expr::Kind::Subscript:
    return node("Subscript", {cast<Subscript>(expr)->value, cast<Subscript>(expr)->index});
  case Expr::Kind::Slice: {
    const auto *slice = cast<Slice>(expr);
    header("Slice", loc);
    Level level(*this);
    role("lower", slice->lower);
    role("upper", slice->upper);
    return role("step", slice->step);
  }
  case Expr::Kind::Starred:
    return node("Starred", {cast<Starred>(expr)->value});
  case Expr::Kind::Lambda: {
    header("Lambda", loc);
    Level level(*this);
    params(cast<Lambda>(expr)->params);
    return print(cast<Lambda>(expr)->body);
  }
  case Expr::Kind::NamedExpr:
    return node("NamedExpr", {cast<NamedExpr>(expr)->target, cast<NamedExpr>(expr)->value});
  case Expr::Kind::Unsupported:
    return header("UnsupportedExpr " + cast<UnsupportedExpr>(expr)->what, loc);
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Printer::role(StringRef name, ArrayRef<Stmt *> block) {
  if (block.empty())
    return;
  line() << name << '\n';
  Level level(*this);
  for (const Stmt *stmt : block)
    print(stmt);
}

void Printer::function(const FunctionDef &stmt) {
  header("FunctionDef " + stmt.name + (stmt.hasErrors ? " (has errors)" : ""), stmt.loc());
  Level level(*this);
  for (const Expr *decorator : stmt.decorators)
    role("decorator", decorator);
  params(stmt.params);
  role("returns", stmt.returns);
  role("body", stmt.body);
}

void Printer::imports(const Twine &text, SMLoc loc, ArrayRef<ImportAlias> names) {
  header(text, loc);
  Level level(*this);
  for (const ImportAlias &alias : names)
    header(alias.asName.empty() ? "name " + alias.name
                                : "name " + alias.name + " as " + alias.asName,
           alias.range.Start);
}

/// Statements with blocks, and `with` items; false for any other.
bool Printer::printCompound(const Stmt *stmt) {
  switch (stmt->kind()) {
  case Stmt::Kind::If: {
    const auto *node = cast<If>(stmt);
    header("If", stmt->loc());
    Level below(*this);
    print(node->test);
    role("then", node->body);
    role("else", node->orelse);
    return true;
  }
  case Stmt::Kind::For: {
    const auto *node = cast<For>(stmt);
    header("For", stmt->loc());
    Level below(*this);
    print(node->target);
    print(node->iter);
    role("body", node->body);
    role("else", node->orelse);
    return true;
  }
  case Stmt::Kind::While: {
    const auto *node = cast<While>(stmt);
    header("While", stmt->loc());
    Level below(*this);
    print(node->test);
    role("body", node->body);
    role("else", node->orelse);
    return true;
  }
  case Stmt::Kind::With: {
    const auto *node = cast<With>(stmt);
    header("With", stmt->loc());
    Level below(*this);
    for (const WithItem &item : node->items) {
      print(item.context);
      role("as", item.target);
    }
    role("body", node->body);
    return true;
  }
  case Stmt::Kind::FunctionDef:
    function(*cast<FunctionDef>(stmt));
    return true;
  default:
    return false;
  }
}

void Printer::print(const Stmt *stmt) {
  if (printCompound(stmt))
    return;
  SMLoc loc = stmt->loc();
  auto node = [&](const Twine &text, ArrayRef<Expr *> below) {
    header(text, loc);
    Level level(*this);
    for (const Expr *expr : below)
      if (expr)
        print(expr);
  };
  switch (stmt->kind()) {
  case Stmt::Kind::Assign:
    node("Assign", cast<Assign>(stmt)->targets);
    {
      Level level(*this);
      print(cast<Assign>(stmt)->value);
    }
    return;
  case Stmt::Kind::AnnAssign: {
    const auto *assign = cast<AnnAssign>(stmt);
    return node("AnnAssign", {assign->target, assign->annotation, assign->value});
  }
  case Stmt::Kind::AugAssign: {
    const auto *assign = cast<AugAssign>(stmt);
    return node("AugAssign " + spelling(assign->op) + "=", {assign->target, assign->value});
  }
  case Stmt::Kind::ExprStmt:
    return node("ExprStmt", {cast<ExprStmt>(stmt)->value});
  case Stmt::Kind::Assert:
    return node("Assert", {cast<Assert>(stmt)->test, cast<Assert>(stmt)->message});
  case Stmt::Kind::Return:
    return node("Return", {cast<Return>(stmt)->value});
  case Stmt::Kind::Pass:
    return header("Pass", loc);
  case Stmt::Kind::Break:
    return header("Break", loc);
  case Stmt::Kind::Continue:
    return header("Continue", loc);
  case Stmt::Kind::Import:
    return imports("Import", loc, cast<Import>(stmt)->names);
  case Stmt::Kind::ImportFrom: {
    const auto *import = cast<ImportFrom>(stmt);
    std::string module = std::string(import->level, '.') + import->module.str();
    return imports("ImportFrom " + module, loc, import->names);
  }
  case Stmt::Kind::HostDef: {
    const auto *def = cast<HostDef>(stmt);
    static const char *const whats[] = {"function ", "class ", "local "};
    return header(StringRef("HostDef ") + whats[static_cast<unsigned>(def->what)] + def->name, loc);
  }
  case Stmt::Kind::Unsupported:
    return header("UnsupportedStmt " + cast<UnsupportedStmt>(stmt)->what, loc);
  default:
    llvm_unreachable("compound statements were printed above");
  }
}

void Printer::items(ArrayRef<ModuleItem> items, ArrayRef<NestedScope *> nested) {
  static const char *const guards[] = {"", "in try", "in except", "in if"};
  Level level(*this);
  for (const ModuleItem &item : items) {
    if (item.guard == Guard::Always) {
      print(item.stmt);
      continue;
    }
    line() << guards[static_cast<unsigned>(item.guard)] << '\n';
    Level below(*this);
    print(item.stmt);
  }
  for (const NestedScope *scope : nested) {
    line() << (scope->isClass ? "in class " : "in function ") << scope->name << '\n';
    this->items(scope->items, scope->nested);
  }
}

void Printer::print(const Module &module) {
  line() << "Module\n";
  items(module.items, module.nested);
}

void printAST(raw_ostream &os, const SourceMgr &sourceMgr, const Module &module) {
  Printer(os, sourceMgr).print(module);
}

void printAST(raw_ostream &os, const SourceMgr &sourceMgr, const Expr &expr) {
  Printer(os, sourceMgr).print(&expr);
}

} // namespace tilec
