//===- DeviceTest.cpp - Compiled kernels on a real device ----------------*- C++ -*-===//
//
// Runs kernels of a compiled object on the GPU and on the CPU, which must agree, and captures a
// launch into a CUDA graph. Skipped on a machine without a driver or device.
//
//===-------------------------------------------------------------------------------===//

#include "Support.h"
#include "generic_kernels.h"
#include "kernels.h"
#include "map_kernels.h"
#include "tilec/profile.h"

#include <cstdio>
#include <dlfcn.h>
#include <thread>

namespace {

/// The functions of graphs, which the runtime has no use for.
struct Graphs {
  int (*cuCtxSetCurrent)(void *context);
  int (*cuStreamBeginCapture_v2)(void *stream, int mode);
  int (*cuStreamEndCapture)(void *stream, void **graph);
  int (*cuGraphInstantiateWithFlags)(void **executable, void *graph, unsigned long long flags);
  int (*cuGraphLaunch)(void *executable, void *stream);

  bool open() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          library ? dlsym(library, name) : nullptr);
      return function != nullptr;
    };
    return find(cuCtxSetCurrent, "cuCtxSetCurrent") &&
           find(cuStreamBeginCapture_v2, "cuStreamBeginCapture_v2") &&
           find(cuStreamEndCapture, "cuStreamEndCapture") &&
           find(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags") &&
           find(cuGraphLaunch, "cuGraphLaunch");
  }
};

class ArtifactDeviceTest : public ::testing::Test {
protected:
  void SetUp() override {
    auto opened = tilec::Device::open(0);
    if (!opened)
      GTEST_SKIP() << opened.error().message();
    device = *opened;
    auto created = tilec::Stream::create(device, /*nonBlocking=*/true);
    ASSERT_TRUE(created);
    stream = std::move(*created);
  }
  void TearDown() override {
    kernels::unload_all();
    generic::unload_all();
    maps::unload_all();
  }

  tilec::Buffer upload(const std::vector<float> &values) {
    auto buffer = tilec::Buffer::allocate(device, values.size() * sizeof(float));
    EXPECT_TRUE(buffer);
    EXPECT_FINE(buffer->copyIn(values.data(), buffer->bytes()));
    return *buffer;
  }
  std::vector<float> download(const tilec::Buffer &buffer) {
    std::vector<float> values(buffer.bytes() / sizeof(float));
    EXPECT_FINE(buffer.copyOut(values.data(), buffer.bytes(), 0, stream));
    return values;
  }

  tilec::Device device;
  tilec::Stream stream;
};

} // namespace

TEST_F(ArtifactDeviceTest, everyClassOfSizeAndAlignmentEqualsTheCpu) {
  constexpr size_t size = 4096;
  constexpr int rows = 3;
  std::vector<float> x(size), start(size, -77);
  for (size_t i = 0; i < size; ++i)
    x[i] = float(i % 251);
  tilec::Buffer deviceX = upload(x);
  for (int offset : {0, 1, 4})
    for (int cols : {0, 1, 15, 16, 17, 64})
      for (int row : {1023, 1024, 1040})
        for (int outCol : {1, 15, 16})
          for (int xCol : {1, 3, 16}) {
            tilec::Buffer deviceOut = upload(start);
            EXPECT_FINE(kernels::transpose({stream}, deviceOut.as<float>() + offset,
                                           deviceX.as<float>(), rows, cols, row, outCol, row,
                                           xCol));
            std::vector<float> expected = start;
            EXPECT_FINE(generic::transpose({tilec::cpuStream()}, expected.data() + offset, x.data(),
                                           rows, cols, row, outCol, row, xCol));
            EXPECT_EQ(download(deviceOut), expected)
                << offset << " " << cols << " " << row << " " << outCol << " " << xCol;
          }
}

