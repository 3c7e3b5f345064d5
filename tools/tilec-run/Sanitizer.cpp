//===- Sanitizer.cpp - Runs under compute-sanitizer ------------*- C++ -*-===//
//
// The results of the first run are those that the user asked for; the others are there for what
// their tool finds. The tool writes into a file, so that a run's own output stays as it is.
//
//===----------------------------------------------------------------------===//

#include "Sanitizer.h"

#include "SanitizerReport.h"
#include "tilec/Target/Ptxas.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using llvm::StringRef;

namespace {

/// What one run has left.
struct Outcome {
  int status = 0;
  std::string problem; // Why the tool did not run or did not end by itself; else empty.
  SanitizerLog log;
  std::string output; // Of the tool, beside its log, and of the kernel's run on standard error.
};

class Runs {
public:
  Runs(const CommandLine &line, Compilation &compilation, Tool tool, std::string folder)
      : line(line), compilation(compilation), tool(std::move(tool)), folder(std::move(folder)) {}

  /// Whether all is as it should be.
  bool run();

private:
  std::string file(StringRef name) const { return folder + "/" + name.str(); }
  std::vector<std::string> argumentsFor(StringRef name, bool isFirst) const;
  Outcome runTool(StringRef name, bool isFirst) const;
  bool judge(StringRef name, const Outcome &outcome, bool isFirst);
  void nameKernel(StringRef kernel, llvm::ArrayRef<SanitizerFinding> findings);
  bool error(const llvm::Twine &message) {
    compilation.diagnostics().error(llvm::SMRange(), message);
    return false;
  }

  const CommandLine &line;
  Compilation &compilation;
  Tool tool;
  std::string folder;
  bool isSound = true;  // No run has failed by itself.
  bool isNamed = false; // The kernel was named.
};

} // namespace

static std::string readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

std::vector<std::string> Runs::argumentsFor(StringRef name, bool isFirst) const {
  std::vector<std::string> result = {
      tool.path, "--tool=" + name.str(), "--log-file=" + file("log"), "--print-limit=10000",
      "--show-backtrace=device", "--strip-paths=no", "--target-processes=application-only",
      // The run goes on behind a kernel that was stopped, and has results.
      "--destroy-on-device-error=kernel"};
  // What lies close behind an array shall be nobody's. Failed calls are errors of the run itself.
  if (name == "memcheck")
    result.insert(result.end(), {"--padding=1048576", "--report-api-errors=no"});
  // Arrays that the kernel does not fill are copied back all the same.
  if (name == "initcheck")
    result.push_back("--check-api-memory-access=no");
  // The address is of no use: the system knows where the program is.
  result.push_back(llvm::sys::fs::getMainExecutable(nullptr, nullptr));
  llvm::append_range(result, line.childArguments);
  result.push_back("--watched=" + name.str() + ":" + file("facts"));
  if (!isFirst)
    result.push_back("--no-results");
  return result;
}

Outcome Runs::runTool(StringRef name, bool isFirst) const {
  for (StringRef old : {"log", "facts", "out"})
    llvm::sys::fs::remove(file(old));
  std::vector<std::string> arguments = argumentsFor(name, isFirst);
  if (line.verbose) {
    llvm::errs() << "compute-sanitizer (from " << tool.origin << "):";
    for (const std::string &argument : arguments) {
      llvm::errs() << ' ';
      llvm::sys::printArg(llvm::errs(), argument, /*Quote=*/false);
    }
    llvm::errs() << '\n';
  }
  llvm::SmallVector<StringRef> words(arguments.begin(), arguments.end());
  std::string out = file("out");
  std::optional<StringRef> redirects[] = {StringRef(""), std::nullopt, StringRef(out)};
  if (!isFirst)
    redirects[1] = "";
  Outcome outcome;
  outcome.status =
      llvm::sys::ExecuteAndWait(tool.path, words, /*Env=*/std::nullopt, redirects,
                                /*SecondsToWait=*/0, /*MemoryLimit=*/0, &outcome.problem);
  if (outcome.status >= 0)
    outcome.problem.clear();
  else if (outcome.problem.empty())
    outcome.problem = "it could not be run";
  outcome.log = readSanitizerLog(readFile(file("log")));
  outcome.output = readFile(out);
  takeAssertions(outcome.output, outcome.log);
  if (!isFirst) // They fail whoever watches.
    llvm::erase_if(outcome.log.findings, [](const SanitizerFinding &finding) {
      return finding.kind == SanitizerFinding::Kind::Assertion;
    });
  return outcome;
}

