//===- Layouts.h - Which thread holds what of a tile ------------*- C++ -*-===//
//
// Layouts, and accesses and exchanges, which follow from them, are assigned by the compiler's
// passes, which take longer than an editor waits for an answer. So they run on a thread of their
// own, for a state of a file about which somebody asks, and what they have found is kept for that
// state.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_LANGUAGESERVER_LAYOUTS_H
#define TILEC_LIB_LANGUAGESERVER_LAYOUTS_H

#include "Analysis.h"
#include "mlir/IR/BuiltinOps.h"
#include "tilec/Layout/LinearLayout.h"

#include <condition_variable>
#include <functional>
#include <mutex>

namespace tilec::ls {

/// The layouts of one state of a file, and what can be said of its lines with them.
class LayoutFacts {
public:
  /// Notes the layouts of all tiles of a module that has them, and what becomes of lines. Places in
  /// other files than `file` do not count.
  void collect(mlir::ModuleOp module, llvm::StringRef file);

  /// The layouts of tiles of the type that editors call `type` ("float32[64, 32]") that were made
  /// at `place`, each once; of another type none, since it is another value there.
  std::vector<layout::LinearLayout> find(const ValuePlace &place, llvm::StringRef type) const;
  /// What is said of lines, by their numbers from 1.
  const std::map<unsigned, std::vector<std::string>> &lineNotes() const { return notes; }

private:
  void add(mlir::Location location, mlir::Type type, llvm::StringRef file);
  std::map<ValuePlace, std::vector<layout::LinearLayout>> layouts;
  std::map<unsigned, std::vector<std::string>> notes;
};

/// A layout in words and as a table, in Markdown.
std::string describeLayout(const layout::LinearLayout &layout);

/// Takes the kernels of a file through the passes that give tiles layouts.
class LayoutWorker {
public:
  /// `onFound` is called on the worker's thread when it has found what an answer lacked.
  explicit LayoutWorker(std::function<void()> onFound) : state(std::make_shared<State>()) {
    state->onFound = std::move(onFound);
  }

  /// What was found of a state of a file; null where nothing was.
  struct Found {
    std::shared_ptr<const Analysis> analysis; ///< names the state of the file
    std::shared_ptr<const LayoutFacts> facts;
  };
  /// The facts of the file in this state, of which `input` made `analysis`. Begins to find them if
  /// nobody has asked before, and waits for no longer than `wait`; null while they are being found.
  std::shared_ptr<const LayoutFacts> find(const std::shared_ptr<const Analysis> &analysis,
                                          const AnalysisInput &input,
                                          std::chrono::milliseconds wait);
  /// Has `onFound` called when the facts of this state are known, be it at once.
  void announce(const std::shared_ptr<const Analysis> &analysis, const AnalysisInput &input);
  /// What was found last of a file, in whatever state.
  Found last(const lsp::URIForFile &uri) const;
  /// The file is closed.
  void forget(const lsp::URIForFile &uri);
  /// Whether a thread is at work, which the end of the process must not wait for.
  bool isBusy() const;
  /// `onFound` is not called any more, and no call of it is under way.
  void beQuiet();

private:
  struct Job {
    std::shared_ptr<const Analysis> analysis; // Names the state of the file.
    AnalysisInput input;
  };
  struct State {
    std::mutex lock;
    std::condition_variable done;
    bool isRunning = false;
    Job current, next;                  // Without `analysis`: none.
    std::map<std::string, Found> known; // By file: of several that are seen each has its own.
    bool isAwaited = false;             // An answer has said that something is coming.
    std::mutex callLock;                // Around calls of `onFound`.
    std::function<void()> onFound;

    Found find(const lsp::URIForFile &uri) const { // Under `lock`.
      auto found = known.find(uri.uri().str());
      return found == known.end() ? Found() : found->second;
    }
    void announce(); // Not under `lock`.
  };
  static void work(std::shared_ptr<State> state);
  std::shared_ptr<State> state; // The thread's, too.
};

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_LAYOUTS_H
