//===- KernelParam.h - A run-time parameter of a kernel ---------*- C++ -*-===//
//
// What the compiler, the objects and the JIT know of one value that launches pass: its type, what
// is promised of it, and where it lies in the kernel's parameter buffer. Text of signatures becomes
// this once, in Signature.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_KERNELPARAM_H
#define TILEC_LANGUAGE_KERNELPARAM_H

#include "tilec/Language/Types.h"

namespace tilec {

/// What launches tell apart of one argument: 1 becomes part of the code, multiples of 16 divide.
/// Negative ones are not among these, so that strides of which code knows it can be those of tensor
/// maps.
enum class ArgumentClass : uint8_t { Any = 0, MultipleOf16 = 1, One = 2 };

/// Which classes make a difference for a parameter.
struct ClassRule {
  bool one = false;
  bool multipleOf16 = false;

  bool isTrivial() const { return !one && !multipleOf16; }
  /// The class of an integer, or of a pointer's address.
  ArgumentClass classify(int64_t value) const {
    return one && value == 1                               ? ArgumentClass::One
           : multipleOf16 && value >= 0 && value % 16 == 0 ? ArgumentClass::MultipleOf16
                                                           : ArgumentClass::Any;
  }
};

/// The type of a run-time parameter and the promise about its value.
struct ParamType {
  DType type;
  /// 1 (nothing promised) or 16.
  unsigned divisibility = 1;
  /// The value, an integer, is promised to be 1. Unlike a constexpr, the parameter stays one: the
  /// caller passes the value, and the arithmetic with it keeps its type.
  bool equalsOne = false;

  /// The type with the promise that the value is of this class.
  static ParamType of(DType type, ArgumentClass promised);
  /// The class of the values that keep the promise.
  ArgumentClass promised() const;
  /// Bytes of a value in the parameter buffer.
  unsigned size() const;
  /// What its offset there is a multiple of.
  unsigned alignment() const { return size(); }
};

/// A run-time argument of a kernel: a parameter, or an element of one that is a tuple.
struct KernelParam : ParamType {
  std::string name; // "n"; of an element "shape.0", or "p.x" where fields have names.
  std::string path; // The same with numbers only: "n", "shape.0", "p.0".
  /// In the parameter buffer, in bytes; see layOutParams().
  unsigned offset = 0;
  /// The largest value with which the kernel does all of its work, where it is sure that its rows
  /// are one tile: masks `range < n` of a range from 0, which no loop and no other program goes on.
  /// Compilation::addKernel fills it in.
  std::optional<int64_t> atMost;
  /// The end of a range from 0 that the kernel compares with the value, as a mask does. Filled in
  /// likewise.
  std::optional<int64_t> comparedRange;
};

/// Gives each parameter the first place after the one before that suits its alignment.
void layOutParams(llvm::MutableArrayRef<KernelParam> params);

} // namespace tilec

#endif // TILEC_LANGUAGE_KERNELPARAM_H
