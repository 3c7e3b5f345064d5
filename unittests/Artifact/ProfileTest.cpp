//===- ProfileTest.cpp - Launches that are recorded ----------------------*- C++ -*-===//
//
// Launches kernels on the CPU and over the mock driver while launches are recorded, and looks at
// the trace and the table. test/Tools/tilec-run/profile.test reads a trace as a program would.
//
//===-------------------------------------------------------------------------------===//

#include "tilec/profile.h"
#include "AllocationCount.h"
#include "MockTest.h"
#include "Support.h"
#include "gpu_kernels.h"
#include "kernels.h"

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

namespace {

std::string readFile(FILE *file) {
  std::string text;
  char buffer[4096];
  rewind(file);
  while (size_t count = fread(buffer, 1, sizeof(buffer), file))
    text.append(buffer, count);
  fclose(file);
  return text;
}

size_t countOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

float *addressAt(uintptr_t address) { return reinterpret_cast<float *>(address); }

class ProfileTest : public MockTest {
protected:
  void SetUp() override {
    mock().reset();
    EXPECT_FINE(kernels::prepare_all()); // The first launch makes the runtime hold a context.
    kernels::unload_all();
    MockTest::SetUp();
    tilec_profile_record(1);
  }
  void TearDown() override {
    tilec_profile_record(0);
    tilec_profile_clear();
    kernels::unload_all();
    gpu::unload_all();
    MockTest::TearDown();
  }

  static std::string trace() {
    char path[] = "/tmp/tilec-profile-XXXXXX";
    int descriptor = mkstemp(path);
    EXPECT_GE(descriptor, 0);
    EXPECT_FINE(tilec::Status(tilec_profile_write(path)));
    unlink(path);
    return readFile(fdopen(descriptor, "r"));
  }
  static std::string table() {
    FILE *file = tmpfile();
    EXPECT_FINE(tilec::Status(tilec_profile_print(fileno(file))));
    return readFile(file);
  }
  static void describe(const char *constants, uint64_t bytes) {
    tilec_profile_facts facts{sizeof(facts), 0, constants, nullptr, bytes, 0};
    tilec_profile_describe(&facts);
  }
  static tilec::Status onCpu(int n = 100) {
    std::vector<float> x(n, 1), out(n);
    return kernels::scale({tilec::cpuStream()}, out.data(), x.data(), 2.0f, n);
  }
  static tilec::Status onGpu(tilec::LaunchStream stream = {}, bool aligned = true) {
    return kernels::scale({stream}, addressAt(aligned ? 4096 : 4100), addressAt(8192), 2.5f, 1600);
  }
};

const char *const slice = "{\"ph\": \"X\"";

} // namespace

TEST_F(ProfileTest, namesAndCountsOfLaunchesOnTheCpu) {
  EXPECT_FINE(onCpu());
  EXPECT_FINE(onCpu(96));
  EXPECT_FINE(onCpu());
  std::string text = trace();
  EXPECT_EQ(countOf(text, slice), 3u) << text;
  EXPECT_EQ(countOf(text, "\"name\": \"scale (BLOCK=64)\", \"pid\": 1, \"tid\": 1,"), 3u) << text;
  EXPECT_EQ(countOf(text, "\"grid\": \"2 x 1 x 1\""), 3u) << text;
  // Two variants: 96 is a multiple of 16.
  EXPECT_NE(text.find("\"kernel\": \"scale\", \"constants\": \"BLOCK=64\", \"signature\": "
                      "\"out=*fp32:16, x=*fp32:16, factor=fp32, n=i32:16\", \"launches\": 1,"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"launches\": 2, \"timed\": 2,"), std::string::npos) << text;
  EXPECT_NE(text.find("{\"number\": 1, \"kind\": \"cpu\", \"name\": \"CPU\"}"), std::string::npos)
      << text;
}

TEST_F(ProfileTest, whatALaunchIsSaidToMove) {
  describe(nullptr, 4000000);
  EXPECT_FINE(onCpu());
  EXPECT_FINE(onCpu()); // What was said holds once.
  std::string text = trace();
  EXPECT_EQ(countOf(text, "\"bytes\": 4000000, \"gb_per_s\": "), 2u) << text; // slice and kernel
  std::string printed = table();
  EXPECT_NE(printed.find("    4.0 MB "), std::string::npos) << printed;
  EXPECT_EQ(printed.find("CPU:\n launches     min us"), 0u) << printed;
}

TEST_F(ProfileTest, factsDoNotOutliveALaunchThatFails) {
  describe("of the first", 1000);
  float *none = nullptr;
  EXPECT_FALSE(kernels::scale({tilec::cpuStream(), {1, -1}}, none, none, 1, 1));
  EXPECT_FINE(onCpu());
  std::string text = trace();
  EXPECT_EQ(text.find("of the first"), std::string::npos) << text;
  EXPECT_EQ(countOf(text, slice), 1u) << text;
}

