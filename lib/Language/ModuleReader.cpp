//===- ModuleReader.cpp - What a file holds for kernels ---------*- C++ -*-===//
//
// Walks over a file at module level and picks out imports, assignments and decorated functions;
// host code is stepped over statement by statement, without being checked. Blocks of module-level
// statements are entered, because imports and kernels are often guarded by them; so are functions
// and classes that have kernels inside.
//
// Errors are reported for functions under a decorator of triton only. Everything else is parsed
// silently and dropped if that fails: host code may use syntax that this parser does not know.
//
//===----------------------------------------------------------------------===//

#include "ModuleReader.h"

#include "tilec/Language/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace tilec::ast;

namespace tilec {

/// Module-level blocks within blocks that are entered; deeper ones are skipped.
static constexpr unsigned maxBlockDepth = 100;

Module *ModuleReader::read() {
  readLines(lexer.begin(), -1, Guard::Always);
  SMRange range(SMLoc::getFromPointer(lexer.begin()), SMLoc::getFromPointer(lexer.end()));
  return context.create<Module>(range, context.copy(ArrayRef<ModuleItem>(items)),
                                context.copy(ArrayRef<SMRange>(skipped)),
                                context.copy(ArrayRef<NestedScope *>(nested)));
}

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
  if (opener.kind == Opener::Loop && word == "else")
    return readUnknown(at, line, inBranch);
  opener = {};
  bool isAsync = word == "async";
  if (isAsync) {
    rest = rest.drop_front(word.size()).ltrim(" \t\f");
    word = rest.take_while([](char c) { return isAlnum(c) || c == '_'; });
  }
  if (word == "def" || word == "class")
    return readDefinition(at, line, guard);
  if (word == "with")
    return readBlock(at, line, guard);
  // Whether and how often these run is not known.
  bool isLoop = word == "for" || word == "while";
  if (isLoop)
    opener = {Opener::Loop, {}};
  if (isLoop || (inMatch && word == "case"))
    return readUnknown(at, line, inBranch);
  // `match` may also be an ordinary name, but hardly one that kernels use.
  if (word == "match" && !isAsync)
    return readMatch(at, line, guard);
  bool isOther =
      StringSwitch<bool>(word).Cases({"elif", "else", "except", "finally"}, true).Default(isAsync);
  return isOther ? skip(at) : readSimple(at, guard);
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

/// Enters a block of which it is not known whether it runs.
const char *ModuleReader::readUnknown(const char *at, Lexer::Line line, Guard guard) {
  tests.push_back({nullptr, true});
  bool outer = std::exchange(inMatch, false);
  const char *next = readBlock(at, line, guard);
  inMatch = outer;
  tests.pop_back();
  return next;
}

const char *ModuleReader::readMatch(const char *at, Lexer::Line line, Guard guard) {
  bool outer = std::exchange(inMatch, true);
  const char *next = readBlock(at, line, guard);
  inMatch = outer;
  return next;
}

/// A name that a function binds to what is not known before it runs.
void ModuleReader::addLocal(const Token &name) {
  auto what = HostDef::What::Local;
  addItem(context.create<HostDef>(name.range(), what, name.text(), name.range()), Guard::Always);
}

/// The names that the header of a block binds inside a function: targets of loops, what follows an
/// `as`, captures of a pattern.
void ModuleReader::addLocals(const TokenList &header) {
  const std::vector<Token> &tokens = header.tokens;
  bool isFor = tokens[0].kind == TokenKind::KwFor || tokens[1].kind == TokenKind::KwFor;
  bool isCase = tokens[0].text() == "case";
  bool isTarget = isFor || isCase;
  // The last token ends the line.
  for (size_t i = 1; i + 1 < tokens.size(); ++i) {
    isTarget &= tokens[i].kind != TokenKind::KwIn && tokens[i].kind != TokenKind::KwIf;
    bool isPath = tokens[i - 1].kind == TokenKind::Dot || tokens[i + 1].kind == TokenKind::Dot;
    bool isBound = tokens[i - 1].kind == TokenKind::KwAs ||
                   tokens[i + 1].kind == TokenKind::ColonEqual || (isTarget && !isPath);
    if (tokens[i].kind == TokenKind::Name && isBound)
      addLocal(tokens[i]);
  }
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
  if (inFunction)
    addLocals(header);
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
      if (addWrapped(*stmt, guard)) {
        kept = true;
        continue;
      }
      if (!isa<Import, ImportFrom, Assign, AnnAssign, AugAssign>(stmt))
        continue;
      recordImport(stmt);
      if (auto *assign = dyn_cast<Assign>(stmt)) {
        recordDecorator(*assign, guard);
        recordList(*assign, guard);
      }
      addItem(stmt, guard);
      kept = true;
    }
  if (!kept)
    addSkipped(tokens);
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
