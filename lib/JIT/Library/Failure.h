//===- Failure.h - Errors inside libtilec -----------------------*- C++ -*-===//
//
// How libtilec reports errors inside, and counts the objects of its C interface. The library is
// built on LLVM, but its users are not: a Failure is a code and a message, which toC() makes an
// error handle of, and handles are objects with a reference count.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_JIT_LIBRARY_FAILURE_H
#define TILEC_LIB_JIT_LIBRARY_FAILURE_H

#include "tilec/jit_c.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <string>

namespace tilec::library {

/// Success (code 0), or a code and a message.
struct [[nodiscard]] Failure {
  Failure() = default;
  Failure(int32_t code, const llvm::Twine &text) : code(code), text(text.str()) {}
  /// Takes `error`, which must not be success.
  Failure(int32_t code, llvm::Error error) : code(code), text(llvm::toString(std::move(error))) {}

  /// True for a failure.
  explicit operator bool() const { return code != 0; }

  int32_t code = 0;
  std::string text;
};

/// The error of the C interface; null for success.
tilec_jit_error toC(const Failure &failure);

/// An object of the C interface: counted, deleted with its last reference.
template <typename T> class Counted {
public:
  T *retain() {
    references.fetch_add(1, std::memory_order_relaxed);
    return static_cast<T *>(this);
  }
  void release() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete static_cast<T *>(this);
  }

private:
  std::atomic<uint32_t> references{1};
};

/// A reference to a counted object that is kept alive.
template <typename T> class Reference {
public:
  explicit Reference(T *object) : object(object->retain()) {}
  Reference(const Reference &) = delete;
  Reference &operator=(const Reference &) = delete;
  ~Reference() { object->release(); }
  T *operator->() const { return object; }
  T &operator*() const { return *object; }

private:
  T *object;
};

/// Memory of the C library with a copy of `text`, or empty when there is none.
tilec_jit_text copyText(llvm::StringRef text);

} // namespace tilec::library

#endif // TILEC_LIB_JIT_LIBRARY_FAILURE_H
