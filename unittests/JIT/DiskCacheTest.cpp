//===- DiskCacheTest.cpp - Kernels on disk ----------------------*- C++ -*-===//

#include "tilec/JIT/DiskCache.h"
#include "LibraryTest.h"

#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilec;

namespace {

/// A folder of its own for each test, deleted at its end.
class DiskCacheTest : public ::testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/tilec-cache-XXXXXX";
    ASSERT_TRUE(mkdtemp(name));
    folder = name;
  }
  void TearDown() override {
    chmod(folder.c_str(), 0700);
    for (const std::string &name : files())
      unlink((folder + "/" + name).c_str());
    rmdir(folder.c_str());
  }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    if (DIR *list = opendir(folder.c_str())) {
      while (dirent *entry = readdir(list))
        if (entry->d_name[0] != '.')
          names.push_back(entry->d_name);
      closedir(list);
    }
    return names;
  }
  std::string onlyFile() const {
    std::vector<std::string> names = files();
    EXPECT_EQ(names.size(), 1u);
    return folder + "/" + names.front();
  }
  std::string read(const std::string &path) const {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void write(const std::string &path, const std::string &text) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  }

  jit::Compiler compilerWithCache(bool readOnly = false, uint64_t bytes = 0) const {
    jit::Options options;
    options.cache = folder;
    options.cacheReadOnly = readOnly;
    options.cacheBytes = bytes;
    return hostCompiler(options);
  }
  /// Runs a kernel and checks its result.
  void runWith(const jit::Compiler &compiler, int block = 16) const {
    auto kernel = getKernel<void(float *, const float *, float, int)>(compiler, scaleText, "scale",
                                                                      {{"BLOCK", block}});
    alignas(16) float x[16], y[16] = {};
    std::fill(std::begin(x), std::end(x), 3.0f);
    Status status = kernel.launch(Grid(1), y, x, 2.0f, 16);
    ASSERT_TRUE(status) << status.message();
    for (float value : y)
      ASSERT_EQ(value, 6.0f);
  }

  std::string folder;
};

} // namespace

TEST_F(DiskCacheTest, AnotherProcessFindsTheCode) {
  jit::Compiler first = compilerWithCache();
  runWith(first);
  EXPECT_EQ(first.counts().disk_misses, 1u);
  EXPECT_EQ(first.counts().disk_writes, 1u);
  jit::Compiler second = compilerWithCache();
  runWith(second);
  EXPECT_EQ(second.counts().disk_hits, 1u);
  EXPECT_EQ(second.counts().compilations, 0u);
  runWith(second, 32);
  EXPECT_EQ(second.counts().compilations, 1u);
}

/// Code for a GPU that is not there, so that no driver is needed.
TEST_F(DiskCacheTest, KeepsCodeForGpus) {
  auto code = [&](tilec_jit_counts &counts) {
    jit::Options options;
    options.target = TILEC_JIT_CUDA;
    options.arch = "sm_90";
    options.cache = folder;
    auto compiler = jit::Compiler::create(options);
    EXPECT_TRUE(compiler);
    auto kernel = getKernel<void(float *, const float *, float, int)>(*compiler, scaleText, "scale",
                                                                      {{"BLOCK", 128}});
    auto text = kernel.code(nullptr, nullptr, 1.0f, 5);
    EXPECT_TRUE(text) << text.error().message();
    counts = compiler->counts();
    return *text;
  };
  tilec_jit_counts first, second;
  std::string cold = code(first), warm = code(second);
  EXPECT_EQ(cold, warm);
  EXPECT_EQ(first.compilations, 1u);
  EXPECT_EQ(second.compilations, 0u);
  EXPECT_EQ(second.disk_hits, 1u);
}

TEST_F(DiskCacheTest, DamagedEntriesAreMisses) {
  runWith(compilerWithCache());
  std::string path = onlyFile(), sound = read(path);
  std::vector<std::string> damaged = {"", "x", sound.substr(0, 20),
                                      sound.substr(0, sound.size() - 1), sound + "x"};
  for (size_t at : {size_t(0), size_t(9), size_t(45), sound.size() / 2, sound.size() - 1}) {
    damaged.push_back(sound);
    damaged.back()[at] ^= 0x10;
  }
  for (const std::string &text : damaged) {
    write(path, text);
    jit::Compiler compiler = compilerWithCache();
    runWith(compiler);
    EXPECT_EQ(compiler.counts().disk_hits, 0u);
    EXPECT_EQ(compiler.counts().disk_damaged, 1u);
    EXPECT_EQ(compiler.counts().compilations, 1u);
    EXPECT_EQ(read(path), sound) << "the entry is written again";
  }
}

/// An entry of a sound file under another key must not be taken.
TEST_F(DiskCacheTest, EntriesBelongToTheirKey) {
  DiskCache cache(folder, 1 << 20);
  cache.store("aa", "text");
  ASSERT_EQ(rename((folder + "/aa.tilec").c_str(), (folder + "/bb.tilec").c_str()), 0);
  EXPECT_FALSE(cache.find("bb"));
  EXPECT_EQ(cache.counts().damaged, 1u);
}

