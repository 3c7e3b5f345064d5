//===- PtxasTest.cpp - Tests of running CUDA's tools ------------*- C++ -*-===//
//
// Most tests run shell scripts that stand in for ptxas, so they need no CUDA. The rest are skipped
// where the real ptxas is absent.
//
//===----------------------------------------------------------------------===//

#include "tilec/Target/Ptxas.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace tilec;
using llvm::StringRef;

namespace {

/// A folder of its own for each test, whose name has spaces and quotes in it.
class PtxasTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tilec ptxas 'test' \"$HOME\"", path));
    folder = std::string(path);
    places.environment = [this](StringRef name) -> std::optional<std::string> {
      auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    places.toolkitParent = folder + "/usr/local";
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  /// Writes an executable shell script and returns its path.
  std::string script(const std::string &name, StringRef body) {
    std::string path = folder + "/" + name;
    EXPECT_FALSE(llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)));
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << "#!/bin/sh\n" << body;
    EXPECT_FALSE(error);
    EXPECT_FALSE(llvm::sys::fs::setPermissions(path, llvm::sys::fs::perms(0755)));
    return path;
  }

  /// A ptxas that says it is of \p release and otherwise does \p body.
  std::string fakePtxas(StringRef release, StringRef body) {
    return script("bin/ptxas", ("if [ \"$1\" = --version ]; then\n"
                                "  echo 'Cuda compilation tools, release " +
                                release + ", V0'\n  exit 0\nfi\n" + body)
                                   .str());
  }

  AssembleOptions with(const std::string &ptxas, StringRef arch = "sm_90") {
    AssembleOptions options(llvm::cantFail(GpuArch::parse(arch)));
    options.ptxasPath = ptxas;
    return options;
  }

  std::string folder;
  llvm::StringMap<std::string> variables;
  ToolPlaces places;
};

std::string messageOf(llvm::Error error) { return llvm::toString(std::move(error)); }

/// The path in "the PTX is kept in PATH".
std::string keptFile(StringRef message) {
  return message.split("the PTX is kept in ").second.split('\n').first.str();
}

void removeKept(StringRef message) {
  llvm::sys::fs::remove_directories(llvm::sys::path::parent_path(keptFile(message)));
}

const char *const somePTX = "//\n.version 7.8\n.target sm_90\n.address_size 64\n"
                            ".visible .entry k() { ret; }\n";

} // namespace

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

TEST_F(PtxasTest, SearchesFromTheMostDeliberatePlace) {
  std::string newest = script("usr/local/cuda-12.10/bin/ptxas", "");
  script("usr/local/cuda-12.9/bin/ptxas", "");
  script("usr/local/cuda-12.x/bin/ptxas", "");
  EXPECT_EQ(llvm::cantFail(findTool("ptxas", "", places)).path, newest);
  std::string chosen = script("usr/local/cuda/bin/ptxas", "");
  EXPECT_EQ(llvm::cantFail(findTool("ptxas", "", places)).path, chosen);
  std::string inPath = script("path/ptxas", "");
  variables["PATH"] = "/nowhere::" + folder + "/path";
  EXPECT_EQ(llvm::cantFail(findTool("ptxas", "", places)).path, inPath);
  std::string inCudaPath = script("cudapath/bin/ptxas", "");
  variables["CUDA_PATH"] = folder + "/cudapath";
  EXPECT_EQ(llvm::cantFail(findTool("ptxas", "", places)).path, inCudaPath);
  std::string inHome = script("home/bin/ptxas", "");
  variables["CUDA_HOME"] = folder + "/home";
  EXPECT_EQ(llvm::cantFail(findTool("ptxas", "", places)).path, inHome);
  std::string own = script("own", "");
  variables["TILEC_PTXAS"] = own;
  Tool tool = llvm::cantFail(findTool("ptxas", "", places));
  EXPECT_EQ(tool.path, own);
  EXPECT_EQ(tool.origin, "TILEC_PTXAS");
  tool = llvm::cantFail(findTool("ptxas", inHome, places));
  EXPECT_EQ(tool.path, inHome);
  EXPECT_EQ(tool.origin, "--ptxas");
}

TEST_F(PtxasTest, LooksUpABareNameInPath) {
  std::string path = script("path/ptxas-12", "");
  variables["PATH"] = folder + "/path";
  EXPECT_EQ(llvm::cantFail(findTool("ptxas", "ptxas-12", places)).path, path);
}

