//===- BulkCopyTest.cpp - Copies and stores of blocks -----------*- C++ -*-===//

#include "SimulatorTest.h"

#include <map>

using namespace tilec;
using namespace tilec::test;

namespace {

/// What the kernel's pointer shows: a place for the map, a tensor, and what threads have read.
struct alignas(128) Data {
  uint8_t map[128];
  uint32_t tensor[8][8];
  uint32_t read[64];
};

/// Two warps. The first 1024 bytes of `buffer` are for blocks, then comes a map, then, 1024 bytes
/// further, an mbarrier, at which one thread arrives.
const char *const kStart = R"(
    setp.eq.b32 %first, %tid.x, 0;
    setp.lt.u32 %firstWarp, %tid.x, 32;
    mov.b64 %base, buffer;
    @%first mbarrier.init.shared.b64 [%base+2048], 1;
    mul.wide.u32 %at, %tid.x, 4;
    add.s64 %mine, %base, %at;
    add.s64 %to, %p, %at;
    add.s64 %tensor, %p, 128;
)";

/// A field, with its axis where it has one, and the value it gets.
using Fields = std::map<std::string, std::string>;

/// A tensor of six rows of six words, a row each 32 bytes, in boxes of eight by eight.
Fields usualFields() {
  return {{"global_address", "%tensor"},
          {"rank", "1"},
          {"box_dim, 0", "8"},
          {"box_dim, 1", "8"},
          {"global_dim, 0", "6"},
          {"global_dim, 1", "6"},
          {"global_stride, 0", "32"},
          {"element_stride, 0", "1"},
          {"element_stride, 1", "1"},
          {"elemtype", "2"},
          {"interleave_layout", "0"},
          {"swizzle_mode", "1"},
          {"fill_mode", "0"}};
}

/// The usual fields but for those that `changed` names.
Fields fieldsWith(const Fields &changed) {
  Fields fields = usualFields();
  for (const auto &[field, value] : changed)
    fields[field] = value;
  return fields;
}

std::string compose(const Fields &fields) {
  std::string code = "@%firstWarp st.shared.b32 [%mine+1024], 0;\nbar.warp.sync -1;\n";
  for (const auto &[field, value] : fields) {
    std::string name = field.substr(0, field.find(',')), axis = field.substr(name.size());
    bool isWide = name == "global_address" || name == "global_stride";
    code += "@%first tensormap.replace.tile." + name + ".shared::cta.b1024." +
            (isWide ? "b64" : "b32") + " [%base+1024]" + axis + ", " + value + ";\n";
  }
  return code + "bar.warp.sync -1;\n";
}

/// Word by word.
const char *const kPublish = R"(
    @%firstWarp ld.shared.b32 %r, [%mine+1024];
    @%firstWarp st.global.b32 [%to], %r;
    fence.proxy.tensormap::generic.release.gpu;
    bar.warp.sync -1;
    fence.proxy.tensormap::generic.acquire.gpu [%p], 128;
)";
const char *const kPublishAtOnce = R"(
    @%firstWarp tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%p], [%base+1024], 128;
    fence.proxy.tensormap::generic.acquire.gpu [%p], 128;
)";
const char *const kBarrier = "bar.sync 0;\n";
const char *const kWait = "again: mbarrier.try_wait.parity.shared.b64 %done, [%base+2048], 0;\n"
                          "@!%done bra again;\n";
/// Each thread reads a word of the block: groups of 16 bytes are exchanged in every second 128.
const char *const kRead = R"(
    shr.b64 %group, %at, 3;
    and.b64 %group, %group, 16;
    xor.b64 %group, %group, %at;
    add.s64 %group, %group, %base;
    ld.shared.b32 %r, [%group];
    st.global.b32 [%to+384], %r;
)";

std::string announce(const std::string &bytes = "256") {
  return "@%first mbarrier.arrive.expect_tx.shared.b64 _, [%base+2048], " + bytes + ";\n";
}

std::string copy(const std::string &places = "0, 0", const std::string &target = "%base") {
  return "@%first cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
         "bytes [" +
         target + "], [%p, {" + places + "}], [%base+2048];\n";
}

Data newData() {
  Data data = {};
  for (uint32_t row = 0; row < 8; ++row)
    for (uint32_t column = 0; column < 8; ++column)
      data.tensor[row][column] = 100 * row + column + 1;
  return data;
}