TEST_F(DiskCacheTest, EntriesThatOthersMayWriteAreNotTrusted) {
  runWith(compilerWithCache());
  ASSERT_EQ(chmod(onlyFile().c_str(), 0666), 0);
  jit::Compiler compiler = compilerWithCache();
  runWith(compiler);
  EXPECT_EQ(compiler.counts().disk_hits, 0u);
}

TEST_F(DiskCacheTest, ReadOnlyCachesAreOnlyRead) {
  jit::Compiler reader = compilerWithCache(/*readOnly=*/true);
  runWith(reader);
  EXPECT_TRUE(files().empty());
  runWith(compilerWithCache());
  jit::Compiler second = compilerWithCache(/*readOnly=*/true);
  runWith(second);
  EXPECT_EQ(second.counts().disk_hits, 1u);
  write(onlyFile(), "damaged");
  runWith(compilerWithCache(/*readOnly=*/true));
  EXPECT_EQ(read(onlyFile()), "damaged");
}

/// A folder that cannot be written costs the cache, not the launch.
TEST_F(DiskCacheTest, UnwritableFoldersDoNoHarm) {
  ASSERT_EQ(chmod(folder.c_str(), 0500), 0);
  jit::Compiler compiler = compilerWithCache();
  runWith(compiler);
  if (geteuid() != 0) { // Permissions do not bind root.
    EXPECT_EQ(compiler.counts().disk_failures, 1u);
  }
  chmod(folder.c_str(), 0700);
  write(folder + "/file", "");
  jit::Options options;
  options.cache = folder + "/file/below";
  jit::Compiler below = hostCompiler(options);
  runWith(below);
  EXPECT_EQ(below.counts().disk_failures, 1u);
  EXPECT_EQ(below.counts().disk_misses, 1u);
}

TEST_F(DiskCacheTest, TheOldestGoFirst) {
  DiskCache cache(folder, 1000);
  auto age = [&](const char *key, int seconds) {
    timespec times[2] = {};
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    utimensat(AT_FDCWD, (folder + "/" + key + ".tilec").c_str(), times, 0);
  };
  const std::string bytes(200, 'x'); // 240 with magic and checksum.
  for (const char *key : {"a", "b", "c", "d"})
    cache.store(key, bytes);
  age("a", 400);
  age("b", 300);
  age("c", 200);
  age("d", 100);
  EXPECT_TRUE(cache.find("a")); // Now it is the youngest.
  cache.store("e", bytes);
  EXPECT_FALSE(cache.find("b"));
  EXPECT_FALSE(cache.find("c"));
  EXPECT_TRUE(cache.find("a"));
  EXPECT_TRUE(cache.find("d"));
  EXPECT_TRUE(cache.find("e"));
  EXPECT_EQ(cache.counts().evicted, 2u);
  cache.store("large", std::string(2000, 'x'));
  EXPECT_FALSE(cache.find("large")) << "what is beyond the limit alone is not kept";
  // What a writer left aside that died long ago.
  write(folder + "/writing-1-2-old", "x");
  timespec times[2] = {};
  utimensat(AT_FDCWD, (folder + "/writing-1-2-old").c_str(), times, 0);
  write(folder + "/writing-1-2-new", "x");
  DiskCache again(folder, 1000);
  again.store("f", "y");
  EXPECT_NE(access((folder + "/writing-1-2-old").c_str(), F_OK), 0);
  EXPECT_EQ(access((folder + "/writing-1-2-new").c_str(), F_OK), 0);
}

/// A process that is killed while it writes leaves nothing that is taken for an entry.
TEST_F(DiskCacheTest, KillingAWriterDoesNoHarm) {
  const std::string bytes(3 << 20, 'x');
  for (int round = 0; round < 20; ++round) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      DiskCache cache(folder, uint64_t(1) << 30);
      for (;;)
        cache.store("key", bytes + "end");
    }
    usleep(useconds_t(500 * round));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    DiskCache cache(folder, uint64_t(1) << 30);
    std::optional<std::string> found = cache.find("key");
    if (found) {
      EXPECT_EQ(*found, bytes + "end");
    }
    EXPECT_EQ(cache.counts().damaged, 0u) << "an entry appears whole or not at all";
  }
  DiskCache cache(folder, uint64_t(1) << 30);
  cache.store("key", "new");
  EXPECT_EQ(cache.find("key"), std::optional<std::string>("new"));
}

TEST_F(DiskCacheTest, ThreadsAndObjectsShareAFolder) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 8; ++seed)
    threads.emplace_back([&, seed] {
      DiskCache cache(folder, 20000);
      for (int step = 0; step < 60; ++step) {
        std::string key = "k" + std::to_string((seed + step) % 12);
        std::string bytes(2000, key.back());
        cache.store(key, bytes);
        std::optional<std::string> found = cache.find(key);
        wrong += found && *found != bytes; // Another may have evicted it.
      }
      wrong += int(cache.counts().damaged);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(DiskCacheTest, TheUsersFolder) {
  setenv("TILEC_CACHE_DIR", "/a", 1);
  setenv("XDG_CACHE_HOME", "/b", 1);
  setenv("HOME", "/c", 1);
  EXPECT_EQ(jit::userCache(), "/a");
  unsetenv("TILEC_CACHE_DIR");
  EXPECT_EQ(jit::userCache(), "/b/tilec");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(jit::userCache(), "/c/.cache/tilec");
  unsetenv("HOME");
  EXPECT_EQ(jit::userCache(), "");
}
