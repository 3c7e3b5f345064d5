//===- AST.h - Syntax tree of a kernel file ---------------------*- C++ -*-===//
//
// The tree that the parser builds from a Python source file. It mirrors the node types of Python's
// own `ast` as far as the kernel language knows them; constructs outside the language become
// UnsupportedExpr and UnsupportedStmt, so that they cost an error only when a kernel that is
// compiled contains them.
//
// Nodes, arrays and strings live in an ast::Context and are never freed one by one; no node owns
// memory. The tree is immutable after parsing and may be read from several threads. Every node has
// a source range [start, end). The parser bounds the depth of the tree (see maxExprDepth and
// maxStmtDepth), so recursion over it is safe.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_AST_H
#define TILEC_LANGUAGE_AST_H

#include "tilec/Language/ASTContext.h"
#include "tilec/Language/ASTExpr.h"
#include "tilec/Language/ASTStmt.h"

#endif // TILEC_LANGUAGE_AST_H
