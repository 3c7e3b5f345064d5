//===- Parser.h - From source text to the syntax tree -----------*- C++ -*-===//
//
// Entry points of the front half of the front end: read a kernel file, print its tree.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_PARSER_H
#define TILEC_LANGUAGE_PARSER_H

#include "tilec/Language/AST.h"
#include "tilec/Language/Diagnostics.h"

namespace tilec {

/// Reads the buffer `bufferId` of `sourceMgr` as a Python file. Imports, constants and decorated
/// functions become nodes; other host code is skipped without being checked. Syntax errors inside
/// `@triton.jit` functions are reported to `diagnostics`, several a run; such a function is kept
/// with `hasErrors` set. Returns null only when the buffer is no text at all (NUL bytes, invalid
/// UTF-8), after one error. The tree lives in `context` and refers to the buffer's text.
ast::Module *parseModule(const llvm::SourceMgr &sourceMgr, unsigned bufferId,
                         DiagnosticEngine &diagnostics, ast::Context &context);

/// Parses a whole buffer as one expression, e.g. the value of `-DNAME=VALUE`. Returns null after
/// reporting an error.
ast::Expr *parseExpression(const llvm::SourceMgr &sourceMgr, unsigned bufferId,
                           DiagnosticEngine &diagnostics, ast::Context &context);

/// Prints the tree, one node a line, indented by depth, each with `line:column` of its start. The
/// output depends on nothing but the source.
void printAST(llvm::raw_ostream &os, const llvm::SourceMgr &sourceMgr, const ast::Module &module);

/// Prints one expression in the same form, for tests.
void printAST(llvm::raw_ostream &os, const llvm::SourceMgr &sourceMgr, const ast::Expr &expr);

} // namespace tilec

#endif // TILEC_LANGUAGE_PARSER_H
