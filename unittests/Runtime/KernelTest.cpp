//===- KernelTest.cpp - Finding and preparing kernels --------------------*- C++ -*-===//
//
// Attributes of kernels, and the checks of a launch record against device and image.
//
//===-------------------------------------------------------------------------------===//

#include "MockTest.h"

namespace {

class KernelTest : public MockTest {
protected:
  void SetUp() override {
    MockTest::SetUp();
    auto device = tilec::Device::open(0);
    module = std::move(*tilec::Module::load(*device, testPtx));
  }
  void TearDown() override {
    module = tilec::Module();
    MockTest::TearDown();
  }
  tilec::Status get(const tilec::LaunchRecord &record) { return module.kernel(record).error(); }
  tilec::Module module;
};

} // namespace

TEST_F(KernelTest, describesTheKernel) {
  tilec::LaunchRecord record("add", 96, 4096, addParams);
  auto kernel = module.kernel(record);
  ASSERT_TRUE(kernel) << kernel.error().message();
  EXPECT_STREQ(kernel->name(), "add");
  EXPECT_EQ(kernel->threads(), 96u);
  EXPECT_EQ(kernel->staticSharedBytes(), 1024u);
  EXPECT_EQ(kernel->dynamicSharedBytes(), 4096u);
  EXPECT_EQ(kernel->registers(), 40u);
  EXPECT_EQ(kernel->localBytes(), 16u);
  EXPECT_EQ(kernel->info().max_threads, 128u);
  EXPECT_EQ(kernel->info().num_params, 4u);
  auto blocks = kernel->maxActiveBlocks();
  ASSERT_TRUE(blocks);
  EXPECT_EQ(*blocks, 21); // by threads, with 2048 on a multiprocessor
}

TEST_F(KernelTest, keepsItsModuleLoaded) {
  tilec::Kernel kernel = *module.kernel(addRecord());
  module = tilec::Module();
  EXPECT_EQ(mock().live().modules, 1);
  EXPECT_TRUE(kernel.launch({}, {1}, nullptr, nullptr, nullptr, 1));
  kernel = tilec::Kernel();
  EXPECT_EQ(mock().live().modules, 0);
}

TEST_F(KernelTest, copiesTheRecord) {
  std::string symbol = "add", name = "count";
  tilec::Param params[4] = {addParams[0], addParams[1], addParams[2], {name.c_str(), 6, 24}};
  auto kernel = module.kernel({symbol.c_str(), 128, 0, params});
  ASSERT_TRUE(kernel);
  symbol = name = "-----";
  params[3] = {};
  EXPECT_STREQ(kernel->name(), "add");
  EXPECT_STREQ(kernel->launch({}, {1}, nullptr, nullptr, nullptr, 1.0f).message(),
               "kernel 'add': argument 4 ('count'): expected i32, found fp32");
}

TEST_F(KernelTest, anUnknownName) {
  tilec::Status status = get({"missing", 32});
  EXPECT_EQ(status.code(), tilec::Code::NoKernel);
  EXPECT_STREQ(status.message(), "kernel 'missing': the module has no kernel of this name: "
                                 "CUDA_ERROR_NOT_FOUND: named symbol not found");
  EXPECT_STREQ(status.kernel(), "missing");
  std::string longName(1000, 'k');
  EXPECT_EQ(name(get({longName.c_str(), 32})), longName);
}

TEST_F(KernelTest, threadsThatDoNotFit) {
  tilec::Status status = get({"add", 256, 0, addParams});
  EXPECT_EQ(status.code(), tilec::Code::OutOfResources);
  EXPECT_STREQ(status.message(),
               "kernel 'add': 256 threads in a block are too many: the compiled code, with 40 "
               "registers a thread, allows 128 on device 0 (Mock GPU 0)");
  status = get({"add", 0, 0, addParams});
  EXPECT_EQ(status.code(), tilec::Code::InvalidArgument);
  EXPECT_STREQ(status.message(), "kernel 'add': expected at least 1 thread in a block, found 0");
}

TEST_F(KernelTest, sharedMemoryThatDoesNotFit) {
  EXPECT_TRUE(get({"add", 128, 232448 - 1024, addParams}));
  tilec::Status status = get({"add", 128, 232448, addParams});
  EXPECT_EQ(status.code(), tilec::Code::OutOfResources);
  EXPECT_STREQ(status.message(),
               "kernel 'add': 233472 bytes of shared memory (1024 static, 232448 dynamic) are too "
               "many: device 0 (Mock GPU 0) allows 232448 in a block");
  EXPECT_EQ(get({"add", 128, UINT32_MAX, addParams}).code(), tilec::Code::OutOfResources);
  mock().fail("cuFuncSetAttribute", 1);
  EXPECT_STREQ(get({"add", 128, 4096, addParams}).message(),
               "kernel 'add': cannot get 4096 bytes of dynamic shared memory: "
               "CUDA_ERROR_INVALID_VALUE: invalid argument");
}

