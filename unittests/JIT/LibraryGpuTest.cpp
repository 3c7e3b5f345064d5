//===- LibraryGpuTest.cpp - libtilec and GPUs -------------------*- C++ -*-===//
//
// Over the runtime's mock driver: what is launched, and that nothing leaks. Code for a GPU that is
// not there is compared with what `tilec` makes.
//
//===----------------------------------------------------------------------===//

#include "LibraryTest.h"
#include "MockTest.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace tilec;

namespace {

class LibraryGpuTest : public MockTest {
protected:
  jit::Compiler gpuCompiler(const char *arch = "") {
    jit::Options options;
    options.target = TILEC_JIT_CUDA;
    options.device = 0;
    options.arch = arch;
    auto compiler = jit::Compiler::create(options);
    EXPECT_TRUE(compiler) << compiler.error().message();
    return *compiler;
  }
  template <typename T> T parameter(unsigned offset) {
    T value{};
    MockLaunch last = mock().lastLaunch();
    EXPECT_LE(offset + sizeof(T), last.paramBytes);
    std::memcpy(&value, last.params + offset, sizeof(T));
    return value;
  }
};

using Scale = void(float *, const float *, float, int);

} // namespace

TEST_F(LibraryGpuTest, LaunchesAreRecordedUnderTheirNames) {
  jit::Compiler compiler = gpuCompiler();
  jit::KernelOptions options;
  options.constants = {{"BLOCK", 1024}};
  options.numWarps = 8;
  auto kernel = ::getKernel<Scale>(compiler, scaleText, "scale", options);
  auto *x = reinterpret_cast<float *>(uintptr_t(4096));
  tilec_jit_profile_record(1);
  tilec_jit_profile_describe(1000, 0);
  EXPECT_TRUE(kernel.launch({nullptr, Grid(3, 2)}, x, x + 1, 0.5f, 77));
  tilec_jit_profile_record(0);
  FILE *file = tmpfile();
  ASSERT_EQ(tilec_jit_profile_print(fileno(file)), nullptr);
  tilec_jit_profile_clear();
  rewind(file);
  char buffer[1024] = "";
  std::string table(buffer, fread(buffer, 1, sizeof(buffer), file));
  fclose(file);
  EXPECT_NE(table.find("  scale (BLOCK=1024, num_warps=8); y=*fp32:16, x=*fp32, s=fp32, n=i32\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find(" 1.0 kB "), std::string::npos) << table;
}

TEST_F(LibraryGpuTest, LaunchesWhatTheArgumentsAskFor) {
  jit::Compiler compiler = gpuCompiler();
  jit::KernelOptions options;
  options.constants = {{"BLOCK", 1024}};
  options.numWarps = 8;
  auto kernel = ::getKernel<Scale>(compiler, scaleText, "scale", options);
  auto *x = reinterpret_cast<float *>(uintptr_t(4096));
  auto *stream = reinterpret_cast<CUstream_st *>(uintptr_t(0));
  Status status = kernel.launch({stream, Grid(3, 2)}, x, x + 1, 0.5f, 77);
  ASSERT_TRUE(status) << status.message();
  MockLaunch last = mock().lastLaunch();
  EXPECT_STREQ(last.kernel, "scale");
  EXPECT_EQ(last.grid[0], 3u);
  EXPECT_EQ(last.grid[1], 2u);
  EXPECT_EQ(last.block[0], 256u);
  EXPECT_EQ(parameter<uint64_t>(0), 4096u);
  EXPECT_EQ(parameter<uint64_t>(8), 4100u);
  EXPECT_EQ(parameter<float>(16), 0.5f);
  EXPECT_EQ(parameter<int>(20), 77);
  // n = 1 is a constant: there is no parameter for it.
  ASSERT_TRUE(kernel.launch(Grid(1), x, x, 0.5f, 1));
  EXPECT_EQ(mock().lastLaunch().paramBytes, 20u);
  EXPECT_EQ(compiler.counts().compilations, 2u);
}

/// A tl.constexpr parameter called num_warps is the number of warps, from whoever gives it.
TEST_F(LibraryGpuTest, ParametersWithTheNamesOfNumbers) {
  jit::Compiler compiler = gpuCompiler();
  const char *text = "@triton.jit\ndef k(y, num_warps: tl.constexpr):\n  tl.store(y, num_warps)\n";
  jit::KernelOptions number, constant, both;
  number.numWarps = both.numWarps = 8;
  constant.constants = {{"num_warps", 8}};
  both.constants = {{"num_warps", 4}}; // The kernel has the number, the parameter its value.
  for (const jit::KernelOptions &options : {number, constant, both}) {
    auto kernel = ::getKernel<void(float *)>(compiler, text, "k", options);
    Status status = kernel.launch(Grid(1), nullptr);
    ASSERT_TRUE(status) << status.message();
    EXPECT_EQ(mock().lastLaunch().block[0], 256u);
  }
  std::string tuned = std::string("@triton.autotune(configs=[triton.Config({}, num_warps=8)], "
                                  "key=[])\n") +
                      text;
  auto chosen = ::getKernel<void(float *)>(compiler, tuned.c_str(), "k", {});
  ASSERT_TRUE(chosen.launch(Grid(1), nullptr));
  EXPECT_EQ(mock().lastLaunch().block[0], 256u);
}

static const char *const productText = R"(
@triton.jit
def product(out, left, right):
    sums = tl.zeros((64, 64), tl.float32)
    for k in range(0, left.shape[1], 64):
        sums = tl.dot(left.load([0, k]), right.load([k, 0]), sums)
    tl.store(out + tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :], sums)
)";

