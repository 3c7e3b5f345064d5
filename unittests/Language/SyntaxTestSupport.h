//===- SyntaxTestSupport.h - Helpers of the front end's tests ---*- C++ -*-===//

#ifndef TILEC_UNITTESTS_LANGUAGE_SYNTAXTESTSUPPORT_H
#define TILEC_UNITTESTS_LANGUAGE_SYNTAXTESTSUPPORT_H

#include "tilec/Language/Parser.h"

#include <string>

namespace tilec::test {

/// A source text as the file "k.py", with an engine that writes to a string.
class Source {
public:
  explicit Source(llvm::StringRef text, DiagnosticOptions options = {});

  /// Reads the text as a module, or as one expression. Call one of them once.
  ast::Module *parse();
  ast::Expr *parseExpr();

  /// All that was printed so far.
  const std::string &output() const { return printed; }
  /// The lines of the output that carry a place, without the file name: "1:2: error: text\n"...
  std::string messages() const;
  /// The range of the text at `offset` with `length` bytes.
  llvm::SMRange range(size_t offset, size_t length) const;

  llvm::SourceMgr sourceMgr;
  unsigned bufferId;

private:
  std::string printed;
  llvm::raw_string_ostream os;

public:
  DiagnosticEngine engine;
  ast::Context context;
};

/// The messages for a module text.
std::string messagesOf(llvm::StringRef text);

/// The messages for the body of a kernel, whose first line is line 1 and which is indented by four
/// blanks. Fails the test if the kernel is not marked as having errors exactly when there are some.
std::string kernelMessages(llvm::StringRef body);

/// An expression in prefix form, "(+ a (* b 2))", or the messages if it does not parse.
std::string prefixForm(llvm::StringRef text);
std::string prefixForm(const ast::Expr *expr);

/// The printed tree of a module; fails the test if there are errors.
std::string treeOf(llvm::StringRef text);

/// The printed tree of the statements of a kernel body; fails the test if there are errors.
std::string kernelTree(llvm::StringRef body);

} // namespace tilec::test

#endif // TILEC_UNITTESTS_LANGUAGE_SYNTAXTESTSUPPORT_H
