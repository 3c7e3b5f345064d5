//===- PythonTest.cpp - the conversation with bench/providers.py -*- C++ -*-===//

#include "PythonProviders.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "gtest/gtest.h"

using namespace tilec;
using namespace tilec::bench;

namespace {

Case someCase() { return {findSuite("softmax"), ScalarKind::BF16, {4096, 781}}; }

TEST(PythonAnswer, IsRead) {
  Measurement entry(someCase(), "torch");
  ASSERT_TRUE(parseAnswer("ok,0.5,0.4,0.6,0.3,100,1e-8,", entry));
  EXPECT_TRUE(entry.isMeasured());
  EXPECT_EQ(entry.timing.medianMs, 0.5);
  EXPECT_EQ(entry.timing.lowerMs, 0.4);
  EXPECT_EQ(entry.timing.upperMs, 0.6);
  EXPECT_EQ(entry.timing.fastestMs, 0.3);
  EXPECT_EQ(entry.timing.runs, 100u);
  EXPECT_EQ(entry.error, 1e-8);
  ASSERT_TRUE(parseAnswer("ok,0.5,0.4,0.6,0.3,100,1e-8,a part, of it", entry));
  EXPECT_EQ(entry.config, "a part, of it");
  EXPECT_EQ(entry.message, "");
  ASSERT_TRUE(parseAnswer("failed,0,0,0,0,0,0,out of resources, of shared memory", entry));
  EXPECT_EQ(entry.outcome, Outcome::Failed);
  EXPECT_EQ(entry.message, "out of resources, of shared memory");
  ASSERT_TRUE(parseAnswer("wrong,0,0,0,0,0,0,x", entry));
  EXPECT_EQ(entry.outcome, Outcome::Wrong);
}

TEST(PythonAnswer, ThatIsNone) {
  Measurement entry(someCase(), "torch");
  for (const char *line : {"", "ok", "fine,0,0,0,0,0,0,", "ok,x,0,0,0,0,0,", "ok,0,0,0,0,x,0,",
                           "ok,0,0,0,0,1,x,", "ok,0,0,0,0,1,0"})
    EXPECT_FALSE(parseAnswer(line, entry)) << line;
}

/// Starts Python on a script with this text.
llvm::Expected<PythonProviders> start(llvm::StringRef text) {
  llvm::SmallString<128> path;
  int file;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("tilec-bench-test", "py", file, path));
  llvm::FileRemover remove(path);
  llvm::raw_fd_ostream(file, true) << text;
  return PythonProviders::start("python3", path);
}

std::string startError(llvm::StringRef text) {
  llvm::Expected<PythonProviders> python = start(text);
  return python ? "" : llvm::toString(python.takeError());
}

TEST(Python, SaysWhatItHas) {
  llvm::Expected<PythonProviders> python =
      start("print('missing,triton,no Triton, sorry\\nready,torch 1, or so', flush=True)\n");
  ASSERT_TRUE(bool(python)) << llvm::toString(python.takeError());
  EXPECT_EQ(python->versions(), "torch 1, or so");
  EXPECT_EQ(python->missing().size(), 1u);
  EXPECT_EQ(python->missing().at("triton"), "no Triton, sorry");
}

TEST(Python, IsNotThereOrEndsAtOnce) {
  EXPECT_EQ(startError("print('none,no torch')\n"), "no torch");
  EXPECT_EQ(startError("pass\n"),
            "bench/providers.py ended, or said nothing for 300 s, when it was started");
  llvm::Expected<PythonProviders> python = PythonProviders::start("no-such-python", "x.py");
  ASSERT_FALSE(bool(python));
  EXPECT_EQ(llvm::toString(python.takeError()), "there is no 'no-such-python'");
}

const char *const echo = R"(
import json, sys
print('ready,x', flush=True)
for line in sys.stdin:
    r = json.loads(line)
    if r['provider'] == 'torch':
        sys.exit(3)
    if r['provider'] == 'odd':
        print('what?', flush=True)
        continue
    print(f"failed,1,2,3,4,5,6,{r['kernel']} {r['dtype']} {r['size']['rows']} "
          f"{r['size']['cols']} {r['size']['launches']} {r['configs'][0]['blocks']['BLOCK']} "
          f"{r['configs'][0]['warps']} {r['inputs']} {r['most_runs']} {r['rtol']} {r['source']}",
          flush=True)
)";

TEST(Python, AnswersRequests) {
  llvm::Expected<PythonProviders> python = start(echo);
  ASSERT_TRUE(bool(python));
  TimingPlan plan;
  plan.mostRuns = 77;
  std::vector<Config> configs = configsOf(someCase(), 4);
  for (int again = 0; again < 2; ++again) {
    llvm::Expected<Measurement> answer =
        python->measure("triton", someCase(), configs, "/there", plan, 3);
    ASSERT_TRUE(bool(answer));
    EXPECT_EQ(answer->message,
              "softmax_rows bf16 4096 781 1 1024 4 3 77 0.01 /there/examples/softmax/softmax.py");
    EXPECT_EQ(answer->warps, 4u);
    EXPECT_EQ(answer->timing.runs, 5u);
  }
  llvm::Expected<Measurement> odd = python->measure("odd", someCase(), configs, "/there", plan, 3);
  ASSERT_FALSE(bool(odd));
  EXPECT_EQ(llvm::toString(odd.takeError()),
            "bench/providers.py gave an answer that is none: 'what?'");
  for (int again = 0; again < 2; ++again) { // A dead process stays dead and ends nobody else.
    llvm::Expected<Measurement> dead =
        python->measure("torch", someCase(), configs, "/there", plan, 3);
    ASSERT_FALSE(bool(dead));
    EXPECT_EQ(
        llvm::toString(dead.takeError()),
        "bench/providers.py ended, or said nothing for 300 s, measuring torch on softmax bf16 "
        "4096x781");
  }
}

const char *const choose = R"(
import json, sys
print('ready,x', flush=True)
for line in sys.stdin:
    r = json.loads(line)
    size, config = r['size'], r['configs'][1]
    if (size['depth'], size['deviations']) != (300, {'a': 1, 'b': 1, 'bias': 0}):
        sys.exit(1)
    print(f"ok,1,2,3,4,5,6,{config['text']}", flush=True)
)";

TEST(Python, SaysWhichConfigurationWasTheFastest) {
  llvm::Expected<PythonProviders> python = start(choose);
  ASSERT_TRUE(bool(python));
  Case what{findSuite("matmul"), ScalarKind::BF16, {100, 200, 300}};
  std::vector<Config> configs = {{{{"BLOCK_M", 16}, {"BLOCK_N", 32}}, 2, 3},
                                 {{{"BLOCK_M", 64}, {"BLOCK_N", 64}}, 8, 3}};
  auto answer = python->measure("triton", what, configs, "/there", TimingPlan(), 1);
  ASSERT_TRUE(bool(answer)) << llvm::toString(answer.takeError());
  EXPECT_EQ(answer->config, "64x64 w8 s3");
  EXPECT_EQ(answer->warps, 8u);
}

} // namespace