TEST_F(ProfileTest, launchesOnAGpuTakeEvents) {
  auto device = tilec::Device::open(0);
  ASSERT_TRUE(device);
  auto stream = tilec::Stream::create(*device, true);
  ASSERT_TRUE(stream);
  describe(nullptr, 51200);
  EXPECT_FINE(onGpu());
  EXPECT_FINE(onGpu(*stream));
  EXPECT_FINE(onGpu(*stream, /*aligned=*/false));
  std::string text = trace();
  EXPECT_EQ(countOf(text, slice), 3u) << text;
  EXPECT_EQ(countOf(text, "\"pid\": 1, \"tid\": 1,"), 2u) << text; // the slice and the track's name
  EXPECT_EQ(countOf(text, "\"pid\": 1, \"tid\": 2,"), 3u) << text;
  EXPECT_NE(text.find("{\"name\": \"default stream\"}"), std::string::npos) << text;
  EXPECT_NE(text.find("{\"name\": \"stream 0x"), std::string::npos) << text;
  EXPECT_NE(text.find("\"kind\": \"cuda\", \"name\": \"Mock GPU 0\", \"peak_gb_per_s\": 512.000"),
            std::string::npos)
      << text;
  EXPECT_EQ(countOf(text, "\"registers\": 40, \"blocks_per_multiprocessor\""), 2u) << text;
  EXPECT_EQ(countOf(text, "\"share_of_peak\": "), 1u) << text;
  EXPECT_NE(text.find("\"signature\": \"out=*fp32, x=*fp32, factor=fp32, n=i32\""),
            std::string::npos)
      << text;
  std::string printed = table();
  EXPECT_EQ(printed.find("Mock GPU 0, memory up to 512 GB/s by clock and width:\n"), 0u) << printed;
}

TEST_F(ProfileTest, eventsAreUsedAgain) {
  constexpr int count = 1000;
  for (int i = 0; i < count; ++i)
    EXPECT_FINE(onGpu());
  EXPECT_LT(mock().live().events, 200);
  EXPECT_EQ(mock().calls("cuEventRecord"), 2 * count + 1);
  EXPECT_EQ(countOf(trace(), slice), size_t(count));
}

TEST_F(ProfileTest, capturedLaunchesHaveNoTimes) {
  auto device = tilec::Device::open(0);
  ASSERT_TRUE(device);
  auto stream = tilec::Stream::create(*device, true);
  ASSERT_TRUE(stream);
  EXPECT_FINE(onGpu(*stream));
  int before = mock().calls("cuEventRecord");
  mock().capture(stream->get(), true);
  EXPECT_FINE(onGpu(*stream));
  mock().capture(stream->get(), false);
  EXPECT_EQ(mock().calls("cuEventRecord"), before);
  std::string text = trace();
  EXPECT_NE(text.find("\"launches\": 2, \"timed\": 1, \"captured\": 1"), std::string::npos) << text;
  EXPECT_NE(table().find("1 of them into graphs, without times"), std::string::npos);
}

TEST_F(ProfileTest, eventsThatFailCostTheTimesOnly) {
  mock().fail("cuEventCreate", 2);
  EXPECT_FINE(onGpu());
  mock().fail("cuEventCreate", 0);
  mock().fail("cuEventElapsedTime", 999);
  EXPECT_FINE(onGpu());
  EXPECT_NE(table().find("2 of them without times"), std::string::npos);
  mock().fail("cuEventElapsedTime", 0);
  EXPECT_FINE(onGpu());
  EXPECT_EQ(countOf(trace(), slice), 1u);
}

TEST_F(ProfileTest, launchesOfTheRuntimeItself) {
  tilec::Kernel kernel = getKernel(addRecord(), testPtx);
  describe("BLOCK=128", 0);
  EXPECT_FINE(kernel.launch(tilec::Stream(), {1}, addressAt(0), addressAt(0), addressAt(0), 1));
  EXPECT_NE(trace().find("\"name\": \"add (BLOCK=128)\""), std::string::npos);
}

TEST_F(ProfileTest, nothingHappensWhileItIsOff) {
  tilec_profile_record(0);
  EXPECT_FALSE(tilec_profile_is_recording());
  EXPECT_FINE(onGpu());
  long allocations = allocationCount();
  int events = mock().calls("cuEventRecord") + mock().calls("cuStreamIsCapturing");
  EXPECT_FINE(onGpu());
  EXPECT_EQ(allocationCount(), allocations);
  EXPECT_EQ(mock().calls("cuEventRecord") + mock().calls("cuStreamIsCapturing"), events);
  EXPECT_EQ(table(), "no launch was recorded\n");
  int64_t grid[3] = {1, 1, 1};
  EXPECT_FINE(tilec::Status(tilec_profile_add("mine", nullptr, 0, 1, grid, nullptr)));
  EXPECT_EQ(table(), "no launch was recorded\n");
}

