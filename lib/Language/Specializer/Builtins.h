//===- Builtins.h - Functions and namespaces of the language ----*- C++ -*-===//
//
// A builtin is one row of a table: its name, its parameter list as Python writes it, and the
// function that interprets a call. Rows live in one file per family (BuiltinsMemory.cpp, ...); a
// row without a function is written in the language itself, in Prelude/.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGE_SPECIALIZER_BUILTINS_H
#define TILEC_LIB_LANGUAGE_SPECIALIZER_BUILTINS_H

#include "Object.h"

namespace tilec::front {

class Interpreter;
struct CallInfo;
class Args;

/// Where a builtin is found.
enum class Space : uint8_t {
  Language,   // tl.X
  Triton,     // triton.X
  Python,     // X without an import
  HostMath,   // math.X
  Device,     // libdevice.X
  Cuda,       // tl.extra.cuda.X
  Target,     // tl.target_info.X
  Standard,   // tl.standard.X, X with a leading underscore
  Descriptor, // A method of a tensor descriptor.
  Inductor,   // torch._inductor.runtime.triton_helpers.X
};

enum BuiltinFlags : uint8_t {
  IsMethod = 1,    // Also x.name(...).
  InMath = 2,      // Also tl.math.name.
  Hidden = 4,      // In tl.core only, not in tl; of libdevice: for its prelude, and not suggested.
  Unsupported = 8, // Known to the language, not compiled yet: a call is an error.
};

using BuiltinFn = Object (*)(Interpreter &, Args &);

struct Builtin {
  llvm::StringRef name;
  /// "x, axis=None, *rest": as in Python, with constants as defaults.
  llvm::StringRef params;
  BuiltinFn call = nullptr; // Null: the function of that name in the prelude.
  uint8_t flags = 0;
  Space space = Space::Language;