/// Runs `code` behind a usual start.
std::string errorOf(const std::string &code, uint64_t seed = 0,
                    const Fields &fields = usualFields()) {
  Data data = newData();
  return simulate(kStart + compose(fields) + kPublish + code, &data, sizeof(data), 64, seed);
}

/// The error when a block is copied by a map with these fields changed.
std::string errorWith(const Fields &changed) {
  return errorOf(kBarrier + announce() + copy() + kWait + kRead, 0, fieldsWith(changed));
}

/// Copies the block at these places and compares with a tensor of so many rows and columns.
void checkBlock(int x, int y, const Fields &changed, int rows, int columns,
                const char *publish = kPublish) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Data data = newData();
    std::string places = std::to_string(x) + ", " + std::to_string(y);
    std::string code = kStart + compose(fieldsWith(changed)) + publish + kBarrier + announce() +
                       copy(places) + kWait + kRead;
    ASSERT_EQ(simulate(code, &data, sizeof(data), 64, seed), "");
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column) {
        int atRow = y + row, atColumn = x + column;
        bool isInside = atRow >= 0 && atRow < rows && atColumn >= 0 && atColumn < columns;
        EXPECT_EQ(data.read[8 * row + column], isInside ? data.tensor[atRow][atColumn] : 0)
            << "row " << row << " column " << column << " of the block at " << places;
      }
  }
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

#define EXPECT_HAS(text, part)                                                                     \
  do {                                                                                             \
    std::string found = text;                                                                      \
    EXPECT_TRUE(has(found, part)) << found;                                                        \
  } while (false)

TEST(BulkCopy, Lands) {
  checkBlock(0, 0, {}, 6, 6);
  checkBlock(0, 0, {}, 6, 6, kPublishAtOnce);
}

TEST(BulkCopy, FillsWithZerosOutsideOfTheTensor) {
  checkBlock(4, 2, {}, 6, 6);
  checkBlock(-4, 0, {}, 6, 6);
  checkBlock(0, -5, {}, 6, 6);
  checkBlock(-4, -7, {}, 6, 6);
  checkBlock(8, 0, {}, 6, 6);
  checkBlock(0, -1000000000, {}, 6, 6);
  checkBlock(1000000000, 1000000000, {}, 6, 6);
}

TEST(BulkCopy, KnowsEachField) {
  checkBlock(0, 0, {{"global_dim, 0", "3"}}, 6, 3);
  checkBlock(0, 0, {{"global_dim, 1", "1"}}, 1, 6);
  // The same bytes as halves; then from the second row on, and every second row.
  checkBlock(0, 0, {{"global_dim, 0", "12"}, {"elemtype", "1"}, {"box_dim, 0", "16"}}, 6, 6);
  Data data = newData();
  std::string code = "add.s64 %tensor, %tensor, 32;\n" +
                     compose(fieldsWith({{"global_stride, 0", "64"}, {"global_dim, 1", "3"}})) +
                     kPublish + kBarrier + announce() + copy() + kWait + kRead;
  ASSERT_EQ(simulate(kStart + code, &data, sizeof(data), 64), "");
  for (int row = 0; row < 8; ++row)
    EXPECT_EQ(data.read[8 * row], row < 3 ? data.tensor[1 + 2 * row][0] : 0);
  // Fewer rows in the box: what lies behind is not touched.
  EXPECT_EQ(errorOf(kBarrier + announce("128") + copy() + "add.s64 %mine, %mine, 256;\n" +
                        "st.shared.b32 [%mine], 1;\n" + kWait,
                    0, fieldsWith({{"box_dim, 1", "4"}})),
            "");
}

TEST(BulkCopy, LandsAtTheBarrierOnly) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::string start = kBarrier + announce() + copy();
    EXPECT_EQ(errorOf(start + kWait + kRead, seed), "");
    EXPECT_HAS(errorOf(start + kBarrier + kRead, seed), "reads what a copy on its way will write");
    EXPECT_HAS(errorOf(start + kBarrier + "st.shared.b32 [%mine], 7;\n", seed),
               "a copy on its way");
    // Nobody says what else is to come, and less than was announced comes.
    EXPECT_HAS(errorOf(kBarrier + announce("512") + copy() + kWait, seed),
               "waits at an mbarrier for arrivals that do not come");
    // Two copies make up for it.
    EXPECT_EQ(
        errorOf(kBarrier + announce("512") + copy() + copy("0, 0", "%base+256") + kWait + kRead,
                seed),
        "");
  }
}

