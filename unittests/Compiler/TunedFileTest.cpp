//===- TunedFileTest.cpp - Measured configurations in a file ----*- C++ -*-===//

#include "tilec/Compiler/TunedFile.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace tilec;

namespace {

class TunedFileTest : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> name;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tuned", "json", name));
    path = name.str().str();
    llvm::sys::fs::remove(path);
  }
  void TearDown() override { llvm::sys::fs::remove(path); }

  void write(llvm::StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << text;
  }
  std::string readError() {
    llvm::Expected<TunedFile> file = TunedFile::read(path);
    EXPECT_FALSE(file);
    return file ? "" : llvm::toString(file.takeError());
  }

  std::string path;
};

TunedEntry makeEntry(const char *kernel, std::vector<TunedEntry::Time> times) {
  TunedEntry entry;
  entry.key = {kernel, "12ab", "NVIDIA H200", "sm_90", "x=*fp32, n=i32", {{"n", "4096"}}};
  entry.times = std::move(times);
  return entry;
}

TuneConfig makeConfig(int64_t block) {
  TuneConfig config;
  config.values.push_back({"BLOCK", ConstValue::integer(block), {}});
  return config;
}

} // namespace

TEST_F(TunedFileTest, KeepsEntries) {
  llvm::Expected<TunedFile> none = TunedFile::read(path);
  ASSERT_TRUE(bool(none)) << llvm::toString(none.takeError());
  EXPECT_TRUE(none->entries().empty());
  TunedFile file;
  file.add(makeEntry("k", {{"BLOCK=64", 12.5}, {"BLOCK=128", std::nullopt}}));
  file.add(makeEntry("other \"kernel\"", {}));
  ASSERT_FALSE(bool(file.write(path)));
  llvm::Expected<TunedFile> back = TunedFile::read(path);
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  ASSERT_EQ(back->entries().size(), 2u);
  const TunedEntry *entry = back->find(makeEntry("k", {}).key);
  ASSERT_TRUE(entry);
  ASSERT_TRUE(entry->find("BLOCK=64"));
  EXPECT_EQ(entry->find("BLOCK=64")->microseconds, 12.5);
  EXPECT_EQ(entry->find("BLOCK=128")->microseconds, std::nullopt);
  EXPECT_FALSE(entry->find("BLOCK=256"));
  TunedKey key = entry->key;
  key.values[0].second = "4097";
  EXPECT_FALSE(back->find(key));
}

/// Two processes that write the same file lose nothing.
TEST_F(TunedFileTest, WritingMerges) {
  TunedFile one, two;
  one.add(makeEntry("k", {{"BLOCK=64", 10.0}, {"BLOCK=128", 20.0}}));
  two.add(makeEntry("k", {{"BLOCK=128", 5.0}, {"BLOCK=256", 7.0}}));
  two.add(makeEntry("l", {}));
  ASSERT_FALSE(bool(one.write(path)));
  ASSERT_FALSE(bool(two.write(path)));
  TunedFile both = llvm::cantFail(TunedFile::read(path));
  EXPECT_EQ(both.entries().size(), 2u);
  const TunedEntry *entry = both.find(makeEntry("k", {}).key);
  EXPECT_EQ(entry->find("BLOCK=64")->microseconds, 10.0);
  EXPECT_EQ(entry->find("BLOCK=128")->microseconds, 5.0);
  EXPECT_EQ(entry->find("BLOCK=256")->microseconds, 7.0);
}

TEST_F(TunedFileTest, TheFastestOfThoseThatAreThere) {
  TunedEntry entry = makeEntry(
      "k", {{"BLOCK=64", 3.0}, {"BLOCK=128", 1.0}, {"BLOCK=256", std::nullopt}, {"BLOCK=32", 2.0}});
  std::vector<TuneConfig> configs = {makeConfig(64), makeConfig(256), makeConfig(32),
                                     makeConfig(512)};
  EXPECT_EQ(fastestConfig(entry, configs), &configs[2]) << "128 is no longer a configuration";
  configs = {makeConfig(256), makeConfig(512)};
  EXPECT_EQ(fastestConfig(entry, configs), nullptr);
}

TEST_F(TunedFileTest, SaysWhatIsWrong) {
  auto expect = [&](llvm::StringRef text, llvm::StringRef message) {
    write(text);
    std::string error = readError();
    EXPECT_NE(error.find(message.str()), std::string::npos) << text.str() << "\n" << error;
    EXPECT_NE(error.find(path), std::string::npos);
    // What cannot be read is not overwritten.
    TunedFile file;
    EXPECT_TRUE(bool(llvm::Error(file.write(path))));
  };
  expect("{", "Expected object key");
  expect("[]", "expected an object with \"tilec_tuned\": 1");
  expect("{\"tilec_tuned\": 2, \"entries\": []}", "expected an object with \"tilec_tuned\": 1");
  expect("{\"tilec_tuned\": 1}", "expected a list at (root).entries");
  expect("{\"tilec_tuned\": 1, \"entries\": [{}]}", "expected text at (root).entries[0].kernel");
  std::string start = "{\"tilec_tuned\": 1, \"entries\": [{\"kernel\": \"k\", \"source\": \"s\", "
                      "\"device\": \"d\", \"arch\": \"a\", \"types\": \"t\", ";
  expect(start + "\"key\": [], \"times\": 1}]}", "expected a list");
  expect(start + "\"key\": [[\"n\"]], \"times\": []}]}", "expected [name, value]");
  expect(start + "\"key\": [], \"times\": [{\"config\": \"c\"}]}]}",
         "expected {\"config\": text, \"us\": number or null}");
}
