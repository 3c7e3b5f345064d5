//===- ProvidersTest.cpp - what tilec-bench launches ------------*- C++ -*-===//

#include "CompileKernel.h"
#include "DeviceProviders.h"
#include "Launches.h"
#include "MockTest.h"

#include <cstring>

using namespace tilec;
using namespace tilec::bench;

namespace {

Case makeCase(const char *suite, Size size, ScalarKind type = ScalarKind::FP32) {
  return {findSuite(suite), type, size};
}

TEST(BenchSignature, PromisesWhatALaunchFromPythonWould) {
  EXPECT_EQ(signatureOf(makeCase("softmax", {4096, 1024})),
            "out=*fp32:16,x=*fp32:16,out_stride=i32:16,x_stride=i32:16,n_cols=i32:16");
  EXPECT_EQ(signatureOf(makeCase("softmax-persistent", {100, 781}, ScalarKind::BF16)),
            "out=*bf16:16,x=*bf16:16,out_stride=i32,x_stride=i32,n_rows=i32,n_cols=i32");
  EXPECT_EQ(signatureOf(makeCase("gelu", {1, 1 << 20}, ScalarKind::FP16)),
            "out=*fp16:16,x=*fp16:16,n=i32:16");
  EXPECT_EQ(signatureOf(makeCase("matmul", {100, 256, 512}, ScalarKind::BF16)),
            "out=*bf16:16,a=*bf16:16,b=*bf16:16,bias=*bf16:16,M=i32,N=i32:16,K=i32:16");
  EXPECT_EQ(signatureOf(makeCase("attention", {1024, 64, 1, 2, 32}, ScalarKind::FP16)),
            "out=*fp16:16,q=*fp16:16,k=*fp16:16,v=*fp16:16,length=i32:16,heads=i32:16,"
            "kv_heads=i32:16,scale=fp32");
  EXPECT_EQ(signatureOf(makeCase("mlp", {1, 64, 8}, ScalarKind::BF16)),
            "out=*bf16:16,x=*bf16:16,weight=*bf16:16,bias=*bf16:16,M=i32,N=i32:16,K=i32:16");
}

TEST(BenchCuda, Shapes) {
  CudaShape naive = cudaShape("cuda-naive", makeCase("softmax", {1000, 781}), 200000);
  EXPECT_EQ(naive.file, "softmax_naive.cu");
  EXPECT_EQ(naive.symbol, "softmax_naive_fp32");
  EXPECT_EQ(naive.threads * naive.grid, 1024u);
  CudaShape row = cudaShape("cuda-vector", makeCase("softmax", {1000, 781}), 200000);
  EXPECT_EQ(row.grid, 1000u);
  EXPECT_EQ(row.threads, 128u);
  EXPECT_EQ(row.sharedBytes, 3136u); // 781 elements, whole vectors
  EXPECT_EQ(cudaShape("cuda-vector", makeCase("softmax", {8, 65536}), 200000).sharedBytes, 0u);
  EXPECT_EQ(cudaShape("cuda-vector", makeCase("softmax", {8, 65536}), 200000).threads, 1024u);
  EXPECT_EQ(cudaShape("cuda-online", makeCase("softmax", {8, 5}), 200000).threads, 64u);
  EXPECT_EQ(cudaShape("cuda-online", makeCase("softmax", {8, 500}), 200000).sharedBytes, 0u);
  CudaShape gelu = cudaShape("cuda-vector", makeCase("gelu", {1, 5000}, ScalarKind::BF16), 200000);
  EXPECT_EQ(gelu.symbol, "gelu_vector_bf16");
  EXPECT_EQ(gelu.grid, 3u);
}

class BenchProviders : public MockTest {
protected:
  void SetUp() override {
    MockTest::SetUp();
    device = *Device::open(0);
    out = *Buffer::allocate(device, 64);
    in = *Buffer::allocate(device, 64);
  }
  void TearDown() override {
    out = in = Buffer();
    device = Device();
    MockTest::TearDown();
  }
  MockLaunch launch(const Case &what, unsigned warps = 0) {
    return launch(what, configsOf(what, warps).front());
  }
  MockLaunch launch(const Case &what, const Config &config) {
    auto prepared = prepareTilec(device, what, config, TILEC_SOURCE_DIR);
    EXPECT_TRUE(bool(prepared));
    EXPECT_TRUE(prepared->run(out, in));
    return mock().lastLaunch();
  }
  template <typename T> static T parameter(const MockLaunch &launch, unsigned offset) {
    T value;
    std::memcpy(&value, launch.params + offset, sizeof(T));
    return value;
  }

