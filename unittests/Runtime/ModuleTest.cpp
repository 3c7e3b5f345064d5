//===- ModuleTest.cpp - Loading images -----------------------------------*- C++ -*-===//
//
// What is said when an image does not fit the device or the driver, or is broken.
//
//===-------------------------------------------------------------------------------===//

#include "MockTest.h"

#include <cstring>

namespace {

class ModuleTest : public MockTest {
protected:
  void SetUp() override {
    MockTest::SetUp();
    mock().setCapability(7, 5);
    device = std::move(*tilec::Device::open(0));
  }
  void TearDown() override {
    device = tilec::Device();
    MockTest::TearDown();
  }
  tilec::Status load(const char *ptx) { return tilec::Module::load(device, ptx).error(); }
  tilec::Device device;
};

/// The header of a cubin for sm_90, which is all that the mock reads.
std::string cubinHeader() {
  std::string image(64, '\0');
  memcpy(&image[0],
         "\x7f"
         "ELF\2\1\1\x41\x08",
         9);
  image[18] = char(190);
  image[49] = 90;
  return image;
}

} // namespace

TEST_F(ModuleTest, loadsAndUnloads) {
  {
    auto module = tilec::Module::load(device, ".version 6.3 .target sm_75");
    ASSERT_TRUE(module) << module.error().message();
    tilec::Module copy = *module;
    EXPECT_EQ(mock().live().modules, 1);
  }
  EXPECT_EQ(mock().live().modules, 0);
}

TEST_F(ModuleTest, textNeedsNoNul) {
  std::string text = ".version 6.3 .target sm_75 garbage";
  auto module = tilec::Module::load(device, text.data(), text.size() - 8);
  EXPECT_TRUE(module) << module.error().message();
}

TEST_F(ModuleTest, ptxForANewerDevice) {
  mock().setLog("ptxas fatal   : SM version specified by .target is too high\n\n");
  tilec::Status status = load(".version 8.0 .target sm_90a");
  EXPECT_EQ(status.code(), tilec::Code::WrongArchitecture);
  EXPECT_STREQ(status.message(),
               "cannot load PTX 8.0 for sm_90a on device 0 (Mock GPU 0), which is sm_75: "
               "CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed\n"
               "ptxas fatal   : SM version specified by .target is too high");
  EXPECT_EQ(status.driverCode(), 218);
}

TEST_F(ModuleTest, cubinForAnotherDevice) {
  std::string cubin = cubinHeader();
  auto module = tilec::Module::load(device, cubin.data(), cubin.size());
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code(), tilec::Code::WrongArchitecture);
  EXPECT_STREQ(module.error().message(),
               "cannot load a cubin for sm_90 on device 0 (Mock GPU 0), which is sm_75: "
               "CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available for execution on the "
               "device");
}

TEST_F(ModuleTest, cubinForThisDevice) {
  mock().setCapability(9, 0);
  std::string cubin = cubinHeader();
  auto module = tilec::Module::load(device, cubin.data(), cubin.size());
  ASSERT_TRUE(module) << module.error().message();
  EXPECT_TRUE(module->kernel({"cubin_kernel", 32}));
}

TEST_F(ModuleTest, theDriverIsTooOldForThePtx) {
  mock().setVersion(12040);
  tilec::Status status = load(".version 8.6 .target sm_75");
  EXPECT_EQ(status.code(), tilec::Code::DriverTooOld);
  EXPECT_STREQ(status.message(),
               "cannot load PTX 8.6 for sm_75 on device 0 (Mock GPU 0): the driver supports CUDA "
               "12.4; update it or compile to an older PTX version: "
               "CUDA_ERROR_UNSUPPORTED_PTX_VERSION: the provided PTX was compiled with an "
               "unsupported toolchain.");
}

TEST_F(ModuleTest, theLogOfTheDriversCompilerIsShown) {
  mock().fail("cuModuleLoadDataEx", 218);
  mock().setLog("ptxas application ptx input, line 3; error   : Unexpected 'bogus'\n");
  tilec::Status status = load(".version 6.3\n.target sm_75\nbogus");
  EXPECT_EQ(status.code(), tilec::Code::InvalidImage);
  EXPECT_STREQ(status.message(),
               "cannot load PTX 6.3 for sm_75 on device 0 (Mock GPU 0), which is sm_75: "
               "CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed\n"
               "ptxas application ptx input, line 3; error   : Unexpected 'bogus'");
}

TEST_F(ModuleTest, linesOfPtxAreKept) {
  EXPECT_TRUE(load(".version 6.3\n.target sm_75\n.visible .entry k() {\n\t.loc\t1 2 3\n\tret;\n}"));
  EXPECT_TRUE(mock().keptLines());
  EXPECT_TRUE(load(".version 6.3\n.target sm_75\n.visible .entry k() {\n\tret;\n}"));
  EXPECT_FALSE(mock().keptLines());
}

TEST_F(ModuleTest, aVeryLongLogIsCut) {
  mock().fail("cuModuleLoadDataEx", 218);
  mock().setLog(std::string(100000, 'x').c_str());
  tilec::Status status = load(".version 6.3 .target sm_75");
  EXPECT_GT(strlen(status.message()), 10000u);
  EXPECT_LT(strlen(status.message()), 20000u);
}

TEST_F(ModuleTest, otherFailures) {
  mock().fail("cuModuleLoadDataEx", 2);
  EXPECT_EQ(load(".version 6.3 .target sm_75").code(), tilec::Code::OutOfMemory);
  mock().fail("cuModuleLoadDataEx", 200);
  EXPECT_EQ(load(".version 6.3 .target sm_75").code(), tilec::Code::InvalidImage);
  EXPECT_EQ(load("nonsense").code(), tilec::Code::InvalidImage);
  EXPECT_STREQ(load(nullptr).message(), "tilec_module_load: 'image' is null");
  EXPECT_STREQ(tilec::Module::load({}, "x").error().message(),
               "tilec_module_load: 'device' is null");
}