TEST(BulkCopy, GoesByAnotherPathThanThreads) {
  std::string write = std::string("st.shared.b32 [%mine], 7;\n");
  std::string fence = "fence.proxy.async.shared::cta;\n";
  std::string copied = announce() + copy() + kWait + kRead;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(errorOf(write + fence + kBarrier + copied, seed), "");
    EXPECT_HAS(errorOf(write + kBarrier + copied, seed),
               "wrote without fence.proxy.async by the thread that wrote it, and then a barrier");
    EXPECT_HAS(errorOf(write + kBarrier + copied, seed), "has hardware overwrite");
    // By the one who starts the copy it is of no use.
    EXPECT_NE(errorOf(write + kBarrier + "@%first " + fence + copied, seed), "");
    // Others may still read what is overwritten.
    std::string read = "ld.shared.b32 %r, [%mine];\n";
    EXPECT_EQ(errorOf(write + kBarrier + read + fence + kBarrier + copied, seed), "");
  }
  EXPECT_NE(errorOf(kBarrier + write + fence + copied), "");
}

TEST(BulkCopy, RefusesMapsThatHardwareDoesNotTake) {
  EXPECT_EQ(errorWith({}), "");
  for (const Fields &form :
       {Fields{{"elemtype", "13"}}, Fields{{"interleave_layout", "1"}}, Fields{{"fill_mode", "1"}}})
    EXPECT_HAS(errorWith(form),
               "copies by a tensor map of a form that the simulator does not know");
  EXPECT_HAS(errorWith({{"rank", "2"}}), "copies by a tensor map of 3 axes");
  for (const Fields &sizes : {Fields{{"box_dim, 1", "0"}}, Fields{{"box_dim, 1", "257"}},
                              Fields{{"global_dim, 1", "0"}}, Fields{{"element_stride, 1", "2"}}})
    EXPECT_HAS(errorWith(sizes), "copies by a tensor map whose sizes are out of range");
  EXPECT_HAS(errorWith({{"global_stride, 0", "24"}}),
             "copies by a tensor map whose strides are out of range");
  for (const Fields &lines :
       {Fields{{"swizzle_mode", "0"}}, Fields{{"swizzle_mode", "2"}}, Fields{{"box_dim, 0", "4"}}})
    EXPECT_HAS(errorWith(lines),
               "copies by a tensor map whose lines are not those of its swizzle mode");
  std::string start = kBarrier + announce() + copy();
  Data data = newData();
  EXPECT_HAS(simulate(kStart + std::string("add.s64 %tensor, %tensor, 8;\n") +
                          compose(usualFields()) + kPublish + start,
                      &data, sizeof(data), 64),
             "copies by a tensor map whose address is not aligned");
  EXPECT_HAS(errorOf("@%first tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%base+1024], "
                     "5, 1;\n"),
             "names an axis that a tensor map does not have");
}

/// A kernel with a further parameter, `map`.
std::string kernelWithMap(const std::string &code) {
  std::string text = kernelOf("mov.b64 %q, map;\ncvta.param.u64 %map, %q;\n" + code);
  text.insert(text.find(")"), ", .param .align 64 .b8 map[128]");
  return text;
}

/// Runs it with `map` as the parameter.
std::string errorWithMap(const std::string &code, const SimulatedTensorMap &map, Data &data) {
  auto kernel = SimulatedKernel::load(kernelWithMap(code), "kernel");
  if (!kernel)
    return llvm::toString(kernel.takeError());
  uint64_t arguments[] = {reinterpret_cast<uintptr_t>(&data)};
  MemoryRange memory[] = {{&data, sizeof(data)}};
  SimulatedLaunch launch;
  launch.block[0] = 64;
  launch.arguments = arguments;
  launch.maps = map;
  launch.memory = memory;
  return llvm::toString((*kernel)->run(launch));
}

/// The usual fields.
SimulatedTensorMap mapOf(Data &data) {
  SimulatedTensorMap map;
  map.address = reinterpret_cast<uintptr_t>(data.tensor);
  map.rank = 2;
  map.elementBytes = 4;
  map.swizzle = 1;
  map.sizes = {6, 6};
  map.strides = {32};
  map.box = {8, 8};
  return map;
}

/// Copies the block by the parameter.
std::string copyByParameter() {
  std::string start = copy();
  start.replace(start.find("%p"), 2, "%map");
  return kStart + std::string(kBarrier) + announce() + start + kWait + kRead;
}