/// On devices with tensor maps each launch makes its own, for those of these sizes that divide.
TEST_F(ArtifactDeviceTest, productsOfParts) {
  constexpr int lines = 64, columns = 64, pitch = 192;
  std::vector<tilec::Half> left(lines * pitch), right(pitch * columns);
  for (size_t i = 0; i < left.size(); ++i)
    left[i] = tilec::Half(float(i % 7) - 3);
  for (size_t i = 0; i < right.size(); ++i)
    right[i] = tilec::Half(float(i % 5) - 2);
  auto deviceLeft = tilec::Buffer::allocate(device, left.size() * sizeof(tilec::Half));
  auto deviceRight = tilec::Buffer::allocate(device, right.size() * sizeof(tilec::Half));
  ASSERT_TRUE(deviceLeft && deviceRight);
  EXPECT_FINE(deviceLeft->copyIn(left.data(), deviceLeft->bytes()));
  EXPECT_FINE(deviceRight->copyIn(right.data(), deviceRight->bytes()));
  for (int depth : {16, 64, 100, 104, 128, 192})
    for (int rows : {1, 40, 64}) {
      tilec::Buffer out = upload(std::vector<float>(lines * columns, -77));
      EXPECT_FINE(maps::product({stream, {1}}, out.as<float>(),
                                {deviceLeft->as<tilec::Half>(), {rows, depth}, {pitch, 1}},
                                {deviceRight->as<tilec::Half>(), {depth, columns}}));
      std::vector<float> result = download(out);
      for (int row = 0; row < lines; ++row)
        for (int column = 0; column < columns; ++column) {
          float sum = 0;
          for (int k = 0; k < depth && row < rows; ++k)
            sum += float(left[row * pitch + k]) * float(right[k * columns + column]);
          ASSERT_EQ(result[row * columns + column], sum)
              << depth << " " << rows << " " << row << " " << column;
        }
    }
}

TEST_F(ArtifactDeviceTest, heuristicsAndConfigurations) {
  for (int n : {20, 96, 128, 129, 1000}) {
    auto out = tilec::Buffer::allocate(device, 2048 * sizeof(int32_t));
    ASSERT_TRUE(out);
    EXPECT_FINE(kernels::tuned({stream}, out->as<int32_t>(), n));
    std::vector<int32_t> result(2048), expected(2048);
    EXPECT_FINE(out->copyOut(result.data(), out->bytes(), 0, stream));
    EXPECT_FINE(kernels::tuned({tilec::cpuStream()}, expected.data(), n));
    EXPECT_TRUE(std::equal(result.begin(), result.begin() + n, expected.begin())) << n;
  }
}

