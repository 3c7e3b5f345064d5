//===- SyntaxBuilder.h - Scopes and names out of tokens ---------*- C++ -*-===//

#ifndef TILEC_LIB_LANGUAGESERVER_SYNTAXBUILDER_H
#define TILEC_LIB_LANGUAGESERVER_SYNTAXBUILDER_H

#include "Syntax.h"

namespace tilec::ls {

/// Fills a Syntax.
class SyntaxBuilder {
public:
  explicit SyntaxBuilder(Syntax &syntax) : syntax(syntax) {}
  void build();

private:
  static constexpr unsigned maxScopes = 150;

  /// A call whose arguments are read.
  struct Call {
    std::optional<size_t> callee; // The token of the function's name, if it has one.
  };

  /// What ends the targets of an assignment, or the search for them.
  static constexpr TokenKind assignments[] = {TokenKind::KwLambda,
                                              TokenKind::Equal,
                                              TokenKind::PlusEqual,
                                              TokenKind::MinusEqual,
                                              TokenKind::StarEqual,
                                              TokenKind::SlashEqual,
                                              TokenKind::SlashSlashEqual,
                                              TokenKind::PercentEqual,
                                              TokenKind::StarStarEqual,
                                              TokenKind::AtEqual,
                                              TokenKind::LessLessEqual,
                                              TokenKind::AmpEqual,
                                              TokenKind::GreaterGreaterEqual,
                                              TokenKind::PipeEqual,
                                              TokenKind::CaretEqual};

  void closeScopes(unsigned column, const char *lineStart);
  unsigned openScope(NameScope::Kind kind, size_t begin, std::optional<size_t> name,
                     unsigned column);
  size_t add(const Token &token, NameRole role);
  void bind(unsigned scope, size_t token, ScopeBinding::Kind kind = ScopeBinding::Kind::Other);

  void readLine(llvm::ArrayRef<Token> tokens, unsigned column);
  size_t readDefinition(llvm::ArrayRef<Token> tokens, unsigned column);
  void readParams(llvm::ArrayRef<Token> tokens, unsigned scope);
  void readStatement(llvm::ArrayRef<Token> tokens);
  void readImport(llvm::ArrayRef<Token> tokens);
  void readFrom(llvm::ArrayRef<Token> tokens);
  void readTargets(llvm::ArrayRef<Token> tokens);
  void readExpression(llvm::ArrayRef<Token> tokens, const Call *call = nullptr);
  void readGroup(llvm::ArrayRef<Token> tokens, const Call *call);
  size_t readLambda(llvm::ArrayRef<Token> tokens);
  unsigned namedScope() const;
  unsigned openInner(llvm::ArrayRef<Token> tokens);
  void readString(const Token &token);
  void readFields(const char *begin, const char *end, const StringShape &shape, unsigned depth);
  std::optional<size_t> calleeOf(size_t open) const;

  Syntax &syntax;
  unsigned current = 0;               // The scope of the tokens that are read.
  size_t lineEnd = 0;                 // Of the last logical line.
  unsigned groups = 0;                // Brackets around the tokens,
  unsigned lambdas = 0;               // lambdas,
  unsigned strings = 0;               // and f-strings.
  std::vector<unsigned> depths = {0}; // Of a scope.
};

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_SYNTAXBUILDER_H
