//===- PythonProviders.h - what bench/providers.py measures ----*- C++ -*-===//
//
// One Python process stays for the whole run and measures a case when it is asked to, so that the
// times that a table compares were taken within moments of each other.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_BENCH_PYTHONPROVIDERS_H
#define TILEC_TOOLS_TILEC_BENCH_PYTHONPROVIDERS_H

#include "Configs.h"
#include "Results.h"

#include <map>

namespace tilec::bench {

/// Reads one line of providers.py's answer, "STATUS,MEDIAN,Q20,Q80,FASTEST,RUNS,ERROR,TEXT", into
/// `entry`; false when it is none. The text says what gave the time, or why there is none.
bool parseAnswer(llvm::StringRef line, Measurement &entry);

/// The process and the connection to it. Moves only.
class PythonProviders {
public:
  /// Starts `python` on `script` and waits until it says what it can measure. The error says why it
  /// cannot measure anything.
  static llvm::Expected<PythonProviders> start(llvm::StringRef python, llvm::StringRef script);
  PythonProviders(PythonProviders &&other) noexcept;
  PythonProviders &operator=(PythonProviders &&other) noexcept;
  /// Ends the process.
  ~PythonProviders();

  /// What it is: "torch 2.11.0, Triton 3.6.0".
  llvm::StringRef versions() const { return versionText; }
  /// The providers that it cannot measure, with the reasons.
  const std::map<std::string, std::string> &missing() const { return reasons; }

  /// Measures one case; `configs` are what Triton's kernel gets, of which the fastest counts. An
  /// error when the process died or said nothing for minutes; it is of no use then.
  llvm::Expected<Measurement> measure(llvm::StringRef provider, const Case &what,
                                      llvm::ArrayRef<Config> configs, llvm::StringRef sourceFolder,
                                      const TimingPlan &plan, unsigned inputs);

private:
  PythonProviders() = default;
  void swap(PythonProviders &other);
  bool send(llvm::StringRef text);
  /// The next line, without its end; nothing when none comes.
  std::optional<std::string> receive();
  llvm::Error handshake();
  llvm::Error lost(llvm::StringRef when);

  int connection = -1;
  int process = -1;
  std::string received;
  std::string versionText;
  std::map<std::string, std::string> reasons;
};

} // namespace tilec::bench

#endif // TILEC_TOOLS_TILEC_BENCH_PYTHONPROVIDERS_H
