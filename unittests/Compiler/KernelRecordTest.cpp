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
  TensorMapParam map;
  map.elementBytes = 2;
  map.swizzleBytes = 64;
  map.box = {1, 128, 32};
  map.when = "@3 7 and 0 eq";
  map.base = "@0 @1 zext16 2 mul add";
  map.sizes = {"@3", "@3 -1 max", "32"};
  map.strides = {"@3 @3 mul", "@3 sext8"};
  record.maps = {map};
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
  EXPECT_EQ(read->maps, makeRecord().maps);
}

TEST(KernelRecordTest, MapsThatNoLaunchCanMakeAreNoRecord) {
  auto isRead = [](auto change) {
    KernelRecord record = makeRecord();
    change(record.maps.front());
    return readKernelRecord(toJSON(record)).has_value();
  };
  EXPECT_TRUE(isRead([](TensorMapParam &) {}));
  EXPECT_FALSE(isRead([](TensorMapParam &map) { map.elementBytes = 3; }));
  EXPECT_FALSE(isRead([](TensorMapParam &map) { map.swizzleBytes = 48; }));
  EXPECT_FALSE(isRead([](TensorMapParam &map) { map.box = {1, 257, 32}; }));
  EXPECT_FALSE(isRead([](TensorMapParam &map) { map.box = {128, 32}; }));
  EXPECT_FALSE(isRead([](TensorMapParam &map) { map.sizes.pop_back(); }));
  EXPECT_FALSE(isRead([](TensorMapParam &map) { map.strides.push_back("1"); }));
  for (const char *text : {"", "@4", "@", "@x", "add", "1 2", "1 add", "1 2 pow", "1 sext64",
                           "1 zext", "1  2 add", "99999999999999999999"})
    EXPECT_FALSE(isRead([&](TensorMapParam &map) { map.base = text; })) << text;
  EXPECT_FALSE(isRead([](TensorMapParam &map) { map.when = "@4"; }));
  EXPECT_TRUE(isRead([](TensorMapParam &map) { map.when = ""; }));
  llvm::json::Value damaged = toJSON(makeRecord());
  damaged.getAsObject()->getArray("tensor_maps")->front().getAsObject()->erase("box");
  EXPECT_FALSE(readKernelRecord(damaged));
  damaged.getAsObject()->erase("tensor_maps");
  EXPECT_TRUE(readKernelRecord(damaged)) << "kernels without maps have no such field";
}

TEST(KernelRecordTest, ProgramsThatShareCTAs) {
  KernelRecord record = makeRecord();
  record.packing = {32, 4, 16};
  RuntimeRecord made(record.kernel, record);
  EXPECT_EQ(made.get().packing.threads, 32u);
  EXPECT_EQ(made.get().packing.programs, 4u);
  EXPECT_EQ(made.get().packing.least, 16u);
  llvm::json::Value json = toJSON(record);
  std::optional<KernelRecord> read = readKernelRecord(json);
  ASSERT_TRUE(read);
  EXPECT_TRUE(LaunchNeeds(*read) == LaunchNeeds(record));
  EXPECT_FALSE(LaunchNeeds(*read) == LaunchNeeds(makeRecord()));
  (*json.getAsObject()->getObject("packing"))["threads"] = 1 << 20;
  EXPECT_FALSE(readKernelRecord(json)) << "more threads than a launch record has room for";
  json.getAsObject()->erase("packing");
  EXPECT_TRUE(readKernelRecord(json))
      << "kernels whose programs have a CTA each have no such field";
}

