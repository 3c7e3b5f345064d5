//===- SuitesTest.cpp - sizes, blocks, counts -------------------*- C++ -*-===//

#include "Configs.h"

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
        Case what{&one, one.types.front(), size};
        EXPECT_EQ(llvm::cantFail(parseSize(what.sizeText(), one)), size) << what.text();
      }
    EXPECT_EQ(one.providers.front(), one.isProduct() ? "torch" : "copy");
    EXPECT_EQ(one.providers.back(), "tilec");
    for (llvm::StringRef name : one.providers)
      EXPECT_TRUE(llvm::is_contained(allProviders(), name)) << name.str();
  }
}

TEST(Suites, SizesFromText) {
  EXPECT_EQ(llvm::cantFail(parseSize("12x2^4", suite("softmax"))), (Size{12, 16}));
  EXPECT_EQ(llvm::cantFail(parseSize("781", suite("softmax-long"))), (Size{4096, 781}));
  EXPECT_EQ(llvm::cantFail(parseSize("1000", suite("gelu"))), (Size{1, 1000}));
  EXPECT_EQ(llvm::cantFail(parseSize("100x2^4x7", suite("matmul"))), (Size{100, 16, 7}));
  EXPECT_EQ(llvm::cantFail(parseSize("512", suite("matmul"))), (Size{512, 512, 512}));
  EXPECT_EQ(llvm::cantFail(parseSize("2x3x500x64", suite("attention"))), (Size{500, 64, 1, 2, 3}));
  EXPECT_EQ(llvm::cantFail(parseSize("2x3x500x64-causal", suite("attention"))),
            (Size{500, 64, 1, 2, 3, true}));
  EXPECT_EQ(llvm::cantFail(parseSize("1x64x2", suite("mlp"))), (Size{1, 64, 2}));
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

TEST(Suites, SizesOfProductsThatAreNone) {
  EXPECT_EQ(refusal("4x5", "matmul"), "expected a size such as 4096x4096x512 or 4096, found '4x5'");
  EXPECT_EQ(refusal("65536x65536x1", "matmul"), "'65536x65536x1' has more than 2^31 - 1 elements");
  for (const char *text : {"4096", "4x5x6", "1x1x8x64-casual", "1x1x8x64x2"})
    EXPECT_EQ(
        refusal(text, "attention"),
        std::string("expected a size such as 4x16x4096x128 or 4x16x4096x128-causal, found '") +
            text + "'");
  EXPECT_EQ(refusal("1x1x8x96", "attention"),
            "the heads of suite 'attention' have 64 or 128 elements, found '1x1x8x96'");
  EXPECT_EQ(refusal("70000x1x8x64", "attention"),
            "'70000x1x8x64' has more than 65535 sequences or heads");
  EXPECT_EQ(refusal("64", "mlp"), "expected a size such as 4096x2048x8, found '64'");
  EXPECT_EQ(refusal("1x100x2", "mlp"),
            "the widths of suite 'mlp' are multiples of 16, found '1x100x2'");
  EXPECT_EQ(refusal("1x16x2000", "mlp"), "'1x16x2000' has more than 1024 layers");
}

TEST(Suites, AttentionHasOneNumberOfTokens) {
  for (const Size &size : suite("attention").sizes) {
    EXPECT_EQ(size.batch * size.rows, 16384u);
    EXPECT_EQ(size.heads * size.cols, 2048u);
  }
}

TEST(Suites, OperationsAndBytesOfProducts) {
  Case matmul{&suite("matmul"), ScalarKind::BF16, {10, 20, 30}};
  EXPECT_EQ(matmul.operations(), 2.0 * 10 * 20 * 30);
  EXPECT_EQ(matmul.movedBytes(), 2u * (10 * 30 + 30 * 20 + 10 * 20));
  Case full{&suite("attention"), ScalarKind::BF16, {100, 64, 1, 2, 3}};
  EXPECT_EQ(full.operations(), 4.0 * 2 * 3 * 100 * 100 * 64);
  EXPECT_EQ(full.movedBytes(), 2u * 4 * 2 * 3 * 100 * 64);
  Case causal = full;
  causal.size.isCausal = true;
  EXPECT_EQ(causal.operations(), full.operations() / 2);
  Case mlp{&suite("mlp"), ScalarKind::FP16, {5, 64, 3}};
  EXPECT_EQ(mlp.operations(), 2.0 * 5 * 64 * 64 * 3);
  EXPECT_EQ(mlp.movedBytes(), 2u * (2 * 5 * 64 + 3 * 64 * 65));
  EXPECT_EQ((Case{&suite("gelu"), ScalarKind::FP16, {1, 5}}.operations()), 0);
}

TEST(Suites, Series) {
  auto series = [](const char *name, Size size) {
    return Case{&suite(name), ScalarKind::BF16, size}.series();
  };
  EXPECT_EQ(series("softmax", {4096, 256}), "");
  EXPECT_EQ(series("matmul", {64, 64, 64}), "squares");
  EXPECT_EQ(series("matmul", {64, 64, 32}), "others");
  EXPECT_EQ(series("attention", {512, 64, 1, 2, 2, true}), "head size 64, causal");
  EXPECT_EQ(series("mlp", {1, 2048, 2}), "width 2048");
}

TEST(Configs, AreAsTheKernelPromises) {
  for (const Config &config :
       configsOf({&suite("matmul"), ScalarKind::BF16, {8184, 4104, 4104}}, 0))
    EXPECT_NE(config.blocks.front().second, 128) << config.text();
  for (const Suite &one : allSuites())
    for (const Size &size : one.sizes) {
      std::vector<Config> configs = configsOf({&one, one.types.front(), size}, 0);
      ASSERT_FALSE(configs.empty());
      EXPECT_EQ(configs.size() > 1, one.isProduct());
      EXPECT_EQ(configs.front().text().empty(), !one.isProduct());
    }
}

TEST(Configs, GivenWarpsLeaveEachOnce) {
  std::vector<Config> configs =
      configsOf({&suite("attention"), ScalarKind::BF16, {4096, 128, 1, 4, 16}}, 8);
  EXPECT_EQ(configs.size(), 4u); // 128x64 with 3 stages had 4 and 8.
  for (const Config &config : configs)
    EXPECT_EQ(config.warps, 8u);
  EXPECT_EQ(configs.front().text(), "128x64 w8 s3");
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
