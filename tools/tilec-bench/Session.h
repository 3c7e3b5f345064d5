//===- Session.h - one run of the benchmark --------------------*- C++ -*-===//
//
// One run of the benchmark, from the command line to the exit status. The parts that know more are
// elsewhere: what is measured in Suites.h, who computes it in DeviceProviders.h and
// PythonProviders.h, whether it is right in Check.h.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_BENCH_SESSION_H
#define TILEC_TOOLS_TILEC_BENCH_SESSION_H

#include "Ceilings.h"
#include "CommandLine.h"
#include "DeviceProviders.h"
#include "Progress.h"
#include "PythonProviders.h"
#include "Report.h"
#include "tilec/JIT/DeviceTimer.h"

#include <set>

namespace tilec::bench {

/// Measures what the command line asks for and writes it down.
class Session {
public:
  Session(const CommandLine &line, std::string sourceFolder)
      : line(line), folder(std::move(sourceFolder)) {}

  /// The exit status.
  int run();

private:
  bool open();
  bool openGpu();
  bool drop(llvm::function_ref<bool(llvm::StringRef)> test, const llvm::Twine &reason);
  bool openCuda();
  bool openPython();
  std::vector<std::string> providersOf(const Suite &suite) const;
  /// The providers of the chosen suites that pass `test`.
  std::vector<std::string> wanted(llvm::function_ref<bool(llvm::StringRef)> test) const;

  bool runTable(const Suite &suite, ScalarKind type, llvm::ArrayRef<Size> sizes);
  bool prepareType(const Suite &suite, ScalarKind type);
  void runCase(const Case &what);
  Measurement measureHere(const Case &what, DeviceData &data, llvm::StringRef provider);
  Measurement measureConfig(const Case &what, const Config &config, DeviceData &data,
                            llvm::StringRef provider);
  Measurement measureInPython(const Case &what, llvm::StringRef provider, unsigned inputs);
  void measureCeilings(ScalarKind type);
  void measureCopyCeiling();
  llvm::Expected<Prepared> prepare(const Case &what, const Config &config,
                                   llvm::StringRef provider);
  void record(Measurement entry);
  void complain(const Measurement &entry, bool isFatal);

  std::string banner() const;
  void print(llvm::StringRef text);
  bool writeFiles();
  bool writeFile(llvm::StringRef name, llvm::function_ref<void(llvm::raw_ostream &)> write);
  void plot();
  bool error(const llvm::Twine &message);
  void note(const llvm::Twine &message);

  const CommandLine &line;
  std::string folder;
  Device device;
  GpuFacts gpu;
  TimingPlan plan;
  std::vector<std::string> providers;
  std::optional<DeviceTimer> timer;
  std::optional<CudaKernels> cuda;
  std::optional<PythonProviders> python;
  std::optional<Pattern> pattern;
  std::optional<ScalarKind> patternType;
  std::optional<Checker> checker;
  std::optional<Progress> progress;
  Results results;
  Ceilings ceilings;
  /// Types of products whose ceiling was measured.
  std::set<ScalarKind> probed;
  /// Everything printed so far, for table.txt.
  std::string tables;
  /// Failures of others that were reported; each is said once, the CSV has all.
  std::set<std::string> said;
  bool hasFailed = false;
};

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_SESSION_H