TEST(KernelRecordTest, ProgramsThatFollowEachOther) {
  KernelRecord record = makeRecord();
  EXPECT_FALSE(record.isPersistent());
  record.packing.programs = 1;
  EXPECT_TRUE(record.isPersistent());
  llvm::json::Value json = toJSON(record);
  EXPECT_EQ(json.getAsObject()->getInteger("persistent"), 1);
  EXPECT_EQ(json.getAsObject()->getObject("packing"), nullptr);
  std::optional<KernelRecord> read = readKernelRecord(json);
  ASSERT_TRUE(read);
  EXPECT_TRUE(LaunchNeeds(*read) == LaunchNeeds(record));
  (*json.getAsObject())["persistent"] = 256;
  EXPECT_FALSE(readKernelRecord(json)) << "more CTAs than a launch record has room for";
}

TEST(KernelRecordTest, TheRuntimeKnowsMapsAsSteps) {
  RuntimeMaps maps(makeRecord().maps);
  ASSERT_EQ(maps.get().size(), 1u);
  const tilec_tensor_map &map = maps.get().front();
  EXPECT_EQ(map.rank, 3u);
  EXPECT_EQ(map.element_bytes, 2u);
  EXPECT_EQ(map.swizzle, 2u);
  EXPECT_EQ(map.box[1], 128u);
  const uint32_t ops[] = {TILEC_MAP_ARGUMENT, TILEC_MAP_CONSTANT, TILEC_MAP_AND,
                          TILEC_MAP_CONSTANT, TILEC_MAP_EQ, // Whether it is needed.
                          TILEC_MAP_ARGUMENT, TILEC_MAP_ARGUMENT, TILEC_MAP_ZEXT,
                          TILEC_MAP_CONSTANT, TILEC_MAP_MUL,      TILEC_MAP_ADD, // The address.
                          TILEC_MAP_ARGUMENT, TILEC_MAP_ARGUMENT, TILEC_MAP_CONSTANT,
                          TILEC_MAP_MAX,      TILEC_MAP_CONSTANT, // Sizes.
                          TILEC_MAP_ARGUMENT, TILEC_MAP_ARGUMENT, TILEC_MAP_MUL,
                          TILEC_MAP_ARGUMENT, TILEC_MAP_SEXT}; // Strides.
  ASSERT_EQ(map.num_steps, std::size(ops));
  for (size_t i = 0; i < std::size(ops); ++i)
    EXPECT_EQ(map.steps[i].op, ops[i]) << i;
  EXPECT_EQ(map.steps[6].value, 1);
  EXPECT_EQ(map.steps[7].value, 16);
  EXPECT_EQ(map.steps[13].value, -1);
}

TEST(KernelRecordTest, TheRuntimeHasTheSameRecord) {
  KernelRecord record = makeRecord();
  RuntimeRecord made(record.kernel, record);
  const tilec_launch_record &launch = made.get();
  EXPECT_EQ(launch.struct_size, sizeof(launch));
  EXPECT_EQ(launch.threads, 256u);
  EXPECT_EQ(launch.dynamic_shared_bytes, 65536u);
  EXPECT_EQ(launch.num_ctas, 2u);
  EXPECT_EQ(launch.flags, uint32_t(TILEC_RECORD_OF_IMAGE));
  EXPECT_STREQ(launch.symbol, "sum");
  ASSERT_EQ(launch.num_params, 4u);
  EXPECT_EQ(launch.params[0].type, uint32_t(TILEC_TYPE_POINTER) + TILEC_TYPE_FP8E4NV);
  EXPECT_STREQ(launch.params[1].name, "p.n");
  EXPECT_EQ(launch.params[1].type, uint32_t(TILEC_TYPE_U16));
  EXPECT_EQ(launch.params[1].offset, 8u);
  ASSERT_EQ(launch.num_maps, 1u);
  EXPECT_EQ(launch.maps[0].rank, 3u);
}

TEST(KernelRecordTest, WithoutParametersThereIsAListOfThem) {
  KernelInfo kernel;
  RuntimeRecord made(kernel, LaunchNeeds());
  EXPECT_EQ(made.get().num_params, 0u);
  EXPECT_NE(made.get().params, nullptr) << "else they would not be known";
  EXPECT_EQ(made.get().num_ctas, 1u);
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
