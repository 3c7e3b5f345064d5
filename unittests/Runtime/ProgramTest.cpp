//===- ProgramTest.cpp - Whole programs over the runtime -----------------*- C++ -*-===//
//
// Runs the C program and the program of docs/runtime.md over the mock driver, and checks that the C
// program does not load the C++ library.
//
//===-------------------------------------------------------------------------------===//

#include "MockTest.h"

#include <cstdio>

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