  Device device;
  Buffer out, in;
};

TEST_F(BenchProviders, SoftmaxIsLaunchedOverItsRows) {
  MockLaunch last = launch(makeCase("softmax", {100, 3000}));
  EXPECT_STREQ(last.kernel, "softmax_rows");
  EXPECT_EQ(last.grid[0], 100u);
  EXPECT_EQ(last.block[0], 256u); // 4096 / (32 * 16) warps
  EXPECT_EQ(parameter<uint64_t>(last, 0), out.address());
  EXPECT_EQ(parameter<uint64_t>(last, 8), in.address());
  for (unsigned offset : {16, 20, 24})
    EXPECT_EQ(parameter<int32_t>(last, offset), 3000);
}

TEST_F(BenchProviders, PersistentProgramsAreAsManyAsFit) {
  MockLaunch last = launch(makeCase("softmax-persistent", {100000, 1024}), 8);
  EXPECT_STREQ(last.kernel, "softmax_persistent");
  EXPECT_EQ(last.block[0], 256u);
  EXPECT_GT(last.grid[0], 0u);
  EXPECT_EQ(last.grid[0] % unsigned(device.multiprocessors()), 0u);
  EXPECT_LT(last.grid[0], 100000u);
  EXPECT_EQ(parameter<int32_t>(last, 24), 100000);
  EXPECT_EQ(launch(makeCase("softmax-persistent", {3, 1024})).grid[0], 3u);
}

TEST_F(BenchProviders, GeluIsLaunchedOverItsBlocks) {
  MockLaunch last = launch(makeCase("gelu", {1, 5000}, ScalarKind::FP16));
  EXPECT_STREQ(last.kernel, "gelu");
  EXPECT_EQ(last.grid[0], 5u);
  EXPECT_EQ(parameter<int32_t>(last, 16), 5000);
}

TEST_F(BenchProviders, ProductsAreLaunchedOverTheirBlocks) {
  // Launched without maps, so that parameters are those of the source.
  Case what = makeCase("matmul", {300, 200, 64}, ScalarKind::BF16);
  Config config{{{"BLOCK_M", 64}, {"BLOCK_N", 128}, {"BLOCK_K", 64}}, 4, 4};
  MockLaunch last = launch(what, config);
  EXPECT_STREQ(last.kernel, "matmul");
  EXPECT_EQ(last.grid[0], 10u);
  EXPECT_EQ(parameter<uint64_t>(last, 0), out.address());
  EXPECT_EQ(parameter<uint64_t>(last, 8), in.address());
  EXPECT_EQ(parameter<uint64_t>(last, 16), in.address() + kPageBytes);
  EXPECT_EQ(parameter<uint64_t>(last, 24), in.address() + 2 * kPageBytes);
  EXPECT_EQ(parameter<int32_t>(last, 32), 300);
  EXPECT_EQ(parameter<int32_t>(last, 36), 200);
  EXPECT_EQ(parameter<int32_t>(last, 40), 64);
}

TEST_F(BenchProviders, AttentionIsLaunchedOverQueriesHeadsAndBatch) {
  Case what = makeCase("attention", {300, 64, 1, 2, 3, true}, ScalarKind::FP16);
  MockLaunch last = launch(what, {{{"BLOCK_M", 128}, {"BLOCK_N", 64}}, 4, 2});
  EXPECT_STREQ(last.kernel, "attention");
  EXPECT_EQ(last.grid[0], 3u);
  EXPECT_EQ(last.grid[1], 3u);
  EXPECT_EQ(last.grid[2], 2u);
  EXPECT_EQ(parameter<int32_t>(last, 32), 300);
  EXPECT_EQ(parameter<int32_t>(last, 40), 3);
  EXPECT_EQ(parameter<float>(last, 44), 0.125f);
}

TEST_F(BenchProviders, LayersWriteTheResultLast) {
  Case what = makeCase("mlp", {5, 64, 2}, ScalarKind::BF16);
  MockLaunch last = launch(what);
  EXPECT_STREQ(last.kernel, "linear_gelu");
  EXPECT_EQ(last.grid[0], 2u); // 64 columns by 32
  EXPECT_EQ(parameter<uint64_t>(last, 0), out.address());
  EXPECT_EQ(parameter<uint64_t>(last, 8), in.address() + 3 * kPageBytes);
  EXPECT_EQ(parameter<uint64_t>(last, 16), in.address() + kPageBytes + 64 * 64 * 2);
  EXPECT_EQ(parameter<uint64_t>(last, 24), in.address() + 2 * kPageBytes + 64 * 2);
}

TEST_F(BenchProviders, CompileErrorsAreKept) {
  Case what = makeCase("gelu", {1, 8});
  auto prepared = prepareTilec(device, what, configsOf(what, 0).front(), "/no/such/folder");
  ASSERT_FALSE(bool(prepared));
  EXPECT_NE(llvm::toString(prepared.takeError()).find("/no/such/folder/examples/gelu/gelu.py"),
            std::string::npos);
}

TEST_F(BenchProviders, AnUnknownGpuIsAnError) {
  device = Device(); // An open device keeps its facts.
  mock().setCapability(6, 1);
  device = *Device::open(0);
  Case what = makeCase("gelu", {1, 8});
  auto prepared = prepareTilec(device, what, configsOf(what, 0).front(), TILEC_SOURCE_DIR);
  ASSERT_FALSE(bool(prepared));
  EXPECT_EQ(llvm::toString(prepared.takeError()),
            "tilec cannot compile for compute capability 6.1");
}

TEST_F(BenchProviders, CopyCopies) {
  std::vector<uint8_t> bytes(64, 3);
  ASSERT_TRUE(in.copyIn(bytes.data(), 64));
  ASSERT_TRUE(out.fill(Stream(), 0));
  Prepared copy = prepareCopy(makeCase("gelu", {1, 8}));
  ASSERT_TRUE(copy.run(out, in));
  ASSERT_TRUE(out.copyOut(bytes.data(), 64));
  EXPECT_EQ(bytes[31], 3); // 8 elements of 4 bytes
  EXPECT_EQ(bytes[32], 0);
}

} // namespace
