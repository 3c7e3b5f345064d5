//===- GpuArchTest.cpp - Tests of the table of architectures ----*- C++ -*-===//
//
// Names and their misspellings, PTX versions, and the features that few architectures have.
//
//===----------------------------------------------------------------------===//

#include "tilec/Arch/GpuArch.h"

#include "gtest/gtest.h"

using namespace tilec;

static GpuArch arch(llvm::StringRef name) { return llvm::cantFail(GpuArch::parse(name)); }

static std::string errorOf(llvm::StringRef name) {
  llvm::Expected<GpuArch> result = GpuArch::parse(name);
  return result ? "no error" : llvm::toString(result.takeError());
}

static bool startsWith(const std::string &text, llvm::StringRef start) {
  return llvm::StringRef(text).starts_with(start);
}

TEST(GpuArch, ReadsEverySpelling) {
  for (const GpuArch &each : GpuArch::all()) {
    std::string digits = each.name().substr(3);
    EXPECT_EQ(arch(each.name()), each);
    EXPECT_EQ(arch(digits), each);
    GpuArch compute = arch("compute_" + digits);
    EXPECT_TRUE(compute.isVirtual());
    EXPECT_EQ(compute.name(), "compute_" + digits);
    EXPECT_EQ(compute.smName(), each.name());
    EXPECT_NE(compute, each);
  }
}

TEST(GpuArch, ListsAllInOrder) {
  std::string names;
  for (const GpuArch &each : GpuArch::all())
    names += each.name().substr(3) + " ";
  EXPECT_EQ(names, "75 80 86 87 88 89 90 90a 100 100a 100f 101 101a 101f 103 103a 103f 110 110a "
                   "110f 120 120a 120f 121 121a 121f ");
}

TEST(GpuArch, SuggestsTheNearest) {
  EXPECT_TRUE(startsWith(
      errorOf("sm_91"), "unknown GPU architecture 'sm_91'; did you mean 'sm_90'? (known: sm_75, "));
  EXPECT_TRUE(
      startsWith(errorOf("sm_70"), "unknown GPU architecture 'sm_70'; did you mean 'sm_75'?"));
  EXPECT_TRUE(
      startsWith(errorOf("sm_80a"), "unknown GPU architecture 'sm_80a'; did you mean 'sm_80'?"));
  EXPECT_TRUE(startsWith(errorOf("compute_91a"),
                         "unknown GPU architecture 'compute_91a'; did you mean 'compute_90a'?"));
  EXPECT_TRUE(
      startsWith(errorOf("sm90"), "unknown GPU architecture 'sm90'; did you mean 'sm_90'?"));
  EXPECT_TRUE(startsWith(errorOf("102"), "unknown GPU architecture '102'; did you mean 'sm_101'?"));
  EXPECT_TRUE(startsWith(errorOf("hopper"), "unknown GPU architecture 'hopper' (known: sm_75, "));
}

TEST(GpuArch, RejectsWhatIsNoName) {
  for (llvm::StringRef text : {"", "sm_", "a", "sm_090", "sm_90aa", "sm_90 ", "sm_-90",
                               "compute_sm_90", "sm_99999999999999999999999", "SM_90"})
    EXPECT_TRUE(startsWith(errorOf(text), "unknown GPU architecture '")) << text.str();
  // Long garbage does not flood the terminal.
  EXPECT_LT(errorOf(std::string(100000, 'x')).size(), 600u);
}

TEST(GpuArch, NeedsTheOldestPTXThatHasIt) {
  EXPECT_EQ(arch("sm_75").minPTXVersion().str(), "6.3");
  EXPECT_EQ(arch("sm_80").minPTXVersion().str(), "7.0");
  EXPECT_EQ(arch("sm_90").minPTXVersion().str(), "7.8");
  EXPECT_EQ(arch("sm_90a").minPTXVersion().str(), "8.0");
  EXPECT_EQ(arch("sm_100f").minPTXVersion().str(), "8.8");
  EXPECT_EQ(arch("sm_88").minPTXVersion().str(), "9.0");
}

TEST(GpuArch, MapsPTXToCuda) {
  EXPECT_EQ(cudaReleaseForPTX({7, 8})->str(), "11.8");
  EXPECT_FALSE(cudaReleaseForPTX({7, 9}));
  EXPECT_EQ(newestPTXOfCuda({12, 6})->str(), "8.5");
  EXPECT_EQ(newestPTXOfCuda({99, 0})->str(), "9.0");
  EXPECT_FALSE(newestPTXOfCuda({9, 2}));
}

TEST(GpuArch, PicksTheBestForADevice) {
  EXPECT_EQ(GpuArch::forDevice(9, 0)->name(), "sm_90a");
  EXPECT_EQ(GpuArch::forDevice(8, 6)->name(), "sm_86");
  EXPECT_EQ(GpuArch::forDevice(12, 0)->name(), "sm_120a");
  EXPECT_EQ(GpuArch::forDevice(8, 2)->name(), "sm_80");
  EXPECT_EQ(GpuArch::forDevice(12, 5)->name(), "sm_121");
  EXPECT_EQ(GpuArch::forDevice(4000000000u, 3)->name(), "sm_121");
  EXPECT_FALSE(GpuArch::forDevice(7, 0));
}

