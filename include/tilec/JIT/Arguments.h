//===- Arguments.h - From arguments to a kernel's parameters ----*- C++ -*-===//
//
// What a launch from Python does before it compiles: the types of the parameters follow from the
// arguments, an integer that is 1 becomes a constant, and multiples of 16 are promised as such.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_JIT_ARGUMENTS_H
#define TILEC_JIT_ARGUMENTS_H

#include "tilec/JIT/HostArray.h"
#include "tilec/Language/AST.h"
#include "tilec/Language/Specializer.h"

namespace tilec {

/// An argument as the caller gives it: an array for a pointer or a tensor descriptor, a value, or a
/// tuple of these. A tuple of values alone may also be a value.
struct NamedArgument {
  NamedArgument() = default;
  NamedArgument(std::string name, HostArray *array, ConstValue value = {})
      : name(std::move(name)), array(array), value(std::move(value)) {}

  std::string name;           // Of an element "shape.0".
  HostArray *array = nullptr; // Not owned.
  ConstValue value;           // Without an array.
  bool isTuple = false;       // Without array and value.
  std::vector<NamedArgument> elements;
  std::string className; // Of a named tuple, in the kernel's file.
  /// Of a tensor descriptor, a tuple of the array, its sizes and its strides. Without a block, the
  /// signature must have it.
  std::optional<DescriptorType> descriptor;

  /// Makes it a descriptor of the whole array. The element that is the array has the argument's
  /// name.
  void makeDescriptor(HostArray &tensor, std::vector<std::string> block, bool padsWithNaN);
  /// The argument with elements in place of a value that is a tuple.
  NamedArgument expanded() const;
  /// "(an array, 1)": for messages.
  std::string str() const;
};

/// Calls `visit` for each argument that is an array, elements of tuples included.
void forEachArray(llvm::ArrayRef<NamedArgument> arguments,
                  llvm::function_ref<void(const NamedArgument &)> visit);

/// The value of one run-time parameter.
struct LaunchValue {
  DType type;
  HostArray *array = nullptr; // Pointers.
  int64_t integer = 0;        // Integers and booleans; a uint64 keeps its bits.
  double real = 0;            // Floats.
};

/// Fills `request.signature` from `arguments` for the parameters that neither `request.constexprs`
/// nor `given` decides, by Triton's rules: an array is a pointer to its element type, a bool a u1,
/// a float an fp32, an integer the first of i32, i64 and u64 that holds it; the integer 1 and None
/// become constants; addresses and integers that are multiples of 16 are promised. Annotations and
/// the do_not_specialize lists of the decorator are obeyed, but do not reach the elements of a
/// tuple or the parts of a descriptor. False after reporting errors: unknown or missing names,
/// values of the wrong kind, arrays of which there can be no descriptor.
bool describeArguments(const ast::FunctionDef &kernel, llvm::ArrayRef<NamedArgument> arguments,
                       const Signature &given, DiagnosticEngine &diagnostics,
                       KernelRequest &request);

/// The values of the run-time parameters of a kernel that was built, in order. False after
/// reporting errors: a missing argument, one of the wrong kind, one that does not fit the type or
/// breaks a promise.
bool bindArguments(const KernelInfo &kernel, llvm::ArrayRef<NamedArgument> arguments,
                   DiagnosticEngine &diagnostics, std::vector<LaunchValue> &values);

} // namespace tilec

#endif // TILEC_JIT_ARGUMENTS_H
