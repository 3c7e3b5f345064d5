//===- LibraryImportsTest.cpp - Imported files and caches -------*- C++ -*-===//

#include "LibraryTest.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <fstream>
#include <thread>

using namespace tilec;

namespace {

/// A folder with a kernel file that imports its value, and the lib/ for it.
class LibraryImportsTest : public testing::Test {
protected:
  LibraryImportsTest() {
    llvm::SmallString<128> path;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("tilec-library", path));
    root = path.str().str();
    EXPECT_FALSE(llvm::sys::fs::create_directory(root + "/lib"));
    write("main.py", kernelText("from values import value\n\n@triton.jit\ndef put(out):\n"
                                "    tl.store(out, value())\n"));
    writeValue("lib/values.py", 1);
  }
  ~LibraryImportsTest() override { llvm::sys::fs::remove_directories(root); }

  void write(const std::string &path, const std::string &text) {
    std::ofstream(root + "/" + path) << text;
  }
  void writeValue(const std::string &path, int number) {
    write(path,
          kernelText("\n@triton.jit\ndef value():\n    return " + std::to_string(number) + "\n"));
  }
  jit::Compiler compiler(bool withCache = false) {
    jit::Options options;
    options.importPaths = {root + "/lib"};
    if (withCache)
      options.cache = root + "/cache";
    return hostCompiler(options);
  }
  /// What the kernel stores when the file is opened now.
  int run(const jit::Compiler &compiler) {
    int out = -1;
    Status status = launch(compiler, out);
    EXPECT_TRUE(status) << status.message();
    return out;
  }
  Status launch(const jit::Compiler &compiler, int &out) {
    auto module = compiler.compileFile(root + "/main.py");
    if (!module)
      return module.error();
    auto kernel = module->kernel<void(int *)>("put");
    return kernel ? kernel->launch(Grid(1), &out) : kernel.error();
  }

  std::string root;
};

TEST_F(LibraryImportsTest, EachOpeningSeesTheFilesOfItsTime) {
  jit::Compiler compiler = this->compiler();
  auto module = compiler.compileFile(root + "/main.py");
  ASSERT_TRUE(module) << module.error().message();
  auto kernel = module->kernel<void(int *)>("put");
  ASSERT_TRUE(kernel) << kernel.error().message();
  int out = 0;
  ASSERT_TRUE(kernel->launch(Grid(1), &out));
  EXPECT_EQ(out, 1);
  writeValue("lib/values.py", 2);
  EXPECT_EQ(run(compiler), 2);
  ASSERT_TRUE(kernel->launch(Grid(1), &out));
  EXPECT_EQ(out, 1) << "what was opened before stays";
  EXPECT_EQ(compiler.counts().compilations, 2u);
  // As it was once: found in memory.
  writeValue("lib/values.py", 1);
  EXPECT_EQ(run(compiler), 1);
  EXPECT_EQ(compiler.counts().compilations, 2u);
  // A file that was not there is found first now.
  writeValue("values.py", 3);
  EXPECT_EQ(run(compiler), 3);
}

TEST_F(LibraryImportsTest, TheDiskCacheLooksAtImportedFiles) {
  EXPECT_EQ(run(compiler(true)), 1);
  jit::Compiler second = compiler(true);
  EXPECT_EQ(run(second), 1);
  EXPECT_EQ(second.counts().disk_hits, 1u);
  EXPECT_EQ(second.counts().compilations, 0u);
  writeValue("lib/values.py", 4);
  jit::Compiler third = compiler(true);
  EXPECT_EQ(run(third), 4);
  EXPECT_EQ(third.counts().disk_hits, 0u);
  EXPECT_EQ(third.counts().disk_misses, 1u);
  EXPECT_EQ(third.counts().disk_damaged, 0u);
  jit::Compiler fourth = compiler(true);
  EXPECT_EQ(run(fourth), 4);
  EXPECT_EQ(fourth.counts().disk_hits, 1u);
  ASSERT_FALSE(llvm::sys::fs::remove(root + "/lib/values.py"));
  int out = 0;
  expectError(launch(compiler(true), out), TILEC_JIT_ERROR_COMPILE,
              "cannot call 'value' of the module 'values' in a kernel");
}

TEST_F(LibraryImportsTest, ErrorsAreThoseOfTheFilesOfTheirTime) {
  jit::Compiler compiler = this->compiler();
  write("lib/values.py", kernelText("\n@triton.jit\ndef value():\n    return = 1\n"));
  int out = 0;
  for (int round = 0; round < 2; ++round)
    expectError(launch(compiler, out), TILEC_JIT_ERROR_COMPILE, "values.py:6:12: error:");
  EXPECT_EQ(compiler.counts().compilations, 1u) << "the error is remembered";
  writeValue("lib/values.py", 5);
  EXPECT_EQ(run(compiler), 5);
}

TEST_F(LibraryImportsTest, TextImportsFromTheGivenFoldersOnly) {
  writeValue("near.py", 1);
  const char *const text = "from values import value\n@triton.jit\ndef put(out):\n"
                           "    tl.store(out, value())\n";
  jit::Compiler compiler = this->compiler();
  int out = 0;
  auto kernel = getKernel<void(int *)>(compiler, text, "put");
  EXPECT_TRUE(kernel.launch(Grid(1), &out));
  EXPECT_EQ(out, 1);
  auto alone = getKernel<void(int *)>(hostCompiler(), text, "put");
  expectError(alone.launch(Grid(1), &out), TILEC_JIT_ERROR_COMPILE,
              "there is no file of that module");
}

TEST_F(LibraryImportsTest, ImportPathsMustBeFolders) {
  jit::Options options;
  options.target = TILEC_JIT_CPU;
  options.importPaths = {root + "/none"};
  expectError(jit::Compiler::create(options), TILEC_JIT_ERROR_FILE, "/none' is no folder");
  options.importPaths = {root + "/main.py"};
  expectError(jit::Compiler::create(options), TILEC_JIT_ERROR_FILE, "/main.py' is no folder");
  tilec_jit_options c{};
  c.struct_size = sizeof(c);
  c.target = TILEC_JIT_CPU;
  c.num_import_paths = 1;
  tilec_jit_compiler *compiler = nullptr;
  expectError(jit::toStatus(tilec_jit_compiler_create(&c, &compiler)), TILEC_ERROR_INVALID_ARGUMENT,
              "import_paths is null");
}

TEST_F(LibraryImportsTest, ImportedKernelsAreAskedForInTheirFile) {
  auto module = compiler().compileFile(root + "/main.py");
  ASSERT_TRUE(module) << module.error().message();
  expectError(module->kernel<void(int *)>("value"), TILEC_JIT_ERROR_COMPILE,
              "it is imported from 'values': compile that file");
}

TEST_F(LibraryImportsTest, ThreadsShareWhatIsRead) {
  jit::Compiler compiler = this->compiler();
  auto module = compiler.compileFile(root + "/main.py");
  ASSERT_TRUE(module) << module.error().message();
  std::vector<std::thread> threads;
  std::vector<int> results(8, -1);
  for (size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&, i] {
      jit::KernelOptions options;
      options.numWarps = 1u << i % 4; // Four variants.
      auto kernel = module->kernel<void(int *)>("put", options);
      if (kernel && kernel->launch(Grid(1), &results[i]))
        return;
      results[i] = -2;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(results, std::vector<int>(8, 1));
  EXPECT_EQ(compiler.counts().compilations, 4u);
}

} // namespace
