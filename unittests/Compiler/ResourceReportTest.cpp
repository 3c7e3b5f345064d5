//===- ResourceReportTest.cpp - What is said about resources ----*- C++ -*-===//
//
// Reports of records that are made by hand, so that every line can have every value.
//
//===----------------------------------------------------------------------===//

#include "tilec/Compiler/Compiler.h"

#include "gtest/gtest.h"

using namespace tilec;

namespace {

class ResourceReportTest : public testing::Test {
protected:
  ResourceReportTest() : arch(llvm::cantFail(GpuArch::parse("sm_90a"))) {
    record.kernel.symbol = "sum";
    record.kernel.constexprs = {{"BLOCK", "1024"}, {"dtype", "tl.float16"}};
    record.threads = 256;
    ResourceUsage usage;
    usage.kernel = "sum";
    usage.registers = 64;
    record.resources = usage;
  }
  llvm::json::Object json() {
    llvm::json::Value all = toJSON(record, arch, "sum.py");
    return *all.getAsObject()->getArray("kernels")->front().getAsObject();
  }

  GpuArch arch;
  KernelRecord record;
};

} // namespace

TEST_F(ResourceReportTest, OfAnOrdinaryKernel) {
  EXPECT_EQ(describeResources(record, arch),
            "kernel 'sum' on sm_90a, BLOCK=1024, dtype=tl.float16\n"
            "  registers      64 a thread, no spills\n"
            "  local memory   0 bytes a thread\n"
            "  shared memory  0 bytes static, 0 bytes dynamic\n"
            "  threads        256 a CTA, 1 CTA a program\n"
            "  occupancy      4 CTAs an SM, 32 of 64 warps (50%), limited by registers\n");
  llvm::json::Object object = json();
  EXPECT_EQ(object.getInteger("num_ctas"), 1);
  EXPECT_TRUE(object.getNull("maxnreg"));
  EXPECT_EQ(object.getObject("resources")->getString("limited_by"), "registers");
}

TEST_F(ResourceReportTest, OfEverything) {
  record.kernel.constexprs.clear();
  record.numCTAs = 4;
  record.maxRegisters = 64;
  record.dynamicSharedBytes = 200000;
  record.resources->sharedBytes = 64;
  record.resources->stackBytes = 16;
  record.resources->spillStoreBytes = 8;
  record.resources->spillLoadBytes = 12;
  EXPECT_EQ(describeResources(record, arch),
            "kernel 'sum' on sm_90a\n"
            "  registers      64 a thread, spills 8 bytes stored, 12 bytes loaded\n"
            "  register limit 64 (--maxnreg)\n"
            "  local memory   16 bytes a thread\n"
            "  shared memory  64 bytes static, 200000 bytes dynamic\n"
            "  threads        256 a CTA, 4 CTAs a program\n"
            "  occupancy      1 CTA an SM, 8 of 64 warps (12%), limited by shared memory; clusters "
            "may not fill every SM\n");
  llvm::json::Object object = json();
  EXPECT_EQ(object.getInteger("num_ctas"), 4);
  EXPECT_EQ(object.getInteger("maxnreg"), 64);
  llvm::json::Object &resources = *object.getObject("resources");
  EXPECT_EQ(resources.getInteger("registers"), 64);
  EXPECT_EQ(resources.getInteger("spill_store_bytes"), 8);
  EXPECT_EQ(resources.getInteger("spill_load_bytes"), 12);
  EXPECT_EQ(resources.getInteger("stack_bytes"), 16);
  EXPECT_EQ(resources.getInteger("ctas_per_sm"), 1);
  EXPECT_EQ(resources.getInteger("warps_per_sm"), 8);
  EXPECT_EQ(resources.getInteger("max_warps_per_sm"), 64);
}

TEST_F(ResourceReportTest, OfAKernelThatFitsNowhere) {
  record.threads = 1024;
  record.resources->registers = 72;
  std::string text = describeResources(record, arch);
  EXPECT_NE(text.find("0 CTAs an SM, 0 of 64 warps (0%), limited by registers\n"),
            std::string::npos)
      << text;
}

TEST_F(ResourceReportTest, WithoutMachineCodeThereIsNoAccount) {
  record.resources.reset();
  EXPECT_EQ(json().getObject("resources"), nullptr);
}
