//===- Inspect.cpp - What an object with kernels holds ---------*- C++ -*-===//
//
// The description of an object for `tilec --inspect`, in both directions: the first half writes it
// as JSON, which goes into a section that linkers drop; the second half finds that section in an
// object or in the members of an archive, and prints it for people. Text instead of the tables
// themselves, so that objects of other versions of tilec can be read.
//
//===----------------------------------------------------------------------===//

#include "tilec/Artifact/Object.h"
#include "tilec/Compiler/KernelRecord.h"
#include "tilec/aot.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The names of the parameters whose bits are set.
static json::Array namesOf(const ArtifactKernel &kernel, uint64_t bits) {
  json::Array names;
  for (auto [index, param] : llvm::enumerate(kernel.params))
    if (index < 64 && (bits >> index & 1))
      names.push_back(param.name);
  return names;
}

static json::Value describe(const ArtifactImage &image) {
  json::Object object{{"name", image.name()}};
  if (image.kind == ArtifactImage::Kind::CPU) {
    object["scratch_bytes"] = image.scratchBytes;
    return object;
  }
  object["bytes"] = image.data.size();
  addTo(object, image);
  return object;
}

static json::Value describe(const ArtifactKernel &kernel, const ArtifactConfig &config) {
  json::Array variants;
  for (const ArtifactVariant &variant : config.variants) {
    json::Array images;
    for (const ArtifactImage &image : variant.images)
      images.push_back(describe(image));
    variants.push_back(json::Object{{"aligned", namesOf(kernel, variant.aligned)},
                                    {"ones", namesOf(kernel, variant.ones)},
                                    {"images", std::move(images)}});
  }
  return json::Object{{"name", config.name},
                      {"text", config.text},
                      {"requires", config.requirementText()},
                      {"variants", std::move(variants)}};
}

static json::Value describe(const Artifact &artifact, const ArtifactKernel &kernel) {
  json::Array params, constexprs, configs;
  for (const ArtifactParam &param : kernel.params)
    params.push_back(json::Object{{"name", param.name}, {"type", param.type.signatureStr()}});
  for (const std::string &name : kernel.constexprs)
    constexprs.push_back(name);
  for (const ArtifactConfig &config : kernel.configs)
    configs.push_back(describe(kernel, config));
  return json::Object{{"name", kernel.name},
                      {"function", artifact.functionName(kernel)},
                      {"source", kernel.source},
                      {"params", std::move(params)},
                      {"constexprs", std::move(constexprs)},
                      {"grid", !kernel.grid.empty()},
                      {"configs", std::move(configs)}};
}

