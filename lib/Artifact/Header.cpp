//===- Header.cpp - The C and C++ face of compiled kernels -----*- C++ -*-===//
//
// One file for both languages. The C part declares the functions of the object; the C++ part puts
// types and names on top. Names come from the kernels; those that mean something in C or C++ get an
// underscore.
//
//===----------------------------------------------------------------------===//

#include "tilec/Artifact/Header.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Names and types
//===----------------------------------------------------------------------===//

/// Words that are no names, or that the generated functions use themselves.
static bool isTaken(StringRef name) {
  static const llvm::StringSet<> taken = {"alignas",       "alignof",
                                          "and_eq",        "asm",
                                          "auto",          "bitand",
                                          "bitor",         "bool",
                                          "case",          "catch",
                                          "char",          "char8_t",
                                          "char16_t",      "char32_t",
                                          "co_await",      "co_return",
                                          "co_yield",      "compl",
                                          "concept",       "const",
                                          "const_cast",    "consteval",
                                          "constexpr",     "constinit",
                                          "decltype",      "default",
                                          "delete",        "do",
                                          "double",        "dynamic_cast",
                                          "enum",          "explicit",
                                          "export",        "extern",
                                          "false",         "float",
                                          "friend",        "goto",
                                          "inline",        "int",
                                          "int16_t",       "int32_t",
                                          "int64_t",       "int8_t",
                                          "long",          "mutable",
                                          "namespace",     "new",
                                          "noexcept",      "not_eq",
                                          "nullptr",       "operator",
                                          "or_eq",         "private",
                                          "protected",     "public",
                                          "register",      "reinterpret_cast",
                                          "requires",      "restrict",
                                          "short",         "signed",
                                          "sizeof",        "static",
                                          "static_assert", "static_cast",
                                          "struct",        "switch",
                                          "template",      "this",
                                          "thread_local",  "throw",
                                          "true",          "typedef",
                                          "typeid",        "typename",
                                          "typeof",        "uint16_t",
                                          "uint32_t",      "uint64_t",
                                          "uint8_t",       "union",
                                          "unsigned",      "using",
                                          "virtual",       "void",
                                          "volatile",      "wchar_t",
                                          "xor",           "xor_eq",
                                          "linux",         "unix",
                                          "slots",         "slot",
                                          "broken",        "occupancy",
                                          "NULL",          "EOF",
                                          "options",       "launch",
                                          "constexprs",    "tilec",
                                          "tilec_status",  "tilec_launch_options"};
  return taken.contains(name);
}

static std::string safeName(StringRef name) { return name.str() + (isTaken(name) ? "_" : ""); }

/// Members of the options structure beside the constexprs.
static std::string memberName(StringRef name) {
  bool isMember = name == "stream" || name == "grid" || name == "dependent" || name == "config";
  return isMember ? name.str() + "_" : safeName(name);
}

static StringRef scalarTypeOf(DType type, bool isCpp) {
  switch (type.kind) {
  case ScalarKind::Void:
    return "void";
  case ScalarKind::Int1:
    return "bool";
  case ScalarKind::Int8:
    return "int8_t";
  case ScalarKind::UInt8:
    return "uint8_t";
  case ScalarKind::Int16:
    return "int16_t";
  case ScalarKind::UInt16:
    return "uint16_t";
  case ScalarKind::Int32:
    return "int32_t";
  case ScalarKind::UInt32:
    return "uint32_t";
  case ScalarKind::Int64:
    return "int64_t";
  case ScalarKind::UInt64:
    return "uint64_t";
  case ScalarKind::FP8E5:
    return isCpp ? "tilec::float8e5" : "uint8_t";
  case ScalarKind::FP8E4NV:
    return isCpp ? "tilec::float8e4nv" : "uint8_t";
  case ScalarKind::FP8E4B15:
    return isCpp ? "tilec::float8e4b15" : "uint8_t";
  case ScalarKind::FP16:
    return isCpp ? "tilec::half" : "uint16_t";
  case ScalarKind::BF16:
    return isCpp ? "tilec::bfloat16" : "uint16_t";
  case ScalarKind::FP32:
    return "float";
  case ScalarKind::FP64:
    return "double";
  default:
    llvm_unreachable("a type without a host type");
  }
}

static std::string typeOf(DType type, bool isCpp) {
  std::string text;
  unsigned depth = 0;
  bool isConst = type.isConst;
  for (; type.isPointer(); type = type.pointee())
    ++depth;
  text = (isConst ? "const " : "") + scalarTypeOf(type, isCpp).str();
  return depth ? text + " " + std::string(depth, '*') : text;
}

