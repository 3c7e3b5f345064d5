//===- CudaMachineTest.cpp - the way to a GPU, over the mock driver -*- C++ -*-===//
//
// Compiles kernels to PTX and launches them on a driver that computes nothing but records
// everything: what arrives where, how many copies are made, and what becomes of the driver's
// errors.
//
//===----------------------------------------------------------------------===//

#include "ExecutionTest.h"
#include "MockTest.h"

#include <cstring>

using namespace tilec;
using namespace tilec::test;

namespace {

class CudaMachine : public MockTest {
protected:
  /// Launches on the mock; the errors, or "".
  std::string launch(const Launch &launch) {
    llvm::Expected<std::unique_ptr<Machine>> machine = Machine::cuda();
    if (!machine)
      return llvm::toString(machine.takeError());
    return run(**machine, launch);
  }
  template <typename T> T parameter(unsigned offset) {
    T value;
    MockLaunch last = mock().lastLaunch();
    EXPECT_LE(offset + sizeof(T), last.paramBytes);
    std::memcpy(&value, last.params + offset, sizeof(T));
    return value;
  }
};

const char *const allTypes = R"(
@triton.jit
def kernel(out, a, b, c, d, e, f, g):
    tl.store(out, a.to(tl.float32) + b + c + d + e + f + g.to(tl.float32))
)";

TEST_F(CudaMachine, ArgumentsArriveWhereTheKernelReadsThem) {
  HostArray out = makeOutput(ScalarKind::FP32, {8}, 3);
  Launch request(allTypes);
  request.array("out", out).integer("a", -2).integer("b", 3000000000).integer("c", -5);
  request.value("d", ConstValue::real(0.5)).value("e", ConstValue::real(1.5));
  request.value("f", ConstValue::real(-2.5)).value("g", ConstValue::boolean(true));
  request.types("a=i8,c=i16,e=fp64,f=fp16").over(3, 2).warps(8);
  EXPECT_EQ(launch(request), "");
  MockLaunch last = mock().lastLaunch();
  EXPECT_STREQ(last.kernel, "kernel");
  EXPECT_EQ(last.grid[0], 3u);
  EXPECT_EQ(last.grid[1], 2u);
  EXPECT_EQ(last.grid[2], 1u);
  EXPECT_EQ(last.block[0], 256u);
  // Three elements behind a multiple of 64 bytes, as on the host.
  EXPECT_EQ(parameter<uint64_t>(0) % 64, 12u);
  EXPECT_EQ(parameter<int8_t>(8), -2);
  EXPECT_EQ(parameter<int64_t>(16), 3000000000);
  EXPECT_EQ(parameter<int16_t>(24), -5);
  EXPECT_EQ(parameter<float>(28), 0.5f);
  EXPECT_EQ(parameter<double>(32), 1.5);
  EXPECT_EQ(parameter<uint16_t>(40), 0xc100u);
  EXPECT_EQ(parameter<uint8_t>(42), 1u);
}

TEST_F(CudaMachine, CopiesEachArrayOnce) {
  HostArray x = makeRandom(ScalarKind::FP32, {100}, 0, 1);
  Launch request("@triton.jit\ndef kernel(x, y):\n    tl.store(x, tl.load(y))\n");
  EXPECT_EQ(launch(request.array("x", x).array("y", x)), "");
  EXPECT_EQ(mock().calls("cuMemAlloc_v2"), 1);
  EXPECT_EQ(parameter<uint64_t>(0), parameter<uint64_t>(8));
}

TEST_F(CudaMachine, AnEmptyGridLaunchesNothing) {
  HostArray x = makeOutput(ScalarKind::FP32, {1});
  Launch request("@triton.jit\ndef kernel(x):\n    tl.store(x, 1.0)\n");
  EXPECT_EQ(launch(request.array("x", x).over(0)), "");
  EXPECT_EQ(mock().calls("cuLaunchKernel"), 0);
}

TEST_F(CudaMachine, LimitsRegisters) {
  HostArray x = makeOutput(ScalarKind::FP32, {1});
  Launch request("@triton.jit\ndef kernel(x):\n    tl.store(x, 1.0)\n");
  EXPECT_EQ(launch(request.array("x", x)), "");
  EXPECT_EQ(mock().lastLaunch().registers, 40u);
  request.maxRegisters = 26;
  EXPECT_EQ(launch(request), "");
  EXPECT_EQ(mock().lastLaunch().registers, 26u);
  request.maxRegisters = 257;
  EXPECT_NE(launch(request).find("a thread has at most 255 registers, not 257"), std::string::npos);
}

TEST_F(CudaMachine, SaysWhatTheKernelTakes) {
  HostArray x = makeOutput(ScalarKind::FP32, {1});
  Launch request("@triton.jit\ndef kernel(x):\n    tl.store(x, 1.0)\n");
  std::string description;
  request.description = &description;
  EXPECT_EQ(launch(request.array("x", x)), "");
  // 16 blocks of 128 threads on each of the mock's 12 multiprocessors.
  EXPECT_EQ(description, "40 registers, 1024 bytes of shared memory, 16 bytes of local memory, 192 "
                         "programs at once");
}

TEST_F(CudaMachine, PassesTheDriversErrorsOn) {
  HostArray x = makeOutput(ScalarKind::FP32, {1000});
  Launch request("@triton.jit\ndef kernel(x):\n    tl.store(x, 1.0)\n");
  request.array("x", x);
  auto mentions = [&](const char *text) {
    std::string message = launch(request);
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  mock().setMemory(100);
  mentions("out of memory");
  mock().reset();
  mock().setLog("ptxas fatal: mock");
  mock().fail("cuModuleLoadDataEx", 218);
  mentions("ptxas fatal: mock");
  mock().reset();
  mock().setVersion(11000);
  mentions("PTX");
  mock().reset();
  mock().setCapability(6, 1);
  mentions("tilec cannot compile for Mock GPU 0, whose compute capability is 6.1");
  mock().reset();
  mock().fail("cuLaunchKernel", 700);
  mentions("kernel");
  mock().reset();
  request.over(1, 65536);
  mentions("65536");
}

TEST_F(CudaMachine, CompilesForTheDeviceItFinds) {
  for (auto [major, minor] : {std::pair(7, 5), {8, 0}, {9, 0}, {10, 0}, {12, 0}}) {
    mock().setCapability(major, minor);
    HostArray x = makeOutput(ScalarKind::FP32, {1});
    Launch request("@triton.jit\ndef kernel(x):\n    tl.store(x, 1.0)\n");
    EXPECT_EQ(launch(request.array("x", x)), "") << major << "." << minor;
  }
}

} // namespace
