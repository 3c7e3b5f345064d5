//===- SuitesTest.cpp - sizes, blocks, counts -------------------*- C++ -*-===//

#include "Suites.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::bench;

namespace {

const Suite &suite(llvm::StringRef name) { return *findSuite(name); }

TEST(Suites, TheSweepIsThatOfTritonsTutorial) {
  const std::vector<Size> &sizes = suite("softmax").sizes;
  ASSERT_EQ(sizes.size(), 98u);
  EXPECT_EQ(sizes.front(), (Size{4096, 256}));
  EXPECT_EQ(sizes[1], (Size{4096, 384}));
  EXPECT_EQ(sizes.back(), (Size{4096, 12672}));
  EXPECT_EQ(suite("softmax-persistent").sizes, sizes);
}

TEST(Suites, LongRowsReachAQuarterMillion) {
  const std::vector<Size> &sizes = suite("softmax-long").sizes;
  ASSERT_EQ(sizes.size(), 8u);
  EXPECT_EQ(sizes.back(), (Size{2048, 262144}));
  EXPECT_EQ(sizes[3], (Size{16384, 16384}));
}

TEST(Suites, GeluGoesTo256Million) {
  const std::vector<Size> &sizes = suite("gelu").sizes;
  ASSERT_EQ(sizes.size(), 13u);
  EXPECT_EQ(sizes.front(), (Size{1, 65536}));
  EXPECT_EQ(sizes.back(), (Size{1, 268435456}));
}

TEST(Suites, OddSizesAreOdd) {
  unsigned multiplesOf16 = 0;
  for (const Size &size : suite("softmax-odd").sizes)
    multiplesOf16 += size.cols % 16 == 0;
  EXPECT_EQ(multiplesOf16, 0u);
  for (uint64_t cols : {781, 1023, 2049, 4097, 12671})
    EXPECT_TRUE(llvm::is_contained(suite("softmax-odd").sizes, (Size{4096, cols}))) << cols;
}

TEST(Suites, QuickSizesCanBeReadBackAndProvidersAreKnown) {
  for (const Suite &one : allSuites()) {
    EXPECT_LT(one.quickSizes.size(), one.sizes.size());
    for (const std::vector<Size> &sizes : {one.sizes, one.quickSizes})
      for (const Size &size : sizes) {
        Case what{&one, ScalarKind::FP32, size};
        EXPECT_EQ(llvm::cantFail(parseSize(what.sizeText(), one)), size) << what.text();
      }
    EXPECT_EQ(one.providers.front(), "copy");
    EXPECT_EQ(one.providers.back(), "tilec");
    for (llvm::StringRef name : one.providers)
      EXPECT_TRUE(llvm::is_contained(allProviders(), name)) << name.str();
  }
}

TEST(Suites, SizesFromText) {
  EXPECT_EQ(llvm::cantFail(parseSize("12x2^4", suite("softmax"))), (Size{12, 16}));
  EXPECT_EQ(llvm::cantFail(parseSize("781", suite("softmax-long"))), (Size{4096, 781}));
  EXPECT_EQ(llvm::cantFail(parseSize("1000", suite("gelu"))), (Size{1, 1000}));
}

std::string refusal(llvm::StringRef text, llvm::StringRef of) {
  llvm::Expected<Size> size = parseSize(text, suite(of));
  return size ? "" : llvm::toString(size.takeError());
}

TEST(Suites, SizesThatAreNone) {
  for (const char *text :
       {"", "x", "4x", "x4", "0", "0x5", "5x0", "-1", "2^", "2^41", "1x2x3", "a"})
    EXPECT_EQ(refusal(text, "softmax"),
              std::string("expected a size such as 4096x781 or 781, found '") + text + "'");
  EXPECT_EQ(refusal("4x5", "gelu"), "the sizes of suite 'gelu' are single numbers, found '4x5'");
  EXPECT_EQ(refusal("2^31", "gelu"), "'2^31' has more than 2^31 - 1 elements");
  EXPECT_EQ(refusal("2^20x2^20", "softmax"), "'2^20x2^20' has more than 2^31 - 1 elements");
  EXPECT_EQ(refusal("1x1048577", "softmax"), "'1x1048577' has rows of more than 2^20 columns");
}

TEST(Suites, Cases) {
  Case rows{&suite("softmax-odd"), ScalarKind::BF16, {4096, 781}};
  EXPECT_EQ(rows.text(), "softmax-odd bf16 4096x781");
  EXPECT_EQ(rows.block(), 1024u);
  EXPECT_EQ(rows.arrayBytes(), 4096u * 781 * 2);
  EXPECT_EQ(rows.movedBytes(), 2 * rows.arrayBytes());
  Case exact{&suite("softmax"), ScalarKind::FP32, {4096, 1024}};
  EXPECT_EQ(exact.block(), 1024u);
  Case flat{&suite("gelu"), ScalarKind::FP32, {1, 1 << 20}};
  EXPECT_EQ(flat.text(), "gelu fp32 2^20");
  EXPECT_EQ(flat.block(), 1024u);
}

TEST(Suites, RooflineCounts) {
  Roofline softmax = rooflineOf(KernelKind::SoftmaxRows, ScalarKind::FP32);
  EXPECT_EQ(softmax.bytes, 8);
  EXPECT_EQ(softmax.operations, 5);
  EXPECT_EQ(softmax.intensity(), 0.625);
  EXPECT_EQ(rooflineOf(KernelKind::SoftmaxPersistent, ScalarKind::BF16).intensity(), 1.25);
  EXPECT_EQ(rooflineOf(KernelKind::Gelu, ScalarKind::FP16).intensity(), 3);
}

TEST(Suites, WarpsGrowWithTheBlock) {
  auto warps = [](uint64_t block, unsigned bytes) {
    return chooseWarps(KernelKind::SoftmaxRows, block, bytes);
  };
  EXPECT_EQ(warps(256, 4), 1u);
  EXPECT_EQ(warps(1024, 4), 2u);
  EXPECT_EQ(warps(1024, 2), 1u);
  EXPECT_EQ(warps(4096, 4), 8u);
  EXPECT_EQ(warps(4096, 2), 4u);
  EXPECT_EQ(warps(262144, 4), 16u);
  EXPECT_EQ(chooseWarps(KernelKind::Gelu, 1024, 4), 4u);
}

} // namespace