TEST_F(PtxasTest, NamesEveryPlaceWhenThereIsNone) {
  variables["CUDA_HOME"] = "/no/cuda";
  llvm::Expected<Tool> tool = findTool("ptxas", "", places);
  ASSERT_FALSE(tool);
  EXPECT_EQ(messageOf(tool.takeError()),
            "cannot find ptxas, which is part of the CUDA toolkit: --ptxas not given, TILEC_PTXAS "
            "not set, CUDA_HOME '/no/cuda', CUDA_PATH not set, not in PATH, not in " +
                places.toolkitParent + "/cuda*/bin");
}

TEST_F(PtxasTest, FindsOtherToolsByTheirOwnNames) {
  llvm::Expected<Tool> tool = findTool("compute-sanitizer", "", places);
  ASSERT_FALSE(tool);
  EXPECT_EQ(messageOf(tool.takeError()),
            "cannot find compute-sanitizer, which is part of the CUDA toolkit: "
            "TILEC_COMPUTE_SANITIZER not set, CUDA_HOME not set, CUDA_PATH not set, not in PATH, "
            "not in " +
                places.toolkitParent + "/cuda*/bin");
  std::string own = script("own", "");
  variables["TILEC_COMPUTE_SANITIZER"] = own;
  EXPECT_EQ(llvm::cantFail(findTool("compute-sanitizer", "", places)).path, own);
}

TEST_F(PtxasTest, DoesNotPassOverAWrongChoice) {
  script("usr/local/cuda/bin/ptxas", "");
  variables["TILEC_PTXAS"] = "/no/ptxas";
  llvm::Expected<Tool> tool = findTool("ptxas", "", places);
  ASSERT_FALSE(tool);
  EXPECT_EQ(messageOf(tool.takeError()),
            "TILEC_PTXAS names no program: '/no/ptxas' (ptxas was looked for)");
  // A folder is no program either.
  tool = findTool("ptxas", folder, places);
  ASSERT_FALSE(tool);
  EXPECT_EQ(messageOf(tool.takeError()),
            "--ptxas names no program: '" + folder + "' (ptxas was looked for)");
}

//===----------------------------------------------------------------------===//
// Versions and reports
//===----------------------------------------------------------------------===//

TEST_F(PtxasTest, ReadsVersions) {
  EXPECT_EQ(parseToolVersion("ptxas: NVIDIA (R) Ptx optimizing assembler\n"
                             "Cuda compilation tools, release 13.0, V13.0.88\n")
                ->str(),
            "13.0");
  EXPECT_FALSE(parseToolVersion("GNU as 2.40"));
  EXPECT_FALSE(parseToolVersion("x, release thirteen"));
  EXPECT_FALSE(parseToolVersion(""));
  std::string path = fakePtxas("11.8", "");
  EXPECT_EQ(llvm::cantFail(toolVersion({path, ""})).str(), "11.8");
  path = script("other", "echo hello\n");
  EXPECT_EQ(messageOf(toolVersion({path, ""}).takeError()),
            "'" + path + " --version' names no CUDA release: hello");
}

TEST_F(PtxasTest, KnowsWhichReleaseKnowsWhat) {
  GpuArch sm90 = llvm::cantFail(GpuArch::parse("sm_90"));
  GpuArch sm101 = llvm::cantFail(GpuArch::parse("sm_101"));
  GpuArch sm120 = llvm::cantFail(GpuArch::parse("sm_120"));
  EXPECT_FALSE(bool(checkPtxasVersion({11, 8}, sm90, {7, 8})));
  EXPECT_FALSE(bool(checkPtxasVersion({14, 2}, sm120, {8, 7})));
  EXPECT_EQ(messageOf(checkPtxasVersion({11, 8}, sm120, {8, 7})),
            "ptxas of CUDA 11.8 is too old for sm_120 and PTX 8.7: CUDA 12.8 or later is needed");
  EXPECT_EQ(messageOf(checkPtxasVersion({12, 0}, sm90, {8, 3})),
            "ptxas of CUDA 12.0 is too old for sm_90 and PTX 8.3: CUDA 12.3 or later is needed");
  EXPECT_EQ(messageOf(checkPtxasVersion({13, 0}, sm101, {8, 6})),
            "ptxas of CUDA 13.0 is too new for sm_101, which CUDA 13.0 removed");
}

