//===- KernelRecordTest.cpp - Records as JSON and back ----------*- C++ -*-===//
//
// What is written can be read, and what is damaged is not a record.
//
//===----------------------------------------------------------------------===//

#include "tilec/Compiler/KernelRecord.h"

#include "gtest/gtest.h"

using namespace tilec;

static KernelParam makeParam(const char *name, const char *path, ParamType type) {
  KernelParam param;
  static_cast<ParamType &>(param) = type;
  param.name = name;
  param.path = path;
  return param;
}

static KernelRecord makeRecord() {
  KernelRecord record;
  record.kernel.symbol = "sum";
  DType pointer = DType::pointerTo(ScalarKind::FP8E4NV, /*isConst=*/true);
  record.kernel.params = {
      makeParam("x", "x", ParamType::of(pointer, ArgumentClass::MultipleOf16)),
      makeParam("p.n", "p.0", ParamType::of(ScalarKind::UInt16, ArgumentClass::One)),
      makeParam("flag", "flag", {ScalarKind::Int1}), makeParam("m", "m", {ScalarKind::Int64})};
  record.kernel.params.back().atMost = INT64_MAX;
  layOutParams(record.kernel.params);
  record.kernel.constexprs = {{"BLOCK", "1024"}, {"text", "'\\n\"'"}};
  record.threads = 256;
  record.staticSharedBytes = 16;
  record.dynamicSharedBytes = 65536;
  record.numCTAs = 2;
  record.maxRegisters = 168;
  return record;
}

static std::string print(llvm::json::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

TEST(KernelRecordTest, WhatIsWrittenCanBeRead) {
  std::string text = print(toJSON(makeRecord()));
  std::optional<KernelRecord> read = readKernelRecord(llvm::cantFail(llvm::json::parse(text)));
  ASSERT_TRUE(read) << text;
  EXPECT_EQ(print(toJSON(*read)), text);
  ASSERT_EQ(read->kernel.params.size(), 4u);
  EXPECT_EQ(read->kernel.params[0].path, "x");
  EXPECT_EQ(read->kernel.params[0].promised(), ArgumentClass::MultipleOf16);
  EXPECT_TRUE(read->kernel.params[0].type.isConst);
  EXPECT_EQ(read->kernel.params[1].path, "p.0");
  EXPECT_EQ(read->kernel.params[1].offset, 8u);
  EXPECT_EQ(read->kernel.params[1].promised(), ArgumentClass::One);
  EXPECT_EQ(read->kernel.params[2].atMost, std::nullopt);
  EXPECT_EQ(read->kernel.params[3].atMost, INT64_MAX);
  EXPECT_EQ(read->kernel.constexprs.size(), 2u);
  EXPECT_EQ(read->maxRegisters, 168u);
}

TEST(KernelRecordTest, WhatIsDamagedIsNoRecord) {
  llvm::json::Value whole = toJSON(makeRecord());
  for (const char *field : {"symbol", "params", "constexprs", "threads", "static_shared_bytes",
                            "dynamic_shared_bytes", "num_ctas"}) {
    llvm::json::Value damaged = whole;
    damaged.getAsObject()->erase(field);
    EXPECT_FALSE(readKernelRecord(damaged)) << field;
    (*damaged.getAsObject())[field] = true;
    EXPECT_FALSE(readKernelRecord(damaged)) << field;
  }
  for (const char *field : {"name", "type", "offset", "divisibility"}) {
    llvm::json::Value damaged = whole;
    (*damaged.getAsObject()->getArray("params")->front().getAsObject())[field] = nullptr;
    EXPECT_FALSE(readKernelRecord(damaged)) << field;
  }
  llvm::json::Value unknown = whole;
  (*unknown.getAsObject()->getArray("params")->front().getAsObject())["type"] = "*nothing";
  EXPECT_FALSE(readKernelRecord(unknown));
  EXPECT_FALSE(readKernelRecord(llvm::json::Array()));
}
