//===- Variants.cpp - What variants assume ---------------------*- C++ -*-===//
//
// Full specialisation is three classes for each integer, which explodes; one choice for all
// pointers, one for all integers, and one for the strides that are 1 in practice finds most of what
// it gains. An assumption that does not hold only sends a launch to another variant, so guesses
// from names are safe here.
//
//===----------------------------------------------------------------------===//

#include "BuildInternals.h"

#include "tilec/Language/ParamRules.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/bit.h"

using namespace tilec;
using namespace tilec::artifact;
using llvm::StringRef;

namespace {

/// Bits of run-time parameters.
struct ParamMasks {
  uint64_t pointers = 0, integers = 0; ///< that may be promised to be multiples of 16
  uint64_t ones = 0;                   ///< that may be promised to be 1
  uint64_t innermost = 0;              ///< of these, strides that are usually 1
};

} // namespace

/// The rules of the parameter; those of a tuple are not its elements'.
static ParamRules rulesFor(const KernelParam &param, const ast::FunctionDef &kernel) {
  for (auto [index, declared] : llvm::enumerate(kernel.params))
    if (declared.name == param.path)
      return readParamRules(kernel, index);
  return ParamRules();
}

static ParamMasks findMasks(const KernelInfo &info, const ast::FunctionDef &kernel) {
  ParamMasks masks;
  llvm::MapVector<StringRef, llvm::SmallVector<unsigned>> groups;
  llvm::DenseMap<unsigned, ClassRule> ofDescriptors = findDescriptorClasses(info);
  for (unsigned i = 0; i < std::min<size_t>(info.params.size(), 64); ++i) {
    const KernelParam &param = info.params[i];
    auto part = ofDescriptors.find(i);
    bool isPart = part != ofDescriptors.end();
    ClassRule rule = isPart ? part->second : rulesFor(param, kernel).promises(param.type);
    if (rule.multipleOf16)
      (param.type.isPointer() ? masks.pointers : masks.integers) |= uint64_t(1) << i;
    if (rule.one)
      masks.ones |= uint64_t(1) << i;
    if (!isPart && param.type.isInt() && StringRef(param.name).contains_insensitive("stride"))
      groups[StringRef(param.name).drop_back()].push_back(i);
  }
  // Of stride_am and stride_ak, the last belongs to the innermost dimension.
  // A lone `stride` is that of a vector.
  for (auto &[prefix, members] : groups)
    if (members.size() > 1 || prefix == "strid")
      masks.innermost |= masks.ones & uint64_t(1) << members.back();
  return masks;
}

/// What the signature itself promises.
static ArtifactVariant promisedBy(const KernelInfo &info) {
  ArtifactVariant promised;
  for (unsigned i = 0; i < std::min<size_t>(info.params.size(), 64); ++i) {
    ArgumentClass kind = info.params[i].promised();
    if (kind == ArgumentClass::MultipleOf16)
      promised.aligned |= uint64_t(1) << i;
    if (kind == ArgumentClass::One)
      promised.ones |= uint64_t(1) << i;
  }
  return promised;
}

/// Adds each combination of classes of the integers, with and without aligned pointers.
static bool addAll(const ParamMasks &masks, std::vector<ArtifactVariant> &variants) {
  constexpr size_t most = 64;
  variants = {{}, {masks.pointers, 0, {}}};
  for (unsigned i = 0; i < 64; ++i) {
    uint64_t bit = uint64_t(1) << i;
    size_t count = variants.size();
    for (size_t v = 0; v < count; ++v) {
      ArtifactVariant base = variants[v];
      if (masks.integers & bit)
        variants.push_back({base.aligned | bit, base.ones, {}});
      if (masks.ones & bit)
        variants.push_back({base.aligned, base.ones | bit, {}});
    }
    if (variants.size() > most)
      return false;
  }
  return true;
}

std::optional<std::vector<ArtifactVariant>> artifact::planVariants(const KernelInfo &info,
                                                                   const ast::FunctionDef &kernel,
                                                                   SpecPolicy policy,
                                                                   DiagnosticEngine &diagnostics) {
  for (size_t i = 64; i < info.params.size(); ++i)
    if (info.params[i].promised() != ArgumentClass::Any) {
      diagnostics.error(llvm::SMRange(), "the signature promises something about parameter '" +
                                             info.params[i].name + "' of kernel '" + info.symbol +
                                             "'; only the first 64 parameters may have promises");
      return std::nullopt;
    }
  ParamMasks masks = findMasks(info, kernel);
  std::vector<ArtifactVariant> variants = {{}};
  if (policy == SpecPolicy::Full && !addAll(masks, variants)) {
    diagnostics.error(llvm::SMRange(),
                      "kernel '" + info.symbol + "' has too many integer parameters (" +
                          llvm::Twine(llvm::popcount(masks.integers | masks.ones)) +
                          ") for --spec=full, which takes three variants for each");
    return std::nullopt;
  }
  variants.push_back(promisedBy(info));
  if (policy == SpecPolicy::Auto) {
    uint64_t all = masks.pointers | masks.integers;
    variants.push_back({masks.pointers, 0, {}});
    variants.push_back({all, 0, {}});
    variants.push_back({masks.pointers, masks.innermost, {}});
    variants.push_back({all & ~masks.innermost, masks.innermost, {}});
  }
  // What assumes more comes before what assumes less; the rest of the order is any.
  auto orderOf = [](const ArtifactVariant &variant) {
    return std::tuple(llvm::popcount(variant.aligned) + llvm::popcount(variant.ones), variant.ones,
                      variant.aligned);
  };
  llvm::sort(variants, [&](const ArtifactVariant &left, const ArtifactVariant &right) {
    return orderOf(left) > orderOf(right);
  });
  auto isSame = [&](const ArtifactVariant &left, const ArtifactVariant &right) {
    return orderOf(left) == orderOf(right);
  };
  variants.erase(std::unique(variants.begin(), variants.end(), isSame), variants.end());
  return variants;
}

std::string artifact::describeAssumptions(const ArtifactVariant &variant,
                                          llvm::ArrayRef<ArtifactParam> params) {
  std::string text;
  auto add = [&](StringRef what, uint64_t mask) {
    StringRef separator = what;
    for (size_t i = 0; i < std::min<size_t>(params.size(), 64); ++i)
      if (mask >> i & 1) {
        text += (separator == what && !text.empty() ? "; " : "") + separator.str() + params[i].name;
        separator = ", ";
      }
  };
  add("multiples of 16: ", variant.aligned);
  add("equal to 1: ", variant.ones);
  return text.empty() ? "any arguments" : text;
}

void artifact::dropEqualVariants(std::vector<ArtifactVariant> &variants) {
  for (size_t i = 0; i + 1 < variants.size();) {
    const ArtifactVariant &strong = variants[i];
    bool isEqual =
        std::any_of(variants.begin() + i + 1, variants.end(), [&](const ArtifactVariant &weak) {
          return (weak.aligned & ~strong.aligned) == 0 && (weak.ones & ~strong.ones) == 0 &&
                 weak.images == strong.images;
        });
    // A variant between the two would be chosen for arguments that fit both: it must be no worse
    // than what is dropped, and it is not, since it assumes no less than the weak one.
    if (isEqual)
      variants.erase(variants.begin() + i);
    else
      ++i;
  }
}