TEST(BulkCopy, TakesMapsOfTheLaunch) {
  Data data = newData();
  ASSERT_EQ(errorWithMap(copyByParameter(), mapOf(data), data), "");
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column)
      EXPECT_EQ(data.read[8 * row + column], row < 6 && column < 6 ? data.tensor[row][column] : 0);
}

TEST(BulkCopy, RefusesMapsOfTheLaunchThatHardwareDoesNotTake) {
  Data data = newData();
  auto errorOfMap = [&](auto change) {
    SimulatedTensorMap map = mapOf(data);
    change(map);
    return errorWithMap(copyByParameter(), map, data);
  };
  EXPECT_HAS(errorOfMap([](SimulatedTensorMap &map) { map.elementBytes = 3; }),
             "of a form that the simulator does not know");
  EXPECT_HAS(errorOfMap([](SimulatedTensorMap &map) { map.rank = 3; }), "of 3 axes");
  EXPECT_HAS(errorOfMap([](SimulatedTensorMap &map) { map.sizes[1] = 0; }),
             "sizes are out of range");
  EXPECT_HAS(errorOfMap([](SimulatedTensorMap &map) { map.strides[0] = 24; }),
             "strides are out of range");
  EXPECT_HAS(errorOfMap([](SimulatedTensorMap &map) { map.address += 8; }),
             "whose address is not aligned");
}

TEST(BulkCopy, MapsOfTheLaunchAreOpaque) {
  Data data = newData();
  SimulatedTensorMap map = mapOf(data);
  EXPECT_HAS(errorWithMap("ld.param.b64 %r, [map];\n", map, data),
             "reads a tensor map, which is opaque");
  EXPECT_HAS(errorWithMap("ld.b64 %r, [%map];\n", map, data),
             "accesses memory that it was not given");
  EXPECT_HAS(errorWithMap("st.b64 [%map], 0;\n", map, data),
             "accesses memory that it was not given");
  EXPECT_EQ(errorWithMap("prefetch.tensormap [%map];\n", map, data), "");
  EXPECT_HAS(errorWithMap("mov.b64 %q, 0;\nprefetch.tensormap [%q];\n", map, data),
             "accesses memory that it was not given");
  // Only its own first byte is a map.
  std::string beside = copyByParameter();
  beside.replace(beside.find("[%map,"), 6, "[%map+64,");
  EXPECT_NE(errorWithMap(beside, map, data), "");
  auto kernel = SimulatedKernel::load(kernelWithMap(""), "kernel");
  ASSERT_TRUE(bool(kernel));
  uint64_t arguments[] = {0};
  SimulatedLaunch launch;
  launch.arguments = arguments;
  EXPECT_EQ(llvm::toString((*kernel)->run(launch)), "the kernel takes 1 tensor maps, found 0");
}

TEST(BulkCopy, Misuse) {
  EXPECT_HAS(errorOf(kBarrier + announce() + copy("0, 0", "%base+128")),
             "copies to an address that is not aligned for its swizzle mode");
  EXPECT_HAS(errorOf(kBarrier + announce() + copy("1, 0")),
             "copies from a place in its lines that is not aligned");
  EXPECT_HAS(
      errorOf(kBarrier + announce() + copy("0, 32"), 0, fieldsWith({{"global_dim, 1", "100"}})),
      "copies from memory that it was not given, at 0x");
  EXPECT_HAS(errorOf(kBarrier + announce() + announce()),
             "arrives at an mbarrier that expects fewer");
  std::string text = copy();
  EXPECT_HAS(errorOf(text.replace(text.find('{'), 1, "")), "expected '{'");
  text = copy();
  EXPECT_HAS(errorOf(text.replace(text.find('}'), 1, "")), "expected the end of the list");
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Each thread writes a word of the block, its number, where reads would find it.
const char *const kWrite = R"(
    shr.b64 %group, %at, 3;
    and.b64 %group, %group, 16;
    xor.b64 %group, %group, %at;
    add.s64 %group, %group, %base;
    mov.b32 %r, %tid.x;
    add.s32 %r, %r, 1000;
    st.shared.b32 [%group], %r;
)";
const char *const kFence = "fence.proxy.async.shared::cta;\n";
const char *const kWritten = "fence.proxy.async.shared::cta;\nbar.sync 0;\n";
const char *const kCommit = "@%first cp.async.bulk.commit_group;\n";
const char *const kRelease = "cp.async.bulk.wait_group.read 0;\n";