std::string tilec::cppTypeOf(DType type) { return typeOf(type, /*isCpp=*/true); }

/// The type with `const` where nothing is written.
static DType passedType(const ArtifactParam &param) {
  DType type = param.type;
  type.isConst |= param.isReadOnly && type.pointerDepth == 1;
  return type;
}

/// The names of the parameters in C; that of an element "shape.0" is shape_0.
static std::vector<std::string> namesOf(const ArtifactKernel &kernel) {
  std::vector<std::string> names;
  llvm::StringSet<> used;
  auto isElement = [](const ArtifactParam &param) { return StringRef(param.path).contains('.'); };
  for (const ArtifactParam &param : kernel.params)
    if (!isElement(param))
      used.insert(safeName(param.name));
  for (const ArtifactParam &param : kernel.params) {
    std::string name = param.name;
    std::replace(name.begin(), name.end(), '.', '_');
    name = safeName(name);
    while (isElement(param) && !used.insert(name).second)
      name += "_";
    names.push_back(std::move(name));
  }
  return names;
}

/// `float *x` or `int32_t n`.
static std::string declare(const ArtifactParam &param, StringRef name, bool isCpp) {
  std::string type = typeOf(passedType(param), isCpp);
  return type + (param.type.isPointer() ? "" : " ") + name.str();
}

namespace {

/// A parameter of a C++ function: one of C, or several that a tensor descriptor stands for.
struct CppParam {
  std::string name, declaration;
  bool isDescriptor = false;
};

} // namespace

/// `const tilec::TensorDescriptor<const float, 2> &x`.
static std::string declareDescriptor(const ArtifactParam &base, unsigned rank, StringRef name) {
  DType element = base.type.pointee();
  bool isConst = passedType(base).isConst;
  return "const tilec::TensorDescriptor<" + std::string(isConst ? "const " : "") +
         typeOf(element, /*isCpp=*/true) + ", " + std::to_string(rank) + "> &" + name.str();
}

