//===- ParserImpl.h - Recursive descent over one statement ------*- C++ -*-===//
//
// The parser works on the tokens of one module-level statement. Functions that parse return null
// after an error, which has then been reported; the statement level recovers at the next logical
// line, so each line yields at most one error.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_PARSERIMPL_H
#define TILEC_LIB_LANGUAGE_PARSERIMPL_H

#include "tilec/Language/AST.h"
#include "tilec/Language/Diagnostics.h"
#include "tilec/Language/Lexer.h"

#include "llvm/ADT/SmallVector.h"

namespace tilec {

/// Deepest nesting of brackets, lambdas and others in an expression, which bounds recursion.
constexpr unsigned maxNesting = 200;

class Parser {
public:
  /// `diagnostics` may be null: then errors are counted but not printed, for text that need not be
  /// valid. Everything else must outlive the parser.
  Parser(const Lexer &lexer, const TokenList &tokens, ast::Context &context,
         DiagnosticEngine *diagnostics)
      : lexer(lexer), list(tokens), context(context), diagnostics(diagnostics),
        prevEnd(tokens.tokens.front().begin) {}

  /// Parses decorators and the function they stand above. Null if there is no function after all.
  ast::FunctionDef *parseDecorated();
  /// Parses one logical line of simple statements. False after an error.
  bool parseSimpleLine(llvm::SmallVectorImpl<ast::Stmt *> &out);
  /// Parses a class derived from NamedTuple, or any class that has decorators above it, into `def`.
  /// False for another class, and after an error.
  bool parseClass(ast::HostDef &def);
  /// Parses the expression before the colon of a block's header; null after an error.
  ast::Expr *parseHeaderTest();
  /// Parses all tokens as one expression.
  ast::Expr *parseWholeExpression();
  /// Continues at the token with this index.
  void startAt(size_t index) {
    position = index;
    prevEnd = list.tokens[index].begin;
  }

  unsigned errorCount() const { return numErrors; }

private:
  template <typename T> using Vec = llvm::SmallVectorImpl<T>;
  using Kind = TokenKind;

  //===--- Tokens and errors (ParserCore.cpp) ---===//
  const Token &tok(size_t ahead = 0) const {
    size_t index = position + ahead;
    return index < list.tokens.size() ? list.tokens[index] : list.tokens.back();
  }
  bool at(Kind kind) const { return tok().kind == kind; }
  bool atNext(Kind kind) const { return tok(1).kind == kind; }
  void advance();
  bool consume(Kind kind);
  /// Like advance, but reports nothing.
  void skipToken();
  llvm::SMRange rangeFrom(const char *begin) const;
  llvm::SMRange afterPrevious() const;
  void report(const LexError &error);
  std::nullptr_t fail(llvm::SMRange range, const llvm::Twine &message);
  std::nullptr_t fail(LexError error);
  /// Fails with "expected WHAT, found TOKEN", or with the lexical error that stands here.
  std::nullptr_t expected(const llvm::Twine &what);
  bool expect(Kind kind, const llvm::Twine &where);
  bool expectClose(Kind close, const Token &open, llvm::StringRef alternatives);
  std::string describeToken() const;
  /// Skips to the end of the logical line and over it.
  void skipLine();
  bool stopped() const { return diagnostics && diagnostics->limitReached(); }

  /// Counts one level of nesting while alive. False, with an error, beyond the limit.
  class Nested {
  public:
    explicit Nested(Parser &parser) : parser(parser) { ++parser.nesting; }
    ~Nested() { --parser.nesting; }
    explicit operator bool() const;

  private:
    Parser &parser;
  };

  /// Builds an expression node, with an error if the tree gets too high.
  template <typename T, typename... Args> ast::Expr *make(Args &&...args) {
    T *node = context.create<T>(std::forward<Args>(args)...);
    if (node->depth() > ast::maxExprDepth)
      return fail(node->range(), "expression is nested too deeply (limit 1000)");
    return node;
  }
  template <typename T> llvm::ArrayRef<T> copy(const Vec<T> &elements) {
    return context.copy(llvm::ArrayRef<T>(elements));
  }

  //===--- Expressions (ParseExpr.cpp) ---===//
  bool atExpression() const;
  ast::Expr *parseTestList();
  ast::Expr *parseStarOrNamed();
  ast::Expr *parseNamed();
  ast::Expr *parseTest();
  ast::Expr *parseOr();
  ast::Expr *parseAnd();
  ast::Expr *parseNot();
  ast::Expr *parseComparison();
  ast::Expr *parseBinary(unsigned minPrecedence = 1);
  ast::Expr *parseUnary();
  ast::Expr *parsePower();
  ast::Expr *parsePrimary();
  ast::Expr *parseStarred();
  ast::Expr *parseYield();
  ast::Expr *parseLambda();
  bool parseCompareOp(ast::CompareOp &op);

