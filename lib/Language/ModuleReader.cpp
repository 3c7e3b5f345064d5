//===- ModuleReader.cpp - What a file holds for kernels ---------*- C++ -*-===//
//
// Walks over a file at module level and picks out imports, assignments and decorated functions;
// host code is stepped over statement by statement, without being checked. Blocks of module-level
// `if` and `try` are entered, because imports and kernels are often guarded by them.
//
// Errors are reported for functions under a decorator of triton only. Everything else is parsed
// silently and dropped if that fails: host code may use syntax that this parser does not know.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/Parser.h"

#include "ParserImpl.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace tilec::ast;

namespace tilec {
namespace {

/// Module-level blocks within blocks that are entered; deeper ones are skipped.
constexpr unsigned maxBlockDepth = 100;

class ModuleReader {
public:
  ModuleReader(StringRef text, DiagnosticEngine &diagnostics, Context &context)
      : lexer(text), diagnostics(diagnostics), context(context) {}

  Module *read() {
    readLines(lexer.begin(), -1, Guard::Always);
    SMRange range(SMLoc::getFromPointer(lexer.begin()), SMLoc::getFromPointer(lexer.end()));
    return context.create<Module>(range, context.copy(ArrayRef<ModuleItem>(items)),
                                  context.copy(ArrayRef<SMRange>(skipped)));
  }

private:
  /// Which statement an `else` or `finally` continues, and the conditions of its branches so far.
  struct Opener {
    enum { None, If, Try } kind = None;
    SmallVector<GuardTest, 2> failed;
  };

  const char *readLines(const char *at, int parentColumn, Guard guard);
  const char *readStatement(const char *at, Lexer::Line line, Guard guard, Opener &opener);
  const char *readBlock(const char *at, Lexer::Line line, Guard guard);
  const char *readBranch(const char *at, Lexer::Line line, Guard guard, bool tested,
                         Opener &opener);
  const Expr *readTest(const char *at);
  const char *readDecorated(const char *at, Lexer::Line line, Guard guard);
  const char *readSimple(const char *at, Guard guard);
  const char *readDefinition(const char *at, Guard guard);
  const char *skip(const char *at);
  void addSimple(Parser &parser, const TokenList &tokens, Guard guard);
  void addDefinition(const TokenList &tokens, size_t keyword, Guard guard,
                     bool isAggregate = false);
  bool addHostFunction(const TokenList &tokens, Guard guard);
  void addSkipped(const TokenList &tokens);
  void addItem(Stmt *stmt, Guard guard);
  void recordImport(const Stmt *stmt);
  std::string decoratorPath(const TokenList &tokens, size_t i) const;
  bool isKernelDecorator(StringRef path) const;

