//===- TunedTest.cpp - Launches that take measured configurations --------*- C++ -*-===//
//
// Tables made by hand, with two configurations of which measurements prefer one or the other,
// launched on the CPU and over the mock driver.
//
//===-------------------------------------------------------------------------------===//

#include "MockTest.h"
#include "Support.h"

#include <atomic>
#include <cstring>

namespace {

constexpr char ptx[2][96] = {
    ".version 8.0 .target sm_80 .visible .entry k(.param .u32 n) { /*0*/ }",
    ".version 8.0 .target sm_80 .visible .entry k(.param .u32 n) { /*1*/ }"};

std::atomic<int> ran{-1};
template <int which> void run(const uint64_t *, const int32_t *, void *, void *) { ran = which; }

uint64_t hashOf(const char *name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (; *name; ++name)
    hash = (hash ^ uint8_t(*name)) * 0x100000001b3;
  return hash;
}

class TunedTest : public MockTest {
protected:
  TunedTest() {
    for (int i = 0; i < 2; ++i) {
      images[i][0] = {TILEC_AOT_PTX, 80, 0, 32, 0, 1, strlen(ptx[i]), {ptx[i]}};
      images[i][1].kind = TILEC_AOT_CPU;
      images[i][1].level = 1;
      images[i][1].image.code = i ? run<1> : run<0>;
      variants[i] = {0, 0, 2, 0, images[i], state[i]};
      configs[i].name = configs[i].text = i ? "second" : "first";
      configs[i].variants = &variants[i];
      configs[i].num_variants = 1;
      configs[i].tune = i + 1;
    }
    kernel = {TILEC_AOT_VERSION, 1, "k", &param, nullptr, configs, 0, 2, &keyIndex, tuned, 1, 4};
  }
  void SetUp() override {
    mock().reset();
    (void)tilec::Status(tilec_aot_prepare_v1(&library, nullptr)); // holds a context from then on
    tilec_aot_unload_v1(&library);
    MockTest::SetUp();
  }
  void TearDown() override {
    tilec_aot_unload_v1(&library);
    MockTest::TearDown();
  }

  /// Which configuration a launch with `n` takes.
  int launchOnGpu(int32_t n) {
    EXPECT_FINE(launch(n, 0, 0));
    return strstr(mock().lastLaunch().image, "/*1*/") != nullptr;
  }
  int launchOnCpu(int32_t n) {
    EXPECT_FINE(launch(n, TILEC_LAUNCH_CPU, 0));
    return ran;
  }
  tilec::Status launch(int32_t n, uint32_t flags, uint32_t config) {
    tilec_launch_options options = TILEC_LAUNCH_OPTIONS;
    options.flags = flags | TILEC_LAUNCH_GRID;
    options.config = config;
    uint64_t slot = uint32_t(n);
    return tilec::Status(tilec_aot_launch_v1(&kernel, &options, nullptr, &slot));
  }

  const tilec_param param{"n", TILEC_TYPE_I32, 0};
  const uint32_t keyIndex = 0;
  const int64_t keys[3] = {100, -5, 200};
  const tilec_aot_tuned tuned[4] = {{hashOf("Mock GPU 0"), 90, 2, &keys[0]},
                                    {hashOf("another"), 90, 2, &keys[1]},
                                    {hashOf("another"), 80, 2, &keys[2]},
                                    {hashOf("CPU (64 threads)"), 0, 2, &keys[2]}};
  void *state[2][3] = {};
  tilec_aot_image images[2][2] = {};
  tilec_aot_variant variants[2] = {};
  tilec_aot_config configs[2] = {};
  tilec_aot_kernel kernel;
  const tilec_aot_kernel *const kernels[1] = {&kernel};
  const tilec_aot_library library{TILEC_AOT_VERSION, 1, kernels};
};

} // namespace

TEST_F(TunedTest, tablesOfTheFirstVersionAreKnown) {
  kernel.version = 1;
  EXPECT_EQ(launchOnGpu(100), 1);
}

TEST_F(TunedTest, theMeasuredConfigurationIsTaken) {
  EXPECT_EQ(launchOnGpu(100), 1); // this device
  EXPECT_EQ(launchOnGpu(-5), 1);  // another one of the same architecture
  EXPECT_EQ(launchOnGpu(200), 0); // another architecture
  EXPECT_EQ(launchOnGpu(101), 0); // not measured
  mock().setCapability(8, 0);     // known contexts keep their class
  EXPECT_EQ(launchOnGpu(200), 0);
  EXPECT_EQ(launchOnCpu(200), 1); // any processor
  EXPECT_EQ(launchOnCpu(100), 0);
}

TEST_F(TunedTest, whatTheCallerAsksForWins) {
  EXPECT_FINE(launch(200, TILEC_LAUNCH_CPU, 1));
  EXPECT_EQ(ran, 0);
}

TEST_F(TunedTest, aChoiceThatDoesNotSuitIsPassedOver) {
  configs[1].accepts = [](const uint64_t *) -> int32_t { return 0; };
  EXPECT_EQ(launchOnCpu(200), 0);
  EXPECT_EQ(launchOnGpu(100), 0);
}