json::Value tilec::describe(const Artifact &artifact) {
  json::Array kernels;
  for (const ArtifactKernel &kernel : artifact.kernels)
    kernels.push_back(::describe(artifact, kernel));
  return json::Object{{"tilec", artifact.version},
                      {"abi", TILEC_AOT_VERSION},
                      {"namespace", artifact.nameSpace},
                      {"kernels", std::move(kernels)}};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// The description in one object file; empty without one.
static llvm::Expected<std::string> findDescription(const llvm::object::ObjectFile &object) {
  for (const llvm::object::SectionRef &section : object.sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (*name != kDescriptionSection)
      continue;
    llvm::Expected<llvm::StringRef> contents = section.getContents();
    if (!contents)
      return contents.takeError();
    return contents->str();
  }
  return std::string();
}

static std::string join(const json::Array *names, llvm::StringRef separator) {
  std::string text;
  for (const json::Value &name : names ? *names : json::Array())
    if (std::optional<llvm::StringRef> string = name.getAsString())
      text += (text.empty() ? "" : separator).str() + string->str();
  return text;
}

static llvm::StringRef stringIn(const json::Object &object, llvm::StringRef key) {
  return object.getString(key).value_or("?");
}

/// Calls `use` for each object in the array under `key`.
template <typename Use>
static void forEach(const json::Object &object, llvm::StringRef key, Use use) {
  if (const json::Array *array = object.getArray(key))
    for (const json::Value &value : *array)
      if (const json::Object *element = value.getAsObject())
        use(*element);
}

static void print(llvm::raw_ostream &os, const json::Object &variant) {
  std::string aligned = join(variant.getArray("aligned"), ", ");
  std::string ones = join(variant.getArray("ones"), ", ");
  os << "    ";
  if (!aligned.empty())
    os << "multiples of 16: " << aligned;
  if (!ones.empty())
    os << (aligned.empty() ? "" : "; ") << "equal to 1: " << ones;
  if (aligned.empty() && ones.empty())
    os << "any arguments";
  os << '\n';
  forEach(variant, "images", [&](const json::Object &image) {
    os << llvm::formatv("      {0,-18}", stringIn(image, "name"));
    if (std::optional<int64_t> scratch = image.getInteger("scratch_bytes")) {
      os << *scratch << " bytes of scratch\n";
      return;
    }
    os << image.getInteger("bytes").value_or(0) << " bytes, "
       << image.getInteger("threads").value_or(0) << " threads";
    if (image.getInteger("num_ctas").value_or(1) > 1)
      os << ", " << *image.getInteger("num_ctas") << " CTAs";
    if (image.getInteger("dynamic_shared_bytes").value_or(0) > 0)
      os << ", " << *image.getInteger("dynamic_shared_bytes") << " bytes of shared memory";
    if (image.getInteger("persistent"))
      os << ", persistent";
    if (const json::Object *packing = image.getObject("packing"))
      os << ", or " << packing->getInteger("programs").value_or(0) << " programs of "
         << packing->getInteger("threads").value_or(0) << " in large launches";
    const json::Array *list = image.getArray("tensor_maps");
    // Objects of earlier versions have their number.
    if (int64_t maps = list ? int64_t(list->size()) : image.getInteger("tensor_maps").value_or(0))
      os << ", " << maps << (maps == 1 ? " tensor map" : " tensor maps") << " made by launches";
    os << '\n';
  });
}

static llvm::Expected<std::string> describeForPeople(llvm::StringRef text) {
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return parsed.takeError();
  const json::Object *root = parsed->getAsObject();
  if (!root)
    return makeError("the description is no JSON object");
  std::string result;
  llvm::raw_string_ostream os(result);
  os << "compiled by tilec " << stringIn(*root, "tilec") << ", interface version "
     << root->getInteger("abi").value_or(0) << ", namespace " << stringIn(*root, "namespace")
     << '\n';
  forEach(*root, "kernels", [&](const json::Object &kernel) {
    os << "\nkernel " << stringIn(kernel, "name") << '(';
    llvm::StringRef separator;
    forEach(kernel, "params", [&](const json::Object &param) {
      os << separator << stringIn(param, "name") << ": " << stringIn(param, "type");
      separator = ", ";
    });
    os << ")\n  from " << stringIn(kernel, "source") << ", function "
       << stringIn(kernel, "function") << ", grid "
       << (kernel.getBoolean("grid").value_or(false) ? "compiled in" : "given by the caller")
       << '\n';
    forEach(kernel, "configs", [&](const json::Object &config) {
      llvm::StringRef values = stringIn(config, "text");
      llvm::StringRef required = config.getString("requires").value_or("");
      os << "  " << (values.empty() ? "one configuration" : values)
         << (required.empty() ? "" : " if ") << required << '\n';
      forEach(config, "variants", [&](const json::Object &variant) { print(os, variant); });
    });
  });
  return result;
}

/// The descriptions of all members of an archive.
static llvm::Expected<std::string> inspectArchive(const llvm::object::Archive &archive) {
  std::string result;
  llvm::Error failure = llvm::Error::success();
  for (const llvm::object::Archive::Child &child : archive.children(failure)) {
    llvm::Expected<std::unique_ptr<llvm::object::Binary>> member = child.getAsBinary();
    if (!member) {
      llvm::consumeError(member.takeError()); // not an object: nothing of ours
      continue;
    }
    auto *object = llvm::dyn_cast<llvm::object::ObjectFile>(member->get());
    llvm::Expected<std::string> text = object ? findDescription(*object) : std::string();
    if (text && !text->empty())
      text = describeForPeople(*text);
    if (!text) {
      llvm::consumeError(std::move(failure));
      return text.takeError();
    }
    result += *text;
  }
  if (failure)
    return std::move(failure);
  return result;
}

llvm::Expected<std::string> tilec::inspectObject(llvm::StringRef path) {
  auto rename = [&](llvm::Error error) {
    return makeError("cannot inspect '" + path + "': " + llvm::toString(std::move(error)));
  };
  llvm::Expected<llvm::object::OwningBinary<llvm::object::Binary>> binary =
      llvm::object::createBinary(path);
  if (!binary)
    return rename(binary.takeError());
  llvm::Expected<std::string> text = std::string();
  if (auto *archive = llvm::dyn_cast<llvm::object::Archive>(binary->getBinary())) {
    text = inspectArchive(*archive);
  } else if (auto *object = llvm::dyn_cast<llvm::object::ObjectFile>(binary->getBinary())) {
    text = findDescription(*object);
    if (text && !text->empty())
      text = describeForPeople(*text);
  }
  if (!text)
    return rename(text.takeError());
  if (text->empty())
    return makeError("cannot inspect '" + path + "': it holds no kernels of tilec");
  return text;
}
