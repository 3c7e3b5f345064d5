//===- ConditionTest.cpp - Configurations that do not suit every launch --*- C++ -*-===//
//
// A launch takes the first configuration whose conditions hold: those of --require and those that
// the masks of a kernel show. It never runs one for which they do not.
//
//===-------------------------------------------------------------------------------===//

#include "Support.h"
#include "condition_kernels.h"

#include <algorithm>
#include <numeric>

namespace {

constexpr int stride = 300;

/// Expects that no configuration suits, and a message with all of `parts`.
void expectRefusal(const tilec::Status &status, std::vector<std::string> parts) {
  EXPECT_EQ(status.code(), tilec::Code::NoConfig);
  std::string message = status.message();
  for (const std::string &part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << part << "\nis not in: " << message;
}

std::vector<int32_t> someNumbers() {
  std::vector<int32_t> x(2 * stride);
  std::iota(x.begin(), x.end(), 1000);
  return x;
}

} // namespace

TEST(ConditionTest, theFirstConfigurationThatCoversTheRowIsTaken) {
  std::vector<int32_t> x = someNumbers();
  for (int n : {-1, 0, 1, 16, 63, 64, 65, 100, 255, 256}) {
    std::vector<int32_t> out(2 * stride, -7);
    int32_t used = 0;
    ASSERT_TRUE(isFine(
        conditions::copy_rows({tilec::cpuStream(), {2}}, out.data(), &used, x.data(), stride, n)));
    EXPECT_EQ(used, n <= 64 ? 64 : 256) << n;
    for (int row = 0; row < 2; ++row) {
      const int32_t *result = out.data() + row * stride;
      for (int i = 0; i < n; ++i)
        ASSERT_EQ(result[i], x[row * stride + i]) << n;
      EXPECT_EQ(result[std::max(n, 0)], -7) << n;
    }
  }
}

TEST(ConditionTest, aRowThatNoConfigurationCoversIsAnError) {
  std::vector<int32_t> x = someNumbers(), out(2 * stride, -7);
  int32_t used = 0;
  for (int n : {257, 300, 2147483647}) {
    expectRefusal(
        conditions::copy_rows({tilec::cpuStream(), {2}}, out.data(), &used, x.data(), stride, n),
        {"copy_rows", "no compiled configuration suits the arguments (n=" + std::to_string(n) + ")",
         "\n  BLOCK=64 if n <= BLOCK", "\n  BLOCK=256 if n <= BLOCK"});
    EXPECT_EQ(out, std::vector<int32_t>(2 * stride, -7)) << "nothing ran";
    EXPECT_EQ(used, 0);
  }
}

TEST(ConditionTest, aConfigurationThatIsAskedForMustSuitToo) {
  std::vector<int32_t> x = someNumbers(), out(2 * stride, -7);
  int32_t used = 0;
  conditions::copy_rows_options options{tilec::cpuStream(), {1}};
  options.BLOCK = 64;
  EXPECT_FINE(conditions::copy_rows(options, out.data(), &used, x.data(), stride, 64));
  expectRefusal(conditions::copy_rows(options, out.data(), &used, x.data(), stride, 65),
                {"has BLOCK=64 and suits the arguments (n=65)"});
  options.BLOCK = TILEC_ANY;
  options.config = conditions::copy_rows_config::BLOCK64;
  expectRefusal(conditions::copy_rows(options, out.data(), &used, x.data(), stride, 65),
                {"has configuration BLOCK64", "(n=65)"});
}

TEST(ConditionTest, fromC) {
  std::vector<int32_t> x = someNumbers(), out(2 * stride, -7);
  int32_t used = 0;
  tilec_launch_options options = TILEC_LAUNCH_OPTIONS;
  options.flags = TILEC_LAUNCH_CPU | TILEC_LAUNCH_GRID;
  conditions_copy_rows_constexprs any = CONDITIONS_COPY_ROWS_ANY;
  EXPECT_FINE(tilec::Status(
      conditions_copy_rows(&options, &any, out.data(), &used, x.data(), stride, 200)));
  EXPECT_EQ(used, 256);
  expectRefusal(tilec::Status(conditions_copy_rows(&options, nullptr, out.data(), &used, x.data(),
                                                   stride, 257)),
                {"n <= BLOCK", "n=257"});
}

TEST(ConditionTest, whatTheMasksShowCanBeTurnedOff) {
  std::vector<int32_t> x = someNumbers(), out(2 * stride, -7);
  EXPECT_FINE(
      conditions::copy_starts({tilec::cpuStream(), {1}}, out.data(), x.data(), stride, 300));
  EXPECT_EQ(out[63], x[63]);
  EXPECT_EQ(out[64], -7);
}

TEST(ConditionTest, statedConditionsChooseTheConfiguration) {
  int32_t out = 0;
  auto run = [&](int64_t n, float scale) {
    return conditions::stated({tilec::cpuStream(), {1}}, &out, n, scale);
  };
  EXPECT_FINE(run(16, 1));
  EXPECT_EQ(out, 16);
  EXPECT_FINE(run(18, 1));
  EXPECT_EQ(out, 64);
  expectRefusal(run(66, 1.5f),
                {"(n=66, scale=1.5)", "\n  BLOCK=16 if 0 <= n <= BLOCK and scale > 0 or n == 3"});
  expectRefusal(run(-1, 1), {"(n=-1, scale=1)"});
  expectRefusal(run(16, 0), {"(n=16, scale=0)"});
  EXPECT_FINE(run(3, -1));
}

TEST(ConditionTest, aConditionThatCannotBeComputedIsAnError) {
  int64_t out = 0;
  tilec::Status status = conditions::computed({tilec::cpuStream(), {1}}, &out, INT64_MAX);
  EXPECT_EQ(status.code(), tilec::Code::InvalidGrid);
  EXPECT_NE(std::string(status.message()).find("a heuristic or a condition cannot be computed"),
            std::string::npos)
      << status.message();
  EXPECT_FINE(conditions::computed({tilec::cpuStream(), {1}}, &out, 5));
}

TEST(ConditionTest, heuristicsAndMasksGoTogether) {
  std::vector<int32_t> x = someNumbers(), out(2 * stride, -7);
  int32_t used = 0;
  auto run = [&](int n) {
    return conditions::by_heuristic({tilec::cpuStream(), {1}}, out.data(), &used, x.data(), n);
  };
  EXPECT_FINE(run(60));
  EXPECT_EQ(used, 64);
  EXPECT_FINE(run(200));
  EXPECT_EQ(used, 256);
  expectRefusal(run(100), {"BLOCK=64 if n <= BLOCK", "(n=100)"});
  expectRefusal(run(257), {"(n=257)"});
}
