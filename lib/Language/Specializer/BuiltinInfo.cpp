//===- BuiltinInfo.cpp - What the language has, for editors -----*- C++ -*-===//
//
// Describes the rows of builtins, and the types and constants beside them, by plain values.
//
//===----------------------------------------------------------------------===//

#include "tilec/Language/BuiltinInfo.h"

#include "Builtins.h"

using namespace tilec;
using namespace tilec::front;
using builtins::Info;
using llvm::StringRef;

/// The heading of a module's table in docs/language.md.
static StringRef tableOf(Space space) {
  switch (space) {
  case Space::Language:
    return "tl";
  case Space::Triton:
    return "triton";
  case Space::Python:
    return "Python";
  case Space::HostMath:
    return "math";
  case Space::Device:
    return "libdevice";
  case Space::Cuda:
    return "tl.extra.cuda";
  case Space::Target:
    return "tl.target_info";
  case Space::Standard:
    return "tl.standard";
  case Space::Descriptor:
    return "tensor_descriptor";
  case Space::Inductor:
    return "triton_helpers";
  }
  llvm_unreachable("all spaces are covered");
}

static Info describe(const Builtin &row) {
  Info info;
  info.name = row.name.str();
  info.fullName = row.fullName();
  info.params = row.params.str();
  info.table = tableOf(row.space).str();
  // The method `to` is the function `cast`.
  info.entry = &row == &toMethod() ? "cast" : row.name.str();
  info.isMethod = row.flags & IsMethod;
  info.isSupported = !(row.flags & Unsupported);
  return info;
}

static Info describe(const Namespace &space, StringRef name, const Object &member) {
  if (member.is(Object::Kind::Builtin))
    return describe(*member.asBuiltin());
  Info info;
  info.name = name.str();
  info.fullName = shortModuleName(space) + "." + name.str();
  if (member.is(Object::Kind::Module)) {
    info.kind = Info::Kind::Module;
    info.fullName = member.asModule()->name.str();
  } else if (member.isType()) {
    info.kind = Info::Kind::Type;
  } else {
    info.kind = Info::Kind::Constant;
    info.value = member.repr();
  }
  return info;
}

bool builtins::isModule(StringRef dottedName) { return findNamespace(dottedName); }

std::optional<Info> builtins::findMember(StringRef dottedName, StringRef name) {
  const Namespace *space = findNamespace(dottedName);
  std::optional<Object> member = space ? front::findMember(*space, name) : std::nullopt;
  return member ? std::optional<Info>(describe(*space, name, *member)) : std::nullopt;
}

std::vector<Info> builtins::listMembers(StringRef dottedName) {
  std::vector<Info> members;
  const Namespace *space = findNamespace(dottedName);
  if (!space)
    return members;
  llvm::SmallVector<StringRef, 0> names;
  front::listMembers(*space, names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (StringRef name : names)
    if (std::optional<Object> member = front::findMember(*space, name))
      members.push_back(describe(*space, name, *member));
  return members;
}

static std::optional<Info> describeIf(const Builtin *row) {
  return row ? std::optional<Info>(describe(*row)) : std::nullopt;
}

std::optional<Info> builtins::findPython(StringRef name) {
  const Builtin *row = findPythonBuiltin(name);
  return describeIf(row && !(row->flags & Hidden) ? row : nullptr);
}

std::optional<Info> builtins::findMethod(StringRef name) {
  return describeIf(front::findMethod(name));
}

std::optional<Info> builtins::findDescriptorMethod(StringRef name) {
  return describeIf(front::findDescriptorMethod(name));
}

template <typename Find>
static std::vector<Info> describeAll(llvm::ArrayRef<StringRef> names, Find find) {
  std::vector<Info> infos;
  for (StringRef name : names)
    infos.push_back(*find(name));
  return infos;
}

std::vector<Info> builtins::listPython() {
  llvm::SmallVector<StringRef, 0> names;
  listPythonBuiltins(names);
  return describeAll(names, builtins::findPython);
}

std::vector<Info> builtins::listMethods() {
  llvm::SmallVector<StringRef, 0> names;
  front::listMethods(names);
  return describeAll(names, builtins::findMethod);
}

std::vector<Info> builtins::listDescriptorMethods() {
  std::vector<Info> infos;
  for (const Builtin &row : descriptorMethods())
    infos.push_back(describe(row));
  return infos;
}