TEST_F(ProfileTest, workOfTheProgramIsAdded) {
  int64_t grid[3] = {4, 5, 6};
  tilec_profile_facts facts{sizeof(facts), 0, "MODE=\"a\\b\"", "x=*fp32", 3000, 6000};
  EXPECT_FINE(
      tilec::Status(tilec_profile_add("mine", "CPU (2 threads)", 5000, 8000, grid, &facts)));
  EXPECT_FINE(
      tilec::Status(tilec_profile_add("mine", "CPU (2 threads)", 9000, 10000, grid, &facts)));
  std::string text = trace();
  EXPECT_NE(
      text.find(
          "\"name\": \"mine (MODE=\\\"a\\\\b\\\")\", \"pid\": 1, \"tid\": 1, \"ts\": 0.000, "
          "\"dur\": 3.000, \"args\": {\"grid\": \"4 x 5 x 6\", \"signature\": \"x=*fp32\", "
          "\"bytes\": 3000, \"gb_per_s\": 1.000, \"operations\": 6000, \"gop_per_s\": 2.000}"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\"ts\": 4.000, \"dur\": 1.000"), std::string::npos) << text;
  EXPECT_NE(text.find("\"launches\": 2, \"timed\": 2, \"min_us\": 1.000, \"median_us\": 2.000, "
                      "\"total_us\": 4.000, \"bytes\": 3000, \"gb_per_s\": 2.000, \"operations\": "
                      "6000, \"gop_per_s\": 4.000}"),
            std::string::npos)
      << text;
}

TEST_F(ProfileTest, wrongCalls) {
  int64_t grid[3] = {1, 1, 1};
  EXPECT_STREQ(tilec::Status(tilec_profile_add(nullptr, nullptr, 0, 1, grid, nullptr)).message(),
               "tilec_profile_add: 'kernel' is null");
  tilec_profile_facts facts{};
  EXPECT_STREQ(tilec::Status(tilec_profile_add("k", nullptr, 0, 1, grid, &facts)).message(),
               "tilec_profile_add: 'struct_size' is 0, expected 40");
  EXPECT_STREQ(tilec::Status(tilec_profile_write("/nowhere/trace.json")).message(),
               "cannot write to '/nowhere/trace.json': No such file or directory");
  EXPECT_STREQ(tilec::Status(tilec_profile_write(nullptr)).message(),
               "tilec_profile_write: no path is given, and TILEC_PROFILE names no file");
  EXPECT_FALSE(tilec::Status(tilec_profile_print(-1)));
  if (access("/dev/full", W_OK) == 0) {
    EXPECT_FINE(onCpu());
    EXPECT_STREQ(tilec::Status(tilec_profile_write("/dev/full")).message(),
                 "cannot write all of '/dev/full': No space left on device");
  }
}

TEST_F(ProfileTest, threadsLaunchWhileAnotherWrites) {
  constexpr int numThreads = 4, count = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < numThreads; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < count; ++i)
        EXPECT_FINE(t % 2 ? onCpu(64) : onGpu());
    });
  for (int i = 0; i < 10; ++i)
    trace();
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(countOf(trace(), slice), size_t(numThreads * count));
}

TEST_F(ProfileTest, threadsLaunchWhileAnotherForgets) {
  std::thread launching([] {
    for (int i = 0; i < 500; ++i)
      EXPECT_FINE(onGpu());
  });
  for (int i = 0; i < 20; ++i)
    tilec_profile_clear();
  launching.join();
  tilec_profile_clear();
  EXPECT_EQ(table(), "no launch was recorded\n");
}

TEST_F(ProfileTest, bytesHaveUnits) {
  const std::pair<uint64_t, const char *> cases[] = {
      {7, " 7 B "},        {999, " 999 B "},     {1000, " 1.0 kB "},      {51200, " 51.2 kB "},
      {99960, " 100 kB "}, {999600, " 1.0 MB "}, {123456789, " 123 MB "}, {UINT64_MAX, " 18.0 EB "},
  };
  int64_t grid[3] = {1, 1, 1};
  for (auto [bytes, text] : cases) {
    tilec_profile_clear();
    tilec_profile_facts facts{sizeof(facts), 0, nullptr, nullptr, bytes, 0};
    EXPECT_FINE(tilec::Status(tilec_profile_add("k", nullptr, 0, 1000, grid, &facts)));
    std::string printed = table();
    EXPECT_NE(printed.find(text), std::string::npos) << printed;
  }
}
