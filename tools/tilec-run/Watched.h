//===- Watched.h - Runs that a tool of CUDA watches ------------*- C++ -*-===//
//
// What tilec-run, started by itself under compute-sanitizer, leaves for the run that has started
// it: where arrays and programs are, in whose terms findings are reported.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TOOLS_TILEC_RUN_WATCHED_H
#define TILEC_TOOLS_TILEC_RUN_WATCHED_H

#include "tilec/JIT/Machine.h"
#include "llvm/ADT/DenseSet.h"

#include <string>
#include <vector>

/// What a watched run knows that the tool does not.
struct WatchedFacts {
  struct Array {
    std::string name;
    std::string type; // Of an element: "fp32".
    std::vector<uint64_t> shape;
    unsigned itemBytes = 1;
    uint64_t address = 0; // On the GPU.
    uint64_t bytes = 0;
  };
  /// An instruction that accesses memory.
  struct Site {
    std::string file;
    unsigned line = 0, column = 0;
    bool loads = false, stores = false; // Both: an atomic operation.
  };

  std::string kernel;
  std::vector<Array> arrays;
  std::vector<Site> sites;
  uint32_t block[3] = {1, 1, 1};
  unsigned numCTAs = 1;
};

/// Reads what a watched run has written.
llvm::Expected<WatchedFacts> readWatchedFacts(llvm::StringRef path);

/// Writes the facts of a launch into a file right before it.
class FactWriter : public tilec::DeviceMonitor {
public:
  /// Arrays of `unwritten` get no contents. Refers to its arguments.
  FactWriter(std::string path, llvm::StringRef kernel,
             llvm::ArrayRef<tilec::NamedArgument> arguments,
             const llvm::DenseSet<const tilec::HostArray *> *unwritten)
      : path(std::move(path)), kernel(kernel), arguments(arguments), unwritten(unwritten) {}

  bool isUnwritten(const tilec::HostArray &array) const override {
    return unwritten && unwritten->contains(&array);
  }
  llvm::Error start(const tilec::WatchedLaunch &launch) override;

private:
  std::string path;
  llvm::StringRef kernel;
  llvm::ArrayRef<tilec::NamedArgument> arguments;
  const llvm::DenseSet<const tilec::HostArray *> *unwritten; // May be null.
};

#endif // TILEC_TOOLS_TILEC_RUN_WATCHED_H
