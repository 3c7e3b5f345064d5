//===- BuiltinTable.cpp - Lookup of builtins and modules --------*- C++ -*-===//
//
// Collects the rows of all families and answers which module has which member. Also holds the rows
// of functions that the language has but that are not compiled yet, so that their use is explained
// instead of being called unknown.
//
//===----------------------------------------------------------------------===//

#include "Args.h"
#include "Builtins.h"
#include "Interpreter.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace tilec;
using namespace tilec::front;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Functions without an implementation yet
//===----------------------------------------------------------------------===//

static std::vector<Builtin> unsupportedRows(StringRef names, uint8_t flags, Space space) {
  std::vector<Builtin> rows;
  llvm::SmallVector<StringRef, 64> list;
  names.split(list, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef name : list)
    rows.push_back({name, "", nullptr, uint8_t(flags | Unsupported), space});
  return rows;
}

llvm::ArrayRef<Builtin> front::unsupportedBuiltins() {
  static const std::vector<Builtin> rows = [] {
    return unsupportedRows("extern_elementwise", Hidden, Space::Language);
  }();
  return rows;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {
enum ModuleId : unsigned {
  Triton,
  Language,
  Core,
  Standard,
  Math,
  Random,
  Extra,
  Hip,
  Cuda,
  CudaUtils,
  CudaGdc,
  LibdeviceStub,
  LibdeviceCuda,
  TargetInfo,
  HostMath,
  Inductor,
  NumModules,
};
} // namespace

static constexpr Namespace modules[NumModules] = {
    {"triton"},
    {"triton.language"},
    {"triton.language.core"},
    {"triton.language.standard"},
    {"triton.language.math"},
    {"triton.language.random"},
    {"triton.language.extra"},
    {"triton.language.extra.hip"},
    {"triton.language.extra.cuda"},
    {"triton.language.extra.cuda.utils"},
    {"triton.language.extra.cuda.gdc"},
    {"triton.language.extra.libdevice"},
    {"triton.language.extra.cuda.libdevice"},
    {"triton.language.target_info"},
    {"math"},
    {"torch._inductor.runtime.triton_helpers"},
};

static ModuleId idOf(const Namespace &space) { return ModuleId(&space - modules); }

const Namespace *front::findNamespace(StringRef dottedName) {
  // Its functions are those of CUDA's.
  if (dottedName == "triton.language.extra.hip.libdevice")
    return &modules[LibdeviceCuda];
  for (const Namespace &space : modules)
    if (space.name == dottedName)
      return &space;
  return nullptr;
}

std::string front::shortModuleName(const Namespace &space) {
  StringRef name = space.name;
  if (name.consume_front("triton.language"))
    return "tl" + name.str();
  return name.str();
}

std::string Builtin::fullName() const {
  switch (space) {
  case Space::Language:
    return (flags & Hidden ? "tl.core." : "tl.") + name.str();
  case Space::Triton:
    return "triton." + name.str();
  case Space::Python:
    return name.str();
  case Space::HostMath:
    return "math." + name.str();
  case Space::Device:
    return "libdevice." + name.str();
  case Space::Cuda:
    return "tl.extra.cuda." + name.str();
  case Space::Target:
    return "tl.target_info." + name.str();
  case Space::Standard:
    return "tl.standard." + name.str();
  case Space::Descriptor:
    return "tensor_descriptor." + name.str();
  case Space::Inductor:
    return "triton_helpers." + name.str();
  }
  llvm_unreachable("unknown space");
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

using Index = llvm::StringMap<const Builtin *>;

static Index indexOf(std::initializer_list<llvm::ArrayRef<Builtin>> families) {
  Index index;
  for (llvm::ArrayRef<Builtin> family : families)
    for (const Builtin &row : family)
      index[row.name] = &row;
  return index;
}

static const Index &languageIndex() {
  static const Index index =
      indexOf({unsupportedBuiltins(), programBuiltins(), memoryBuiltins(), blockPointerBuiltins(),
               descriptorBuiltins(), atomicBuiltins(), mathBuiltins(), operatorBuiltins(),
               shapeBuiltins(), dotBuiltins(), dotScaledBuiltins(), reduceBuiltins(),
               scanBuiltins(), randomBuiltins(), elementBuiltins(), debugBuiltins()});
  return index;
}

/// What triton.language.standard has beside what it shares with the language.
static const Index &privateIndex() {
  static const Index index = indexOf({standardBuiltins()});
  return index;
}

/// The rows that a module has, and which flag selects them.
static const Index &indexFor(ModuleId id) {
  static const Index triton = indexOf({tritonBuiltins()}),
                     device = indexOf({devicePreludeBuiltins(), deviceBuiltins()}),
                     target = indexOf({targetBuiltins()}), cuda = indexOf({cudaBuiltins()}),
                     random = indexOf({randomBuiltins()}), host = indexOf({hostMathBuiltins()}),
                     inductor = indexOf({inductorBuiltins()}), none;
  switch (id) {
  case Triton:
    return triton;
  case Language:
  case Core:
  case Standard:
  case Math:
    return languageIndex();
  case Random:
    return random;
  case LibdeviceStub:
  case LibdeviceCuda:
    return device;
  case TargetInfo:
    return target;
  case Cuda:
  case CudaUtils:
  case CudaGdc:
    return cuda;
  case HostMath:
    return host;
  case Inductor:
    return inductor;
  default:
    return none;
  }
}

static bool isMember(ModuleId id, const Builtin &row) {
  if (id == Math)
    return row.flags & InMath;
  return !(row.flags & Hidden) || id == Core || id == CudaUtils;
}

static std::optional<Object> submodule(const Namespace &space, StringRef name) {
  std::string dotted = (space.name + "." + name).str();
  if (const Namespace *found = findNamespace(dotted))
    return Object::module(found);
  return std::nullopt;
}

static std::optional<Object> constantMember(ModuleId id, StringRef name) {
  if (id == Language || id == Core) {
    if (std::optional<ScalarKind> kind = scalarByName(name))
      return Object::type(*kind);
    if (name == "CONSTEXPR_0" && id == Core)
      return Object::integer(0);
    if (name == "pi32_t")
      return Object::type(DType::pointerTo(ScalarKind::Int32));
    if (name == "TRITON_MAX_TENSOR_NUMEL")
      return Object::integer(1048576);
  }
  if (name == "core" && (id == Standard || id == Math || id == CudaUtils))
    return Object::module(&modules[Core]);
  if (name == "math" && id == Standard)
    return Object::module(&modules[Math]);
  if (id == Random && name == "N_ROUNDS_DEFAULT")
    return Object::integer(10);
  if (id == Inductor && name == "constexpr_next_power_of_2")
    return findMember(modules[Triton], "next_power_of_2");
  if (id == Inductor && name == "libdevice")
    return Object::module(&modules[LibdeviceCuda]);
  if (id == Inductor && name == "math")
    return Object::module(&modules[Math]);
  if (id == Triton && name == "__version__")
    return Object::string("3.6.0");
  if (id == HostMath) {
    if (name == "pi")
      return Object::real(M_PI);
    if (name == "e")
      return Object::real(M_E);
    if (name == "tau")
      return Object::real(2 * M_PI);
    if (name == "inf")
      return Object::real(INFINITY);
    if (name == "nan")
      return Object::real(NAN);
  }
  return std::nullopt;
}

std::optional<Object> front::findMember(const Namespace &space, StringRef name) {
  ModuleId id = idOf(space);
  if (const Builtin *row = indexFor(id).lookup(name))
    if (isMember(id, *row) || row->space == Space::Device)
      return Object::builtin(row);
  if (id == Standard)
    if (const Builtin *row = privateIndex().lookup(name))
      return Object::builtin(row);
  if (std::optional<Object> constant = constantMember(id, name))
    return constant;
  return submodule(space, name);
}

const Builtin *front::findDeviceFunction(StringRef name) {
  const Builtin *row = indexFor(LibdeviceCuda).lookup(name);
  return row && row->space == Space::Device && !(row->flags & Hidden) ? row : nullptr;
}

void front::listMembers(const Namespace &space, llvm::SmallVectorImpl<StringRef> &names) {
  ModuleId id = idOf(space);
  for (const auto &entry : indexFor(id))
    if (isMember(id, *entry.second))
      names.push_back(entry.first());
  if (id == Language)
    llvm::append_range(names, scalarNames());
  for (const Namespace &other : modules)
    if (StringRef rest = other.name; rest.consume_front(space.name) && rest.consume_front("."))
      if (!rest.contains('.'))
        names.push_back(rest);
  // The table's order is that of hashes; suggestions must not depend on it.
  llvm::sort(names);
}

const Builtin *front::findPythonBuiltin(StringRef name) {
  static const Index index = indexOf({pythonBuiltins(), hostBuiltins()});
  return index.lookup(name);
}

void front::listPythonBuiltins(llvm::SmallVectorImpl<StringRef> &names) {
  for (const Builtin &row : pythonBuiltins())
    if (!(row.flags & Hidden))
      names.push_back(row.name);
}

const Builtin *front::findMethod(StringRef name) {
  if (name == "to")
    return &toMethod();
  const Builtin *row = languageIndex().lookup(name);
  return row && (row->flags & IsMethod) ? row : nullptr;
}

void front::listMethods(llvm::SmallVectorImpl<StringRef> &names) {
  size_t first = names.size();
  names.push_back("to");
  for (const auto &entry : languageIndex())
    if (entry.second->flags & IsMethod)
      names.push_back(entry.first());
  llvm::sort(names.begin() + first, names.end());
}

const Builtin *front::findDescriptorMethod(StringRef name) {
  for (const Builtin &row : descriptorMethods())
    if (row.name == name)
      return &row;
  return nullptr;
}

const Builtin *front::findTypeMethod(StringRef name) {
  for (const Builtin &row : typeMethods())
    if (row.name == name)
      return &row;
  return nullptr;
}

bool front::isRangeLike(const Builtin &builtin) {
  return builtin.name == "range" &&
         (builtin.space == Space::Python || builtin.space == Space::Language);
}

bool front::isStaticRange(const Builtin &builtin) {
  return builtin.name == "static_range" && builtin.space == Space::Language;
}

bool front::isCondition(const Builtin &builtin) {
  return builtin.name == "condition" && builtin.space == Space::Language;
}

bool front::isAggregateDecorator(const Object &object) {
  return object.is(Object::Kind::Builtin) && object.asBuiltin()->name == "_aggregate" &&
         object.asBuiltin()->space == Space::Language;
}

bool front::isConstexprType(const Object &object) {
  return object.is(Object::Kind::Builtin) && object.asBuiltin()->name == "constexpr" &&
         object.asBuiltin()->space == Space::Language;
}