std::string store(const std::string &places = "0, 0", const std::string &source = "%base") {
  return "@%first cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%p, {" + places +
         "}], [" + source + "];\n";
}

TEST(BulkStore, StoresGroupsThatBeginInsideOfTheTensor) {
  for (auto [x, y] : {std::pair(0, 0), {4, 2}, {-4, 0}, {0, -5}, {8, 0}, {0, -1000000000}}) {
    Data data = newData(), before = data;
    std::string places = std::to_string(x) + ", " + std::to_string(y);
    std::string code = kStart + compose(usualFields()) + kPublish + kWrite + kWritten +
                       store(places) + kCommit + kRelease;
    ASSERT_EQ(simulate(code, &data, sizeof(data), 64), "");
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column) {
        int fromRow = row - y, fromColumn = column - x;
        // Of 16 bytes all are written, though the tensor has 6 columns.
        bool isStored = row < 6 && column / 4 * 4 < 6 && fromRow >= 0 && fromRow < 8 &&
                        fromColumn >= 0 && fromColumn < 8;
        EXPECT_EQ(data.tensor[row][column],
                  isStored ? uint32_t(1000 + 8 * fromRow + fromColumn) : before.tensor[row][column])
            << "row " << row << " column " << column << " of the block at " << places;
      }
  }
}

TEST(BulkStore, ReadsByAnotherPathThanThreads) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::string stored = store() + kCommit + kRelease;
    EXPECT_EQ(errorOf(kWrite + std::string(kWritten) + stored, seed), "");
    EXPECT_HAS(errorOf(kWrite + std::string(kBarrier) + stored, seed),
               "wrote without fence.proxy.async by the thread that wrote it, and then a barrier");
    EXPECT_NE(errorOf(kWrite + std::string(kFence) + stored, seed), "");
  }
}

TEST(BulkStore, ReadsUntilItsThreadHasWaited) {
  std::string start = kWrite + std::string(kWritten) + store();
  std::string again = "st.shared.b32 [%group], 7;\n";
  const char *const reads = "writes what the cp.async.bulk.tensor of line ";
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(errorOf(start + kCommit + kRelease + kBarrier + again, seed), "");
    // The wait is one of its thread alone, and of groups.
    EXPECT_NE(errorOf(start + kCommit + kRelease + again, seed), "");
    EXPECT_HAS(errorOf(start + kCommit + kBarrier + again + kRelease, seed), reads);
    EXPECT_HAS(errorOf(start + kRelease + kBarrier + again, seed), reads);
    EXPECT_HAS(
        errorOf(start + kCommit + "cp.async.bulk.wait_group.read 1;\n" + kBarrier + again, seed),
        reads);
    EXPECT_HAS(errorOf(start + kCommit, seed), "ends while the cp.async.bulk.tensor of line ");
    EXPECT_HAS(errorOf(start + kRelease, seed), "ends while the cp.async.bulk.tensor of line ");
  }
}

TEST(BulkStore, ComesToMemoryLate) {
  std::string start = kWrite + std::string(kWritten) + store() + kCommit;
  std::string look = "bar.sync 0;\n@%first ld.global.b32 %r, [%tensor];\n"
                     "@%first st.global.b32 [%to+384], %r;\n";
  auto found = [&](const std::string &wait) {
    Data data = newData();
    EXPECT_EQ(simulate(kStart + compose(usualFields()) + kPublish + start + wait + look, &data,
                       sizeof(data), 64),
              "");
    EXPECT_EQ(data.tensor[0][0], 1000u);
    return data.read[0];
  };
  EXPECT_EQ(found(kRelease), 1u);
  EXPECT_EQ(found("cp.async.bulk.wait_group 0;\n"), 1000u);
}

TEST(BulkStore, RefusesWhatHardwareDoesNotTake) {
  std::string end = kCommit + std::string(kRelease);
  std::string start = kWrite + std::string(kWritten);
  EXPECT_HAS(errorOf(start + store("0, 0", "%base+128") + end),
             "address that is not aligned for its swizzle mode");
  EXPECT_HAS(errorOf(start + store("2, 0") + end), "from a place in its lines that is not aligned");
  EXPECT_HAS(errorOf(start + store() + end, 0, fieldsWith({{"rank", "2"}})), "of 3 axes");
  EXPECT_HAS(errorOf(start + store() + end, 0, fieldsWith({{"global_address", "1024"}})),
             "stores to memory that it was not given");
}

} // namespace
