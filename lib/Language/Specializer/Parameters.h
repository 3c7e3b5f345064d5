//===- Parameters.h - What becomes of a kernel's parameters -----*- C++ -*-===//
//
// Decides for each parameter of a kernel whether it is a run-time argument, a compile-time value,
// or a tuple of these. Elements of a tuple that are known at run time are arguments of their own. A
// tensor descriptor is a tuple of its base, its sizes and its strides.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_PARAMETERS_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_PARAMETERS_H

#include "Interpreter.h"

namespace tilec::front {

/// A parameter, or an element of one that is a tuple, with its fate.
struct ParamValue {
  const ast::Param *param = nullptr;
  std::string name;              // "n"; of an element "shape.0", or "p.x" where fields have names.
  std::string path;              // The same with numbers only.
  std::optional<ParamType> type; // Run-time argument.
  Object value;                  // Compile-time value.
  std::optional<ConstValue> given;    // The same as the request gives it.
  bool isTuple = false;               // Neither of these: elements.
  std::vector<ParamValue> elements;   // Of a tuple.
  const RecordClass *named = nullptr; // Of a named tuple.
  /// Of a tensor descriptor, and the type of its blocks.
  std::optional<DescriptorType> descriptor;
  Object blockType;
  llvm::SMRange range; // Of the descriptor, where it was given.

  /// Calls `visit` for each run-time argument in here, in order.
  void forEachArgument(llvm::function_ref<void(const ParamValue &)> visit) const;
  /// The item of a signature that says the same.
  SignatureItem toItem() const;
};

/// Reads signature, constants, annotations and defaults of one kernel.
class ParamResolver {
public:
  ParamResolver(Interpreter &in, const ModuleEnv &env, const JitFunction &kernel,
                const KernelRequest &request, DiagnosticEngine &diagnostics)
      : in(in), env(env), kernel(kernel), def(*kernel.def), request(request),
        diagnostics(diagnostics) {}

  /// One for each parameter of the kernel. False after reporting errors.
  bool resolve(std::vector<ParamValue> &params);

private:
  /// What an annotation says about a parameter.
  struct Annotation {
    bool isConstexpr = false;
    bool isConstPointer = false;
    std::optional<DType> type;
    const RecordClass *named = nullptr;
  };

  bool checkNames();
  bool checkCount();
  std::string signatureByName();
  bool unknownName(llvm::StringRef name, llvm::SMRange range, llvm::StringRef what);
  bool isDefined(const ast::Param &param) const;
  size_t numUndefined() const;
  const SignatureItem *itemOf(const ast::Param &param, unsigned index) const;
  Annotation annotationOf(const ast::Param &param);
  void readAnnotation(const Object &object, Annotation &result);
  bool resolveParam(unsigned index, ParamValue &result);
  bool fromValue(const ConstValue &value, llvm::SMRange range, ParamValue &result);
  Object valueOf(const ConstValue &value, llvm::SMRange range, const ast::Param &param);
  bool fromItem(const SignatureItem &item, const Annotation &annotation, ParamValue &result);
  bool fromTuple(const SignatureItem &item, const Annotation &annotation, ParamValue &result);
  void nameParts(ParamValue &result) const;
  bool resolveBlocks(ParamValue &param, llvm::ArrayRef<ParamValue> all);
  bool resolveBlock(ParamValue &param, llvm::ArrayRef<ParamValue> all);
  std::optional<int64_t> sizeOf(const DescriptorType::Size &size, const ParamValue &param,
                                llvm::ArrayRef<ParamValue> all);
  bool fromSource(const Annotation &annotation, ParamValue &result);
  const RecordClass *findClass(llvm::StringRef name, size_t numFields, llvm::SMRange range,
                               const ast::Param &param);
  bool error(llvm::SMRange range, const llvm::Twine &message, const ast::Param &param);

  Interpreter &in;
  const ModuleEnv &env;
  const JitFunction &kernel;
  const ast::FunctionDef &def;
  const KernelRequest &request;
  DiagnosticEngine &diagnostics;
};

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_PARAMETERS_H