  /// The name as a program would write it: "tl.load".
  std::string fullName() const;
};

/// A module that kernels can name. `name` is the dotted Python name.
struct Namespace {
  llvm::StringRef name;
};

/// The module of that dotted name if it is part of the language ("triton.language.math"), or null.
const Namespace *findNamespace(llvm::StringRef dottedName);

/// The member of a module, if it has one: a builtin, a type, a constant or another module.
std::optional<Object> findMember(const Namespace &space, llvm::StringRef name);

/// The function of libdevice with that name; null if there is none.
const Builtin *findDeviceFunction(llvm::StringRef name);

/// What is known without running the program of a name of another Python module, such as
/// "packaging.version.parse": a value, a function for code of compile time, or a module that has
/// such names. `definition` is where the program imports it.
std::optional<Object> findHostName(llvm::StringRef dottedName, llvm::SMRange definition);

/// What Triton calls a GPUTarget: the kind of device, its number, and the threads of a warp.
Object gpuTarget(llvm::StringRef backend, unsigned number, unsigned warpSize);
/// Whether \p object is a type of elements of torch or numpy, such as torch.float16.
bool isHostType(const Object &object);

/// What a condition asks of the platform by its names alone, `is_rocm()`, `not IS_CUDA`,
/// `device.vendor == "nvidia"`, where what it is made of is not known: the device is NVIDIA's.
/// Nothing for other conditions.
std::optional<bool> askedPlatform(const ast::Expr &test);

/// The names that a module has, for suggestions.
void listMembers(const Namespace &space, llvm::SmallVectorImpl<llvm::StringRef> &names);

/// The builtin that is visible without an import (`range`, `len`, `min`), or null.
const Builtin *findPythonBuiltin(llvm::StringRef name);
void listPythonBuiltins(llvm::SmallVectorImpl<llvm::StringRef> &names);

/// The function that is callable as a method of tensors, or null.
const Builtin *findMethod(llvm::StringRef name);
void listMethods(llvm::SmallVectorImpl<llvm::StringRef> &names);

/// The method of tensor descriptors (`load`, `atomic_add`), or null.
const Builtin *findDescriptorMethod(llvm::StringRef name);

/// The method of types (`is_floating`, `get_int_max_value`), or null.
const Builtin *findTypeMethod(llvm::StringRef name);

/// The method of compile-time strings (`startswith`, `upper`), or null.
const Builtin *findStringMethod(llvm::StringRef name);
/// Methods of lists and dictionaries of compile time that change nothing, or null.
const Builtin *findListMethod(llvm::StringRef name);
const Builtin *findDictMethod(llvm::StringRef name);
/// Methods of compile-time numbers, for code of compile time, or null.
const Builtin *findNumberMethod(llvm::StringRef name);

/// The module's name as programs write it: "tl" for triton.language.
std::string shortModuleName(const Namespace &space);

// The rows of each family.
llvm::ArrayRef<Builtin> programBuiltins();
llvm::ArrayRef<Builtin> memoryBuiltins();
llvm::ArrayRef<Builtin> blockPointerBuiltins();
llvm::ArrayRef<Builtin> descriptorBuiltins();
llvm::ArrayRef<Builtin> descriptorMethods();
llvm::ArrayRef<Builtin> atomicBuiltins();
llvm::ArrayRef<Builtin> mathBuiltins();
llvm::ArrayRef<Builtin> operatorBuiltins();
llvm::ArrayRef<Builtin> shapeBuiltins();
llvm::ArrayRef<Builtin> dotBuiltins();
llvm::ArrayRef<Builtin> dotScaledBuiltins();
llvm::ArrayRef<Builtin> reduceBuiltins();
llvm::ArrayRef<Builtin> scanBuiltins();
llvm::ArrayRef<Builtin> elementBuiltins();
llvm::ArrayRef<Builtin> debugBuiltins();
llvm::ArrayRef<Builtin> pythonBuiltins();
llvm::ArrayRef<Builtin> hostBuiltins(); // Of Python, in code of compile time only.
llvm::ArrayRef<Builtin> hostMathBuiltins();
llvm::ArrayRef<Builtin> tritonBuiltins();
llvm::ArrayRef<Builtin> typeMethods();
llvm::ArrayRef<Builtin> unsupportedBuiltins();
llvm::ArrayRef<Builtin> deviceBuiltins();
llvm::ArrayRef<Builtin> devicePreludeBuiltins();
llvm::ArrayRef<Builtin> randomBuiltins();
llvm::ArrayRef<Builtin> targetBuiltins();
llvm::ArrayRef<Builtin> standardBuiltins();
llvm::ArrayRef<Builtin> inductorBuiltins();
llvm::ArrayRef<Builtin> cudaBuiltins();

/// The class of what triton.Config(..) gives in code of compile time.
const RecordClass &configClass();

/// The method `to`.
const Builtin &toMethod();

/// get_int_dtype(bitwidth, signed), which has a second name.
Object intDtype(Interpreter &in, Args &args);

/// device_print(prefix, *args, hex), which is also the bare `print`.
Object devicePrint(Interpreter &in, Args &args);

/// Python's format(value, spec); nothing after setting `problem`.
std::optional<std::string> formatValue(const Object &value, llvm::StringRef spec,
                                       std::string &problem);
/// `format.format(..)` with the arguments of `info`.
Object formatFields(Interpreter &in, llvm::StringRef format, const CallInfo &info);
/// `format % values`
Object formatPercent(Interpreter &in, llvm::StringRef format, const Object &values,
                     llvm::SMRange range);

/// One step of the bare `min` and `max`: literals are materialised.
Object foldMinMax(Interpreter &in, const Object &x, const Object &y, bool isMax,
                  llvm::SMRange range);

/// Whether `object` is an instance of the class that `type` stands for; nothing when that is no
/// class.
std::optional<bool> isInstance(const Object &object, const Object &type);

// Builtins that statements must recognise.
bool isRangeLike(const Builtin &builtin);        // range, tl.range
bool isStaticRange(const Builtin &builtin);      // tl.static_range
bool isCondition(const Builtin &builtin);        // tl.condition
bool isConstexprType(const Object &object);      // tl.constexpr
bool isAggregateDecorator(const Object &object); // tl.core._aggregate

} // namespace tilec::front

#endif // TILEC_LIB_LANGUAGE_SPECIALIZER_BUILTINS_H
