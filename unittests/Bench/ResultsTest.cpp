//===- ResultsTest.cpp - rates, ratios, CSV ---------------------*- C++ -*-===//

#include "Ceilings.h"

#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::bench;

namespace {

/// 4096x1024 fp32, 33.5 MB moved, in `milliseconds`.
Measurement measured(const char *provider, double milliseconds, uint64_t cols = 1024) {
  Measurement entry({findSuite("softmax"), ScalarKind::FP32, {4096, cols}}, provider);
  entry.outcome = Outcome::Measured;
  entry.timing = {milliseconds, milliseconds * 0.8, milliseconds * 0.9, milliseconds * 1.1, 100};
  entry.error = 1e-8;
  return entry;
}

Measurement lost(const char *provider, Outcome outcome, const char *message) {
  Measurement entry = measured(provider, 1);
  entry.outcome = outcome;
  entry.message = message;
  return entry;
}

TEST(Results, RatesCountEachElementTwice) {
  EXPECT_DOUBLE_EQ(measured("tilec", 0.01).rate(), 4096 * 1024 * 8 / 1e4);
  EXPECT_DOUBLE_EQ(measured("tilec", 0.01).rateAt(0.02), 4096 * 1024 * 8 / 2e4);
  EXPECT_EQ(measured("tilec", 0).rate(), 0);
  EXPECT_EQ(lost("tilec", Outcome::Wrong, "").rate(), 0);
}

TEST(Results, RatiosNeedBothSides) {
  Results results = {measured("copy", 1),       measured("tilec", 2),
                     measured("tilec", 1, 256), measured("copy", 2, 512),
                     measured("tilec", 1, 512), lost("triton", Outcome::Failed, "")};
  EXPECT_EQ(ratios(results, "tilec", "copy"), (std::vector<double>{0.5, 2}));
  EXPECT_EQ(ratios(results, "tilec", "triton"), std::vector<double>());
  EXPECT_DOUBLE_EQ(geometricMean({0.5, 2}), 1);
  EXPECT_EQ(geometricMean({}), 0);
}

std::string csv(const Results &results, const Ceilings &ceilings = {}) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeCsv(results, ceilings, os);
  return text;
}

const std::string header =
    "suite,kernel,provider,dtype,size,series,bytes,operations,warps,config,status,median_ms,q20_ms,"
    "q80_ms,fastest_ms,runs,gbps,of_copy,tflops,roof,max_error,message\n";

TEST(Results, Csv) {
  Measurement ours = measured("tilec", 0.02);
  ours.warps = 2;
  EXPECT_EQ(csv({}), header);
  EXPECT_EQ(csv({measured("copy", 0.01), ours}),
            header +
                "softmax,softmax_rows,copy,fp32,4096x1024,,33554432,0,0,,ok,0.010000,0.009000,"
                "0.011000,0.008000,100,3355.44,1.0000,,,1.000e-08,\n"
                "softmax,softmax_rows,tilec,fp32,4096x1024,,33554432,0,2,,ok,0.020000,0.018000,"
                "0.022000,0.016000,100,1677.72,0.5000,,,1.000e-08,\n");
}

TEST(Results, ProductsHaveTeraflops) {
  Measurement ours({findSuite("matmul"), ScalarKind::BF16, {1000, 1000, 1000}}, "tilec");
  ours.outcome = Outcome::Measured;
  ours.timing.medianMs = 0.01;
  ours.config = "64x64x64 w4 s4";
  EXPECT_DOUBLE_EQ(ours.rate(), 200);
  Measurement copy({findSuite("gelu"), ScalarKind::BF16, {1, 1000000}}, "copy");
  copy.outcome = Outcome::Measured;
  copy.timing.medianMs = 0.001;
  Ceilings ceilings;
  ceilings.add(ours);
  ceilings.add(copy);
  EXPECT_EQ(csv({ours}, ceilings),
            header +
                "matmul,matmul,tilec,bf16,1000x1000x1000,squares,6000000,2000000000,0,64x64x64 "
                "w4 s4,ok,0.010000,0.000000,0.000000,0.000000,0,,,200,200,0.000e+00,\n");
}

TEST(Results, CsvWithoutTimes) {
  EXPECT_EQ(csv({lost("tilec", Outcome::Wrong, "1 of 2, \"bad\"\nmore")}),
            header + "softmax,softmax_rows,tilec,fp32,4096x1024,,33554432,0,0,,wrong,,,,,,,,,,,"
                     "\"1 of 2, \"\"bad\"\" more\"\n");
  EXPECT_EQ(csv({lost("triton", Outcome::Failed, "no")}),
            header +
                "softmax,softmax_rows,triton,fp32,4096x1024,,33554432,0,0,,failed,,,,,,,,,,,no\n");
}

TEST(Results, EveryCsvLineHasAsManyFields) {
  std::string text = csv({measured("copy", 1), lost("tilec", Outcome::Failed, "no")});
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, false);
  for (llvm::StringRef line : lines)
    EXPECT_EQ(line.count(','), 21u) << line.str();
}

} // namespace
