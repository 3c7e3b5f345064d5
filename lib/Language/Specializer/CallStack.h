//===- CallStack.h - Where interpretation stands ----------------*- C++ -*-===//
//
// What the interpreters of kernels and of host code share: the frames of the functions that call
// each other, the place in the source, the diagnostics that show both, and the limits on what one
// kernel may take to compile.
//
// Errors are reported where they occur and give a poisoned Object; whatever is computed from one is
// poisoned too and reports nothing more.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_CALLSTACK_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_CALLSTACK_H

#include "Frame.h"
#include "tilec/Language/Diagnostics.h"

#include <set>

namespace tilec::front {

class CallStack {
public:
  CallStack(mlir::MLIRContext &context, llvm::SourceMgr &sources, DiagnosticEngine &diagnostics);

  // Diagnostics.

  /// An error at `range` of the function being interpreted, with notes for the chain of calls.
  /// Inside the prelude it is placed at the call of the user's code. Returns poison.
  Object error(llvm::SMRange range, const llvm::Twine &message);
  /// The same with a suggested replacement when `suggestion` is set: "; did you mean 'x'?".
  Object errorWithHint(llvm::SMRange range, const llvm::Twine &message,
                       std::optional<llvm::StringRef> suggestion, llvm::SMRange fix);
  /// The same with a note.
  Object errorWithNote(llvm::SMRange range, const llvm::Twine &message, llvm::SMRange noteRange,
                       const llvm::Twine &note);
  /// An error about `object`, a Host: `message` and why, which is `why` unless the object knows
  /// better.
  Object hostError(llvm::SMRange range, const llvm::Twine &message, const llvm::Twine &why,
                   const Object &object);
  /// Values of the host program are not known; true, after an error, when `object` is one.
  bool rejectHost(const Object &object, llvm::SMRange range);
  void warning(llvm::SMRange range, const llvm::Twine &message);
  void remark(llvm::SMRange range, const llvm::Twine &message);
  bool hadError() const { return errors; }
  /// An error was reported elsewhere, or those so far do not count.
  void setError(bool value) { errors = value; }
  DiagnosticEngine &engine() { return diagnostics; }
  llvm::SourceMgr &sourceMgr() { return sources; }

  // The current place.

  mlir::Location loc();
  llvm::SMRange here() const { return current; }
  /// The frame of the function being interpreted; null outside of all.
  Frame *innermost() { return top; }
  Frame &frame() { return *top; }
  /// True in code that runs at compile time only.
  bool inHost() const { return top && top->host; }
  void setName(llvm::StringRef name, Object value, bool plain = true);

  // Limits.

  /// Counts a statement; false, perhaps after an error, when no more may be interpreted.
  bool chargeStatement(llvm::SMRange range);
  /// No further statement is interpreted.
  void stop();
  bool stopped() const;

  /// Sets the source location of what is being evaluated while it lives.
  class PlaceScope {
  public:
    PlaceScope(CallStack &stack, llvm::SMRange range) : stack(stack), saved(stack.current) {
      stack.current = range;
    }
    ~PlaceScope() { stack.current = saved; }

  private:
    CallStack &stack;
    llvm::SMRange saved;
  };

  /// Reports nothing while it lives.
  class SilentScope {
  public:
    explicit SilentScope(CallStack &stack) : stack(stack) { ++stack.silent; }
    ~SilentScope() { --stack.silent; }

  private:
    CallStack &stack;
  };

  /// Makes `frame` the current one while it lives.
  class FrameScope {
  public:
    FrameScope(CallStack &stack, Frame &frame) : stack(stack), saved(stack.top) {
      stack.top = &frame;
    }
    ~FrameScope() { stack.top = saved; }

  private:
    CallStack &stack;
    Frame *saved;
  };

  /// Counts nested evaluation while it lives. False, after an error, when it is too deep.
  class DepthGuard {
  public:
    DepthGuard(CallStack &stack, llvm::SMRange range);
    ~DepthGuard() { --stack.depth; }
    explicit operator bool() const { return fits; }

  private:
    CallStack &stack;
    bool fits;
  };

private:
  mlir::Location locate(llvm::SMRange range);
  mlir::Location frameLoc(Frame *of, llvm::SMRange range);

  mlir::MLIRContext &irContext;
  llvm::SourceMgr &sources;
  DiagnosticEngine &diagnostics;
  Frame *top = nullptr;
  llvm::SMRange current;
  bool errors = false;
  unsigned silent = 0;     // Errors are not reported while this is not 0.
  unsigned depth = 0;      // Of nested evaluation, over all frames.
  unsigned statements = 0; // Interpreted so far.
  std::set<std::pair<const char *, std::string>> reported;
  const char *locatedAt = nullptr; // One-entry cache of locate().
  mlir::Location locatedLoc;
};

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_CALLSTACK_H
