//===- MockTest.cpp - Tests over the mock driver -------------------------*- C++ -*-===//
//
// Points the runtime at the mock driver, and what tests share.
//
//===-------------------------------------------------------------------------------===//

#include "MockTest.h"

#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

std::string testFolder() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  std::string name(path, length > 0 ? size_t(length) : 0);
  return name.substr(0, name.rfind('/') + 1);
}

const MockControl &mock() {
  static const MockControl *control = [] {
    std::string path = testFolder() + "libTilecMockCuda.so";
    void *library = dlopen(path.c_str(), RTLD_NOW);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      abort();
    }
    auto get = reinterpret_cast<const MockControl *(*)()>(dlsym(library, "mockControl"));
    return get();
  }();
  return *control;
}

// Before main, as the first test may be any, also in a child process of a death test.
static const int pointed =
    setenv("TILEC_CUDA_DRIVER", (testFolder() + "libTilecMockCuda.so").c_str(), 1);

void MockTest::SetUp() {
  ASSERT_EQ(pointed, 0);
  mock().reset();
  before = mock().live();
}

void MockTest::TearDown() {
  EXPECT_EQ(mock().depth(), 0);
  MockLive after = mock().live();
  EXPECT_EQ(after.allocations, before.allocations);
  EXPECT_EQ(after.streams, before.streams);
  EXPECT_EQ(after.events, before.events);
  EXPECT_EQ(after.modules, before.modules);
  EXPECT_EQ(after.primaryRetains, before.primaryRetains);
}

tilec::Kernel MockTest::getKernel(const tilec::LaunchRecord &record, const char *ptx) {
  auto device = tilec::Device::open(0);
  EXPECT_TRUE(device) << device.error().message();
  auto module = tilec::Module::load(*device, ptx);
  EXPECT_TRUE(module) << module.error().message();
  auto kernel = module->kernel(record);
  EXPECT_TRUE(kernel) << kernel.error().message();
  return *kernel;
}

const char *const testPtx = R"(// comment
/* another
   comment */
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 x, .param .u64 y, .param .u64 out, .param .u32 n) .maxntid 128
{ ret; }
.visible .entry scalars(.param .u8 a, .param .u16 b, .param .u32 c, .param .u64 d, .param .f32 e,
                        .param .f64 f, .param .b16 g)
{ ret; }
.visible .entry none()
{ ret; }
)";

const tilec::Param addParams[4] = {{"x", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 0},
                                   {"y", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 8},
                                   {"out", TILEC_TYPE_POINTER + TILEC_TYPE_FP32, 16},
                                   {"n", TILEC_TYPE_I32, 24}};
