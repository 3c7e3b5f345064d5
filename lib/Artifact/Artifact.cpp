//===- Artifact.cpp - Compiled kernels on their way into an object -*- C++ -*-===//
//
// What follows from an Artifact's contents alone: the names of images, tables and functions, and
// the numbers that stand for constexpr values in the tables and in the arguments of launchers. The
// writers of objects and headers share these, so that both agree.
//
//===----------------------------------------------------------------------===//

#include "tilec/Artifact/Artifact.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilec;

std::string tilec::processorName(HostArch host, unsigned level) {
  return host == HostArch::AArch64 ? "aarch64" : "x86-64-v" + std::to_string(level);
}

std::string ArtifactImage::name() const {
  if (kind == Kind::CPU)
    return "cpu " + processorName(host, level);
  std::string result = kind == Kind::PTX ? "ptx" : "cubin";
  result += " sm_" + std::to_string(level);
  if (suffix)
    result += suffix;
  return result;
}

bool ArtifactImage::operator==(const ArtifactImage &other) const {
  return LaunchNeeds::operator==(other) && kind == other.kind && level == other.level &&
         suffix == other.suffix && scratchBytes == other.scratchBytes && data == other.data;
}

ArgumentClass ArtifactVariant::classOf(unsigned param) const {
  auto has = [&](uint64_t params) { return param < 64 && (params >> param & 1); };
  return has(ones)      ? ArgumentClass::One
         : has(aligned) ? ArgumentClass::MultipleOf16
                        : ArgumentClass::Any;
}

/// What binds less than `and` does.
static bool needsParentheses(llvm::StringRef condition) {
  return condition.contains(" or ") || condition.contains(" if ") || condition.contains("lambda");
}

std::string ArtifactConfig::requirementText() const {
  if (requirements.size() == 1)
    return requirements.front().text;
  std::string text;
  for (const Requirement &requirement : requirements) {
    text += text.empty() ? "" : " and ";
    text += needsParentheses(requirement.text) ? "(" + requirement.text + ")" : requirement.text;
  }
  return text;
}

/// Whether a 64-bit integer holds the value and does not clash with TILEC_ANY.
static bool isPlainNumber(const ConstValue &value) {
  if (value.kind() == ConstValue::Kind::Bool)
    return true;
  return value.kind() == ConstValue::Kind::Int && value.asInt().getSignificantBits() <= 63;
}

bool ArtifactKernel::isNumeric(unsigned index) const {
  return llvm::all_of(
      configs, [&](const ArtifactConfig &config) { return isPlainNumber(config.values[index]); });
}

std::vector<ConstValue> ArtifactKernel::distinctValues(unsigned index) const {
  std::vector<ConstValue> values;
  for (const ArtifactConfig &config : configs)
    if (!llvm::is_contained(values, config.values[index]))
      values.push_back(config.values[index]);
  return values;
}

int64_t ArtifactKernel::codeOf(const ArtifactConfig &config, unsigned index) const {
  const ConstValue &value = config.values[index];
  if (!isNumeric(index)) {
    std::vector<ConstValue> values = distinctValues(index);
    return llvm::find(values, value) - values.begin();
  }
  return value.kind() == ConstValue::Kind::Bool ? value.asBool() : value.asInt().getSExtValue();
}

std::string Artifact::prefix() const {
  std::string result;
  for (size_t i = 0; i < nameSpace.size(); ++i) {
    bool colons = nameSpace.compare(i, 2, "::") == 0;
    result += colons ? '_' : nameSpace[i];
    i += colons;
  }
  return result + "_";
}

std::string Artifact::functionName(const ArtifactKernel &kernel) const {
  return prefix() + kernel.cName;
}

std::string Artifact::tableName(const ArtifactKernel &kernel) const {
  return functionName(kernel) + "_table";
}
