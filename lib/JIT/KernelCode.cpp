//===- KernelCode.cpp - One kernel compiled, as a value ---------*- C++ -*-===//
//
// Compiles one kernel without a file of its own, for programs that compile in process: CodeRequest
// goes in, KernelCode comes out. It also computes the key under which the code can be kept, a hash
// of all that determines it including the build of the compiler, and converts the code to and from
// bytes for the cache on disk.
//
//===----------------------------------------------------------------------===//

#include "tilec/JIT/KernelCode.h"

#include "tilec/Compiler/Compiler.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/BLAKE3.h"

#include <dlfcn.h>
#include <sys/stat.h>

using namespace tilec;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static bool compileInto(const CodeRequest &request, Compilation &compilation, KernelCode &code) {
  if (!compilation.loadText(*request.source, request.path, request.imports) ||
      !compilation.addKernel(request.kernel))
    return false;
  BackendOptions options;
  options.fpFusion = request.kernel.enableFpFusion;
  options.maxRegisters = request.maxRegisters;
  if (!request.backend->compile(compilation, options, code))
    return false;
  code.limits = findLimits(code.record.kernel);
  return true;
}

llvm::Expected<KernelCode> tilec::compileCode(const CodeRequest &request,
                                              std::vector<ImportFact> *facts) {
  std::string messages;
  llvm::raw_string_ostream os(messages);
  KernelCode code;
  bool fine;
  {
    Compilation compilation(os);
    fine = compileInto(request, compilation, code);
    code.imports = compilation.imports().facts();
    if (facts)
      *facts = code.imports;
  }
  if (fine) {
    code.warnings = StringRef(messages).rtrim().str();
    return std::move(code);
  }
  return llvm::createStringError(llvm::inconvertibleErrorCode(), StringRef(messages).rtrim());
}

//===----------------------------------------------------------------------===//
// The key
//===----------------------------------------------------------------------===//

/// Tells builds of the compiler apart that have one version number: size and time of the file that
/// holds this code.
static std::string readBuildIdentity() {
  Dl_info info;
  struct stat facts;
  if (!dladdr(reinterpret_cast<void *>(&readBuildIdentity), &info) || !info.dli_fname ||
      (stat(info.dli_fname, &facts) != 0 && stat("/proc/self/exe", &facts) != 0))
    return "unknown";
  return std::to_string(facts.st_size) + "." + std::to_string(facts.st_mtim.tv_sec) + "." +
         std::to_string(facts.st_mtim.tv_nsec);
}

namespace {
/// Hashes fields so that no two lists of fields look alike.
class KeyHasher {
public:
  void add(StringRef text) {
    add(uint64_t(text.size()));
    hasher.update(text);
  }
  void add(uint64_t number) {
    hasher.update(llvm::ArrayRef<uint8_t>(reinterpret_cast<uint8_t *>(&number), sizeof(number)));
  }
  std::string digest() {
    auto hash = hasher.final<32>();
    return llvm::toHex(llvm::ArrayRef<uint8_t>(hash), /*LowerCase=*/true);
  }

private:
  llvm::BLAKE3 hasher;
};
} // namespace

static void addItem(const SignatureItem &item, KeyHasher &key) {
  key.add(item.name);
  key.add(item.type ? item.type->type.signatureStr() : "");
  key.add(uint64_t(item.type ? item.type->divisibility : 0));
  key.add(uint64_t(item.type && item.type->equalsOne));
  key.add(item.value ? item.value->str() : "");
  key.add(uint64_t(item.isTuple));
  key.add(item.className);
  key.add(item.descriptor ? item.descriptor->str() : "");
  key.add(uint64_t(item.elements.size()));
  for (const SignatureItem &element : item.elements)
    addItem(element, key);
}

static void addSignature(const Signature &signature, KeyHasher &key) {
  key.add(uint64_t(signature.positional));
  key.add(uint64_t(signature.items.size()));
  for (const SignatureItem &item : signature.items)
    addItem(item, key);
}