/// In front of the first findings, as --check on the processor does.
void Runs::nameKernel(StringRef kernel, llvm::ArrayRef<SanitizerFinding> findings) {
  if (isNamed || findings.empty())
    return;
  isNamed = true;
  bool isAccess = llvm::any_of(findings, [](const SanitizerFinding &finding) {
    return finding.kind < SanitizerFinding::Kind::Barrier;
  });
  llvm::errs() << "kernel '" << kernel << "' "
               << (isAccess ? "accesses memory wrongly:\n" : "has errors:\n");
}

bool Runs::judge(StringRef name, const Outcome &outcome, bool isFirst) {
  const SanitizerLog &log = outcome.log;
  bool hasFacts = llvm::sys::fs::exists(file("facts"));
  bool isClean = log.findings.empty();
  // Later runs repeat what the first one had to say.
  if (isFirst || (outcome.status != 0 && isClean && isSound))
    llvm::errs() << outcome.output;
  isSound &= outcome.status == 0;
  std::string failure = !outcome.problem.empty() ? outcome.problem : log.failure;
  // An error of the run itself, which it has reported.
  if (!hasFacts && outcome.problem.empty() && !outcome.output.empty() &&
      (failure.empty() || StringRef(failure).contains("before first instrumented API call")))
    return false;
  if (failure.empty() && (!hasFacts || !log.isComplete))
    failure = "it ended with status " + std::to_string(outcome.status) +
              " and has not said all that it found";
  if (hasFacts) {
    llvm::Expected<WatchedFacts> facts = readWatchedFacts(file("facts"));
    if (!facts)
      return error(llvm::toString(facts.takeError()));
    nameKernel(facts->kernel, log.findings);
    reportFindings(log.findings, *facts, compilation);
  }
  if (!failure.empty())
    return error("compute-sanitizer --tool=" + name + " failed: " + failure + " ('" + tool.path +
                 "', from " + tool.origin + ")");
  if (log.counted > log.listed)
    compilation.diagnostics().warning(llvm::SMRange(),
                                      "compute-sanitizer --tool=" + name + " has counted " +
                                          llvm::Twine(log.counted) + " errors, and named only " +
                                          llvm::Twine(log.listed) + " of them");
  return isClean && outcome.status == 0;
}

bool Runs::run() {
  bool fine = true, isFirst = true;
  for (const std::string &name : line.checkTools) {
    Outcome outcome = runTool(name, isFirst);
    fine &= judge(name, outcome, isFirst);
    // Without facts no launch was reached, nor would another run reach it.
    if (!outcome.problem.empty() || !llvm::sys::fs::exists(file("facts")))
      return false;
    isFirst = false;
  }
  return fine;
}

int runUnderSanitizer(const CommandLine &line, Compilation &compilation) {
  DiagnosticEngine &diagnostics = compilation.diagnostics();
  llvm::Expected<Tool> tool = findTool("compute-sanitizer");
  if (!tool) {
    diagnostics.error(llvm::SMRange(), llvm::toString(tool.takeError()));
    return 1;
  }
  llvm::SmallString<128> folder;
  if (std::error_code code = llvm::sys::fs::createUniqueDirectory("tilec-check", folder)) {
    diagnostics.error(llvm::SMRange(), "cannot make a temporary folder: " + code.message());
    return 1;
  }
  llvm::scope_exit remove([&] { llvm::sys::fs::remove_directories(folder); });
  return Runs(line, compilation, std::move(*tool), std::string(folder)).run() ? 0 : 1;
}
