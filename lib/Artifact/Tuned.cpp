//===- Tuned.cpp - Measured choices of a kernel ----------------*- C++ -*-===//
//
// Takes over what tuning has measured into an object: entries of a TunedFile become rows of the
// kernel's table, from which a launcher chooses a configuration by device, architecture and the
// integers of the autotuner's key. Entries that a launcher could not compare with a launch are left
// out with a warning.
//
//===----------------------------------------------------------------------===//

#include "BuildInternals.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::artifact;
using llvm::StringRef;

/// The run-time arguments with their types, as the file spells them.
static std::string typesOf(const ArtifactKernel &kernel) {
  std::string types;
  auto add = [&](const std::string &path, const std::string &type) {
    types += (types.empty() ? "" : ", ") + path + "=" + type;
  };
  for (unsigned i = 0; i < kernel.params.size(); ++i) {
    const ArtifactParam &param = kernel.params[i];
    auto descriptor = llvm::find_if(kernel.descriptors, [&](const ArtifactDescriptor &candidate) {
      return candidate.first == i;
    });
    if (descriptor == kernel.descriptors.end()) {
      add(param.path, param.type.signatureStr());
      continue;
    }
    // The path of the base is "x.0".
    add(StringRef(param.path).rsplit('.').first.str(), descriptor->type);
    i += 2 * descriptor->rank - 1;
  }
  return types;
}

/// 90 for "sm_90a", 0 for "cpu"; nothing for what is neither.
static std::optional<unsigned> levelOf(StringRef arch) {
  unsigned level = 0;
  if (arch == "cpu")
    return 0;
  if (!arch.consume_front("sm_") || arch.consumeInteger(10, level))
    return std::nullopt;
  return level;
}

/// The run-time integers among the parameters of the key. False if the key has a parameter whose
/// value a launcher does not compare.
static bool findKey(const ArtifactKernel &kernel, const Autotune &autotune,
                    std::vector<unsigned> &key) {
  for (const std::string &name : autotune.key) {
    // Like a pointer, a descriptor tells configurations apart by its type only.
    if (llvm::any_of(kernel.descriptors,
                     [&](const ArtifactDescriptor &descriptor) { return descriptor.name == name; }))
      continue;
    auto found = llvm::find_if(kernel.params,
                               [&](const ArtifactParam &param) { return param.name == name; });
    if (found == kernel.params.end() || found->type.isFloat())
      return false;
    if (!found->type.isPointer())
      key.push_back(found - kernel.params.begin());
  }
  return true;
}

/// The values of the key's integers; nothing if one is no number.
static std::optional<std::vector<int64_t>> readKey(const ArtifactKernel &kernel,
                                                   const TunedEntry &entry) {
  std::vector<int64_t> values;
  for (unsigned index : kernel.key) {
    const std::string &name = kernel.params[index].name;
    auto found =
        llvm::find_if(entry.key.values, [&](const auto &value) { return value.first == name; });
    int64_t number = 0;
    if (found == entry.key.values.end())
      return std::nullopt;
    if (found->second == "True" || found->second == "False")
      number = found->second == "True";
    else if (StringRef(found->second).getAsInteger(10, number))
      return std::nullopt;
    values.push_back(number);
  }
  return values;
}

void artifact::addTuned(ArtifactKernel &kernel, const Autotune &autotune, const TunedFile &file,
                        Compilation &source) {
  const ast::FunctionDef &function = *source.tree()->findFunction(kernel.name);
  std::string hash = hashKernel(*source.tree(), function, source.imports().search());
  std::string types = typesOf(kernel);
  bool isKnown = findKey(kernel, autotune, kernel.key);
  unsigned unusable = 0;
  for (const TunedEntry &entry : file.entries()) {
    if (entry.key.kernel != kernel.name || entry.key.source != hash || entry.key.types != types)
      continue;
    const TuneConfig *fastest = fastestConfig(entry, autotune.configs);
    std::optional<unsigned> level = levelOf(entry.key.arch);
    std::optional<std::vector<int64_t>> key = readKey(kernel, entry);
    if (!fastest || !level || !key || !isKnown) {
      ++unusable;
      continue;
    }
    kernel.tuned.push_back({entry.key.device, *level,
                            unsigned(fastest - autotune.configs.data()) + 1, std::move(*key)});
  }
  if (kernel.tuned.empty() && !unusable)
    source.diagnostics().warning(autotune.range, "the tuned file has no measurements of kernel '" +
                                                     kernel.name + "' as it is now, with (" +
                                                     types + ")");
  if (unusable)
    source.diagnostics().warning(
        autotune.range, llvm::Twine(unusable) + " measured choices for kernel '" + kernel.name +
                            "' cannot be used in an object: a launcher compares integers and "
                            "arrays of the key only");
}
