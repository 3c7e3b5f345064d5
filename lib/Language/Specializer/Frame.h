//===- Frame.h - Functions being interpreted, and their names ---*- C++ -*-===//
//
// A frame holds the names of one function while it is interpreted: of a kernel, of a function that
// is inlined into one, or of a function of compile time.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_FRAME_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_FRAME_H

#include "Object.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace tilec::front {

/// A name's value, and whether a merge of branches may carry it: `x: tl.constexpr = ..` and targets
/// of static_range may not.
struct Binding {
  Object value;
  bool plain = true;
};
using Scope = llvm::MapVector<llvm::StringRef, Binding>;

struct Frame;

/// What a function within a function sees of the latter, by reference as in Python, for as long as
/// the latter runs.
struct Closure {
  Frame *frame = nullptr;
  std::weak_ptr<char> life;   // Of the frame.
  unsigned comprehension = 0; // The innermost one that it is written in; 0: none.
  std::vector<Object>
      defaults; // One a parameter, as of the definition; poison where there is none.
};

/// One function being interpreted.
struct Frame {
  const JitFunction *function = nullptr; // Null while constants of a command line are read.
  const ModuleEnv *env = nullptr;
  Frame *caller = nullptr;
  llvm::SMRange callRange;                 // In the caller.
  std::optional<mlir::Location> callerLoc; // Of callRange and the calls above, made when needed.
  Scope scope;
  std::vector<Object> arguments;     // Of a jit function, before its body assigns to parameters.
  unsigned loopDepth = 0;            // Run-time loops around the current statement.
  bool isKernel = false;             // Returns no value.
  std::optional<Object> returnShape; // Of the first return seen; None when it was bare.
  llvm::SMRange firstReturn;
  struct Vanished {
    llvm::SMRange range;
    llvm::StringRef why;
  };
  llvm::DenseMap<llvm::StringRef, Vanished> vanished; // Names that did not leave a branch or loop.
  bool host = false; // Evaluated at compile time only (constexpr_function, defaults).
  const RecordClass *constructing = nullptr; // In __init__ of an aggregate, whose self it sets.
  // Of functions of compile time:
  Frame *outer = nullptr;                        // Around a function within it.
  std::shared_ptr<char> life;                    // Set when a closure refers to the frame.
  llvm::SmallVector<unsigned, 2> comprehensions; // Being evaluated, outermost first.
};

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_FRAME_H