std::string tilec::codeKey(const CodeRequest &request) {
  static const std::string build = readBuildIdentity();
  const KernelRequest &kernel = request.kernel;
  KeyHasher key;
  key.add("tilec code 8 " TILEC_VERSION " LLVM " LLVM_VERSION_STRING);
  key.add(build);
  key.add(*request.source);
  key.add(request.path);
  key.add(request.imports.mainFile);
  key.add(uint64_t(request.imports.folders.size()));
  for (const std::string &folder : request.imports.folders)
    key.add(folder);
  key.add(request.backend->identity());
  key.add(kernel.kernel);
  addSignature(kernel.signature, key);
  key.add(uint64_t(kernel.constexprs.size()));
  for (const NamedConst &constant : kernel.constexprs) {
    key.add(constant.name);
    key.add(constant.value.str());
  }
  key.add(kernel.arch ? kernel.arch->name() : std::string());
  for (uint64_t number :
       {kernel.numWarps, kernel.numCTAs, kernel.numStages, unsigned(kernel.debug),
        unsigned(kernel.sanitizeOverflow), unsigned(kernel.enableFpFusion),
        unsigned(kernel.warpRoles), unsigned(kernel.tensorMaps), request.maxRegisters})
    key.add(number);
  return key.digest();
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

namespace {

/// Numbers are eight bytes in the processor's order, texts have their length in front.
class Writer {
public:
  void number(uint64_t value) { out.append(reinterpret_cast<const char *>(&value), sizeof(value)); }
  void text(StringRef value) {
    number(value.size());
    out += value;
  }
  std::string out;
};

/// After a read beyond the end everything is 0 or empty, and `sound` is false.
class Reader {
public:
  explicit Reader(StringRef bytes) : rest(bytes) {}
  uint64_t number() {
    uint64_t value = 0;
    StringRef bytes = take(sizeof(value));
    if (sound)
      memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }
  std::string text() { return take(number()).str(); }
  /// True when all was read and nothing is left.
  bool isDone() const { return sound && rest.empty(); }
  bool sound = true;

private:
  StringRef take(uint64_t count) {
    sound &= count <= rest.size();
    if (!sound)
      return "";
    StringRef bytes = rest.take_front(count);
    rest = rest.drop_front(count);
    return bytes;
  }
  StringRef rest;
};

} // namespace

std::string tilec::serializeCode(const KernelCode &code) {
  Writer writer;
  writer.number(code.isHost());
  writer.text(code.warnings);
  writer.number(code.imports.size());
  for (const ImportFact &fact : code.imports) {
    writer.text(fact.path);
    writer.number(fact.isContent);
    writer.text(fact.digest);
  }
  std::string record;
  llvm::raw_string_ostream(record) << llvm::json::Value(toJSON(code.record));
  writer.text(record);
  if (!code.isHost()) {
    writer.text(code.ptx);
    return std::move(writer.out);
  }
  writer.text(code.object.name);
  writer.number(code.object.scratchBytes);
  writer.number(code.object.parameters.size());
  for (const HostParameter &parameter : code.object.parameters) {
    writer.number(uint64_t(parameter.kind));
    writer.number(parameter.bits);
    writer.text(parameter.name);
  }
  writer.text(code.object.code);
  return std::move(writer.out);
}

static void readImports(Reader &reader, std::vector<ImportFact> &imports) {
  for (uint64_t left = reader.number(); left != 0 && reader.sound; --left) {
    ImportFact fact;
    fact.path = reader.text();
    fact.isContent = reader.number() != 0;
    fact.digest = reader.text();
    imports.push_back(std::move(fact));
  }
}

static void readRecord(Reader &reader, KernelRecord &record) {
  std::optional<KernelRecord> known;
  if (llvm::Expected<llvm::json::Value> json = llvm::json::parse(reader.text()))
    known = readKernelRecord(*json);
  else
    llvm::consumeError(json.takeError());
  reader.sound &= known.has_value();
  if (known)
    record = std::move(*known);
}

static void readObject(Reader &reader, HostObject &object) {
  object.name = reader.text();
  object.scratchBytes = reader.number();
  for (uint64_t left = reader.number(); left != 0 && reader.sound; --left) {
    HostParameter parameter;
    uint64_t kind = reader.number();
    reader.sound &= kind <= uint64_t(HostParameter::Kind::Float64);
    parameter.kind = HostParameter::Kind(kind);
    parameter.bits = unsigned(reader.number());
    parameter.name = reader.text();
    object.parameters.push_back(std::move(parameter));
  }
  object.code = reader.text();
}

std::optional<KernelCode> tilec::deserializeCode(StringRef bytes) {
  Reader reader(bytes);
  KernelCode code;
  uint64_t isHost = reader.number();
  code.warnings = reader.text();
  readImports(reader, code.imports);
  readRecord(reader, code.record);
  code.limits = findLimits(code.record.kernel);
  if (isHost == 1)
    readObject(reader, code.object);
  else
    code.ptx = reader.text();
  if (isHost > 1 || !reader.isDone() || code.code().empty())
    return std::nullopt;
  return code;
}