  Lexer lexer;
  DiagnosticEngine &diagnostics;
  Context &context;
  SmallVector<ModuleItem, 16> items;
  SmallVector<SMRange, 16> skipped;
  SmallVector<GuardTest, 4> tests;   // Of the branches around the current statement.
  StringMap<std::string> imported; // Name bound by an import -> dotted path it stands for.
  unsigned depth = 0;
};

SMRange wholeRange(const TokenList &tokens) {
  // The last token with text of its own; line structure reaches into the next line.
  size_t last = tokens.tokens.size();
  while (last > 1 && (tokens.tokens[last - 1].kind == TokenKind::EndOfFile ||
                      tokens.tokens[last - 1].kind == TokenKind::Dedent ||
                      tokens.tokens[last - 1].kind == TokenKind::Newline))
    --last;
  return {SMLoc::getFromPointer(tokens.tokens.front().begin),
          SMLoc::getFromPointer(tokens.tokens[last - 1].end)};
}

} // namespace

/// Reads the lines from `at` on that are indented deeper than `parentColumn`; returns what follows.
const char *ModuleReader::readLines(const char *at, int parentColumn, Guard guard) {
  Opener opener;
  while (std::optional<Lexer::Line> line = lexer.nextLine(at)) {
    if (static_cast<int>(line->column) <= parentColumn || diagnostics.limitReached())
      return at;
    at = readStatement(at, *line, guard, opener);
  }
  return lexer.end();
}

const char *ModuleReader::readStatement(const char *at, Lexer::Line line, Guard guard,
                                        Opener &opener) {
  StringRef rest(line.start, lexer.end() - line.start);
  StringRef word = rest.take_while([](char c) { return isAlnum(c) || c == '_'; });
  if (rest.starts_with("@")) {
    opener = {};
    return readDecorated(at, line, guard);
  }
  Guard inTry = guard == Guard::Handler ? guard : Guard::TryBody;
  Guard inBranch = guard == Guard::Always ? Guard::Conditional : guard;
  if (word == "if") {
    opener = {Opener::If, {}};
    return readBranch(at, line, inBranch, /*tested=*/true, opener);
  }
  if (word == "try") {
    opener = {Opener::Try, {}};
    return readBlock(at, line, inTry);
  }
  if (opener.kind == Opener::If && (word == "elif" || word == "else"))
    return readBranch(at, line, inBranch, word == "elif", opener);
  if (opener.kind == Opener::Try && word == "except")
    return readBlock(at, line, Guard::Handler);
  if (opener.kind == Opener::Try && (word == "else" || word == "finally"))
    return readBlock(at, line, inTry);
  opener = {};
  if (word == "def" || word == "class" || word == "async")
    return readDefinition(at, guard);
  bool isBlock = StringSwitch<bool>(word)
                     .Cases({"for", "while", "with", "match", "elif", "else", "except"}, true)
                     .Case("finally", true)
                     .Default(false);
  // `match` may also be an ordinary name, but hardly one that kernels use.
  return isBlock ? skip(at) : readSimple(at, guard);
}

void ModuleReader::addSkipped(const TokenList &tokens) { skipped.push_back(wholeRange(tokens)); }

const char *ModuleReader::skip(const char *at) {
  TokenList tokens;
  const char *next = lexer.lexStatement(at, tokens);
  addSkipped(tokens);
  return next;
}

/// The condition between the first word of a header line and its colon; null if there is none that
/// can be read.
const Expr *ModuleReader::readTest(const char *at) {
  TokenList header;
  lexer.lexLogicalLine(at, header);
  Parser parser(lexer, header, context, nullptr);
  parser.startAt(1);
  return parser.parseHeaderTest();
}

/// Enters a branch of an `if`: the conditions of the branches before do not hold, its own does.
const char *ModuleReader::readBranch(const char *at, Lexer::Line line, Guard guard, bool tested,
                                     Opener &opener) {
  size_t outer = tests.size();
  tests.append(opener.failed);
  if (tested) {
    const Expr *test = readTest(at);
    tests.push_back({test, true});
    opener.failed.push_back({test, false});
  }
  const char *next = readBlock(at, line, guard);
  tests.truncate(outer);
  return next;
}

void ModuleReader::addItem(Stmt *stmt, Guard guard) {
  items.push_back({stmt, guard, context.copy(ArrayRef<GuardTest>(tests))});
}

/// Enters the block under a header line, or reads the statements that follow its colon.
const char *ModuleReader::readBlock(const char *at, Lexer::Line line, Guard guard) {
  TokenList header;
  const char *body = lexer.lexLogicalLine(at, header);
  unsigned brackets = 0;
  size_t colon = 0;
  bool enter = depth < maxBlockDepth;
  for (size_t i = 0; i < header.tokens.size() && !colon; ++i) {
    const Token &token = header.tokens[i];
    if (token.kind == TokenKind::LParen || token.kind == TokenKind::LBracket ||
        token.kind == TokenKind::LBrace)
      ++brackets;
    else if (brackets && (token.kind == TokenKind::RParen || token.kind == TokenKind::RBracket ||
                          token.kind == TokenKind::RBrace))
      --brackets;
    else if (token.kind == TokenKind::Colon && !brackets)
      colon = i;
    // A script's main part is not run when its kernels are imported.
    enter &= token.text() != "__name__";
  }
  if (!enter || !colon)
    return skip(at);
  if (header.tokens[colon + 1].kind != TokenKind::Newline) {
    Parser parser(lexer, header, context, nullptr);
    parser.startAt(colon + 1);
    addSimple(parser, header, guard);
    return body;
  }
  ++depth;
  const char *next = readLines(body, static_cast<int>(line.column), guard);
  --depth;
  return next;
}

const char *ModuleReader::readSimple(const char *at, Guard guard) {
  TokenList tokens;
  const char *next = lexer.lexStatement(at, tokens);
  Parser parser(lexer, tokens, context, nullptr);
  addSimple(parser, tokens, guard);
  return next;
}

/// Keeps the imports and assignments of one line, if the line can be read.
void ModuleReader::addSimple(Parser &parser, const TokenList &tokens, Guard guard) {
  SmallVector<Stmt *, 2> stmts;
  bool kept = false;
  if (parser.parseSimpleLine(stmts) && !parser.errorCount())
    for (Stmt *stmt : stmts) {
      if (!isa<Import, ImportFrom, Assign, AnnAssign, AugAssign>(stmt))
        continue;
      recordImport(stmt);
      addItem(stmt, guard);
      kept = true;
    }
  if (!kept)
    addSkipped(tokens);
}

const char *ModuleReader::readDefinition(const char *at, Guard guard) {
  TokenList tokens;
  const char *next = lexer.lexStatement(at, tokens);
  if (tokens.tokens.front().kind != TokenKind::KwDef || !addHostFunction(tokens, guard))
    addDefinition(tokens, 0, guard);
  return next;
}

/// Notes the name of a function or class of the host; `keyword` is the index of its first keyword.
/// `isAggregate`: it is a class under a decorator for aggregates.
void ModuleReader::addDefinition(const TokenList &tokens, size_t keyword, Guard guard,
                                 bool isAggregate) {
  addSkipped(tokens);
  if (tokens.tokens[keyword].kind == TokenKind::KwAsync)
    ++keyword;
  const Token &token = tokens.tokens[keyword];
  bool isDefinition = token.kind == TokenKind::KwDef || token.kind == TokenKind::KwClass;
  if (!isDefinition || tokens.tokens[keyword + 1].kind != TokenKind::Name)
    return;
  const Token &name = tokens.tokens[keyword + 1];
  auto what = token.kind == TokenKind::KwDef ? HostDef::What::Function : HostDef::What::Class;
  auto *def = context.create<HostDef>(wholeRange(tokens), what, name.text(), name.range());
  if (what == HostDef::What::Class) {
    // An aggregate is kernel code, whose errors count.
    Parser parser(lexer, tokens, context, isAggregate ? &diagnostics : nullptr);
    parser.startAt(isAggregate ? 0 : keyword);
    parser.parseClass(*def);
  }
  addItem(def, guard);
}

/// Keeps a function of the host, whose decorators and callers say what it is good for; false when it
/// cannot be read.
bool ModuleReader::addHostFunction(const TokenList &tokens, Guard guard) {
  Parser parser(lexer, tokens, context, nullptr);
  FunctionDef *function = parser.parseDecorated();
  bool isRead = function && !parser.errorCount();
  if (isRead) {
    addSkipped(tokens);
    addItem(function, guard);
  }
  return isRead;
}

const char *ModuleReader::readDecorated(const char *at, Lexer::Line, Guard guard) {
  TokenList tokens;
  const char *next = lexer.lexStatement(at, tokens);
  bool isKernel = false, isAggregate = false;
  size_t i = 0;
  while (tokens.tokens[i].kind == TokenKind::At) {
    std::string path = decoratorPath(tokens, i + 1);
    isKernel |= isKernelDecorator(path);
    isAggregate |= StringRef(path).ends_with("aggregate");
    while (tokens.tokens[i].kind != TokenKind::Newline &&
           tokens.tokens[i].kind != TokenKind::EndOfFile)
      ++i;
    if (tokens.tokens[i].kind == TokenKind::Newline)
      ++i;
  }
  bool isClass = tokens.tokens[i].kind == TokenKind::KwClass;
  if (isKernel && !isClass) {
    Parser parser(lexer, tokens, context, &diagnostics);
    if (FunctionDef *function = parser.parseDecorated())
      addItem(function, guard);
    return next;
  }
  if (tokens.tokens[i].kind != TokenKind::KwDef || !addHostFunction(tokens, guard))
    addDefinition(tokens, i, guard, isAggregate && isClass);
  return next;
}

void ModuleReader::recordImport(const Stmt *stmt) {
  if (const auto *import = dyn_cast<Import>(stmt)) {
    for (const ImportAlias &alias : import->names) {
      StringRef head = alias.name.split('.').first;
      bool renamed = !alias.asName.empty();
      imported[renamed ? alias.asName : head] = (renamed ? alias.name : head).str();
    }
  } else if (const auto *from = dyn_cast<ImportFrom>(stmt)) {
    for (const ImportAlias &alias : from->names) {
      std::string path = std::string(from->level, '.') + from->module.str() + ".";
      imported[alias.asName.empty() ? alias.name : alias.asName] = path + alias.name.str();
    }
  }
}

/// The dotted name at token `i`, with what an import says about its first part; may be empty.
std::string ModuleReader::decoratorPath(const TokenList &tokens, size_t i) const {
  while (tokens.tokens[i].kind == TokenKind::LParen)
    ++i;
  if (tokens.tokens[i].kind != TokenKind::Name)
    return "";
  StringRef root = tokens.tokens[i].text();
  auto found = imported.find(root);
  std::string path = found == imported.end() ? root.str() : found->second;
  while (tokens.tokens[i + 1].kind == TokenKind::Dot &&
         tokens.tokens[i + 2].kind == TokenKind::Name) {
    i += 2;
    path += "." + tokens.tokens[i].text().str();
  }
  return path;
}

/// Is it one of triton's decorators? Libraries re-export triton under module names of their own, so
/// any `jit` counts unless it was imported from another compiler.
bool ModuleReader::isKernelDecorator(StringRef path) const {
  bool isOther = StringSwitch<bool>(path.split('.').first)
                     .Cases({"numba", "jax", "torch", "taichi", "cupy", "tensorflow"}, true)
                     .Default(false);
  StringRef last = path.rsplit('.').second;
  return !isOther && StringSwitch<bool>(last.empty() ? path : last)
                         .Cases({"jit", "autotune", "heuristics", "constexpr_function"}, true)
                         .Default(false);
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

/// Reports a buffer that is no text; false if it is.
static bool reportBinary(StringRef text, DiagnosticEngine &diagnostics) {
  const char *byte = findBinaryByte(text);
  if (!byte)
    return false;
  SMLoc loc = SMLoc::getFromPointer(byte);
  if (*byte == '\0')
    diagnostics.error(loc, "expected Python source in UTF-8, found a NUL byte");
  else
    diagnostics.error(loc, "expected Python source in UTF-8, found the byte 0x" +
                               utohexstr(static_cast<unsigned char>(*byte), false, 2));
  return true;
}

Module *parseModule(const SourceMgr &sourceMgr, unsigned bufferId, DiagnosticEngine &diagnostics,
                    Context &context) {
  StringRef text = sourceMgr.getMemoryBuffer(bufferId)->getBuffer();
  if (reportBinary(text, diagnostics))
    return nullptr;
  return ModuleReader(text, diagnostics, context).read();
}

Expr *parseExpression(const SourceMgr &sourceMgr, unsigned bufferId, DiagnosticEngine &diagnostics,
                      Context &context) {
  StringRef text = sourceMgr.getMemoryBuffer(bufferId)->getBuffer();
  if (reportBinary(text, diagnostics))
    return nullptr;
  Lexer lexer(text);
  TokenList tokens;
  lexer.lexExpression(lexer.begin(), lexer.end(), tokens);
  return Parser(lexer, tokens, context, &diagnostics).parseWholeExpression();
}

Expr *Parser::parseHeaderTest() {
  Expr *expr = parseNamed();
  return expr && at(Kind::Colon) && !numErrors ? expr : nullptr;
}

Expr *Parser::parseWholeExpression() {
  Expr *expr = parseTestList();
  if (expr && !at(Kind::EndOfFile))
    return expected("the end of the expression");
  return expr;
}

} // namespace tilec