/// Also with code that another process has left on the disk.
TEST_F(LibraryGpuTest, LaunchesMakeTensorMaps) {
  using Tensor = TensorDescriptor<const Half, 2>;
  std::string folder = testFolder() + "library-maps";
  std::filesystem::remove_all(folder);
  for (int run = 0; run < 2; ++run) {
    jit::Options options;
    options.target = TILEC_JIT_CUDA;
    options.device = 0;
    options.arch = "sm_90a";
    options.cache = folder;
    auto compiler = jit::Compiler::create(options);
    ASSERT_TRUE(compiler) << compiler.error().message();
    jit::KernelOptions kernelOptions;
    kernelOptions.descriptors = "left=tensordesc<fp16[64, 64]>, right=tensordesc<fp16[64, 64]>";
    auto kernel = ::getKernel<void(float *, Tensor, Tensor)>(*compiler, productText, "product",
                                                             kernelOptions);
    auto *out = reinterpret_cast<float *>(uintptr_t(4096));
    auto *halves = reinterpret_cast<const Half *>(uintptr_t(8192));
    Status status =
        kernel.launch({nullptr, Grid(1)}, out, {halves, {50, 128}}, {halves, {128, 64}});
    ASSERT_TRUE(status) << status.message();
    unsigned end = mock().lastLaunch().paramBytes;
    auto left = parameter<MockTensorMap>(end - 256), right = parameter<MockTensorMap>(end - 128);
    EXPECT_EQ(left.address, 8192u);
    EXPECT_EQ(left.sizes[0], 127u);
    EXPECT_EQ(left.sizes[1], 49u);
    EXPECT_EQ(left.strides[0], 256u);
    EXPECT_EQ(right.sizes[0], 63u);
    EXPECT_EQ(right.strides[0], 128u);
    EXPECT_EQ(compiler->counts().disk_hits, uint64_t(run));
  }
}

TEST_F(LibraryGpuTest, TakesStreamsOfTheRuntime) {
  jit::Compiler compiler = gpuCompiler();
  auto kernel = ::getKernel<Scale>(compiler, scaleText, "scale", {{"BLOCK", 128}});
  auto device = Device::open(0);
  ASSERT_TRUE(device) << device.error().message();
  auto stream = Stream::create(*device);
  ASSERT_TRUE(stream) << stream.error().message();
  float *x = nullptr;
  ASSERT_TRUE(kernel.launch({*stream, 2}, x, x, 1.0f, 48));
  EXPECT_EQ(mock().lastLaunch().stream, stream->get());
  EXPECT_NE(stream->get(), nullptr);
  ASSERT_TRUE(kernel.launch({Stream(), 2}, x, x, 1.0f, 48));
  EXPECT_EQ(mock().lastLaunch().stream, nullptr);
}

/// A Status may hold now the one, now the other, and its texts live as long as a copy.
TEST_F(LibraryGpuTest, OneStatusForErrorsOfBothLibraries) {
  Status status = Device::open(99).error();
  EXPECT_EQ(status.code(), Code::NoDevice);
  Status runtime = status;
  {
    auto module = gpuCompiler().compileText(kernelText(scaleText));
    ASSERT_TRUE(module) << module.error().message();
    status = module->kernel<Scale>("scael").error();
  }
  EXPECT_EQ(status.code(), Code::Compile);
  EXPECT_NE(std::string(status.message()).find("did you mean 'scale'?"), std::string::npos);
  EXPECT_STREQ(status.kernel(), "");
  EXPECT_STREQ(status.driverText(), "");
  EXPECT_EQ(status.driverCode(), 0);
  std::swap(status, runtime);
  EXPECT_EQ(status.code(), Code::NoDevice);
  EXPECT_EQ(runtime.code(), Code::Compile);
  runtime = Status();
  EXPECT_TRUE(runtime);
  EXPECT_STREQ(runtime.message(), "success");
}

/// After prepare() a launch makes no call of the driver but the launch.
TEST_F(LibraryGpuTest, PrepareDoesTheColdWork) {
  jit::Compiler compiler = gpuCompiler();
  auto kernel = ::getKernel<Scale>(compiler, scaleText, "scale", {{"BLOCK", 128}});
  float *x = nullptr;
  ASSERT_TRUE(kernel.prepare(x, x, 1.0f, 48));
  EXPECT_EQ(mock().calls("cuLaunchKernel"), 0);
  int loads = mock().calls("cuModuleLoadDataEx");
  EXPECT_EQ(loads, 1);
  ASSERT_TRUE(kernel.launch(Grid(1), x, x, 2.0f, 64));
  EXPECT_EQ(mock().calls("cuModuleLoadDataEx"), loads);
  EXPECT_EQ(mock().calls("cuLaunchKernel"), 1);
}

