//===- ProgramTest.cpp - Whole programs with compiled kernels ------------*- C++ -*-===//
//
// Runs a C program with kernels, without a driver, and the benchmark of launches over the mock.
//
//===-------------------------------------------------------------------------------===//

#include "AllocationCount.h"
#include "MockTest.h"

#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

/// Runs a command and returns what it printed, and its exit status.
static std::string run(const std::string &command, int &status) {
  std::string output;
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) {
    status = -1;
    return output;
  }
  char buffer[256];
  while (fgets(buffer, sizeof(buffer), pipe))
    output += buffer;
  status = pclose(pipe);
  return output;
}

TEST(ArtifactProgramTest, aCProgramRunsWithoutADriver) {
  int status = 0;
  std::string program = "'" + testFolder() + "ArtifactCProgram'";
  std::string output = run("TILEC_CUDA_DRIVER=/nowhere " + program, status);
  EXPECT_EQ(status, 0) << output;
  EXPECT_EQ(output.find("success: 0.5 1 1.5\nsuccess: 0x3c00\nsuccess: 1.5\n"
                        "no CUDA driver: tried '/nowhere'"),
            0u)
      << output;
}

TEST(ArtifactProgramTest, itNeedsNeitherCudaNorTheCppLibrary) {
  int status = 0;
  std::string needed =
      run("LD_TRACE_LOADED_OBJECTS=1 '" + testFolder() + "ArtifactCProgram'", status);
  EXPECT_NE(needed.find("libc.so"), std::string::npos) << needed;
  EXPECT_EQ(needed.find("cuda"), std::string::npos) << needed;
  // Sanitizers, which also keep allocations from being counted, bring it along.
  EXPECT_TRUE(!countsAllocations() || needed.find("libstdc++") == std::string::npos) << needed;
}

TEST(ArtifactProgramTest, launchesCanBeMarked) {
  int status = 0;
  std::string program =
      "LD_LIBRARY_PATH='" + testFolder() + "nvtx' '" + testFolder() + "ArtifactCProgram'";
  std::string output = run("TILEC_NVTX=1 " + program, status);
  EXPECT_EQ(output.find("push scale (BLOCK=128)\npop\nsuccess"), 0u) << output;
  output = run(program, status);
  EXPECT_EQ(output.find("success"), 0u) << output;
  // Asked for, but not to be had: launches go on.
  output = run("TILEC_NVTX=1 '" + testFolder() + "ArtifactCProgram'", status);
  EXPECT_EQ(output.find("success"), 0u) << output;
}

TEST(ArtifactProgramTest, launchesCanBeMarkedForAProfiler) {
  int status = 0;
  std::string injection =
      "NVTX_INJECTION64_PATH='" + testFolder() + "nvtx/libTilecMockInjection.so'";
  std::string program =
      "LD_LIBRARY_PATH='" + testFolder() + "nvtx' '" + testFolder() + "ArtifactCProgram'";
  std::string output = run("TILEC_NVTX=1 " + injection + " " + program, status);
  EXPECT_EQ(output.find("injected push scale (BLOCK=128)\ninjected pop\nsuccess"), 0u) << output;
  output = run(injection + " " + program, status);
  EXPECT_EQ(output.find("success"), 0u) << output;
  // The profiler declines, or is not there: launches go on.
  output = run("TILEC_NVTX=1 MOCK_NVTX=refuse " + injection + " " + program, status);
  EXPECT_EQ(output.find("success"), 0u) << output;
  output = run("TILEC_NVTX=1 NVTX_INJECTION64_PATH=/nowhere " + program, status);
  EXPECT_EQ(output.find("success"), 0u) << output;
}

TEST(ArtifactProgramTest, launchesCanBeRecorded) {
  int status = 0;
  char folder[] = "/tmp/tilec-profile-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder));
  std::string path = std::string(folder) + "/trace.json",
              second = std::string(folder) + "/trace.2.json";
  std::string program = "'" + testFolder() + "ArtifactCProgram'";
  std::string output =
      run("TILEC_PROFILE='" + path + "' " + program + " && cat '" + path + "'", status);
  EXPECT_EQ(status, 0) << output;
  EXPECT_EQ(output.find("success"), 0u) << output;
  EXPECT_NE(output.find("\"name\": \"scale (BLOCK=128)\""), std::string::npos) << output;
  // Written anew by the next process, and beside by one at the same time.
  output = run("(flock 9; TILEC_PROFILE='" + path + "' " + program + ") 9>>'" + path + "'; cat '" +
                   second + "'",
               status);
  EXPECT_EQ(status, 0) << output;
  EXPECT_NE(output.find("\"launches\": 1"), std::string::npos) << output;
  output = run("TILEC_PROFILE='" + path + "' " + program + " && grep -c traceEvents '" + path + "'",
               status);
  EXPECT_NE(output.find("\n1\n"), std::string::npos) << output;
  output = run("TILEC_PROFILE=- " + program, status);
  EXPECT_NE(output.find("CPU:\n launches "), std::string::npos) << output;
  EXPECT_NE(output.find("  scale (BLOCK=128); out=*fp16, x=*fp16, factor=fp32, n=i32\n"),
            std::string::npos)
      << output;
  output = run("TILEC_PROFILE='" + std::string(folder) + "/none/trace.json' " + program, status);
  EXPECT_EQ(output.find("tilec: cannot write the profile '" + std::string(folder) +
                        "/none/trace.json': No such file or directory\nsuccess"),
            0u)
      << output;
  output = run("TILEC_PROFILE=/dev/full " + program, status);
  EXPECT_NE(output.find("tilec: cannot write the profile '/dev/full': cannot write all of"),
            std::string::npos)
      << output;
  unlink(path.c_str());
  unlink(second.c_str());
  EXPECT_EQ(rmdir(folder), 0);
}

TEST(ArtifactProgramTest, theLaunchBenchmarkRuns) {
  std::string program = "'" + testFolder() + "../bin/embedded-overhead'";
  int status = 0;
  std::string output = run(program + " 1000", status);
  EXPECT_EQ(status, 0) << output;
  for (const char *way :
       {"\ncuLaunchKernel, 4 arguments", "\nembedded, 4 arguments", "\nembedded, 16 arguments",
        "\nembedded, 58 arguments", "\nembedded, 58 decide, special"})
    EXPECT_NE(output.find(way), std::string::npos) << output;
  // A driver without libraries and numbers of contexts.
  output = run("TILEC_CUDA_DRIVER='" + testFolder() + "libTilecMockCuda110.so' " + program + " 500",
               status);
  EXPECT_EQ(status, 0) << output;
  output = run("TILEC_CUDA_DRIVER=/nowhere " + program, status);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(output.find("error: no CUDA driver: tried '/nowhere'"), 0u) << output;
  run(program + " 12x", status);
  EXPECT_EQ(WEXITSTATUS(status), 2);
}
