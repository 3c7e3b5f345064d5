//===- ASTContext.h - Memory of syntax trees --------------------*- C++ -*-===//
//
// Nodes of a syntax tree, their arrays and their strings live in the arena of an ast::Context and
// are freed with it, all at once, so nodes may point at each other freely and need no destructors.
// The parser fills a context; whoever keeps a tree keeps its context.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_ASTCONTEXT_H
#define TILEC_LANGUAGE_ASTCONTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"

#include <memory>
#include <type_traits>
#include <utility>

namespace tilec::ast {

/// The deepest expression tree and the deepest nesting of statements (each elif counts as a level)
/// that the parser builds; deeper input is an error.
constexpr unsigned maxExprDepth = 1000;
constexpr unsigned maxStmtDepth = 400;

/// Owns the memory of one or more trees. Not thread-safe while parsing.
class Context {
public:
  Context() = default;
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  /// Builds a node. Nodes are never destroyed, so they must not own anything.
  template <typename T, typename... Args> T *create(Args &&...args) {
    static_assert(std::is_trivially_destructible<T>::value, "arena nodes are never destroyed");
    return new (allocator.Allocate<T>()) T(std::forward<Args>(args)...);
  }

  /// Copies an array of trivially copyable elements into the arena.
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> elements) {
    static_assert(std::is_trivially_destructible<T>::value, "arena arrays are never destroyed");
    if (elements.empty())
      return {};
    T *data = allocator.Allocate<T>(elements.size());
    std::uninitialized_copy(elements.begin(), elements.end(), data);
    return llvm::ArrayRef<T>(data, elements.size());
  }

  /// Copies text into the arena.
  llvm::StringRef copy(llvm::StringRef text) {
    llvm::ArrayRef<char> chars = copy(llvm::ArrayRef<char>(text.data(), text.size()));
    return llvm::StringRef(chars.data(), chars.size());
  }

private:
  llvm::BumpPtrAllocator allocator;
};

} // namespace tilec::ast

#endif // TILEC_LANGUAGE_ASTCONTEXT_H