TEST_F(PtxasTest, ReadsTheReport) {
  std::vector<ResourceUsage> kernels = parseResourceUsage(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'first' for 'sm_90'\n"
      "ptxas info    : Function properties for first\n"
      "    504 bytes stack frame, 536 bytes spill stores, 620 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 1 barriers, 504 bytes cumulative stack size, 64 "
      "bytes smem, 560 bytes cmem[0], 8 bytes cmem[2]\n"
      "ptxas info    : Compile time = 12.3 ms\n"
      "ptxas info    : Compiling entry function 'second' for 'sm_90'\n"
      "ptxas info    : Function properties for helper\n"
      "    99 bytes stack frame, 98 bytes spill stores, 97 bytes spill loads\n"
      "ptxas info    : Function properties for second\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "first");
  EXPECT_EQ(kernels[0].registers, 255u);
  EXPECT_EQ(kernels[0].stackBytes, 504u);
  EXPECT_EQ(kernels[0].spillStoreBytes, 536u);
  EXPECT_EQ(kernels[0].spillLoadBytes, 620u);
  EXPECT_EQ(kernels[0].sharedBytes, 64u);
  EXPECT_EQ(kernels[0].constantBytes, 568u);
  EXPECT_EQ(kernels[0].barriers, 1u);
  EXPECT_EQ(kernels[1].kernel, "second");
  EXPECT_EQ(kernels[1].registers, 8u);
  EXPECT_EQ(kernels[1].stackBytes, 0u);
  EXPECT_TRUE(parseResourceUsage("").empty());
  EXPECT_TRUE(parseResourceUsage("Used 1 registers\n    1 bytes stack frame, 2\n").empty());
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TEST_F(PtxasTest, PassesArgumentsAsTheyAre) {
  std::string path =
      fakePtxas("13.0", "for a in \"$@\"; do echo \"[$a]\"; done > \"$(dirname \"$0\")/list\"\n"
                        "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && echo image > \"$2\"; shift; "
                        "done\necho 'ptxas info    : 0 bytes gmem'\necho careful >&2\n");
  AssembleOptions options = with(path);
  options.optLevel = 2;
  options.lineInfo = true;
  options.extraArgs = {"two words", "$HOME 'x' \"y\""};
  llvm::Expected<Cubin> cubin = assemble(somePTX, options);
  ASSERT_TRUE(bool(cubin)) << messageOf(cubin.takeError());
  EXPECT_EQ(cubin->image, "image\n");
  EXPECT_EQ(cubin->warnings, "careful\n");
  EXPECT_EQ(cubin->ptxas.path, path);
  auto buffer = llvm::MemoryBuffer::getFile(folder + "/bin/list");
  ASSERT_TRUE(bool(buffer));
  StringRef text = (*buffer)->getBuffer();
  EXPECT_TRUE(text.starts_with("[-arch=sm_90]\n[-O2]\n[-v]\n[-lineinfo]\n[two words]\n"
                               "[$HOME 'x' \"y\"]\n["))
      << text.str();
  // The temporary folder is removed.
  StringRef input = text.split("\"y\"]\n[").second.split(']').first;
  EXPECT_TRUE(input.ends_with("/kernel.ptx"));
  EXPECT_FALSE(llvm::sys::fs::exists(llvm::sys::path::parent_path(input)));
}

TEST_F(PtxasTest, ShowsWhatPtxasSaid) {
  std::string path = fakePtxas("13.0", "echo 'ptxas kernel.ptx, line 3; error : Feature x' >&2\n"
                                       "exit 255\n");
  llvm::Expected<Cubin> cubin = assemble(somePTX, with(path));
  ASSERT_FALSE(cubin);
  std::string message = messageOf(cubin.takeError());
  std::string kept = keptFile(message);
  EXPECT_TRUE(StringRef(message).starts_with("ptxas failed (CUDA 13.0)\n  command: ")) << message;
  EXPECT_TRUE(StringRef(message).contains(" -arch=sm_90 -O3 -v " + kept + " -o "));
  EXPECT_TRUE(StringRef(message).ends_with("\nptxas kernel.ptx, line 3; error : Feature x"));
  auto buffer = llvm::MemoryBuffer::getFile(kept);
  ASSERT_TRUE(bool(buffer)) << kept;
  EXPECT_EQ((*buffer)->getBuffer(), somePTX);
  removeKept(message);
}

TEST_F(PtxasTest, SaysWhenPtxasIsTooOld) {
  std::string path =
      fakePtxas("11.8", "echo 'ptxas fatal : Value sm_120 is not defined'\nexit 1\n");
  llvm::Expected<Cubin> cubin = assemble(somePTX, with(path, "sm_120"));
  ASSERT_FALSE(cubin);
  std::string message = messageOf(cubin.takeError());
  EXPECT_TRUE(StringRef(message).starts_with(
      "ptxas failed (CUDA 11.8): ptxas of CUDA 11.8 is too old for sm_120 and PTX 8.7: CUDA 12.8 "
      "or later is needed\n"))
      << message;
  removeKept(message);
}

TEST_F(PtxasTest, FailsWhenPtxasCrashes) {
  std::string path = fakePtxas("13.0", "kill -SEGV $$\n");
  llvm::Expected<Cubin> cubin = assemble(somePTX, with(path));
  ASSERT_FALSE(cubin);
  std::string message = messageOf(cubin.takeError());
  EXPECT_TRUE(StringRef(message).starts_with("ptxas failed (CUDA 13.0): Segmentation fault"))
      << message;
  removeKept(message);
}

TEST_F(PtxasTest, FailsWhenNothingWasWritten) {
  llvm::Expected<Cubin> cubin = assemble(somePTX, with(fakePtxas("13.0", "exit 0\n")));
  ASSERT_FALSE(cubin);
  std::string message = messageOf(cubin.takeError());
  EXPECT_TRUE(StringRef(message).starts_with("ptxas failed (CUDA 13.0)\n")) << message;
  removeKept(message);
}

TEST_F(PtxasTest, FailsWhenTheProgramCannotRun) {
  std::string path = script("ptxas", "");
  std::error_code error;
  llvm::raw_fd_ostream(path, error) << "\x7f"
                                       "ELF nonsense";
  llvm::Expected<Cubin> cubin = assemble(somePTX, with(path));
  ASSERT_FALSE(cubin);
  std::string message = messageOf(cubin.takeError());
  EXPECT_TRUE(StringRef(message).starts_with("ptxas failed: ")) << message;
  removeKept(message);
}

TEST_F(PtxasTest, RejectsOptionsThatMakeNoCubin) {
  llvm::Expected<Cubin> cubin = assemble(somePTX, with(fakePtxas("13.0", ""), "compute_90"));
  ASSERT_FALSE(cubin);
  EXPECT_EQ(messageOf(cubin.takeError()), "compute_90 has no machine code: name a real "
                                          "architecture, sm_90 for instance");
  AssembleOptions options = with(fakePtxas("13.0", ""));
  options.optLevel = 4;
  cubin = assemble(somePTX, options);
  ASSERT_FALSE(cubin);
  EXPECT_EQ(messageOf(cubin.takeError()), "optimisation levels are 0 to 3, not 4");
}

TEST_F(PtxasTest, PrintsTheCommand) {
  std::string path = fakePtxas("13.0", "");
  std::string command = llvm::cantFail(assembleCommand(with(path), "a.ptx", "b c.cubin"));
  EXPECT_TRUE(StringRef(command).ends_with(" -arch=sm_90 -O3 -v a.ptx -o \"b c.cubin\""))
      << command;
}

TEST_F(PtxasTest, NeedsADisassembler) {
  llvm::Expected<std::string> sass = disassemble("image", places);
  ASSERT_FALSE(sass);
  EXPECT_EQ(messageOf(sass.takeError()),
            "SASS needs nvdisasm or cuobjdump of the CUDA toolkit, and neither is in CUDA_HOME, "
            "CUDA_PATH, PATH or " +
                places.toolkitParent + "/cuda*/bin");
  script("usr/local/cuda/bin/cuobjdump", "echo \"$1\"; cat \"$2\"\n");
  EXPECT_EQ(llvm::cantFail(disassemble("image", places)), "-sass\nimage");
  script("usr/local/cuda/bin/nvdisasm", "echo \"$1\"; cat \"$2\"\n");
  EXPECT_EQ(llvm::cantFail(disassemble("image", places)), "-c\nimage");
  script("usr/local/cuda/bin/nvdisasm", "echo no; exit 3\n");
  sass = disassemble("image", places);
  ASSERT_FALSE(sass);
  EXPECT_TRUE(StringRef(messageOf(sass.takeError())).ends_with("-c' failed\nno"));
}

TEST_F(PtxasTest, RunsTheRealOne) {
  llvm::Expected<Tool> tool = findTool("ptxas");
  if (!tool)
    GTEST_SKIP() << messageOf(tool.takeError());
  Version cuda = llvm::cantFail(toolVersion(*tool));
  if (llvm::Error error = checkPtxasVersion(cuda, with("").arch, {7, 8}))
    GTEST_SKIP() << messageOf(std::move(error));
  llvm::Expected<Cubin> cubin = assemble(somePTX, with(""));
  ASSERT_TRUE(bool(cubin)) << messageOf(cubin.takeError());
  EXPECT_TRUE(StringRef(cubin->image)
                  .starts_with("\x7f"
                               "ELF"));
  ASSERT_EQ(cubin->kernels.size(), 1u);
  EXPECT_EQ(cubin->kernels[0].kernel, "k");
  EXPECT_GT(cubin->kernels[0].registers, 0u);
  EXPECT_EQ(cubin->warnings, "");
  cubin = assemble(".version 7.8\n.target sm_90\n.address_size 64\nbogus;\n", with(""));
  ASSERT_FALSE(cubin);
  std::string message = messageOf(cubin.takeError());
  EXPECT_TRUE(StringRef(message).contains("line 4; fatal   : Parsing error near '")) << message;
  removeKept(message);
}