TEST_F(KernelTest, parametersThatDifferFromTheImage) {
  tilec::Status status = get({"add", 128, 0, addParams, 3});
  EXPECT_EQ(status.code(), tilec::Code::ArgumentMismatch);
  EXPECT_STREQ(status.message(),
               "kernel 'add': the launch record has 3 parameters, the image has 4");
  tilec::Param params[4] = {addParams[0], addParams[1], addParams[2], {"n", TILEC_TYPE_I64, 24}};
  EXPECT_STREQ(get({"add", 128, 0, params}).message(),
               "kernel 'add': parameter 4 ('n') has 8 bytes at offset 24 in the launch record, 4 "
               "bytes at offset 24 in the image");
  params[3] = {nullptr, TILEC_TYPE_I32, 28};
  EXPECT_STREQ(get({"add", 128, 0, params}).message(),
               "kernel 'add': parameter 4 ('') has 4 bytes at offset 28 in the launch record, 4 "
               "bytes at offset 24 in the image");
  // A driver that cannot tell is no obstacle.
  mock().fail("cuFuncGetParamInfo", 801);
  EXPECT_TRUE(get({"add", 128, 0, params}));
}

// The driver says that there is no further parameter by failing, which compute-sanitizer reports.
TEST_F(KernelTest, recordsMadeWithTheImageAskForNoFurtherParameter) {
  int before = mock().calls("cuFuncGetParamInfo");
  EXPECT_TRUE(get(addRecord()));
  EXPECT_EQ(mock().calls("cuFuncGetParamInfo") - before, 4 + 1 + 4);
  before = mock().calls("cuFuncGetParamInfo");
  EXPECT_TRUE(get(addRecord().ofImage()));
  EXPECT_EQ(mock().calls("cuFuncGetParamInfo") - before, 4 + 4);
  tilec::Param params[4] = {addParams[0], addParams[1], addParams[2], {"n", TILEC_TYPE_I64, 24}};
  EXPECT_EQ(get(tilec::LaunchRecord("add", 128, 0, params).ofImage()).code(),
            tilec::Code::ArgumentMismatch);
}

TEST_F(KernelTest, recordsThatCannotBeRight) {
  EXPECT_STREQ(get({nullptr, 32}).message(), "the launch record names no kernel");
  EXPECT_STREQ(get({"", 32}).message(), "the launch record names no kernel");
  for (uint32_t type : {0u, 17u, 31u, 49u, 63u, 64u, UINT32_MAX}) {
    const tilec::Param params[1] = {{"p", type, 0}};
    EXPECT_EQ(get({"add", 32, 0, params}).message(),
              "kernel 'add': parameter 1 of the launch record has unknown type " +
                  std::to_string(type));
  }
  tilec::LaunchRecord record = addRecord();
  record.struct_size = 12;
  EXPECT_STREQ(
      get(record).message(),
      "the launch record has 12 bytes, expected 56, or 40 or 32 as in earlier versions: it "
      "was made for another version of the runtime");
  record = addRecord();
  record.flags = 6;
  EXPECT_STREQ(get(record).message(), "kernel 'add': the launch record has unknown flags (0x6)");
}

TEST_F(KernelTest, recordsOfEarlierVersions) {
  tilec::LaunchRecord record = addRecord();
  record.struct_size = 32;
  record.num_ctas = record.flags = 99; // beyond what such a record has
  auto kernel = module.kernel(record);
  ASSERT_TRUE(kernel) << kernel.error().message();
  EXPECT_EQ(kernel->numCTAs(), 1u);
  EXPECT_TRUE(kernel->launch({}, {1}, nullptr, nullptr, nullptr, 1));
}

TEST_F(KernelTest, failuresOfTheDriver) {
  const std::string tail = ": CUDA_ERROR_INVALID_VALUE: invalid argument";
  tilec::Kernel kernel = *module.kernel(addRecord());
  mock().fail("cuOccupancyMaxActiveBlocksPerMultiprocessor", 1);
  EXPECT_EQ(kernel.maxActiveBlocks().error().message(),
            "kernel 'add': cannot ask how many blocks fit on a multiprocessor" + tail);
  mock().fail("cuFuncGetAttribute", 1);
  EXPECT_EQ(get(addRecord()).message(), "kernel 'add': cannot ask about the kernel" + tail);
  mock().fail("cuModuleGetFunction", 1);
  EXPECT_EQ(get(addRecord()).message(),
            "kernel 'add': cannot get the kernel from its module" + tail);
  mock().fail("cuCtxGetCurrent", 1);
  EXPECT_EQ(get(addRecord()).message(), "cannot use the context on device 0 (Mock GPU 0)" + tail);
  mock().fail("cuCtxGetCurrent", 0); // or nothing could be unloaded
}

TEST_F(KernelTest, emptyObjectsAreErrors) {
  tilec::Kernel none;
  EXPECT_FALSE(bool(none));
  EXPECT_EQ(none.threads(), 0u);
  EXPECT_STREQ(none.maxActiveBlocks().error().message(),
               "tilec_kernel_max_active_blocks: 'kernel' is null");
  EXPECT_STREQ(none.launch({}, {1}).message(), "tilec_launch: 'kernel' is null");
  EXPECT_STREQ(tilec::Module().kernel(addRecord()).error().message(),
               "tilec_kernel_get: 'module' is null");
}
