//===- BuiltinInfo.h - What the language has, for editors -------*- C++ -*-===//
//
// The names of the language with their parameters, out of the tables by which the specializer
// itself finds them. What they do is described in docs/language.md, whose tables are looked up by
// `table` and `entry`.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LANGUAGE_BUILTININFO_H
#define TILEC_LANGUAGE_BUILTININFO_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec::builtins {

/// A name that a program can write without defining it.
struct Info {
  enum class Kind { Function, Type, Constant, Module };

  Kind kind = Kind::Function;
  std::string name;     // "load"
  std::string fullName; // "tl.load"; of a module its dotted name, "triton.language.math".
  std::string params;   // Of a function, as Python writes them: "input, axis=None".
  std::string value;    // Of a constant: "3.141592653589793".
  /// Of a function: the heading of its table in docs/language.md, "tl", and its name there.
  std::string table;
  std::string entry;
  bool isMethod = false;   // Also x.name(..), without the first parameter.
  bool isSupported = true; // False: known, but its use is an error.
};

/// Whether a module of this dotted name is part of the language: "triton.language.math".
bool isModule(llvm::StringRef dottedName);
/// The members of such a module, sorted by name; empty for other names.
std::vector<Info> listMembers(llvm::StringRef dottedName);
/// The member `name` of such a module.
std::optional<Info> findMember(llvm::StringRef dottedName, llvm::StringRef name);

/// What is visible without an import in kernels: `range`, `len`, `min`.
std::vector<Info> listPython();
std::optional<Info> findPython(llvm::StringRef name);

/// What can be called as a method of a block or a scalar.
std::vector<Info> listMethods();
std::optional<Info> findMethod(llvm::StringRef name);

/// The methods of tensor descriptors.
std::vector<Info> listDescriptorMethods();
std::optional<Info> findDescriptorMethod(llvm::StringRef name);

} // namespace tilec::builtins

#endif // TILEC_LANGUAGE_BUILTININFO_H