  //===--- Atoms, calls and displays (ParseAtom.cpp) ---===//
  ast::Expr *parseAtom();
  ast::Expr *parseNumber();
  ast::Expr *parseParen();
  ast::Expr *parseList();
  ast::Expr *parseBrace();
  ast::Expr *parseCall(ast::Expr *callee, const char *begin);
  bool parseArgument(Vec<ast::Expr *> &args, Vec<ast::Keyword> &keywords);
  bool parseKeywordArgument(Vec<ast::Keyword> &keywords);
  ast::Expr *parseSubscript(ast::Expr *value, const char *begin);
  ast::Expr *parseSubscriptItem();
  bool atComprehension() const;
  bool parseComprehensions(Vec<ast::Comprehension> &generators);

  //===--- Strings (ParseString.cpp) ---===//
  ast::Expr *parseStrings();
  bool parseStringToken(const Token &token, Vec<ast::FStringPart> &parts);
  bool parseFString(const char *p, const char *end, const StringShape &shape, bool inSpec,
                    Vec<ast::FStringPart> &parts);
  bool parseField(const FStringField &field, const StringShape &shape,
                  Vec<ast::FStringPart> &parts);
  bool addText(const char *begin, const char *end, const StringShape &shape, bool format,
               Vec<ast::FStringPart> &parts);

  //===--- Statements (ParseStmt.cpp, ParseCompound.cpp) ---===//
  void parseStatement(Vec<ast::Stmt *> &out);
  void parseStatements(Vec<ast::Stmt *> &out);
  void recover();
  ast::Stmt *parseSimple();
  ast::Stmt *parseExpressionStatement();
  ast::Stmt *parseAugAssign(const char *begin, ast::Expr *target, ast::BinaryOp op);
  ast::Stmt *parseAnnAssign(const char *begin, ast::Expr *target);
  ast::Stmt *parseAssign(const char *begin, ast::Expr *first);
  ast::Stmt *parseAssert();
  ast::Stmt *parseReturn();
  ast::Stmt *parseImport();
  ast::Stmt *parseImportFrom();
  ast::Expr *parseValue();
  bool parseImportAlias(bool dotted, Vec<ast::ImportAlias> &names);
  bool parseDottedName(std::string &name);
  ast::Stmt *skipSimple(llvm::StringRef what);
  bool checkTarget(ast::Expr *target, bool nested = false);
  ast::Expr *parseTargetList();

  bool atCompound() const;
  bool atMatch() const;
  ast::Stmt *parseCompound();
  ast::Stmt *parseIf();
  ast::Stmt *parseFor();
  ast::Stmt *parseWhile();
  ast::Stmt *parseTry();
  ast::Stmt *parseWith();
  bool parseWithItems(Vec<ast::WithItem> &items);
  ast::Stmt *parseFunction(llvm::ArrayRef<ast::Expr *> decorators, unsigned errorsBefore);
  void parseDecorators(Vec<ast::Expr *> &decorators);
  std::optional<llvm::StringRef> parseBases();
  bool parseParams(Kind close, bool annotations, Vec<ast::Param> &params);
  bool parseParam(bool annotations, ast::Param &param);
  bool checkParams(llvm::ArrayRef<ast::Param> params);
  ast::Stmt *skipCompound(llvm::StringRef what);
  void skipBlock();
  bool expectColon(const llvm::Twine &after);
  /// Parses `:` and a block. `header` names the statement and `keyword` is where it starts.
  bool parseSuite(llvm::StringRef header, llvm::SMRange keyword, const llvm::Twine &after,
                  ast::Block &body);
  bool parseElse(llvm::StringRef header, ast::Block &orelse);

  const Lexer &lexer;
  const TokenList &list;
  ast::Context &context;
  DiagnosticEngine *diagnostics;
  size_t position = 0;
  const char *prevEnd; // End of the last token that is no line structure.
  unsigned nesting = 0;
  unsigned stmtDepth = 0;
  unsigned numErrors = 0;
  int lastLexError = -1; // The last lexical error reported, so that it is not repeated.
};

/// "a call", "a literal", ...: what an expression is, for messages.
llvm::StringRef describe(const ast::Expr &expr);

} // namespace tilec

#endif // TILEC_LIB_LANGUAGE_PARSERIMPL_H
