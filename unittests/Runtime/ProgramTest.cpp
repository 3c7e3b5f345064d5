//===- ProgramTest.cpp - Whole programs over the runtime -----------------*- C++ -*-===//
//
// Runs the C program and the program of docs/runtime.md over the mock driver, and checks that the C
// program does not load the C++ library.
//
//===-------------------------------------------------------------------------------===//

#include "MockTest.h"

#include <cstdio>
#include <sys/wait.h>

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

TEST(ProgramTest, theCProgramRuns) {
  int status = 0;
  std::string output = run("'" + testFolder() + "RuntimeCProgram'", status);
  EXPECT_EQ(status, 0) << output;
}

TEST(ProgramTest, theDocumentedProgramRuns) {
  int status = 0;
  std::string output = run("'" + testFolder() + "RuntimeDocProgram'", status);
  EXPECT_EQ(status, 0) << output;
  EXPECT_EQ(output, "1 2 3 4\n"); // the mock runs no kernels
  output = run("TILEC_CUDA_DRIVER=/nowhere '" + testFolder() + "RuntimeDocProgram'", status);
  EXPECT_NE(status, 0);
  EXPECT_EQ(output, "error: no CUDA driver: tried '/nowhere' (from TILEC_CUDA_DRIVER): /nowhere: "
                    "cannot open shared object file: No such file or directory\n");
}

TEST(ProgramTest, theLaunchBenchmarkRuns) {
  std::string program = "'" + testFolder() + "../bin/launch-overhead'";
  int status = 0;
  std::string output = run(program + " 2000", status);
  EXPECT_EQ(status, 0) << output;
  for (const char *way : {"\ncuLaunchKernel ", "\ntilec_launch ", "\ntilec::Kernel::launch ",
                          "\ncuLaunchKernelEx, cluster of 2", "\nKernel::launch, cluster of 2",
                          "\nKernel::launch, 2 tensor maps"})
    EXPECT_NE(output.find(way), std::string::npos) << output;
  output = run(program + " 20000 0.001", status);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_NE(output.find("ns above a bare launch; the limit is 0.0\n"), std::string::npos) << output;
  output = run("TILEC_CUDA_DRIVER=/nowhere " + program, status);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(output.find("error: no CUDA driver: tried '/nowhere'"), 0u) << output;
  run(program + " 12x", status);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  run(program + " 2000 -1", status);
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

TEST(ProgramTest, theCProgramNeedsNoCppLibraryAndNoCuda) {
  int status = 0;
  std::string needed =
      run("LD_TRACE_LOADED_OBJECTS=1 '" + testFolder() + "RuntimeCProgram'", status);
  EXPECT_NE(needed.find("libc.so"), std::string::npos) << needed;
  EXPECT_EQ(needed.find("cuda"), std::string::npos) << needed;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(needed.find("libstdc++"), std::string::npos) << needed;
#endif
}