TEST_F(LibraryGpuTest, DriverErrorsComeThrough) {
  jit::Compiler compiler = gpuCompiler();
  auto kernel = ::getKernel<Scale>(compiler, scaleText, "scale", {{"BLOCK", 128}});
  float *x = nullptr;
  mock().fail("cuModuleLoadDataEx", 200);
  EXPECT_FALSE(kernel.launch(Grid(1), x, x, 1.0f, 5));
  mock().fail("cuModuleLoadDataEx", 0);
  mock().fail("cuLaunchKernel", 700);
  expectError(kernel.launch(Grid(1), x, x, 1.0f, 5), TILEC_ERROR_DEVICE_FAULT, "kernel 'scale'");
  mock().fail("cuLaunchKernel", 0);
  EXPECT_TRUE(kernel.launch(Grid(1), x, x, 1.0f, 5)) << "a failure to load is not kept";
  mock().setDevices(0);
  jit::Options options;
  options.target = TILEC_JIT_CUDA;
  expectError(jit::Compiler::create(options), TILEC_ERROR_NO_DEVICE,
              "the CUDA driver found no device");
  options.target = TILEC_JIT_AUTO;
  auto fallback = jit::Compiler::create(options);
  ASSERT_TRUE(fallback);
  EXPECT_EQ(std::string(fallback->target()).rfind("CPU", 0), 0u);
}

TEST_F(LibraryGpuTest, ThreadsShareADevice) {
  jit::Compiler compiler = gpuCompiler();
  auto kernel = ::getKernel<Scale>(compiler, scaleText, "scale", {{"BLOCK", 128}});
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 16; ++seed)
    threads.emplace_back([&, seed] {
      for (int n : {1, 16, 17}) {
        auto *x = reinterpret_cast<float *>(uintptr_t(4096 + 4 * (seed % 2)));
        failures += !kernel.launch(Grid(1), x, x, 1.0f, n);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(compiler.counts().compilations, 6u);
  EXPECT_EQ(mock().calls("cuModuleLoadDataEx"), 6);
}

TEST_F(LibraryGpuTest, TunesOnTheDevice) {
  jit::Compiler compiler = gpuCompiler();
  jit::KernelOptions options;
  options.grid = "cdiv(n, BLOCK)";
  auto kernel = ::getKernel<void(float *, int)>(compiler, R"(
@triton.autotune([triton.Config({"BLOCK": 128}, num_warps=1), triton.Config({"BLOCK": 256}, num_warps=2)],
                 key=["n"])
@triton.jit
def k(y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, 1.0, mask=i < n)
)",
                                                "k", options);
  float *y = nullptr;
  Status status = kernel.launch({}, y, 1000);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(compiler.counts().measurements, 2u);
  MockLaunch last = mock().lastLaunch();
  EXPECT_TRUE((last.grid[0] == 8 && last.block[0] == 32) ||
              (last.grid[0] == 4 && last.block[0] == 64));
  int launches = mock().calls("cuLaunchKernel");
  ASSERT_TRUE(kernel.launch({}, y, 1000));
  EXPECT_EQ(mock().calls("cuLaunchKernel"), launches + 1);
}

static std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The same options give the same PTX as `tilec`, byte for byte. No device is needed for it.
TEST_F(LibraryGpuTest, CodeIsThatOfTheCompiler) {
  jit::Compiler compiler = gpuCompiler("sm_80");
  EXPECT_STREQ(compiler.target(), "sm_80");
  std::string folder = TILEC_SOURCE_DIR "/examples/softmax/";
  auto module = compiler.compileFile(folder + "softmax.py");
  ASSERT_TRUE(module) << module.error().message();
  auto kernel = module->kernel<void(float *, const float *, int, int, int)>("softmax_rows",
                                                                            {{"BLOCK", 1024}});
  ASSERT_TRUE(kernel) << kernel.error().message();
  auto *x = reinterpret_cast<float *>(uintptr_t(256));
  auto code = kernel->code(x, x, 4096, 781, 1);
  ASSERT_TRUE(code) << code.error().message();
  EXPECT_EQ(mock().calls("cuInit"), 0) << "compiling needs no driver";
  std::string out = testFolder() + "library-code.ptx";
  std::string command = testFolder() + "../bin/tilec " + folder + "softmax.py" +
                        " --kernel=softmax_rows --arch=sm_80 -DBLOCK=1024 --sig='out=*fp32:16,"
                        "x=*fp32:16,out_stride=i32:16,x_stride=i32,n_cols=i32:1' -o " +
                        out;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_EQ(*code, readFile(out));
  EXPECT_NE(code->find(".target sm_80"), std::string::npos);
}
