//===- Args.h - Arguments of a call -----------------------------*- C++ -*-===//
//
// The arguments as they stand in a call, and as a builtin receives them after binding to its
// parameters. The accessors check kinds and report what was expected at the argument itself.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_ARGS_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_ARGS_H

#include "Builtins.h"
#include "llvm/ADT/SmallVector.h"

namespace tilec::front {

struct Arg {
  Object value;
  llvm::SMRange range;
  bool given = false; // False: the parameter's default.
};

struct KeywordArg {
  llvm::StringRef name;
  llvm::SMRange nameRange;
  Arg arg;
};

/// A call before binding.
struct CallInfo {
  llvm::SMRange range;
  llvm::SMRange calleeRange;
  llvm::SmallVector<Arg, 6> positional;
  llvm::SmallVector<KeywordArg, 4> keywords;
};

/// One parameter of a builtin, read from its row.
struct BuiltinParam {
  llvm::StringRef name;
  bool hasDefault = false;
  bool variadic = false;
  bool keywordOnly = false;
  Object defaultValue;
};

/// A call bound to a builtin's parameters. Indices are those of the row's parameter list.
class Args {
public:
  Args(Interpreter &in, const Builtin &builtin, const CallInfo &call)
      : in(in), builtin(builtin), call(call) {}

  const Object &operator[](unsigned index) const { return bound[index].value; }
  llvm::SMRange range(unsigned index) const { return bound[index].range; }
  const Arg &arg(unsigned index) const { return bound[index]; }
  bool given(unsigned index) const { return bound[index].given; }
  llvm::ArrayRef<Arg> rest() const { return variadic; }
  llvm::SMRange callRange() const { return call.range; }
  const Builtin &callee() const { return builtin; }

  /// A run-time value; compile-time numbers are materialised. Poison after an error.
  Object tensor(unsigned index);
  /// A run-time block or scalar, or a compile-time number, as it is.
  Object operand(unsigned index);
  std::optional<bool> boolean(unsigned index);
  std::optional<int64_t> integer(unsigned index);
  std::optional<llvm::StringRef> string(unsigned index);
  std::optional<DType> dtype(unsigned index);
  /// A tuple of integers, or one integer.
  std::optional<llvm::SmallVector<int64_t>> integers(unsigned index);
  /// A shape given as one tuple or as separate arguments (the variadic part).
  std::optional<llvm::SmallVector<int64_t>> restIntegers();
  /// An axis of a value of that rank, negative ones counted from the end.
  std::optional<unsigned> axis(unsigned index, unsigned rank);
  /// Reports that argument `index` should have been `expected`.
  Object wrong(unsigned index, const llvm::Twine &expected);

private:
  friend class Interpreter;
  std::optional<int64_t> oneInteger(const Object &object, llvm::SMRange range,
                                    llvm::StringRef name);

  Interpreter &in;
  const Builtin &builtin;
  const CallInfo &call;
  llvm::ArrayRef<BuiltinParam> params;
  llvm::SmallVector<Arg, 8> bound;
  llvm::SmallVector<Arg, 4> variadic;
};

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_ARGS_H
