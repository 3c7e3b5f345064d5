//===- TunedFile.h - Measured configurations in a file ----------*- C++ -*-===//
//
// Keeps what tuning has measured: for each kernel, device, types and key of @triton.autotune the
// time of each configuration. docs/tuning.md describes the file.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_COMPILER_TUNEDFILE_H
#define TILEC_COMPILER_TUNEDFILE_H

#include "tilec/Language/Decorators.h"
#include "tilec/Language/Imports.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// What a choice is made for.
struct TunedKey {
  std::string kernel;
  /// A hash of the text that the kernel depends on (hashKernel).
  std::string source;
  /// The device's name, and its architecture: "sm_90", or "cpu".
  std::string device;
  std::string arch;
  /// The types of the run-time arguments by name: "x=*fp32, n=i32".
  std::string types;
  /// The values of the parameters that `key` of @triton.autotune names, in its order.
  std::vector<std::pair<std::string, std::string>> values;

  bool operator==(const TunedKey &other) const;
};

/// What was measured for one key.
struct TunedEntry {
  struct Time {
    std::string config; // TuneConfig::str().
    /// Nothing for a configuration that does not compile or run.
    std::optional<double> microseconds;
  };
  TunedKey key;
  std::vector<Time> times;

  const Time *find(llvm::StringRef config) const;
};

/// The fastest of `configs` as far as `entry` knows them; null when it knows none that runs.
const TuneConfig *fastestConfig(const TunedEntry &entry, llvm::ArrayRef<TuneConfig> configs);

/// The contents of a file. Not thread-safe.
class TunedFile {
public:
  /// Reads a file; one that does not exist is empty. An error says what is wrong with it.
  static llvm::Expected<TunedFile> read(llvm::StringRef path);

  /// What is known for a key; null when nothing is.
  const TunedEntry *find(const TunedKey &key) const;
  /// Adds what was measured; times of the same configurations are replaced.
  void add(const TunedEntry &entry);
  /// Writes the file, together with what others have added to it since it was read. It is replaced
  /// at once, so that readers see the old one or the new one.
  llvm::Error write(llvm::StringRef path);

  llvm::ArrayRef<TunedEntry> entries() const { return known; }

private:
  std::vector<TunedEntry> known;
};

/// A hash of the text of `kernel`, a function of `module`, and of the functions, classes and
/// constants that it reaches by name, in imported files too. Decorators are left out: adding a
/// configuration keeps what was measured of others. `search` says where imports are looked for;
/// what cannot be found counts for nothing. May run on several threads at once, also with one
/// `search`.
std::string hashKernel(const ast::Module &module, const ast::FunctionDef &kernel,
                       const ImportSearch &search);

} // namespace tilec

#endif // TILEC_COMPILER_TUNEDFILE_H
