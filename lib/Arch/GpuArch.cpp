//===- GpuArch.cpp - What each NVIDIA architecture can do -------*- C++ -*-===//
//
// The table behind GpuArch, and the reading of architecture names. PTX versions are those of the
// PTX ISA's tables of targets and instructions, each confirmed with CUDA 13.0's ptxas (and, for
// sm_101, which that one no longer has, with LLVM's NVPTX backend). Sizes are those of the CUDA
// programming guide and of CUDA's occupancy header.
//
//===----------------------------------------------------------------------===//

#include "tilec/Arch/GpuArch.h"

#include "tilec/Arch/Tuning.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cassert>

using namespace tilec;
using llvm::StringRef;

namespace {

/// One architecture with its forms. A PTX version of {0, 0} means that the form does not
/// exist.
struct ArchRow {
  unsigned number;
  Version generic, specific, family;
  Version removedInCuda;
  unsigned threadsPerSM, blocksPerSM;
  unsigned sharedPerSM, sharedPerBlock; // KiB.
};

// Limits: CUDA C++ Programming Guide, "Compute Capabilities", table "Technical Specifications per
// Compute Capability". Units of allocation, which it leaves out, are those of cuda_occupancy.h;
// OccupancyTest compares with that header.
constexpr ArchRow archTable[] = {
    {75, {6, 3}, {}, {}, {}, 1024, 16, 64, 64},
    {80, {7, 0}, {}, {}, {}, 2048, 32, 164, 163},
    {86, {7, 1}, {}, {}, {}, 1536, 16, 100, 99},
    {87, {7, 4}, {}, {}, {}, 1536, 16, 164, 163},
    {88, {9, 0}, {}, {}, {}, 1536, 16, 100, 99},
    {89, {7, 8}, {}, {}, {}, 1536, 24, 100, 99},
    {90, {7, 8}, {8, 0}, {}, {}, 2048, 32, 228, 227},
    {100, {8, 6}, {8, 6}, {8, 8}, {}, 2048, 32, 228, 227},
    {101, {8, 6}, {8, 6}, {8, 8}, {13, 0}, 1536, 24, 228, 227}, // Renamed sm_110.
    {103, {8, 8}, {8, 8}, {8, 8}, {}, 2048, 32, 228, 227},
    {110, {9, 0}, {9, 0}, {9, 0}, {}, 1536, 24, 228, 227},
    {120, {8, 7}, {8, 7}, {8, 8}, {}, 1536, 24, 100, 99},
    {121, {8, 8}, {8, 8}, {8, 8}, {}, 1536, 24, 100, 99},
};

struct PTXRelease {
  Version ptx, cuda;
};

constexpr PTXRelease ptxReleases[] = {
    {{6, 3}, {10, 0}}, {{6, 4}, {10, 1}}, {{6, 5}, {10, 2}}, {{7, 0}, {11, 0}}, {{7, 1}, {11, 1}},
    {{7, 2}, {11, 2}}, {{7, 3}, {11, 3}}, {{7, 4}, {11, 4}}, {{7, 5}, {11, 5}}, {{7, 6}, {11, 6}},
    {{7, 7}, {11, 7}}, {{7, 8}, {11, 8}}, {{8, 0}, {12, 0}}, {{8, 1}, {12, 1}}, {{8, 2}, {12, 2}},
    {{8, 3}, {12, 3}}, {{8, 4}, {12, 4}}, {{8, 5}, {12, 5}}, {{8, 6}, {12, 7}}, {{8, 7}, {12, 8}},
    {{8, 8}, {12, 9}}, {{9, 0}, {13, 0}},
};

/// Which targets have a feature beyond "every one from number N on".
enum class Reach {
  All,         ///< Every form.
  Only90a,     ///< sm_90a.
  Arch100,     ///< Specific and family forms of 100 and 103.
  ArchTensor,  ///< Specific and family forms of 100, 101, 103, 110.
  AnySpecific, ///< Every specific or family form from 90 on.
};

struct FeatureRow {
  GpuFeature feature;
  StringRef name;
  unsigned minNumber;
  Version ptx;
  Reach reach;
};

constexpr FeatureRow featureTable[] = {
    {GpuFeature::MatrixLoad, "ldmatrix", 75, {6, 5}, Reach::All},
    {GpuFeature::MatrixStore, "stmatrix", 90, {7, 8}, Reach::All},
    {GpuFeature::MatrixMultiply, "mma.sync", 80, {7, 0}, Reach::All},
    {GpuFeature::FastTanh, "tanh.approx", 75, {7, 0}, Reach::All},
    {GpuFeature::ReduxSync, "redux.sync", 80, {7, 0}, Reach::All},
    {GpuFeature::ReduxSyncF32, "redux.sync on f32", 100, {8, 6}, Reach::Arch100},
    {GpuFeature::AsyncCopy, "cp.async", 80, {7, 0}, Reach::All},
    {GpuFeature::NaNMinMax, "min.NaN", 80, {7, 0}, Reach::All},
    {GpuFeature::Bf16Fma, "fma on bf16", 80, {7, 0}, Reach::All},
    {GpuFeature::L1Eviction, "L1 eviction priority", 75, {7, 4}, Reach::All},
    {GpuFeature::L2CachePolicy, "L2 cache policy", 80, {7, 4}, Reach::All},
    {GpuFeature::Fp8Convert, "cvt of fp8", 89, {8, 1}, Reach::All},
    {GpuFeature::Fp8Multiply, "mma.sync on fp8", 89, {8, 4}, Reach::All},
    {GpuFeature::Bf16Arith, "add on bf16", 90, {7, 8}, Reach::All},
    {GpuFeature::Cluster, "cluster", 90, {7, 8}, Reach::All},
    {GpuFeature::ClusterRelaxed, "cluster relaxed", 90, {8, 0}, Reach::All},
    {GpuFeature::DependentLaunch, "griddepcontrol", 90, {7, 8}, Reach::All},
    {GpuFeature::BulkCopy, "cp.async.bulk", 90, {8, 0}, Reach::All},
    {GpuFeature::TensorMaps,
     "tensormap.replace",
     90,
     {8, 5},
     Reach::AnySpecific}, // In 8.3 and 8.4 strides count 16 bytes.
    {GpuFeature::VectorAtomics, "atom on vectors", 90, {8, 1}, Reach::All},
    {GpuFeature::SetMaxRegisters, "setmaxnreg", 90, {8, 0}, Reach::AnySpecific},
    {GpuFeature::WarpGroupMma, "wgmma", 90, {8, 0}, Reach::Only90a},
    {GpuFeature::PackedF32, "f32x2", 100, {8, 6}, Reach::All},
    {GpuFeature::TensorCore5, "tcgen05", 100, {8, 6}, Reach::ArchTensor},
    {GpuFeature::WideVectors, "32-byte vector access", 100, {8, 8}, Reach::All},
    {GpuFeature::ThreeInputMinMax, "min of three", 100, {8, 8}, Reach::All},
};

const FeatureRow &rowOf(GpuFeature feature) {
  const FeatureRow &row = featureTable[static_cast<size_t>(feature)];
  assert(row.feature == feature && "the table is in the order of the enumeration");
  return row;
}

Version ptxOf(const ArchRow &row, GpuArch::Form form) {
  switch (form) {
  case GpuArch::Form::Generic:
    return row.generic;
  case GpuArch::Form::Specific:
    return row.specific;
  case GpuArch::Form::Family:
    return row.family;
  }
  llvm_unreachable("three forms");
}

bool reaches(Reach reach, unsigned number, GpuArch::Form form) {
  bool generic = form == GpuArch::Form::Generic;
  switch (reach) {
  case Reach::All:
    return true;
  case Reach::Only90a:
    return number == 90 && !generic;
  case Reach::Arch100:
    return (number == 100 || number == 103) && !generic;
  case Reach::ArchTensor:
    return number >= 100 && number <= 110 && !generic;
  case Reach::AnySpecific:
    return !generic;
  }
  llvm_unreachable("five kinds of reach");
}

std::string knownNames() {
  std::string names;
  for (const GpuArch &arch : GpuArch::all())
    names += (names.empty() ? "" : ", ") + arch.smName();
  return names;
}

/// The known name nearest to \p text: fewest edits, then nearest number; empty if none is near.
std::string nearestName(StringRef text, bool isVirtual) {
  StringRef digits = text.drop_until([](char c) { return llvm::isDigit(c); });
  uint64_t number = 0;
  digits.take_while([](char c) { return llvm::isDigit(c); }).getAsInteger(10, number);
  std::string best;
  std::pair<uint64_t, uint64_t> bestScore(3, 0); // Three edits or more are no misspelling.
  for (const GpuArch &arch : GpuArch::all()) {
    std::string name = isVirtual ? "compute_" + arch.smName().substr(3) : arch.smName();
    uint64_t known = arch.number();
    std::pair<uint64_t, uint64_t> score(
        std::min(text.edit_distance(name), text.edit_distance(StringRef(name).substr(
                                               isVirtual ? StringRef("compute_").size() : 3))),
        number > known ? number - known : known - number);
    if (score < bestScore) {
      bestScore = score;
      best = name;
    }
  }
  return best;
}

llvm::Error unknownArch(StringRef text, bool isVirtual) {
  std::string message = "unknown GPU architecture '" + text.take_front(64).str() + "'";
  std::string near = nearestName(text.take_front(64), isVirtual);
  if (!near.empty())
    message += "; did you mean '" + near + "'?";
  message += " (known: " + knownNames() + ")";
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

} // namespace

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

std::optional<Version> tilec::cudaReleaseForPTX(Version ptx) {
  for (const PTXRelease &release : ptxReleases)
    if (release.ptx == ptx)
      return release.cuda;
  return std::nullopt;
}

std::optional<Version> tilec::newestPTXOfCuda(Version cuda) {
  std::optional<Version> newest;
  for (const PTXRelease &release : ptxReleases)
    if (release.cuda <= cuda)
      newest = release.ptx;
  return newest;
}

StringRef tilec::gpuFeatureName(GpuFeature feature) { return rowOf(feature).name; }

Version tilec::firstCapability(GpuFeature feature) {
  unsigned number = rowOf(feature).minNumber;
  return {number / 10, number % 10};
}

//===----------------------------------------------------------------------===//
// GpuArch
//===----------------------------------------------------------------------===//

llvm::Expected<GpuArch> GpuArch::parse(StringRef text) {
  StringRef rest = text;
  bool isVirtual = rest.consume_front("compute_");
  if (!isVirtual)
    rest.consume_front("sm_");
  Form form = Form::Generic;
  if (rest.consume_back("a"))
    form = Form::Specific;
  else if (rest.consume_back("f"))
    form = Form::Family;
  unsigned number;
  // A leading zero would make two spellings of one name.
  if (rest.starts_with("0") || rest.getAsInteger(10, number))
    return unknownArch(text, isVirtual);
  for (const auto &[index, row] : llvm::enumerate(archTable))
    if (row.number == number && ptxOf(row, form) != Version{})
      return GpuArch(index, form, isVirtual);
  return unknownArch(text, isVirtual);
}

std::optional<GpuArch> GpuArch::forDevice(unsigned major, unsigned minor) {
  if (minor > 9) // Would run into the next major version.
    minor = 9;
  uint64_t number = uint64_t(major) * 10 + minor;
  std::optional<GpuArch> best;
  for (const auto &[index, row] : llvm::enumerate(archTable)) {
    if (row.number > number)
      break;
    bool specific = row.number == number && row.specific != Version{};
    best = GpuArch(index, specific ? Form::Specific : Form::Generic, /*isVirtual=*/false);
  }
  return best;
}

std::vector<GpuArch> GpuArch::all() {
  std::vector<GpuArch> result;
  for (const auto &[index, row] : llvm::enumerate(archTable))
    for (Form form : {Form::Generic, Form::Specific, Form::Family})
      if (ptxOf(row, form) != Version{})
        result.push_back(GpuArch(index, form, /*isVirtual=*/false));
  return result;
}

GpuArch GpuArch::oldest() { return GpuArch(0, Form::Generic, /*isVirtual=*/false); }

static const char *suffixOf(GpuArch::Form form) {
  switch (form) {
  case GpuArch::Form::Generic:
    return "";
  case GpuArch::Form::Specific:
    return "a";
  case GpuArch::Form::Family:
    return "f";
  }
  llvm_unreachable("three forms");
}

std::string GpuArch::name() const {
  return (isVirtualTarget ? "compute_" : "sm_") + std::to_string(number()) + suffixOf(whichForm);
}

std::string GpuArch::smName() const {
  return "sm_" + std::to_string(number()) + suffixOf(whichForm);
}

unsigned GpuArch::number() const { return archTable[index].number; }

Version GpuArch::minPTXVersion() const { return ptxOf(archTable[index], whichForm); }

std::optional<Version> GpuArch::removedInCuda() const {
  Version removed = archTable[index].removedInCuda;
  return removed == Version{} ? std::nullopt : std::optional(removed);
}

bool GpuArch::has(GpuFeature feature) const {
  const FeatureRow &row = rowOf(feature);
  return number() >= row.minNumber && reaches(row.reach, number(), whichForm);
}

bool GpuArch::hasFp8Matrices() const {
  return has(GpuFeature::Fp8Multiply) && (number() < 90 || number() >= 120);
}

Version GpuArch::ptxVersionFor(GpuFeature feature) const {
  assert(has(feature) && "ask has() first");
  // fp8 conversion came to sm_90 with the architecture and to sm_89 later.
  Version ptx =
      feature == GpuFeature::Fp8Convert && number() >= 90 ? Version{7, 8} : rowOf(feature).ptx;
  return std::max(ptx, minPTXVersion());
}

unsigned GpuArch::maxThreadsPerSM() const { return archTable[index].threadsPerSM; }

unsigned GpuArch::maxBlocksPerSM() const { return archTable[index].blocksPerSM; }

unsigned GpuArch::maxSharedPerBlock() const { return archTable[index].sharedPerBlock * 1024; }

unsigned GpuArch::sharedPerSM() const { return archTable[index].sharedPerSM * 1024; }

const GpuTuning &GpuArch::tuning() const {
  // All numbers so far are of one GPU, and used for all. Those of another belong here.
  static constexpr GpuTuning measuredOnH200 = {};
  return measuredOnH200;
}
