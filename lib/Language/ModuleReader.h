//===- ModuleReader.h - What a file holds for kernels -----------*- C++ -*-===//
//
// The reader's state, shared by ModuleReader.cpp (statements at module level) and
// ReadDefinitions.cpp (functions and classes, decorators, kernels made by calls).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_MODULEREADER_H
#define TILEC_LIB_LANGUAGE_MODULEREADER_H

#include "ParserImpl.h"

#include "llvm/ADT/StringMap.h"

namespace tilec {

/// What is read of a module, or of a function or class with kernels inside.
struct ReaderScope {
  /// A function, which a call may make a kernel of.
  struct Definition {
    const char *at = nullptr;             // The line of its first decorator, or of the `def`.
    ast::FunctionDef *function = nullptr; // Null when it could not be read without a report.
    bool isReported = false;              // Its errors are.
  };
  /// Decorators of triton, outermost first.
  using Decorators = llvm::SmallVector<ast::Expr *, 2>;

  llvm::SmallVector<ast::ModuleItem, 16> items;
  llvm::SmallVector<llvm::SMRange, 16> skipped;
  llvm::SmallVector<ast::NestedScope *, 2> nested;
  llvm::SmallVector<ast::GuardTest, 4> tests; // Of the branches around the current statement.
  bool isNested = false;
  bool inFunction = false;
  bool inMatch = false; // Directly under a `match`.
  // What names stand for so far; inner scopes start with those of the outer.
  llvm::StringMap<std::string> imported;        // By an import -> dotted path.
  llvm::StringMap<Decorators> decoratorsCalled; // What `@name` or `name(f)` stands for.
  llvm::StringMap<Definition> definitions;
  llvm::StringMap<ast::Expr *> lists; // That are written out.
};

/// Reads one file. The results live in the Context.
class ModuleReader : private ReaderScope {
public:
  /// `diagnostics` gets the errors in kernels.
  ModuleReader(llvm::StringRef text, DiagnosticEngine &diagnostics, ast::Context &context)
      : lexer(text), diagnostics(diagnostics), context(context) {}

  ast::Module *read();

private:
  using Guard = ast::Guard;

  /// Which statement an `else` or `finally` continues, and the conditions of its branches so far.
  struct Opener {
    enum { None, If, Try, Loop } kind = None;
    llvm::SmallVector<ast::GuardTest, 2> failed;
  };
  // Statements (ModuleReader.cpp).
  const char *readLines(const char *at, int parentColumn, Guard guard);
  const char *readStatement(const char *at, Lexer::Line line, Guard guard, Opener &opener);
  const char *readBlock(const char *at, Lexer::Line line, Guard guard);
  const char *readBranch(const char *at, Lexer::Line line, Guard guard, bool tested,
                         Opener &opener);
  const char *readUnknown(const char *at, Lexer::Line line, Guard guard);
  const char *readMatch(const char *at, Lexer::Line line, Guard guard);
  const ast::Expr *readTest(const char *at);
  const char *readSimple(const char *at, Guard guard);
  const char *skip(const char *at);
  void addSimple(Parser &parser, const TokenList &tokens, Guard guard);
  void addSkipped(const TokenList &tokens);
  void addItem(ast::Stmt *stmt, Guard guard);
  void recordImport(const ast::Stmt *stmt);
  void addLocals(const TokenList &header);
  void addLocal(const Token &name);
  void addParameters(const TokenList &tokens, size_t keyword);

  // Functions and classes (ReadDefinitions.cpp).
  const char *readDecorated(const char *at, Lexer::Line line, Guard guard);
  const char *readDefinition(const char *at, Lexer::Line line, Guard guard);
  void addDefinition(const TokenList &tokens, size_t keyword, Guard guard,
                     bool isAggregate = false);
  bool addHostFunction(const char *at, const TokenList &tokens, Guard guard);
  void addKernel(ast::FunctionDef *function, const char *at, Guard guard);
  void enterScope(bool isClass, ReaderScope &outer);
  bool mayHoldKernels(const TokenList &tokens, size_t keyword) const;
  void readInside(const char *at, Lexer::Line line, const TokenList &tokens, size_t keyword);
  std::string decoratorPath(const TokenList &tokens, size_t i) const;
  std::string pathOf(const ast::Expr &expr) const;
  bool isKernelDecorator(llvm::StringRef path) const;
  bool isDecorated(const TokenList &tokens, size_t at) const;
  llvm::ArrayRef<ast::Expr *> expanded(llvm::ArrayRef<ast::Expr *> decorators) const;
  ast::Expr *writtenOut(ast::Expr *list) const;
  ast::Expr *withLists(ast::Expr *decorator) const;
  bool findDecorators(const ast::Expr &callee, Decorators &found) const;
  llvm::StringRef unwrap(const ast::Expr &value, Decorators &found) const;
  void recordDecorator(const ast::Assign &assign, Guard guard);
  void recordDecorator(const ast::FunctionDef &function);
  void recordList(const ast::Assign &assign, Guard guard);
  ast::FunctionDef *makeKernel(const ast::Expr &value, llvm::StringRef name);
  bool addWrapped(const ast::Stmt &stmt, Guard guard);

  Lexer lexer;
  DiagnosticEngine &diagnostics;
  ast::Context &context;
  unsigned depth = 0;
};

/// From the first token to the last that has a text of its own.
llvm::SMRange wholeRange(const TokenList &tokens);

} // namespace tilec

#endif // TILEC_LIB_LANGUAGE_MODULEREADER_H