static std::vector<CppParam> cppParamsOf(const ArtifactKernel &kernel) {
  std::vector<std::string> names = namesOf(kernel);
  llvm::StringSet<> used;
  for (const std::string &name : names)
    used.insert(name);
  std::vector<CppParam> result;
  const ArtifactDescriptor *next = kernel.descriptors.data();
  const ArtifactDescriptor *end = next + kernel.descriptors.size();
  for (unsigned i = 0; i < kernel.params.size(); ++i) {
    const ArtifactParam &param = kernel.params[i];
    if (next == end || next->first != i) {
      result.push_back({names[i], declare(param, names[i], /*isCpp=*/true)});
      continue;
    }
    std::string name = next->name;
    std::replace(name.begin(), name.end(), '.', '_');
    for (name = safeName(name); !used.insert(name).second;)
      name += "_";
    result.push_back({name, declareDescriptor(param, next->rank, name), /*isDescriptor=*/true});
    i += 2 * next->rank - 1;
    ++next;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

namespace {

class HeaderWriter {
public:
  HeaderWriter(const Artifact &artifact, llvm::raw_ostream &os) : artifact(artifact), os(os) {
    for (const ArtifactKernel &kernel : artifact.kernels)
      byName[kernel.name].push_back(&kernel);
  }

  void write(StringRef fileName);

private:
  using Overloads = llvm::ArrayRef<const ArtifactKernel *>;

  void writeCFunction(const ArtifactKernel &kernel, StringRef suffix, StringRef result);
  void writeC();
  void writeCppPart();
  void writeConstexprs(const ArtifactKernel &kernel);
  void writeConstants(const ArtifactKernel &kernel, unsigned index, bool isCpp);
  void writeConfigs(const ArtifactKernel &kernel);
  void writeOptions(const ArtifactKernel &kernel);
  void writeCall(const ArtifactKernel &kernel, StringRef result, StringRef name);
  void writeSlots(const ArtifactKernel &kernel, llvm::ArrayRef<CppParam> params);
  void writeFunction(const ArtifactKernel &kernel);
  void writeComment(StringRef text);
  void writeDoc(const ArtifactKernel &kernel);
  std::string constexprsName(const ArtifactKernel &kernel) const {
    return artifact.prefix() + kernel.name + "_constexprs";
  }
  std::string listValues(const ArtifactKernel &kernel, unsigned index) const;

  const Artifact &artifact;
  llvm::raw_ostream &os;
  llvm::MapVector<StringRef, llvm::SmallVector<const ArtifactKernel *>> byName;
};

} // namespace

static std::string upper(StringRef text) { return text.upper(); }

/// An identifier that looks like `text`.
static std::string identifierOf(StringRef text) {
  std::string result;
  for (unsigned char c : text)
    result += llvm::isAlnum(c) || c == '_' || c >= 0x80 ? char(c) : '_';
  StringRef trimmed = StringRef(result).trim('_');
  result = trimmed.empty() ? "value" : trimmed.str();
  if (llvm::isDigit(result.front()))
    result = "v" + result;
  return safeName(result);
}

/// The names of a constexpr's values, each of its own.
static std::vector<std::string> enumNames(llvm::ArrayRef<ConstValue> values) {
  std::vector<std::string> names;
  llvm::StringSet<> used = {"any"};
  for (const ConstValue &value : values) {
    std::string text = value.str();
    StringRef spelling = text;
    spelling.consume_front("tl.");
    std::string name = identifierOf(spelling);
    while (!used.insert(name).second)
      name += "_";
    names.push_back(name);
  }
  return names;
}

std::string HeaderWriter::listValues(const ArtifactKernel &kernel, unsigned index) const {
  std::string list;
  for (const ConstValue &value : kernel.distinctValues(index))
    list += (list.empty() ? "" : ", ") + value.str();
  // Nothing that a value is may end the comment, or go on in the next line.
  for (char &c : list)
    if (c == '\n' || c == '\r' || c == '\\' || c == '*')
      c = '.';
  return list;
}

void HeaderWriter::writeConstants(const ArtifactKernel &kernel, unsigned index, bool isCpp) {
  if (kernel.isNumeric(index))
    return;
  const std::string &name = kernel.constexprs[index];
  std::vector<std::string> names = enumNames(kernel.distinctValues(index));
  if (isCpp) {
    os << "/// Values of " << name << ".\nenum class " << kernel.name << "_" << name
       << " : int64_t {\n  any = TILEC_ANY,\n";
    for (auto [number, value] : llvm::enumerate(names))
      os << "  " << value << " = " << number << ",\n";
    os << "};\n\n";
    return;
  }
  for (auto [number, value] : llvm::enumerate(names))
    os << "#define " << upper(artifact.prefix() + kernel.name + "_" + name) << "_" << value << " "
       << number << "\n";
}

/// The structure in which C callers name the constexprs that they want.
void HeaderWriter::writeConstexprs(const ArtifactKernel &kernel) {
  if (kernel.constexprs.empty())
    return;
  os << "/* Which compiled constexpr values a launch of " << kernel.name
     << " takes; TILEC_ANY leaves the choice. */\ntypedef struct " << constexprsName(kernel)
     << " {\n";
  for (auto [index, name] : llvm::enumerate(kernel.constexprs))
    os << "  int64_t " << safeName(name) << "; /* " << listValues(kernel, index) << " */\n";
  os << "} " << constexprsName(kernel) << ";\n";
  for (unsigned i = 0; i < kernel.constexprs.size(); ++i)
    writeConstants(kernel, i, /*isCpp=*/false);
  os << "#define " << upper(artifact.prefix() + kernel.name) << "_ANY {TILEC_ANY";
  for (size_t i = 1; i < kernel.constexprs.size(); ++i)
    os << ", TILEC_ANY";
  os << "}\n";
}

void HeaderWriter::writeCFunction(const ArtifactKernel &kernel, StringRef suffix,
                                  StringRef result) {
  os << "TILEC_NODISCARD tilec_status " << artifact.functionName(kernel) << suffix
     << "(const tilec_launch_options *options";
  if (!kernel.constexprs.empty())
    os << ", const " << constexprsName(kernel) << " *constexprs";
  for (auto [param, name] : llvm::zip_equal(kernel.params, namesOf(kernel)))
    os << ", " << declare(param, name, /*isCpp=*/false);
  os << result << ");\n";
}

void HeaderWriter::writeC() {
  for (auto &[name, overloads] : byName) {
    os << "\n";
    writeConstexprs(*overloads.front());
    for (const ArtifactKernel *kernel : overloads) {
      writeCFunction(*kernel, "", "");
      writeCFunction(*kernel, "_occupancy", ", tilec_occupancy *occupancy");
      os << "extern const tilec_aot_kernel " << artifact.tableName(*kernel) << ";\n";
    }
  }
  os << "\n/* Loads the code that launches with these options may need, of every kernel with this "
        "prefix\n"
     << " * in the program, also of other objects. */\n"
     << "TILEC_NODISCARD tilec_status " << artifact.prefix()
     << "prepare_all(const tilec_launch_options *options);\n"
     << "/* Unloads it everywhere. No launch or preparation may run meanwhile, and the GPUs must "
        "have\n"
     << " * finished what was launched. */\n"
     << "void " << artifact.prefix() << "unload_all(void);\n";
}

//===----------------------------------------------------------------------===//
// C++
//===----------------------------------------------------------------------===//

/// Lines of a comment.
void HeaderWriter::writeComment(StringRef text) {
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    line = line.rtrim(" \t\r\\"); // a backslash at the end would take the next line along
    os << "///" << (line.empty() ? "" : " ") << line << "\n";
  }
}

void HeaderWriter::writeDoc(const ArtifactKernel &kernel) {
  writeComment(kernel.doc.empty() ? "Launches " + kernel.name + "." : kernel.doc);
  std::vector<std::string> conditions;
  for (const ArtifactConfig &config : kernel.configs) {
    std::string text = config.requirementText();
    if (!text.empty() && !llvm::is_contained(conditions, text))
      conditions.push_back(text);
  }
  if (conditions.empty())
    return;
  writeComment("\nFails with Code::NoConfig unless a configuration suits, which requires:");
  for (const std::string &condition : conditions)
    writeComment("  " + condition);
}

void HeaderWriter::writeConfigs(const ArtifactKernel &kernel) {
  if (kernel.configs.size() < 2)
    return;
  os << "/// The compiled configurations of " << kernel.name << ".\nenum class " << kernel.name
     << "_config : uint32_t {\n  any = 0,\n";
  for (auto [index, config] : llvm::enumerate(kernel.configs))
    os << "  " << safeName(config.name) << " = " << index + 1 << ",\n";
  os << "};\n\n";
}

void HeaderWriter::writeOptions(const ArtifactKernel &kernel) {
  for (unsigned i = 0; i < kernel.constexprs.size(); ++i)
    writeConstants(kernel, i, /*isCpp=*/true);
  writeConfigs(kernel);
  os << "/// How to launch " << kernel.name << ".\nstruct " << kernel.name << "_options {\n"
     << "  /// A cudaStream_t, a tilec::Stream, or tilec::cpuStream().\n"
     << "  tilec::LaunchStream stream{};\n"
     << (kernel.grid.empty() ? "  /// Programs; must be given.\n"
                             : "  /// Programs; computed from the arguments unless given.\n")
     << "  tilec::LaunchGrid grid{};\n"
     << "  /// May overlap the launch before it (programmatic dependent launch).\n"
     << "  bool dependent = false;\n";
  if (kernel.configs.size() > 1)
    os << "  /// The first one that suits, unless named here or by its constexprs.\n  "
       << kernel.name << "_config config = " << kernel.name << "_config::any;\n";
  for (auto [index, name] : llvm::enumerate(kernel.constexprs)) {
    os << "  /// Compiled values: " << listValues(kernel, index) << ".\n";
    std::string type = kernel.isNumeric(index) ? "int64_t" : kernel.name + "_" + name;
    os << "  " << type << " " << memberName(name) << " = "
       << (kernel.isNumeric(index) ? std::string("TILEC_ANY") : type + "::any") << ";\n";
  }
  os << "};\n\n";
}

/// The start of a C++ function: what the call is made of.
void HeaderWriter::writeCall(const ArtifactKernel &kernel, StringRef result, StringRef name) {
  os << "inline " << result << " " << name << "(const " << kernel.name << "_options &options";
  std::vector<CppParam> params = cppParamsOf(kernel);
  for (const CppParam &param : params)
    os << ", " << param.declaration;
  os << ") {\n";
  for (const CppParam &param : params)
    if (param.isDescriptor)
      os << "  if (tilec::Status broken = " << param.name << ".check(\"" << param.name
         << "\"); !broken)\n    return broken;\n";
  os << "  const tilec_launch_options launch = tilec::detail::makeLaunchOptions(\n"
     << "      options.stream, options.grid, options.dependent, "
     << (kernel.configs.size() > 1 ? "uint32_t(options.config)" : "0") << ");\n";
  llvm::ListSeparator comma;
  if (!kernel.constexprs.empty()) {
    os << "  const int64_t constexprs[] = {";
    for (const std::string &constant : kernel.constexprs)
      os << comma << "int64_t(options." << memberName(constant) << ")";
    os << "};\n";
  }
  writeSlots(kernel, params);
}

/// The array of arguments, each in a slot of 64 bits.
void HeaderWriter::writeSlots(const ArtifactKernel &kernel, llvm::ArrayRef<CppParam> params) {
  if (kernel.descriptors.empty()) {
    os << "  const uint64_t slots[] = {";
    llvm::ListSeparator comma;
    for (const CppParam &param : params)
      os << comma << "tilec::detail::toSlot(" << param.name << ")";
    os << (params.empty() ? "0" : "") << "};\n";
    return;
  }
  os << "  uint64_t slots[" << kernel.params.size() << "], *slot = slots;\n";
  for (const CppParam &param : params)
    os << "  tilec::detail::addSlots(" << param.name << ", slot);\n";
}

void HeaderWriter::writeFunction(const ArtifactKernel &kernel) {
  const char *constexprs = kernel.constexprs.empty() ? "nullptr" : "constexprs";
  std::string table = "::" + artifact.tableName(kernel);
  writeDoc(kernel);
  writeCall(kernel, "tilec::Status", safeName(kernel.name));
  os << "  return tilec::Status(tilec_aot_launch_v1(&" << table << ", &launch, " << constexprs
     << ", slots));\n}\n"
     << "/// How much of it the GPU holds at once, for the code that this launch would run.\n";
  writeCall(kernel, "tilec::Expected<tilec::Occupancy>", kernel.name + "_occupancy");
  os << "  return tilec::detail::findOccupancy(" << table << ", launch, " << constexprs
     << ", slots);\n}\n\n";
}

void HeaderWriter::writeCppPart() {
  os << "namespace " << artifact.nameSpace << " {\n\n";
  for (auto &[name, overloads] : byName) {
    writeOptions(*overloads.front());
    for (const ArtifactKernel *kernel : overloads)
      writeFunction(*kernel);
  }
  // Objects may share a namespace, and a source file may include the headers of several.
  std::string guard = "TILEC_" + upper(artifact.prefix()) + "ALL";
  os << "#ifndef " << guard << "\n#define " << guard << "\n"
     << "/// Loads the code that launches on the stream may need, of every kernel in this "
        "namespace and\n"
     << "/// program, so that they can be captured into a CUDA graph and never wait.\n"
     << "inline tilec::Status prepare_all(const tilec::LaunchStream &stream = {}) {\n"
     << "  const tilec_launch_options launch =\n"
     << "      tilec::detail::makeLaunchOptions(stream, {}, /*dependent=*/false, /*config=*/0);\n"
     << "  return tilec::Status(::" << artifact.prefix() << "prepare_all(&launch));\n}\n\n"
     << "/// The same for the device's context.\n"
     << "inline tilec::Status prepare_all(const tilec::Device &device) {\n"
     << "  return prepare_all(device.defaultStream());\n}\n\n"
     << "/// Unloads all code everywhere. No launch or preparation may run meanwhile, and the GPUs "
        "must\n"
     << "/// have finished what was launched.\n"
     << "inline void unload_all() { ::" << artifact.prefix() << "unload_all(); }\n"
     << "#endif // " << guard << "\n\n} // namespace " << artifact.nameSpace << "\n";
}

void HeaderWriter::write(StringRef fileName) {
  std::string guard = "TILEC_" + upper(artifact.prefix() + identifierOf(fileName));
  os << "// Kernels compiled by tilec " << artifact.version << "; generated, do not edit.\n"
     << "//\n// Any thread may call any function here at any time, apart from unload_all. Nothing "
        "throws "
        "or\n// prints.\n\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n#include \"tilec/aot.h\"\n"
     << "#ifdef __cplusplus\n#include \"tilec/launch.h\"\nextern \"C\" {\n#else\n"
     << "#include <stdbool.h>\n#endif\n";
  writeC();
  os << "\n#ifdef __cplusplus\n} // extern \"C\"\n\n";
  writeCppPart();
  os << "#endif\n\n#endif // " << guard << "\n";
}

std::string tilec::writeHeader(const Artifact &artifact, StringRef fileName) {
  std::string text;
  llvm::raw_string_ostream os(text);
  HeaderWriter(artifact, os).write(fileName);
  return text;
}
