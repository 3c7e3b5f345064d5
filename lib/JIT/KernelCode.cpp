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
  code.limits = findLimits(compilation.records().front().kernel);
  CodeOptions options;
  options.fpFusion = request.kernel.enableFpFusion;
  options.maxRegisters = request.maxRegisters;
  if (request.arch) {
    std::optional<KernelImage> image = buildImage(compilation, *request.arch, options);
    if (image)
      code.image = std::move(*image);
    return image.has_value();
  }
  code.isHost = true;
  llvm::Expected<HostObject> object = buildHostObject(compilation);
  if (object) {
    code.object = std::move(*object);
    return true;
  }
  std::string message = llvm::toString(object.takeError());
  if (!message.empty()) // Otherwise the passes have reported.
    reportError(compilation, message);
  return false;
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

/// The processor is asked once: it takes a while, and stays.
static const std::string &thisMachine() {
  static const std::string text = [] {
    llvm::Expected<std::string> machine = hostMachine();
    return machine ? *machine : llvm::toString(machine.takeError());
  }();
  return text;
}

std::string tilec::codeKey(const CodeRequest &request) {
  static const std::string build = readBuildIdentity();
  const KernelRequest &kernel = request.kernel;
  KeyHasher key;
  key.add("tilec code 4 " TILEC_VERSION " LLVM " LLVM_VERSION_STRING);
  key.add(build);
  key.add(*request.source);
  key.add(request.path);
  key.add(request.imports.mainFile);
  key.add(uint64_t(request.imports.folders.size()));
  for (const std::string &folder : request.imports.folders)
    key.add(folder);
  key.add(request.arch ? request.arch->name() : "cpu " + thisMachine());
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
        unsigned(kernel.sanitizeOverflow), unsigned(kernel.enableFpFusion), request.maxRegisters})
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
  writer.number(code.isHost);
  writer.text(code.warnings);
  writer.number(code.imports.size());
  for (const ImportFact &fact : code.imports) {
    writer.text(fact.path);
    writer.number(fact.isContent);
    writer.text(fact.digest);
  }
  writer.number(code.limits.size());
  for (const SizeLimit &limit : code.limits) {
    writer.text(limit.path);
    writer.number(uint64_t(limit.most));
    writer.text(limit.constant);
  }
  if (code.isHost) {
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
  writer.text(code.image.symbol);
  for (unsigned number : {code.image.threads, code.image.dynamicSharedBytes, code.image.numCTAs})
    writer.number(number);
  writer.number(code.image.params.size());
  for (const KernelParam &param : code.image.params) {
    writer.text(param.name);
    writer.text(param.type.signatureStr());
    writer.number(param.offset);
  }
  writer.text(code.image.ptx);
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

static void readLimits(Reader &reader, std::vector<SizeLimit> &limits) {
  for (uint64_t left = reader.number(); left != 0 && reader.sound; --left) {
    SizeLimit limit;
    limit.path = reader.text();
    limit.most = int64_t(reader.number());
    limit.constant = reader.text();
    limits.push_back(std::move(limit));
  }
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

static void readImage(Reader &reader, KernelImage &image) {
  image.symbol = reader.text();
  for (unsigned *number : {&image.threads, &image.dynamicSharedBytes, &image.numCTAs})
    *number = unsigned(reader.number());
  for (uint64_t left = reader.number(); left != 0 && reader.sound; --left) {
    KernelParam param;
    param.name = reader.text();
    std::optional<DType> type = parseTypeName(reader.text());
    reader.sound &= type.has_value();
    param.type = type.value_or(DType());
    param.offset = unsigned(reader.number());
    image.params.push_back(std::move(param));
  }
  image.ptx = reader.text();
}

std::optional<KernelCode> tilec::deserializeCode(StringRef bytes) {
  Reader reader(bytes);
  KernelCode code;
  uint64_t isHost = reader.number();
  code.isHost = isHost == 1;
  code.warnings = reader.text();
  readImports(reader, code.imports);
  readLimits(reader, code.limits);
  if (code.isHost)
    readObject(reader, code.object);
  else
    readImage(reader, code.image);
  if (isHost > 1 || !reader.isDone())
    return std::nullopt;
  return code;
}