TEST_F(ArtifactDeviceTest, sixteenThreadsFromColdOnEveryDevice) {
  auto count = tilec::Device::count();
  ASSERT_TRUE(count);
  int32_t devices = *count;
  RecordProperty("devices", devices);
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([t, devices] {
      auto own = tilec::Device::open(t % devices);
      ASSERT_TRUE(own);
      auto queue = tilec::Stream::create(*own, /*nonBlocking=*/true);
      ASSERT_TRUE(queue);
      // Lengths of every class, so that several variants are loaded at once.
      for (int n : {1, 1000, 4096, 5000 + t}) {
        std::vector<float> values(n, float(t)), result(n);
        auto x = tilec::Buffer::allocate(*own, n * sizeof(float));
        auto out = tilec::Buffer::allocate(*own, n * sizeof(float));
        ASSERT_TRUE(x && out);
        EXPECT_FINE(x->copyIn(values.data(), x->bytes()));
        EXPECT_FINE(kernels::scale({*queue}, out->as<float>(), x->as<float>(), 2.0f, n));
        EXPECT_FINE(out->copyOut(result.data(), out->bytes(), 0, *queue));
        EXPECT_EQ(result, std::vector<float>(n, 2.0f * t)) << "thread " << t << ", length " << n;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(ArtifactDeviceTest, everyScalarType) {
  auto out = tilec::Buffer::allocate(device, 13 * sizeof(double));
  ASSERT_TRUE(out);
  auto run = [](tilec::LaunchStream where, double *to) {
    return kernels::types({where, {1}}, to, true, -1, 255, -2, 65535, -3, 4294967295u, -4,
                          uint64_t(1) << 63, tilec::half(0.5f), tilec::bfloat16(3.0f), 0.25f, 0.1);
  };
  std::vector<double> result(13), expected(13);
  EXPECT_FINE(run(stream, out->as<double>()));
  EXPECT_FINE(out->copyOut(result.data(), out->bytes(), 0, stream));
  EXPECT_FINE(run(tilec::cpuStream(), expected.data()));
  EXPECT_EQ(result, expected);
}

TEST_F(ArtifactDeviceTest, aGraphHoldsPreparedLaunches) {
  Graphs graphs;
  if (!graphs.open())
    GTEST_SKIP() << "the driver has no graphs";
  std::vector<float> x(1000, 3);
  tilec::Buffer deviceX = upload(x), deviceOut = upload(std::vector<float>(1000));
  auto launch = [&] {
    return kernels::scale({stream}, deviceOut.as<float>(), deviceX.as<float>(), 2.0f, 1000);
  };
  // Graphs are made in the current context, which the runtime leaves as it was.
  ASSERT_EQ(graphs.cuCtxSetCurrent(device.context()), 0);
  constexpr int threadLocal = 1;
  void *graph = nullptr, *executable = nullptr;
  ASSERT_EQ(graphs.cuStreamBeginCapture_v2(stream.get(), threadLocal), 0);
  EXPECT_EQ(launch().code(), tilec::Code::NotPrepared);
  ASSERT_EQ(graphs.cuStreamEndCapture(stream.get(), &graph), 0);

  EXPECT_FINE(kernels::prepare_all(stream));
  ASSERT_EQ(graphs.cuStreamBeginCapture_v2(stream.get(), threadLocal), 0);
  EXPECT_FINE(launch());
  ASSERT_EQ(graphs.cuStreamEndCapture(stream.get(), &graph), 0);
  EXPECT_EQ(download(deviceOut)[999], 0);
  ASSERT_EQ(graphs.cuGraphInstantiateWithFlags(&executable, graph, 0), 0);
  ASSERT_EQ(graphs.cuGraphLaunch(executable, stream.get()), 0);
  EXPECT_EQ(download(deviceOut), std::vector<float>(1000, 6));
  // The context goes with the last device object; it must not stay current.
  EXPECT_EQ(graphs.cuCtxSetCurrent(nullptr), 0);
}

TEST_F(ArtifactDeviceTest, noCodeForTheDeviceIsAnError) {
  // This object has code for the CPU only.
  tilec::Status status = generic::checked({stream, {1}}, nullptr, 1);
  EXPECT_EQ(status.code(), tilec::Code::WrongArchitecture);
}

/// The numbers behind `"name": ` in a trace, in order.
static std::vector<double> numbersIn(const std::string &trace, const std::string &name) {
  std::vector<double> numbers;
  std::string key = "\"" + name + "\": ";
  for (size_t at = trace.find(key); at != std::string::npos; at = trace.find(key, at + 1))
    numbers.push_back(strtod(trace.c_str() + at + key.size(), nullptr));
  return numbers;
}

static std::string readTrace() {
  std::string path = ::testing::TempDir() + "tilec-device-trace.json", text;
  EXPECT_FINE(tilec::Status(tilec_profile_write(path.c_str())));
  FILE *file = fopen(path.c_str(), "r");
  EXPECT_NE(file, nullptr);
  char buffer[4096];
  while (size_t count = file ? fread(buffer, 1, sizeof(buffer), file) : 0)
    text.append(buffer, count);
  if (file)
    fclose(file);
  remove(path.c_str());
  return text;
}

TEST_F(ArtifactDeviceTest, launchesAreRecorded) {
  constexpr int size = 1 << 24, count = 20;
  tilec::Buffer x = upload(std::vector<float>(size, 3)), out = upload(std::vector<float>(size));
  EXPECT_FINE(kernels::prepare_all({stream}));
  tilec_profile_record(1);
  for (int i = 0; i < count; ++i) {
    tilec_profile_facts facts{sizeof(facts), 0, nullptr, nullptr, 2 * size * sizeof(float), size};
    tilec_profile_describe(&facts);
    EXPECT_FINE(kernels::scale({stream}, out.as<float>(), x.as<float>(), 2.0f, size));
  }
  EXPECT_FINE(stream.synchronize());
  tilec_profile_record(0);
  std::string trace = readTrace();
  tilec_profile_clear();
  // Slices of one stream follow each other.
  std::vector<double> begins = numbersIn(trace, "ts"), times = numbersIn(trace, "dur");
  ASSERT_EQ(times.size(), size_t(count)) << trace;
  ASSERT_EQ(begins.size(), times.size());
  constexpr double resolution = 2; // microseconds
  for (int i = 1; i < count; ++i)
    EXPECT_GT(begins[i] + resolution, begins[i - 1] + times[i - 1]) << i;
  // Faster than the memory is nothing; far slower would be a wrong unit.
  std::vector<double> share = numbersIn(trace, "share_of_peak");
  ASSERT_EQ(share.size(), 1u) << trace;
  EXPECT_GT(share[0], 0.02);
  EXPECT_LT(share[0], 1.05);
  EXPECT_GT(numbersIn(trace, "registers").back(), 0);
}
