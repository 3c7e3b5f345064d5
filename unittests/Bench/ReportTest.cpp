//===- ReportTest.cpp - tables and their notes ------------------*- C++ -*-===//

#include "Report.h"
#include "Progress.h"
#include "Table.h"

#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::bench;

namespace {

TEST(Table, AlignsToTheRight) {
  Table table({"size", "copy"});
  table.add({"4096x781", "3"});
  table.add({"1", "12345"});
  EXPECT_EQ(table.str(), "    size   copy\n"
                         "---------------\n"
                         "4096x781      3\n"
                         "       1  12345\n");
}

TEST(Table, FormatsNumbers) {
  EXPECT_EQ(formatFixed(1234.567, 0), "1235");
  EXPECT_EQ(formatFixed(0.985, 1), "1.0");
}

TEST(Progress, Line) {
  EXPECT_EQ(progressLine(0, 4, 10, "a"), "[........................] 0/4 a");
  EXPECT_EQ(progressLine(1, 4, 10, "a"), "[######..................] 1/4, 30 s left a");
  EXPECT_EQ(progressLine(2, 4, 1, "a"), "[############............] 2/4 a");
  EXPECT_EQ(progressLine(0, 0, 0, ""), "[########################] 0/0 ");
}

class Report : public ::testing::Test {
protected:
  void add(const char *provider, uint64_t cols, double milliseconds,
           Outcome outcome = Outcome::Measured) {
    Measurement entry({findSuite("softmax"), ScalarKind::FP32, {4096, cols}}, provider);
    entry.outcome = outcome;
    entry.timing = {milliseconds, milliseconds, milliseconds * 0.99, milliseconds * 1.01, 100};
    entry.error = 2e-8;
    results.push_back(entry);
  }
  std::string report() {
    return reportSuite(*findSuite("softmax"), ScalarKind::FP32, results, gpu, ceilings);
  }
  /// The line that starts with `begin`.
  std::string line(llvm::StringRef begin) {
    std::string text = report();
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text).split(lines, '\n');
    for (llvm::StringRef one : lines)
      if (one.starts_with(begin))
        return one.str();
    return "none in:\n" + text;
  }

  Results results;
  Ceilings ceilings;
  GpuFacts gpu{"GPU", 132, uint64_t(60) << 20, 66900};
};

TEST_F(Report, IsEmptyWithoutMeasurements) { EXPECT_EQ(report(), ""); }

TEST_F(Report, OrdersColumnsAndMarksWhatIsMissing) {
  add("tilec", 1024, 0.02);
  add("copy", 1024, 0.01);
  add("triton", 1024, 0.04);
  add("copy", 2048, 0.02);
  add("triton", 2048, 1, Outcome::Failed);
  add("tilec", 2048, 1, Outcome::Wrong);
  EXPECT_EQ(report().substr(0, report().find("spread")),
            "softmax, fp32, GB/s (each element read once and written once)\n"
            "rows x cols  copy  triton  tilec  tilec/copy  tilec/triton    error\n"
            "-------------------------------------------------------------------\n"
            "  4096x1024  3355     839   1678        0.50          2.00  2.0e-08\n"
            "  4096x2048  3355  failed  wrong           -             -        -\n");
}

TEST_F(Report, LeavesOtherTablesOut) {
  add("copy", 1024, 0.01);
  results.back().what.type = ScalarKind::BF16;
  EXPECT_EQ(report(), "");
  results.back().what.type = ScalarKind::FP32;
  results.back().what.suite = findSuite("gelu");
  EXPECT_EQ(report(), "");
}

TEST_F(Report, Spread) {
  add("copy", 1024, 0.01);
  add("tilec", 1024, 0.02);
  results.back().timing.upperMs = 0.03;
  EXPECT_EQ(line("spread"),
            "spread: the 20% and 80% quantiles are 26.5% of the median apart at half of the "
            "entries, 51.0% at the worst (tilec, 4096x1024)");
}

TEST_F(Report, Means) {
  for (uint64_t cols : {1024, 2048}) {
    add("copy", cols, 1);
    add("triton", cols, 2);
    add("tilec", cols, cols == 1024 ? 1 : 4);
  }
  EXPECT_EQ(line("tilec / others"),
            "tilec / others: copy 0.500 (least 0.25, 1 of 2 at least level); triton 1.000 (least "
            "0.50, 1 of 2 at least level); geometric means");
}