TEST(GpuArch, KnowsFewArchitecturesReduceFloats) {
  std::string names;
  for (const GpuArch &each : GpuArch::all())
    if (each.has(GpuFeature::ReduxSyncF32))
      names += each.name() + " ";
  EXPECT_EQ(names, "sm_100a sm_100f sm_103a sm_103f ");
  EXPECT_FALSE(arch("sm_75").has(GpuFeature::ReduxSync));
  EXPECT_TRUE(arch("sm_80").has(GpuFeature::ReduxSync));
}

TEST(GpuArch, SaysSinceWhenAFeatureExists) {
  EXPECT_EQ(firstCapability(GpuFeature::Cluster).str(), "9.0");
  EXPECT_EQ(firstCapability(GpuFeature::Fp8Convert).str(), "8.9");
  EXPECT_EQ(firstCapability(GpuFeature::Fp8Multiply).str(), "8.9");
  EXPECT_EQ(firstCapability(GpuFeature::PackedF32).str(), "10.0");
  EXPECT_EQ(arch("sm_90a").capability().str(), "9.0");
  EXPECT_EQ(arch("compute_121").capability().str(), "12.1");
}

// ptxas 13.0 makes one QMMA of the instruction for 8.9 and 12.0, and HMMAs for 9.0 and 10.0.
TEST(GpuArch, KnowsWhoseTensorCoresTakeFp8FromRegisters) {
  EXPECT_FALSE(arch("sm_80").hasFp8Matrices());
  EXPECT_TRUE(arch("sm_89").hasFp8Matrices());
  EXPECT_FALSE(arch("sm_90a").hasFp8Matrices());
  EXPECT_FALSE(arch("sm_100a").hasFp8Matrices());
  EXPECT_TRUE(arch("sm_120").hasFp8Matrices());
}

TEST(GpuArch, OldestIsFirst) {
  EXPECT_EQ(GpuArch::oldest(), GpuArch::all().front());
  EXPECT_EQ(GpuArch::oldest().name(), "sm_75");
}

TEST(GpuArch, SharesMemoryBetweenCopiesAndExchanges) {
  EXPECT_EQ(arch("sm_75").sharedForCopies(), 0u); // No cp.async.
  EXPECT_EQ(arch("sm_80").sharedForCopies(), 115u * 1024);
  EXPECT_EQ(arch("sm_86").sharedForCopies(), 51u * 1024);
  EXPECT_EQ(arch("sm_90a").sharedForCopies(), 179u * 1024);
}

TEST(GpuArch, KnowsWideVectors) {
  EXPECT_EQ(arch("sm_90").maxVectorAccessBytes(), 16u);
  EXPECT_EQ(arch("sm_100").maxVectorAccessBytes(), 32u);
  EXPECT_EQ(arch("sm_100").ptxVersionFor(GpuFeature::WideVectors).str(), "8.8");
  EXPECT_EQ(arch("sm_110").ptxVersionFor(GpuFeature::WideVectors).str(), "9.0");
}

TEST(GpuArch, KnowsWhereWgmmaEnds) {
  EXPECT_TRUE(arch("sm_90a").has(GpuFeature::WarpGroupMma));
  EXPECT_FALSE(arch("sm_90").has(GpuFeature::WarpGroupMma));
  EXPECT_FALSE(arch("sm_100a").has(GpuFeature::WarpGroupMma));
  EXPECT_TRUE(arch("sm_100a").has(GpuFeature::TensorCore5));
  EXPECT_FALSE(arch("sm_120a").has(GpuFeature::TensorCore5));
}

TEST(GpuArch, KnowsWhereKernelsMakeTensorMaps) {
  EXPECT_TRUE(arch("sm_90a").has(GpuFeature::TensorMaps));
  EXPECT_TRUE(arch("sm_100a").has(GpuFeature::TensorMaps));
  EXPECT_TRUE(arch("sm_120f").has(GpuFeature::TensorMaps));
  EXPECT_FALSE(arch("sm_90").has(GpuFeature::TensorMaps));
  EXPECT_FALSE(arch("sm_80").has(GpuFeature::TensorMaps));
  EXPECT_TRUE(arch("sm_90").has(GpuFeature::BulkCopy));
  EXPECT_EQ(arch("sm_90a").ptxVersionFor(GpuFeature::TensorMaps).str(), "8.5");
  EXPECT_EQ(arch("sm_100a").ptxVersionFor(GpuFeature::TensorMaps).str(), "8.6");
}

TEST(GpuArch, HasTheSizesOfTheProgrammingGuide) {
  EXPECT_EQ(arch("sm_75").maxSharedPerBlock(), 64u * 1024);
  EXPECT_EQ(arch("sm_80").maxSharedPerBlock(), 163u * 1024);
  EXPECT_EQ(arch("sm_86").maxSharedPerBlock(), 99u * 1024);
  EXPECT_EQ(arch("sm_90").maxSharedPerBlock(), 227u * 1024);
  EXPECT_EQ(arch("sm_120").maxSharedPerBlock(), 99u * 1024);
  for (const GpuArch &each : GpuArch::all()) {
    EXPECT_LE(each.maxSharedPerBlock(), each.sharedPerSM());
    EXPECT_GE(each.maxSharedPerBlock(), each.defaultSharedPerBlock());
    EXPECT_GE(each.maxThreadsPerSM(), each.maxThreadsPerBlock());
    EXPECT_EQ(each.warpSize(), 32u);
  }
  EXPECT_EQ(arch("sm_89").maxBlocksPerSM(), 24u);
}