TEST_F(Report, Roofline) {
  add("copy", 1024, 0.01);
  add("tilec", 1024, 0.02);
  EXPECT_EQ(
      line("roofline"),
      "roofline: 8 bytes and 5 operations an element, 0.62 operations a byte, left of the "
      "ridge at 19.9: memory is the bound; tilec's best, 1049 Gop/s at 4096x1024, is 50.0% of "
      "what the fastest copy (3355 GB/s) allows");
  gpu.peakGops = 1000;
  EXPECT_NE(line("roofline").find("right of the ridge at 0.3: arithmetic is the bound"),
            std::string::npos);
}

TEST_F(Report, CacheNoteNamesTheLargestSizeThatFits) {
  add("copy", 8192, 0.1);
  EXPECT_EQ(report().find("L2:"), std::string::npos);
  add("copy", 3840, 0.1); // 60 MiB exactly
  add("copy", 1024, 0.1);
  EXPECT_NE(line("L2").find("up to 4096x3840 the output fits into its 60 MiB"), std::string::npos);
  gpu.cacheBytes = 0;
  EXPECT_EQ(report().find("L2:"), std::string::npos);
}

/// A product of float32 matrices at some TFLOP/s.
Measurement product(const char *provider, double tflops, Size size, const char *config = "") {
  Measurement entry({findSuite("matmul"), ScalarKind::FP32, size}, provider);
  double milliseconds = entry.what.operations() / (tflops * 1e9);
  entry.outcome = Outcome::Measured;
  entry.timing = {milliseconds, milliseconds, milliseconds, milliseconds, 100};
  entry.error = 0.25;
  entry.config = config;
  return entry;
}

Measurement copyOf(double milliseconds) {
  Measurement entry({findSuite("gelu"), ScalarKind::FP32, {1, uint64_t(1) << 27}}, "copy");
  entry.outcome = Outcome::Measured;
  entry.timing.medianMs = milliseconds;
  return entry;
}

TEST(Ceilings, AreTheHighestOfEach) {
  Ceilings ceilings;
  Case large{findSuite("matmul"), ScalarKind::FP32, {4096, 4096, 4096}};
  EXPECT_EQ(ceilings.roofOf(large), 0);
  ceilings.add(product("torch", 400, large.size));
  EXPECT_EQ(ceilings.roofOf(large), 0); // No copy yet.
  ceilings.add(copyOf(0.536870912));    // 1 GiB in it: 2000 GB/s
  ceilings.add(copyOf(1));
  ceilings.add(product("tilec", 300, large.size));
  EXPECT_DOUBLE_EQ(ceilings.roofOf(large), 400);
  EXPECT_EQ(ceilings.products(ScalarKind::BF16).rate, 0);
  EXPECT_DOUBLE_EQ(ceilings.ridge(ScalarKind::FP32), 200);
  // Two operations for each weight of four bytes, nearly.
  Case thin{findSuite("matmul"), ScalarKind::FP32, {1, 4096, 4096}};
  EXPECT_NEAR(ceilings.roofOf(thin), 1, 0.01);
}

TEST(ProductReport, HasSharesConfigurationsAndTheRoof) {
  Size large{4096, 4096, 4096};
  Results results = {product("torch", 400, large), product("triton", 50, large, "64x64x32 w4 s3"),
                     product("tilec", 300, large, "128x256x32 w8 s3")};
  Ceilings ceilings;
  for (const Measurement &entry : results)
    ceilings.add(entry);
  ceilings.add(copyOf(0.536870912));
  std::string text = reportSuite(*findSuite("matmul"), ScalarKind::FP32, results, {}, ceilings);
  EXPECT_EQ(
      text.substr(0, text.find("spread")),
      "matmul, fp32 (factors rounded to tf32), TFLOP/s\n"
      "     M x N x K  torch  triton  tilec  tilec/torch  tilec/triton  of roof    error   triton "
      "config      tilec config\n"
      "------------------------------------------------------------------------------------------"
      "-------------------------\n"
      "4096x4096x4096    400    50.0    300         0.75          6.00     0.75  2.5e-01  64x64x32 "
      "w4 s3  128x256x32 w8 s3\n"
      "config: sizes of blocks, warps (w) and stages (s) of the fastest of a few, the same few for "
      "triton and tilec\n");
  EXPECT_NE(
      text.find("roofline: the best product of this run so far has 400 TFLOP/s (torch, matmul "
                "4096x4096x4096), the fastest copy 2000 GB/s (copy, gelu 2^27); the first "
                "bounds sizes of more than 200 operations for each byte"),
      std::string::npos);
  EXPECT_NE(text.find("the highest is 75.0% at 4096x4096x4096\n"), std::string::npos);
}

} // namespace
